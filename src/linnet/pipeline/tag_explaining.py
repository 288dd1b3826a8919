"""The exact contribution of every feature and neighbour to the tag of a token (SPEC C-27)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.explain.tags import TagChoice, TagExplanation
from linnet.explain.text import Contribution
from linnet.learn.linear_chain import Allowed, LinearChain
from linnet.pipeline.tokens import read_tokens, tokens_of_text

if TYPE_CHECKING:
    from linnet.pipeline.tag_model import TagModel

__all__ = ["explain"]

Floats = NDArray[np.float64]
_END = -1


def explain(model: TagModel, sentence: Any) -> TagExplanation:
    """Explain the tags of one sentence: raw text, or a list of words or tuples."""
    chain, extractor = model._linear("explanation")
    tokens = tokens_of_text(sentence)[0] if isinstance(sentence, str) else read_tokens([sentence])
    tokens = model.complete(tokens)
    rows, allowed = model._rows(tokens), model.allowed("model")
    labels = chain.decode(rows, tokens.offset, allowed, 1).tolist()
    state = chain.states(rows, tokens.offset, 1)
    share = chain.marginals(rows, tokens.offset, allowed, 1) if model.probabilistic else None
    edges, tags = set(tokens.offset.tolist()), model.classes_.tolist()
    choices = []
    for t, word in enumerate(tokens.strings(0)):
        before = _END if t in edges else labels[t - 1]
        after = _END if t + 1 in edges else labels[t + 1]
        left, right = _left(chain, before), _right(chain, after)
        label, score = labels[t], state[t] + left + right
        other = _runner_up(score, label, _legal(allowed, before, after))
        columns = rows.index[rows.start[t] : rows.start[t + 1]].tolist()
        parts = [(extractor.names[j], chain.weights_of(j)) for j in columns]
        around = [
            (f"{'^' if before == _END else tags[before]} → {tags[label]}", left),
            (f"{tags[label]} → {'$' if after == _END else tags[after]}", right),
        ]
        choices.append(
            TagChoice(
                word=word,
                tag=tags[label],
                runner_up=None if other is None else tags[other],
                margin=0.0 if other is None else float(score[label] - score[other]),
                probability=None if share is None else float(share[t, label]),
                features=_differences(parts, label, other),
                neighbours=_differences(around, label, other),
            )
        )
    return TagExplanation(tuple(choices))


def _differences(
    parts: list[tuple[str, Floats]], label: int, other: int | None
) -> tuple[Contribution, ...]:
    """Return what each part adds to a label more than to the other, the strongest first."""
    if other is None:
        return ()
    found = [(name, float(weights[label] - weights[other])) for name, weights in parts]
    found.sort(key=lambda part: -abs(part[1]))
    return tuple(Contribution(name, 1.0, weight, weight) for name, weight in found)


def _left(chain: LinearChain, before: int) -> Floats:
    """Return what the label before adds to each label, shape (L,)."""
    return chain.start if before == _END else chain.transition[before]


def _right(chain: LinearChain, after: int) -> Floats:
    """Return what the label after adds to each label, shape (L,)."""
    return chain.stop if after == _END else chain.transition[:, after]


def _legal(allowed: Allowed | None, before: int, after: int) -> NDArray[np.bool_] | None:
    """Return which labels may stand between two others."""
    if allowed is None:
        return None
    left = allowed.start if before == _END else allowed.transition[before]
    right = allowed.stop if after == _END else allowed.transition[:, after]
    return left & right


def _runner_up(score: Floats, label: int, legal: NDArray[np.bool_] | None) -> int | None:
    """Return the best other label, a legal one if there is any."""
    others = np.arange(len(score)) != label
    if legal is not None and (others & legal).any():
        others &= legal
    if not others.any():
        return None
    return int(np.argmax(np.where(others, score, -np.inf)))
