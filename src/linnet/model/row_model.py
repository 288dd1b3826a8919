"""What a classifier has learned that no weights can say: a fitted learner and what it reads.

:class:`TextModel` is linear, small and fast. A :class:`RowModel` keeps the whole learner, whatever
it is, and reads rows of attribute values, or texts, bags and vectors through an extractor.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ModelFileError, ParameterError
from linnet.learn.decision import winners
from linnet.model.decision import probabilities
from linnet.model.readers import bag_rows, vector_rows
from linnet.model.row_reader import RowVectors, as_table, one_row
from linnet.model.verdict import Verdict, check_k
from linnet.text.extractor import Extractor
from linnet.threads import thread_count

if TYPE_CHECKING:
    from linnet.explain.rows import RowExplanation
    from linnet.model.file import ModelFile

__all__ = ["RowModel"]

Floats = NDArray[np.float64]


class RowModel:
    """A trained classifier that keeps its learner.

    :meth:`RowClassifier.fit <linnet.RowClassifier.fit>` makes one, and so does
    :class:`linnet.TextClassifier` with a learner that is not linear; :func:`linnet.load` reads one
    from a file.

    Attributes
    ----------
    classes_ : array of shape (K,)
    kind : {"row", "text", "bag", "vector"}
        What it predicts from.
    learner_ : the fitted learner
    names : list of str
        The columns of rows.
    kinds : list of {"symbolic", "numeric"}
        What these hold.
    vectors : RowVectors or None
        How rows become vectors, for learners that need them.
    extractor : Extractor or None
        How texts and bags become vectors.
    sharpness_ : float or None
        Factor between scores and probabilities, from held-out examples; None where the learner
        has probabilities of its own.
    reading : dict or None
        How the file was read that it was trained on.
    record_ : dict
        How it was trained.

    Examples
    --------
    >>> import linnet
    >>> rows, labels = [["sunny", 21.0], ["rain", 12.0], ["sunny", 18.0]], ["go", "stay", "go"]
    >>> model = linnet.RowClassifier().fit(rows, labels).model_
    >>> model.predict([["rain", 20.0]]).tolist()
    ['stay']
    """

    multilabel = False

    def __init__(
        self,
        *,
        learner: Any,
        kind: str = "row",
        names: list[str] | None = None,
        kinds: list[str] | None = None,
        vectors: RowVectors | None = None,
        extractor: Extractor | None = None,
        dense: bool = False,
        sharpness: float | None = None,
        abstain: float | None = None,
        abstain_label: Any = None,
        reading: dict[str, Any] | None = None,
        record: dict[str, Any] | None = None,
        n_threads: int | None = None,
    ) -> None:
        self.learner_ = learner
        self.classes_ = np.asarray(learner.classes_)
        self.kind = kind
        self.names = names or []
        self.kinds = kinds or []
        self.vectors = vectors
        self.extractor = extractor
        self.dense = dense
        self.sharpness_ = sharpness
        self.abstain = abstain
        self.abstain_label = abstain_label
        self.reading = reading
        self.record_ = record or {}
        self.n_threads = n_threads

    # Predicting

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row, as the learner itself decides.

        Where abstaining is on, rows whose best probability is below the threshold get
        ``abstain_label``.
        """
        if self.abstain is None:
            labels: NDArray[Any] = self._learner().predict(self.inputs(X))
            return labels
        return self.judge(X).labels

    def predict_proba(self, X: Any) -> Floats:
        """Return probabilities, shape (n, K): the learner's own, or calibrated from its scores."""
        if self.sharpness_ is None:
            return np.asarray(self._learner().predict_proba(self.inputs(X)), dtype=np.float64)
        return probabilities(self._scores(self.inputs(X)), self.sharpness_, multilabel=False)

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of the learner, where it has any."""
        if not hasattr(self.learner_, "decision_function"):
            raise ParameterError(
                f"{type(self.learner_).__name__} has no scores; use predict_proba."
            )
        return np.asarray(self._learner().decision_function(self.inputs(X)), dtype=np.float64)

    def judge(self, X: Any) -> Verdict:
        """Return the answers for rows, with the probabilities and the ranking of all labels.

        The answers are the learner's: a memory-based one has rules for ties that probabilities do
        not show.
        """
        learner, inputs = self._learner(), self.inputs(X)
        if self.sharpness_ is None:
            labels, p = learner._predict_with_proba(inputs)
            number = {label: k for k, label in enumerate(self.classes_.tolist())}
            best = np.array([number[label] for label in labels.tolist()], np.intp)
            return Verdict(self.classes_, p, p, best, self.abstain, self.abstain_label)
        scores = self._scores(inputs)
        p = probabilities(scores, self.sharpness_, multilabel=False)
        best = winners(scores)
        return Verdict(self.classes_, scores, p, best, self.abstain, self.abstain_label)

    def predict_top(self, X: Any, k: int = 3) -> tuple[NDArray[Any], Floats]:
        """Return the k most probable labels of each row and their probabilities, best first.

        Examples
        --------
        >>> import linnet
        >>> model = linnet.RowClassifier().fit([["a"], ["a"], ["b"]], ["x", "y", "y"])
        >>> labels, probability = model.predict_top([["b"]], 2)
        >>> labels.tolist(), probability.tolist()
        ([['y', 'x']], [[1.0, 0.0]])
        """
        check_k(k)
        return self.judge(X).top(k)

    def _scores(self, inputs: Any) -> Floats:
        """Return the learner's scores, shape (n, 1) for two classes, else (n, K)."""
        scores = np.asarray(self._learner().decision_function(inputs), dtype=np.float64)
        return scores.reshape(-1, 1 if len(self.classes_) == 2 else len(self.classes_))

    def _learner(self) -> Any:
        if self.n_threads is not None and "n_threads" in self.learner_.get_params(deep=False):
            self.learner_.n_threads = self.n_threads
        return self.learner_

    # From what users pass to what the learner reads

    def inputs(self, X: Any) -> Any:
        """Return rows, texts, bags or vectors as the learner takes them."""
        if self.kind == "row":
            table = as_table(X, self.names)
            return table if self.vectors is None else self._shaped(self.vectors.matrix(table))
        if self.kind == "text" and not isinstance(X, str):
            rows = self._extract(X)
        elif self.kind == "bag":
            rows = bag_rows(X, self._reader(), self._column_of())
        elif self.kind == "vector":
            rows = vector_rows(X, self.n_features)
        else:
            raise DataError("X must hold many texts, this is a single one; pass a list of texts.")
        from scipy.sparse import csr_matrix

        shape = (len(rows.start) - 1, self.n_features)
        return self._shaped(csr_matrix((rows.value, rows.index, rows.start), shape=shape))

    def one(self, example: Any) -> Any:
        """Return a batch of one example, as :meth:`inputs` takes it."""
        if self.kind == "row":
            return one_row(example, self.names)
        if self.kind == "text" and not isinstance(example, str):
            raise DataError(f"explain takes one text, got {type(example).__name__}.")
        if self.kind == "vector" and hasattr(example, "reshape"):
            return example.reshape(1, -1)
        return [example]

    def _extract(self, texts: Any) -> Any:
        reader, threads = self._reader(), thread_count(self.n_threads)
        return reader.weigh(reader.counts(texts, threads), threads)

    def _shaped(self, matrix: Any) -> Any:
        return matrix.toarray() if self.dense else matrix

    def _reader(self) -> Extractor:
        if self.extractor is None:
            raise DataError(f"A model of kind {self.kind!r} has no features of texts.")
        return self.extractor

    def _column_of(self) -> dict[str, int]:
        names = self._reader().names
        return {} if names is None else {name: j for j, name in enumerate(names.tolist())}

    # Looking inside

    @property
    def n_features(self) -> int:
        """The number of columns of rows, or of features."""
        return len(self.names) if self.kind == "row" else int(self.learner_.n_features_in_)

    def feature_name(self, column: int) -> str:
        """Return the name of a feature that the learner sees."""
        if self.kind == "row":
            return self.names[column] if self.vectors is None else self.vectors.names()[column]
        names = None if self.extractor is None else self.extractor.names
        return f"x{column}" if names is None else names[column]

    def top_features(self, n: int = 10) -> dict[Any, list[tuple[str, float]]]:
        """Return the n features of largest weight for each label, where the learner is linear."""
        from linnet.model.row_card import top_features

        return top_features(self, n)

    def explain(self, row: Any, label: Any = None) -> RowExplanation:
        """Say why a row gets its label: the neighbours, support vectors, tests or terms."""
        from linnet.model.row_explaining import explain

        return explain(self, row, label)

    def card(self) -> str:
        """Return a readable description: what it predicts, from what, and how it was trained."""
        from linnet.model.row_card import card

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

        It has no weights of features that could be rounded or left out, so `dtype` and
        `max_features` must stay as they are.
        """
        from linnet.model.file import save

        save(self, path, dtype=dtype, max_features=max_features)

    def _to_file(
        self, dtype: str = "float32", max_features: int | None = None
    ) -> tuple[dict[str, Any], dict[str, NDArray[Any]], dict[str, Any]]:
        from linnet.model.row_storing import to_file

        if dtype != "float32" or max_features is not None:
            raise ParameterError(
                f"A model of {type(self.learner_).__name__} cannot be stored smaller; leave dtype "
                "and max_features out."
            )
        return to_file(self)

    @classmethod
    def _from_file(cls, file: ModelFile) -> RowModel:
        from linnet.model.row_storing import from_file

        try:
            return from_file(file)
        except ModelFileError:
            raise
        except (DataError, LookupError, TypeError, ValueError, AttributeError) as error:
            what = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
            raise ModelFileError(
                f"the model inside is broken ({what}); save or copy it again", file=file.path
            ) from None
