"""The data sets of ``linnet data``: the built-in ones by name, and the summary of any."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linnet.cli.console import count, size
from linnet.errors import DataError

if TYPE_CHECKING:
    from rich.console import Console

    from linnet.data.examples import Examples

__all__ = [
    "BUILT_IN",
    "BuiltIn",
    "export",
    "label_table",
    "print_summary",
    "printable",
    "summarise",
]

_BAR = 30
_LABELS_SHOWN = 30
_WIDTH = 200


@dataclass(frozen=True)
class BuiltIn:
    """A data set that is there on every machine."""

    kind: str
    summary: str
    load: Callable[[str], Examples]  # part ("all", "train", "test") to examples


def _texts(texts: list[str], labels: list[str]) -> Examples:
    from linnet.data.columns import TextColumn
    from linnet.data.examples import Examples

    lines = np.arange(1, len(texts) + 1)
    return Examples("text", TextColumn.from_strings(texts), labels, "labelled", lines)


def _vectors(X: Any, y: Any) -> Examples:
    from scipy.sparse import csr_matrix

    from linnet.data.examples import Examples

    matrix = csr_matrix(X)
    labels = [str(label) for label in y]
    return Examples("vector", matrix, labels, "svmlight", np.arange(1, len(labels) + 1))


def _parts(
    texts: dict[str, tuple[str, ...]], labels: dict[str, tuple[str, ...]], part: str
) -> Examples:
    names = ("train", "test") if part == "all" else (part,)
    return _texts(
        [text for name in names for text in texts[name]],
        [label for name in names for label in labels[name]],
    )


def _pydoc(part: str) -> Examples:
    from linnet.data import load_pydoc

    corpus = load_pydoc()
    texts = {"train": corpus.train_texts, "test": corpus.test_texts}
    labels = {"train": corpus.train_labels, "test": corpus.test_labels}
    return _parts(texts, labels, part)


def _badges(part: str) -> Examples:
    from linnet.data import load_badges

    badges = load_badges()
    names = {"train": badges.train_names, "test": badges.test_names}
    labels = {"train": badges.train_labels, "test": badges.test_labels}
    return _parts(names, labels, part)


def _iris(part: str) -> Examples:
    from linnet.data import load_iris

    _only_all("iris", part)
    iris = load_iris()
    return _vectors(iris.X, iris.y)


def _gaussians(part: str) -> Examples:
    from linnet.data import make_gaussians

    _only_all("gaussians", part)
    return _vectors(*make_gaussians(1000, means=[[-1, -1], [1, 1]]))


def _zipf(part: str) -> Examples:
    from linnet.data.zipf import make_corpus

    _only_all("zipf", part)
    return make_corpus(1000)


def _only_all(name: str, part: str) -> None:
    if part != "all":
        raise DataError(f"{name} has no part {part!r}; it is one set")


BUILT_IN = {
    "pydoc": BuiltIn("text", "docstrings of Python's standard library by topic", _pydoc),
    "badges": BuiltIn("text", "names of the badges game, + or -", _badges),
    "iris": BuiltIn("vector", "Fisher's iris measurements, three species", _iris),
    "gaussians": BuiltIn("vector", "1,000 points of two Gaussian classes", _gaussians),
    "zipf": BuiltIn("text", "1,000 generated texts; make writes any number", _zipf),
}


def built_in(name: str) -> BuiltIn:
    """Return the built-in data set of a name."""
    if name not in BUILT_IN:
        known = ", ".join(BUILT_IN)
        raise DataError(f"there is no built-in data set {name!r}; there are {known}")
    return BUILT_IN[name]


def export(name: str, part: str, target: str) -> int:
    """Write a built-in set to a file and return the number of its examples."""
    from linnet.data import write_examples

    examples = built_in(name).load(part)
    write_examples(target, examples, examples.format if target == "-" else None)
    return len(examples)


def summarise(source: str, rows: int, reading: dict[str, Any]) -> dict[str, Any]:
    """Return what a built-in set or a file holds, as plain values.

    A file named like a built-in set is shown when the name is given with its folder.
    """
    blocks = _blocks(source, reading)
    labels: Counter[Any] = Counter()
    sample: list[dict[str, Any]] = []
    total = lengths = longest = empty = 0
    block = None
    for block in blocks:
        for label in block.y or []:
            labels.update(label if isinstance(label, list) else [label])
        sizes = _sizes(block)
        total += len(block)
        lengths += int(sizes.sum())
        longest = max(longest, int(sizes.max(initial=0)))
        empty += int((sizes == 0).sum())
        sample += _sample(block, rows - len(sample))
    if block is None:
        raise DataError(f"{source} holds no example")
    return {
        "name": source,
        "kind": block.kind,
        "format": block.format,
        "decisions": list(block.decisions),
        "examples": total,
        "mean_length": lengths / total,
        "longest": longest,
        "empty": empty,
        "labels": {str(label): number for label, number in labels.most_common()},
        "sample": sample,
    }


def _blocks(source: str, reading: dict[str, Any]) -> Iterator[Examples]:
    from linnet.data.examples import stream_examples

    if source in BUILT_IN:
        limit = reading.get("limit")
        yield BUILT_IN[source].load("all").take(slice(limit))
        return
    if source != "-" and not os.path.exists(source) and not os.path.dirname(source):
        known = ", ".join(BUILT_IN)
        raise DataError(f"there is no file {source!r} and no built-in set of that name ({known})")
    yield from stream_examples(source, **reading)


def _sizes(block: Examples) -> Any:
    """Return the length of each example: bytes of a text, features of a bag or vector."""
    if block.kind == "text":
        return block.X.end - block.X.start
    if block.kind == "vector":
        return np.diff(block.X.indptr)
    return np.array([len(bag) for bag in block.X])


def _sample(block: Examples, rows: int) -> list[dict[str, Any]]:
    if rows <= 0:
        return []
    part = block.take(slice(rows))
    values = part.X if part.kind == "text" else part.bags()
    found = []
    for at, value in enumerate(values):
        shown = value if isinstance(value, str) else _pairs(value)
        row: dict[str, Any] = {"line": int(part.lines[at])}
        if part.y is not None:
            row["label"] = part.y[at]
        row["text" if part.kind == "text" else "features"] = shown[:_WIDTH]
        found.append(row)
    return found


def _pairs(bag: dict[str, float]) -> str:
    return " ".join(f"{name}:{value:g}" for name, value in list(bag.items())[:_WIDTH])


def print_summary(console: Console, found: dict[str, Any]) -> None:
    """Print what :func:`summarise` found."""
    from rich.table import Table
    from rich.text import Text

    for sentence in found["decisions"]:
        console.print(f"· {sentence}", style="dim")
    unit = size(found["mean_length"]) if found["kind"] == "text" else f"{found['mean_length']:.1f}"
    what = "a text" if found["kind"] == "text" else "features an example"
    console.print(
        f"{count(found['examples'])} examples, {unit} {what} on average, longest "
        f"{size(found['longest']) if found['kind'] == 'text' else count(found['longest'])}"
        + (f", {count(found['empty'])} empty" if found["empty"] else "")
    )
    if found["labels"]:
        console.print(label_table(found["labels"]))
    else:
        console.print("no labels")
    if found["sample"]:
        table = Table(*found["sample"][0], box=None, pad_edge=False, header_style="bold")
        for row in found["sample"]:
            cells = [Text(printable(str(value)), no_wrap=True) for value in row.values()]
            table.add_row(*cells)
        console.print()
        console.print(table)


def printable(text: str) -> str:
    """Return a text with a blank for every mark that would not show."""
    return "".join(mark if mark.isprintable() else " " for mark in text)


def label_table(labels: dict[str, int]) -> Any:
    """Return a table of labels with a bar each, the most frequent first."""
    from rich.table import Table
    from rich.text import Text

    total, most = sum(labels.values()), max(labels.values())
    table = Table("label", "examples", "share", "", box=None, pad_edge=False, header_style="bold")
    table.columns[1].justify = table.columns[2].justify = "right"
    for label, number in list(labels.items())[:_LABELS_SHOWN]:
        bar = "█" * max(round(_BAR * number / most), 1)
        share = f"{100 * number / total:.1f} %"
        table.add_row(Text(printable(label)), count(number), share, Text(bar, style="cyan"))
    if len(labels) > _LABELS_SHOWN:
        rest = list(labels.values())[_LABELS_SHOWN:]
        name = f"({len(rest)} more)"
        table.add_row(name, count(sum(rest)), f"{100 * sum(rest) / total:.1f} %", "")
    return table
