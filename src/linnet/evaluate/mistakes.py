"""The mistakes a model was surest of, and what made it so sure; labels that look wrong themselves.

A mistake is a wrong label of a row, a wrong tag of a token, or a wrong yes or no to one of several
labels (:mod:`linnet.evaluate.units`).

Let p_i be the probabilities of a model that was not fitted on decision i, labelled y. It is suspect
if another label is the most probable and p_i[y] is below a limit, by default 0.1; the smaller
p_i[y], the more suspect. That takes probabilities that mean what they say, as those of MaxEnt, CRF
and of TextClassifier do (:mod:`linnet.evaluate.calibration` measures it).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from linnet.data.formats.sequence_common import Sequences
from linnet.data.rows import RowTable
from linnet.errors import DataError
from linnet.evaluate.resampling import cross_probabilities
from linnet.evaluate.rows import labels_of, plain
from linnet.evaluate.units import Units, are_sets, as_units
from linnet.learn.shared.checks import check_count

__all__ = ["Mistake", "Suspect", "confident_mistakes", "label_suspects", "suspects"]

_NOT = "not "


@dataclass(frozen=True)
class Mistake:
    """A wrong label, and the features that spoke for it over the true one.

    `features` are (name, contribution), the strongest first; for a learner without weights
    `reasons` has its neighbours, support vectors or tests in words instead, and for a model that
    cannot explain both are empty. `truth_probability` is None for a label the model does not
    know. Of sentences, `row` is the sentence and `token` the place in it; `tagged` may have the
    words around it as (word, truth, guess), to be drawn.
    """

    row: int
    example: Any
    truth: Any
    guess: Any
    probability: float
    truth_probability: float | None
    features: tuple[tuple[str, float], ...] = ()
    token: int | None = None
    reasons: tuple[str, ...] = ()
    tagged: tuple[tuple[str, str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        shown = self.example
        if isinstance(shown, list):
            shown = [cell if cell == cell else None for cell in shown]  # NaN is a missing value
        elif not isinstance(shown, (str, dict)):
            shown = str(shown)
        features = [list(pair) for pair in self.features]
        more = {"example": shown, "features": features, "reasons": list(self.reasons)}
        return {k: v for k, v in asdict(self).items() if k != "tagged"} | more


def confident_mistakes(
    model: Any,
    X: Any,
    y: Any = None,
    n: int = 10,
    features: int = 5,
    *,
    probabilities: Any = None,
    guess: Any = None,
) -> list[Mistake]:
    """Return the mistakes a model was surest of, and why it made them.

    Parameters
    ----------
    model : fitted classifier with ``predict_proba``, or tagger with ``predict_marginals``
        One that has ``explain``, as linnet's classifiers of texts and rows and its taggers have,
        also names the features.
    X, y
        Examples and their true labels: one a row, a set a row for a classifier of several, or a
        list of tags a sentence.
    n, features : int
        How many mistakes, and how many features of each.
    probabilities, guess : optional
        What the model says about X, where that is known already.

    Examples
    --------
    >>> import linnet
    >>> texts, labels = ["good film", "fine film", "poor film", "dull film"], ["+", "+", "-", "-"]
    >>> model = linnet.TextClassifier(ngrams=1).fit(texts * 5, labels * 5)
    >>> [mistake] = confident_mistakes(model, ["a good film", "so dull"], ["-", "-"])
    >>> mistake.row, mistake.guess, mistake.features[0][0]
    (0, '+', 'good')
    """
    check_count("n", n, least=0)
    gold, tagger = labels_of(X, y), _tags_sentences(model)
    if are_sets(gold, sentences=tagger) and not getattr(model, "multilabel", False):
        raise DataError("these are several labels a row, the model gives one")
    p = probabilities
    if p is None:
        p = model.predict_marginals(X) if tagger else model.predict_proba(X)
    if guess is None and tagger:
        guess = model.predict(X)
    units = as_units(gold, p, plain(model.classes_), guess)
    wrong = np.flatnonzero(units.wrong)
    ranked = wrong[np.argsort(-units.sure[wrong], kind="stable")][:n]
    return [_mistake(model, X, gold, units, unit, features) for unit in ranked.tolist()]


def _tags_sentences(model: Any) -> bool:
    """Tell a tagger: by what a model reads, or by the verbs of a learner."""
    kind = getattr(model, "kind", None)
    return hasattr(model, "predict_marginals") if kind is None else bool(kind == "sequence")


def _mistake(model: Any, X: Any, gold: list[Any], units: Units, unit: int, limit: int) -> Mistake:
    row, of_truth = int(units.row[unit]), float(units.of_truth[unit])
    token = None if units.token is None else int(units.token[unit])
    truth, guess = units.gold[unit], units.guess[unit]
    example = one_of(X, row)
    parts: tuple[tuple[str, float], ...] = ()
    reasons: tuple[str, ...] = ()
    if hasattr(model, "explain"):
        if token is not None:
            parts = _behind_tag(model.explain(example, gold[row]).tokens[token], limit)
        elif getattr(model, "multilabel", False):
            parts = _behind_answer(model, example, guess, limit)
        else:
            parts, reasons = _behind(model, example, guess, truth, limit)
    shown = " ".join(map(_word, example)) if token is not None else example
    known = None if np.isnan(of_truth) else of_truth
    sure = float(units.sure[unit])
    return Mistake(row, shown, truth, guess, sure, known, parts, token, reasons)


def one_of(X: Any, row: int) -> Any:
    """Return one example as ``explain`` takes it: a text, bag, vector, row of values or sentence.

    Examples
    --------
    >>> one_of(["a text", "another"], 1)
    'another'
    """
    if isinstance(X, RowTable):
        return X.row(row)
    if hasattr(X, "iloc"):
        example = X.iloc[row]
        return example.tolist() if hasattr(example, "tolist") and example.ndim else example
    if isinstance(X, Sequences):
        part = X.take(np.array([row]))
        others = () if X.format == "conllu" else part.inputs  # there they are annotation
        names = [part.word, *(name for name in others if name != part.word)]
        return list(zip(*(part.sentences(name)[0] for name in names), strict=True))
    return X[row]


def _behind(
    model: Any, example: Any, guess: Any, truth: Any, limit: int
) -> tuple[tuple[tuple[str, float], ...], tuple[str, ...]]:
    """Return the features whose contribution to the guess exceeds that to the truth by most."""
    why = model.explain(example, guess)
    gain = _contributions(why)
    if gain is None:
        return (), tuple(why.lines(limit))
    classes = plain(model.classes_)
    if len(classes) > 2 and truth in classes:  # two classes share one score
        for name, value in (_contributions(model.explain(example, truth)) or {}).items():
            gain[name] = gain.get(name, 0.0) - value
    return _strongest(gain, limit), ()


def _behind_answer(
    model: Any, example: Any, guess: Any, limit: int
) -> tuple[tuple[str, float], ...]:
    """Return the features that spoke most for saying yes, or no, to one of several labels."""
    named = {label: (label, 1.0) for label in plain(model.classes_)}
    named |= {f"{_NOT}{label}": (label, -1.0) for label, _ in list(named.values())}
    label, sign = named[guess]
    parts = model.explain(example, label).contributions
    return _strongest({part.feature: sign * part.contribution for part in parts}, limit)


def _behind_tag(choice: Any, limit: int) -> tuple[tuple[str, float], ...]:
    """Return the features and neighbours that spoke for a tag rather than for the true one."""
    parts = (*choice.features, *choice.neighbours)
    return _strongest({part.feature: part.contribution for part in parts}, limit)


def _contributions(why: Any) -> dict[str, float] | None:
    """Return what each feature adds to the score; None for a learner without weights."""
    if hasattr(why, "contributions"):
        return {part.feature: part.contribution for part in why.contributions}
    if "feature" not in why.headings or "contribution" not in why.headings:
        return None
    name, value = why.headings.index("feature"), why.headings.index("contribution")
    return {row[name]: float(row[value]) for row in why.reasons}


def _strongest(gain: dict[str, float], limit: int) -> tuple[tuple[str, float], ...]:
    ranked = sorted(gain.items(), key=lambda item: -item[1])[:limit]
    return tuple((name, float(value)) for name, value in ranked if value > 0)


def _word(token: Any) -> str:
    return token if isinstance(token, str) else str(token[0])


@dataclass(frozen=True)
class Suspect:
    """A row whose label looks wrong: what is given, what a model suggests, and how sure it is.

    `token` is the place in the sentence `row`, for tags.
    """

    row: int
    given: Any
    suggested: Any
    probability: float
    suggested_probability: float
    token: int | None = None


def suspects(
    gold: Sequence[Any],
    probabilities: Any,
    classes: Sequence[Any],
    below: float = 0.1,
) -> list[Suspect]:
    """Return the rows whose given label looks wrong, the most suspect first.

    Parameters
    ----------
    gold : sequence of n labels, of lists of tags, or of sets of labels
        As given. Labels outside `classes` are not judged.
    probabilities : array of shape (n, K); of sentences a list of arrays of shape (tokens, K)
        Of a model that was not fitted on these rows.
    classes : sequence of K labels
    below : float
        How probable a label may be and still be suspect.

    Examples
    --------
    >>> p = [[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.95, 0.05], [0.2, 0.8]]
    >>> [(suspect.row, suspect.suggested) for suspect in suspects(list("aabbb"), p, list("ab"))]
    [(3, 'a')]
    >>> [suspect] = suspects([["a", "b"]], [np.array([[0.9, 0.1], [0.99, 0.01]])], list("ab"))
    >>> suspect.row, suspect.token
    (0, 1)
    """
    units = as_units(gold, probabilities, classes)
    doubtful = np.flatnonzero(units.wrong & (units.of_truth < below))
    ranked = doubtful[np.lexsort((-units.sure[doubtful], units.of_truth[doubtful]))]
    return [
        Suspect(
            int(units.row[i]),
            units.gold[i],
            units.guess[i],
            float(units.of_truth[i]),
            float(units.sure[i]),
            None if units.token is None else int(units.token[i]),
        )
        for i in ranked.tolist()
    ]


def label_suspects(
    learner: Any, X: Any, y: Any = None, folds: int = 5, seed: int = 0, below: float = 0.1
) -> list[Suspect]:
    """Return the rows of a training set whose label looks wrong, the most suspect first.

    Each row is judged by a copy of the learner fitted on the other folds.

    Parameters
    ----------
    learner : estimator with ``predict_proba`` or ``predict_marginals``
    X, y, folds, seed
        As in :func:`linnet.evaluate.cross_validate`.
    below : float
        As in :func:`suspects`.

    Examples
    --------
    >>> from linnet import MaxEnt
    >>> from linnet.data import load_iris
    >>> iris = load_iris()
    >>> y = iris.y.copy()
    >>> y[0] = y[-1]  # a mistake
    >>> label_suspects(MaxEnt(), iris.X, y)[0].row
    0
    """
    table, classes = cross_probabilities(learner, X, y, folds, seed)
    return suspects(labels_of(X, y), table, classes.tolist(), below)
