"""What was meant: files in each other's place, names that are nearly right, texts for files.

Mistakes are told by the content of files, before anything is read or learned. Nothing here is slow
to import, as ``linnet predict`` needs it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence

from linnet.errors import DataError, ParameterError

__all__ = [
    "check_data",
    "check_format_name",
    "check_places",
    "check_swapped",
    "did_you_mean",
    "is_model",
    "near_files",
    "tell_terminal",
]

_MODEL = b'{"__metadata__":{"linnet_format"'
_FOREIGN = (".bin", ".ftz", ".crfsuite", ".model")  # elsewhere nobody is asked, which takes time
_HEAD = 512
_NEAR = 0.65  # how alike names must be for one to be meant by the other, from 0 to 1


def is_model(path: str, *, foreign: bool = True) -> bool:
    """Tell by its content whether a file is a model, linnet's or, with `foreign`, of others.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "a.tsv"
    >>> _ = path.write_text("pos\\ta film")
    >>> is_model(str(path))
    False
    """
    if not os.path.isfile(path):  # what a pipe gives is given once
        return False
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    if head[8 : 8 + len(_MODEL)] == _MODEL:
        return True
    if not foreign:
        return False
    from linnet.foreign import format_of

    return format_of(head) is not None


def check_data(data: str) -> None:
    """Refuse a model, or a folder, in the place of data."""
    if data == "-":
        return
    if os.path.isdir(data):
        raise DataError(f"{data} is a folder; name a file")
    if is_model(data, foreign=os.path.splitext(data)[1] in _FOREIGN):
        raise DataError(f"{data} is a model, not data; linnet inspect shows what is inside")


def check_places(verb: str, model: str, files: Sequence[str]) -> None:
    """Refuse data in the place of the model, and a model among the data."""
    check_swapped(verb, model, files)
    if not os.path.isfile(model) or is_model(model):  # else the loader says what the file is
        for file in files:
            check_data(file)


def check_swapped(verb: str, model: str, others: Sequence[str]) -> None:
    """Refuse what is no model in the place of the model, when a model stands elsewhere."""
    if not os.path.isfile(model) or is_model(model):
        return
    swapped = next((one for one in others if os.path.isfile(one) and is_model(one)), None)
    if swapped is not None:
        raise DataError(
            f"{model} is no model, but {swapped} is one; the model comes first: "
            f"linnet {verb} {swapped} {model}"
        )


def near_files(path: str) -> str:
    """Return a question that names a file of nearly that name in its folder; empty if none is.

    Names are compared without their folder and their endings, so that what two paths have in
    common for other reasons makes nothing alike. Folders and hidden files are nobody's data.

    Examples
    --------
    >>> folder = getfixture("tmp_path")
    >>> (folder / "reviews.tsv").touch(), (folder / "b.tsv").touch()
    (None, None)
    >>> near_files(str(folder / "reveiws.csv")).endswith("reviews.tsv?")
    True
    >>> near_files(str(folder / "a.tsv"))
    ''
    """
    folder, name = os.path.split(path)
    try:
        with os.scandir(folder or ".") as there:
            files = [one.name for one in there if one.name[0] != "." and one.is_file()]
    except OSError:
        return ""
    beginnings: dict[str, str] = {}  # the shortest ending comes first
    for file in sorted(files, key=lambda file: (_ending(file) != _ending(name), len(file), file)):
        beginnings.setdefault(_beginning(file), file)
    near = _nearest(_beginning(name), beginnings)
    return f"; did you mean {os.path.join(folder, beginnings[near])}?" if near else ""


def _beginning(name: str) -> str:
    return name.split(".", 1)[0].lower()


def _ending(name: str) -> str:
    return name.partition(".")[2]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question that names the nearest of some names; empty if none is near.

    Examples
    --------
    >>> did_you_mean("pydok", ["pydoc", "iris"]), did_you_mean("xyz", ["pydoc"])
    ('; did you mean pydoc?', '')
    """
    near = _nearest(name, known)
    return f"; did you mean {near}?" if near else ""


def _nearest(name: str, known: Iterable[str]) -> str | None:
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, list(known), 1, _NEAR)), None)


def check_format_name(name: str | None) -> None:
    """Refuse a format that neither texts, nor sentences, nor rows of values are read from."""
    if name is None:
        return
    from linnet.data.formats import FORMATS, SEQUENCE_FORMATS
    from linnet.data.rows import ROW_FORMATS

    kinds = {"texts": FORMATS, "sentences": SEQUENCE_FORMATS, "rows of values": ROW_FORMATS}
    known = {format for formats in kinds.values() for format in formats}
    if name not in known:
        listed = "; for ".join(f"{kind}: {', '.join(names)}" for kind, names in kinds.items())
        near = did_you_mean(name, sorted(known))
        raise ParameterError(f"there is no format {name!r}; for {listed}{near}")


def tell_terminal(what: str, quiet: bool = False) -> None:
    """Say that standard input is awaited, if it is a terminal: else it looks like hanging."""
    if not quiet and sys.stdin.isatty():
        print(f"reading {what} from the terminal; Ctrl-D ends it", file=sys.stderr, flush=True)
