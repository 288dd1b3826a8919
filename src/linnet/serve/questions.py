"""From a JSON request to a question for a model, and from its answers to JSON."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple, NoReturn

from linnet.serve.errors import Problem
from linnet.serve.forms import Form
from linnet.serve.kinds import Asked, Kind, encoded
from linnet.serve.limits import Limits
from linnet.serve.models import Served, Shelf

__all__ = ["EXPLAIN", "Question", "asked_of", "parsed", "question", "reply"]

_HALF_PAIR = re.compile(rb"\\u[dD][89a-fA-F]")
#: What may be wanted of an explanation, as JSON Schema.
EXPLAIN: dict[str, dict[str, Any]] = {
    "label": {"type": ["string", "number", "boolean"]},
    "top": {"type": "integer", "minimum": 1, "maximum": 1000},
}


class Question(NamedTuple):
    """What is asked of a model.

    Attributes
    ----------
    served : Served
    form : Form
        Of the examples.
    single : bool
        Whether the request is about one example and not a list of them.
    examples : list
    options : dict
        What is wanted beside, after checking.
    """

    served: Served
    form: Form
    single: bool
    examples: list[Any]
    options: dict[str, Any]


def _not_finite(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_not_finite)


def parsed(body: bytes) -> Any:
    """Return the value of a JSON text in UTF-8.

    Examples
    --------
    >>> parsed(b'{"top": 3}')
    {'top': 3}
    """
    try:
        value = _DECODER.decode(body.decode("utf-8"))
        if _HALF_PAIR.search(body):
            encoded(value).encode("utf-8")
    except UnicodeDecodeError as error:
        at = error.start
        raise Problem(400, f"byte 0x{body[at]:02x} at position {at} is not UTF-8") from None
    except UnicodeEncodeError:
        raise Problem(400, "a string holds half of a surrogate pair; send whole ones") from None
    except (ValueError, RecursionError) as error:
        raise Problem(400, f"this is not JSON: {error}") from None
    return value


def question(models: Shelf, verb: str, document: Any, limits: Limits) -> Question:
    """Return what a document asks, if it is all right."""
    if not isinstance(document, dict):
        raise Problem(422, "the request must be a JSON object", pointer="")
    name = document.get("model")
    if name is not None and not isinstance(name, str):
        raise Problem(422, "model must be a string", pointer="/model")
    if "model" in document and name is None:
        raise Problem(422, "model must be a string; leave it out if there is one", pointer="/model")
    served = models[name]
    kind = served.kind
    _check_verb(served, verb)
    form, single = _form(kind, document, verb)
    value = document[form.one if single else form.many]
    if not single and not isinstance(value, list):
        raise Problem(422, f"{form.many} must be an array", pointer=f"/{form.many}")
    examples = [value] if single else value
    if len(examples) > limits.batch:
        raise Problem(
            422,
            f"{len(examples):,} {form.many}, at most {limits.batch:,} are read at once; send "
            "several requests, or a stream (application/x-ndjson)",
            pointer=f"/{form.many}",
        )
    for number, example in enumerate(examples):
        fault = form.fault(kind.model, example, limits)
        if fault is not None:
            pointer = f"/{form.one}" if single else f"/{form.many}/{number}"
            raise Problem(422, f"{pointer[1:]} {fault}", pointer=pointer)
    schemas = EXPLAIN if verb == "explain" else kind.options
    options = {
        name: _checked(name, value, schemas)
        for name, value in document.items()
        if name not in ("model", form.one, form.many)
    }
    return Question(served, form, single, form.read(kind.model, examples), options)


def _check_verb(served: Served, verb: str) -> None:
    if verb not in (served.kind.verb, "explain"):
        raise Problem(
            422, f"the model {served.name!r} does not {verb}; ask it at /{served.kind.verb}"
        )


def _form(kind: Kind, document: dict[str, Any], verb: str) -> tuple[Form, bool]:
    """Return the form of the examples, and whether there is one or a list."""
    members = {form.one: (form, True) for form in kind.forms}
    if verb != "explain":
        members |= {form.many: (form, False) for form in kind.forms}
    present = [name for name in document if name in members]
    if len(present) != 1:
        listed = ", ".join(members)
        raise Problem(422, f"the request must have one of the members {listed}", pointer="")
    return members[present[0]]


def asked_of(served: Served, verb: str, words: dict[str, str]) -> Asked:
    """Return what the query of a stream wants, in which everything is text."""
    _check_verb(served, verb)
    options = {}
    for name, word in words.items():
        try:
            value = word if name == "constraints" and word != "null" else parsed(word.encode())
        except Problem:
            value = word
        options[name] = _checked(name, value, served.kind.options)
    return Asked(**options)


def _checked(name: str, value: Any, schemas: dict[str, dict[str, Any]]) -> Any:
    """Return the value of an option, if its schema allows it."""
    if name not in schemas:
        listed = ", ".join(schemas)
        raise Problem(
            422, f"there is no option {name[:60]!r} here; there are {listed}", pointer=f"/{name}"
        )
    schema = schemas[name]
    if "enum" in schema:
        fits, wanted = value in schema["enum"], f"one of {schema['enum']}"
    elif schema["type"] == "boolean":
        fits, wanted = isinstance(value, bool), "true or false"
    elif name == "label":
        fits, wanted = isinstance(value, (str, int, float)), "a label"
    else:
        low, high = schema["minimum"], schema["maximum"]
        whole = schema["type"] == "integer"
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        fits = number and low <= value <= high and (not whole or value == int(value))
        value = int(value) if fits and whole else value
        wanted = f"{'an integer' if whole else 'a number'} from {low} to {high}"
    if not fits:
        raise Problem(422, f"{name} must be {wanted}", pointer=f"/{name}")
    return value


def reply(asked: Question, answers: list[str]) -> bytes:
    """Return the answers to a question, each JSON, as one JSON text."""
    start = f'{{"model":{encoded(asked.served.name)},'
    if asked.single:
        return (start + answers[0][1:]).encode("utf-8")
    return f'{start}"answers":[{",".join(answers)}]}}'.encode()
