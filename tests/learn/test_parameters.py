"""Parameters are declared once and still shown whole: in the constructor and in the docstring."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest
import sklearn.base

import linnet
from linnet.estimator import clone

LEARNERS = [
    linnet.Perceptron, linnet.MIRA, linnet.MaxEnt, linnet.SVM, linnet.StructuredPerceptron,
    linnet.StructuredMIRA, linnet.StructuredSVM, linnet.CRF, linnet.MEMM,
]  # fmt: skip
each = pytest.mark.parametrize("cls", LEARNERS, ids=lambda cls: cls.__name__)


def described(cls: Any) -> list[str]:
    """Return the names that the section of parameters describes, in its order."""
    section = re.split(r"\n\n(?=\w+\n-+\n)", inspect.getdoc(cls) or "")[1]
    assert section.startswith("Parameters\n")
    heads = [line.partition(" : ")[0] for line in section.splitlines()[2:] if line[:1].strip()]
    return [name.strip() for head in heads for name in head.split(",")]


@each
def test_the_docstring_describes_each_parameter_once(cls: Any) -> None:
    assert sorted(described(cls)) == sorted(cls().get_params(deep=False))


@each
def test_the_constructor_names_every_parameter(cls: Any) -> None:
    arguments = inspect.signature(cls).parameters.values()
    assert all(argument.kind is not argument.VAR_KEYWORD for argument in arguments)
    assert {argument.name for argument in arguments} == set(cls().get_params(deep=False))
    with pytest.raises(TypeError, match="unexpected keyword"):
        cls(colour="red")


@each
@pytest.mark.parametrize("copy", [clone, sklearn.base.clone])
def test_a_clone_has_the_same_parameters(cls: Any, copy: Any) -> None:
    model = cls(verbose=1, max_iter=7)
    assert copy(model).get_params() == model.get_params()


def test_two_structures_share_their_update() -> None:
    flat, chain = linnet.MIRA().get_params(), linnet.StructuredMIRA().get_params()
    shared = {"C", "variant", "decode", "max_iter", "average", "shuffle", "stop_when_clean"}
    assert shared <= flat.keys() & chain.keys()
    assert linnet.Perceptron.fit is linnet.StructuredPerceptron.fit
    assert linnet.MaxEnt.fit is linnet.CRF.fit is linnet.StructuredSVM.fit
