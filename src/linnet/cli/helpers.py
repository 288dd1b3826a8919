"""What the verbs share: loading a model, progress, numbers for people."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from linnet.data.terminal import escaped, standard_output
from linnet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "check_kind",
    "choose",
    "count",
    "file_size",
    "find_label",
    "load_model",
    "no_labels",
    "parse_size",
    "print_json",
    "progress",
    "say",
    "shown",
    "size",
    "stdout_console",
]

_WIDTH_IN_A_PIPE = 120
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


def choose(value: str, allowed: tuple[str, ...], option: str) -> str:
    """Return the value of an option if it is allowed.

    Examples
    --------
    >>> choose("float16", ("float16", "float32"), "--dtype")
    'float16'
    """
    if value not in allowed:
        raise ParameterError(f"{option} must be one of {', '.join(allowed)}, got {value!r}")
    return value


def load_model(path: str, threads: int | None = None, *, sequences: bool = False) -> Any:
    """Load a model file and check that it holds something that reads texts.

    With `sequences` it may be a tagger of sentences, whose ``kind`` is "sequence", or a
    classifier of rows, whose ``kind`` is "row".
    """
    from linnet.model.file import load

    model = load(path)
    tags = getattr(model, "kind", None) == "sequence"
    if (tags or getattr(model, "kind", None) == "row") and not sequences:
        what = "tagger of sentences" if tags else "classifier of rows"
        raise DataError(f"{path} holds a {what}; this needs a classifier of texts")
    if not tags and not hasattr(model, "predict_top"):
        raise DataError(
            f"{path} holds a {type(model).__name__}, which does not read texts; "
            "use it from Python with linnet.load, or train a model with linnet train"
        )
    if threads is not None:
        model.n_threads = threads
    return model


def check_kind(model: Any, model_name: str, examples: Any, file: str) -> None:
    """Refuse examples of a kind the model was not trained on."""
    named = {"text": "texts", "bag": "bags of named features", "vector": "numbered features"}
    if examples.kind != model.kind:
        raise DataError(
            f"{file} holds {named[examples.kind]}, but {model_name} was trained on "
            f"{named[model.kind]}; name the right format or train on such data"
        )


def find_label(model: Any, spelled: str) -> Any:
    """Return the model's label of that spelling; the error names the closest ones."""
    known = {str(label): label for label in model.classes_}
    if spelled in known:
        return known[spelled]
    from difflib import get_close_matches

    near = get_close_matches(spelled, known, n=3) or list(known)[:10]
    raise ParameterError(
        f"the model has no label {spelled!r}; it has {count(len(known))}, "
        f"such as {', '.join(map(repr, near))}"
    )


def say(message: str, quiet: bool = False) -> None:
    """Print a line on standard error."""
    if not quiet:
        print(escaped(message), file=sys.stderr, flush=True)


def shown(name: str) -> str:
    """Return the name of a file as messages have it.

    Examples
    --------
    >>> shown("a.tsv"), shown("-")
    ('a.tsv', '<stdin>')
    """
    return "<stdin>" if name == "-" else name


def no_labels(data: str, format: str | None, column: str | None, what: str = "labels") -> str:
    """Say that a file has no labels, and what to do.

    Parameters
    ----------
    data : str
    format : str or None
        The format of examples, or None for rows of values.
    column : str or None
        What ``--label`` said.
    what : str

    Examples
    --------
    >>> print(no_labels("a.csv", "csv", None))
    a.csv has no labels; name their column with --label
    >>> print(no_labels("a.txt", "text", "1"))
    a.txt has no labels: it is plain text, which has no column '1'; write label<TAB>text lines ...
    """
    start = f"{shown(data)} has no {what}"
    if format in (None, "csv", "tsv", "jsonl", "parquet", "arrow"):
        return f"{start}; name their column with --label"
    asked = "no columns" if column is None else f"no column {column!r}"
    if format == "text":
        remedy = "write label<TAB>text lines or a table, or name another --format"
        return f"{start}: it is plain text, which has {asked}; {remedy}"
    return f"{start}: it is in the format {format}, which has {asked}; put one on every line"


def print_json(value: Any) -> None:
    """Print one JSON value on standard output, in UTF-8 whatever the terminal's encoding."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    out = standard_output()
    out.write(text.encode("utf-8", "replace") + b"\n")
    out.flush()


def stdout_console() -> Console:
    """Return a console for tables: the terminal's width, or a fixed one in a pipe."""
    from rich.console import Console

    class Plain(Console):
        """A console on which text is text: no markup, and no control characters."""

        def render_str(self, text: str, **options: Any) -> Any:
            return super().render_str(escaped(text), **options)

    console = Plain(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console = Plain(highlight=False, markup=False, emoji=False, width=_WIDTH_IN_A_PIPE)
    return console


@contextmanager
def progress(
    total: float | None = None, quiet: bool = False
) -> Iterator[Callable[[str, float], None]]:
    """Show a bar on standard error while the block runs, on a terminal only.

    The block gets a function ``step(description, advance)``. Without a terminal, or when quiet,
    it does nothing.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda description, advance: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task("", total=total)
        yield lambda description, advance: bars.update(
            bar, description=description, advance=advance
        )


def count(n: int) -> str:
    """Return a number with its thousands set apart.

    Examples
    --------
    >>> count(25000)
    '25,000'
    """
    return f"{n:,}"


def size(n_bytes: float) -> str:
    """Return a number of bytes for people.

    Examples
    --------
    >>> size(512), size(20_400_000), size(3.2e9)
    ('512 B', '20.4 MB', '3.2 GB')
    """
    for unit in ("B", "kB", "MB"):
        if n_bytes < 1000:
            return f"{n_bytes:.0f} B" if unit == "B" else f"{n_bytes:.1f} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.1f} GB"


def parse_size(text: str) -> int:
    """Return a size such as "100MB" in bytes.

    Examples
    --------
    >>> parse_size("100MB"), parse_size("1.5k"), parse_size("20")
    (100000000, 1500, 20)
    """
    import re  # seldom needed, and a prediction must start fast

    pattern = r"(\d+(?:\.\d+)?) ?([kmgt]?)b?"
    match = re.fullmatch(pattern, text.strip(), re.IGNORECASE)
    if match is None or float(match.group(1)) <= 0:
        raise ParameterError(f"a size must be a number and B, kB, MB, GB or TB, not {text!r}")
    return max(int(float(match.group(1)) * _UNITS[match.group(2).lower()]), 1)


def file_size(path: str | os.PathLike[str]) -> int:
    """Return the number of bytes of a file, 0 for a stream."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
