"""What every request passes: who may ask, what is counted and logged, how errors are told."""

from __future__ import annotations

import hmac
import json
import logging
import sys
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

from linnet.serve.errors import PROBLEM_JSON, Problem, problem_of
from linnet.serve.service import Service

__all__ = ["Gate", "host_name", "send_problem"]

_OPEN = ("/", "/health", "/ready")  # for those who watch over the service, and the page
_LOG = logging.getLogger("linnet.serve")


class Gate:
    """Stands before the application.

    Parameters
    ----------
    app : the application behind it
    service : Service
    paths : set of str
        Those that are counted by their names; all others are counted together.
    verbs : dict of paths and applications
        What is posted to these does not go through the router, which takes as long as they do.
    """

    def __init__(
        self, app: Any, service: Service, paths: frozenset[str], verbs: dict[str, Any]
    ) -> None:
        self._app, self._service, self._paths, self._verbs = app, service, paths, verbs
        settings = service.settings
        self._token = None if settings.token is None else settings.token.encode()
        self._hosts = frozenset(host.encode() for host in settings.hosts)
        self._log = settings.log or settings.log_text

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = perf_counter(), 0
        note: dict[str, Any] = {}
        scope["linnet"] = note

        async def noted(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            self._check(scope)
            verb = self._verbs.get(scope["path"]) if scope["method"] == "POST" else None
            await (verb or self._app)(scope, receive, noted)
        except Exception as error:
            problem = problem_of(error)
            if problem.status >= 500 and not isinstance(error, Problem):
                _LOG.error("%s %s failed", scope["method"], scope["path"], exc_info=error)
            if not status:  # else it is too late for another answer: the connection breaks off
                await send_problem(noted, problem)
        finally:
            seconds = perf_counter() - began
            self._service.metrics.request(self._counted(scope["path"]), status, seconds)
            if self._log:
                self._write(scope, status, seconds, note)

    def _check(self, scope: Any) -> None:
        """Refuse those who may not ask."""
        if self._token is None and not self._hosts:
            return
        headers = dict(scope["headers"])
        if self._token is not None:
            scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
            right = hmac.compare_digest(given, self._token) and scheme.lower() == b"bearer"
            if not right and scope["path"] not in _OPEN:
                raise Problem(
                    401,
                    "this needs the token of the service: Authorization: Bearer …",
                    headers={"www-authenticate": "Bearer"},
                )
        elif host_name(headers.get(b"host", b"")) not in self._hosts:
            # A page of another site that gives its own name our address gets no answer.
            raise Problem(421, "this service is called by another name; use its address")

    def _counted(self, path: str) -> str:
        if path in self._paths:
            return path
        return "/models/{name}" if path.startswith("/models/") else "other"

    def _write(self, scope: Any, status: int, seconds: float, note: dict[str, Any]) -> None:
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "client": (scope.get("client") or [None])[0],
            "method": scope["method"],
            "path": scope["path"],
            "status": status,
            "milliseconds": round(1000 * seconds, 3),
            **note,
        }
        print(json.dumps(line), file=sys.stdout, flush=True)


def host_name(value: bytes) -> bytes:
    """Return the name in a Host header, without the port."""
    if value.startswith(b"["):
        return value.partition(b"]")[0] + b"]"
    return value.partition(b":")[0].lower()


async def send_problem(send: Any, problem: Problem) -> None:
    """Send a refusal."""
    body = problem.body()
    more = [(name.encode(), value.encode()) for name, value in problem.headers.items()]
    media = (b"content-type", PROBLEM_JSON.encode())
    headers = [media, (b"content-length", b"%d" % len(body)), *more]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
