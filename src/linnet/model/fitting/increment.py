"""A text classifier on its way: labels, weights and foresight of what it has met so far.

:meth:`linnet.TextClassifier.partial_fit` keeps one, and a stream (:mod:`linnet.stream`) is learned
by one. It can be put aside as plain values and arrays and taken up again to the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.learn.flat.incremental import Incremental, Met, rows_between
from linnet.learn.maxent import MaxEnt
from linnet.learn.shared.declaration import declaration_of
from linnet.model.decision import Decision, fit_sharpness
from linnet.model.fitting.linear_form import narrow
from linnet.model.fitting.reading import kept_rows, label_lists, row_count
from linnet.model.fitting.steps import features_for, learner_of
from linnet.model.model import Model
from linnet.model.readers.blocks import text_reader
from linnet.model.scorers.flat import LinearScorer
from linnet.text.blocks import BlockExtractor
from linnet.text.extractor import Extractor, Rows
from linnet.threads import thread_count

if TYPE_CHECKING:
    from linnet.model.text_classifier import TextClassifier

__all__ = ["Foresight", "Increment", "fixed_features", "increment_of", "incremental_learner"]

Arrays = dict[str, NDArray[Any]]
_RECENT = 4096  # rows whose answers settle how sure the scores are
_POINTS = 64  # of the curve of foresight
_FEWEST = 100  # recent rows that are enough for that


def incremental_learner(clf: TextClassifier) -> Any:
    """Return the learner of a classifier that learns block by block; by default MaxEnt.

    Raises
    ------
    ParameterError
        When the learner needs all examples at once.
    """
    if clf.learner is None:
        clf = type(clf)(**{**clf.get_params(deep=False), "learner": MaxEnt()})
    learner = learner_of(clf)
    if not hasattr(learner, "incremental"):
        raise ParameterError(
            f"{type(learner).__name__} needs all examples at once; block by block learn MaxEnt, "
            "SVM, Perceptron, MIRA, MultinomialNB and BernoulliNB."
        )
    return learner


def fixed_features(clf: TextClassifier, learner: Any) -> Extractor:
    """Return the features of a classifier that needs no text to know them: hashed ones.

    What is not known without all texts is left out: the weights of tf-idf become those of the
    counts alone. A learner that reads counts gets them as they are.
    """
    features = features_for(clf, learner, 0)
    if not features.hashing:
        raise ParameterError("without a vocabulary the features must be hashed; pass hashing=20.")
    if features.weighting == "log_count_ratio":
        raise ParameterError("weighting='log_count_ratio' needs all examples; leave it out.")
    if features.weighting == "tfidf":
        plain = declaration_of(learner).reads == "counts"
        features.set_params(
            weighting="count",
            sublinear_tf=features.sublinear_tf and not plain,
            norm=None if plain else features.norm,
        )
    return features._reader(replace(features._settings(), hash="print"))


def increment_of(
    clf: TextClassifier, X: Any, y: Any, classes: Any, before: Increment | None
) -> Increment:
    """Return what the first call of ``partial_fit`` begins, or goes on with.

    The features are hashed, or those of the texts of this call.
    """
    labels = None if classes is None else sorted(set(np.asarray(classes).tolist()))
    if before is not None:
        if labels != sorted(before.labels):
            raise DataError(f"classes must be those of the first call, {sorted(before.labels)}.")
        return before
    learner = incremental_learner(clf)
    extractor: Extractor | BlockExtractor
    if clf.hashing:
        extractor = fixed_features(clf, learner)
    else:
        texts, _, _ = kept_rows(X, y, None)
        features = features_for(clf, learner, row_count(texts))
        extractor = features.fit(texts).extractor_
    if labels is None and len(set(np.asarray(y).tolist())) < 2:
        raise DataError("the first call needs two labels; or pass all of them as classes=")
    return Increment(learner, extractor, labels, admits=labels is None)


@dataclass
class Foresight:
    """How well examples were foreseen, each before it was learned (progressive validation).

    Attributes
    ----------
    examples, wrong : int
    loss : float
        The sum of the losses.
    curve : list of [examples, wrong, loss]
        The same for each stretch of the stream, at most 64 of them.
    """

    examples: int = 0
    wrong: int = 0
    loss: float = 0.0
    curve: list[list[float]] = field(default_factory=list)

    def add(self, examples: int, wrong: int, loss: float) -> None:
        """Count a block."""
        self.examples += examples
        self.wrong += wrong
        self.loss += loss
        self.curve.append([examples, wrong, loss])
        if len(self.curve) > _POINTS:
            pairs = zip(self.curve[::2], [*self.curve[1::2], [0, 0, 0.0]], strict=False)
            self.curve = [[a + b for a, b in zip(*pair, strict=True)] for pair in pairs]

    @property
    def accuracy(self) -> float:
        """The share of examples whose label was foreseen."""
        return 1.0 - self.wrong / max(1, self.examples)

    def record(self) -> dict[str, Any]:
        """Return the figures for a training record; a stretch has examples, accuracy, mean loss."""
        mean = self.loss / max(1, self.examples)
        curve = [[int(n), 1.0 - wrong / n, loss / n] for n, wrong, loss in self.curve if n]
        return {
            "examples": self.examples, "accuracy": self.accuracy, "loss": mean, "curve": curve,
        }  # fmt: skip


class Increment:
    """A text classifier on its way.

    Parameters
    ----------
    learner : estimator with a method ``incremental``
    extractor : Extractor or BlockExtractor
    labels : list, optional
        Labels that are known before they come.
    examples : int, optional
        How many there will be in a pass, where a penalty is to be weighed against them.
    admits : bool
        Whether labels beyond those are learned, too, or refused.
    """

    def __init__(
        self,
        learner: Any,
        extractor: Extractor | BlockExtractor,
        labels: list[Any] | None = None,
        *,
        examples: int | None = None,
        admits: bool = True,
    ) -> None:
        self.learner, self.extractor, self.admits = learner, extractor, admits
        self.labels: dict[Any, int] = {label: k for k, label in enumerate(labels or [])}
        self.core: Incremental = learner.incremental(
            extractor.n_features, len(self.labels), examples
        )
        self.seen = 0
        self.before: dict[str, Any] | None = None  # the record of the model that is continued
        self.sharpness = 1.0
        self.foresight = Foresight()
        self._recent: list[tuple[NDArray[np.float64], NDArray[np.int32]]] = []

    @property
    def n_bytes(self) -> int:
        """The memory of the weights, with the copies that making a model of them takes."""
        J, core = self.extractor.n_features, self.core
        names = sum(array.nbytes for array in self.extractor.to_file()[1].values())
        return names + core.bytes_for(J, len(self.labels)) + 12 * J * core.columns

    @classmethod
    def continuing(cls, model: Any, learner: Any, *, admits: bool) -> Increment:
        """Return what goes on from a trained model of texts, with a learner that needs no more."""
        if getattr(model, "kind", None) != "text" or not isinstance(model.scorer, LinearScorer):
            raise DataError("only a model of texts with a weight for each feature is continued")
        if model.multilabel:
            raise DataError("the model gives several labels a text; train it anew")
        increment = cls(learner, model.extractor, model.classes_.tolist(), admits=admits)
        increment.core.begin_at(model.weights_, model.intercept_)
        increment.before, increment.sharpness = model.record_, model.sharpness_
        return increment

    def meet_texts(self, X: Any, y: Any) -> None:
        """Answer texts, then learn from them."""
        texts, labels, _ = kept_rows(X, y, None)
        if label_lists(labels) is not None:
            raise DataError("one label a text is learned block by block, not several")
        plain = [label.item() if isinstance(label, np.generic) else label for label in labels]
        strange = next((v for v in plain if not isinstance(v, (str, int, float))), None)
        if strange is not None:
            raise DataError(f"Labels must be texts or numbers, got {strange!r}; convert them.")
        self.meet(self.rows(texts, thread_count(None)), plain)

    def rows(self, texts: Any, threads: int) -> Rows:
        """Return the features of texts, in the order in which they first occur."""
        return self.extractor.values(texts, threads, ordered=False)

    def meet(self, rows: Rows, y: list[Any], *, foresees: bool = True) -> None:
        """Answer examples, then learn from them, one after the other.

        Parameters
        ----------
        rows : Rows
        y : list of labels
        foresees : bool
            Whether the examples are new, so that the answers say how good they are.
        """
        gold, cuts = self._numbers(y)
        edges = [0, *cuts, len(y)]
        for first, last in pairwise(edges):
            if first < last:
                part = gold[first:last]
                self._widen(int(part.max()) + 1)
                met = self.core.meet(rows_between(rows, first, last), part)
                if foresees:
                    self.foresight.add(len(part), met.wrong, met.loss)
                    self._remember(met, part)
        self.seen += len(y)

    def _numbers(self, y: list[Any]) -> tuple[NDArray[np.int32], list[int]]:
        """Return the number of each label, and where a label comes that needs a new column."""
        labels, known = self.labels, len(self.labels)
        numbers = [labels.setdefault(label, len(labels)) for label in y]
        new = list(labels)[known:]
        if new and not self.admits:
            for label in new:
                del labels[label]
            raise DataError(
                f"the label {new[0]!r} is not among those of the model, "
                f"{', '.join(map(repr, list(labels)[:10]))}; to learn new labels, say so"
            )
        cuts = [numbers.index(k) for k in range(max(known, 2), len(labels))]
        return np.array(numbers, np.int32), cuts

    def _widen(self, n_classes: int) -> None:
        if n_classes > self.core.n_classes:
            self.core.widen(n_classes)
            self._recent = []

    def _remember(self, met: Met, gold: NDArray[np.int32]) -> None:
        self._recent.append((met.scores[-_RECENT:], gold[-_RECENT:]))
        while sum(len(part) for _, part in self._recent[1:]) >= _RECENT:
            del self._recent[0]

    def model(self, clf: TextClassifier, **record: Any) -> Model:
        """Return the model of all that was met."""
        names = list(self.labels)
        if len(names) < 2:
            raise DataError(
                f"all examples have the label {names[0]!r}; two labels are needed"
                if names
                else "there is no example to learn from"
            )
        try:
            order = sorted(range(len(names)), key=names.__getitem__)
        except TypeError as error:
            raise DataError(f"Labels must be of one kind, such as str: {error}.") from None
        W, b = self.core.weights()
        if len(names) > 2:
            W, b = W[:, order], b[order]
        elif order == [1, 0]:
            W, b = -W, -b
        decision = Decision(
            np.array([names[k] for k in order]), self._sharpness(), False, clf.abstain,
            clf.abstain_label,
        )  # fmt: skip
        about = {
            "learner": type(self.learner).__name__,
            "examples": self.foresight.examples,
            "n_features": self.extractor.n_features,
            "progressive": self.foresight.record(),
            **({"continued": self.before} if self.before is not None else {}),
            **record,
        }
        scorer = LinearScorer(narrow(W), b)
        return Model(text_reader(self.extractor), scorer, decision, about, clf.n_threads)

    def _sharpness(self) -> float:
        """Return how sure the scores are, by the answers to the last rows before their learning."""
        gold = [part for _, part in self._recent]
        if sum(map(len, gold)) < _FEWEST:
            return self.sharpness
        scores = np.concatenate([part for part, _ in self._recent])[-_RECENT:]
        return fit_sharpness(scores, np.concatenate(gold)[-_RECENT:])

    def to_state(self) -> tuple[dict[str, Any], Arrays]:
        """Return all that it has learned, as plain values and arrays."""
        values = {
            "labels": list(self.labels),
            "classes": self.core.n_classes,
            "seen": self.seen,
            "foresight": vars(self.foresight),
            "recent": len(self._recent),
        }
        arrays = dict(self.core.arrays())
        for k, (scores, gold) in enumerate(self._recent):
            arrays |= {f"scores{k}": scores, f"gold{k}": gold}
        return values, arrays

    def restore(self, values: dict[str, Any], arrays: Arrays) -> None:
        """Go on from what :meth:`to_state` returned."""
        self.labels = {label: k for k, label in enumerate(values["labels"])}
        if values["classes"] > self.core.n_classes:
            self.core.widen(values["classes"])
        self.core.restore(arrays)
        self.seen = values["seen"]
        self.foresight = Foresight(**values["foresight"])
        self._recent = [(arrays[f"scores{k}"], arrays[f"gold{k}"]) for k in range(values["recent"])]
