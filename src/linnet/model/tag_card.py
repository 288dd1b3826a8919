"""What a tagger weighs most, and a description of it that people can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linnet.errors import ParameterError

if TYPE_CHECKING:
    from linnet.model.tag_model import TagModel

__all__ = ["card", "top_features", "top_transitions"]

_LISTED = 30


def top_features(model: TagModel, n: int) -> dict[str, list[tuple[str, float]]]:
    """Return the n features of largest weight for each tag, largest first.

    Examples
    --------
    >>> import linnet
    >>> tagger = linnet.SequenceTagger(features=["w[0]"]).fit([["a", "b"]], [["A", "B"]])
    >>> top_features(tagger.model_, 1)["B"][0][0]
    'w[0]=b'
    """
    _check(n)
    chain, extractor = model._linear("list of features")
    names = extractor.names
    owner = np.repeat(np.arange(chain.n_features), np.diff(chain.pair_start))
    order = np.argsort(chain.pair_label, kind="stable")
    edges = np.searchsorted(chain.pair_label[order], np.arange(chain.n_labels + 1))
    found = {}
    for label, tag in enumerate(model.classes_.tolist()):
        own = order[edges[label] : edges[label + 1]]
        best = own[np.argsort(-chain.pair_weight[own], kind="stable")[:n]]
        found[tag] = [(names[int(owner[p])], float(chain.pair_weight[p])) for p in best.tolist()]
    return found


def top_transitions(model: TagModel, n: int) -> list[tuple[str, str, float]]:
    """Return the n transitions of largest score, for or against, as (tag, next tag, score).

    Examples
    --------
    >>> import linnet
    >>> tagger = linnet.SequenceTagger().fit([["a", "b"], ["c", "d"]], [["A", "B"], ["A", "B"]])
    >>> [row[:2] for row in top_transitions(tagger.model_, 1)]
    [('A', 'B')]
    """
    _check(n)
    scores, tags = model._linear("list of transitions")[0].transition, model.classes_.tolist()
    best = np.argsort(-np.abs(scores), axis=None, kind="stable")[:n]
    rows, columns = np.unravel_index(best, scores.shape)
    pairs = zip(rows.tolist(), columns.tolist(), strict=True)
    return [(tags[i], tags[j], float(scores[i, j])) for i, j in pairs]


def _check(n: int) -> None:
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
        raise ParameterError(f"n must be an integer, not negative; got {n!r}.")


def card(model: TagModel) -> str:
    """Return what the model predicts, from what, and how it was trained.

    Examples
    --------
    >>> import linnet
    >>> model = linnet.SequenceTagger(features=["w[0]"]).fit([["a", "b"]], [["A", "B"]]).model_
    >>> print(card(model).splitlines()[0])
    A tagger of sentences: 2 tags, 2 features
    """
    tags = model.classes_.tolist()
    listed = ", ".join(tags[:_LISTED]) + (", …" if len(tags) > _LISTED else "")
    rule = "the sequence of largest score"
    if model.scheme is not None:
        rule += f" among those legal in {model.scheme}"
    columns = "words" if model.n_columns == 1 else f"words and {model.n_columns - 1} more columns"
    if model.column_models:
        columns += ", predicted where there are words only"
    lines = [
        f"A tagger of sentences: {len(tags)} tags, {model.n_features:,} features",
        f"tags           {listed}",
        f"decision       {rule}",
        f"reads          {columns}",
        f"known words    {len(model.words):,}",
    ]
    for name, value in model.record_.items():
        shown = f"{value:.6g}" if isinstance(value, float) else str(value)
        lines.append(f"{name.replace('_', ' '):<14} {shown}")
    return "\n".join(lines)
