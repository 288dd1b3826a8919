"""The lectures' corpora, read from the user's files: Amazon reviews and Wikipedia sentences."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from linnet.data.files import Source, source_name
from linnet.data.formats.bags import read_bags
from linnet.data.formats.lines import labelled_lines
from linnet.errors import DataError, FormatError, ParameterError

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["SentimentCorpus", "read_person_titles"]

_TRAIN_SHARE = 0.8


class SentimentCorpus:
    """Amazon reviews as bags of words, for sentiment (S0, Exercise 1.2; SPEC D-02).

    Positive and negative reviews are interleaved; the first 80 % are for training, the rest for
    testing (A-76). Features that occur fewer than `cutoff` times are removed (A-75).

    Parameters
    ----------
    domain : str
        "books", "dvd", "electronics" or "kitchen": whatever is present.
    folder : path, optional
        Where ``positive.review`` and ``negative.review`` are (``.gz`` or ``.zst`` too). By default
        the folder ``amazon_<domain>`` in the folder named by the variable ``LINNET_DATA``.
    cutoff : int
        Least number of occurrences, counted over all reviews considered, not per review.
    cutoff_on : "train" or "all"
        Count occurrences in the training part, or in all reviews as S0's lab code did.

    Attributes
    ----------
    train_X, test_X : csr_matrix of shape (reviews, features)
        Counts. Each name also exists in lower case.
    train_y, test_y : arrays of shape (reviews,)
        0 is positive, 1 is negative (A-79).
    feature_names : list of str
        The column names, sorted.
    vocabulary : dict
        Column of each name.
    n_types : int
        Number of feature types before the cut-off.

    Examples
    --------
    >>> from linnet.data import write_bags
    >>> folder = getfixture("tmp_path")
    >>> write_bags(folder / "positive.review", [{"good": 2}] * 5, ["positive"] * 5)
    >>> write_bags(folder / "negative.review", [{"bad": 2}] * 5, ["negative"] * 5)
    >>> corpus = SentimentCorpus(folder=folder)
    >>> corpus.train_y.tolist(), corpus.feature_names
    ([0, 1, 0, 1, 0, 1, 0, 1], ['bad', 'good'])
    """

    def __init__(
        self,
        domain: str = "books",
        folder: str | os.PathLike[str] | None = None,
        cutoff: int = 5,
        cutoff_on: Literal["train", "all"] = "train",
    ) -> None:
        if cutoff_on not in ("train", "all"):
            raise ParameterError(f"cutoff_on must be 'train' or 'all', not {cutoff_on!r}")
        place = _folder_of(domain, folder)
        positive = _reviews(place, "positive")
        negative = _reviews(place, "negative")
        bags, labels = _interleave(positive, negative)
        cut = int(len(bags) * _TRAIN_SHARE)
        counted = bags[:cut] if cutoff_on == "train" else bags
        self.n_types = len({feature for bag in bags for feature in bag})
        self.feature_names = _frequent(counted, cutoff)
        self.vocabulary = {name: column for column, name in enumerate(self.feature_names)}
        self.train_X = self.train_x = _matrix(bags[:cut], self.vocabulary)
        self.test_X = self.test_x = _matrix(bags[cut:], self.vocabulary)
        self.train_y, self.test_y = labels[:cut], labels[cut:]


def _folder_of(domain: str, folder: str | os.PathLike[str] | None) -> Path:
    if folder is not None:
        return Path(folder)
    base = os.environ.get("LINNET_DATA")
    if base is None:
        raise ParameterError(
            f"where are the {domain} reviews? Pass folder=..., or set LINNET_DATA to the folder "
            f"that holds amazon_{domain}"
        )
    return Path(base) / f"amazon_{domain}"


def _reviews(folder: Path, sentiment: str) -> list[dict[str, float]]:
    """Read one file of reviews and check that all have its sentiment."""
    names = [f"{sentiment}.review{suffix}" for suffix in ("", ".gz", ".zst")]
    files = [folder / name for name in names if (folder / name).is_file()]
    if not files:
        raise DataError(f"no file {names[0]} (or .gz, .zst) in {folder}")
    bags, labels = read_bags(files[0])
    strange = set(labels) - {sentiment}
    if strange:
        raise DataError(f"{files[0]} holds reviews labelled {sorted(strange)}, not {sentiment}")
    return bags


def _interleave(
    positive: Sequence[dict[str, float]], negative: Sequence[dict[str, float]]
) -> tuple[list[dict[str, float]], NDArray[np.int64]]:
    """Take positive and negative reviews in turn; what one has more comes last."""
    entries = [(rank, 0, bag) for rank, bag in enumerate(positive)]
    entries += [(rank, 1, bag) for rank, bag in enumerate(negative)]
    entries.sort(key=lambda entry: entry[:2])
    return [bag for _, _, bag in entries], np.array([label for _, label, _ in entries], np.int64)


def _frequent(bags: Iterable[dict[str, float]], cutoff: int) -> list[str]:
    totals: Counter[str] = Counter()
    for bag in bags:
        for feature, count in bag.items():
            totals[feature] += count  # type: ignore[assignment]  # counts may be fractions
    return sorted(feature for feature, total in totals.items() if total >= cutoff)


def _matrix(bags: Sequence[dict[str, float]], vocabulary: dict[str, int]) -> csr_matrix:
    """Return the counts of the known features, columns ascending in each row."""
    from scipy.sparse import csr_matrix

    rows = [
        sorted((vocabulary[name], count) for name, count in bag.items() if name in vocabulary)
        for bag in bags
    ]
    pointers = np.cumsum([0, *map(len, rows)])
    columns = np.array([column for row in rows for column, _ in row], dtype=np.int32)
    counts = np.array([count for row in rows for _, count in row], dtype=np.float64)
    return csr_matrix((counts, columns, pointers), shape=(len(rows), len(vocabulary)))


def read_person_titles(source: Source) -> tuple[NDArray[np.int64], list[str]]:
    """Read first sentences of Wikipedia articles, labelled 1 (a person) or -1 (SPEC D-05).

    Returns
    -------
    labels : array of shape (sentences,)
    texts : list of str
        Tokens separated by spaces.

    Examples
    --------
    >>> import io
    >>> labels, texts = read_person_titles(io.StringIO("1\\tShoken , monk born in Kyoto\\n"))
    >>> labels.tolist(), texts
    ([1], ['Shoken , monk born in Kyoto'])
    """
    labels: list[int] = []
    texts: list[str] = []
    for number, label, text in labelled_lines(source):
        if label not in ("1", "-1"):
            message = f"label {label!r} is neither 1 nor -1"
            raise FormatError(message, file=source_name(source), line=number, column=1)
        labels.append(int(label))
        texts.append(text)
    return np.array(labels, dtype=np.int64), texts
