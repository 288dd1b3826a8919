"""The kinds of data: texts, rows of values, sentences. A verb is written once, against `Kind`.

Which kind a file holds is found out in one place, :func:`recognise`; which kind a model was
trained on is in the model. Options that mean nothing for a kind are refused in one place too.
Nothing here is slow to import, as ``linnet predict`` needs it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from linnet.cli.kinds.kind import Kind
from linnet.cli.shared.console import shown
from linnet.cli.shared.hints import tell_terminal
from linnet.errors import DataError, ParameterError

__all__ = [
    "Recognised",
    "check_target",
    "checked_model",
    "copies_in_words",
    "files_beside",
    "head_as_utf8",
    "kind_of",
    "open_model",
    "opened",
    "recognise",
    "recognise_examples",
]

_HEAD = 1 << 17
_KINDS = {  # by the kind of a model; else texts
    "sequence": "Sentences", "row": "Rows", "columns": "Columns",
}  # fmt: skip
_MODULES = {"Sentences": "sentences", "Rows": "rows", "Columns": "columns"}


@dataclass(frozen=True)
class Recognised:
    """What a file holds, what to read it from, and what was found out about its columns."""

    kind: Kind
    data: str
    source: Any
    plan: Any = None

    @property
    def contents(self) -> Any:
        """The module that shows and converts such a file."""
        return import_module(self.kind.contents)


def recognise(
    data: str,
    reading: dict[str, Any],
    *,
    ignore: Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
) -> Recognised:
    """Find out what a file holds: sentences, else rows of values, else texts.

    Parameters
    ----------
    data : str
        A file; ``-`` is standard input, whose start is read and given back by the source.
    reading : dict
        What the command line says: format, text, label, delimiter and encoding.
    ignore : list of str, optional
        Columns to leave out; with any, the file is one of rows.
    columns : dict, optional
        What some columns of a table hold; with any, these are what is read.
    """
    source: Any = data
    if columns:
        return Recognised(_kind("Columns")(), data, data)
    if not ignore:
        from linnet.cli.kinds.sentence_files import open_sequences

        source, sequences = open_sequences(data, reading)
        if sequences is not None:
            return Recognised(_kind("Sentences")(), data, source, sequences)
    from linnet.cli.kinds.row_files import find_rows

    source, plan = find_rows(data, source, reading, ignore)
    if plan is not None:
        return Recognised(_kind("Rows")(), data, source, plan)
    return Recognised(_kind("Texts")(), data, source)


def recognise_examples(
    data: str, reading: dict[str, Any], examples: Any = None, *, sentences: bool = False
) -> Recognised:
    """Find out whether a file that is shown or converted holds rows; else it is read as texts.

    Standard input is looked at only when a format of rows is named. `examples` are those of a
    built-in set, which is no file. With `sentences` a file of them is recognised, too.
    """
    from linnet.cli.kinds.row_files import ROW_FORMATS

    if examples is not None:
        return Recognised(_kind("Texts")(), data, examples)
    if reading["format"] in ROW_FORMATS or (data != "-" and os.path.isfile(data)):
        file = recognise(data, reading)
        kinds = ("Rows", "Sentences") if sentences else ("Rows",)
        if isinstance(file.kind, tuple(map(_kind, kinds))):
            return file
    return Recognised(_kind("Texts")(), data, data)


def kind_of(model: Any, name: str = "") -> Kind:
    """Return the kind of data a model was trained on, with the model."""
    kind = _KINDS.get(model.kind, "Texts")
    if kind == "Texts" and hasattr(model, "learner_"):
        kind = "LearnerTexts"
    return _kind(kind)(model, name)


def _kind(name: str) -> type[Kind]:
    module = import_module(f"linnet.cli.kinds.{_MODULES.get(name, 'texts')}")
    kind: type[Kind] = getattr(module, name)
    return kind


def open_model(path: str, threads: int | None = None, *, texts: bool = False) -> Kind:
    """Load a model file and check that it predicts; with `texts`, that it reads files of texts."""
    from linnet.model.file import load

    return checked_model(load(path), path, threads, texts=texts)


def checked_model(model: Any, path: str, threads: int | None = None, *, texts: bool) -> Kind:
    """Check what a file held, as :func:`open_model` does."""
    kind = getattr(model, "kind", None)
    if texts and kind in ("sequence", "row"):
        name = kind_of(model).model_name
        raise DataError(f"{path} holds {name}; this needs a classifier of texts")
    if kind != "sequence" and not hasattr(model, "predict_top"):
        raise DataError(
            f"{path} holds a {type(model).__name__}, which gives no labels; "
            "use it from Python with linnet.load, or train a model with linnet train"
        )
    if threads is not None:
        model.n_threads = threads
    return kind_of(model, path)


def opened(data: str) -> tuple[Any, bytes]:
    """Return a source that gives all of the data, and its first bytes.

    What cannot be read twice, such as standard input or a named pipe, is opened once.
    """
    from linnet.data.files import STREAM_ERRORS, broken_archive, open_bytes
    from linnet.data.formats.blocks import Prefixed

    if data != "-" and Path(data).is_file():
        with open_bytes(data) as file:
            try:
                return data, file.read(_HEAD)
            except STREAM_ERRORS as error:
                raise broken_archive(error, data, 1) from error
    if data == "-":
        tell_terminal("data")
    file = sys.stdin.buffer if data == "-" else open_bytes(data)
    head = file.read1(_HEAD) if hasattr(file, "read1") else file.read(_HEAD)
    return Prefixed(head, file, shown(data), owned=data != "-"), head


def head_as_utf8(head: bytes, encoding: str) -> bytes:
    """Return the whole lines of a file's first bytes in UTF-8.

    Raises
    ------
    LookupError
        When there is no such encoding.
    """
    text = head.decode(encoding, "ignore").removeprefix("\ufeff").encode("utf-8", "ignore")
    return text if len(head) < _HEAD else text[: text.rfind(b"\n") + 1] or text


def files_beside(data: str) -> list[str]:
    """Return the files that are read with the data: the names of C4.5."""
    from linnet.data.rows import names_beside

    beside = names_beside(data)
    return [] if beside is None else [beside]


def copies_in_words(n: int, total: int, what: str) -> str:
    """Say how many examples are copies of others."""
    from linnet.data.copies import in_words

    return in_words(n, total, what)


def check_target(target: str, format: str | None) -> None:
    """Refuse to write a file in a format that is none."""
    from linnet.cli.kinds.row_files import ROW_FORMATS, row_format
    from linnet.data.formats import FORMATS, format_of_suffix
    from linnet.data.writing import format_to_write

    if row_format(target, format) is not None:
        return
    known = ", ".join(sorted({*FORMATS, *ROW_FORMATS}))
    if format is not None and format not in FORMATS:
        raise ParameterError(f"--to must be one of {known}, got {format!r}")
    if format is None and format_of_suffix(target) is None:
        where = "standard output has" if target == "-" else f"{target}: its ending names"
        raise ParameterError(f"{where} no format that is written; name one with --to: {known}")
    format_to_write(target, format)
