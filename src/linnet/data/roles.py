"""Which column of a table is the text and which the label, and whether it has a header.

A name decides where there is one ("text", "category"); otherwise the texts are the longest values
and the labels short ones that repeat. What was decided is said in words, so that it can be
overruled.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from linnet.data.formats.common import Plan, Wishes
from linnet.data.inputs import checked_kinds
from linnet.errors import DataError, FormatError

__all__ = [
    "LABEL_NAMES",
    "TEXT_NAMES",
    "find_column",
    "has_header",
    "ignored_columns",
    "refuse_twins",
    "row_column",
    "with_roles",
]

# fmt: off
TEXT_NAMES = (
    "text", "review", "sentence", "document", "content", "body", "comment", "message", "utterance",
    "tweet", "query", "question", "post", "article", "description", "headline", "title",
    "features", "tokens", "texts", "reviews", "sentences", "input",
)
LABEL_NAMES = (
    "label", "category", "class", "sentiment", "intent", "topic", "target", "tag", "labels",
    "categories", "tags", "gold", "polarity", "rating", "stars", "score", "language", "lang", "y",
    "output",
)
# fmt: on
_OTHER_NAMES = ("id", "index", "idx", "guid", "uid", "url", "date", "name", "split")
_NAME = re.compile(r"[\w.\-/]+(?: [\w.\-/]+){0,2}")
_LONGEST_NAME = 40
_LONGEST_LABEL = 50
_MISSING = ("", "?")
_FEW = 20  # rows from which repetition tells something

Rows = Sequence[Sequence[Any]]


def has_header(rows: Rows) -> tuple[bool, str]:
    """Say whether the first of some rows of strings names the columns, and why."""
    first = [str(cell).strip() for cell in rows[0]]
    above = _above_numbers(first, rows[1:])
    if above is not None:
        return True, f"the first row is a header: below {above!r} there are numbers"
    if not all(_NAME.fullmatch(cell) and len(cell) <= _LONGEST_NAME for cell in first):
        return False, "no header: the first row does not look like names"
    known = [
        cell
        for at, cell in enumerate(first)
        if cell.casefold() in (*TEXT_NAMES, *LABEL_NAMES)
        and not any(at < len(row) and str(row[at]).strip() == cell for row in rows[1:])
    ]
    if len(known) > 1 or (known and not any(" " in cell for cell in first)):
        return True, f"the first row is a header: it names a column {known[0]!r}"
    column = _repeating_column(rows[1:])
    if column is not None and column < len(first):
        others = {str(row[column]) for row in rows[1:] if column < len(row)}
        if first[column] not in others and not any(" " in cell for cell in first):
            return True, f"the first row is a header: {first[column]!r} is no label of other rows"
    return False, "no header: the first row looks like the others"


def _above_numbers(first: Sequence[str], rows: Rows) -> str | None:
    """Return a cell of a row without numbers below which there is nothing but numbers."""
    if len(rows) < _FEW // 2 or any(cell in _MISSING or _is_number(cell) for cell in first):
        return None
    for at, cell in enumerate(first):
        below = [str(row[at]).strip() for row in rows if at < len(row)]
        told = [one for one in below if one not in _MISSING]
        if len(told) > len(below) // 2 and all(map(_is_number, told)):
            return cell
    return None


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _repeating_column(rows: Rows) -> int | None:
    """Return a column of short values all of which occur at least twice, if there is one."""
    if len(rows) < _FEW // 2:
        return None
    for at in range(len(rows[0])):
        values = Counter(str(row[at]) for row in rows if at < len(row))
        short = max(map(len, values)) <= _LONGEST_LABEL
        if short and min(values.values()) > 1 and len(values) <= len(rows) / 3:
            return at
    return None


def find_column(wanted: str | int, columns: Sequence[str], file: str, what: str) -> str:
    """Return the name of a column given by name or by number from 1."""
    if isinstance(wanted, str) and wanted not in columns and wanted.isdecimal():
        wanted = int(wanted)
    if isinstance(wanted, int):
        if 1 <= wanted <= len(columns):
            return columns[wanted - 1]
        raise FormatError(
            f"there is no column {wanted} for the {what}: the file has {len(columns)}", file=file
        )
    if wanted in columns:
        return wanted
    from difflib import get_close_matches  # only errors need it

    close = get_close_matches(wanted, columns, n=1)
    folded = [name for name in columns if name.casefold() == wanted.casefold()]
    hint = f"; did you mean {(folded or close)[0]!r}?" if folded or close else ""
    names = ", ".join(map(repr, columns))
    raise FormatError(f"there is no column {wanted!r}; the columns are {names}{hint}", file=file)


def row_column(wish: str, names: Sequence[str], file: str) -> str:
    """Return the name of a column given by name, or by number from 1 or from the end."""
    if wish in names:
        return wish
    try:
        number = int(wish)
    except ValueError:
        listed = ", ".join(names)
        raise FormatError(f"there is no column {wish!r}; there are {listed}", file=file) from None
    if not 1 <= abs(number) <= len(names):
        raise FormatError(
            f"there is no column {wish}: the file has {len(names)}, numbered from 1; -1 is the "
            "last one",
            file=file,
        )
    return names[number - 1 if number > 0 else number]


def ignored_columns(
    ignore: Sequence[str] | None, names: Sequence[str], rows: Rows, file: str
) -> tuple[tuple[str, ...], str]:
    """Return the columns of rows that are left out, and why: the wished ones, or a number."""
    if ignore:
        wishes = (
            [] if list(ignore) == ["none"] else [row_column(one, names, file) for one in ignore]
        )
        return tuple(dict.fromkeys(wishes)), ", as asked for"
    if len(names) > 3 and _counts_up([row[0] for row in rows]):
        return (names[0],), ", a running number (--ignore none reads it)"
    return (), ""


def _counts_up(values: list[str]) -> bool:
    """Tell a running number: whole, never falling, hardly ever twice."""
    if len(values) < _FEW // 2 or not all(
        value.isdecimal() and value.isascii() for value in values
    ):
        return False
    numbers = [int(value) for value in values]
    return numbers == sorted(numbers) and 2 * len(set(numbers)) > len(numbers)


def refuse_twins(names: Sequence[str], file: str, line: int | None = None) -> None:
    """Raise the error for a header that names two columns alike."""
    for at, name in enumerate(names):
        if name in names[:at]:
            message = f"the header names two columns {name!r}; rename one of them"
            raise FormatError(message, file=file, line=line)


def with_roles(plan: Plan, rows: Rows, wishes: Wishes, *, named: bool = True) -> Plan:
    """Return the plan of a table with the columns of texts and labels, and why these.

    Parameters
    ----------
    plan : Plan
        Its columns are known.
    rows : sequence of rows
        A sample of the values.
    wishes : Wishes
        The caller's choice.
    named : bool
        Whether the names of the columns mean something.
    """
    columns, file, label = plan.columns, plan.file, None
    if wishes.label is not None:
        label = find_column(wishes.label, columns, file, "label")
    if wishes.columns is not None:
        return _with_inputs(plan, rows, wishes, label, named)
    if wishes.text is not None:
        text, why = find_column(wishes.text, columns, file, "text"), "as asked for"
    else:
        others = [name for name in columns if name != label]
        text, why = _guess_text(others, columns, rows, file, named)
    if label == text:
        raise DataError(f"column {text!r} cannot be both the text and the label")
    decisions = [f"text is column {text}: {why}"]
    if wishes.labels:
        if label is not None:
            reason = "as asked for"
        else:
            others = [name for name in columns if name != text]
            label, reason = _guess_label(others, columns, rows, named)
        chosen = "no label column" if label is None else f"label is column {label}"
        decisions.insert(0, f"{chosen}: {reason}")
    unused = [name for name in columns if name not in (text, label, "id")]
    if named and unused:
        plural = "s" if len(unused) > 1 else ""
        decisions.append(f"not read: column{plural} {', '.join(unused)}")
    return replace(plan, text=text, label=label, decisions=(*plan.decisions, *decisions))


def _with_inputs(plan: Plan, rows: Rows, wishes: Wishes, label: str | None, named: bool) -> Plan:
    """Return the plan of a table that is read by several columns."""
    columns, decisions = plan.columns, list(plan.decisions)
    kinds = checked_kinds(wishes.columns or {})
    inputs = [(find_column(name, columns, plan.file, kind), kind) for name, kind in kinds.items()]
    names = [name for name, _ in inputs]
    refuse_twins(names, plan.file)
    if wishes.labels:
        reason = "as asked for"
        if label is None:
            others = [name for name in columns if name not in names]
            label, reason = _guess_label(others, columns, rows, named)
        chosen = "no label column" if label is None else f"label is column {label}"
        decisions.append(f"{chosen}: {reason}")
    if label in names:
        raise DataError(f"column {label!r} cannot be both looked at and the label")
    unused = [name for name in columns if name not in (*names, label, "id")]
    if named and unused:
        plural = "s" if len(unused) > 1 else ""
        decisions.append(f"not read: column{plural} {', '.join(unused)}")
    return replace(plan, inputs=tuple(inputs), label=label, decisions=tuple(decisions))


def _values(name: str, columns: Sequence[str], rows: Rows) -> list[Any]:
    at = list(columns).index(name)
    return [row[at] for row in rows if at < len(row) and row[at] is not None]


def _by_name(others: Sequence[str], names: Sequence[str]) -> str | None:
    folded = {name.casefold(): name for name in reversed(others)}
    return next((folded[name] for name in names if name in folded), None)


def _guess_text(
    others: Sequence[str], columns: Sequence[str], rows: Rows, file: str, named: bool
) -> tuple[str, str]:
    if named and (name := _by_name(others, TEXT_NAMES)):
        return name, "by its name"
    sizes = {}
    for name in others:
        values = [value for value in _values(name, columns, rows) if isinstance(value, (str, dict))]
        if values or not rows:
            lengths = [len(value) for value in values]
            sizes[name] = sum(lengths) / max(len(lengths), 1)
    if not sizes:
        names = ", ".join(map(repr, columns))
        raise FormatError(f"no column holds text (columns: {names}); pass text=", file=file)
    best = max(sizes, key=lambda name: sizes[name])
    spaced = any(" " in str(value) for value in _values(best, columns, rows))
    if len(columns) > 2 and rows and not spaced:
        raise FormatError(
            f"none of the {len(columns)} columns looks like text: no value has a space; say which "
            "columns to use with text= and label=",
            file=file,
        )
    return best, "longest values" if len(sizes) > 1 else "the only column of text left"


def _guess_label(
    others: Sequence[str], columns: Sequence[str], rows: Rows, named: bool
) -> tuple[str | None, str]:
    if named and (name := _by_name(others, LABEL_NAMES)):
        return name, "by its name"
    best: tuple[bool, int, str] | None = None
    for name in others:
        if named and name.casefold() in (*_OTHER_NAMES, *TEXT_NAMES):
            continue
        values = [str(value) for value in _values(name, columns, rows)]
        distinct = len(set(values))
        short = sum(map(len, values)) <= _LONGEST_LABEL * len(values)
        few = len(values) < _FEW or distinct <= len(values) / 2
        rank = (distinct < 2, distinct, name)
        if values and short and few and (best is None or rank < best):
            best = rank
    if best is None:
        return None, "no column has short values that repeat" if others else "only one column"
    plural = "" if best[1] == 1 else "s"
    return best[2], f"{best[1]} distinct value{plural} in {len(rows)} rows"
