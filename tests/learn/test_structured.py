"""The structured perceptron, MIRA and SVM, and the CRF by stochastic gradients."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

import linnet
from linnet.errors import DataError, NotFittedError, ParameterError
from linnet.learn.chain.sentences import Ragged
from linnet.reference import structured as twin
from linnet.reference import structured_svm as svm_twin
from linnet.reference.global_features import GlobalMap
from linnet.reference.viterbi import best_labels

LEARNERS: list[Any] = [
    linnet.StructuredPerceptron,
    linnet.StructuredMIRA,
    partial(linnet.StructuredSVM, tol=0.5),
    partial(linnet.CRF, solver="sgd"),
]
IDS = ["perceptron", "mira", "svm", "crf_sgd"]


def problem(
    seed: int, *, sentences: int = 12, longest: int = 5, features: int = 4, labels: int = 3
) -> tuple[list[NDArray[np.float64]], list[NDArray[np.int64]]]:
    """Small sentences with whole-numbered features; the last label may be rare but occurs."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, longest + 1, sentences)
    X = [rng.integers(-1, 3, (n, features)).astype(float) for n in lengths]
    y = [rng.integers(0, labels, n) for n in lengths]
    X.append(np.ones((labels, features)))
    y.append(np.arange(labels))
    return X, y


def ragged(X: list[NDArray[np.float64]]) -> Ragged:
    rows = np.concatenate(X)
    token, column = np.nonzero(rows)
    start = np.concatenate([[0], np.cumsum(np.bincount(token, minlength=len(rows)))])
    ends = np.concatenate([[0], np.cumsum([len(x) for x in X])])
    return Ragged(start, column.astype(np.int32), rows[token, column], rows.shape[1], ends)


def plain(make: Any) -> dict[str, Any]:
    """The parameters that ask for the last weights instead of their mean."""
    return {"average": False} if "average" in make().get_params() else {}


@pytest.mark.spec("M-116")
@pytest.mark.parametrize("average", [False, True, "before", "after", "listing", "mistakes"])
@pytest.mark.parametrize("seed", range(4))
def test_the_perceptron_equals_the_reference_weight_for_weight(average: Any, seed: int) -> None:
    X, y = problem(seed)
    layout = GlobalMap(4, 3)
    want = twin.perceptron(layout, X, y, n_rounds=4, average=average)
    model = linnet.StructuredPerceptron(
        4, average=average, shuffle=False, stop_when_clean=False, pairs="all"
    ).fit(ragged(X), y)
    np.testing.assert_array_equal(model._weights(), want.weights)
    assert tuple(model.mistakes_) == want.mistakes


@pytest.mark.spec("M-123")
@pytest.mark.parametrize("decode", ["augmented", "predicted"])
@pytest.mark.parametrize("variant", ["pa", "pa1", "pa2"])
@pytest.mark.parametrize("average", [False, True])
def test_mira_equals_the_reference(decode: Any, variant: Any, average: bool) -> None:
    X, y = problem(5, sentences=8)
    want = twin.mira(
        GlobalMap(4, 3), X, y, C=0.05, variant=variant, decode=decode, n_rounds=2, average=average
    )
    model = linnet.StructuredMIRA(
        0.05, variant=variant, decode=decode, max_iter=2, average=average, shuffle=False,
        stop_when_clean=False, pairs="all",
    ).fit(ragged(X), y)  # fmt: skip
    np.testing.assert_allclose(model._weights(), want.weights, atol=1e-9)


@pytest.mark.spec("M-123")
@pytest.mark.parametrize("C", [0.01, 0.3])
def test_the_svm_reaches_the_optimum_of_the_hinge_objective(C: float) -> None:
    X, y = problem(2, sentences=8)
    objective = twin.hinge_objective(GlobalMap(4, 3), X, y, C)
    model = linnet.StructuredSVM(C, pairs="all", tol=1e-3, max_iter=2000, random_state=0)
    model.fit(ragged(X), y)
    value, _ = objective(model._weights())
    assert value == pytest.approx(model.history_["objective"].min(), rel=1e-9)
    assert model.optimality_ <= 1e-3
    rng = np.random.default_rng(0)
    for _ in range(20):  # no point nearby, or far, may lie below the certified bound
        other = model._weights() + rng.normal(0, rng.choice([1e-3, 0.1]), len(model._weights()))
        assert objective(other)[0] >= value * (1 - model.optimality_) - 1e-12


@pytest.mark.spec("M-123")
@pytest.mark.parametrize(("C", "passes"), [(0.02, 3), (0.5, 3), (20.0, 6)])
@pytest.mark.parametrize("seed", range(4))
def test_the_svm_equals_the_reference_weight_for_weight(C: float, passes: int, seed: int) -> None:
    X, y = problem(seed, sentences=9, longest=6)
    rng = np.random.default_rng(seed)
    X = [x + rng.normal(0, 0.1, x.shape) for x in X]
    want = svm_twin.dual_ascent(GlobalMap(4, 3), X, y, C=C, n_passes=passes)
    model = linnet.StructuredSVM(C, pairs="all", tol=1e-300, max_iter=passes, shuffle=False)
    with pytest.warns(ConvergenceWarning):
        model.fit(ragged(X), y)
    np.testing.assert_allclose(model._weights(), want.weights, atol=1e-9 * max(1.0, C))
    np.testing.assert_allclose(model.history_["objective"], want.objective, rtol=1e-9)
    np.testing.assert_allclose(model.history_["gap"], want.gap, atol=1e-9 * want.objective[0])


def quadratic_programme(X: Any, y: Any, C: float, labels: int) -> float:
    """The optimum with a constraint for every labelling, by a solver that knows nothing of chains:
    min 1/2 |w|^2 + C sum xi,  w . Delta(y) >= wrong(y) - xi >= -xi."""
    layout = GlobalMap(X[0].shape[1], labels)
    rows, least = [], []
    for i, (x, gold) in enumerate(zip(X, y, strict=True)):
        for guess in itertools.product(range(labels), repeat=len(gold)):
            slack = np.eye(len(X))[i]
            rows.append(np.append(layout.phi(x, gold) - layout.phi(x, np.array(guess, int)), slack))
            least.append(np.sum(np.array(guess) != gold))
    table, bounds = np.array(rows), np.array(least, float)
    D = layout.size
    found = minimize(
        lambda v: (
            0.5 * v[:D] @ v[:D] + C * v[D:].sum(),
            np.append(v[:D], np.full(len(X), C)),
        ),
        np.zeros(table.shape[1]), jac=True, method="SLSQP",
        constraints={"type": "ineq", "fun": lambda v: table @ v - bounds, "jac": lambda v: table},
        options={"maxiter": 500, "ftol": 1e-12},
    )  # fmt: skip
    assert found.success, found.message
    return float(found.fun)


@pytest.mark.spec("M-123")
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), C=st.sampled_from([0.02, 0.2, 2.0]))
def test_the_svm_and_its_bound_close_in_on_the_optimum_over_all_labellings(
    seed: int, C: float
) -> None:
    X, y = problem(seed, sentences=4, longest=3, features=2, labels=2)
    best = quadratic_programme(X, y, C, 2)
    model = linnet.StructuredSVM(C, pairs="all", tol=1e-3, max_iter=3000, random_state=seed)
    model.fit(ragged(X), y)
    least = np.minimum.accumulate(model.history_["objective"])
    assert (least >= best * (1 - 1e-6)).all()
    assert (least - model.history_["gap"] <= best * (1 + 1e-6) + 1e-9).all()
    assert model.optimality_ <= 1e-3


def test_the_dual_of_the_svm_never_falls() -> None:
    X, y = problem(3)
    model = linnet.StructuredSVM(0.1, tol=1e-3, max_iter=1000, random_state=1).fit(ragged(X), y)
    assert model.optimality_ <= 1e-3
    least = np.minimum.accumulate(model.history_["objective"])
    assert (np.diff(least - model.history_["gap"]) >= -1e-9).all()


@pytest.mark.spec("M-123")
@pytest.mark.parametrize("seed", range(3))
def test_twenty_passes_bring_the_svm_within_one_percent(seed: int) -> None:
    rng = np.random.default_rng(seed)
    centre = rng.normal(size=(5, 12))  # tokens look like their label, and like others'
    y = [rng.integers(0, 5, rng.integers(5, 25)) for _ in range(150)]
    X = [(centre[part] + rng.normal(size=(len(part), 12)) > 0.5).astype(float) for part in y]
    model = linnet.StructuredSVM(random_state=seed).fit(ragged(X), y)
    assert model.n_iter_ <= 20
    assert model.optimality_ <= 0.01


@pytest.mark.spec("M-32")
@pytest.mark.parametrize("average", [False, True])
def test_sentences_of_one_token_give_the_flat_perceptron(average: bool) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(-2, 3, (60, 5)).astype(float), rng.integers(0, 4, 60)
    flat = linnet.Perceptron(
        max_iter=5, average=average, shuffle=False, stop_when_clean=False, fit_intercept=False
    ).fit(np.hstack([X, np.ones((60, 2))]), y)  # a start and a stop are two features of value 1
    chain = linnet.StructuredPerceptron(
        5, average=average, shuffle=False, stop_when_clean=False, pairs="all"
    ).fit(ragged([row[None] for row in X]), y[:, None].tolist())
    np.testing.assert_array_equal(chain.pair_weight_.reshape(5, 4), flat.coef_.T[:5])
    np.testing.assert_array_equal(chain.start_, flat.coef_.T[5])
    np.testing.assert_array_equal(chain.stop_, flat.coef_.T[6])
    assert not chain.transition_.any()


@pytest.mark.spec("M-47")
def test_sentences_of_one_token_give_the_flat_mira() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 5)), rng.integers(0, 4, 40)
    flat = linnet.MIRA(
        C=0.1, max_iter=3, decode="augmented", shuffle=False, stop_when_clean=False,
        fit_intercept=False,
    ).fit(np.hstack([X, np.ones((40, 2))]), y)  # fmt: skip
    chain = linnet.StructuredMIRA(
        0.1, max_iter=3, shuffle=False, stop_when_clean=False, pairs="all"
    ).fit(ragged([row[None] for row in X]), y[:, None].tolist())
    np.testing.assert_allclose(chain.pair_weight_.reshape(5, 4), flat.coef_.T[:5], atol=1e-10)
    np.testing.assert_allclose(chain.start_, flat.coef_.T[5], atol=1e-10)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), labels=st.integers(1, 20), beam=st.sampled_from([0, 10**4]))
def test_an_update_is_the_difference_of_brute_force_counts(
    seed: int, labels: int, beam: int
) -> None:
    X, y = problem(seed, sentences=3, labels=labels, longest=3)
    tokens = [[{f"f{j}": v for j, v in enumerate(row) if v} for row in x] for x in X]
    model = linnet.StructuredPerceptron(2, random_state=seed, beam=beam, pairs="all")
    for step in model.steps(tokens, [part.tolist() for part in y]):
        want: dict[tuple[Any, ...], float] = {}
        for names, sign in ((step.label, 1.0), (step.guess, -1.0)):
            for token, label in zip(tokens[step.example], names, strict=True):
                for name, v in token.items():
                    key: tuple[Any, ...] = ("state", name, label)
                    want[key] = want.get(key, 0.0) + sign * v
            for pair in itertools.pairwise(names):
                want["transition", *pair] = want.get(("transition", *pair), 0.0) + sign
            for key in [("start", names[0]), ("stop", names[-1])] if names else []:
                want[key] = want.get(key, 0.0) + sign
        assert step.changed == {key: v for key, v in want.items() if v}
        assert (step.step_size == 0) == (step.label == step.guess)


def test_steps_leave_the_estimator_as_fit_does() -> None:
    X, y = problem(7)
    for make in LEARNERS[:2]:
        watched, fitted = make(random_state=3), make(random_state=3).fit(ragged(X), y)
        seen = list(watched.steps(ragged(X), y))
        np.testing.assert_array_equal(watched._weights(), fitted._weights())
        assert sum(step.step_size > 0 for step in seen) == fitted.mistakes_.sum()


@pytest.mark.parametrize("pairs", ["observed", "all", "updated"])
def test_partial_fit_goes_on_where_the_last_call_stopped(pairs: str) -> None:
    X, y = problem(11, sentences=20)
    whole = linnet.StructuredPerceptron(1, shuffle=False, pairs=pairs).fit(ragged(X), y)
    parts = linnet.StructuredPerceptron(1, shuffle=False, pairs=pairs)
    for first in (0, 7, 14):
        part = slice(first, first + 7)
        parts.partial_fit(ragged(X[part]), y[part], classes=[0, 1, 2] if first == 0 else None)
    assert parts.t_ == whole.t_
    if pairs == "observed":  # a pair that a later call brings could not move before
        assert set(zip(*_pairs(parts), strict=True)) == set(zip(*_pairs(whole), strict=True))
    else:
        np.testing.assert_array_equal(parts._weights(), whole._weights())
    with pytest.raises(DataError, match="not among the classes"):
        parts.partial_fit(ragged(X[-1:]), [[0, 1, 9]])


def _pairs(model: Any) -> tuple[list[int], list[int]]:
    feature = np.repeat(np.arange(model.n_features_in_), np.diff(model.pair_start_))
    return feature.tolist(), model.pair_label_.tolist()


def test_updated_pairs_are_those_of_all_pairs_that_were_touched() -> None:
    X, y = problem(13, features=9, labels=5)
    dense = linnet.StructuredPerceptron(3, pairs="all", random_state=0).fit(ragged(X), y)
    sparse = linnet.StructuredPerceptron(3, pairs="updated", random_state=0).fit(ragged(X), y)
    table = np.zeros((9, 5))
    table[_pairs(sparse)] = sparse.pair_weight_
    np.testing.assert_array_equal(table, dense.pair_weight_.reshape(9, 5))
    assert len(sparse.pair_label_) < 45 or (table != 0).all()


@pytest.mark.parametrize("labels", [2, 9, 30])
def test_pairs_that_were_not_observed_never_get_a_weight(labels: int) -> None:
    rng = np.random.default_rng(labels)
    X = [np.eye(12)[rng.integers(0, 12, 6) // rng.integers(1, 9)] for _ in range(40)]
    y = [rng.integers(0, labels, 6) for _ in X]
    X.append(np.zeros((labels, 12)))
    y.append(np.arange(labels))
    layout, seen = GlobalMap(12, labels), np.zeros((12, labels))
    for x, part in zip(X, y, strict=True):
        seen += x.T @ np.eye(labels)[part]
    mask = np.concatenate([seen.ravel() > 0, np.ones(labels * (labels + 2), bool)])
    w = np.zeros(layout.size)
    for _ in range(3):
        for x, gold in zip(X, y, strict=True):
            guess = best_labels(layout.chain(x, w))
            w += mask * (layout.phi(x, gold) - layout.phi(x, guess))
    model = linnet.StructuredPerceptron(3, average=False, shuffle=False).fit(ragged(X), y)
    np.testing.assert_array_equal(model._weights(), w[mask])


@pytest.mark.parametrize("make", LEARNERS, ids=IDS)
def test_the_seed_alone_decides_the_result(make: Any) -> None:
    X, y = problem(17, sentences=40)
    fits = [
        make(random_state=r, n_threads=t).fit(ragged(X), y)._weights()
        for r, t in ((0, 1), (0, 2), (0, 3), (1, 1))
    ]
    np.testing.assert_array_equal(fits[0], fits[1])
    np.testing.assert_array_equal(fits[0], fits[2])
    assert not np.array_equal(fits[0], fits[3])


@pytest.mark.parametrize("make", LEARNERS, ids=IDS)
def test_a_saved_model_answers_alike(make: Any, tmp_path: Path) -> None:
    X = [[["w=the"], ["w=dog"], ["w=runs"]], [["w=dogs"], ["w=run"]], []]
    y = [["D", "N", "V"], ["N", "V"], []]
    model = make(random_state=0).fit(X, y)
    linnet.save(model, tmp_path / "m.linnet")
    again = linnet.load(tmp_path / "m.linnet")
    assert again.predict(X) == model.predict(X) == y
    np.testing.assert_array_equal(again._weights(), model._weights())
    if hasattr(model, "partial_fit"):
        np.testing.assert_array_equal(
            again.partial_fit(X, y)._weights(), model.partial_fit(X, y)._weights()
        )


@pytest.mark.parametrize("make", LEARNERS, ids=IDS)
def test_empty_single_and_very_long_sentences_are_learnt(make: Any) -> None:
    rng = np.random.default_rng(0)
    lengths = [0, 1, 100_000]
    n = sum(lengths)
    tokens = Ragged(
        np.arange(n + 1), rng.integers(0, 4, n).astype(np.int32), None, 4,
        np.concatenate([[0], np.cumsum(lengths)]),
    )  # fmt: skip
    y = np.split(tokens.column % 2, np.cumsum(lengths)[:-1])
    model = make(max_iter=20, random_state=0).set_params(**plain(make)).fit(tokens, y)
    assert model.score(tokens, y) > 0.99
    assert np.isfinite(model._weights()).all()


@pytest.mark.parametrize("make", LEARNERS, ids=IDS)
@pytest.mark.parametrize("labels", [1, 300])
def test_one_label_and_three_hundred_are_learnt(make: Any, labels: int) -> None:
    y = [[k, (k + 1) % labels] for k in range(labels)]
    X = [[[f"w{label}"] for label in part] for part in y]
    model = make(max_iter=10, random_state=0, **({"C": 100.0} if make is LEARNERS[3] else {}))
    assert model.fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize("make", LEARNERS, ids=IDS)
def test_a_sentence_of_weight_zero_counts_for_nothing(make: Any) -> None:
    X, y = problem(19)
    X, y = [x for x in X if len(x)], [part for part in y if len(part)]
    weights = np.ones(len(X))
    weights[:2] = 0.0
    wrong = [(part + 1) % 3 for part in y[:2]] + y[2:]
    fits = [
        make(shuffle=False, pairs="all", random_state=0).fit(ragged(X), gold, weights)._weights()
        for gold in (y, wrong)
    ]
    np.testing.assert_array_equal(*fits)


@pytest.mark.spec("M-118")
@pytest.mark.parametrize("average", [False, True])
def test_sgd_comes_near_the_optimum_of_the_crf(average: bool) -> None:
    X, y = problem(23, sentences=60)
    best = linnet.CRF(0.1, tol=1e-6).fit(ragged(X), y).history_["objective"][-1]
    model = linnet.CRF(
        0.1, solver="sgd", average=average, max_iter=60, tol=1e-9, random_state=0
    ).fit(ragged(X), y)
    assert model.history_["objective"].min() <= best * 1.005
    assert model.history_["objective"].min() >= best * (1 - 1e-6)
    assert model.optimality_ == np.inf


def test_bad_parameters_and_data_are_refused() -> None:
    X, y = [[["a"]]], [["A"]]
    for model in (
        linnet.StructuredPerceptron(0),
        linnet.StructuredPerceptron(average="no"),
        linnet.StructuredPerceptron(beam=-1),
        linnet.StructuredPerceptron(pairs="some"),
        linnet.StructuredMIRA(0.0),
        linnet.StructuredMIRA(decode="best"),
        linnet.StructuredMIRA(variant="pa3"),
        linnet.StructuredSVM(-1.0),
        linnet.StructuredSVM(pairs="updated"),
        linnet.CRF(solver="sgd", penalty="l1"),
    ):
        with pytest.raises(ParameterError):
            model.fit(X, y)
    for make in LEARNERS:
        with pytest.raises(NotFittedError):
            make().predict(X)
        with pytest.raises(DataError, match="labels"):
            make().fit(X, [["A", "B"]])
        with pytest.raises(DataError, match="no tokens"):
            make().fit([[]], [[]])


def test_a_refused_fit_leaves_the_old_model() -> None:
    model = linnet.StructuredPerceptron(random_state=0).fit([[["a"], ["b"]]], [["A", "B"]])
    with pytest.raises(DataError):
        model.fit([[["c"]]], [["A", "B"]])
    assert model.predict([[["a"], ["b"]]]) == [["A", "B"]]


INTERRUPTED = """
import numpy as np, linnet
from linnet.learn.chain.sentences import Ragged
rng = np.random.default_rng(0)
n = 200_000
column = np.sort(rng.integers(0, 999, (n, 5)), axis=1).ravel().astype(np.int32)
X = Ragged(np.arange(0, 5 * n + 1, 5), column, None, 999, np.arange(0, n + 1, 10))
y = rng.integers(0, 20, (n // 10, 10)).tolist()
for model in (linnet.StructuredPerceptron(10**6), linnet.StructuredMIRA(max_iter=10**6),
              linnet.StructuredSVM(1e3, max_iter=10**6, tol=1e-12),
              linnet.CRF(1e3, solver="sgd", max_iter=10**6, tol=1e-300)):
    print("ready", flush=True)
    try:
        model.fit(X, y)
    except KeyboardInterrupt:
        print("interrupted", hasattr(model, "transition_"), flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_a_signal_stops_every_learner_and_leaves_no_half_model(
    start_process: Callable[..., Any],
) -> None:
    process = start_process([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True)
    for _ in range(4):
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.6)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted False\n"
    assert process.wait(timeout=30) == 0
