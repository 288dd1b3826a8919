"""The service as a process: models checked first, then workers that have a folder in common."""

from __future__ import annotations

import logging
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from linnet.serve.app import application
from linnet.serve.models import Shelf
from linnet.serve.server import Listening, run
from linnet.serve.service import Settings

__all__ = ["serve"]


@dataclass(frozen=True)
class _Factory:
    """Makes the application in each worker; pickle takes it."""

    settings: Settings

    def __call__(self) -> Any:
        _tell_on_stderr()
        return application(self.settings)


def serve(settings: Settings, listening: Listening, say: Callable[[str], None]) -> None:
    """Serve models until the process is told to stop.

    Parameters
    ----------
    settings : Settings
    listening : Listening
    say : function of a sentence
        Called when the service listens.

    Raises
    ------
    LinnetError or OSError
        When a model cannot be loaded, or the address is taken.
    """
    with tempfile.TemporaryDirectory(prefix="linnet-serve-") as folder:
        names = [served.name for served in Shelf(settings.files, folder)]  # refuse bad ones now
        run(
            _Factory(replace(settings, folder=folder)),
            listening,
            lambda url: say(f"serving {', '.join(names)} at {url}; stop with Ctrl-C"),
        )


def _tell_on_stderr() -> None:
    """Print what the service says of itself, in the way of the command line."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("linnet: %(message)s"))
    for name in ("linnet.serve", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.WARNING)
