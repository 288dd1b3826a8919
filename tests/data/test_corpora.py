"""The lectures' corpora on the user's disk (SPEC D-02, D-05)."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from linnet.data import count_words, write_bags
from linnet.data.corpora import SentimentCorpus, read_person_titles
from linnet.errors import DataError, FormatError, ParameterError


@pytest.mark.spec("D-02", "A-75", "A-76", "A-79")
@pytest.mark.parametrize(
    ("cutoff_on", "features", "tokens"),
    [("all", 13_989, (123_848, 134_370)), ("train", 11_532, (119_849, 130_126))],
)
def test_amazon_books_has_the_counts_of_the_specification(
    data_dir: Callable[[str], Path],
    cutoff_on: Literal["train", "all"],
    features: int,
    tokens: tuple[int, int],
) -> None:
    corpus = SentimentCorpus("books", data_dir("amazon_books"), cutoff_on=cutoff_on)
    assert corpus.n_types == 195_887
    assert corpus.train_X.shape == (1600, features)
    assert corpus.test_X.shape == (400, features)
    assert np.bincount(corpus.train_y).tolist() == [800, 800]
    assert np.bincount(corpus.test_y).tolist() == [200, 200]
    assert tuple(int(corpus.train_X[corpus.train_y == y].sum()) for y in (0, 1)) == tokens
    assert corpus.train_X.has_canonical_format
    assert corpus.train_x is corpus.train_X


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    good = [{"good": 2.0, "rare": 1.0}] * 5
    write_bags(tmp_path / "positive.review.gz", good, ["positive"] * 5)
    bad = [{"bad": 1.5}] * 4 + [{"bad": 1.0, "rare": 9.0}]
    write_bags(tmp_path / "negative.review", bad, ["negative"] * 5)
    return tmp_path


@pytest.mark.spec("A-75", "A-76", "A-79")
def test_reviews_alternate_and_rare_features_are_counted_in_the_training_part(
    reviews: Path,
) -> None:
    corpus = SentimentCorpus(folder=reviews)
    assert corpus.train_y.tolist() == [0, 1] * 4
    assert corpus.test_y.tolist() == [0, 1]
    assert corpus.feature_names == ["bad", "good"]
    assert corpus.vocabulary == {"bad": 0, "good": 1}
    assert corpus.train_X.toarray().tolist() == [[0, 2], [1.5, 0]] * 4
    assert SentimentCorpus(folder=reviews, cutoff_on="all").feature_names == ["bad", "good", "rare"]


@pytest.mark.spec("A-75")
def test_the_cutoff_removes_strictly_fewer_occurrences(reviews: Path) -> None:
    assert SentimentCorpus(folder=reviews, cutoff=6).feature_names == ["bad", "good"]
    assert SentimentCorpus(folder=reviews, cutoff=7).feature_names == ["good"]


@pytest.mark.spec("D-02")
def test_the_domain_names_a_folder_of_linnet_data(
    reviews: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reviews.rename(reviews.with_name("amazon_dvd"))
    monkeypatch.setenv("LINNET_DATA", str(reviews.parent))
    assert SentimentCorpus("dvd").train_X.shape == (8, 2)
    with pytest.raises(DataError, match=r"no file positive\.review"):
        SentimentCorpus("kitchen")
    monkeypatch.delenv("LINNET_DATA")
    with pytest.raises(ParameterError, match="LINNET_DATA"):
        SentimentCorpus("dvd")


def test_a_file_with_the_wrong_sentiment_is_refused(reviews: Path) -> None:
    write_bags(reviews / "negative.review", [{"a": 1.0}], ["positive"])
    with pytest.raises(DataError, match="labelled"):
        SentimentCorpus(folder=reviews)
    with pytest.raises(ParameterError, match="cutoff_on"):
        SentimentCorpus(folder=reviews, cutoff_on="test")  # type: ignore[arg-type]


@pytest.mark.spec("D-05")
def test_wikipedia_titles_have_the_counts_of_the_specification(
    data_dir: Callable[[str], Path],
) -> None:
    folder = data_dir("wikipedia_titles")
    labels, texts = read_person_titles(folder / "titles-en-train.labeled")
    assert Counter(labels.tolist()) == {1: 5285, -1: 6003}
    assert len({word for text in texts for word in count_words(text)}) == 27_190
    labels, texts = read_person_titles(folder / "titles-en-test.labeled")
    assert Counter(labels.tolist()) == {1: 1346, -1: 1477}
    assert len(texts) == 2823


def test_a_title_with_another_label_is_reported() -> None:
    with pytest.raises(FormatError, match="'2' is neither") as caught:
        read_person_titles(io.StringIO("1\tx\n\n2\ty\n"))
    assert (caught.value.line, caught.value.column) == (3, 1)
