"""SVMlight's model files: their scores, their kernels, and what is wrong with damaged ones."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import linnet
from linnet.errors import LinnetError, ModelFileError

HEAD = """SVM-light Version V6.02
{kernel} # kernel type
{d} # kernel parameter -d \n{g} # kernel parameter -g \n{s} # kernel parameter -s \n{r} # kernel parameter -r \nempty# kernel parameter -u \n{width} # highest feature index \n{rows} # number of training documents \n{count} # number of support vectors plus 1 \n{b} # threshold b, each following line is a SV (starting with alpha*y)
"""  # noqa: E501


def points(rows: int = 60) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 3)).round(6)
    return X, np.where(X[:, 0] * X[:, 1] + X[:, 2] > 0.2, 1, -1)


def svmlight_text(machine: Any, kernel: int, **settings: float) -> str:
    """Return what svm_learn writes for the solution of a kernel machine."""
    vectors = np.asarray(machine.support_vectors_)
    lines = [
        f"{alpha:.17g}" + "".join(f" {j + 1}:{v:.17g}" for j, v in enumerate(row) if v) + " #\n"
        for alpha, row in zip(machine.dual_coef_[0], vectors, strict=True)
    ]
    random.Random(0).shuffle(lines)
    head = HEAD.format(
        **{"d": 3, "g": 1, "s": 1, "r": 1, **settings}, kernel=kernel, width=vectors.shape[1],
        rows=60, count=len(lines) + 1, b=-machine.intercept_[0],
    )  # fmt: skip
    return head + "".join(lines)


@pytest.fixture
def linear(tmp_path: Path) -> Path:
    path = tmp_path / "svm_model"
    machine = linnet.KernelSVM(0.5, kernel="linear", tol=1e-8).fit(*points())
    path.write_text(svmlight_text(machine, 0))
    return path


@pytest.mark.spec("E-01")
def test_a_linear_model_has_the_weights_and_answers_of_its_support_vectors(linear: Path) -> None:
    X, y = points()
    model = linnet.load(linear)
    ours = linnet.SVM(0.5, penalize_intercept=False, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), ours.decision_function(X), atol=1e-5)
    np.testing.assert_array_equal(model.predict(X), ours.predict(X))
    assert model.classes_.tolist() == [-1, 1]
    assert model.record_["format"] == "SVMlight model"


@pytest.mark.spec("E-01")
@pytest.mark.parametrize(
    ("number", "settings", "options"),
    [(1, {"kernel": "polynomial", "gamma": 0.5, "coef0": 2.0, "degree": 2},
      {"s": 0.5, "r": 2.0, "d": 2}),
     (2, {"kernel": "gaussian", "gamma": 0.7}, {"g": 0.7}),
     (3, {"kernel": "sigmoid", "gamma": 0.1, "coef0": -0.5}, {"s": 0.1, "r": -0.5})],
)  # fmt: skip
def test_kernels_become_machines_with_the_same_scores(
    number: int, settings: dict[str, Any], options: dict[str, float], tmp_path: Path
) -> None:
    X, y = points()
    machine = linnet.KernelSVM(2.0, **settings).fit(X, y)
    path = tmp_path / "svm_model"
    path.write_text(svmlight_text(machine, number, **options))
    model = linnet.load(path)
    np.testing.assert_allclose(model.decision_function(X), machine.decision_function(X), atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), machine.predict(X))
    linnet.save(model, tmp_path / "model.linnet")
    again = linnet.load(tmp_path / "model.linnet")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ("0 # kernel type", "4 # kernel type", "kernel of the user's own"),
        ("0 # kernel type", "9 # kernel type", "kernel type cannot be '9'"),
        ("0 # kernel type", "0 # colour", "no line for the kernel type"),
        ("3 # highest feature index", "2 # highest feature index", "support vectors"),
        ("3 # highest feature index", "x # highest feature index", "highest feature index cannot"),
        (" 1:", " 1;", "damaged in its support vectors"),
        (" #\n", "", "support vectors"),
        ("# threshold b", "# no threshold", "no line for the threshold b"),
    ],
)
def test_a_damaged_file_is_refused_with_the_place(
    old: str, new: str, match: str, linear: Path
) -> None:
    text = linear.read_text()
    assert old in text
    linear.write_text(text.replace(old, new, 1))
    with pytest.raises(ModelFileError, match=match) as caught:
        linnet.load(linear)
    assert str(linear) in str(caught.value)


def test_cuts_and_flipped_bytes_are_refused_or_answered(linear: Path) -> None:
    whole, rng = linear.read_bytes(), random.Random(1)
    X, _ = points(5)
    for _ in range(300):
        data = bytearray(whole)
        if rng.random() < 0.5:
            del data[rng.randrange(20, len(data)) :]
        for _ in range(rng.randrange(1, 4)):
            data[rng.randrange(17, len(data))] = rng.randrange(256)
        linear.write_bytes(data)
        try:
            scores = linnet.load(linear).decision_function(X)
        except LinnetError:
            continue
        assert np.isfinite(scores).all()
