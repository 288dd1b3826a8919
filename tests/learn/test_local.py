"""Local classifiers: any flat learner on the tokens of sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import linnet
from linnet.errors import DataError, ModelFileError, NotFittedError, ParameterError
from linnet.learn.chain.sentences import read_sentences

from .chains import TOY, TOY_TAGS, sentences
from .forging import forge

LEARNERS = [
    linnet.MaxEnt(),
    linnet.Perceptron(random_state=0),
    linnet.MIRA(random_state=0),
    linnet.SVM(),
    linnet.SVM(multi_class="ovo"),
    linnet.MultinomialNB(),
    LogisticRegression(),
    DecisionTreeClassifier(random_state=0),
]


def greedy(tagger: linnet.LocalTagger, X: Any) -> list[list[Any]]:
    """Ask the learner token by token."""
    L, J, h = len(tagger.classes_), len(tagger.vocabulary_), tagger.history
    found = []
    for sentence in X:
        labels: list[int] = []
        for token in sentence:
            row = np.zeros((1, J + h * (L + 1)))
            row[0, [tagger.vocabulary_[name] for name in token if name in tagger.vocabulary_]] = 1
            for back in range(1, h + 1):
                before = labels[-back] if len(labels) >= back else L
                row[0, J + (back - 1) * (L + 1) + before] = 1
            guess = tagger.learner_.predict(row)[0]
            labels.append(int(np.searchsorted(tagger.classes_, guess)))
        found.append(tagger.classes_[labels].tolist() if labels else [])
    return found


@pytest.mark.spec("M-110")
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: repr(learner)[:30])
@pytest.mark.parametrize("history", [0, 1, 2])
@pytest.mark.parametrize("labels", [2, 3])
def test_it_decides_token_by_token_from_left_to_right(
    learner: Any, history: int, labels: int
) -> None:
    X, y = sentences(0, 40, labels=labels)
    tagger = linnet.LocalTagger(learner, history=history).fit(X, y)
    new, _ = sentences(1, 12, labels=labels)
    assert tagger.predict(new) == greedy(tagger, new)


@pytest.mark.spec("M-110")
def test_without_history_it_is_the_flat_learner() -> None:
    X, y = sentences(2, 40)
    tagger = linnet.LocalTagger(linnet.SVM(random_state=0), history=0).fit(X, y)
    rows = [dict.fromkeys(token, 1.0) for sentence in X for token in sentence]
    flat = linnet.SVM(random_state=0).fit(rows, [tag for part in y for tag in part])
    assert [tag for part in tagger.predict(X) for tag in part] == flat.predict(rows).tolist()
    assert tagger.learner_.coef_.tobytes() == flat.coef_.tobytes()


@pytest.mark.spec("M-110")
def test_history_is_gold_in_training() -> None:
    # The second label repeats the first, and the token says nothing: only a history can know.
    X = [[["a"], ["x"]], [["b"], ["x"]]] * 5
    y = [["A", "A"], ["B", "B"]] * 5
    assert linnet.LocalTagger(history=1).fit(X, y).score(X, y) == 1.0
    assert linnet.LocalTagger(history=0).fit(X, y).score(X, y) == 0.75


@pytest.mark.spec("M-113", "M-115")
def test_maxent_with_one_label_of_history_is_a_greedy_memm() -> None:
    X, y = sentences(3, 60)
    learner = linnet.MaxEnt(fit_intercept=False, tol=1e-10)
    local = linnet.LocalTagger(learner, history=1).fit(X, y)
    memm = linnet.MEMM(pairs="all", tol=1e-10, max_iter=5000).fit(X, y)
    assert local.predict(X) == memm.predict(X, beam=1)


@pytest.mark.spec("M-108")
def test_output_is_as_long_as_input_and_nothing_stays_nothing() -> None:
    tagger = linnet.LocalTagger(history=1).fit([*TOY, []], [*TOY_TAGS, []])
    assert [len(labels) for labels in tagger.predict([[], TOY[0], [], [["unheard"]]])] == [
        0,
        3,
        0,
        1,
    ]
    assert tagger.predict([]) == [] and tagger.predict([[], []]) == [[], []]


def test_a_hundred_thousand_tokens() -> None:
    tagger = linnet.LocalTagger(history=1).fit(TOY, TOY_TAGS)
    assert len(tagger.predict([TOY[0] * 33_333])[0]) == 99_999


def test_sample_weight_values_and_ragged_input() -> None:
    X, y = sentences(4, 20, values=True)
    ragged, _ = read_sentences(X, None)
    weight = np.arange(20) % 2
    some = [i for i in range(20) if weight[i]]
    learner = linnet.MaxEnt(tol=1e-10)
    tagger = linnet.LocalTagger(learner, history=1).fit(ragged, y, sample_weight=weight)
    twin = linnet.LocalTagger(learner, history=1).fit(X, y, sample_weight=weight)
    assert tagger.predict(ragged) == twin.predict(X)
    assert len(some) == 10
    with pytest.raises(DataError, match="Ragged"):
        tagger.predict(X)


def test_bad_requests_are_refused() -> None:
    for parameters in ({"history": -1}, {"history": 1.5}, {"history": True}, {"learner": "svm"}):
        with pytest.raises(ParameterError):
            linnet.LocalTagger(**parameters).fit(TOY, TOY_TAGS)  # type: ignore[arg-type]
    with pytest.raises(NotFittedError):
        linnet.LocalTagger().predict(TOY)
    with pytest.raises(DataError, match="2 sentences"):
        linnet.LocalTagger().fit(TOY[:2], TOY_TAGS[:1])
    with pytest.raises(DataError, match="to compare"):
        linnet.LocalTagger().fit(TOY, TOY_TAGS).score(TOY, TOY_TAGS[:1])
    copy = clone(linnet.LocalTagger(linnet.SVM(C=3.0), history=2))
    assert copy.get_params()["learner__C"] == 3.0


@pytest.mark.parametrize("learner", [None, linnet.SVM(C=2.0), linnet.Perceptron(random_state=0)])
def test_it_comes_back_from_a_file_with_every_bit(tmp_path: Path, learner: Any) -> None:
    X, y = sentences(5, 30)
    tagger = linnet.LocalTagger(learner, history=1).fit(X, y)
    linnet.save(tagger, tmp_path / "m.linnet")
    twin = linnet.load(tmp_path / "m.linnet")
    assert twin.predict(X) == tagger.predict(X)
    assert twin.learner_.coef_.tobytes() == tagger.learner_.coef_.tobytes()
    assert repr(twin) == repr(tagger)


def test_a_file_takes_only_learners_of_linnet(tmp_path: Path) -> None:
    tagger = linnet.LocalTagger(LogisticRegression()).fit(TOY, TOY_TAGS)
    with pytest.raises(ModelFileError, match=r"LocalTagger\.learner is a LogisticRegression"):
        linnet.save(tagger, tmp_path / "m.linnet")


@pytest.mark.parametrize(
    ("name", "value"), [("history", 2), ("n_features_in_", 3), ("classes_", np.array(["X"]))]
)
def test_forged_files_are_refused(tmp_path: Path, name: str, value: Any) -> None:
    tagger = linnet.LocalTagger(history=1).fit(TOY, TOY_TAGS)
    setattr(tagger, name, value)
    forge(tagger, tmp_path / "m.linnet")
    with pytest.raises(ModelFileError):
        linnet.load(tmp_path / "m.linnet")
