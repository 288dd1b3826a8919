"""Bulk: a stream of examples in, a stream of answers out, block by block (NDJSON, Arrow IPC).

A format is plain code that reads from a file and writes to one; it runs in a thread of its own,
and :class:`Duplex` is that file. Memory holds one block, whatever the length of the stream.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import TimeoutError as TooLate
from typing import Any

from linnet.errors import LinnetError
from linnet.serve.errors import Problem, problem_of
from linnet.serve.forms import Form
from linnet.serve.kinds import Asked, encoded
from linnet.serve.limits import Limits, Receive, too_slow
from linnet.serve.models import Served
from linnet.serve.questions import parsed
from linnet.serve.service import Service

__all__ = ["FORMATS", "Duplex", "answer_stream"]


class Duplex:
    """The body of a request and that of its answer, as a file for a thread.

    Parameters
    ----------
    loop : event loop of the request
    receive, send : how it is talked to
    limits : Limits
        Of what is read at once, and of the seconds until something arrives.
    media : bytes
        The content-type of the answer.
    """

    def __init__(
        self, loop: Any, receive: Receive, send: Any, limits: Limits, media: bytes
    ) -> None:
        self._loop, self._receive, self._send = loop, receive, send
        self._limits, self._media = limits, media
        self._buffer, self._ended, self._started = bytearray(), False, False
        self.closed = False

    def some(self) -> bytes:
        """Return what has arrived, at least a byte; nothing at the end."""
        if not self._buffer:
            self._more()
        data = bytes(self._buffer)
        self._buffer.clear()
        return data

    def read(self, n: int = -1) -> bytes:
        """Return n bytes; fewer at the end."""
        if n > self._limits.body:
            detail = f"a block of {n:,} bytes; at most {self._limits.body:,} are read at once"
            raise Problem(413, detail)
        while (n < 0 or len(self._buffer) < n) and not self._ended:
            self._more()
        n = len(self._buffer) if n < 0 else n
        data = bytes(self._buffer[:n])
        del self._buffer[:n]
        return data

    def _more(self) -> None:
        while not self._ended:
            message = self._wait(self._receive())
            if message["type"] == "http.disconnect":
                raise Problem(400, "the connection ended before the stream did")
            self._buffer += message.get("body", b"")
            self._ended = not message.get("more_body", False)
            if self._buffer:
                return

    def write(self, data: Any) -> int:
        """Send a part of the answer; the first one says that there will be one."""
        self.start()
        self._wait(
            self._send({"type": "http.response.body", "body": bytes(data), "more_body": True})
        )
        return len(data)

    def start(self) -> None:
        """Send the head of the answer."""
        if not self._started:
            self._started = True
            headers = [(b"content-type", self._media)]
            start = {"type": "http.response.start", "status": 200, "headers": headers}
            self._wait(self._send(start))

    def flush(self) -> None:
        """Do nothing: every part is sent at once."""

    def _wait(self, coroutine: Any) -> Any:
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result(self._limits.timeout)
        except TooLate:
            future.cancel()
            raise too_slow(self._limits.timeout) from None


async def answer_stream(
    service: Service, served: Served, asked: Asked, media: bytes, receive: Receive, send: Any
) -> None:
    """Answer a stream of examples by one of answers."""
    loop, limits = asyncio.get_running_loop(), service.settings.limits
    duplex = Duplex(loop, receive, send, limits, media)
    pool = service.stream_pool
    await loop.run_in_executor(pool, FORMATS[media], service, served, asked, duplex)
    await send({"type": "http.response.body", "body": b""})


def _ndjson(service: Service, served: Served, asked: Asked, duplex: Duplex) -> None:
    """Answer lines of JSON by lines of JSON, as they come; a bad line gets an error of its own."""
    limits, number = service.settings.limits, 0
    duplex.start()
    for lines in _blocks_of_lines(duplex, limits):
        read = [_example(served, line, limits) for line in lines]
        answers = _answers(service, served, asked, read)
        out = []
        for (_, _, key, _), answer in zip(read, answers, strict=True):
            number += 1
            out.append(encoded({"line": number, **key, **answer}) + "\n")
        duplex.write("".join(out).encode("utf-8"))


def _blocks_of_lines(duplex: Duplex, limits: Limits) -> Iterator[list[bytes]]:
    """Yield the whole lines that have arrived, not too many at once; empty ones do not count."""
    rest = b""
    while data := duplex.some():
        *whole, rest = (rest + data).split(b"\n")
        if len(rest) > limits.body:
            raise _too_long(limits)
        lines = [line for line in whole if line.strip()]
        for first in range(0, len(lines), limits.batch):
            yield lines[first : first + limits.batch]
    if rest.strip():
        yield [rest]


def _too_long(limits: Limits) -> Problem:
    return Problem(413, f"a line has more than {limits.body:,} bytes")


def _example(
    served: Served, line: bytes, limits: Limits
) -> tuple[Form | None, Any, dict[str, Any], Problem | None]:
    """Return form and value of the example of a line, its id if it has one, or what is wrong.

    The line is the example itself, or an object that has it in a member, as in a request.
    """
    key: dict[str, Any] = {}
    try:
        if len(line) > limits.body:
            raise _too_long(limits)
        value = parsed(line)
        form = served.kind.forms[-1 if isinstance(value, list) else 0]
        if isinstance(value, dict):
            for one in served.kind.forms:
                if one.one in value:
                    key = {"id": value["id"]} if "id" in value else {}
                    form, value = one, value[one.one]
                    break
        fault = form.fault(served.model, value, limits)
        if fault is not None:
            raise Problem(422, f"the {form.one} {fault}")
    except Problem as problem:
        return None, None, key, problem
    return form, value, key, None


def _answers(
    service: Service, served: Served, asked: Asked, read: list[Any]
) -> list[dict[str, Any]]:
    """Return an answer, or an error, for each line."""
    answers: list[dict[str, Any]] = [
        {} if problem is None else {"error": problem.to_dict()} for _, _, _, problem in read
    ]
    groups: dict[Form, list[int]] = {}
    for row, (form, _, _, problem) in enumerate(read):
        if problem is None:
            groups.setdefault(form, []).append(row)
    for form, rows in groups.items():
        examples = form.read(served.model, [read[row][1] for row in rows])
        for row, answer in zip(rows, _asked(service, served, form, examples, asked), strict=True):
            answers[row] = answer
    return answers


def _asked(
    service: Service, served: Served, form: Form, examples: list[Any], asked: Asked
) -> list[dict[str, Any]]:
    """Return the answers to examples; one that the model cannot answer spoils no other."""
    try:
        result = service.ask_here(served, form, examples, asked)
        return served.kind.answers(result, 0, len(examples), asked)
    except LinnetError as error:
        if len(examples) == 1:
            return [{"error": problem_of(error).to_dict()}]
        return [_asked(service, served, form, [one], asked)[0] for one in examples]


def _arrow(service: Service, served: Served, asked: Asked, duplex: Duplex) -> None:
    """Answer record batches by record batches."""
    from linnet.serve.arrow import answer_batches

    answer_batches(service, served, asked, duplex)


Format = Callable[[Service, Served, Asked, Duplex], None]
#: By their content-types.
FORMATS: dict[bytes, Format] = {
    b"application/x-ndjson": _ndjson,
    b"application/jsonl": _ndjson,
    b"application/vnd.apache.arrow.stream": _arrow,
}
