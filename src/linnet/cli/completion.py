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
_HEAD = 1 << 12
_FEW = 100


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
    """Return the labels of the model that the command line names, or the columns of its data."""
    models = _files(".linnet")
    if not models or _files(".csv", ".tsv"):
        return columns(start)
    from linnet.model.file import load

    try:
        known = [str(label) for label in load(models[0]).classes_.tolist()[:_FEW]]
    except (LinnetError, OSError, AttributeError):
        return []
    return [label for label in known if label.startswith(start)]


def columns(start: str) -> list[str]:
    """Return the names in the first line of the table that the command line names."""
    try:
        with open(_files(".csv", ".tsv")[0], encoding="utf-8") as file:
            first = file.readline(_HEAD).rstrip("\r\n")
    except (IndexError, OSError, UnicodeDecodeError):
        return []
    names = [name.strip('"') for name in first.split("\t" if "\t" in first else ",")]
    return [name for name in names if name.startswith(start)]


def _files(*suffixes: str) -> list[str]:
    """Return the files with such a suffix that the command line names so far."""
    said = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS") or ""
    return [word for word in said.split() if word.endswith(suffixes) and os.path.isfile(word)]


#: By the option's first name, or for an argument by what stands for it in the help.
COMPLETERS: dict[str, Completer] = {
    "--learner": learner_names,
    "--learners": learner_names,
    "--label": labels,
    "--text": columns,
    "--group": columns,
    "--groups": columns,
    "--ignore": columns,
    "--keep": labels,
    "MODEL": model_files,
    "OTHER": model_files,
}
