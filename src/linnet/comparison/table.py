"""A comparison for readers: the data, a table, what may be concluded."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from linnet.comparison.figures import METRIC, TEST, p_value, seconds, settings, size
from linnet.comparison.result import LEVEL
from linnet.data.copies import in_words

if TYPE_CHECKING:
    from linnet.comparison.result import Comparison, LearnerScore

__all__ = ["as_html", "by_reason", "fairness", "grouped", "readable", "verdict"]

#: Headings that belong together and stay together when a table is too wide.
_GROUPS: tuple[tuple[str, ...], ...] = (
    ("score", "95 % interval", "p vs first", "ECE"),
    ("train", "predict", "memory", "model", "with"),
)
_LEFT = ("with",)  # a column of words
_NARROWEST = 60


def readable(found: Comparison) -> str:
    """Return the whole comparison as text."""
    lines = [_data(found), "", *_table(found), "", verdict(found), *_notes(found)]
    if any(row.curve for row in found.rows):
        lines += ["", *_curves(found)]
    lines += ["", *_properties(found)]
    return "\n".join(lines)


def as_html(found: Comparison) -> str:
    """Return the comparison for a notebook: a table, and what may be concluded."""
    names = [name for group in _GROUPS for name in group]
    head = ["learner", *(METRIC[found.metric] if name == "score" else name for name in names)]
    rows = [
        [row.name, *(_cells(found, place, row)[name] for name in names)]
        for place, row in enumerate(found.rows)
    ]
    lines = [f"<tr>{''.join(f'<th>{escape(name)}</th>' for name in head)}</tr>"]
    for row in rows:
        cells = "".join(
            f'<td style="text-align:{"left" if name in ("learner", *_LEFT) else "right"}">'
            f"{escape(cell)}</td>"
            for name, cell in zip(head, row, strict=True)
        )
        lines.append(f"<tr>{cells}</tr>")
    about = "".join(f"<p>{escape(text)}</p>" for text in (*_data(found).split("\n"),))
    said = "".join(f"<p>{escape(text)}</p>" for text in (verdict(found), *_notes(found)))
    table = f"<table>{''.join(lines)}</table>"  # wider than a telephone: it scrolls in its box
    return f'{about}<div style="max-width:100%;overflow-x:auto">{table}</div>{said}'


def _notes(found: Comparison) -> list[str]:
    """Return what was tuned for whom, what each learner was given, and who was left out."""
    notes = [f"{what}: {says}" for what, says in fairness(found)]
    reasons = by_reason(found).items()
    return notes + [f"left out: {', '.join(names)}: {why}" for why, names in reasons]


def verdict(found: Comparison) -> str:
    """Return the conclusion in a sentence: a winner only if it is significantly better than all."""
    first, others = found.rows[0], found.rows[1:]
    share = f"{METRIC[found.metric]} {100 * first.score:.2f} %"
    if not others:
        return f"{first.name} reaches {share}; there is no other learner to compare it with."
    how = f"{TEST[found.test]}, Holm's correction for {len(found.pairs)} pair"
    how += "s" if len(found.pairs) > 1 else ""
    if found.winner:
        rest = "the other one" if len(others) == 1 else f"all {len(others)} others"
        return f"{first.name} wins: {share}, significantly better than {rest} ({how})."
    if others[-1].score == first.score:
        return f"No winner: all {len(found.rows)} learners reach {share}."
    near = list(found.not_worse)
    rest = f"any of the {len(others)} others" if len(near) == len(others) > 1 else _listed(near)
    return (
        f"No winner: {first.name} is highest ({share}), but not significantly better than {rest} "
        f"at the {100 * LEVEL:.0f} % level ({how})."
    )


def fairness(found: Comparison) -> list[tuple[str, str]]:
    """Return what was tuned for whom, and which features whom was given."""
    tuned = grouped({row.name: ", ".join(row.tuned) for row in found.rows})
    alone = tuned.pop("", [])
    says = "; ".join(f"{names} of {_listed(who)}" for names, who in tuned.items()) or "nothing"
    facts = [("tuned on held-out training examples", says)]
    facts += [("with its settings as they are", _listed(alone))] if alone else []
    features = grouped({row.name: row.features for row in found.rows})
    given = "; ".join(f"{what} for {_listed(who)}" for what, who in features.items())
    return [*facts, ("features", given)]


def by_reason(found: Comparison) -> dict[str, list[str]]:
    """Return the learners that were left out by the reason why."""
    return grouped(found.skipped)


def grouped(said: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the names of whom the same is said.

    Examples
    --------
    >>> grouped({"a": "slow", "b": "fast", "c": "slow"})
    {'slow': ['a', 'c'], 'fast': ['b']}
    """
    groups: dict[str, list[str]] = {}
    for name, what in said.items():
        groups.setdefault(what, []).append(name)
    return groups


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _data(found: Comparison) -> str:
    card = found.card
    what = f"{card['n']:,} {card['kind']}"
    if card["n_tokens"]:
        what += f", {card['n_tokens']:,} tokens"
    note = in_words(card["copies"], card["n"], card["kind"]) + "\n" if card["copies"] else ""
    sizes = f"{card['n_train']:,} to learn from, {card['n_test']:,} to test"
    return (
        f"{what}, {card['n_labels']:,} labels; {card['splits']}: {sizes}; "
        f"{card['n_features']:,} features in {seconds(card['feature_seconds'])}\n"
        f"{note}without learning ({_guesser(found)}): {100 * card['baseline']:.2f} %; "
        f"all in {seconds(found.seconds)}"
    )


def _guesser(found: Comparison) -> str:
    texts = found.card["kind"] == "examples"
    return "the most frequent label" if texts else "each word's most frequent tag"


def _table(found: Comparison) -> list[str]:
    names = [row.name for row in found.rows]
    rows = [_cells(found, place, row) for place, row in enumerate(found.rows)]
    groups = [
        [
            (METRIC[found.metric] if name == "score" else name, [row[name] for row in rows])
            for name in group
            if name in ("score", "95 % interval") or any(row[name] for row in rows)
        ]
        for group in _GROUPS
    ]
    return _packed(names, groups)


def _packed(
    names: list[str], groups: list[list[tuple[str, list[str]]]], *, left: bool = False
) -> list[str]:
    """Return the lines of tables no wider than the terminal, each with the names of the learners.

    Parameters
    ----------
    names : list of str
    groups : list of lists of (heading, cells)
        A group goes on with the table before it where there is room, else it begins a new one; a
        group that is too wide by itself is divided.
    left : bool
        Whether all cells are words, and not figures.
    """
    width = max(_NARROWEST, get_terminal_size((80, 24)).columns)
    first = max(len("learner"), *map(len, names))
    tables: list[list[tuple[str, list[str]]]] = [[]]
    room = width - first - 2
    for group in groups:
        group = [(name, [_cut(cell, room) for cell in cells]) for name, cells in group]
        fits = _width([*tables[-1], *group], first) <= width
        if tables[-1] and not fits and _width(group, first) <= width:
            tables.append([])
        for column in group:
            if tables[-1] and _width([*tables[-1], column], first) > width:
                tables.append([])
            tables[-1].append(column)
    lines: list[str] = []
    for table in tables:
        lines += [""] * bool(lines) + _lines(names, table, first, left)
    return lines


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _width(columns: list[tuple[str, list[str]]], first: int) -> int:
    return first + sum(2 + max(map(len, (name, *cells))) for name, cells in columns)


def _lines(
    names: list[str], columns: list[tuple[str, list[str]]], first: int, left: bool
) -> list[str]:
    """Return a table as lines, the headings ruled off."""
    parts = [[cell.ljust(first) for cell in ("learner", *names)]]
    for heading, cells in columns:
        wide = max(map(len, (heading, *cells)))
        pad = str.ljust if left or heading in _LEFT else str.rjust
        parts.append([pad(cell, wide) for cell in (heading, *cells)])
    text = ["  ".join(row).rstrip() for row in zip(*parts, strict=True)]
    return [text[0], "─" * max(map(len, text)), *text[1:]]


def _cells(found: Comparison, place: int, row: LearnerScore) -> dict[str, str]:
    low, high = row.interval
    versus = ""
    if place:
        versus = p_value(found.pair(found.rows[0].name, row.name).p_corrected)
    error = row.calibration_error
    return {
        "score": f"{100 * row.score:.2f} %",
        "95 % interval": f"{100 * low:.2f} - {100 * high:.2f}",
        "p vs first": versus,
        "ECE": "" if error is None else f"{error:.3f}",
        "train": seconds(row.train_seconds),
        "predict": seconds(row.predict_seconds),
        "memory": "" if row.peak_bytes is None else size(row.peak_bytes),
        "model": size(row.model_bytes),
        "with": settings(row.parameters),
    }


def _curves(found: Comparison) -> list[str]:
    """Return the learning curves: a line a learner, a column a size."""
    sizes = sorted({n for row in found.rows for n, _ in row.curve})
    curves = [dict(row.curve) for row in found.rows]
    columns = [
        [(f"{n:,}", [f"{100 * at[n]:.2f}" if n in at else "" for at in curves])] for n in sizes
    ]
    head = "learning curve: " + METRIC[found.metric] + " after so many training units"
    return [head, *_packed([row.name for row in found.rows], columns)]


# Headings, and what the learners call it.
_PROPERTIES = {
    "kind": "kind",
    "models": "models",
    "boundary": "boundary",
    "misspecified": "misspecified",
    "overlap": "overlapping_features",
    "training": "training",
    "settings": "hyperparameters",
    "smoothing": "smoothing",
    "independence": "independence",
}


def _properties(found: Comparison) -> list[str]:
    """Return what the learners say of themselves (SPEC T-01, T-03)."""
    rows = [row for row in found.rows if row.properties]
    if not rows:
        return []
    columns = [
        [(heading, [str(row.properties.get(key, "")) for row in rows])]
        for heading, key in _PROPERTIES.items()
    ]
    return _packed([row.name for row in rows], columns, left=True)
