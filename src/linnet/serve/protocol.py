"""HTTP/1.1 with bounds: how long and how large the head of a request may be.

uvicorn's protocol waits for a head as long as the client likes, and keeps all of it. A client that
closes its side after a request still gets the answer.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any, cast

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from linnet.serve.errors import PROBLEM_JSON, Problem

__all__ = ["BoundedConfig", "BoundedProtocol"]

_HEAD = 1 << 16  # bytes
_LINGER = 5.0  # seconds in which the rest of a refused body is read and dropped


class _TooLarge(Exception):
    """Raised in a callback of the parser, which then stops."""


class BoundedConfig(Config):
    """What uvicorn is told, and two bounds more.

    Parameters
    ----------
    connections : int
        Connections at once.
    head_seconds : float
        Until the head of a request must be complete.
    """

    def __init__(self, app: Any, *, connections: int, head_seconds: float, **settings: Any) -> None:
        super().__init__(app, http=BoundedProtocol, **settings)
        self.connections, self.head_seconds = connections, head_seconds


class BoundedProtocol(HttpToolsProtocol):
    """One connection."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        bounds = cast(BoundedConfig, self.config)
        self._connection_limit, self._seconds = bounds.connections, bounds.head_seconds
        self._messages, self._in_head, self._head, self._parsed = 0, False, 0, 0
        self._timer: asyncio.TimerHandle | None = None
        self._linger: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Take a connection, if there are not too many."""
        super().connection_made(transport)
        if len(self.connections) > self._connection_limit:
            self._refuse(503, f"{self._connection_limit} connections are open; try again soon")
            return
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timers."""
        self._stop_timer()
        if self._linger is not None:
            self._linger.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what arrived, unless a head gets too long."""
        if self.transport.is_closing():
            return
        messages, began = self._messages, self._in_head
        super().data_received(data)
        if not self._in_head or self.transport.is_closing():
            return
        if began and messages == self._messages:  # all of it belongs to one head
            self._head += len(data)
        if self._head > _HEAD:
            self._refuse(431, f"the head of the request has more than {_HEAD:,} bytes")
        elif self._timer is None:
            self._start_timer()

    def on_message_begin(self) -> None:
        """Start to count."""
        super().on_message_begin()
        self._messages += 1
        self._in_head, self._head, self._parsed = True, 0, 0

    def on_url(self, url: bytes) -> None:
        """Count the path."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header."""
        self._count(len(name) + len(value) + 4)
        super().on_header(name, value)

    def _count(self, n: int) -> None:
        self._parsed += n
        if self._parsed > _HEAD:
            raise _TooLarge

    def on_headers_complete(self) -> None:
        """The head is there in time."""
        self._in_head = False
        self._stop_timer()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The request is there; the next one may begin."""
        if self._linger is not None:
            self._linger.cancel()
            self._linger = None
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """An answer that came before the end of its request does not wait for it for ever."""
        if self.cycle.more_body and self.cycle.response_complete:
            self._linger = self.loop.call_later(_LINGER, self.transport.close)
        super().on_response_complete()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Keep our side open while an answer is owed."""
        cycle = self.cycle
        owed = cycle is not None and not cycle.response_complete and not cycle.more_body
        if owed:
            cycle.keep_alive = False
        return owed

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP."""
        if self._parsed > _HEAD:
            self._refuse(431, f"the head of the request has more than {_HEAD:,} bytes")
        else:
            self._refuse(400, "this is not HTTP/1.1")

    def _refuse(self, status: int, detail: str) -> None:
        """Answer without the application, and close."""
        body = Problem(status, detail).body()
        phrase = HTTPStatus(status).phrase
        head = (
            f"HTTP/1.1 {status} {phrase}\r\ncontent-type: {PROBLEM_JSON}\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode("ascii") + body)
        self.transport.close()

    def _start_timer(self) -> None:
        self._timer = self.loop.call_later(self._seconds, self._late)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _late(self) -> None:
        if self.transport.is_closing():
            return
        if self._in_head:
            self._refuse(408, f"no request within {self._seconds:g} seconds")
        else:
            self.transport.close()  # a connection that was never used
