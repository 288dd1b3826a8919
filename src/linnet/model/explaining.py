"""Why a model answers as it does about one example (SPEC C-27).

Of weights it is what each feature adds to the score, which they sum to; of a learner that is kept
whole its neighbours, support vectors, tests or terms; of a tagger what each feature and neighbour
adds to the tag of a token, in comparison with another tag.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.explain.rows import RowExplanation
from linnet.explain.tags import TagChoice, TagExplanation
from linnet.explain.text import Contribution, Explanation
from linnet.learn.shared.decision import ranking

if TYPE_CHECKING:
    from linnet.learn.chain.reasons import ChainReasons
    from linnet.model.model import Model

__all__ = ["explain"]

Floats = NDArray[np.float64]


def explain(
    model: Model, example: Any, label: Any = None, against: Sequence[str] | None = None
) -> Explanation | RowExplanation | TagExplanation:
    """Explain one example: by default the label that it gets, against the next best one."""
    if model.kind == "sequence":
        return _tags(model, example, label if against is None else against)
    reader, scorer, classes = model.reader, model.scorer, model.classes_.tolist()
    batch = reader.one(example)
    verdict = model.judge(batch)
    order = ranking(verdict.scores, verdict.best, len(classes))[0].tolist()
    k = order[0] if label is None else model.decision.number_of(label)
    others = [other for other in order if other != k]
    shown, probability = reader.shown(batch, example), float(verdict.probability[0, k])
    if scorer.name == "learner":
        from linnet.model.reasons import reasons_of

        inputs = scorer.inputs(reader, batch, model.n_threads)
        reasons = reasons_of(model, inputs, k, others[0])
        return RowExplanation(
            shown, classes[k], probability, classes[others[0]],
            reasons.title, reasons.headings, reasons.rows, reasons.note,
        )  # fmt: skip
    two = scorer.weights.shape[1] < len(classes)
    column, sign = (0, 1.0 if k else -1.0) if two else (k, 1.0)
    return Explanation(
        text=shown,
        label=classes[k],
        runner_up=classes[others[0]] if others and not model.multilabel else None,
        score=sign * scorer.explained(reader, batch, column, verdict),
        probability=probability,
        intercept=sign * float(scorer.intercept[column]),
        contributions=_contributions(model, batch, column, sign),
    )


def _contributions(model: Model, batch: Any, column: int, sign: float) -> tuple[Contribution, ...]:
    """Return what each feature adds to the score of a column, the strongest first."""
    reader = model.reader
    index, value, spans = reader.terms(batch)
    weight = sign * model.weights_[index, column].astype(np.float64)
    terms = zip(index.tolist(), value.tolist(), weight.tolist(), strict=True)
    parts = [
        Contribution(reader.name_in(batch, j, spans.get(j, ())), v, w, v * w, spans.get(j, ()))
        for j, v, w in terms
    ]
    return tuple(sorted(parts, key=lambda part: -abs(part.contribution)))


def _tags(model: Model, sentence: Any, against: Sequence[str] | None) -> TagExplanation:
    """Explain the tags of one sentence: raw text, a list of words or tuples, or its Tokens.

    With tags in `against`, such as the true ones, each tag is compared with that of the same place,
    where it is another one that the model knows; otherwise with the next best.
    """
    from linnet.learn.chain.reasons import END
    from linnet.model.reasons.chain import chain_reasons

    reader, scorer = model.reader, model.scorer
    tokens = reader.complete(reader.one(sentence))
    rows, allowed = reader.rows(tokens, model.n_threads), scorer.allowed(model.decision)
    reasons = chain_reasons(model, rows)
    labels = model.chain.decode(rows, tokens.offset, allowed, 1).tolist()
    shares = None
    if model.probabilistic:
        shares = model.chain.marginals(rows, tokens.offset, allowed, 1)
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
        two_before = END if before == END or t - 1 in edges else labels[t - 2]
        two_after = END if after == END or t + 2 in edges else labels[t + 2]
        around += _triples(reasons, t, (two_before, before, label, after, two_after), tags)
        score = np.sum([weights for _, weights in (*parts, *around)], axis=0)
        other = wished.get(t)
        if other is None or other == label:
            other = _runner_up(score, label, scorer.between(allowed, before, after))
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
    return TagExplanation(tuple(choices), None if against is None else tuple(against))


def _triples(
    reasons: ChainReasons, t: int, near: tuple[int, int, int, int, int], tags: list[str]
) -> list[tuple[str, Floats]]:
    """Return what the three labels in a row add that token t is the last, middle or first of."""
    parts = reasons.triples(t, near)
    if not parts:
        return []
    names = ["^" if label < 0 else tags[label] for label in near[:3]]
    names += ["$" if label < 0 else tags[label] for label in near[3:]]
    return [(" → ".join(names[k : k + 3]), part) for k, part in enumerate(parts)]


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
    terms = [(name, float(weights[label] - weights[other])) for name, weights in parts]
    terms.sort(key=lambda part: -abs(part[1]))
    return tuple(Contribution(name, 1.0, weight, weight) for name, weight in terms)


def _runner_up(score: Floats, label: int, legal: NDArray[np.bool_] | None) -> int | None:
    """Return the best other label, a legal one if there is any."""
    others = np.arange(len(score)) != label
    if legal is not None and (others & legal).any():
        others &= legal
    if not others.any():
        return None
    return int(np.argmax(np.where(others, score, -np.inf)))
