"""Vowpal Wabbit's lines: ``label [importance] [tag]|namespace feature[:value] ...``.

A feature of namespace ``ns`` is called ``ns^feature``, as Vowpal Wabbit itself calls it; one of
the nameless namespace keeps its name. A namespace may carry a weight, ``|ns:2``, which multiplies
its values. The tag becomes the example's id. The importance is checked and passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isfinite

from linnet.data.formats.bags import count_words
from linnet.data.formats.common import (
    NUMBER,
    Bag,
    Blocks,
    Examples,
    Mistake,
    Plan,
    label_texts,
    parsed_lines,
    shortest,
)
from linnet.errors import DataError, FormatError

__all__ = ["read", "recognise", "write"]

_NUMBER = re.compile(NUMBER)
_EDGES = re.compile(r"^\s|\s$")


def recognise(filled: list[str]) -> str | None:
    """Say why lines are of this format."""
    line = re.compile(
        rf"(?:{NUMBER}(?: +{NUMBER}){{0,2}} +(?:'?[^\s|]+)?)?"  # label, importance, base, tag
        rf"\|(?:[^\s|:]+(?::{NUMBER})?)?(?:[ \t|].*)?"
    )
    return "has features after a |" if all(map(line.fullmatch, filled)) else None


def read(blocks: Blocks, plan: Plan) -> Iterator[Examples]:
    """Yield the examples of each block; blank lines are skipped."""
    for records, lines in parsed_lines(blocks, plan, _parse):
        labels, tags, bags = map(list, zip(*records, strict=True))
        if plan.labels and any(labels) and "" in labels:
            message = "the line has no label, but others have; give it one or remove it"
            line = int(lines[labels.index("")])
            raise FormatError(message, file=plan.file, line=line, column=1)
        ids = tags if any(tags) else None
        yield plan.examples("bag", bags, labels if any(labels) else None, lines, ids)


def _parse(raw: bytes) -> tuple[str, str, Bag] | None:
    """Return label, tag and features of a line."""
    line = raw.decode()
    head, bar, body = line.partition("|")
    if not line.strip():
        return None
    if not bar:
        raise Mistake("expected label |features, but the line has no |", len(line) + 1)
    label, tag = _head(head)
    bag: Bag = {}
    column = len(head) + 2
    for part in body.split("|"):
        _namespace(part, bag, column)
        column += len(part) + 1
    return label, tag, bag


def _head(head: str) -> tuple[str, str]:
    """Return label and tag; the tag touches the bar or starts with a quote."""
    tokens = head.split()
    tag = ""
    if tokens and (tokens[-1].startswith("'") or (head[-1] != " " and len(tokens) > 1)):
        tag = tokens.pop().removeprefix("'")
    if len(tokens) > 3 or not all(_NUMBER.fullmatch(token) for token in tokens[1:]):
        message = f"expected label [importance [base]] [tag] before the |, found {head.strip()!r}"
        raise Mistake(message, 1)
    return (tokens[0] if tokens else ""), tag


def _namespace(part: str, bag: Bag, column: int) -> None:
    """Add the features of one namespace to the bag."""
    tokens = part.replace("\t", " ").split(" ")
    name, scale = _pair(tokens[0], column) if tokens[0] else ("", 1.0)
    prefix = f"{name}^" if name else ""
    column += len(tokens[0]) + 1
    for token in tokens[1:]:
        if token:
            feature, value = _pair(token, column)
            feature = prefix + feature
            bag[feature] = bag.get(feature, 0.0) + value * scale
        column += len(token) + 1


def _pair(token: str, column: int) -> tuple[str, float]:
    if ":" not in token:
        return token, 1.0
    name, _, value = token.partition(":")
    if not _NUMBER.fullmatch(value) or not isfinite(float(value)):
        message = f"value {value!r} of {name!r} is not a finite number"
        raise Mistake(message, column + len(name) + 1)
    return name, float(value)


def write(examples: Examples, row: int, plan: Plan) -> Iterator[str]:
    """Yield one line an example; a text becomes the counts of its words between white space.

    A colon or bar within a name, which the format cannot express, becomes COLON or PIPE.
    """
    bags = map(count_words, examples.X) if examples.kind == "text" else examples.bags()
    for number, bag in enumerate(bags):
        where = f"example {row + number + 1}"
        labels = [] if examples.y is None else label_texts(examples.y[number])
        if len(labels) > 1:
            raise DataError(f"{where}: a Vowpal Wabbit line has one label, not {len(labels)}")
        label = labels[0] if labels else ""
        if any(mark.isspace() or mark in "|:'" for mark in label) or (labels and not label):
            raise DataError(f"{where}: Vowpal Wabbit cannot hold the label {label!r}; rename it")
        tag = "" if examples.ids is None else _tag(examples.ids[number], where)
        yield f"{label} {tag}{_namespaces(bag, where)}\n".lstrip(" ")


def _tag(name: str, where: str) -> str:
    if any(mark.isspace() or mark == "|" for mark in name):
        raise DataError(f"{where}: Vowpal Wabbit cannot hold the id {name!r}; rename it")
    return f"'{name}" if name else ""


def _namespaces(bag: Bag, where: str) -> str:
    """Return the bars and features, grouped by the namespace before ``^``."""
    groups: dict[str, list[str]] = {}
    for feature, value in bag.items():
        if len(feature.split()) != 1 or _EDGES.search(feature) or not isfinite(value):
            raise DataError(f"{where}: Vowpal Wabbit cannot hold {feature!r} with value {value}")
        space, mark, name = feature.partition("^")
        if not (space and mark and name):
            space, name = "", feature
        if ":" in feature or "|" in feature:
            space, name = _plain(space), _plain(name)
        weight = "" if value == 1 else f":{shortest(value)}"
        groups.setdefault(space, []).append(f"{name}{weight}")
    parts = [f"|{space} {' '.join(words)}" for space, words in groups.items()]
    return " ".join(parts) or "|"


def _plain(name: str) -> str:
    return name.replace(":", "COLON").replace("|", "PIPE")
