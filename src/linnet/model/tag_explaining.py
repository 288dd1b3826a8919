"""The exact contribution of every feature and neighbour to the tag of a token (SPEC C-27)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.explain.tags import TagChoice, TagExplanation
from linnet.explain.text import Contribution
from linnet.learn.linear_chain import Allowed
from linnet.model.reasons.chain import END, reasons_of
from linnet.model.tokens import Tokens, read_tokens, tokens_of_text

if TYPE_CHECKING:
    from linnet.model.tag_model import TagModel

__all__ = ["explain"]

Floats = NDArray[np.float64]


def explain(model: TagModel, sentence: Any, against: Sequence[str] | None = None) -> TagExplanation:
    """Explain the tags of one sentence: raw text, a list of words or tuples, or its Tokens.

    With tags in `against`, such as the true ones, each tag is compared with that of the same place,
    where it is another one that the model knows; otherwise with the next best.
    """
    tokens = model.complete(_tokens(sentence))
    rows, allowed = model._rows(tokens), model.allowed("model")
    reasons = reasons_of(model, rows)
    labels = model.chain.decode(rows, tokens.offset, allowed, 1).tolist()
    shares = model.chain.marginals(rows, tokens.offset, allowed, 1) if model.probabilistic else None
    edges, tags = set(tokens.offset.tolist()), model.classes_.tolist()
    wished = _numbers_of(against, tags, tokens.n_tokens)
    choices = []
    for t, word in enumerate(tokens.strings(0)):
        label = labels[t]
        before = END if t in edges else labels[t - 1]
        after = END if t + 1 in edges else labels[t + 1]
        parts = reasons.features(t, before)
        around = [
            (f"{'^' if before == END else tags[before]} → {tags[label]}", reasons.left(before)),
            (f"{tags[label]} → {'$' if after == END else tags[after]}", reasons.right(t, after)),
        ]
        score = np.sum([weights for _, weights in (*parts, *around)], axis=0)
        other = wished.get(t)
        if other is None or other == label:
            other = _runner_up(score, label, _legal(allowed, before, after))
        choices.append(
            TagChoice(
                word=word,
                tag=tags[label],
                runner_up=None if other is None else tags[other],
                margin=0.0 if other is None else float(score[label] - score[other]),
                probability=None if shares is None else float(shares[t, label]),
                features=_differences(parts, label, other),
                neighbours=_differences(around, label, other),
            )
        )
    return TagExplanation(tuple(choices))


def _tokens(sentence: Any) -> Tokens:
    if isinstance(sentence, Tokens):
        return sentence
    return tokens_of_text(sentence)[0] if isinstance(sentence, str) else read_tokens([sentence])


def _numbers_of(against: Sequence[str] | None, tags: list[str], n_tokens: int) -> dict[int, int]:
    """Return the number of the tag to compare with at each token; none for an unknown tag."""
    if against is None:
        return {}
    if len(against) != n_tokens:
        raise DataError(f"There are {n_tokens} tokens and {len(against)} tags to compare with.")
    number = {tag: k for k, tag in enumerate(tags)}
    return {t: number[tag] for t, tag in enumerate(against) if tag in number}


def _differences(
    parts: list[tuple[str, Floats]], label: int, other: int | None
) -> tuple[Contribution, ...]:
    """Return what each part adds to a label more than to the other, the strongest first."""
    if other is None:
        return ()
    found = [(name, float(weights[label] - weights[other])) for name, weights in parts]
    found.sort(key=lambda part: -abs(part[1]))
    return tuple(Contribution(name, 1.0, weight, weight) for name, weight in found)


def _legal(allowed: Allowed | None, before: int, after: int) -> NDArray[np.bool_] | None:
    """Return which labels may stand between two others."""
    if allowed is None:
        return None
    left = allowed.start if before == END else allowed.transition[before]
    right = allowed.stop if after == END else allowed.transition[:, after]
    return left & right


def _runner_up(score: Floats, label: int, legal: NDArray[np.bool_] | None) -> int | None:
    """Return the best other label, a legal one if there is any."""
    others = np.arange(len(score)) != label
    if legal is not None and (others & legal).any():
        others &= legal
    if not others.any():
        return None
    return int(np.argmax(np.where(others, score, -np.inf)))
