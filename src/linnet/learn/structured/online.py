"""What the structured perceptron and MIRA share as estimators: rounds, records, resuming."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError
from linnet.learn.chain.sentences import Ragged, read_labels
from linnet.learn.chain.tagger import ChainClassifier
from linnet.learn.chain.weights import PairTable, merge_pairs, observed_pairs
from linnet.learn.shared.checks import check_choice, check_count, sample_weights, seed_from
from linnet.learn.shared.history import History
from linnet.learn.shared.online_run import AVERAGES, average_kind, order_of
from linnet.learn.shared.restore import restored_on_error
from linnet.learn.structured.run import Pass, SentenceStep, SentenceTrace, StructuredRun
from linnet.stored import Array, Fields, Number, Sizes, Text

__all__ = ["StructuredOnline"]

PAIRS = ("observed", "all", "updated")
_AT_ONCE = 10  # rounds in one call of the core
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Sentences:
    features: Ragged
    gold: NDArray[np.int32]
    weights: Floats
    chain: _core.Chain

    @property
    def used(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.weights > 0.0)


class StructuredOnline(ChainClassifier):
    """Learn from one sentence at a time. Subclasses say how a sentence is answered."""

    stored: ClassVar[Fields] = {
        "_seed": Number(int, 0, 2**63 - 1),
        "_n_rounds": Number(int, 0, 2**53),
        "_run_weights": Array("f8", "weights"),
        "_run_sums": Array("f8", "weights", optional=True),
        "_run_state": Array("f8", "2", 0, 2.0**53),
        "_run_average": Text(("none", *(kind for kind in AVERAGES if isinstance(kind, str)))),
        "mistakes_": Array("i8", "rounds", low=0),
        "t_": Number(int, 0, 2**53),
    }
    max_iter: int
    average: bool | str
    shuffle: bool
    stop_when_clean: bool
    beam: int
    pairs: str
    random_state: Any
    verbose: int

    def _rule(self) -> dict[str, Any]:
        raise NotImplementedError

    def _stored_sizes(self) -> Sizes:
        return {**super()._stored_sizes(), "weights": self._layout().size}

    def _check_loaded(self) -> None:
        """Refuse what a forged file may hold: an average that was never summed."""
        if (self._run_sums is None) != (self._run_average == "none"):
            raise DataError("the sums of the run do not fit its average")

    def _check_parameters(self) -> None:
        check_count("max_iter", self.max_iter)
        check_count("beam", self.beam, 0)
        check_choice("pairs", self.pairs, PAIRS)
        average_kind(self.average)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Go over the sentences ``max_iter`` times, or until a round changes nothing.

        Parameters
        ----------
        X : list of sentences, or Ragged
            A sentence is a list of tokens, a token a dictionary or a list of feature names.
        y : list of lists of labels
        sample_weight : array of shape (sentences,), optional
            Multiplies the steps of a sentence, with MIRA its C; 0 leaves it out.
        """
        with restored_on_error(self):
            sentences = self._begin(X, y, sample_weight)
            history = History(self.verbose, type(self).__name__)
            left = int(self.max_iter)
            while left > 0 and self._go(sentences, history, min(left, _AT_ONCE)):
                left -= _AT_ONCE
            return self._finish(history, sentences)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go over the given sentences once, from where the last call stopped.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`. Features that the first call had not are ignored.
        classes : list of labels, optional
            All labels that will ever come; on the first call only, default those of ``y``.
        """
        with restored_on_error(self):
            sentences = self._resume(X, y, classes, sample_weight)
            history = History(self.verbose, type(self).__name__)
            self._go(sentences, history, 1)
            return self._finish(history, sentences)

    def steps(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[SentenceStep]:
        """Fit, showing what happens at each sentence.

        Yields
        ------
        SentenceStep
            When the last one has been taken, the estimator is fitted exactly as by :meth:`fit`.
        """
        return self._walk(self._begin(X, y, sample_weight))

    def _begin(self, X: Any, y: Any, sample_weight: Any) -> _Sentences:
        self._check_parameters()
        features = self._read(X, reset=True)
        gold = self._read_gold(y, features)
        every = self.pairs != "observed"
        L = len(self.classes_)
        self.pair_start_, self.pair_label_ = observed_pairs(features, gold, L, every=every)
        self._start_run()
        return self._sentences(features, gold, sample_weight)

    def _start_run(self) -> None:
        self._seed = seed_from(self.random_state)
        self._n_rounds = 0
        self._keep(StructuredRun.begin(self._layout().size, self.average))

    def _resume(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> _Sentences:
        self._check_parameters()
        if not hasattr(self, "_run_state"):
            if classes is None:
                return self._begin(X, y, sample_weight)
            features = self._read(X, reset=True)
            self.classes_ = np.unique(np.asarray(list(classes)))
            self.pair_start_ = np.zeros(features.n_features + 1, np.int64)
            self.pair_label_ = np.empty(0, np.int32)
            self._start_run()
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise DataError(f"classes must be those of the first call, {self.classes_.tolist()}.")
        features = self._read(X, reset=False)
        gold = self._numbers_of(y, features)
        self._widen(features, gold)
        return self._sentences(features, gold, sample_weight)

    def _widen(self, features: Ragged, gold: NDArray[np.int32]) -> None:
        """Give weights to the pairs that the new sentences bring."""
        L = len(self.classes_)
        more = observed_pairs(features, gold, L, every=self.pairs != "observed")
        union, places = merge_pairs(PairTable(self.pair_start_, self.pair_label_), more, L)
        run = self._run()
        self.pair_start_, self.pair_label_ = union
        size = self._layout().size
        places = np.concatenate([places, np.arange(len(union.label), size)])
        self._keep(run.moved(places, size))

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
    ) -> _Sentences:
        weights = np.ascontiguousarray(sample_weights(sample_weight, features.n_sentences))
        return _Sentences(features, gold, weights, self._core_chain(features))

    def _rounds(self, chosen: NDArray[np.int64], n: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
        for _ in range(n):
            number = self._n_rounds
            self._n_rounds += 1
            yield number, order_of(chosen, self._seed, number, self.shuffle)

    def _go(self, s: _Sentences, history: History, rounds: int) -> bool:
        """Take some rounds in one call of the core; return whether more may change something."""
        first = self._n_rounds
        orders = [order for _, order in self._rounds(s.used, rounds)]
        self._n_rounds = first
        going = True

        def record(seen: Pass) -> bool:
            nonlocal going
            self._record(history, self._n_rounds, seen.loss, seen.updates, seen.wrong)
            self._n_rounds += 1
            going = seen.updates > 0 or not self.stop_when_clean
            return going

        self._run().go(s.chain, s.gold, s.weights, np.stack(orders), self._rule(), record)
        return going

    def _record(self, history: History, number: int, loss: float, updates: int, wrong: int) -> None:
        history.add(
            iteration=number + 1, online_loss=loss, mistakes=updates, wrong_tokens=wrong
        )  # fmt: skip

    def _walk(self, s: _Sentences) -> Iterator[SentenceStep]:
        history = History(self.verbose, type(self).__name__)
        names, labels = self._names(), self.classes_.tolist()
        for number, order in self._rounds(s.used, int(self.max_iter)):
            loss, updates, wrong = 0.0, 0, 0
            for k, i in enumerate(order.tolist()):
                first, last = s.features.sentence[i : i + 2]
                trace = SentenceTrace(np.zeros(last - first, np.int32), np.zeros(1), np.zeros(1))
                run, places = self._run(), self._places(s, first, last)
                before = run.weights[places]
                one = run.meet(s.chain, s.gold, s.weights, order[k : k + 1], self._rule(), trace)
                change = run.weights[places] - before
                yield SentenceStep(
                    round=number + 1,
                    sentence=i,
                    labels=[labels[g] for g in s.gold[first:last]],
                    guess=[labels[g] for g in trace.guess],
                    loss=float(trace.loss[0]),
                    step_size=float(trace.step[0]),
                    changed={
                        self._name(int(places[m]), names): float(change[m])
                        for m in np.flatnonzero(change)
                    },
                )
                loss, updates, wrong = loss + one.loss, updates + one.updates, wrong + one.wrong
            self._record(history, number, loss, updates, wrong)
            if updates == 0 and self.stop_when_clean:
                break
        self._finish(history, s)

    def _places(self, s: _Sentences, first: int, last: int) -> NDArray[np.int64]:
        """Return the weights that an update on these tokens may change."""
        features = np.unique(s.features.column[s.features.start[first] : s.features.start[last]])
        ranges = [np.arange(self.pair_start_[j], self.pair_start_[j + 1]) for j in features]
        others = np.arange(len(self.pair_label_), self._layout().size)
        return np.concatenate([*ranges, others]).astype(np.int64)

    def _names(self) -> list[Any]:
        return list(getattr(self, "vocabulary_", range(self.n_features_in_)))

    def _name(self, k: int, names: list[Any]) -> tuple[Any, ...]:
        kind, *at = self._layout().part(k)
        labels = self.classes_.tolist()
        if kind == "pairs":
            feature = int(np.searchsorted(self.pair_start_, k, side="right")) - 1
            return "state", names[feature], labels[self.pair_label_[k]]
        return kind, *(labels[i] for i in at)

    def _run(self) -> StructuredRun:
        return StructuredRun(
            self._run_weights, self._run_sums, self._run_state, self._run_average
        )  # fmt: skip

    def _keep(self, run: StructuredRun) -> None:
        self._run_weights, self._run_sums = run.weights, run.sums
        self._run_state, self._run_average = run.state, run.average

    def _finish(self, history: History, s: _Sentences) -> Self:
        run = self._run()
        if not np.isfinite(run.weights).all():
            raise DataError("The weights overflowed: scale the features down.")
        if self.pairs == "updated":
            self._drop_untouched(run)
            run = self._run()
        self._set_weights(run.averaged())
        self.history_ = history.as_dict()
        self.mistakes_ = self.history_["mistakes"].astype(np.int64)
        self.n_iter_ = len(history)
        self.t_ = int(run.state[0])
        self.optimality_ = float(self.mistakes_[-1]) / max(1, len(s.used))
        return self

    def _drop_untouched(self, run: StructuredRun) -> None:
        n = len(self.pair_label_)
        is_touched = run.weights[:n] != 0
        if run.sums is not None:
            is_touched |= run.sums[:n] != 0
        kept = np.flatnonzero(is_touched)
        counts = np.concatenate([[0], np.cumsum(is_touched)]).astype(np.int64)
        self.pair_start_ = counts[self.pair_start_]
        self.pair_label_ = self.pair_label_[kept]
        self._keep(run.kept(np.concatenate([kept, np.arange(n, len(run.weights))])))
