"""Joint feature maps: any f(x, y), and the usual one as a special case."""

from __future__ import annotations

import numpy as np
import pytest

from linnet.errors import DataError, ParameterError
from linnet.learn.flat.joint import JointMap
from linnet.learn.mira import MIRA
from linnet.learn.perceptron import Perceptron
from linnet.reference import joint_map as reference


def slots(x: np.ndarray, label: int) -> dict[str, float]:
    """The usual map: the features of x in the slot of the label."""
    return {f"{label}:{j}": float(v) for j, v in enumerate(x)}


def data(k: int = 3) -> tuple[list[np.ndarray], np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4)).round(2)
    return list(X), (X @ rng.normal(size=(4, k)) + rng.normal(size=(40, k))).argmax(axis=1)


@pytest.mark.spec("W-04", "M-25")
def test_ronaldo_lights_up_the_feature_of_the_topic_asked_for() -> None:
    def f(text: str, topic: str) -> dict[str, float]:
        hit = "Ronaldo" in text and topic in ("sport", "politics")
        return {f"Ronaldo&{topic}": 1.0} if hit else {}

    joint = JointMap(f)
    rows = joint.fit(["Ronaldo scores", "no name"], ["sport", "economy"]).features.csr.toarray()
    assert list(joint.vocabulary) == ["Ronaldo&sport"]
    assert rows.tolist() == [[0], [1], [0], [0]]  # economy, sport; economy, sport


@pytest.mark.spec("M-25", "C-07", "M-32")
def test_the_usual_map_given_as_a_function_learns_the_usual_weights() -> None:
    X, y = data()
    joint = Perceptron(joint_map=slots, random_state=0).fit(X, y)
    plain = Perceptron(fit_intercept=False, random_state=0).fit(np.array(X), y)
    np.testing.assert_allclose(joint.coef_.reshape(3, 4), plain.coef_, atol=1e-13)
    np.testing.assert_array_equal(joint.predict(X), plain.predict(np.array(X)))
    assert joint.coef_.shape == (1, 12)


@pytest.mark.spec("M-25", "M-47", "C-08")
@pytest.mark.parametrize("k", [2, 3])
def test_learners_over_any_map_equal_the_reference(k: int) -> None:
    X, y = data(k)

    def f(x: np.ndarray, label: int) -> dict[str, float]:
        return {"sum": float(x.sum() * label), f"first {label}": float(x[0]), "same": 1.0}

    joint = JointMap(f)
    rows = joint.fit(X, y).features.csr.toarray().reshape(len(X), k, -1)
    options = {"average": "after", "n_rounds": 4}
    model = Perceptron(joint_map=f, shuffle=False, max_iter=4).fit(X, y)
    expected = reference.perceptron(rows, y, **options)  # type: ignore[arg-type]
    np.testing.assert_allclose(model.coef_[0], expected.weights, atol=1e-12)
    mira = MIRA(0.1, joint_map=f, shuffle=False, max_iter=4).fit(X, y)
    expected = reference.mira(rows, y, C=0.1, **options)  # type: ignore[arg-type]
    np.testing.assert_allclose(mira.coef_[0], expected.weights, atol=1e-12)
    scores = rows @ mira.coef_[0]
    shown = scores[:, 1] - scores[:, 0] if k == 2 else scores
    np.testing.assert_allclose(mira.decision_function(X), shown, atol=1e-12)


def test_steps_and_early_stopping_work_under_a_map() -> None:
    X, y = data()
    fitted, watched = (Perceptron(joint_map=slots, random_state=1) for _ in range(2))
    steps = list(watched.steps(X, y))
    np.testing.assert_array_equal(watched.coef_, fitted.fit(X, y).coef_)
    assert {name for step in steps for name in step.changed} <= set(watched.get_feature_names())
    stopped = Perceptron(joint_map=slots, early_stopping=True, random_state=0).fit(X, y)
    assert len(stopped.validation_scores_) == stopped.n_iter_


def test_unusable_maps_are_reported() -> None:
    with pytest.raises(DataError, match="list for object 0 and class 'a'"):
        Perceptron(joint_map=lambda x, y: [1.0]).fit([1, 2], ["a", "b"])  # type: ignore[arg-type,return-value]
    with pytest.raises(DataError, match="no feature"):
        Perceptron(joint_map=lambda x, y: {}).fit([1, 2], ["a", "b"])
    with pytest.raises(DataError, match="0 samples"):
        Perceptron(joint_map=slots).fit([], [])
    with pytest.raises(ParameterError, match="use fit"):
        Perceptron(joint_map=slots).partial_fit([1, 2], ["a", "b"])
