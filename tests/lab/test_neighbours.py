"""Why four learners decide as they do about one point: their numbers, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from linnet.errors import ParameterError
from linnet.lab.neighbours import answer
from linnet.reference import density, kernels

POINTS = ({"x": 0.5, "y": 1.0}, {"x": -3.0, "y": 2.5, "k": 9, "depth": 2, "gamma": 2.0, "C": 5.0})


@pytest.mark.parametrize("settings", POINTS)
def test_the_nearest_examples_are_nearest_and_their_votes_are_counted(
    settings: dict[str, Any],
) -> None:
    told = answer(settings)
    shown, query = told["neighbours"], np.array([settings["x"], settings["y"]])
    distances = np.sqrt(((told["points"] - query) ** 2).sum(axis=1))
    order = np.argsort(distances, kind="stable")[: settings.get("k", 5)]
    assert shown["rows"].tolist() == order.tolist()
    np.testing.assert_allclose(shown["distances"], distances[order], rtol=0, atol=1e-9)
    votes = np.bincount(told["labels"][order], minlength=2).tolist()
    assert shown["votes"] == votes
    assert shown["label"] == int(np.argmax(votes))


@pytest.mark.parametrize("settings", POINTS)
def test_the_box_of_the_tree_holds_the_counts_it_says(settings: dict[str, Any]) -> None:
    told = answer(settings)
    query = np.array([settings["x"], settings["y"]])
    inside = np.ones(len(told["points"]), dtype=bool)
    assert told["tree"]["root"].tolist() == np.bincount(told["labels"]).tolist()
    assert 1 <= len(told["tree"]["steps"]) <= settings.get("depth", 4)
    for step in told["tree"]["steps"]:
        below = query[step["feature"]] <= step["threshold"]
        assert step["below"] == below
        inside &= (told["points"][:, step["feature"]] <= step["threshold"]) == below
        counts = np.bincount(told["labels"][inside], minlength=2)
        assert step["counts"].tolist() == counts.tolist()
    assert told["tree"]["label"] == int(np.argmax(counts))


@pytest.mark.parametrize("settings", POINTS)
def test_the_terms_of_the_kernel_machine_add_up_to_its_score(settings: dict[str, Any]) -> None:
    told = answer(settings)
    shown, query = told["kernel"], np.array([[settings["x"], settings["y"]]])
    gamma = settings.get("gamma", 0.5)
    K = kernels.gaussian(told["points"][shown["rows"]], query, gamma)[:, 0]
    np.testing.assert_allclose(shown["values"], K, rtol=0, atol=1e-9)
    np.testing.assert_allclose(shown["terms"], shown["coef"] * K, rtol=0, atol=1e-9)
    total = shown["intercept"] + shown["terms"].sum() + shown["rest"]
    assert shown["score"] == pytest.approx(total, abs=1e-9)
    assert shown["label"] == int(shown["score"] > 0)
    assert np.abs(shown["coef"]).max() <= settings.get("C", 1.0) + 1e-9


def test_densities_are_those_of_the_reference() -> None:
    query = np.array([[0.5, 1.0]])
    told = answer({"density": "parzen", "h": 0.6})
    X, y = told["points"], told["labels"]
    expected = [float(density.parzen(query, X[y == k], 0.6, "gaussian")[0]) for k in (0, 1)]
    np.testing.assert_allclose(told["density"]["densities"], expected, rtol=0, atol=1e-9)
    joint = told["density"]["prior"] * expected
    np.testing.assert_allclose(told["density"]["posterior"], joint / joint.sum(), atol=1e-9)
    told = answer({"density": "gaussian"})
    for k in (0, 1):
        mean, covariance = density.fit_normal(X[y == k])
        value = np.exp(density.normal(query, mean, covariance + 1e-6 * np.eye(2))[0])
        assert told["density"]["densities"][k] == pytest.approx(value, abs=1e-9)


def test_settings_are_checked() -> None:
    with pytest.raises(ParameterError, match="n must lie between 4 and 500"):
        answer({"n": 2000})
    with pytest.raises(ParameterError, match="density must be one of gaussian, parzen"):
        answer({"density": "flat"})
    assert "draw both classes" in answer({"data": "none"})["problem"]
