"""Every learner comes back from its file as it was: parameters, weights, the way to go on."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import linnet
from linnet.errors import ModelFileError, NotFittedError, ParameterError
from linnet.learn.flat.base import Learner
from linnet.model.file import load, read_model, save
from linnet.public import public_homes

from .same import assert_same

LEARNERS = {
    name: learner
    for name in public_homes()
    if isinstance(learner := getattr(linnet, name), type) and issubclass(learner, Learner)
}
SETTINGS: dict[str, Any] = {
    "maxent newton": linnet.MaxEnt(solver="newton"),
    "maxent dual": linnet.MaxEnt(solver="dual_cd", random_state=0),
    "maxent l1": linnet.MaxEnt(penalty="l1"),
    "maxent ovr": linnet.MaxEnt(multi_class="ovr"),
    "maxent sgd": linnet.MaxEnt(
        solver=linnet.SGD(linnet.schedules.Power(0.5, beta=0.75)), random_state=1
    ),
    "maxent variances": linnet.MaxEnt(prior_variance=np.array([1.0, 2.0, 0.5, 1.0, 3.0])),
    "svm squared": linnet.SVM(loss="squared_hinge", random_state=0),
    "svm pairs": linnet.SVM(multi_class="ovo", random_state=0),
    "svm cost": linnet.SVM(cost=(1.0 - np.eye(4)).tolist(), random_state=0),
    "svm pegasos": linnet.SVM(solver="pegasos", multi_class="ovr", max_iter=5, random_state=0),
    "perceptron rates": linnet.Perceptron(
        learning_rate=linnet.schedules.InverseTime(2.0), snapshot_every=2, random_state=0
    ),
    "perceptron last": linnet.Perceptron(average=False, early_stopping=True, random_state=0),
    "mira cost": linnet.MIRA(cost=1.0 - np.eye(4), decode="augmented", random_state=0),
    "multinomial priors": linnet.MultinomialNB(class_prior=(0.1, 0.2, 0.3, 0.4)),
    "multinomial zeros": linnet.MultinomialNB(alpha=0.0, class_weight={0: 1.0, 1: 2.0, 2: 1, 3: 1}),
    "kernel svm linear": linnet.KernelSVM(kernel="linear", penalize_intercept=True),
    "kernel svm ovr": linnet.KernelSVM(kernel="quadratic", multi_class="ovr", sigma=2.0),
    "kernel perceptron": linnet.KernelPerceptron(average=False, shuffle=False),
    "gaussian shared": linnet.GaussianNB("shared"),
    "memory cosine": linnet.MemoryBased(3, "cosine"),
    "memory mvdm": linnet.MemoryBased(3, "mvdm", "gain_ratio", kinds="symbolic"),
}
FITS = {**{name: learner() for name, learner in LEARNERS.items()}, **SETTINGS}
each_fit = pytest.mark.parametrize("model", FITS.values(), ids=FITS.keys())


def examples(classes: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    X = rng.integers(0, 4, size=(80, 5)).astype(float)
    return X, np.argmax(X[:, :classes] + rng.gumbel(size=(80, classes)), axis=1)


def answers(model: Any, X: Any) -> list[np.ndarray]:
    methods = ("decision_function", "predict_proba", "predict_log_proba", "predict")
    return [getattr(model, method)(X) for method in methods if hasattr(model, method)]


@pytest.mark.spec("C-28")
@pytest.mark.filterwarnings("ignore")
@each_fit
def test_a_learner_comes_back_with_every_bit_but_its_times(model: Any, tmp_path: Path) -> None:
    X, y = examples()
    model = clone(model).fit(X, y)
    getattr(model, "history_", {}).pop("seconds", None)
    before = pickle.dumps(model)
    save(model, tmp_path / "m.linnet")
    twin = load(tmp_path / "m.linnet")
    assert_same(model, twin)
    for value, other in zip(answers(model, X), answers(twin, X), strict=True):
        assert value.tobytes() == other.tobytes()
    assert pickle.dumps(model) == before, "saving changed the model"
    assert_same(model.get_params(), twin.get_params())
    assert_same(clone(model).get_params(), clone(twin).get_params())


@pytest.mark.filterwarnings("ignore")
@each_fit
def test_a_loaded_learner_goes_on_like_the_one_that_was_saved(model: Any, tmp_path: Path) -> None:
    X, y = examples()
    model = clone(model)
    going_on = {"warm_start": True, "random_state": 4}
    model.set_params(**{k: v for k, v in going_on.items() if k in model.get_params()})
    model.fit(X, y)
    save(model, tmp_path / "m.linnet")
    twin = load(tmp_path / "m.linnet")
    for learner in (model, twin):
        learner.fit(X[::-1], y[::-1])
        if hasattr(learner, "partial_fit"):
            learner.partial_fit(X[:40], y[:40])
    for value, other in zip(answers(model, X), answers(twin, X), strict=True):
        assert value.tobytes() == other.tobytes()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "labels",
    [
        [3, -1, 7],
        np.array([0, 200, 7], np.uint8),
        [1.0, -3.0, 2.0],
        [False, True, True],
        ["good", "bad", "ä€𝄞"],
        np.array(["x", "", "long label"], dtype=object),
    ],
    ids=["int", "uint8", "float", "bool", "text", "objects"],
)
@pytest.mark.parametrize("name", ["MaxEnt", "SVM", "Perceptron", "MultinomialNB", "GaussianNB"])
def test_classes_keep_their_type(name: str, labels: Any, tmp_path: Path) -> None:
    X, y = examples(3)
    model = LEARNERS[name]().fit(X, np.asarray(labels)[y])
    save(model, tmp_path / "m.linnet")
    twin = load(tmp_path / "m.linnet")
    assert_same(model.classes_, twin.classes_)
    assert_same(model.predict(X), twin.predict(X))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", LEARNERS)
def test_names_of_features_survive(name: str, tmp_path: Path) -> None:
    X, y = examples(2)
    words = [f"wörd {j}" for j in range(X.shape[1])]
    bags = [dict(zip(words, row, strict=True)) for row in X.tolist()]
    for table in (bags, pd.DataFrame(X, columns=words)):
        model = LEARNERS[name]().fit(table, y)
        save(model, tmp_path / "m.linnet")
        twin = load(tmp_path / "m.linnet")
        assert twin.get_feature_names().tolist() == words
        assert_same(model.predict(table), twin.predict(table))


def test_a_large_vocabulary_is_stored_as_arrays(tmp_path: Path) -> None:
    bags = [{f"w{i}": 1.0 for i in range(k, 3000, 2)} for k in (0, 1)]
    model = linnet.MultinomialNB().fit(bags, [0, 1])
    save(model, tmp_path / "m.linnet")
    file = read_model(tmp_path / "m.linnet")
    assert file.arrays["vocabulary_.keys.offsets"].shape == (3001,)
    assert file.record == {"n_features": 3000, "n_classes": 2, "n_iter": 1}
    assert_same(load(tmp_path / "m.linnet").vocabulary_, model.vocabulary_)


def test_an_array_under_two_names_is_stored_once(tmp_path: Path) -> None:
    X, y = examples()
    model = linnet.MultinomialNB().fit(X, y)
    assert model.coef_ is model.feature_log_prob_ or np.shares_memory(
        model.coef_, model.feature_log_prob_
    )
    save(model, tmp_path / "m.linnet")
    arrays = read_model(tmp_path / "m.linnet").arrays
    assert ("coef_" in arrays) != ("feature_log_prob_" in arrays)


@pytest.mark.spec("C-28")
def test_another_process_predicts_the_same_bits(tmp_path: Path) -> None:
    X = sp.random(200, 300, 0.05, format="csr", random_state=0)
    y = np.random.default_rng(1).integers(0, 5, 200)
    np.savez(tmp_path / "x.npz", X=X.toarray())
    expected = b""
    for name in ("MaxEnt", "Perceptron", "GaussianNB"):
        model = LEARNERS[name](n_threads=2).fit(X, y)
        save(model, tmp_path / f"{name}.linnet")
        expected += model.decision_function(X).tobytes()
    script = (
        "import numpy as np, sys; from linnet.model.file import load; X = np.load('x.npz')['X']\n"
        "for name in ('MaxEnt', 'Perceptron', 'GaussianNB'):\n"
        "    scores = load(name + '.linnet').decision_function(X)\n"
        "    sys.stdout.buffer.write(scores.tobytes())\n"
    )
    source = str(Path(linnet.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, check=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": source},
    )  # fmt: skip
    assert done.stdout == expected


def test_loaded_weights_are_shared_read_only_pages(tmp_path: Path) -> None:
    X, y = examples()
    save(linnet.MaxEnt().fit(X, y), tmp_path / "m.linnet")
    model = load(tmp_path / "m.linnet")
    assert not model.coef_.flags.writeable and not model.coef_.flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        model.coef_[0, 0] = 1.0
    twin = copy.deepcopy(pickle.loads(pickle.dumps(model)))
    np.testing.assert_array_equal(twin.predict(X), model.predict(X))


@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_that_is_not_fitted_is_not_saved(name: str, tmp_path: Path) -> None:
    with pytest.raises(NotFittedError, match=f"This {name} is not fitted yet"):
        save(LEARNERS[name](), tmp_path / "m.linnet")
    assert not os.listdir(tmp_path)


def test_what_no_file_can_hold_is_refused_by_name(tmp_path: Path) -> None:
    path, words = tmp_path / "m.linnet", ["aa", "bb", "ab", "ba"]

    def joint(x: str, y: str) -> dict[str, float]:
        return {f"{x[0]}{y}": 1.0}

    model: Any = linnet.MaxEnt(joint_map=joint).fit(words, ["a", "b", "a", "b"])
    with pytest.raises(ModelFileError, match="MaxEnt.joint_map is a function.*holds no code"):
        save(model, path)

    class Mine:
        def rates(self, first: int, n: int) -> np.ndarray:
            return np.ones(n)

    X, y = examples()
    for setting, what in (
        ({"learning_rate": Mine()}, "learning_rate is a Mine"),
        ({"random_state": np.random.RandomState(0)}, "random_state is a RandomState"),
    ):
        with pytest.raises(ModelFileError, match=f"Perceptron.{what}"):
            save(linnet.Perceptron(**setting).fit(X, y), path)
    for other in (object(), dict, linnet.MaxEnt, {"coef_": 1}):
        with pytest.raises(ParameterError, match="a fitted model of linnet"):
            save(other, path)
    with pytest.raises(ParameterError, match="GaussianNB has no options for saving, got dtype"):
        save(linnet.GaussianNB().fit(X, y), path, dtype="float16")
    assert not os.listdir(tmp_path)


def test_a_subclass_is_not_saved_under_the_name_of_its_parent(tmp_path: Path) -> None:
    MaxEnt = type("MaxEnt", (linnet.MaxEnt,), {})
    with pytest.raises(ParameterError):
        save(MaxEnt().fit(*examples()), tmp_path / "m.linnet")
