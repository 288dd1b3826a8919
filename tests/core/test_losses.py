"""Every loss of the core is what it says: its parts against their definitions and the reference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from linnet.reference import losses as reference

from .compiled import ROOT, SOURCES, Losses, build
from .loss_checks import CLASSES, MARGINS, check_joint_loss, check_margin_loss

MARGIN = ["perceptron", "hinge", "squared_hinge", "log", "probability", "squared"]
JOINT = ["perceptron", "hinge", "squared_hinge", "log", "probability"]
TWINS = {
    "perceptron": reference.multiclass_perceptron,
    "hinge": reference.multiclass_hinge,
    "log": reference.multiclass_log,
}


@pytest.fixture(scope="module")
def losses(tmp_path_factory: pytest.TempPathFactory) -> Losses:
    target: Path = tmp_path_factory.mktemp("losses") / "losses"
    return Losses(build(target, ROOT / "core", [SOURCES / "losses.cpp"]))


def test_the_list_of_losses_is_complete(losses: Losses) -> None:
    assert (losses.names("margin"), losses.names("joint")) == (MARGIN, JOINT)
    files = {path.stem for path in (ROOT / "core" / "losses").glob("*.hpp")}
    shared = {"all", "example_loss", "joint_loss", "loss", "max_margin"}
    joint = {"softmax" if name == "log" else f"joint_{name}" for name in JOINT}
    assert files - shared == {*MARGIN, *joint}


@pytest.mark.spec("M-91", "M-126")
@pytest.mark.parametrize("name", MARGIN)
def test_the_parts_of_a_margin_loss_are_what_they_are_by_definition(
    losses: Losses, name: str
) -> None:
    check_margin_loss(losses, name)
    twin = reference.LOSSES["logistic" if name == "log" else name]
    value, slope = (losses.margin(name, part, MARGINS) for part in ("value", "derivative"))
    np.testing.assert_allclose(value, twin.value(MARGINS), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(slope, twin.derivative(MARGINS), rtol=1e-12, atol=1e-15)


@pytest.mark.spec("M-73", "M-91", "M-126")
@pytest.mark.parametrize("name", JOINT)
def test_the_parts_of_a_joint_loss_are_what_they_are_by_definition(
    losses: Losses, name: str
) -> None:
    check_joint_loss(losses, name)
    if name not in TWINS:
        return
    scores = np.random.default_rng(3).normal(size=(20, CLASSES))
    twin = [TWINS[name](row, 1) for row in scores]
    value = losses.joint(name, "value", 1, scores, CLASSES)[:, 0]
    residual = losses.joint(name, "residual", 1, scores, CLASSES)
    np.testing.assert_allclose(value, [v for v, _ in twin], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(residual, [r for _, r in twin], rtol=1e-12, atol=1e-15)


@pytest.mark.spec("M-91")
@pytest.mark.parametrize(
    ("name", "scale"), [("hinge", 1.0), ("squared_hinge", 1.0), ("log", np.log(2))]
)
def test_the_surrogates_of_the_core_bound_the_zero_one_loss(
    losses: Losses, name: str, scale: float
) -> None:
    wrong = (MARGINS <= 0).astype(float)
    assert (losses.margin(name, "value", MARGINS) / scale >= wrong).all()
