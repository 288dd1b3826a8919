"""From an application to a process that listens: address, workers, signals.

Nothing here knows what the application does, so that others than the service can start this way.
"""

from __future__ import annotations

import ipaddress
import signal
import socket
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from uvicorn import Server
from uvicorn.supervisors import Multiprocess

from linnet.errors import ParameterError
from linnet.serve.protocol import BoundedConfig

__all__ = ["Listening", "allowed_hosts", "configured", "is_loopback", "listen", "run"]

_KEEP_ALIVE = 75  # seconds, longer than those of the proxies that stand before services
_START = 120  # seconds: a worker that is still importing on a busy machine is not dead
_MOST_CONNECTIONS, _FILES_OF_OUR_OWN = 4096, 128


@dataclass(frozen=True)
class Listening:
    """Where and how a process listens.

    Attributes
    ----------
    host, port
        The address; port 0 takes a free one.
    workers : int
        Processes that answer.
    patience : float
        Seconds for the head of a request to arrive, and for what is under way at the end.
    guarded : bool
        Whether the application asks for a token.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    patience: float = 30.0
    guarded: bool = False


def is_loopback(host: str) -> bool:
    """Tell whether an address is that of the machine itself, out of reach from elsewhere.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def allowed_hosts(host: str, token: str | None) -> tuple[str, ...]:
    """Return the names by which a service without a token may be called; empty allows all."""
    if token is not None or not is_loopback(host):
        return ()
    return ("localhost", "127.0.0.1", "[::1]", f"[{host}]" if ":" in host else host)


def listen(listening: Listening) -> socket.socket:
    """Return a socket that listens; warn when anybody may reach it."""
    host = listening.host
    if not is_loopback(host) and not listening.guarded:
        warnings.warn(
            f"everybody who can reach {host} can use this service; set a token, or listen on "
            "127.0.0.1 behind a proxy",
            stacklevel=2,
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, listening.port), family=family, backlog=2048)
    except OSError as error:
        raise ParameterError(
            f"cannot listen on {host} port {listening.port}: {error.strerror}; choose another "
            "with --host and --port"
        ) from error


def run(
    factory: Callable[[], Any],
    listening: Listening,
    started: Callable[[str], None] = lambda url: None,
) -> None:
    """Serve an application until SIGINT or SIGTERM; what is under way then is finished.

    Parameters
    ----------
    factory : function
        Makes the application, once in each worker. With several workers it must be one that
        pickle takes, as they are new processes.
    listening : Listening
    started : function of the address
        Called when the socket listens.
    """
    sock = listen(listening)
    config = configured(factory, listening)
    host, port = sock.getsockname()[:2]
    with _signals_end_the_block(), sock:
        started(f"http://{f'[{host}]' if ':' in host else host}:{port}")
        if listening.workers == 1:
            Server(config).run(sockets=[sock])
        else:
            Multiprocess(config, sockets=[sock]).run()


def configured(factory: Callable[[], Any], listening: Listening) -> BoundedConfig:
    """Return what uvicorn is told."""
    return BoundedConfig(
        factory,
        factory=True,
        connections=_connections(),
        head_seconds=listening.patience,
        workers=listening.workers,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_worker_healthcheck=_START,
        timeout_graceful_shutdown=max(1, round(listening.patience)),
    )


def _connections() -> int:
    """Return how many connections fit into the files that the process may open."""
    if sys.platform == "win32":
        return _MOST_CONNECTIONS
    import resource

    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if soft == resource.RLIM_INFINITY:
        return _MOST_CONNECTIONS
    return max(16, min(_MOST_CONNECTIONS, soft - _FILES_OF_OUR_OWN))


@contextmanager
def _signals_end_the_block() -> Iterator[None]:
    """Let a signal that stopped the server pass: the server raises it once more when it is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {one: signal.signal(one, _nothing) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _nothing(*_: object) -> None:
    """Do nothing."""
