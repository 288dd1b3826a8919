"""A tagger on its way: what it has learned of the sentences met so far.

The learner is an online one, which takes block after block by ``partial_fit`` (:class:`Online`), or
a CRF by SGD (:class:`linnet.learn.chain.sgd_stream.CRFSteps`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ParameterError
from linnet.learn.chain import LinearChain
from linnet.learn.chain.sentences import Ragged
from linnet.model.decision import Decision
from linnet.model.file.learners import decode_learner, encode_learner
from linnet.model.file.plain import Encoder
from linnet.model.fitting.increment import Foresight
from linnet.model.fitting.sequences import learner_of, rows_of
from linnet.model.legal import scheme_of
from linnet.model.model import Model
from linnet.model.readers.tokens import TokenReader, Tokens
from linnet.model.scorers.chain import ChainScorer
from linnet.text.names import Names
from linnet.text.token_extractor import TokenExtractor

if TYPE_CHECKING:
    from linnet.model.sequence_tagger import SequenceTagger

__all__ = [
    "BYTES_PER_FEATURE",
    "Online",
    "TagIncrement",
    "online_tagger",
    "ragged_of",
    "tag_increment_of",
]

Arrays = dict[str, NDArray[Any]]
BYTES_PER_FEATURE = 300  # its name, its weights, and the sums of these


def online_tagger(tagger: SequenceTagger) -> Any:
    """Return the learner of a tagger that learns a sentence at a time.

    Raises
    ------
    ParameterError
        When it needs all sentences at once.
    """
    if tagger.learner is None:
        from linnet.learn.structured import StructuredPerceptron

        return StructuredPerceptron(random_state=0)
    learner = learner_of(tagger)
    if not hasattr(learner, "partial_fit"):
        raise ParameterError(
            f"{type(learner).__name__} needs all sentences at once; block by block learn "
            "StructuredPerceptron and StructuredMIRA, and over a stream CRF by SGD."
        )
    if learner.random_state is None:
        learner.set_params(random_state=0)  # the same orders in a run that is resumed
    return learner


def tag_increment_of(
    tagger: SequenceTagger, tokens: Tokens, gold: list[list[str]], classes: Any
) -> TagIncrement:
    """Return what the first call of ``partial_fit`` begins, with the features of its sentences."""
    features = rows_of(tagger, tokens, gold).features
    assert features is not None
    if not features.transitions_:
        raise ParameterError("templates without B, and so without transitions, need all sentences")
    tags = {tag for sentence in gold for tag in sentence} if classes is None else set(classes)
    scheme = scheme_of(tagger.constraints, gold, None)
    core = Online(online_tagger(tagger), sorted(tags))
    return TagIncrement(core, features.extractor_, set(), scheme)


def ragged_of(extractor: TokenExtractor, tokens: Tokens, threads: int) -> Ragged:
    """Return the features of tokens as learners read them."""
    rows = extractor.rows(list(tokens.columns), tokens.offset, threads)
    return Ragged(rows.start, rows.index, rows.value, rows.n_features, tokens.offset)


class Online:
    """An online learner of sentences, block by block.

    Parameters
    ----------
    learner : estimator with a method ``partial_fit``
    classes : list of str
        All tags that will come.
    """

    n_bytes = 0  # in BYTES_PER_FEATURE

    def __init__(self, learner: Any, classes: list[str]) -> None:
        self.learner, self.classes = learner, classes
        self._met = False

    def meet(self, rows: Ragged, gold: list[list[str]]) -> tuple[int, float]:
        """Answer each sentence, then learn from it; return wrong tokens and the loss."""
        self.learner.partial_fit(rows, gold, classes=self.classes)
        self._met = True
        history = self.learner.history_
        return int(history["wrong_tokens"][-1]), float(history["online_loss"][-1])

    def to_state(self) -> tuple[Any, Arrays]:
        """Return all that it has learned, as plain values and arrays."""
        encoder = Encoder()
        return encode_learner(self.learner, encoder) if self._met else None, encoder.arrays

    def restore(self, values: Any, arrays: Arrays) -> None:
        """Go on from what :meth:`to_state` returned."""
        if values is not None:
            self.learner = decode_learner(type(self.learner), values, arrays, fitted=True)
            self._met = True


class TagIncrement:
    """A tagger on its way.

    Parameters
    ----------
    core : Online or CRFSteps
        What learns.
    extractor : TokenExtractor
        The features of all sentences that will come; others count for nothing.
    words : set of str
        The words of the training data, to tell new ones later.
    scheme : Scheme or None
        Of the chunk tags.
    """

    def __init__(
        self,
        core: Any,
        extractor: TokenExtractor,
        words: set[str],
        scheme: Any,
    ) -> None:
        self.core, self.extractor = core, extractor
        self.words, self.scheme = words, scheme
        self.seen = 0  # tokens
        self.sentences = 0
        self.foresight = Foresight()

    @property
    def n_bytes(self) -> int:
        """The memory of names and weights, about."""
        return BYTES_PER_FEATURE * self.extractor.n_features + int(self.core.n_bytes)

    @property
    def learner(self) -> Any:
        """The learner, fitted on what was met."""
        return self.core.learner

    def rows(self, tokens: Tokens, threads: int) -> Ragged:
        """Return the features of tokens."""
        return ragged_of(self.extractor, tokens, threads)

    def meet(self, rows: Ragged, gold: list[list[str]], *, foresees: bool = True) -> None:
        """Answer each sentence, then learn from it."""
        wrong, loss = self.core.meet(rows, gold)
        tokens = len(rows.start) - 1
        if foresees:
            self.foresight.add(tokens, wrong, loss)
            self.sentences += len(gold)
        self.seen += tokens

    def model(self, tagger: SequenceTagger, **record: Any) -> Model:
        """Return the model of all that was met."""
        learner = self.learner
        scorer = ChainScorer(LinearChain.of(learner), hasattr(learner, "predict_marginals"))
        extractor, scorer = scorer.lightened(self.extractor)
        used = tagger.features
        about = {
            "learner": type(learner).__name__,
            "features": used if isinstance(used, str) else "given",
            "sentences": self.sentences,
            "tokens": self.foresight.examples,
            "n_features": scorer.n_features,
            "progressive": self.foresight.record(),
            **record,
        }
        return Model(
            TokenReader(extractor, Names.of(sorted(self.words))),
            scorer,
            Decision(np.asarray(learner.classes_), scheme=self.scheme),
            about,
            tagger.n_threads,
        )

    def to_state(self) -> tuple[dict[str, Any], Arrays]:
        """Return all that it has learned, as plain values and arrays."""
        learner, arrays = self.core.to_state()
        values = {
            "learner": learner,
            "seen": self.seen,
            "sentences": self.sentences,
            "foresight": vars(self.foresight),
        }
        return values, arrays

    def restore(self, values: dict[str, Any], arrays: Arrays) -> None:
        """Go on from what :meth:`to_state` returned."""
        self.core.restore(values["learner"], arrays)
        self.seen, self.sentences = values["seen"], values["sentences"]
        self.foresight = Foresight(**values["foresight"])
