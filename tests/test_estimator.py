"""Sequence estimators keep scikit-learn's manners without importing it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
import sklearn.base
from sklearn.model_selection import GridSearchCV

import linnet
from linnet.errors import ParameterError
from linnet.estimator import clone

SENTENCES = [[["w=the"], ["w=dog"], ["w=runs"]], [["w=dogs"], ["w=run"]]] * 4
TAGS = [["D", "N", "V"], ["N", "V"]] * 4


def test_sequence_learners_are_loaded_without_scikit_learn() -> None:
    code = (
        "import sys, linnet; linnet.CRF; linnet.StructuredPerceptron; linnet.SequenceTagger; "
        "print('sklearn' in sys.modules, 'scipy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.parametrize("copy", [clone, sklearn.base.clone])
def test_a_clone_has_the_parameters_and_nothing_fitted(copy: Any) -> None:
    tagger = linnet.SequenceTagger(linnet.CRF(C=3.0), features="pos")
    tagger.fit([["the", "dog"]], [["D", "N"]])
    other = copy(tagger)
    assert other.learner is not tagger.learner
    assert other.get_params()["learner__C"] == 3.0
    assert other.features == "pos"
    assert not hasattr(other, "model_")


def test_a_clone_of_scikit_learns_estimators_is_its_own() -> None:
    model = linnet.MaxEnt(C=2.0)
    assert clone(model).C == 2.0
    assert clone(model) is not model


def test_parameters_of_parameters_are_set_by_their_path() -> None:
    tagger = linnet.SequenceTagger(linnet.CRF())
    assert tagger.set_params(learner__C=2.0, min_count=3) is tagger
    assert (tagger.learner.C, tagger.min_count) == (2.0, 3)


def test_an_unknown_parameter_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ParameterError, match=r"'c' for estimator CRF.*Valid parameters are: C, "):
        linnet.CRF().set_params(c=1)


def test_an_estimator_is_printed_with_what_differs_from_the_defaults() -> None:
    assert repr(linnet.CRF()) == "CRF()"
    assert repr(linnet.CRF(C=0.5, penalty="l1")) == "CRF(C=0.5, penalty='l1')"
    assert repr(linnet.SequenceTagger(linnet.CRF(C=2))) == "SequenceTagger(learner=CRF(C=2))"


def test_grid_search_finds_the_better_setting() -> None:
    search = GridSearchCV(linnet.CRF(), {"C": [1e-9, 10.0]}, cv=2).fit(SENTENCES, TAGS)
    assert search.best_params_ == {"C": 10.0}
    assert search.best_score_ == 1.0
