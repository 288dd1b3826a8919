"""What a part holds for a learner itself: vectors, or sentences of features."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import scipy.sparse as sp

from linnet.data.examples import read_examples
from linnet.data.formats.svmlight import read_svmlight
from linnet.errors import DataError
from linnet.scale.training.pieces import Piece, RecordForm, WholeFiles, plain_labels
from linnet.stream.sources import Place

__all__ = ["FeatureForm", "Numbered", "VectorForm"]


class Numbered(NamedTuple):
    """Rows of a file of SVMlight, whose columns may begin with 0 or with 1."""

    rows: sp.csr_matrix


class VectorForm(RecordForm):
    """Rows of numbers, dense or sparse, or feature dictionaries, with labels.

    Files are those of SVMlight, or of ``feature:count``. The columns of SVMlight are kept as they
    are numbered: whether they begin with 0 or 1 is seen in all files together.
    """

    what = "a vector"

    def _pair(self, X: Any, y: Any) -> Piece:
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        if n != len(y):
            raise DataError(f"it has {n} rows and {len(y)} labels")
        return Piece(X, plain_labels(y))

    def _blocks(self, file: str, start: Place, block_bytes: int) -> Iterator[tuple[Piece, Place]]:
        examples = read_examples(file, **self.reading)
        if examples.kind not in ("vector", "bag") or examples.y is None:
            raise DataError(
                f"{file} holds {examples.kind}; a learner by itself reads labelled vectors, such "
                "as those of SVMlight. linnet.TextClassifier reads texts."
            )
        if examples.kind == "bag":
            yield Piece(examples.X, examples.y), Place(0, len(examples.y))
            return
        X, y = read_svmlight(file, zero_based=True)
        yield Piece(Numbered(X), y.tolist()), Place(0, X.shape[0])


class FeatureForm(WholeFiles):
    """Sentences whose tokens are lists or dictionaries of features, with a label for each token."""

    what = "a sentence"

    def _pair(self, X: Any, y: Any) -> Piece:
        sentences, labels = list(X), [list(tags) for tags in y]
        if [len(sentence) for sentence in sentences] != [len(tags) for tags in labels]:
            raise DataError("a sentence has not as many labels as tokens, or no labels")
        return Piece(sentences, labels)

    def _blocks(self, file: str, start: Place, block_bytes: int) -> Iterator[tuple[Piece, Place]]:
        raise DataError(
            f"a learner by itself reads features, and {file} holds words; "
            "linnet.SequenceTagger makes features of them."
        )
        yield  # as a generator of nothing
