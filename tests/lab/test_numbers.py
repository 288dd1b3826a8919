"""Large arrays travel as their bytes; what an edit does not concern is not computed again."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any

import numpy as np
import pytest

from linnet.lab.lattice import view as lattice_view
from linnet.lab.lattice.trellis import Trellis
from linnet.lab.numbers import Table, packed
from linnet.lab.plane import answer as plane
from linnet.lab.plane.learners import LEARNERS
from linnet.lab.views import ask, spelled

BYTES = {"float64": "<f8", "float32": "<f4", "int32": "<i4"}


def unpacked(told: dict[str, Any]) -> Any:
    kind = next(kind for kind in BYTES if kind in told)
    return np.frombuffer(b64decode(told[kind]), BYTES[kind]).reshape(told["shape"])


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_a_large_array_arrives_bit_for_bit(dtype: str) -> None:
    array = np.random.default_rng(0).normal(0, 1e6, size=(20, 30)).astype(dtype)
    for value in (array, Table(array), array.T):
        told = json.loads(spelled({"x": value}))["x"]
        np.testing.assert_array_equal(unpacked(told), getattr(value, "array", value))


def test_minus_infinity_is_none_in_a_small_table_and_itself_in_a_large_one() -> None:
    small, large = (np.full((n, 10), -np.inf) for n in (1, 30))
    assert packed(Table(small)) == [[None] * 10]
    assert np.isneginf(unpacked(packed(Table(large)))).all()


def test_a_lattice_of_49_tags_is_sent_in_fewer_bytes_than_its_numbers_have_digits() -> None:
    told = ask("lattice", {"example": "random", "tokens": 40, "tags": 49})
    assert len(spelled(told)) < 0.6 * len(json.dumps(told))


def test_an_edit_of_one_model_leaves_the_lattices_of_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    computed: list[str] = []
    compute = lattice_view._lattice

    def counted(weights: Any, *rest: Any) -> Any:
        computed.append(weights.model)
        return compute(weights, *rest)

    monkeypatch.setattr(lattice_view, "_lattice", counted)
    settings = {"example": "random", "tokens": 5, "tags": 3, "seed": 77}
    first, second, _ = lattice_view.answer(settings)["labels"]
    assert sorted(computed) == ["crf", "hmm", "memm"]
    lattice_view.answer({**settings, "edits": [["crf", "transition", first, second, 9.0]]})
    assert sorted(computed) == ["crf", "crf", "hmm", "memm"]


def test_a_learner_that_does_not_depend_on_a_slider_is_not_trained_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trained: list[str] = []
    for name, learn in list(LEARNERS.items()):

        def counted(points: Any, wanted: Any, name: str = name, learn: Any = learn) -> Any:
            trained.append(name)
            return learn(points, wanted)

        monkeypatch.setitem(LEARNERS, name, counted)
    settings = {"n": 16, "seed": 4711, "learners": ["perceptron", "svm"]}
    plane({**settings, "C": 1.0})
    before = plane({**settings, "C": 2.0})["learners"]
    assert sorted(trained) == ["perceptron", "svm", "svm"]
    after = plane({**settings, "C": 2.0, "moved": [[0, 1.0, 1.0]]})["learners"]
    assert sorted(trained) == ["perceptron", "perceptron", "svm", "svm", "svm"]
    assert [one["name"] for one in before] == [one["name"] for one in after]


@pytest.mark.filterwarnings("ignore:.*stopped after")
def test_every_setting_that_changes_a_learner_is_one_it_depends_on() -> None:
    settings = {"n": 24, "data": "xor", "variance0": 2.0, "seed": 5}
    changes = {"C": 0.05, "rate": 0.1, "k": 1, "gamma": 5.0, "depth": 1}
    for name in LEARNERS:
        for setting, value in changes.items():
            fresh = {**settings, setting: value}
            told = plane({**fresh, "learners": [name]})["learners"][0]
            path = LEARNERS[name](*_asked(fresh))
            assert told["text"] == [frame.text for frame in path.frames], (name, setting)
            if path.loss is not None:
                weights = np.array([frame.weights for frame in path.frames])
                np.testing.assert_array_equal(told["weights"], weights, err_msg=f"{name} {setting}")


def _asked(settings: dict[str, Any]) -> tuple[Any, Any]:
    from linnet.lab.plane.learners import Settings
    from linnet.lab.plane.points import drawn

    return drawn(settings), Settings.of(settings)


def test_sums_whose_terms_would_round_to_nothing_are_still_exact() -> None:
    between = np.array([[[0.0, -3000.0], [-5000.0, -4000.0]], [[-np.inf, 0.0], [-2000.0, -np.inf]]])
    trellis = Trellis(np.array([0.0, -900.0]), between, np.array([0.0, -np.inf]))
    for t, rows in enumerate(([0.0, -900.0], [0.0, -3000.0], [-5000.0, 0.0])):
        np.testing.assert_allclose(trellis.forward()[t], rows, atol=1e-9)
    assert trellis.log_partition(trellis.forward()) == pytest.approx(-5000.0, abs=1e-9)
    assert trellis.backward()[0][0] == pytest.approx(-5000.0, abs=1e-9)
