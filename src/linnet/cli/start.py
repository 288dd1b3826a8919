"""Where the command starts and how it ends: one way to fail, and to warn, for all verbs.

Exit codes: 0 all went well, 1 an error (one line on standard error), 2 the command was not
understood, 130 interrupted. A reader that closes the pipe early is not an error.

A prediction without options has nothing to parse, so it starts without the parser; reading one
line through a pipe then takes little longer than importing NumPy.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from linnet.errors import LinnetError

__all__ = ["guarded", "main", "silence"]

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# How scikit-learn begins, and what its sentence means to those who have a file and no program.
_IN_OUR_WORDS = {
    "The number of unique classes is greater than 50%": "there are hardly more examples than "
    "labels, so there is little to learn from; if these are no labels, name their column with "
    "--label",
}
# The library speaks of its parameters, the command of its options.
_OPTIONS = {
    "pass the file's encoding (such as 'latin-1'), or errors='replace' to read it as U+FFFD":
    "name its encoding, such as --encoding latin-1, or read it as U+FFFD with --errors replace",
    "pass encoding='utf-16'": "pass --encoding utf-16",
    "pass errors='replace'": "pass --errors replace",
    "the suffix names no format; pass one of":
    "its ending names no format that is written; the formats are",
    "pass text=": "name it with --text",
    "pass the format": "name its format with --format",
    "pass format='tsv'": "pass --format tsv",
    "pass format='c45'": "pass --format c45",
    "min_df=": "--min-df ",
    "pass quoting=True": "read it in Python with quoting=True",
    "pass zero_based=True": "read it in Python with zero_based=True",
    "pass nulls='empty'": "read it in Python with nulls='empty'",
    "pass comments='#'": "read it in Python with comments='#'",
    "pass zero_as_outside=True": "read it in Python with zero_as_outside=True",
}  # fmt: skip
_WITH_FROM = ("convert", "predict", "suggest")  # their --format is that of the output


def main() -> None:
    """Run the command line; what went wrong is said in one line."""
    signal.signal(signal.SIGTERM, _terminate)
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, _terminate)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where it is ignored
        signal.signal(signal.SIGINT, _leave)
    verb, *arguments = sys.argv[1:] or [""]
    if verb == "predict" and arguments and not _needs_parsing(arguments):
        from linnet.cli.predict import command

        sys.exit(guarded(lambda: command(arguments[0], arguments[1:]), lambda: verb))
    from linnet.cli.app import app

    sys.exit(guarded(lambda: app(prog_name="linnet")))


def _terminate(number: int, frame: FrameType | None) -> None:
    """Unwind, so that no half file stays; not before a module is imported that is being imported.

    Python's compiler keeps to itself what a signal raises while it works: the signal would be lost.
    """
    while frame is not None and hasattr(signal, "setitimer"):
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            return
        frame = frame.f_back
    sys.exit(143)


def _leave(*_: object) -> None:
    """End at once: while modules are imported there is nothing to unwind, only to show."""
    print("linnet: interrupted", file=sys.stderr, flush=True)
    os._exit(130)


def _needs_parsing(arguments: list[str]) -> bool:
    options = any(part.startswith("-") and part != "-" for part in arguments)
    return options or "_LINNET_COMPLETE" in os.environ


def guarded(action: Callable[[], object], verb: Callable[[], str | None] = lambda: None) -> int:
    """Run the action and return the exit code; say in one line what went wrong.

    The verb is asked for when something has gone wrong: by then it is known.
    """
    started = signal.getsignal(signal.SIGINT) is _leave
    if started:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with _warnings_once():
            action()
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("linnet: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        _drop_output()
    except (LinnetError, OSError, MemoryError) as error:
        from linnet.cli.shared.console import say

        say(f"linnet: error: {_one_line(error, verb())}")
        if isinstance(error, OSError) and error.errno in _NO_ROOM and not error.filename:
            _drop_output()
        return 1
    finally:
        if started:
            signal.signal(signal.SIGINT, _leave)
    return 0


def _one_line(error: Exception, verb: str | None) -> str:
    text = _said(error)
    for theirs, ours in _OPTIONS.items():
        ours = ours.replace("--format", "--from") if verb in _WITH_FROM else ours
        text = text.replace(theirs, ours)
    return text


def _said(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return f"not enough memory {error}".rstrip()
    if isinstance(error, FileNotFoundError) and error.filename:
        from linnet.cli.shared.hints import near_files

        name = os.fsdecode(error.filename)
        return f"{name}: {error.strerror}{near_files(name)}"
    if isinstance(error, FileExistsError) and error.filename:
        return f"{os.fsdecode(error.filename)} is a file, and this writes a folder; name another"
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        return f"standard output: {error.strerror}"  # files name themselves
    return " ".join(str(error).split("\n"))


def _drop_output() -> None:
    """Send what is still buffered nowhere, so that Python's exit is silent."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):  # standard output is not a file
        pass


@contextmanager
def _warnings_once() -> Iterator[None]:
    """Print warnings of the block on standard error, equal ones once."""
    told: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        from linnet.data.terminal import escaped

        text = " ".join(str(message).split())
        for start, ours in _IN_OUR_WORDS.items():
            text = ours if text.startswith(start) else text
        if text not in told:
            told.add(text)
            print(f"linnet: warning: {escaped(text)}", file=sys.stderr, flush=True)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def silence(quiet: bool) -> bool:
    """Print no warnings from here to the end of the block of :func:`guarded`."""
    if quiet:
        warnings.showwarning = lambda *_, **__: None
    return quiet
