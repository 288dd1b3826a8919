"""What a command will write, looked at before it does any work: no input is ever overwritten."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable
from typing import Any

from linnet.cli.helpers import shown
from linnet.data.replacing import place_to_write
from linnet.errors import DataError, ParameterError

__all__ = ["check_outputs", "keep_inputs"]

#: A file, ``-`` for a standard stream, or None for what was not asked for.
Name = str | os.PathLike[str] | None


def check_outputs(outputs: Iterable[Name], inputs: Iterable[Name], *, devices: bool = True) -> None:
    """Refuse outputs that cannot be written, and those that are inputs.

    Parameters
    ----------
    outputs, inputs : iterable of str, path-like or None
    devices : bool
        Whether a pipe or a device, such as ``/dev/stdout``, can be written to.

    Raises
    ------
    OSError
        When nothing can be written in a place.
    DataError
        When an output is the same file as an input, however it is spelled and linked.
    """
    named = [os.fspath(output) for output in outputs if output is not None]
    keep_inputs(named, inputs)
    for output in named:
        if output == "-":
            continue
        target = place_to_write(output)
        if not devices and os.path.exists(target) and not os.path.isfile(target):
            raise DataError(f"{output} is a pipe or a device, and this needs a file; name one")


def keep_inputs(outputs: Iterable[Name], inputs: Iterable[Name]) -> None:
    """Refuse to write over an input, and to write two outputs into one file."""
    read = {_file(name, sys.stdin): name for name in map(_spelled, inputs)}
    written: dict[str, str] = {}
    for output in map(_spelled, outputs):
        there = _file(output, sys.stdout)
        if output is None:
            continue
        if there is not None and there in read:
            also = "" if read[there] == output else f" ({shown(read[there] or '')})"
            what = "standard output" if output == "-" else output
            raise DataError(f"{what} is the input itself{also}; name another output")
        place = os.path.normcase(os.path.realpath(output))
        if place in written:
            raise ParameterError(f"{written[place]} and {output} are one file; outputs need two")
        written[place] = output


def _spelled(name: Name) -> str | None:
    return None if name is None else os.fspath(name)


def _file(name: str | None, stream: Any) -> tuple[int, int] | None:
    """Return the number of a plain file on its disk; None for anything else."""
    try:
        found = os.fstat(stream.fileno()) if name == "-" else os.stat(name or "")
    except (OSError, ValueError, AttributeError):  # a stream may be closed or no file at all
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None
