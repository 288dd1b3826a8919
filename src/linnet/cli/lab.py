"""``linnet lab``: algorithms watched in a browser."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from linnet.cli.shared.console import say
from linnet.cli.shared.hints import near_files
from linnet.cli.shared.options import FORCE, OUTPUT, QUIET, argument, option
from linnet.cli.shared.outputs import check_outputs
from linnet.errors import ParameterError

__all__ = ["EPILOG", "command"]

EPILOG = (
    "Examples: [bold]linnet lab[/bold] · [bold]linnet lab reviews.linnet[/bold] · "
    "[bold]linnet lab --link '#plane?data=xor' --export page.html[/bold]"
)

_MODEL = argument("MODEL", "Model file to look into.", None)
_HOST = option("--host ADDRESS", "Address to listen on.", OUTPUT, "127.0.0.1")
_PORT = option("--port N", "Port; 0 takes a free one.", OUTPUT, 8010, min=0, max=65535)
_LINK = option("--link LINK", "What to export: a link as the page shows it.", OUTPUT, "")
_EXPORT = option("--export FILE", "Write a page that needs no server, and stop.", OUTPUT)


def command(
    model: str | None = _MODEL,
    host: str = _HOST,
    port: int = _PORT,
    link: str = _LINK,
    export: str | None = _EXPORT,
    force: bool = FORCE,
    quiet: bool = QUIET,
) -> None:
    """Watch learners, solvers and decoders at work, in a browser.

    What the page shows is computed by this library, step by step. A link of the page says all
    that it shows. It listens on this machine only unless told otherwise; the link then has a
    token that strangers do not know.
    """
    path = None if model is None else Path(model)
    if path is not None and not path.is_file():
        raise ParameterError(f"there is no model file {model}{near_files(str(model))}")
    if export is not None:
        from linnet.data.files import write_atomically
        from linnet.lab.export import export_link

        check_outputs([export], [model], force=force)
        _check_model(path)
        page = export_link(link, path)
        with write_atomically(export) as file:
            file.write(page)
        return
    if link:
        raise ParameterError("--link says what --export writes; give both, or open the link")
    if not all(map(find_spec, ("starlette", "uvicorn", "httptools"))):
        raise ParameterError(
            "linnet lab needs starlette and uvicorn: pip install linnet[serve] brings them"
        )
    _check_model(path)
    _listen(path, host, port, quiet)


def _check_model(model: Path | None) -> None:
    """Tell what is no model here, and not in the browser."""
    if model is not None:
        from linnet.model.file import load

        load(model)


def _listen(model: Path | None, host: str, port: int, quiet: bool) -> None:
    from secrets import token_urlsafe

    from linnet.lab.app import Lab, application
    from linnet.serve.server import Listening, allowed_hosts, is_loopback, run

    token = None if is_loopback(host) else token_urlsafe(16)
    lab = Lab(model, token, allowed_hosts(host, token))

    def started(url: str) -> None:
        link = f"{url}/" if token is None else f"{url}/{token}/"
        say(f"open {link} in a browser; stop with Ctrl-C", quiet)

    def made() -> Any:
        return application(lab)

    run(made, Listening(host, port, guarded=token is not None), started)
