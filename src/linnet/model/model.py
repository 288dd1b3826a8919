"""What a text classifier has learned: everything that predicting needs, and nothing else.

NumPy and the core are all that is imported here, so a saved model starts fast.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ModelFileError, ParameterError
from linnet.learn.decision import winners
from linnet.model.decision import probabilities
from linnet.model.readers import bag_rows, vector_rows
from linnet.model.verdict import Verdict, check_k
from linnet.text.extractor import Extractor, Rows
from linnet.text.scoring import scores_of
from linnet.threads import thread_count

if TYPE_CHECKING:
    from linnet.explain.text import Explanation
    from linnet.model.file import ModelFile

__all__ = ["TextModel"]

Floats = NDArray[np.float64]


class TextModel:
    """A trained classifier of texts, of bags of features or of vectors.

    :meth:`TextClassifier.fit <linnet.TextClassifier.fit>` makes one and :func:`linnet.load` reads
    one from a file. It only predicts: the same answers, bit for bit, whatever the batch, the order
    of the texts or the number of threads.

    Attributes
    ----------
    classes_ : array of shape (K,)
    multilabel : bool
        Whether a text may have any number of labels.
    kind : {"text", "bag", "vector"}
        What it predicts from: texts, dictionaries of feature values, or rows of a matrix.
    extractor : Extractor
    weights_ : float32 array of shape (J, K), or (J, 1) for two classes
    intercept_ : array of shape (K,) or (1,)
    sharpness_ : float
        Factor between scores and probabilities, from held-out examples.
    record_ : dict
        How it was trained.

    Examples
    --------
    >>> import linnet
    >>> texts = ["good book", "fine film", "poor book", "dull film"]
    >>> model = linnet.TextClassifier().fit(texts, ["pos", "pos", "neg", "neg"]).model_
    >>> model.predict(["a good film"]).tolist()
    ['pos']
    """

    def __init__(
        self,
        *,
        classes: Any,
        weights: NDArray[np.float32],
        intercept: Floats,
        extractor: Extractor,
        kind: str = "text",
        sharpness: float = 1.0,
        multilabel: bool = False,
        abstain: float | None = None,
        abstain_label: Any = None,
        record: dict[str, Any] | None = None,
        n_threads: int | None = None,
    ) -> None:
        self.classes_ = np.asarray(classes)
        self.weights_ = weights
        self.intercept_ = intercept
        self.extractor = extractor
        self.kind = kind
        self.sharpness_ = sharpness
        self.multilabel = multilabel
        self.abstain = abstain
        self.abstain_label = abstain_label
        self.record_ = record or {}
        self.n_threads = n_threads

    # Predicting

    def decision_function(self, X: Any) -> Floats:
        """Return the scores: shape (n,) for two classes, else (n, K)."""
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 and not self.multilabel else scores

    def predict_proba(self, X: Any) -> Floats:
        """Return calibrated probabilities, shape (n, K), columns in the order of ``classes_``."""
        return probabilities(self._scores(X), self.sharpness_, multilabel=self.multilabel)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row.

        Where abstaining is on, rows whose best probability is below the threshold get
        ``abstain_label`` and the array has dtype object. For several labels a row the entries are
        lists.
        """
        return self.judge(X).labels

    def judge(self, X: Any) -> Verdict:
        """Return the answers for rows, with the probabilities and the ranking of all labels."""
        scores = self._scores(X)
        return Verdict(
            self.classes_,
            scores,
            probabilities(scores, self.sharpness_, multilabel=self.multilabel),
            scores.argmax(axis=1) if self.multilabel else winners(scores),
            self.abstain,
            self.abstain_label,
            self.multilabel,
        )

    def predict_top(self, X: Any, k: int = 3) -> tuple[NDArray[Any], Floats]:
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

    def explain(self, text: Any, label: Any = None) -> Explanation:
        """Say what each feature adds to the score of a label (by default the predicted one)."""
        from linnet.model.explaining import explain

        return explain(self, text, label)

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
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
            raise ParameterError(f"n must be an integer, not negative; got {n!r}.")
        found: dict[Any, list[tuple[str, float]]] = {}
        for k, label in enumerate(self.classes_.tolist()):
            weights = self.weights_of(k)
            n_best = min(n, len(weights))
            best = np.argpartition(-weights, n_best - 1)[:n_best] if n_best else np.array([], int)
            best = best[np.argsort(-weights[best], kind="stable")]
            found[label] = [(self.feature_name(j), float(weights[j])) for j in best.tolist()]
        return found

    def weights_of(self, k: int) -> Floats:
        """Return the weights that speak for class number k, shape (J,)."""
        if self._is_binary():
            column = self.weights_[:, 0].astype(np.float64)
            return column if k == 1 else -column
        return self.weights_[:, k].astype(np.float64)

    def feature_name(self, column: int) -> str:
        """Return the name of a column."""
        names = self.extractor.names
        if names is not None:
            return names[column]
        return f"bucket {column}" if self.kind == "text" else f"x{column}"

    @property
    def n_features(self) -> int:
        """The number of features."""
        return int(self.weights_.shape[0])

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
            Keep only the features of largest weight.
        """
        from linnet.model.file import save

        save(self, path, dtype=dtype, max_features=max_features)

    def _to_file(
        self, dtype: str = "float32", max_features: int | None = None
    ) -> tuple[dict[str, Any], dict[str, NDArray[Any]], dict[str, Any]]:
        from linnet.model.storing import to_file

        return to_file(self, dtype, max_features)

    @classmethod
    def _from_file(cls, file: ModelFile) -> TextModel:
        from linnet.model.storing import from_file

        try:
            return from_file(file)
        except ModelFileError:
            raise
        except (DataError, LookupError, TypeError, ValueError, AttributeError) as error:
            what = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
            raise ModelFileError(
                f"the model inside is broken ({what}); save or copy it again", file=file.path
            ) from None

    # From what users pass to scores

    def _is_binary(self) -> bool:
        return not self.multilabel and len(self.classes_) == 2

    def _scores(self, X: Any) -> Floats:
        """Return the scores, shape (n, columns of weights)."""
        threads = thread_count(self.n_threads)
        if self.kind != "text":
            return scores_of(self._rows(X), self.weights_, self.intercept_, threads)
        if isinstance(X, Sequence) and len(X) and isinstance(X[0], Mapping):
            raise DataError("This model reads texts, but X is a list of dictionaries.")
        return self.extractor.scores(X, self.weights_, self.intercept_, threads)

    def _rows(self, X: Any) -> Rows:
        """Return bags or vectors as weighted rows."""
        if self.kind == "bag":
            return bag_rows(X, self.extractor, self._column_of)
        return vector_rows(X, self.n_features)

    @cached_property
    def _column_of(self) -> dict[str, int]:
        names = self.extractor.names
        return {} if names is None else {name: j for j, name in enumerate(names.tolist())}
