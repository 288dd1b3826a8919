"""How much one request may ask for, how many may be in the works, and how long that may take."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from linnet.errors import ParameterError
from linnet.serve.errors import Problem

__all__ = ["Admission", "Limits", "Receive", "read_body", "too_slow"]

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]


@dataclass(frozen=True)
class Limits:
    """What is refused.

    Attributes
    ----------
    body : int
        Bytes of a JSON request, of a line or of a block of a stream; more is answered 413.
    batch : int
        Examples in one request, and in one block of a stream; more is answered 422.
    text : int
        Characters of a text or tokens of a sentence; more is answered 422.
    concurrency : int
        Requests in the works at once; a further one is answered 429.
    streams : int
        How many of these may be streams, each of which holds a thread.
    timeout : float
        Seconds until a request must have arrived (else 408) and be answered (else 504).
    """

    body: int = 8_000_000
    batch: int = 1_000
    text: int = 100_000
    concurrency: int = 512
    streams: int = 8
    timeout: float = 30.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value > 0:
                raise ParameterError(f"the limit {name} must be above 0, got {value!r}")


class Admission:
    """Counts requests in the works, each a block of ``with``; refuses those beyond a limit."""

    def __init__(self, most: int, what: str) -> None:
        self.now, self._most, self._what = 0, most, what

    def __enter__(self) -> None:
        if self.now >= self._most:
            raise Problem(429, f"{self._most} {self._what} are in the works; try again soon")
        self.now += 1

    def __exit__(self, *_: object) -> None:
        self.now -= 1


async def read_body(headers: dict[bytes, bytes], receive: Receive, limits: Limits) -> bytes:
    """Return the body of a request, if it is not too long and arrives in time."""
    announced = headers.get(b"content-length", b"")
    if announced.isdigit() and int(announced) > limits.body:
        raise _too_long(limits)
    parts, length, more = [], 0, True
    try:
        async with asyncio.timeout(limits.timeout):
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Problem(400, "the connection ended before the request did")
                parts.append(message.get("body", b""))
                length += len(parts[-1])
                if length > limits.body:
                    raise _too_long(limits)
                more = message.get("more_body", False)
    except TimeoutError:
        raise too_slow(limits.timeout) from None
    return parts[0] if len(parts) == 1 else b"".join(parts)


def too_slow(timeout: float) -> Problem:
    """Return the refusal of a request that does not arrive; its connection is of no more use."""
    detail = f"the request did not arrive within {timeout:g} seconds"
    return Problem(408, detail, headers={"connection": "close"})


def _too_long(limits: Limits) -> Problem:
    return Problem(
        413,
        f"the request has more than {limits.body:,} bytes; send less at once, or a stream "
        "(application/x-ndjson or application/vnd.apache.arrow.stream)",
    )
