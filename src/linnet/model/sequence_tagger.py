"""SequenceTagger: sentences with tags in, a tagger of sentences out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ParameterError
from linnet.estimator import Estimator
from linnet.learn.shared.restore import restored_on_error
from linnet.model.faces import Face
from linnet.model.fitting.sequences import fitted
from linnet.model.legal import as_scheme
from linnet.model.readers.tokens import given_tags, read_tags, read_tokens
from linnet.threads import thread_count

if TYPE_CHECKING:
    from linnet.explain.tags import TagExplanation
    from linnet.typing import Sentences, Tags, Weights

__all__ = ["SequenceTagger"]


class SequenceTagger(Face, Estimator):
    """Tag the words of sentences: features, a sequence learner and legal output in one estimator.

    Parameters
    ----------
    learner : estimator or str, optional
        Any sequence learner of linnet, or its name, such as "hmm"; by default ``CRF(C=1.0)``.
    features : str, path, list or callable, default="auto"
        What to look at in and around a word: the name of a set ("pos", "chunking", "ner",
        "crfsuite_chunking"), a CRF++ template file, a list of templates such as "w[-1]|w[0]", or a
        function; see :class:`linnet.text.token_features.TokenFeatures`. An HMM reads the words.
        "auto" is "ner" for chunk tags of which more than 60 % are O, else "chunking" for tokens
        with a second column, else "pos".
    min_count : int, default=1
        Leave out features of fewer tokens.
    constraints : {"auto", "iob1", "iob2", "bioes", "bilou"} or None, default="auto"
        Predict only sequences of chunk tags that are legal in a scheme. "auto" takes the scheme of
        the training tags, if they are chunk tags; illegal ones among them are warned of, and turn
        it off only where they are more than a fifth.
    gazetteers : dict, optional
        From names to lists of phrases, for the feature set "ner".
    supply_columns : bool, default=True
        When tokens have more columns than the word (such as its part of speech), learn to predict
        those too, by an averaged perceptron, so that words alone are enough later.
    n_threads : int, optional
        None uses all cores. The result does not depend on it.

    Attributes
    ----------
    classes_ : array of shape (L,)
        The tags, sorted.
    model_ : Model
        All that predicting needs; what :meth:`save` writes. Weights are rounded to float32.
    learner_ : the fitted learner
    features_ : TokenFeatures, unless the learner reads words
    record_ : dict
        The training in numbers.
    seconds_ : dict
        What fitting took, in all and for the features; it says more about the machine than about
        the model, so it is not part of the file.

    Examples
    --------
    >>> import linnet
    >>> sentences = [["the", "dog", "ran"], ["a", "cat", "sat"], ["dogs", "ran"]]
    >>> tags = [["D", "N", "V"], ["D", "N", "V"], ["N", "V"]]
    >>> tagger = linnet.SequenceTagger().fit(sentences, tags)
    >>> tagger.predict([["the", "cat", "ran"]])
    [['D', 'N', 'V']]
    >>> tagger.score(sentences, tags)
    1.0
    """

    _examples = "sentences"

    def __init__(
        self,
        learner: Any = None,
        *,
        features: Any = "auto",
        min_count: int = 1,
        constraints: str | None = "auto",
        gazetteers: Any = None,
        supply_columns: bool = True,
        n_threads: int | None = None,
    ) -> None:
        self.learner = learner
        self.features = features
        self.min_count = min_count
        self.constraints = constraints
        self.gazetteers = gazetteers
        self.supply_columns = supply_columns
        self.n_threads = n_threads

    def fit(
        self, sentences: Sentences, tags: Tags | None = None, sample_weight: Weights | None = None
    ) -> Self:
        """Learn to tag.

        Parameters
        ----------
        sentences : list of lists of words or of tuples of columns, or Sequences
            A tuple has the word first, then for example its part of speech.
        tags : list of lists of str
            May be left out when sentences are :class:`linnet.data.Sequences` with tags.
        sample_weight : array of shape (sentences,), optional
        """
        if self.constraints != "auto":
            as_scheme(self.constraints)
        if not isinstance(self.learner, (str, type(None))) and not hasattr(self.learner, "fit"):
            raise ParameterError(f"learner must be a sequence learner, got {self.learner!r}.")
        with restored_on_error(self):
            for name in ("features_", "_increment"):
                self.__dict__.pop(name, None)
            tokens = read_tokens(sentences)
            gold = read_tags(given_tags(sentences, tags), tokens)
            lines = getattr(sentences, "lines", None)
            self.__dict__.update(fitted(self, tokens, gold, sample_weight, lines))
        return self

    def partial_fit(
        self, sentences: Sentences, tags: Tags | None = None, classes: Sequence[str] | None = None
    ) -> Self:
        """Go over the given sentences once, from where the last call stopped.

        The learner must be able to learn a sentence at a time: StructuredPerceptron, which is the
        default here, or StructuredMIRA. Each sentence is answered before it is learned;
        ``record_["progressive"]`` says how well.

        Parameters
        ----------
        sentences, tags
            As in :meth:`fit`. The features are those of the sentences of the first call.
        classes : list of str, optional
            All tags that will ever come, for the first call; by default those in `tags`.

        Examples
        --------
        >>> import linnet
        >>> tagger = linnet.SequenceTagger()
        >>> for _ in range(3):
        ...     tagger = tagger.partial_fit([["the", "dog", "ran"]], [["D", "N", "V"]])
        >>> tagger.predict([["the", "dog"]]), tagger.record_["sentences"]
        ([['D', 'N']], 3)
        """
        from linnet.model.fitting.tag_increment import tag_increment_of

        tokens = read_tokens(sentences)
        gold = read_tags(given_tags(sentences, tags), tokens)
        increment = getattr(self, "_increment", None)
        if increment is None:
            increment = tag_increment_of(self, tokens, gold, classes)
        increment.meet(increment.rows(tokens, thread_count(self.n_threads)), gold)
        increment.words.update(tokens.strings(0))
        self.model_ = increment.model(self)
        self.learner_, self._increment = increment.learner, increment
        return self

    def predict(
        self, sentences: Sentences, *, constraints: str | None = "model"
    ) -> list[list[str]]:
        """Return the tags of every sentence; see :meth:`Model.predict`."""
        tags: list[list[str]] = self._model().predict(sentences, constraints=constraints)
        return tags

    def predict_marginals(
        self, sentences: Sentences, *, constraints: str | None = "model"
    ) -> list[NDArray[np.float64]]:
        """Return for every sentence P(tag at token | sentence), shape (tokens, L)."""
        return self._model().predict_marginals(sentences, constraints=constraints)

    def predict_nbest(
        self, sentences: Sentences, k: int = 5, *, constraints: str | None = "model"
    ) -> list[list[tuple[float, list[str]]]]:
        """Return for every sentence its k best sequences of tags, best first, as (score, tags)."""
        return self._model().predict_nbest(sentences, k, constraints=constraints)

    def score(self, sentences: Sentences, tags: Tags | None = None) -> float:
        """Return the share of tokens whose tag is right."""
        return self._model().score(sentences, tags)

    def entities(self, text: str) -> list[tuple[int, int, str, str]]:
        """Return the chunks found in raw text as (start, end, label, text), in characters."""
        return self._model().entities(text)

    def explain(self, sentence: Any, against: Sequence[str] | None = None) -> TagExplanation:
        """Say why each token has its tag, and not the next best one; see :meth:`Model.explain`."""
        explanation: TagExplanation = self._model().explain(sentence, against=against)
        return explanation

    def top_transitions(self, n: int = 10) -> list[tuple[str, str, float]]:
        """Return the n strongest transitions (tag, next tag, score), by size, largest first."""
        return self._model().top_transitions(n)
