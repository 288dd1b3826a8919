"""``sklearn_crfsuite.CRF``: the parameters and attributes of there, trained here.

The objective is CRFsuite's (see :mod:`linnet.compat.pycrfsuite.trainer`), so that ``c1`` and ``c2``
mean what they mean there.
"""

from __future__ import annotations

from typing import Any, Self

from linnet.compat.pycrfsuite.sequences import as_items
from linnet.compat.pycrfsuite.tagger import Tagger
from linnet.compat.pycrfsuite.trainer import Trainer
from linnet.compat.sklearn_crfsuite import metrics
from linnet.errors import DataError, NotFittedError
from linnet.estimator import Estimator
from linnet.foreign import crfsuite
from linnet.model.model import Model

__all__ = ["CRF"]

#: CRFsuite's names of parameters that have another here.
_RENAMED = {
    "min_freq": "feature.minfreq", "all_possible_states": "feature.possible_states",
    "all_possible_transitions": "feature.possible_transitions", "pa_type": "type",
    **{f"calibration_{name}": f"calibration.{name}"
       for name in ("eta", "rate", "samples", "candidates", "max_trials")},
}  # fmt: skip
_PASSED = ("c1", "c2", "max_iterations", "num_memories", "epsilon", "period", "delta", "linesearch",
           "max_linesearch", "c", "error_sensitive", "averaging", "variance", "gamma",
           *_RENAMED)  # fmt: skip


class CRF(Estimator):
    """A tagger of sentences whose tokens are dictionaries or lists of features.

    Parameters
    ----------
    algorithm : {"lbfgs", "l2sgd", "ap", "pa", "arow"}, default="lbfgs"
    min_freq, all_possible_states, all_possible_transitions, c1, c2, max_iterations, \
num_memories, epsilon, period, delta, linesearch, max_linesearch, calibration_eta, \
calibration_rate, calibration_samples, calibration_candidates, calibration_max_trials, pa_type, c, \
error_sensitive, averaging, variance, gamma : optional
        CRFsuite's; None is its default. Those that steer its search are taken and not used.
    verbose : bool, default=False
    model_filename : str, optional
        Also write CRFsuite's model file.
    keep_tempfiles : bool, default=False
        Taken and not used: there are none.
    trainer_cls : class, optional
        A subclass of :class:`linnet.compat.pycrfsuite.Trainer`.

    Attributes
    ----------
    training_log_ : what each iteration found
    classes_ : list of str
    transition_features_ : dict of (label, next label) to weight
    state_features_ : dict of (attribute, label) to weight
    attributes_ : list of str
    num_attributes_ : int
    size_ : int
        Bytes of CRFsuite's model file.
    tagger_ : pycrfsuite.Tagger

    Examples
    --------
    >>> from linnet.compat import sklearn_crfsuite
    >>> X = [[{"word": "the", "title": False}, {"word": "cat", "title": False}]] * 3
    >>> crf = sklearn_crfsuite.CRF(c1=0.1, c2=0.1).fit(X, [["D", "N"]] * 3)
    >>> crf.predict([[{"word": "the"}, {"word": "cat"}]])
    [['D', 'N']]
    """

    model_: Model

    def __init__(
        self,
        algorithm: str | None = None,
        min_freq: float | None = None,
        all_possible_states: bool | None = None,
        all_possible_transitions: bool | None = None,
        c1: float | None = None,
        c2: float | None = None,
        max_iterations: int | None = None,
        num_memories: int | None = None,
        epsilon: float | None = None,
        period: int | None = None,
        delta: float | None = None,
        linesearch: str | None = None,
        max_linesearch: int | None = None,
        calibration_eta: float | None = None,
        calibration_rate: float | None = None,
        calibration_samples: int | None = None,
        calibration_candidates: int | None = None,
        calibration_max_trials: int | None = None,
        pa_type: int | None = None,
        c: float | None = None,
        error_sensitive: bool | None = None,
        averaging: bool | None = None,
        variance: float | None = None,
        gamma: float | None = None,
        verbose: bool = False,
        model_filename: str | None = None,
        keep_tempfiles: bool = False,
        trainer_cls: type[Trainer] | None = None,
    ) -> None:
        self.algorithm = algorithm
        self.min_freq = min_freq
        self.all_possible_states = all_possible_states
        self.all_possible_transitions = all_possible_transitions
        self.c1 = c1
        self.c2 = c2
        self.max_iterations = max_iterations
        self.num_memories = num_memories
        self.epsilon = epsilon
        self.period = period
        self.delta = delta
        self.linesearch = linesearch
        self.max_linesearch = max_linesearch
        self.calibration_eta = calibration_eta
        self.calibration_rate = calibration_rate
        self.calibration_samples = calibration_samples
        self.calibration_candidates = calibration_candidates
        self.calibration_max_trials = calibration_max_trials
        self.pa_type = pa_type
        self.c = c
        self.error_sensitive = error_sensitive
        self.averaging = averaging
        self.variance = variance
        self.gamma = gamma
        self.verbose = verbose
        self.model_filename = model_filename
        self.keep_tempfiles = keep_tempfiles
        self.trainer_cls = trainer_cls

    def fit(self, X: Any, y: Any, X_dev: Any = None, y_dev: Any = None) -> Self:
        """Learn from sentences and their labels; with a second pair say how well it does there."""
        trainer = (self.trainer_cls or Trainer)(self.algorithm, verbose=self.verbose)
        for name in _PASSED:
            value = getattr(self, name)
            if value is not None:
                trainer.set(_RENAMED.get(name, name), value)
        X, y = list(X), list(y)
        if len(X) != len(y):
            raise DataError(f"X has {len(X)} sentences, y has {len(y)}.")
        for number, (items, labels) in enumerate(zip(X, y, strict=True)):
            try:
                trainer.append(items, labels)
            except ValueError as error:
                raise DataError(f"Sentence {number}: {error}.") from None
        self.model_ = trainer.fitted()
        self.training_log_ = trainer.logparser
        if self.model_filename is not None:
            crfsuite.write(self.model_, self.model_filename)
        if self.verbose and X_dev is not None:
            print(metrics.flat_classification_report(y_dev, self.predict(X_dev), digits=3))
        return self

    def _model(self) -> Model:
        if not hasattr(self, "model_"):
            raise NotFittedError("This CRF is not fitted yet; call fit with sentences first.")
        return self.model_

    def predict(self, X: Any) -> list[list[str]]:
        """Return the best labels of every sentence."""
        tags: list[list[str]] = self._model().predict([as_items(items) for items in X])
        return tags

    def predict_single(self, xseq: Any) -> list[str]:
        """Return the best labels of one sentence."""
        return self.predict([xseq])[0]

    def predict_marginals(self, X: Any) -> list[list[dict[str, float]]]:
        """Return for every token P(label | sentence) by label."""
        tables = self._model().predict_marginals([as_items(items) for items in X])
        return [
            [dict(zip(self.classes_, row, strict=True)) for row in table.tolist()]
            for table in tables
        ]

    def predict_marginals_single(self, xseq: Any) -> list[dict[str, float]]:
        """Return for every token of one sentence P(label | sentence) by label."""
        return self.predict_marginals([xseq])[0]

    def score(self, X: Any, y: Any) -> float:
        """Return the share of tokens whose label is right."""
        return metrics.flat_accuracy_score(y, self.predict(X))

    @property
    def classes_(self) -> list[str]:
        """The labels, in the order in which training met them."""
        labels: list[str] = self._model().classes_.tolist()
        return labels

    @property
    def attributes_(self) -> list[str]:
        """The attributes that have a weight."""
        names: list[str] = self._model().reader.names.tolist()
        return names

    @property
    def num_attributes_(self) -> int:
        """How many attributes have a weight."""
        return len(self.attributes_)

    @property
    def size_(self) -> int:
        """How many bytes CRFsuite's model file has."""
        return len(crfsuite.content(self._model()))

    @property
    def tagger_(self) -> Tagger:
        """The model as python-crfsuite has it."""
        tagger = Tagger()
        tagger.open_inmemory(crfsuite.content(self._model()))
        return tagger

    @property
    def transition_features_(self) -> dict[tuple[str, str], float]:
        """The weights of label pairs."""
        labels, transition = self.classes_, self._model().chain.transition
        return {
            (labels[a], labels[b]): float(transition[a, b])
            for a, b in zip(*transition.nonzero(), strict=True)
        }

    @property
    def state_features_(self) -> dict[tuple[str, str], float]:
        """The weights of attributes for labels."""
        model, labels = self._model(), self.classes_
        chain, names = model.chain, model.reader.names.tolist()
        starts = chain.pair_start.tolist()
        pairs = list(zip(chain.pair_label.tolist(), chain.pair_weight.tolist(), strict=True))
        return {
            (name, labels[label]): weight
            for j, name in enumerate(names)
            for label, weight in pairs[starts[j] : starts[j + 1]]
        }
