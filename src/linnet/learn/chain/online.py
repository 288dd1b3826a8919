"""Online learning over sentences: the chain as the structure of an online learner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.learn.chain.online_run import ChainRun, Sentences
from linnet.learn.chain.sentences import Ragged, read_labels
from linnet.learn.chain.tagger import ChainClassifier, require_few
from linnet.learn.chain.weights import PairTable, merge_pairs, observed_pairs
from linnet.learn.shared.checks import check_choice, check_count, class_order, sample_weights
from linnet.learn.shared.online import Online
from linnet.learn.shared.online_run import Floats, Pass, Step, Trace
from linnet.learn.shared.parameters import parameters
from linnet.stored import Fields, Object, Sizes

__all__ = ["OnlineTagger"]

PAIRS = ("observed", "all", "updated")


@parameters
class OnlineTagger(Online, ChainClassifier):
    """Learn from one sentence at a time.

    Parameters
    ----------
    beam : int, default=0
        Width of a beam search while learning; 0 is the exact Viterbi search.
    pairs : {"observed", "all", "updated"}, default="observed"
        Which (feature, label) pairs may have a weight: those that occur together in the training
        data, or all; "updated" allows all and keeps those whose weight an update has changed.
    order : {1, 2}, default=1
        How many labels before it a label depends on. With 2 three labels in a row have a weight
        too, ``triple_``; time and memory grow with the third power of the labels, of which there
        may be 100.
    classes : list of labels, optional
        The labels in the order in which ``classes_`` and all tables have them; sorted by default.
    n_threads : int, optional
        Threads for predicting. Learning goes from one sentence to the next and uses one.

    Attributes
    ----------
    transition_, start_, stop_, pair_start_, pair_label_, pair_weight_
        See :class:`linnet.learn.chain.tagger.ChainClassifier`.
    history_ : dict of arrays, one value a round
        ``iteration``; ``online_loss``, how far the guesses were above gold, with MIRA their cost
        included, summed over the round; ``mistakes``, the sentences that caused an update;
        ``wrong_tokens``; ``seconds``.
    """

    stored: ClassVar[Fields] = {"_run": Object(ChainRun)}
    _rounds_at_once: ClassVar[int] = 10

    beam: int = 0
    pairs: str = "observed"
    order: int = 1
    classes: Any = None

    def _stored_sizes(self) -> Sizes:
        return {**super()._stored_sizes(), "weights": self._layout().size}

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count("max_iter", self.max_iter)
        check_count("beam", self.beam, 0)
        check_choice("pairs", self.pairs, PAIRS)
        self._check_order()
        if hasattr(self, "_run") and self._run.live_weights().shape != (self._layout().size,):
            raise ParameterError("A run of another order has begun; call fit to begin anew.")

    def _read_all(self, X: Any, y: Any, sample_weight: Any) -> Sentences:
        features = self._read(X, reset=True)
        gold = self._read_gold(y, features)
        self.pair_start_, self.pair_label_ = self._observed(features, gold)
        return self._sentences(features, gold, sample_weight)

    def _read_more(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Sentences:
        first = not hasattr(self, "classes_")
        if classes is None:
            classes = self.classes if first else None
        if first and classes is None:
            return self._read_all(X, y, sample_weight)
        features = self._read(X, reset=first)
        if first:
            self.classes_ = class_order(list(classes))
            if self.order == 2:
                require_few(len(self.classes_))
        elif classes is not None and set(classes) != set(self.classes_.tolist()):
            raise DataError(f"classes must be those of the first call, {self.classes_.tolist()}.")
        gold = self._numbers_of(y, features)
        if first:
            self.pair_start_, self.pair_label_ = self._observed(features, gold)
        else:
            self._widen(features, gold)
        return self._sentences(features, gold, sample_weight)

    def _observed(self, features: Ragged, gold: NDArray[np.int32]) -> PairTable:
        every = self.pairs != "observed"
        return observed_pairs(features, gold, len(self.classes_), every=every)

    def _widen(self, features: Ragged, gold: NDArray[np.int32]) -> None:
        """Give weights to the pairs that the new sentences bring."""
        known = PairTable(self.pair_start_, self.pair_label_)
        union, places = merge_pairs(known, self._observed(features, gold), len(self.classes_))
        self.pair_start_, self.pair_label_ = union
        size = self._layout().size
        places = np.concatenate([places, np.arange(len(union.label), size)])
        self._run = self._run.moved(places, size)

    def _numbers_of(self, y: Any, features: Ragged) -> NDArray[np.int32]:
        number = {label: k for k, label in enumerate(self.classes_.tolist())}
        labels = read_labels(y, features.sentence)
        unknown = sorted({str(label) for label in labels if label not in number})
        if unknown:
            raise DataError(
                f"y has labels that are not among the classes of the first call: "
                f"{', '.join(unknown)}. Pass all labels as classes= in the first call."
            )
        return np.array([number[label] for label in labels], np.int32)

    def _sentences(
        self, features: Ragged, gold: NDArray[np.int32], sample_weight: Any
    ) -> Sentences:
        weights = np.ascontiguousarray(sample_weights(sample_weight, features.n_sentences))
        return Sentences(features, gold, weights, self._core_chain(features))

    def _fresh_run(self, average: bool | str, start: Floats | None = None) -> ChainRun:
        rule = self._rule(len(self.classes_), "chain")
        return ChainRun(rule, (self._layout().size,) if start is None else start, average)

    def _begin(self, examples: Any, *, resume: bool = False) -> None:
        if resume:
            self._run = self._run.resumed(self._rule(len(self.classes_), "chain"))
        else:
            self._start(self._fresh_run(self.average))

    def _meet(
        self,
        examples: Sentences,
        rounds: list[tuple[int, NDArray[np.int64]]],
        record: Callable[[int, Pass], bool],
    ) -> None:
        numbers = iter([number for number, _ in rounds])
        orders = np.stack([order for _, order in rounds])
        self._run.go(examples, orders, int(self.beam), lambda seen: record(next(numbers), seen))

    def _figures(self, examples: Sentences, seen: Pass) -> dict[str, float]:
        return {"wrong_tokens": seen.wrong}

    def _watch(
        self, examples: Sentences, i: int, rate: Floats, number: int, names: Any
    ) -> tuple[Step, Pass]:
        first, last = examples.features.sentence[i : i + 2]
        labels = self.classes_.tolist()
        trace = Trace.empty(1, int(last - first))
        weights, places = self._run.live_weights(), self._places(examples, first, last)
        before = weights[places]
        seen = self._run.meet(examples, i, int(self.beam), trace)
        change = weights[places] - before
        return Step(
            round=number + 1,
            example=i,
            label=[labels[g] for g in examples.gold[first:last]],
            guess=[labels[g] for g in trace.guess],
            scores=None,
            loss=float(trace.loss[0]),
            step_size=float(trace.step[0]),
            changed={
                self._name(int(places[m]), names): float(change[m]) for m in np.flatnonzero(change)
            },
            weights=weights,
        ), seen

    def _places(self, examples: Sentences, first: int, last: int) -> NDArray[np.int64]:
        """Return the weights that an update on these tokens may change."""
        start, column = examples.features.start, examples.features.column
        features = np.unique(column[start[first] : start[last]])
        ranges = [np.arange(self.pair_start_[j], self.pair_start_[j + 1]) for j in features]
        others = np.arange(len(self.pair_label_), self._layout().size)
        return np.concatenate([*ranges, others]).astype(np.int64)

    def _feature_names(self) -> list[Any]:
        return list(getattr(self, "vocabulary_", range(self.n_features_in_)))

    def _name(self, k: int, names: list[Any]) -> tuple[Any, ...]:
        """Return what weight k is called in :class:`Step`."""
        kind, *at = self._layout().part(k)
        labels = self.classes_.tolist()
        if kind == "pairs":
            feature = int(np.searchsorted(self.pair_start_, k, side="right")) - 1
            return "state", names[feature], labels[self.pair_label_[k]]
        return kind, *(labels[i] for i in at)

    def _final_weights(self) -> Floats:
        if not np.isfinite(self._run.live_weights()).all():
            raise DataError("The weights overflowed: scale the features down.")
        mean: Floats = self._run.average_weights()
        return mean

    def _take_weights(self, weights: Floats) -> Self:
        if self.pairs == "updated":
            weights = weights[self._drop_untouched()]
        self._set_weights(weights)
        return self

    def _drop_untouched(self) -> NDArray[np.int64]:
        """Forget the pairs that no update has changed; return the places of the other weights."""
        n, size = len(self.pair_label_), self._layout().size
        is_touched = self._run.touched(n)
        kept = np.flatnonzero(is_touched)
        counts = np.concatenate([[0], np.cumsum(is_touched)]).astype(np.int64)
        self.pair_start_ = counts[self.pair_start_]
        self.pair_label_ = self.pair_label_[kept]
        places = np.concatenate([kept, np.arange(n, size)])
        self._run = self._run.kept(places)
        return places
