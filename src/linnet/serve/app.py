"""The application: which path is answered by whom."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from linnet.serve.answering import Verb
from linnet.serve.errors import PROBLEM_JSON, Problem
from linnet.serve.gate import Gate
from linnet.serve.kinds import encoded
from linnet.serve.openapi import describe
from linnet.serve.page import page
from linnet.serve.service import Service, Settings

__all__ = ["application"]

_PLAIN = "text/plain; version=0.0.4; charset=utf-8"


def application(settings: Settings) -> Starlette:
    """Return the application that serves models.

    Parameters
    ----------
    settings : Settings
        The models, and how they are served.

    Returns
    -------
    Starlette
        Its ``state.service`` is the :class:`~linnet.serve.service.Service`.

    Raises
    ------
    LinnetError or OSError
        When a model cannot be loaded.
    """
    service = Service(settings)
    views = _Views(service)
    verbs = {f"/{verb}": Verb(service, verb) for verb in ("predict", "tag", "explain")}
    routes = [
        *(Route(path, verb, methods=["POST"]) for path, verb in verbs.items()),
        Route("/", page),
        Route("/health", views.health),
        Route("/ready", views.ready),
        Route("/metrics", views.metrics),
        Route("/models", views.models),
        Route("/models/{name}", views.model),
        Route("/openapi.json", views.openapi),
    ]

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with service.running():
            yield

    paths = frozenset(route.path for route in routes)
    app = Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=[Middleware(Gate, service=service, paths=paths, verbs=verbs)],
        exception_handlers={HTTPException: _refused},
    )
    app.router.redirect_slashes = False
    app.state.service = service
    return app


class _Views:
    """What is shown of the service."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def health(self, request: Request) -> Response:
        return _json({"status": "alive"})

    async def ready(self, request: Request) -> Response:
        if not self._service.ready:
            raise Problem(503, "the service starts or stops")
        return _json({"status": "ready"})

    async def metrics(self, request: Request) -> Response:
        service = self._service
        return Response(service.metrics.text(service.requests.now), media_type=_PLAIN)

    async def models(self, request: Request) -> Response:
        return _json({"models": [served.to_dict() for served in self._service.models]})

    async def model(self, request: Request) -> Response:
        served = self._service.models[request.path_params["name"]]
        return _json({**served.to_dict(), "card": served.model.card()})

    async def openapi(self, request: Request) -> Response:
        settings = self._service.settings
        token = settings.token is not None
        return _json(describe(self._service.models, settings.limits, token=token))


def _json(value: Any) -> Response:
    return Response(encoded(value).encode("utf-8"), media_type="application/json")


async def _refused(request: Request, error: Exception) -> Response:
    """Tell what the router refuses: a path that is none, a method that is not taken."""
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        detail = f"there is nothing at {request.url.path[:100]}; see /openapi.json"
    else:
        detail = f"{request.method} is not answered at {request.url.path[:100]}"
    problem = Problem(error.status_code, detail, headers=error.headers)
    return Response(problem.body(), problem.status, problem.headers, PROBLEM_JSON)
