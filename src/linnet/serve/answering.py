"""POST /predict, /tag and /explain: read a request, ask the model, reply."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

from linnet.serve.errors import Problem
from linnet.serve.kinds import Asked, encoded
from linnet.serve.limits import Receive, read_body
from linnet.serve.questions import Question, asked_of, parsed, question, reply
from linnet.serve.service import Service
from linnet.serve.streams import FORMATS, answer_stream

__all__ = ["Verb", "send_bytes"]

_LARGE = 1 << 16  # bytes of a request that is parsed and answered in a thread of its own
_JSON = b"application/json"


class Verb:
    """The application behind the path of a verb.

    Parameters
    ----------
    service : Service
    verb : {"predict", "tag", "explain"}
    """

    def __init__(self, service: Service, verb: str) -> None:
        self._service, self._verb = service, verb
        self._limits = service.settings.limits

    async def __call__(self, scope: Any, receive: Receive, send: Any) -> None:
        """Answer a request."""
        headers = dict(scope["headers"])
        media = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        streamed = self._verb != "explain" and media in FORMATS
        if media != _JSON and not streamed:
            streams = "" if self._verb == "explain" else "".join(f", {m.decode()}" for m in FORMATS)
            raise Problem(415, f"the content-type must be {_JSON.decode()}{streams}")
        if headers.get(b"content-encoding", b"identity") != b"identity":
            raise Problem(415, "the body must not be compressed")
        with self._service.requests:
            if streamed:
                await self._stream(scope, media, receive, send)
            else:
                body = await read_body(headers, receive, self._limits)
                await send_bytes(send, await self._answered(scope, body))

    async def _answered(self, scope: Any, body: bytes) -> bytes:
        service = self._service
        if len(body) > _LARGE:
            result: bytes = await service.batcher.alone(lambda: self._large(scope, body))
            return result
        asked = self._question(scope, body)
        if self._verb == "explain":
            explained: bytes = await service.batcher.alone(lambda: _explained(asked))
            return explained
        options = Asked(**asked.options)
        part = await service.ask(asked.served, asked.form, asked.examples, options)
        scope["linnet"]["together"] = part.requests
        if part.result is None:
            return reply(asked, [])
        return reply(asked, asked.served.kind.spelled(part.result, part.first, part.last, options))

    def _large(self, scope: Any, body: bytes) -> bytes:
        """Answer a long request; it is a batch by itself."""
        asked = self._question(scope, body)
        if self._verb == "explain":
            return _explained(asked)
        options, kind = Asked(**asked.options), asked.served.kind
        if not asked.examples:
            return reply(asked, [])
        result = self._service.ask_here(asked.served, asked.form, asked.examples, options)
        return reply(asked, kind.spelled(result, 0, len(asked.examples), options))

    def _question(self, scope: Any, body: bytes) -> Question:
        document = parsed(body)
        note = scope["linnet"]
        if self._service.settings.log_text:
            note["request"] = document
        asked = question(self._service.models, self._verb, document, self._limits)
        note["model"], note["examples"] = asked.served.name, len(asked.examples)
        return asked

    async def _stream(self, scope: Any, media: bytes, receive: Receive, send: Any) -> None:
        words = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
        served = self._service.models[words.pop("model", None)]
        options = asked_of(served, self._verb, words)
        scope["linnet"]["model"] = served.name
        with self._service.streams:
            await answer_stream(self._service, served, options, media, receive, send)


def _explained(asked: Question) -> bytes:
    label, top = asked.options.get("label"), asked.options.get("top")
    explanation = asked.served.kind.explain(asked.examples[0], label, top)
    whole = {"model": asked.served.name, "explanation": explanation}
    return encoded(whole).encode("utf-8")


async def send_bytes(send: Any, body: bytes, media: bytes = _JSON) -> None:
    """Send an answer that is there as a whole."""
    headers = [(b"content-type", media), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
