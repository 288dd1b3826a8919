"""``linnet serve``: models behind HTTP."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from linnet.cli.shared.console import parse_size, say
from linnet.cli.shared.options import INPUT, OUTPUT, QUIET, THREADS, Options, argument, option
from linnet.errors import ParameterError

__all__ = ["EPILOG", "command"]

EPILOG = (
    "Examples: [bold]linnet serve reviews.linnet[/bold] · "
    "[bold]linnet serve spam.linnet ner=crf.linnet --workers 2 --port 9000[/bold] · "
    "[bold]LINNET_TOKEN=… linnet serve reviews.linnet --host 0.0.0.0[/bold]"
)


class Address(Options):
    """Where the service listens."""

    host: str = option("--host ADDRESS", "Address to listen on.", OUTPUT, "127.0.0.1")
    port: int = option("--port N", "Port; 0 takes a free one.", OUTPUT, 8000, min=0, max=65535)
    workers: int = option("--workers N", "Processes that answer.", OUTPUT, 1, min=1, max=256)
    token: str | None = option(
        "--token TEXT", "What clients must send; better set as LINNET_TOKEN.", OUTPUT,
        envvar="LINNET_TOKEN", show_envvar=False,
    )  # fmt: skip
    log: bool = option(
        "--log", "A line of JSON on standard output for each request.", OUTPUT, False
    )
    log_text: bool = option("--log-text", "The same, with what was asked.", OUTPUT, False)


class Bounds(Options):
    """What is refused."""

    max_body: str = option("--max-body SIZE", "Bytes of a request, or of a block.", INPUT, "8MB")
    max_batch: int = option("--max-batch N", "Examples in a request.", INPUT, 1000, min=1)
    max_text: int = option("--max-text N", "Characters or tokens of one.", INPUT, 100_000, min=1)
    concurrency: int = option("--concurrency N", "Requests at once.", INPUT, 512, min=1)
    timeout: float = option("--timeout SECONDS", "Until an answer is given up.", INPUT, 30.0)
    batch_wait: float = option(
        "--batch-wait MILLISECONDS",
        "How long to wait for requests to answer together; -1 answers each alone.",
        INPUT, 0.0,
    )  # fmt: skip


_MODELS = argument("MODEL", "Model files, each under its name or as name=FILE.")
_ADDRESS, _BOUNDS = Address(), Bounds()


def command(
    models: list[str] = _MODELS,
    address: Address = _ADDRESS,
    bounds: Bounds = _BOUNDS,
    threads: int | None = THREADS,
    quiet: bool = QUIET,
) -> None:
    """Answer questions about models over HTTP.

    POST /predict, /tag and /explain take JSON; / is a page to try them, /openapi.json describes
    them. A model file that is replaced is taken up while the service runs. It listens on this
    machine only unless told otherwise, and finishes what is under way when it is stopped.
    """
    if not all(map(find_spec, ("starlette", "uvicorn", "httptools"))):
        raise ParameterError(
            "linnet serve needs starlette and uvicorn: pip install linnet[serve] brings them"
        )
    if address.token == "":
        raise ParameterError("the token is empty; leave --token out, or give one")
    from linnet.serve.server import Listening
    from linnet.serve.start import serve

    listening = Listening(
        address.host, address.port, address.workers, bounds.timeout, address.token is not None
    )
    settings = _settings(models, address, bounds, threads)
    serve(settings, listening, lambda sentence: say(sentence, quiet))


def _settings(models: list[str], address: Address, bounds: Bounds, threads: int | None) -> Any:
    from linnet.serve.limits import Limits
    from linnet.serve.models import named_files
    from linnet.serve.server import allowed_hosts
    from linnet.serve.service import Settings

    return Settings(
        files=named_files(models),
        limits=Limits(
            body=parse_size(bounds.max_body),
            batch=bounds.max_batch,
            text=bounds.max_text,
            concurrency=bounds.concurrency,
            timeout=bounds.timeout,
        ),
        token=address.token,
        hosts=allowed_hosts(address.host, address.token),
        wait=None if bounds.batch_wait < 0 else bounds.batch_wait / 1000,
        threads=threads,
        log=address.log,
        log_text=address.log_text,
    )
