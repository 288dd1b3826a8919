"""What was learned: everything that predicting needs, and nothing else.

    Model = reader (texts | bags | vectors | rows | sentences)
          × scorer (weights | a learner | a chain)  ×  decision

NumPy and the core are all that is imported here, so a saved model starts fast.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.model.decision import OWN, Decision, Verdict, check_k
from linnet.model.scorers.flat import strongest
from linnet.threads import thread_count

if TYPE_CHECKING:
    from linnet.data.sequences import Sequences
    from linnet.model.file import ModelFile
    from linnet.typing import Bags, Matrix, Rows, Sentences, TextInput, Texts, Vectors

__all__ = ["Model"]

Floats = NDArray[np.float64]


def _part(part: str, name: str, doc: str) -> Any:
    """Return a property: a value of one of the parts. Setting it makes the part anew."""

    def get(model: Model) -> Any:
        return getattr(getattr(model, part), name)

    def put(model: Model, value: Any) -> None:
        setattr(model, part, replace(getattr(model, part), **{name: value}))

    return property(get, put, doc=doc)


class Model:
    """A trained model of texts, bags of features, vectors, rows or sentences.

    ``fit`` of :class:`linnet.TextClassifier`, :class:`linnet.RowClassifier` and
    :class:`linnet.SequenceTagger` makes one, and :func:`linnet.load` reads one from a file. It
    only predicts: the same answers, bit for bit, whatever the batch, its order or the number of
    threads.

    Parameters
    ----------
    reader : TextReader, BagReader, VectorReader, RowReader or TokenReader
        Turns what users hold into features.
    scorer : LinearScorer, LearnerScorer or ChainScorer
        Gives scores.
    decision : Decision
        Turns scores into answers.
    record : dict
        How it was trained.
    n_threads : int, optional
        None uses all cores.

    Examples
    --------
    >>> import linnet
    >>> texts = ["good book", "fine film", "poor book", "dull film"]
    >>> model = linnet.TextClassifier().fit(texts, ["pos", "pos", "neg", "neg"]).model_
    >>> model.kind, model.predict(["a good film"]).tolist()
    ('text', ['pos'])
    """

    classes_ = _part("decision", "classes", "The labels or tags, sorted; shape (K,).")
    sharpness_ = _part("decision", "sharpness", "The factor between scores and probabilities.")
    multilabel = _part("decision", "multilabel", "Whether a row may have any number of labels.")
    abstain = _part("decision", "abstain", "The probability below which there is no answer.")
    abstain_label = _part("decision", "abstain_label", "What stands where there is no answer.")
    scheme = _part("decision", "scheme", "The scheme of chunk tags that answers keep to.")
    weights_ = _part("scorer", "weights", "The weights, of shape (J, K), or (J, 1).")
    intercept_ = _part("scorer", "intercept", "The intercepts, of shape (K,) or (1,).")
    learner_ = _part("scorer", "learner", "The fitted learner, where it is kept.")
    chain = _part("scorer", "chain", "The scores of tags and of their neighbours.")
    probabilistic = _part("scorer", "probabilistic", "Whether a tagger has marginals.")
    extractor = _part("reader", "extractor", "What makes features.")
    names = _part("reader", "names", "The columns of rows.")
    kinds = _part("reader", "kinds", "What these hold: symbolic or numeric.")
    vectors = _part("reader", "vectors", "How rows become vectors, for learners of those.")
    reading = _part("reader", "reading", "How the file of rows was read.")
    n_columns = _part("reader", "n_columns", "The columns of a token that features look at.")
    column_models = _part("reader", "column_models", "Taggers of the columns after the words.")
    known_words = _part("reader", "known_words", "The words of the training data.")

    def __init__(
        self,
        reader: Any,
        scorer: Any,
        decision: Decision,
        record: dict[str, Any] | None = None,
        n_threads: int | None = None,
    ) -> None:
        self.reader = reader
        self.scorer = scorer
        self.decision = decision
        self.record_ = record or {}
        self.n_threads = n_threads

    @property
    def kind(self) -> str:
        """What it predicts from: "text", "bag", "vector", "row", "columns" or "sequence"."""
        return str(self.reader.kind)

    # Predicting

    @overload
    def predict(self, X: Sequences, *, constraints: str | None = OWN) -> list[list[str]]: ...
    @overload
    def predict(
        self, X: Texts | Bags | Matrix, *, constraints: str | None = OWN
    ) -> NDArray[Any]: ...
    @overload  # lists of lists are rows or sentences, and the model alone knows which
    def predict(self, X: Rows | Sentences | Vectors, *, constraints: str | None = OWN) -> Any: ...
    def predict(self, X: Any, *, constraints: str | None = OWN) -> Any:
        """Return the label of each example, or the tags of each sentence.

        Where abstaining is on, examples whose best probability is below the threshold get
        ``abstain_label`` and the array has dtype object. For several labels a row the entries are
        lists.

        Parameters
        ----------
        X : what the model was trained on
            Texts, dictionaries, vectors or rows; or sentences, which are lists of words or of
            tuples of as many columns as in training. Words alone are enough when the model has
            learned to supply the others.
        constraints : {"model", "iob1", "iob2", "bioes", "bilou"} or None
            Which sequences of tags may be predicted: those legal in a scheme; by default in that
            of the training data. None allows all. Where no legal sequence exists, all are.
        """
        if self.kind != "sequence":
            if constraints != OWN:
                self._only("sequence", "constraints")
            return self.scorer.predict(self.reader, X, self.decision, self.n_threads)
        from linnet.learn.chain import named_labels

        tokens, rows, allowed = self._tokens(X, constraints)
        labels = self.chain.decode(rows, tokens.offset, allowed, thread_count(self.n_threads))
        return named_labels(labels, tokens.offset, self.classes_.tolist())

    def predict_proba(self, X: TextInput | Rows | Vectors) -> Floats:
        """Return calibrated probabilities, shape (n, K), columns in the order of ``classes_``."""
        self._only("flat", "predict_proba")
        p: Floats = self.scorer.proba(self.reader, X, self.decision, self.n_threads)
        return p

    def decision_function(self, X: TextInput | Rows | Vectors) -> Floats:
        """Return the scores: shape (n,) for two classes, else (n, K)."""
        self._only("flat", "decision_function")
        scores: Floats = self.scorer.scores(self.reader, X, self.n_threads)
        return scores[:, 0] if scores.shape[1] == 1 and not self.multilabel else scores

    def judge(self, X: TextInput | Rows | Vectors) -> Verdict:
        """Return the answers for rows, with the probabilities and the ranking of all labels."""
        self._only("flat", "judge")
        verdict: Verdict = self.scorer.judge(self.reader, X, self.decision, self.n_threads)
        return verdict

    def predict_top(self, X: TextInput | Rows | Vectors, k: int = 3) -> tuple[NDArray[Any], Floats]:
        """Return the k most probable labels of each row and their probabilities, best first.

        Examples
        --------
        >>> import linnet
        >>> model = linnet.TextClassifier().fit(["a b", "c d"] * 9, ["x", "y"] * 9)
        >>> labels, probability = model.predict_top(["a b"], 2)
        >>> labels.tolist()
        [['x', 'y']]
        """
        check_k(k)
        return self.judge(X).top(k)

    def predict_marginals(self, X: Sentences, *, constraints: str | None = OWN) -> list[Floats]:
        """Return for every sentence P(tag at token | sentence), shape (tokens, L)."""
        self._only("sequence", "predict_marginals")
        if not self.probabilistic:
            learner = self.record_.get("learner", "the learner")
            raise ParameterError(
                f"The scores of {learner} are no probabilities, so there are no marginals; train "
                "a CRF, or use predict_nbest."
            )
        tokens, rows, allowed = self._tokens(X, constraints)
        table = self.chain.marginals(rows, tokens.offset, allowed, thread_count(self.n_threads))
        return [table[first:last] for first, last in pairwise(tokens.offset.tolist())]

    def predict_nbest(
        self, X: Sentences, k: int = 5, *, constraints: str | None = OWN
    ) -> list[list[tuple[float, list[str]]]]:
        """Return for every sentence its k best sequences of tags, best first, as (score, tags)."""
        self._only("sequence", "predict_nbest")
        k = check_k(k)
        tokens, rows, allowed = self._tokens(X, constraints)
        ranked = self.chain.n_best(rows, tokens.offset, k, allowed, thread_count(self.n_threads))
        return [[(score, self.classes_[tags].tolist()) for score, tags in best] for best in ranked]

    def entities(self, text: str) -> list[tuple[int, int, str, str]]:
        """Return the chunks found in raw text as (start, end, label, text), in characters.

        Each line is a sentence; it is cut into tokens at the word boundaries of Unicode.
        """
        from linnet.data.tags import are_chunk_tags, spans
        from linnet.model.readers.tokens import tokens_of_text

        self._only("sequence", "entities")
        if not are_chunk_tags(self.classes_.tolist()):
            raise DataError("The tags of this model are no chunk tags such as B-X, I-X and O.")
        tokens, places = tokens_of_text(text)
        chunks = []
        for first, tags in zip(tokens.offset.tolist(), self.predict(tokens), strict=False):
            for low, high, label in spans(tags):
                start, end = places[first + low][0], places[first + high - 1][1]
                chunks.append((start, end, label, text[start:end]))
        return chunks

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the share of examples, or of tokens, whose answer is right.

        A row's list of labels must be complete; a row without an answer, because the model
        abstains, is not right. The tags of Sequences are their own.
        """
        from linnet.learn.shared.checks import sample_weights
        from linnet.model.readers.tokens import given_tags, read_tags, read_tokens

        if self.kind == "sequence":
            tokens = read_tokens(X)
            gold = [tag for row in read_tags(given_tags(X, y), tokens) for tag in row]
            guesses = [tag for row in self.predict(tokens) for tag in row]
        else:
            guesses = self.predict(X).tolist()
            gold = list(y.tolist() if hasattr(y, "tolist") else y)
            if len(gold) != len(guesses):
                raise DataError(f"X has {len(guesses)} rows, y has {len(gold)} labels.")
        if not gold:
            unit = "tokens" if self.kind == "sequence" else "rows"
            raise DataError(f"There is no accuracy of no {unit}; pass at least one.")
        same = (lambda a, b: set(a) == set(b)) if self.multilabel else operator.eq
        right = list(map(same, guesses, gold))
        return float(np.average(right, weights=sample_weights(sample_weight, len(right))))

    def explain(
        self, example: Any, label: Any = None, *, against: Sequence[str] | None = None
    ) -> Any:
        """Say why an example gets its label, or each token its tag.

        Parameters
        ----------
        example : one text, bag, vector, row or sentence
        label : a label, optional
            Of one that is not a sentence; by default the predicted one.
        against : list of tags, optional
            Of a sentence: compare with these, for example the true ones, where they differ.

        Returns
        -------
        Explanation, RowExplanation or TagExplanation
            What each feature adds to a score; neighbours, support vectors or tests; or for each
            token why it has its tag and not the next best one.
        """
        from linnet.model.explaining import explain

        return explain(self, example, label, against)

    # Looking inside

    def top_features(self, n: int = 10) -> dict[Any, list[tuple[str, float]]]:
        """Return the n features of largest weight for each label (SPEC C-27).

        Examples
        --------
        >>> import linnet
        >>> model = linnet.TextClassifier(ngrams=1).fit(["up", "down"] * 9, ["+", "-"] * 9)
        >>> model.top_features(1)["+"][0][0]
        'up'
        """
        _check_n(n)
        if self.kind == "sequence":
            listed = self.scorer.top_features(n)
        else:
            columns = [self.weights_of(k) for k in range(len(self.classes_))]
            listed = [[(j, float(w[j])) for j in strongest(w, n)] for w in columns]
        return {
            label: [(self.feature_name(j), weight) for j, weight in rows]
            for label, rows in zip(self.classes_.tolist(), listed, strict=True)
        }

    def top_transitions(self, n: int = 10) -> list[tuple[str, str, float]]:
        """Return the n strongest transitions (tag, next tag, score), by size, largest first."""
        self._only("sequence", "top_transitions")
        _check_n(n)
        tags = self.classes_.tolist()
        return [(tags[a], tags[b], score) for a, b, score in self.scorer.top_transitions(n)]

    def weights_of(self, k: int) -> Floats:
        """Return the weights that speak for class number k, shape (J,)."""
        self._only("flat", "weights_of")
        weights: Floats = self.scorer.weights_of(k, len(self.classes_))
        return weights

    def feature_name(self, column: int) -> str:
        """Return the name of a feature."""
        return str(self.reader.feature_name(column))

    @property
    def n_features(self) -> int:
        """The number of features, or of columns of rows."""
        return int(self.reader.n_features if self.kind == "row" else self.scorer.n_features)

    def __repr__(self) -> str:
        from linnet.model.card import headline

        learner = self.record_.get("learner")
        return f"<{headline(self)}{f', by {learner}' if learner else ''}>"

    def _repr_html_(self) -> str:
        from linnet.model.card import card_html

        return card_html(self)

    def card(self) -> str:
        """Return a readable description: what it predicts, from what, and how it was trained."""
        from linnet.model.card import card

        return card(self)

    # Files

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        dtype: str = "float32",
        max_features: int | None = None,
    ) -> None:
        """Write the model to one file that :func:`linnet.load` reads.

        Parameters
        ----------
        path : str or path-like
        dtype : {"float32", "float16"}
            Of the weights. float32 is exact; float16 halves them and rounds.
        max_features : int, optional
            Keep only the features of largest weight, in a model of texts or of bags.
        """
        from linnet.model.file import save

        save(self, path, dtype=dtype, max_features=max_features)

    def _to_file(
        self, dtype: str = "float32", max_features: int | None = None
    ) -> tuple[dict[str, Any], dict[str, NDArray[Any]], dict[str, Any]]:
        from linnet.model.storing import to_file

        return to_file(self, dtype, max_features)

    @classmethod
    def _from_file(cls, file: ModelFile) -> Model:
        from linnet.model.storing import from_file

        return from_file(file.config, file.arrays, file.record)

    def _tokens(self, sentences: Any, constraints: str | None) -> tuple[Any, Any, Any]:
        """Return the tokens of sentences, their features, and which tags are allowed."""
        tokens = self.reader.complete(sentences)
        rows = self.reader.rows(tokens, self.n_threads)
        return tokens, rows, self.scorer.allowed(self.decision, constraints)

    def _only(self, shape: str, verb: str) -> None:
        """Refuse what a model of this kind does not have."""
        if (self.kind == "sequence") != (shape == "sequence"):
            other = "a tagger of sentences" if shape == "sequence" else "a classifier"
            raise ParameterError(
                f"A model of kind {self.kind!r} has no {verb}; that is for {other}."
            )


def _check_n(n: Any) -> None:
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
        raise ParameterError(f"n must be an integer, not negative; got {n!r}.")
