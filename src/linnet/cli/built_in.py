"""The data sets that are there on every machine, and how they are written to files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from linnet.cli.shared.hints import did_you_mean
from linnet.errors import DataError

__all__ = ["BUILT_IN", "BuiltIn", "built_in", "export"]


@dataclass(frozen=True)
class BuiltIn:
    """A data set that is there on every machine."""

    kind: str
    summary: str
    load: Callable[[str], Any]  # part ("all", "train", "test") to examples
    table: Callable[[], tuple[Any, Any, Any]] | None = None  # names of columns, rows, classes


def _texts(texts: list[str], labels: list[str]) -> Any:
    import numpy as np

    from linnet.data.columns import TextColumn
    from linnet.data.examples import Examples

    lines = np.arange(1, len(texts) + 1)
    return Examples("text", TextColumn.from_strings(texts), labels, "labelled", lines)


def _vectors(X: Any, y: Any) -> Any:
    import numpy as np
    from scipy.sparse import csr_matrix

    from linnet.data.examples import Examples

    matrix = csr_matrix(X)
    labels = [str(label) for label in y]
    return Examples("vector", matrix, labels, "svmlight", np.arange(1, len(labels) + 1))


def _parts(texts: dict[str, tuple[str, ...]], labels: dict[str, tuple[str, ...]], part: str) -> Any:
    names = ("train", "test") if part == "all" else (part,)
    return _texts(
        [text for name in names for text in texts[name]],
        [label for name in names for label in labels[name]],
    )


def _pydoc(part: str) -> Any:
    from linnet.data import load_pydoc

    corpus = load_pydoc()
    texts = {"train": corpus.train_texts, "test": corpus.test_texts}
    labels = {"train": corpus.train_labels, "test": corpus.test_labels}
    return _parts(texts, labels, part)


def _badges(part: str) -> Any:
    from linnet.data import load_badges

    badges = load_badges()
    names = {"train": badges.train_names, "test": badges.test_names}
    labels = {"train": badges.train_labels, "test": badges.test_labels}
    return _parts(names, labels, part)


def _iris(part: str) -> Any:
    from linnet.data import load_iris

    _only_all("iris", part)
    iris = load_iris()
    return _vectors(iris.X, iris.y)


def _iris_table() -> tuple[Any, Any, Any]:
    from linnet.data import load_iris

    iris = load_iris()
    return iris.feature_names, iris.X, [iris.species[k] for k in iris.y]


def _gaussians_table() -> tuple[Any, Any, Any]:
    from linnet.data import make_gaussians

    return ("x1", "x2"), *make_gaussians(1000, means=[[-1, -1], [1, 1]])


def _gaussians(part: str) -> Any:
    _only_all("gaussians", part)
    _, X, y = _gaussians_table()
    return _vectors(X, y)


def _zipf(part: str) -> Any:
    from linnet.data.zipf import make_corpus

    _only_all("zipf", part)
    return make_corpus(1000)


def _only_all(name: str, part: str) -> None:
    if part != "all":
        raise DataError(f"{name} has no part {part!r}; it is one set")


BUILT_IN = {
    "pydoc": BuiltIn("text", "docstrings of Python's standard library by topic", _pydoc),
    "badges": BuiltIn("text", "names of the badges game, + or -", _badges),
    "iris": BuiltIn("vector", "Fisher's iris measurements, three species", _iris, _iris_table),
    "gaussians": BuiltIn(
        "vector", "1,000 points of two Gaussian classes", _gaussians, _gaussians_table
    ),
    "zipf": BuiltIn("text", "1,000 generated texts; make writes any number", _zipf),
}


def built_in(name: str) -> BuiltIn:
    """Return the built-in data set of a name."""
    if name not in BUILT_IN:
        known = ", ".join(BUILT_IN)
        near = did_you_mean(name, BUILT_IN) or f"; there are {known}"
        raise DataError(f"there is no built-in data set {name!r}{near}")
    return BUILT_IN[name]


def export(name: str, part: str, target: str) -> int:
    """Write a built-in set to a file and return the number of its examples."""
    from linnet.data.formats import bare_suffix
    from linnet.data.writing import write_examples

    entry = built_in(name)
    if entry.table is not None and bare_suffix(target) in (".csv", ".tsv"):
        _only_all(name, part)
        return _write_table(target, *entry.table())
    examples = entry.load(part)
    write_examples(target, examples, examples.format if target == "-" else None)
    return len(examples)


def _write_table(target: str, names: Any, rows: Any, classes: Any) -> int:
    """Write measurements as a table with a header, the class last: a file of rows."""
    from linnet.data import write_atomically
    from linnet.data.formats import bare_suffix
    from linnet.data.formats.cells import csv_cell

    mark = "\t" if bare_suffix(target) == ".tsv" else ","
    with write_atomically(target) as out:
        for cells in (
            [*names, "class"],
            *([*row, y] for row, y in zip(rows, classes, strict=True)),
        ):
            out.write(mark.join(csv_cell(str(cell), mark) for cell in cells) + "\n")
    return len(rows)
