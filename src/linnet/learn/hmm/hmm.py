r"""Hidden Markov models: a sentence is made by a chain of tags that emit words (SPEC M-111).

.. math:: P(W, T) = P(t_1 \mid \text{start}) \prod_{i>1} P(t_i \mid t_{i-1}) \prod_i P(w_i \mid t_i)
          \;[P(\text{stop} \mid t_n)]

With tags the most probable model is counted, smoothed by adding α to every count (S1 Eq. 71-73,
A-55); without tags it is found by Baum-Welch. The logarithms are the scores of a chain, so the
best tags come from Viterbi's algorithm and P(W) and P(t | W) from the forward and backward passes.
On sentences of one word it is multinomial naive Bayes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError, ParameterError
from linnet.learn.chain.scores import Chain, Edges, Floats, Table
from linnet.learn.chain.sentences import number_labels, number_words, read_labels, read_words
from linnet.learn.chain.tagger import ProbabilisticChain, require_few
from linnet.learn.hmm.baum_welch import baum_welch, random_model
from linnet.learn.hmm.counts import (
    Counts,
    Estimate,
    count_gold,
    count_triples,
    interpolated,
    places,
)
from linnet.learn.hmm.drawing import UNKNOWN, draw_tags
from linnet.learn.hmm.reasons import Emissions
from linnet.learn.hmm.suffixes import Endings, count_endings
from linnet.learn.shared.checks import (
    check_choice,
    check_count,
    check_positive,
    sample_weights,
    seed_from,
)
from linnet.learn.shared.declaration import Declaration, tried
from linnet.learn.shared.drawing import draw, generator
from linnet.learn.shared.generative import log, require_not_negative
from linnet.learn.shared.history import History
from linnet.learn.shared.properties import GENERATIVE, Properties
from linnet.learn.shared.restore import restored_on_error
from linnet.stored import Array, Dict, Fields, Number, Vocabulary

__all__ = ["HMM"]


class HMM(ProbabilisticChain):
    """Hidden Markov model of tags and words.

    Parameters
    ----------
    alpha : float, default=0.01
        Added to every count. 0 is maximum likelihood.
    order : {1, 2}, default=1
        How many tags before it a tag depends on. With 2 the probabilities are interpolated from
        triples, pairs and single tags (:mod:`linnet.learn.hmm.counts`); time and memory grow with
        the third power of the tags, of which there may be 100, and there must be labels.
    stop : bool, default=False
        Whether a sentence ends by a stop symbol, which has a probability after every tag.
    unknown : {"suffix", "uniform"}, default="suffix"
        Words not seen in training: tags by the word's ending (:mod:`linnet.learn.hmm.suffixes`), or
        the same word for all of them, which has the count 0 with every tag.
    n_states : int, optional
        The number of states when there are no labels.
    max_iter : int, default=100
    tol : float, default=1e-5
        Without labels: stop when a step gains less than this share of the objective.
    classes : list of labels, optional
        The labels in the order in which ``classes_`` and all tables have them; sorted by default.
    random_state : int, RandomState or None
        Where Baum-Welch begins.
    n_threads : int, optional
        None uses all cores. The result does not depend on it.
    verbose : int, default=0

    Attributes
    ----------
    classes_ : array of shape (L,)
        The tags; 0 .. n_states - 1 when there were none.
    vocabulary_ : dict
        The number of each word.
    start_, transition_, stop_ : arrays of shape (L,), (L, L), (L,)
        Log probabilities; ``stop_`` is 0 without a stop symbol.
    second_ : array of shape (L, L, L), with order=2
        Log probabilities of a tag (last) after two others; ``transition_`` is then that of the
        second tag of a sentence.
    pair_start_, pair_label_, pair_weight_ : arrays
        Log probabilities of words, sparse: word w has for the tags
        ``pair_label_[pair_start_[w]:pair_start_[w + 1]]`` the values at the same places.
    background_ : array of shape (L,)
        Log probability of a word that was never seen with a tag.
    history_ : dict of arrays
        The objective (minus the log likelihood) of every step; one row when there were labels.

    Examples
    --------
    >>> import linnet
    >>> X = [["the", "dog", "runs"], ["the", "runs"], ["dogs", "run"], ["the", "dog", "dog"]]
    >>> y = [["D", "N", "V"], ["D", "N"], ["N", "V"], ["D", "N", "V"]]
    >>> hmm = linnet.HMM(alpha=0).fit(X, y)
    >>> hmm.predict([["the", "dog", "runs"]])
    [['D', 'N', 'V']]
    >>> float(np.exp(hmm.log_probability([["the", "runs"]], [["D", "N"]])[0]).round(6))
    0.1875
    """

    stored: ClassVar[Fields] = {
        "pair_weight_": Array("f8", "pairs", beyond=(-np.inf,)),
        "transition_": Array("f8", "L L", beyond=(-np.inf,)),
        "start_": Array("f8", "L", beyond=(-np.inf,)),
        "stop_": Array("f8", "L", beyond=(-np.inf,)),
        "background_": Array("f8", "L", beyond=(-np.inf,)),
        "second_": Array("f8", "L L L", beyond=(-np.inf,), optional=True),
        "suffixes_": Dict(
            {
                "number": Vocabulary("endings"),
                "label": Array("i4", "counted", 0, "L-1"),
                "counts": Array("f8", "counted", low=1e-100),
                "start": Array("i8", "endings+1", 0, "counted", order="starts"),
                "share": Array("f8", "L", low=1e-100),
                "size": Array("f8", "L", low=1e-100),
                "theta": Number(low=1e-100),
            },
            optional=True,
        ),
    }
    properties: ClassVar[Properties] = GENERATIVE
    declaration: ClassVar[Declaration] = Declaration(
        place=110,
        reads="words",
        linear=False,
        training="counts",
        grid=tried("alpha", 0.01, 0.1, 0.001, 1.0),
        tries_all=True,
    )
    vocabulary_: dict[str, int]
    background_: Floats
    second_: Floats

    def __init__(
        self,
        alpha: float = 0.01,
        *,
        order: int = 1,
        stop: bool = False,
        unknown: str = "suffix",
        n_states: int | None = None,
        max_iter: int = 100,
        tol: float = 1e-5,
        classes: Any = None,
        random_state: Any = None,
        n_threads: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.alpha = alpha
        self.order = order
        self.stop = stop
        self.unknown = unknown
        self.n_states = n_states
        self.max_iter = max_iter
        self.tol = tol
        self.classes = classes
        self.random_state = random_state
        self.n_threads = n_threads
        self.verbose = verbose

    @classmethod
    def from_probabilities(
        cls,
        labels: list[Any],
        start: ArrayLike,
        transition: ArrayLike,
        emission: list[Mapping[str, float]],
        stop: ArrayLike | None = None,
    ) -> Self:
        """Return a model with given probabilities; ``emission`` has a dictionary for each label.

        Examples
        --------
        >>> words = [{"fish": 0.9, "can": 0.1}, {"fish": 0.2, "can": 0.8}]
        >>> hmm = HMM.from_probabilities(["N", "V"], [0.6, 0.4], [[0.3, 0.7], [0.8, 0.2]], words)
        >>> hmm.predict([["fish", "can", "fish"]])
        [['N', 'V', 'N']]
        """
        L = len(labels)
        model = cls(alpha=0.0, stop=stop is not None, unknown="uniform")
        model.classes_ = np.asarray(labels)
        names = sorted({word for words in emission for word in words})
        table = np.array([[words.get(name, 0.0) for words in emission] for name in names])
        parts = [np.asarray(part, np.float64) for part in (start, transition)]
        ends = np.ones(L) if stop is None else np.asarray(stop, np.float64)
        shapes = [part.shape for part in (*parts, ends)]
        if len(emission) != L or shapes != [(L,), (L, L), (L,)]:
            raise DataError(f"start, transition, emission and stop must be for {L} labels.")
        if any((part < 0).any() or not np.isfinite(part).all() for part in (*parts, ends, table)):
            raise DataError("Probabilities must not be negative.")
        model._take(
            Estimate(
                log(parts[0]), log(parts[1]), log(ends),
                np.arange(len(names) + 1, dtype=np.int64) * L,
                np.tile(np.arange(L, dtype=np.int32), len(names)),
                log(table.ravel()), np.full(L, -np.inf),
            ),
            {name: w for w, name in enumerate(names)},
        )  # fmt: skip
        return model

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Count labelled sentences, or find the states of unlabelled ones by Baum-Welch.

        Parameters
        ----------
        X : list of lists of words
            An HMM emits words, so a token is a string and not a list of features.
        y : list of lists of labels, optional
            Without it there must be ``n_states``.
        sample_weight : array of shape (sentences,), optional
            How often each labelled sentence counts.
        """
        with restored_on_error(self):
            self._check_task(y)
            words, sentence = read_words(X)
            if not words:
                raise DataError("There are no tokens to learn from; at least one is needed.")
            for name in ("suffixes_", "second_"):
                self.__dict__.pop(name, None)
            if y is not None:
                return self._count(words, sentence, y, sample_weight)
            if sample_weight is not None:
                raise ParameterError("sample_weight needs labels; repeat sentences instead.")
            vocabulary = {word: w for w, word in enumerate(sorted(set(words)))}
            n_states = check_count("n_states", self.n_states)
            self.classes_ = np.arange(n_states)
            first = random_model(
                n_states, len(vocabulary), seed_from(self.random_state), stop=bool(self.stop)
            )
            return self._improve(first, words, sentence, vocabulary)

    def _check_loaded(self) -> None:
        """Refuse what a forged file may hold: scores of triples for too many labels, say."""
        if hasattr(self, "second_"):
            require_few(len(self.classes_))
        if hasattr(self, "suffixes_") and (np.diff(self.suffixes_["start"]) == 0).any():
            raise DataError("suffixes_ has an ending without a tag")
        if getattr(self, "vocabulary_", None) is None:
            raise DataError("there is no vocabulary")

    def _check_parameters(self) -> None:
        require_not_negative("alpha", self.alpha)
        check_positive(tol=self.tol, max_iter=self.max_iter)
        check_choice("unknown", self.unknown, ("suffix", "uniform"))
        check_choice("order", self.order, (1, 2))

    def _check_task(self, y: Any) -> None:
        self._check_parameters()
        if y is None and self.order == 2:
            raise ParameterError("order=2 needs labels; Baum-Welch finds models of order 1.")
        if y is None and self.n_states is None:
            raise ParameterError("Without labels n_states says how many states to look for.")

    def _count(self, words: list[str], sentence: Any, y: Any, sample_weight: Any) -> Self:
        self.classes_, gold = number_labels(y, sentence, self.classes)
        weight = sample_weights(sample_weight, len(sentence) - 1)
        vocabulary = {word: w for w, word in enumerate(sorted(set(words)))}
        L = len(self.classes_)
        counts = count_gold(
            number_words(words, vocabulary), gold, sentence, weight, (L, len(vocabulary))
        )
        triples = count_triples(gold, sentence, weight, L) if self._counts_triples(L) else None
        return self._estimate(vocabulary, counts, triples)

    def _counts_triples(self, n_labels: int) -> bool:
        """Tell whether triples of labels are counted; refuse too many of them."""
        if self.order == 2:
            require_few(n_labels)
        return self.order == 2

    def _estimate(self, vocabulary: dict[str, int], counts: Counts, triples: Floats | None) -> Self:
        """Take the probabilities of counts; the words of the vocabulary ascend."""
        history = History(self.verbose, "HMM")
        model = counts.estimate(float(self.alpha), stop=bool(self.stop))
        self._take(model, vocabulary)
        if triples is not None:
            self.second_ = interpolated(
                triples, counts.transition, counts.labels, self.transition_, float(self.alpha)
            )
        if self.unknown == "suffix":
            endings = count_endings(
                list(vocabulary), counts.first, counts.label, counts.word, len(self.classes_)
            )
            self.suffixes_ = endings._asdict()
        history.add(iteration=1, objective=-counts.log_likelihood(model))
        return self._record(history)

    def _record(self, history: History) -> Self:
        self.history_ = history.as_dict()
        self.n_iter_ = len(history)
        return self

    def _take(self, model: Estimate, vocabulary: dict[str, int]) -> None:
        self.start_, self.transition_, self.stop_ = model.start, model.transition, model.stop
        self.pair_start_, self.pair_label_ = model.first, model.label
        self.pair_weight_, self.background_ = model.emission, model.background
        self.vocabulary_ = vocabulary
        self.n_features_in_ = len(vocabulary)

    def baum_welch(self, X: Any) -> Self:
        """Go on from the present model with unlabelled sentences; their likelihood never falls.

        The labels keep their names. Words that are new enter the vocabulary, with the
        probabilities that they had as unknown words.

        Parameters
        ----------
        X : list of lists of words
        """
        self._require_fitted()
        if hasattr(self, "second_"):
            raise ParameterError("Baum-Welch improves models of order 1; this one has order=2.")
        with restored_on_error(self):
            words, sentence = read_words(X)
            if not words:
                raise DataError("There are no tokens to learn from; at least one is needed.")
            vocabulary = {w: i for i, w in enumerate(sorted({*words, *self.vocabulary_}))}
            alone = np.arange(len(vocabulary) + 1, dtype=np.int64)
            table = self._maker(list(vocabulary), alone)(0, len(vocabulary))
            L = len(self.classes_)
            label = np.tile(np.arange(L, dtype=np.int32), len(vocabulary))
            first = Estimate(
                self.start_, self.transition_, self.stop_, alone * L, label, table.ravel(),
                self.background_,
            )  # fmt: skip
            self.__dict__.pop("suffixes_", None)
            return self._improve(first, words, sentence, vocabulary)

    def _improve(
        self, first: Estimate, words: list[str], sentence: Any, vocabulary: dict[str, int]
    ) -> Self:
        history = History(self.verbose, "HMM", limit=int(self.max_iter))
        model = baum_welch(
            first, number_words(words, vocabulary).astype(np.int32), sentence,
            alpha=float(self.alpha), stop=bool(self.stop), max_iter=int(self.max_iter),
            tol=float(self.tol), threads=self._threads(), history=history,
        )  # fmt: skip
        self._take(model, vocabulary)
        return self._record(history)

    def _tables(self, X: Any) -> tuple[NDArray[np.int64], Callable[[int, int], Floats]]:
        words, sentence = read_words(X)
        return sentence, self._maker(words, sentence)

    def _edges(self) -> Edges:
        return Edges(self.transition_, self.start_, self.stop_, getattr(self, "second_", None))

    def chain(self, X: Any, *, beam: int = 0) -> Chain:
        """Return the chain of log probabilities over sentences."""
        self._require_fitted()
        sentence, table = self._tables(X)
        return Chain(sentence, Table(table), self._edges(), self._threads())

    def _maker(self, words: list[str], sentence: NDArray[np.int64]) -> Any:
        """Return a function that makes ln P(word | label) for some sentences, (tokens, L)."""
        numbers = number_words(words, self.vocabulary_)
        unknown: dict[str, Floats] = {}
        if hasattr(self, "suffixes_"):
            endings = Endings(**self.suffixes_)
            for word in {words[t] for t in np.flatnonzero(numbers < 0).tolist()}:
                unknown[word] = endings.log_probability(word)

        def table(first: int, last: int) -> Floats:
            a, b = int(sentence[first]), int(sentence[last])
            here = numbers[a:b]
            out = np.tile(self.background_, (b - a, 1))
            known = np.flatnonzero(here >= 0)
            at, owner = places(self.pair_start_, here[known])
            out[known[owner], self.pair_label_[at]] = self.pair_weight_[at]
            if unknown:
                for t in np.flatnonzero(here < 0).tolist():
                    out[t] = unknown[words[a + t]]
            return out

        return table

    def log_probability(self, X: Any, y: Any = None) -> Floats:
        """Return ln P(words) of every sentence, or ln P(words, labels) with labels.

        Parameters
        ----------
        X : list of lists of words
        y : list of lists of labels, optional
            A label that was not seen has probability 0.
        """
        chain = self.chain(X)
        if y is None:
            return chain.log_partition()
        number = {label: i for i, label in enumerate(self.classes_.tolist())}
        labels = read_labels(y, chain.sentence)
        gold = np.fromiter((number.get(label, -1) for label in labels), np.int32, len(labels))
        return chain.score(gold)

    def _reasons(self, rows: Any, extractor: Any) -> Emissions:
        return Emissions.of(self, rows)

    def sample(
        self, n: int = 1, *, length: Any = None, random_state: Any = None
    ) -> tuple[list[list[str]], list[list[Any]]]:
        """Draw sentences: one tag after the other, and a word for each.

        Parameters
        ----------
        n : int, default=1
        length : int, pair or array of shape (n,), optional
            The number of tokens: of all sentences, between two numbers (each as likely), or of each
            sentence. A model with a stop symbol ends its sentences itself and takes none.
        random_state : int, RandomState or None

        Returns
        -------
        X : list of n lists of words
            ``<unk>`` stands for a word that was not seen in training; with alpha=0 there is none.
        y : list of n lists of labels

        Examples
        --------
        >>> words = [{"fish": 1.0}, {"swim": 0.5, "can": 0.5}]
        >>> hmm = HMM.from_probabilities(["N", "V"], [1, 0], [[0, 1], [1, 0]], words)
        >>> hmm.sample(2, length=3, random_state=0)[1]
        [['N', 'V', 'N'], ['N', 'V', 'N']]
        """
        self._require_fitted()
        rng = generator(random_state)
        count = check_count("n", n, least=0)
        tags = draw_tags(rng, self._edges(), count, length, stop=bool(self.stop))
        flat = np.concatenate([*tags, np.empty(0, np.int64)])
        names = [*self.vocabulary_, UNKNOWN]
        words = [names[w] for w in draw(rng, np.exp(self.emission_), flat).tolist()]
        labels = self.classes_[flat].tolist()
        ends = np.cumsum([0, *map(len, tags)]).tolist()
        cuts = list(pairwise(ends))
        return [words[a:b] for a, b in cuts], [labels[a:b] for a, b in cuts]

    @property
    def emission_(self) -> Floats:
        """Table of ln P(word | label), shape (L, V + 1), the unknown word last; made when asked."""
        self._require_fitted()
        alone = np.arange(len(self.vocabulary_) + 1, dtype=np.int64)
        table = self._maker(list(self.vocabulary_), alone)(0, len(self.vocabulary_))
        return np.vstack([table, self.background_]).T
