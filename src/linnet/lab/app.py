"""The application of the lab: a page, its modules, and a question for each view.

Whatever is asked passes :class:`Door`, which knows whether a browser asks on behalf of another
site. The page may load its own modules and ask its own server, and nothing else.
"""

from __future__ import annotations

import hmac
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from linnet.lab.export import exported, files, index, policy, reference
from linnet.lab.pages import POLICY, page
from linnet.lab.views import TITLES, ask, spelled
from linnet.serve.errors import Problem, problem_of
from linnet.serve.gate import host_name, send_problem
from linnet.serve.limits import Admission, Limits, read_body

__all__ = ["Lab", "application"]

_LOG = logging.getLogger("linnet.lab")
_MEDIA = {".js": "text/javascript", ".css": "text/css"}
_HEADERS = {
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
_MOST_ANSWERS = 16  # of an exported page


@dataclass(frozen=True)
class Lab:
    """What the lab shows, and to whom.

    Attributes
    ----------
    model : Path or None
        The model file of the view of models.
    token : str or None
        The first part of every path, known to those who were given the link.
    hosts : tuple of str
        The names by which the lab may be called; empty allows all, for a lab with a token.
    limits : Limits
    """

    model: Path | None = None
    token: str | None = None
    hosts: tuple[str, ...] = ()
    limits: Limits = field(default_factory=lambda: Limits(body=4_000_000, concurrency=8))


def application(lab: Lab) -> Starlette:
    """Return the application of the lab."""
    answers = _Answers(lab)
    base = "" if lab.token is None else f"/{lab.token}"
    routes = [
        Route(f"{base}/", answers.page),
        Route(f"{base}/page/{{file}}", answers.file),
        Route(f"{base}/reference/{{name}}", answers.reference),
        Route(f"{base}/docs/{{name:path}}", answers.docs),
        Route(f"{base}/ask/{{view}}", answers.ask, methods=["POST"]),
        Route(f"{base}/export", answers.export, methods=["POST"]),
    ]

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield

    app = Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=[Middleware(Door, lab=lab)],
        exception_handlers={HTTPException: _refuse},
    )
    app.router.redirect_slashes = False
    return app


async def _refuse(request: Request, error: Exception) -> Response:
    """Refuse what the router does not know."""
    assert isinstance(error, HTTPException)
    raise Problem(error.status_code, f"the lab does not answer {request.method} there")


class Door:
    """Lets in what this machine's own page asks, or those who know the token."""

    def __init__(self, app: Any, lab: Lab) -> None:
        self._app = app
        self._token = None if lab.token is None else lab.token.encode()
        self._hosts = frozenset(host.encode() for host in lab.hosts)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            self._check(scope)
            await self._app(scope, receive, send)
        except Exception as error:
            problem = problem_of(error)
            if problem.status >= 500 and not isinstance(error, Problem):
                _LOG.error("%s %s failed", scope["method"], scope["path"], exc_info=error)
            await send_problem(send, problem)

    def _check(self, scope: Any) -> None:
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"")
        if self._hosts and host_name(host) not in self._hosts:
            # A page of another site that gives its own name our address gets no answer.
            raise Problem(421, "the lab is called by another name; use its address")
        origin = headers.get(b"origin")
        if origin is not None and origin != b"http://" + host:
            raise Problem(403, "the lab answers its own page only, and this is another")
        site = headers.get(b"sec-fetch-site", b"none")
        if site not in (b"same-origin", b"none") and not _is_visit(scope, headers):
            raise Problem(403, "the lab answers its own page only, and this is another")
        first = scope["path"].encode().split(b"/")[1]
        if self._token is not None and not hmac.compare_digest(first, self._token):
            raise Problem(404, "there is nothing here; the link of the lab has a token")


def _is_visit(scope: Any, headers: dict[bytes, bytes]) -> bool:
    """Tell whether somebody follows a link to the page, which changes nothing and tells nothing."""
    return scope["method"] == "GET" and headers.get(b"sec-fetch-mode") == b"navigate"


class _Answers:
    """What stands behind each path."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._asked = Admission(lab.limits.concurrency, "questions")

    async def page(self, request: Request) -> Response:
        html = index({"views": TITLES, "model": self._lab.model is not None})
        return _response(html, "text/html", {"content-security-policy": policy(html)})

    async def file(self, request: Request) -> Response:
        name = request.path_params["file"]
        if name not in files():
            raise Problem(404, f"the page has no file {name[:100]}")
        return _response(files()[name], _MEDIA[Path(name).suffix])

    async def reference(self, request: Request) -> Response:
        return _response(reference(request.path_params["name"]), "text/plain")

    async def docs(self, request: Request) -> Response:
        text = page(request.path_params["name"])
        return _response(text, "text/html", {"content-security-policy": POLICY})

    async def ask(self, request: Request) -> Response:
        settings = await self._document(request)
        view = request.path_params["view"]
        if view not in TITLES:
            raise Problem(404, f"there is no view {view[:100]}; there are {', '.join(TITLES)}")
        with self._asked:
            answer = await run_in_threadpool(self._spelled, view, settings)
        return _response(answer, "application/json")

    async def export(self, request: Request) -> Response:
        wanted = await self._document(request)
        view, state, asked = (wanted.get(name) for name in ("view", "state", "asked"))
        if not (isinstance(state, dict) and isinstance(asked, list) and view in TITLES):
            raise Problem(422, "an export needs a view, its state and what it asked")
        if len(asked) > _MOST_ANSWERS or not all(isinstance(one, dict) for one in asked):
            raise Problem(422, f"an export takes at most {_MOST_ANSWERS} questions, as objects")
        with self._asked:
            html = await run_in_threadpool(exported, view, state, asked, self._lab.model)
        name = {"content-disposition": f'attachment; filename="linnet-{view}.html"'}
        return _response(html, "text/html", name)

    def _spelled(self, view: str, settings: dict[str, Any]) -> str:
        return spelled(ask(view, settings, self._lab.model))

    async def _document(self, request: Request) -> dict[str, Any]:
        """Return the object that was sent; a form of another site cannot send this type."""
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            raise Problem(415, "the lab takes application/json")
        body = await read_body(dict(request.headers.raw), request.receive, self._lab.limits)
        try:
            document = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise Problem(400, f"this is no JSON: {error}") from error
        if not isinstance(document, dict):
            raise Problem(400, "the lab takes an object of settings")
        return document


def _response(text: str, media: str, headers: dict[str, str] | None = None) -> Response:
    return Response(text, headers={**_HEADERS, **(headers or {})}, media_type=media)
