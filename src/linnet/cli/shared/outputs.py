"""What verbs write: looked at before any work begins, by one rule for all of them.

No output is an input, two outputs are two files, each can be written, and a file that is there
already is replaced only if linnet has written it, as far as one can see, or with ``--force``. One
can see it of models, pages and comparisons, which carry linnet's mark; of a list of answers not.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Any

from linnet.cli.shared.console import shown
from linnet.data.replacing import check_place, file_number
from linnet.errors import DataError, ParameterError

__all__ = ["check_outputs", "is_ours", "keep_inputs"]

#: A file, ``-`` for a standard stream, or None for what was not asked for.
Name = str | os.PathLike[str] | None
_HEAD = 1 << 12
_MARKS = (
    b'"__metadata__":{"linnet_format"',
    b'<meta name="generator" content="linnet',
    b'"linnet": "',
    b"Software\x00linnet",  # of a picture
)


def check_outputs(
    outputs: Iterable[Name], inputs: Iterable[Name], *, devices: bool = True, force: bool = True
) -> None:
    """Refuse outputs that cannot be written, those that are inputs, and what others have written.

    Parameters
    ----------
    outputs, inputs : iterable of str, path-like or None
    devices : bool
        Whether a pipe or a device, such as ``/dev/stdout``, can be written to.
    force : bool
        Whether files may be replaced that are not linnet's.

    Raises
    ------
    OSError
        When nothing can be written in a place.
    DataError
        When an output is the same file as an input, however it is spelled and linked, or when it
        is there and not to be replaced.
    """
    named = [os.fspath(output) for output in outputs if output is not None]
    keep_inputs(named, inputs)
    for output in named:
        if output == "-":
            continue
        target = check_place(output)
        if not devices and os.path.exists(target) and not os.path.isfile(target):
            raise DataError(f"{output} is a pipe or a device, and this needs a file; name one")
        if not force and os.path.isfile(target) and not is_ours(target):
            raise DataError(
                f"{output} is already there, and one cannot see that linnet wrote it; name another "
                "output, or replace it with --force"
            )


def is_ours(path: str) -> bool:
    """Tell whether a file is empty or carries linnet's mark.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "notes.txt"
    >>> _ = path.write_text("")
    >>> is_ours(str(path)), path.write_text("to do"), is_ours(str(path))
    (True, 5, False)
    """
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    return not head or any(mark in head for mark in _MARKS)


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
        return file_number(os.fstat(stream.fileno()) if name == "-" else os.stat(name or ""))
    except (OSError, ValueError, AttributeError):  # a stream may be closed or no file at all
        return None
