"""The description of the service (OpenAPI 3.1), made from the models that are served."""

from __future__ import annotations

from typing import Any

import linnet
from linnet.serve.errors import PROBLEM_JSON
from linnet.serve.limits import Limits
from linnet.serve.models import Served, Shelf
from linnet.serve.questions import EXPLAIN

__all__ = ["describe"]

Schema = dict[str, Any]
_REFUSALS = {
    400: "The request is no JSON, or not UTF-8.",
    401: "The token is missing or wrong.",
    404: "There is no such model.",
    408: "The request did not arrive in time.",
    413: "The request is too long.",
    415: "The content-type is not one that is read here.",
    421: "The service is called by another name.",
    422: "The request says something that it cannot say.",
    429: "Too many requests are in the works.",
    500: "The service failed.",
    503: "The service cannot answer now.",
    504: "There was no answer in time.",
}
_ABOUT = {
    "predict": "Label texts, bags, vectors or rows.",
    "tag": "Tag the tokens of sentences or of raw text.",
    "explain": "Say why an example is answered as it is.",
}
_NUMBER, _TEXT, _COUNT = {"type": "number"}, {"type": "string"}, {"type": "integer", "minimum": 0}
_STREAMS = ("application/x-ndjson", "application/jsonl", "application/vnd.apache.arrow.stream")


def describe(models: Shelf, limits: Limits, *, token: bool) -> Schema:
    """Return the description as plain values."""
    served = list(models)
    paths: dict[str, Any] = {
        f"/{verb}": {"post": _operation(verb, served, limits, token)}
        for verb in ("predict", "tag", "explain")
        if any(verb in (one.kind.verb, "explain") for one in served)
    }
    listed = {"type": "object", "properties": {"models": _array(_ref("Model"))}}
    status = {"type": "object", "properties": {"status": _TEXT}, "required": ["status"]}
    name = {"name": "name", "in": "path", "required": True, "schema": {**_TEXT, "minLength": 1}}
    paths |= {
        "/models": {"get": _get("listModels", "The models.", listed, token)},
        "/models/{name}": {
            "get": _get("showModel", "A model and its card.", _ref("Card"), token, (404,)),
            "parameters": [name],
        },
        "/health": {"get": _get("health", "Whether the service lives.", status, False)},
        "/ready": {"get": _get("ready", "Whether it takes requests.", status, False, (503,))},
    }
    described: Schema = {
        "openapi": "3.1.0",
        "info": {"title": "linnet", "version": linnet.__version__},
        "paths": paths,
        "components": {"schemas": _schemas()},
    }
    if token:
        scheme = {"type": "http", "scheme": "bearer"}
        described["components"]["securitySchemes"] = {"token": scheme}
    return described


def _operation(verb: str, served: list[Served], limits: Limits, token: bool) -> Schema:
    asked = [one for one in served if verb in (one.kind.verb, "explain")]
    requests = [body for one in asked for body in _requests(one, verb, limits, len(served) == 1)]
    content: Schema = {"application/json": {"schema": {"anyOf": requests}}}
    reply = _reply(verb)
    found: Schema = {"application/json": {"schema": reply}}
    operation: Schema = {
        "operationId": verb,
        "summary": _ABOUT[verb],
        "requestBody": {"required": True, "content": content},
        "responses": _responses(found, token, (400, 404, 408, 413, 415, 422, 429, 503, 504)),
        **_secured(token),
    }
    if verb != "explain":
        operation["description"] = (
            f"For bulk, send a stream ({', '.join(_STREAMS)}); model and options then stand in "
            "the query, and the answer is a stream of the same type."
        )
    return operation


def _requests(one: Served, verb: str, limits: Limits, only: bool) -> list[Schema]:
    """Return what requests about a model look like: with one example, or with a list."""
    options = EXPLAIN if verb == "explain" else dict(one.kind.options)
    if verb == "predict" and one.model.multilabel:
        options.pop("abstain")
    if verb == "tag" and not one.model.probabilistic:
        options.pop("probabilities")
    if verb == "tag" and one.model.scheme is None:
        options.pop("constraints")
    if verb == "explain" and one.kind.verb == "tag":
        options = {"top": EXPLAIN["top"]}
    elif verb == "explain":
        options = {**EXPLAIN, "label": {"enum": one.kind.labels}}
    requests: list[Schema] = []
    for form in one.kind.forms:
        schema = form.schema(one.model, limits)
        members = {form.one: schema}
        if verb != "explain":
            members[form.many] = _array(schema, maxItems=limits.batch)
        cases: list[tuple[Schema, Schema, list[str]]] = [(members, options, [])]
        if form.raw and "nbest" in options:  # the best sequences are those of one sentence
            line = {**schema, "pattern": "^[^\\n]*$"}
            lines = {form.one: line, form.many: _array(line, maxItems=limits.batch)}
            rest = {name: about for name, about in options.items() if name != "nbest"}
            cases = [(members, rest, []), (lines, options, ["nbest"])]
        requests += [
            {
                "type": "object",
                "properties": {"model": {"const": one.name}, member: about, **taken},
                "required": [*([] if only else ["model"]), member, *needed],
                "additionalProperties": False,
            }
            for named, taken, needed in cases
            for member, about in named.items()
        ]
    return requests


def _reply(verb: str) -> Schema:
    name = {"model": _TEXT}
    if verb == "explain":
        return _object({**name, "explanation": {"type": "object"}})
    answer = _ref("Label" if verb == "predict" else "Tags")
    many = _object({**name, "answers": _array(answer)})
    return {"anyOf": [many, {"allOf": [answer, _object(name)]}]}


def _responses(content: Schema, token: bool, refusals: tuple[int, ...]) -> Schema:
    responses: Schema = {"200": {"description": "The answer.", "content": content}}
    problem = {PROBLEM_JSON: {"schema": _ref("Problem")}}
    for status in sorted((*refusals, *((401,) if token else ()), 421, 500)):
        responses[str(status)] = {"description": _REFUSALS[status], "content": problem}
    return responses


def _get(
    name: str, about: str, schema: Schema, token: bool, refusals: tuple[int, ...] = ()
) -> Schema:
    content = {"application/json": {"schema": schema}}
    responses = _responses(content, token, refusals)
    return {"operationId": name, "summary": about, "responses": responses, **_secured(token)}


def _secured(token: bool) -> Schema:
    return {"security": [{"token": []}]} if token else {}


def _array(items: Schema, **bounds: int) -> Schema:
    return {"type": "array", "items": items, **bounds}


def _object(properties: Schema, optional: Schema | None = None) -> Schema:
    members = {**properties, **(optional or {})}
    return {"type": "object", "properties": members, "required": list(properties)}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _schemas() -> Schema:
    label = {"type": ["string", "number", "boolean", "null"]}
    ranked = _array(_object({"label": label, "probability": _NUMBER}))
    span = _object({"start": _COUNT, "end": _COUNT, "label": _TEXT}, {"text": _TEXT})
    token = _object({"text": _TEXT, "start": _COUNT, "end": _COUNT})
    tagging = _object({"score": _NUMBER, "tags": _array(_TEXT)})
    shares = {"type": "object", "additionalProperties": _NUMBER}
    model = {
        "name": _TEXT, "kind": _TEXT, "verb": _TEXT, "reads": _array(_TEXT),
        "labels": _array(label), "features": _COUNT, "version": _TEXT, "loaded": _NUMBER,
    }  # fmt: skip
    more = {"top": ranked, "probabilities": shares}
    one = _object({"label": label, "probability": _NUMBER}, more)
    several = _object({"labels": _array(label), "probability": _array(_NUMBER)}, more)
    return {
        "Problem": _object(
            {"type": _TEXT, "title": _TEXT, "status": _COUNT, "detail": _TEXT}, {"pointer": _TEXT}
        ),
        "Label": {"anyOf": [one, several]},
        "Tags": _object(
            {"tags": _array(_TEXT)},
            {
                "tokens": _array(token), "spans": _array(span), "probability": _array(_NUMBER),
                "nbest": _array(tagging),
            },
        ),
        "Model": _object(model),
        "Card": _object({**model, "card": _TEXT}),
    }  # fmt: skip
