"""Why a learner answered as it did: its strongest features, and its surest mistakes.

Of a linear learner only differences of scores decide, so a feature's weight for label k is shown as
W[j, k] − mean over labels of W[j, ·]: what the feature says for k rather than for any other label.
That takes the frequent words, which have large weights for every label, out of naive Bayes.

A mistake is explained by the features whose contribution to the guess exceeds that to the truth by
most: why this label, and not the right one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.rows import RowTable
from linnet.errors import LinnetError, ParameterError
from linnet.evaluate.mistakes import Mistake, confident_mistakes
from linnet.model.fitting.reading import rows_of
from linnet.model.model import Model
from linnet.model.readers.tokens import Tokens

__all__ = ["AROUND", "Why", "marked", "spelled", "why_labels", "why_tags"]

Floats = NDArray[np.float64]
FEATURES, MISTAKES, LABELS = 10, 8, 20
AROUND = 7  # words shown on each side of a wrong tag


@dataclass(frozen=True)
class Why:
    """The strongest features of the most frequent labels, and the surest mistakes.

    `features` is empty for a learner without weights. The rows of `mistakes` are those of the test
    part; of a tagger they are sentences, and the example is the words around the token.
    """

    features: dict[Any, list[tuple[str, float]]]
    mistakes: tuple[Mistake, ...]


def why_labels(model: Any, X: Any, gold: list[Any], guess: list[Any], chance: Floats | None) -> Why:
    """Explain a learner of single labels.

    Parameters
    ----------
    model : Model, or an object with ``classes_``
        Only a :class:`linnet.Model` names features.
    X : texts, bags or vectors
        The test part.
    gold, guess : lists of n labels
    chance : array of shape (n, K), or None
        Without probabilities there is no surest mistake.
    """
    features = _strongest(model, gold) if _has_weights(model) else {}
    if chance is None:
        return Why(features, ())
    sure = chance.max(axis=1)
    order = np.argsort(-sure, kind="stable").tolist()
    wrong = np.array([i for i in order if gold[i] != guess[i]][: 2 * MISTAKES], np.intp)
    if not len(wrong):
        return Why(features, ())
    found = confident_mistakes(
        model if isinstance(model, Model) else SimpleNamespace(classes_=model.classes_),
        [_one(X, i) for i in wrong.tolist()], [gold[i] for i in wrong.tolist()],
        MISTAKES, FEATURES, probabilities=chance[wrong],
    )  # fmt: skip
    return Why(
        features,
        tuple(replace(m, row=int(wrong[m.row]), example=spelled(m.example)) for m in found),
    )


def why_tags(
    model: Model, test: Tokens, gold: list[list[str]], guess: list[list[str]], sure: Any
) -> Why:
    """Explain a tagger; `sure` has the largest marginal of each token, or is None."""
    try:
        frequent = _frequent(chain.from_iterable(gold), model.classes_.tolist())
        features = model.top_features(FEATURES)
        features = {tag: features[tag] for tag in frequent}
    except LinnetError:  # it has no weights
        features = {}
    pairs = zip(chain.from_iterable(gold), chain.from_iterable(guess), strict=True)
    wrong = np.flatnonzero([a != b for a, b in pairs])
    if sure is not None:
        wrong = wrong[np.argsort(-sure[wrong], kind="stable")]
    columns = [test.strings(c) for c in range(len(test.columns))]
    found: dict[int, Mistake] = {}
    for token in wrong.tolist():
        s = int(np.searchsorted(test.offset, token, side="right")) - 1
        if s in found:  # one mistake a sentence: the next is often its consequence
            continue
        first, last = int(test.offset[s]), int(test.offset[s + 1])
        part = Tokens(tuple(column[first:last] for column in columns), np.array([0, last - first]))
        chance = None if sure is None else float(sure[token])
        found[s] = _tag_mistake(model, part, s, token - first, gold[s], guess[s], chance)
        if len(found) == MISTAKES:
            break
    return Why(features, tuple(found.values()))


def _tag_mistake(
    model: Model, sentence: Tokens, s: int, t: int, gold: list[str], guess: list[str], sure: Any
) -> Mistake:
    try:
        choice = model.explain(sentence, against=gold).tokens[t]
        parts = sorted((*choice.features, *choice.neighbours), key=lambda p: -p.contribution)
        reasons = tuple((p.feature, p.contribution) for p in parts if p.contribution > 0)
    except LinnetError:  # its score is no sum over features
        reasons = ()
    words = sentence.strings(0)
    low, high = max(0, t - AROUND), min(len(words), t + AROUND + 1)
    tagged = tuple(zip(words[low:high], gold[low:high], guess[low:high], strict=True))
    return Mistake(
        s, marked(words, t), gold[t], guess[t], sure, None, reasons[:FEATURES], t, tagged=tagged
    )


def marked(words: Sequence[str], t: int) -> str:
    """Return the words around one, which stands in brackets.

    Examples
    --------
    >>> marked("he saw her duck".split(), 3)
    'he saw her [duck]'
    """
    low, high = max(0, t - AROUND), min(len(words), t + AROUND + 1)
    shown = [f"[{word}]" if low + i == t else word for i, word in enumerate(words[low:high])]
    return " ".join(["…"] * (low > 0) + shown + ["…"] * (high < len(words)))


def spelled(example: Any) -> str:
    """Return one text, bag, vector or sentence as a line that people can read.

    Examples
    --------
    >>> spelled({"good": 2.0, "film": 1.0}), spelled(np.array([0.0, 1.5]))
    ('good:2 film:1', 'x1:1.5')
    >>> spelled([("He", "PRP"), ("ran", "VBD")])
    'He ran'
    """
    if hasattr(example, "as_py"):  # Arrow
        example = example.as_py()
    if isinstance(example, str):
        return example
    if isinstance(example, Mapping):
        return " ".join(f"{name}:{value:g}" for name, value in example.items())
    if isinstance(example, (list, tuple)):
        return " ".join(str(token[0] if isinstance(token, tuple) else token) for token in example)
    values = np.asarray(example.toarray() if hasattr(example, "toarray") else example).ravel()
    if values.dtype.kind not in "fiub":
        return str(example)
    return " ".join(f"x{j}:{values[j]:g}" for j in np.flatnonzero(values).tolist())


def _one(X: Any, row: int) -> Any:
    """Return one example; a row of a matrix stays an array."""
    if isinstance(X, RowTable):
        return X.row(row)
    found = rows_of(X, np.array([row]))
    if hasattr(found, "toarray"):
        return found
    return found.to_numpy()[0] if hasattr(found, "to_numpy") else found[0]


def _has_weights(model: Any) -> bool:
    try:
        return isinstance(model, Model) and model.weights_of(0) is not None
    except ParameterError:  # it keeps its learner, which has none
        return False


def _strongest(model: Model, gold: list[Any]) -> dict[Any, list[tuple[str, float]]]:
    classes = model.classes_.tolist()
    found = {}
    n_classes = len(classes)
    mean = 0.0 if n_classes == 2 else sum(map(model.weights_of, range(n_classes))) / n_classes
    for label in _frequent(gold, classes):
        weights = model.weights_of(classes.index(label)) - mean
        n = min(FEATURES, len(weights))
        best = np.argpartition(-weights, n - 1)[:n] if n else np.array([], int)
        best = best[np.argsort(-weights[best], kind="stable")]
        found[label] = [
            (model.feature_name(j), float(weights[j])) for j in best.tolist() if weights[j] > 0
        ]
    return found


def _frequent(gold: Any, classes: list[Any]) -> list[Any]:
    """Return the most frequent labels that the model knows, at most as many as are shown."""
    counts, known = Counter(gold), set(classes)
    ranked = [label for label, _ in counts.most_common() if label in known]
    return (ranked + [label for label in classes if label not in counts])[:LABELS]
