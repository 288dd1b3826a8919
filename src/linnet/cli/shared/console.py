"""What the verbs share: progress, tables and numbers for people, files that are written."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, TextIO

from linnet.data.files import write_atomically, write_bytes_atomically
from linnet.data.formats import bare_suffix
from linnet.data.terminal import escaped, standard_output
from linnet.errors import ParameterError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

__all__ = [
    "bare_suffix",
    "between_words",
    "choose",
    "count",
    "escaped",
    "file_size",
    "grid",
    "label_table",
    "name_cell",
    "parse_size",
    "print_json",
    "print_sample",
    "print_utf8",
    "printable",
    "progress",
    "say",
    "shown",
    "size",
    "stdout_console",
    "tell_user",
    "unseen",
    "write_atomically",
    "write_bytes_atomically",
]

_BAR, _LABELS_SHOWN = 30, 30
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
        one_of = "one of " if len(allowed) > 1 else ""
        raise ParameterError(f"{option} must be {one_of}{', '.join(allowed)}, got {value!r}")
    return value


def say(message: str, quiet: bool = False) -> None:
    """Print a line on standard error."""
    if not quiet:
        print(between_words(escaped(message), sys.stderr), file=sys.stderr, flush=True)


def tell_user(message: str) -> None:
    """Print a line of an answer for people on standard output."""
    print(between_words(escaped(message), sys.stdout))


def between_words(text: str, stream: TextIO) -> str:
    """Return a text whose lines end between words on a terminal; a pipe gets it as it is.

    A terminal cuts a line that is too long wherever it ends, within names and numbers.

    Examples
    --------
    >>> import io
    >>> between_words("as it is", io.StringIO())
    'as it is'
    """
    if not stream.isatty():
        return text
    width = get_terminal_size().columns
    if max(map(len, text.split("\n"))) <= width:
        return text
    from textwrap import TextWrapper

    wrapper = TextWrapper(
        width, break_long_words=False, break_on_hyphens=False,
        replace_whitespace=False, expand_tabs=False,
    )  # fmt: skip
    lines = []
    for line in text.split("\n"):
        wrapper.subsequent_indent = line[: len(line) - len(line.lstrip(" "))]
        lines.append(wrapper.fill(line))
    return "\n".join(lines)


def shown(name: str) -> str:
    """Return the name of a file as messages have it.

    Examples
    --------
    >>> shown("a.tsv"), shown("-")
    ('a.tsv', '<stdin>')
    """
    return "<stdin>" if name == "-" else name


def print_json(value: Any) -> None:
    """Print one JSON value on standard output, in UTF-8 whatever the terminal's encoding."""
    print_utf8(json.dumps(value, ensure_ascii=False, allow_nan=False))


def print_utf8(text: str) -> None:
    """Print what a program will read on standard output, whatever the terminal's encoding."""
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


def grid(
    left: Sequence[str],
    right: Sequence[str] = (),
    last: Sequence[str] = (),
    title: str | None = None,
) -> Table:
    """Return a table: columns of words, then of figures, then of words again.

    A word longer than its column is cut, and an ellipsis says so.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, title=title)
    for heading in left:
        table.add_column(heading, overflow="ellipsis")
    for heading in right:
        table.add_column(heading, justify="right", no_wrap=True)
    for heading in last:
        table.add_column(heading, overflow="ellipsis")
    return table


def name_cell(label: Any) -> Text:
    """Return a label or a feature as a cell of a table; None is no answer."""
    from rich.text import Text

    return Text("(no answer)" if label is None else escaped(str(label)))


def label_table(labels: dict[str, int], unit: str = "examples") -> Any:
    """Return a table of labels with a bar each, the most frequent first."""
    from rich.text import Text

    total, most = sum(labels.values()), max(labels.values())
    table = grid(["label"], [unit, "share"], [""])
    for label, number in list(labels.items())[:_LABELS_SHOWN]:
        bar = "█" * max(round(_BAR * number / most), 1)
        share = f"{100 * number / total:.1f} %"
        table.add_row(Text(printable(label)), count(number), share, Text(bar, style="cyan"))
    if len(labels) > _LABELS_SHOWN:
        rest = list(labels.values())[_LABELS_SHOWN:]
        name = f"({len(rest)} more)"
        table.add_row(name, count(sum(rest)), f"{100 * sum(rest) / total:.1f} %", "")
    return table


def print_sample(console: Console, rows: Sequence[dict[str, Any]]) -> None:
    """Print some examples of a file, a line each and no longer than the line."""
    from rich.text import Text

    table = grid([], [], list(rows[0]))
    for row in rows:
        cells = ("?" if value is None else str(value) for value in row.values())
        table.add_row(*(Text(printable(cell), no_wrap=True) for cell in cells))
    console.print(table)


def printable(text: str) -> str:
    """Return a text with a blank for every mark that would not show."""
    return "".join(mark if mark.isprintable() else " " for mark in text)


@contextmanager
def progress(
    total: float | None = None, quiet: bool = False, *, rate: bool = False
) -> Iterator[Callable[[str, float], None]]:
    """Show on standard error how far the block is, on a terminal only: one line, always the last.

    The block gets a function ``step(description, advance)``. Without a terminal, or when quiet,
    it does nothing. With a total there are a bar, the share done and the time left; with `rate`
    what is counted are bytes, and there are those of a second, too.
    """
    if quiet or not sys.stderr.isatty():
        yield unseen
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        SpinnerColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )
    from rich.table import Column

    narrow = Column(overflow="ellipsis", no_wrap=True)
    known = (BarColumn(16), TaskProgressColumn(), TimeRemainingColumn(compact=True))
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False, table_column=narrow),
        *(known if total else ()),
        *((TransferSpeedColumn(),) if rate else ()),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task("", total=total)
        yield lambda description, advance: bars.update(
            bar, description=description, advance=advance
        )


def unseen(description: str, advance: float) -> None:
    """Take a step that nobody sees."""


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
