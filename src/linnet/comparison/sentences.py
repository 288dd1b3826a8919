"""Learners of sequences on one split: the features of tokens are extracted once for all.

Each is trained as :class:`linnet.SequenceTagger` trains it, and predicts only sequences of tags
that are legal in the scheme of the training tags.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from linnet.comparison.given import Split, Tagged
from linnet.comparison.outcome import (
    Cost,
    Outcome,
    Part,
    but,
    measured,
    quiet,
    score_of,
    shown_parameters,
)
from linnet.comparison.reasons import why_tags
from linnet.data.tags import are_chunk_tags
from linnet.errors import DataError, DataWarning
from linnet.learn.shared.declaration import declaration_of
from linnet.model.fitting.sequences import Rows, learned, learner_of, reads_words, rows_of, words_of
from linnet.model.fitting.tuning import held_out_parts
from linnet.model.model import Model
from linnet.model.readers.tokens import read_tokens
from linnet.model.sequence_tagger import SequenceTagger

__all__ = ["TagArena"]

_PASSES = 100  # over the data, of a solver that stops by itself


class TagArena:
    """One split of tagged sentences, read once."""

    def __init__(self, split: Split, seed: int, n_threads: int | None) -> None:
        train: Tagged = split.train
        self._train, self._seed, self._threads = train, seed, n_threads
        self.reading = Cost()
        self._tokens, self._tags = read_tokens(train.sentences), train.tags
        self._test = read_tokens(split.test.sentences)
        self.gold: list[Any] = split.test.tags
        self.n_train = len(train)
        self._labels = sorted(set(chain.from_iterable(train.tags)))
        if len(self._labels) < 2:
            raise DataError(f"All training tokens have the tags {self._labels}; two are needed.")
        every = {*self._labels, *chain.from_iterable(self.gold)}
        self.metric = "chunk_f1" if are_chunk_tags(sorted(every)) else "accuracy"

    @property
    def n_features(self) -> int:
        """The number of features of tokens; 0 if no learner has asked for them."""
        return int(self._rows.X.n_features) if "_rows" in vars(self) else 0

    def run(self, learner: Any, fixed: dict[str, Any], *, explain: bool = False) -> Outcome:
        """Train a copy of the learner with those parameters fixed, and let it answer."""
        tagger, own = self._prepared(clone(learner).set_params(**fixed))
        data = self._data_for(own)
        with measured() as training, quiet(DataWarning):
            model = learned(tagger, own, self._tokens, self._tags, data)
        with measured() as predicting:
            guess = model.predict(self._test)
        sure, hit = self._confidence(model)
        _, arrays, _ = model._to_file()
        optimality = float(getattr(own, "optimality_", np.nan))
        return Outcome(
            guess, sure, hit, training, predicting,
            sum(array.nbytes for array in arrays.values()), shown_parameters(own, fixed),
            optimality if np.isfinite(optimality) else None,
            why_tags(model, self._test, self.gold, guess, sure) if explain else None,
            "words" if reads_words(own) else "features of tokens",
        )  # fmt: skip

    def quick(self, learner: Any) -> float:
        """Fit this very learner and return its score, without calibration or measurement."""
        return score_of(self.gold, self.guess(learner), self.metric)

    def guess(self, learner: Any) -> list[Any]:
        """Fit this very learner and return its answers to the test part."""
        tagger, own = self._prepared(learner)
        with quiet(DataWarning):
            model = learned(tagger, own, self._tokens, self._tags, self._data_for(own))
        guess: list[Any] = model.predict(self._test)
        return guess

    def work(self, learner: Any) -> float:
        """Return about how many multiplications a quick fit needs."""
        training = declaration_of(learner).training
        if training == "counts":
            return float(2 * self._tokens.n_tokens)
        L = len(self._labels)
        rounds = learner.max_iter if training == "rounds" else _PASSES
        return float((len(self._rows.X.column) * L + self._tokens.n_tokens * L * L) * rounds)

    def parts(self, learner: Any) -> list[Part]:
        """Return folds of the training sentences."""
        train = self._train
        held = held_out_parts(np.zeros((len(train), 1), np.int32), self._seed, train.copies)
        splits = [Split(train.take(but(part, len(train))), train.take(part)) for part in held]
        return [TagArena(split, self._seed, self._threads) for split in splits]

    def _prepared(self, learner: Any) -> tuple[SequenceTagger, Any]:
        tagger = SequenceTagger(learner, supply_columns=False, n_threads=self._threads)
        own = learner_of(tagger)
        if own.get_params(deep=False).get("random_state", 0) is None:
            own.set_params(random_state=self._seed)
        return tagger, own

    def _data_for(self, learner: Any) -> Rows:
        return words_of(self._tokens) if reads_words(learner) else self._rows

    @cached_property
    def _rows(self) -> Rows:
        with measured() as self.reading:
            return rows_of(SequenceTagger(n_threads=self._threads), self._tokens, self._tags)

    def _confidence(
        self, model: Model
    ) -> tuple[NDArray[np.float64] | None, NDArray[np.bool_] | None]:
        """Return the probability of each token's most probable tag, and whether it was right."""
        if not model.probabilistic:
            return None, None
        table = np.concatenate(model.predict_marginals(self._test))
        likely = model.classes_[table.argmax(axis=1)].tolist()
        pairs = zip(likely, chain.from_iterable(self.gold), strict=True)
        return table.max(axis=1), np.array([a == b for a, b in pairs], bool)
