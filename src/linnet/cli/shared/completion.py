"""What the shell offers on Tab: learners, model files, the labels of a model, columns of a table.

Each completer is given the start of a word. It must be quick and never fail: where it cannot tell,
it offers nothing and the shell offers files. Which model or table is meant it sees in the words of
the command line, as the parser gives up at an option whose value is still to come.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from linnet.errors import LinnetError

__all__ = ["COMPLETERS"]

Completer = Callable[[str], Iterable[str]]
_HEAD = 1 << 16
_FEW = 100
_TABLES = tuple(
    f".{name}{packed}"
    for name in ("csv", "tsv", "jsonl", "ndjson", "parquet")
    for packed in ("", ".gz", ".zst")
)


def learner_names(start: str) -> list[str]:
    """Return the learners by the names of their classes; nothing is imported for it.

    Examples
    --------
    >>> learner_names("max")
    ['maxent']
    """
    from linnet.public import learner_homes

    _, comma, last = start.rpartition(",")  # compare takes several
    before = start[: len(start) - len(last)] if comma else ""
    known = sorted(
        name.lower() for name, home in learner_homes().items() if _is_learner(name, home)
    )
    return [before + name for name in known if name.startswith(last.lower())]


def _is_learner(name: str, home: str) -> bool:
    parts = (".shared", "feature_maps", "kernels", "feature_weights", "regression", "distribution")
    return name[0].isupper() and not any(part in home for part in parts)


def model_files(start: str) -> list[str]:
    """Return the model files, and the folders to look further in."""
    folder = os.path.dirname(start)
    try:
        names = sorted(os.listdir(folder or "."))
    except OSError:
        return []
    paths = [os.path.join(folder, name) for name in names if not name.startswith(".")]
    wanted = [path for path in paths if path.startswith(start)]
    folders = [path + os.sep for path in wanted if os.path.isdir(path)]
    return [path for path in wanted if path.endswith(".linnet")] + folders


def labels(start: str) -> list[str]:
    """Return the labels of the model that the command line names."""
    from linnet.model.file import load

    try:
        known = [str(label) for label in load(_files(".linnet")[0]).classes_.tolist()[:_FEW]]
    except (IndexError, LinnetError, OSError, AttributeError):
        return []
    return [label for label in known if label.startswith(start)]


def label_or_column(start: str) -> list[str]:
    """Return labels where there is only a model; beside data, the columns that may hold them."""
    return columns(start) if _files(*_TABLES) else labels(start)


def columns(start: str) -> list[str]:
    """Return the columns of the first file with columns that the command line names."""
    try:
        names = _columns_of(_files(*_TABLES)[0])
    except (IndexError, LinnetError, OSError, ValueError):
        return []
    return [name for name in names if name.startswith(start)]


def _columns_of(file: str) -> list[str]:
    """Return the names of a file's columns: in its schema, its first object or its first line."""
    from linnet.data.files import open_bytes
    from linnet.data.formats import bare_suffix

    if bare_suffix(file) == ".parquet":
        from pyarrow.parquet import read_schema

        return list(read_schema(file).names)
    with open_bytes(file) as opened:
        first = opened.read(_HEAD).partition(b"\n")[0].decode("utf-8-sig").rstrip("\r")
    if first.startswith("{"):
        import json

        return list(json.loads(first))
    return [name.strip('"') for name in first.split("\t" if "\t" in first else ",")]


def _files(*suffixes: str) -> list[str]:
    """Return the files with such a suffix that the command line names so far."""
    said = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS") or ""
    return [word for word in said.split() if word.endswith(suffixes) and os.path.isfile(word)]


#: By the option's first name, or for an argument by what stands for it in the help.
COMPLETERS: dict[str, Completer] = {
    "--learner": learner_names,
    "--learners": learner_names,
    "--label": label_or_column,
    "--text": columns,
    "--group": columns,
    "--groups": columns,
    "--ignore": columns,
    "--ids": columns,
    "--audit-by": columns,
    "--keep": labels,
    "--drop": labels,
    "--score": labels,
    "MODEL": model_files,
    "OTHER": model_files,
}
