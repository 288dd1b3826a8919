"""The scorer of sentences: a chain of linear scores, or a sequence learner kept whole.

This is the one place of the model that knows how chains decode. NumPy and the core are all that
is imported here, so a saved tagger starts fast.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import offsets
from linnet.errors import DataError, ParameterError
from linnet.learn.chain import Constraints, LearnerChain, LinearChain, reads_words
from linnet.learn.shared.declaration import declaration_of
from linnet.model.decision import OWN, Decision
from linnet.model.legal import allowed_by, as_scheme
from linnet.model.scorers.flat import is_wide, narrowed, stored_learner, under
from linnet.stored import Array, Fields, Number, check

__all__ = ["ChainScorer", "chain_of"]

Arrays = dict[str, NDArray[Any]]
Floats = NDArray[np.float64]
_WEIGHTS = ("pair_weight", "transition", "start", "stop")
_CHAIN: Fields = {
    "pair_label": Array("i4 u4 u2 u1", "pairs", 0, "L-1"),
    "pair_weight": Array("f8 f4 f2", "pairs"),
    "pair_count": Array("u4 u2 u1", "features", 0, "L", optional=True),
    "pair_start": Array("i8", "features+1", 0, "pairs", order="starts", optional=True),
    "transition": Array("f8 f4 f2", "L L"),
    "start": Array("f8 f4 f2", "L"),
    "stop": Array("f8 f4 f2", "L"),
    "triple": Array("f8 f4 f2", "L L L", optional=True),
}


@dataclass
class ChainScorer:
    """Scores of whole labellings.

    Attributes
    ----------
    chain : LinearChain or LearnerChain
        The weights, or a learner that has none of that form.
    probabilistic : bool
        Whether scores are log probabilities, so that there are marginals.
    """

    chain: LinearChain | LearnerChain
    probabilistic: bool = True
    name = "chain"
    rule = "the sequence of largest score"
    keys = ("learner", "probabilistic", "columns")

    @classmethod
    def fit(
        cls, learner: Any, X: Any, gold: list[list[str]], sample_weight: Any, *, transitions: bool
    ) -> ChainScorer:
        """Fit a sequence learner; without transitions each token by itself."""
        fit = _fit if transitions else _fit_without_transitions
        chain = fit(learner, X, gold, sample_weight)
        return cls(chain, hasattr(learner, "predict_marginals"))

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self.chain.n_features

    @property
    def is_linear(self) -> bool:
        """Whether there are weights of features."""
        return isinstance(self.chain, LinearChain)

    def linear(self, what: str) -> LinearChain:
        """Return the weights, if there are such."""
        if isinstance(self.chain, LinearChain):
            return self.chain
        learner = type(self.chain.learner).__name__
        raise ParameterError(f"{learner} is no chain of linear scores, so there is no {what}.")

    def lightened(self, extractor: Any) -> tuple[Any, ChainScorer]:
        """Return both without features that weigh nothing: these need not be looked for."""
        if not isinstance(self.chain, LinearChain):
            return extractor, self
        weighty = self.chain.weighty()
        if len(weighty) == self.chain.n_features:
            return extractor, self
        return extractor.take(weighty), replace(self, chain=self.chain.take(weighty))

    def allowed(self, decision: Decision, constraints: str | None = OWN) -> Constraints | None:
        """Return what a scheme allows, by default the model's own; None is everything."""
        scheme = decision.scheme if constraints == OWN else as_scheme(constraints)
        return None if scheme is None else allowed_by(scheme, decision.classes.tolist())

    def between(
        self, allowed: Constraints | None, before: int, after: int
    ) -> NDArray[np.bool_] | None:
        """Return which labels may stand between two others, -1 being the edge of a sentence."""
        if allowed is None:
            return None
        left = allowed.start if before < 0 else allowed.transition[before]
        right = allowed.stop if after < 0 else allowed.transition[:, after]
        return left & right

    def top_features(self, n: int) -> list[list[tuple[int, float]]]:
        """Return for each label the n features of largest weight, largest first."""
        chain = self.linear("list of features")
        owner = np.repeat(np.arange(chain.n_features), np.diff(chain.pair_start))
        order = np.argsort(chain.pair_label, kind="stable")
        edges = np.searchsorted(chain.pair_label[order], np.arange(chain.n_labels + 1))
        listed = []
        for label in range(chain.n_labels):
            pairs = order[edges[label] : edges[label + 1]]
            best = pairs[np.argsort(-chain.pair_weight[pairs], kind="stable")[:n]].tolist()
            listed.append([(int(owner[p]), float(chain.pair_weight[p])) for p in best])
        return listed

    def top_transitions(self, n: int) -> list[tuple[int, int, float]]:
        """Return the n transitions of largest score, for or against, as (label, next, score)."""
        scores = self.linear("list of transitions").transition
        best = np.argsort(-np.abs(scores), axis=None, kind="stable")[:n]
        pairs = zip(*(part.tolist() for part in np.unravel_index(best, scores.shape)), strict=True)
        return [(before, after, float(scores[before, after])) for before, after in pairs]

    def pruned(self, reader: Any, n: int) -> Any:
        """Refuse: features of a chain are not pruned."""
        raise ParameterError("A tagger cannot be pruned; leave max_features out.")

    def to_file(self, dtype: str) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the scorer."""
        config: dict[str, Any] = {"learner": None, "probabilistic": self.probabilistic}
        if isinstance(self.chain, LinearChain):
            arrays: Arrays = {n: narrowed(getattr(self.chain, n), dtype) for n in _WEIGHTS}
            if self.chain.triple is not None:
                arrays["triple"] = narrowed(self.chain.triple, dtype)
            arrays["pair_count"] = _narrow(np.diff(self.chain.pair_start), self.chain.n_labels)
            arrays["pair_label"] = _narrow(self.chain.pair_label, self.chain.n_labels - 1)
            return config, arrays
        from linnet.model.file.classes import stored_form
        from linnet.model.file.learners import learner_to_file

        name, learner = stored_form(self.chain.learner)
        stored, arrays, _ = learner_to_file(learner)
        config["learner"] = {**stored, "class": name, "width": self.chain.n_features}
        return config, {f"learner.{name}": array for name, array in arrays.items()}

    @classmethod
    def from_file(
        cls, config: Mapping[str, Any], arrays: Arrays, reader: Any, decision: Decision
    ) -> ChainScorer:
        """Return the scorer of a file, after checking it."""
        probabilistic, stored = config["probabilistic"], config["learner"]
        Number(bool).check("probabilistic", probabilistic, {})
        tags, learner = decision.classes.tolist(), None
        if stored is None:
            chain: LinearChain | LearnerChain = _stored_chain(arrays, len(tags))
        else:
            learner = stored_learner(stored, under(arrays, "learner."))
            Number(int).check("width", stored["width"], {})
            if learner.classes_.tolist() != tags or stored["width"] != learner.n_features_in_:
                raise DataError("the learner has other tags, or another number of features")
            if probabilistic and not hasattr(learner, "predict_marginals"):
                raise DataError(f"{type(learner).__name__} has no probabilities")
            chain = LearnerChain(learner, tuple(tags), stored["width"])
        if (reader.extractor is None) != reads_words(learner):
            raise DataError("the learner does not read what the features make of words")
        if reader.extractor is not None and chain.n_features != reader.extractor.n_features:
            raise DataError(
                f"{chain.n_features} weights for {reader.extractor.n_features} features"
            )
        return cls(chain, probabilistic)


def _stored_chain(arrays: Arrays, labels: int) -> LinearChain:
    check({name: arrays.get(name) for name in _CHAIN}, _CHAIN, {"L": labels})
    names = [*_WEIGHTS, *(["triple"] if "triple" in arrays else [])]
    for name in names:
        is_wide(name, arrays[name])
    start, label = _starts(arrays), arrays["pair_label"].astype(np.int32, copy=False)
    fresh = np.zeros(len(label) + 1, bool)
    fresh[start] = True
    if not (fresh[1:-1] | (np.diff(label) > 0)).all():
        raise DataError("the tags of a feature must ascend")
    weights = {name: np.ascontiguousarray(arrays[name], np.float64) for name in names}
    return LinearChain(start, label, **weights)


def _narrow(numbers: NDArray[Any], most: int) -> NDArray[Any]:
    """Return numbers up to `most` in as few bytes as hold them."""
    return numbers.astype(np.uint8 if most < 2**8 else np.uint16 if most < 2**16 else np.uint32)


def _starts(arrays: Arrays) -> NDArray[np.int64]:
    """Return where the pairs of each feature begin; a file of format 2 says so itself."""
    if ("pair_count" in arrays) == ("pair_start" in arrays):
        raise DataError("pair_count or pair_start must be there, and not both")
    if "pair_start" in arrays:
        return arrays["pair_start"]
    start = offsets(arrays["pair_count"])
    if start[-1] != len(arrays["pair_label"]):
        raise DataError("pair_count does not add up to the number of pairs")
    return start


def _fit(
    learner: Any, X: Any, gold: list[list[str]], sample_weight: Any
) -> LinearChain | LearnerChain:
    """Fit and return the learner's weights, or itself where it has none of that form."""
    options = {} if sample_weight is None else {"sample_weight": sample_weight}
    learner.fit(X, gold, **options)
    return chain_of(learner, X)


def chain_of(learner: Any, X: Any) -> LinearChain | LearnerChain:
    """Return the weights of a learner that was fitted on X, or itself where it has none."""
    if declaration_of(learner).linear:
        return LinearChain.of(learner)
    local = _local_chain(learner, X)
    if local is not None:
        return local
    width = len(learner.vocabulary_) if isinstance(X, list) else X.n_features
    return LearnerChain(learner, tuple(learner.classes_.tolist()), width)


def _fit_without_transitions(
    learner: Any, X: Any, gold: list[list[str]], sample_weight: Any
) -> LinearChain:
    """Fit each token as a sentence of its own; what starts and stops weigh is a bias."""
    lengths = np.diff(X.sentence)
    alone = X._replace(sentence=np.arange(len(X.start), dtype=np.int64))
    options = {}
    if sample_weight is not None:
        options["sample_weight"] = np.repeat(np.asarray(sample_weight, np.float64), lengths)
    learner.fit(alone, [[tag] for tags in gold for tag in tags], **options)
    if not declaration_of(learner).linear:
        raise ParameterError(
            f"{type(learner).__name__} always has transitions; add a line B to the template."
        )
    bias = learner.start_ + learner.stop_
    learner.start_, learner.stop_ = bias, np.zeros_like(bias)
    learner.transition_ = np.tile(bias, (len(bias), 1))
    return replace(LinearChain.of(learner), triple=None)  # no token has two before it


def _local_chain(learner: Any, X: Any) -> LinearChain | None:
    """Return a flat linear classifier of tokens as a chain: its intercepts are the transitions."""
    flat = getattr(learner, "learner_", None)
    if flat is None or getattr(learner, "history", None) != 0 or not learner._is_batch_linear():
        return None
    weights, bias = np.asarray(flat.coef_), np.asarray(flat.intercept_)
    if len(weights) == 1:  # of two classes the second one's
        weights, bias = np.vstack([0 * weights, weights]), np.array([0.0, bias[0]])
    L, J = weights.shape
    owner, label = np.nonzero(weights.T)
    start = np.searchsorted(owner, np.arange(J + 1)).astype(np.int64)
    pairs = np.asarray(weights.T[owner, label].astype(np.float32), np.float64)
    between = np.asarray(np.tile(bias, (L, 1)).astype(np.float32), np.float64)
    return LinearChain(
        start, label.astype(np.int32), pairs, between, between[0].copy(), np.zeros(L)
    )
