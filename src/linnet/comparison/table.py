"""A comparison for readers: the data, a table, what may be concluded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from linnet.comparison.figures import METRIC, TEST, p_value, seconds, settings, size
from linnet.comparison.result import LEVEL
from linnet.data.copies import in_words

if TYPE_CHECKING:
    from linnet.comparison.result import Comparison, LearnerScore

__all__ = ["by_reason", "fairness", "grouped", "readable", "verdict"]

_HEAD = (
    "learner",
    "",
    "95 % interval",
    "p vs first",
    "ECE",
    "train",
    "predict",
    "memory",
    "model",
    "with",
)


def readable(found: Comparison) -> str:
    """Return the whole comparison as text."""
    lines = [_data(found), "", *_table(found), "", verdict(found)]
    lines += [f"{what}: {says}" for what, says in fairness(found)]
    lines += [f"left out: {', '.join(names)}: {why}" for why, names in by_reason(found).items()]
    if any(row.curve for row in found.rows):
        lines += ["", *_curves(found)]
    lines += ["", *_properties(found)]
    return "\n".join(lines)


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
    head = (_HEAD[0], METRIC[found.metric], *_HEAD[2:])
    rows = [_cells(found, place, row) for place, row in enumerate(found.rows)]
    shown = [
        column for column in range(len(head)) if column < 3 or any(row[column] for row in rows)
    ]
    lines = [[line[column] for column in shown] for line in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = ["  ".join(_padded(line, widths)).rstrip() for line in lines]
    return [text[0], "-" * max(map(len, text)), *text[1:]]


def _padded(line: list[str], widths: list[int]) -> list[str]:
    first, *middle, last = [
        cell.ljust(width) if place in (0, len(line) - 1) else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(line, widths, strict=True))
    ]
    return [first, *middle, last]


def _cells(found: Comparison, place: int, row: LearnerScore) -> tuple[str, ...]:
    low, high = row.interval
    versus = ""
    if place:
        versus = p_value(found.pair(found.rows[0].name, row.name).p_corrected)
    error = row.calibration_error
    return (
        row.name,
        f"{100 * row.score:.2f} %",
        f"{100 * low:.2f} - {100 * high:.2f}",
        versus,
        "" if error is None else f"{error:.3f}",
        seconds(row.train_seconds),
        seconds(row.predict_seconds),
        "" if row.peak_bytes is None else size(row.peak_bytes),
        size(row.model_bytes),
        settings(row.parameters),
    )


def _curves(found: Comparison) -> list[str]:
    """Return the learning curves: a line a learner, a column a size."""
    sizes = sorted({n for row in found.rows for n, _ in row.curve})
    width = max(len(row.name) for row in found.rows)
    lines = ["learning curve: " + METRIC[found.metric] + " after so many training units"]
    lines.append("  ".join([" " * width, *(f"{n:>8,}" for n in sizes)]))
    for row in found.rows:
        at = dict(row.curve)
        cells = [f"{100 * at[n]:8.2f}" if n in at else " " * 8 for n in sizes]
        lines.append("  ".join([row.name.ljust(width), *cells]))
    return lines


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
    head = ["learner", *_PROPERTIES]
    body = [
        [row.name, *(str(row.properties.get(key, "")) for key in _PROPERTIES.values())]
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in (head, *body)
    ]
