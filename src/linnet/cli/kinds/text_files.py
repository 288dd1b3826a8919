"""Files of texts, bags and vectors: reading them, what they hold, writing them otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from linnet.cli.kinds.flat import no_labels
from linnet.cli.kinds.labelled import Labelled, shortened, tell
from linnet.cli.shared.console import count, label_table, print_sample, shown, size
from linnet.errors import DataError, FormatError, ParameterError

if TYPE_CHECKING:
    from rich.console import Console

    from linnet.cli.kinds import Recognised

__all__ = ["TextData", "convert", "one_row", "print_summary", "refuse_stdin", "summarise"]

_WIDTH = 200  # characters of a sample


class TextData(Labelled):
    """Examples of one file.

    Parameters
    ----------
    data : str
    reading : dict
        What :func:`linnet.data.examples.read_examples` takes.
    source : path or file, optional
        What was opened of the data.
    """

    def __init__(self, data: str, reading: dict[str, Any], source: Any = None) -> None:
        from linnet.data.examples import read_examples

        self.examples = read_examples(data if source is None else source, **reading)
        self.X, self.y, self.lines = self.examples.X, self.examples.y, self.examples.lines
        self.decisions = self.examples.decisions
        self._data, self._reading = data, reading

    def no_labels(self, what: str = "labels") -> str:
        """Say that the file has no labels, and what to do."""
        return no_labels(self._data, self.examples.format, self._reading["label"], what)

    @property
    def whole(self) -> Any:
        """Examples and labels."""
        return self.examples

    def take(self, rows: Any) -> TextData:
        """Return some of the examples."""
        part = copy(self)
        part.X = [self.X[i] for i in rows] if isinstance(self.X, list) else self.X[rows]
        part.y = [(self.y or [])[i] for i in rows]
        return part

    def snippet(self, row: int, token: int | None = None) -> str:
        """Return the start of a text, or features with their values."""
        example = self.X[row]
        if isinstance(example, dict):
            example = " ".join(f"{name}:{value:g}" for name, value in example.items())
        elif not isinstance(example, str):  # a sparse row
            pairs = zip(example.indices.tolist(), example.data.tolist(), strict=True)
            example = " ".join(f"{column + 1}:{value:g}" for column, value in pairs)
        return shortened(example)

    def groups(self, name: str) -> list[Any]:
        """Return the group of each row: of its length, or a column of the file read once more."""
        if name != "length":
            return self.whole_groups(name)
        if self.examples.kind != "text":
            raise ParameterError("--groups length needs texts; name a column instead")
        from linnet.evaluate import length_groups

        return length_groups(self.X)

    def whole_groups(self, name: str) -> list[str]:
        """Return a column of the file, which is read once more."""
        refuse_stdin(self._data)
        labels = TextData(self._data, {**self._reading, "label": name}).y
        if labels is None or len(labels) != len(self):
            raise DataError(
                f"{shown(self._data)} has no column {name!r} with a value for every row"
            )
        return [" ".join(map(str, row)) if isinstance(row, list) else str(row) for row in labels]


def one_row(line: str, kind: str) -> Any:
    """Return the bag or vector of a line such as ``good:2 fun:1`` or ``1:0.5 7:2``.

    A label before the numbers of a vector, as lines of files have it, is passed over.

    Examples
    --------
    >>> one_row("good:2 fun:1", "bag")
    {'good': 2.0, 'fun': 1.0}
    >>> one_row("1:0.5 3:2", "vector").toarray()
    array([[0.5, 0. , 2. ]])
    """
    from io import BytesIO

    from linnet.data.examples import read_examples

    format, such = ("svmlight", "1:0.5 7:2") if kind == "vector" else ("amazon", "good:2 fun:1")
    lines = [one for one in line.splitlines() if one.strip()]
    if len(lines) != 1:
        raise DataError(f"explain takes one row such as {such}, got {len(lines)}")
    words = lines[0].split()
    if format == "svmlight" and ":" in words[0]:
        words = ["0", *words]
    try:
        source = BytesIO(" ".join(words).encode("utf-8", "replace") + b"\n")
        return read_examples(source, format=format, labels=False).X[0]
    except FormatError as error:
        raise DataError(
            f"the model reads rows such as {such}, and this is none: {error.message}"
        ) from None


def refuse_stdin(data: str) -> None:
    """Refuse standard input, which cannot be read twice."""
    if data == "-":
        raise ParameterError("groups need the data to be read twice; pass a file, not -")


def summarise(recognised: Recognised, rows: int, reading: dict[str, Any]) -> dict[str, Any]:
    """Return what the examples of a file hold, as plain values, with some rows as samples."""
    from linnet.data.examples import stream_examples

    source = recognised.data
    blocks: Iterable[Any] = [recognised.source]  # a built-in set
    if isinstance(recognised.source, str):
        blocks = stream_examples(recognised.source, **reading)
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


def _sizes(block: Any) -> Any:
    """Return the length of each example: bytes of a text, features of a bag or vector."""
    if block.kind == "text":
        return block.X.end - block.X.start
    if block.kind == "vector":
        return np.diff(block.X.indptr)
    return np.array([len(bag) for bag in block.X])


def _sample(block: Any, rows: int) -> list[dict[str, Any]]:
    if rows <= 0:
        return []
    part = block.take(slice(rows))
    values = part.X if part.kind == "text" else part.bags()
    sample = []
    for at, value in enumerate(values):
        cells = value if isinstance(value, str) else _pairs(value)
        row: dict[str, Any] = {"line": int(part.lines[at])}
        if part.y is not None:
            row["label"] = part.y[at]
        row["text" if part.kind == "text" else "features"] = cells[:_WIDTH]
        sample.append(row)
    return sample


def _pairs(bag: dict[str, float]) -> str:
    return " ".join(f"{name}:{value:g}" for name, value in list(bag.items())[:_WIDTH])


def print_summary(console: Console, summary: dict[str, Any]) -> None:
    """Print what :func:`summarise` returns."""
    for sentence in summary["decisions"]:
        console.print(f"· {sentence}", style="dim")
    unit = (
        size(summary["mean_length"])
        if summary["kind"] == "text"
        else f"{summary['mean_length']:.1f}"
    )
    what = "a text" if summary["kind"] == "text" else "features an example"
    console.print(
        f"{count(summary['examples'])} examples, {unit} {what} on average, longest "
        f"{size(summary['longest']) if summary['kind'] == 'text' else count(summary['longest'])}"
        + (f", {count(summary['empty'])} empty" if summary["empty"] else "")
    )
    if summary["labels"]:
        console.print(label_table(summary["labels"]))
    else:
        console.print("no labels")
    if summary["sample"]:
        print_sample(console, summary["sample"])


def convert(
    recognised: Recognised,
    target: str,
    format: str | None,
    reading: dict[str, Any],
    safe_csv: bool,
    quiet: bool,
    counted: Callable[[str, int], None],
) -> dict[str, Any]:
    """Write a file's examples in another format; return what was decided and done."""
    from linnet.data.examples import stream_examples
    from linnet.data.writing import example_writer

    source, examples = recognised.data, 0
    decisions: tuple[str, ...] = ()
    separator = reading["label_separator"]
    with example_writer(target, format, label_separator=separator, safe_csv=safe_csv) as write:
        for block in stream_examples(source, **reading):
            if not examples:
                decisions = block.decisions
                tell(source, decisions, quiet)
            write(block)
            examples += len(block)
            counted("examples", examples)
    return {
        "input": source,
        "output": target,
        "format": block.format,
        "examples": examples,
        "decisions": list(decisions),
    }
