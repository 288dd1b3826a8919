"""The conditional random field as an estimator: solvers, options, limits and refusals."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import linnet
from linnet import _core
from linnet.errors import DataError, NotFittedError, ParameterError
from linnet.learn.chain import Constraints
from linnet.learn.chain.sentences import Ragged, read_sentences

from .chains import (
    TIGHT,
    TOY,
    TOY_TAGS,
    problem,
    sentences,
)


def objective_of(crf: linnet.CRF) -> float:
    return float(crf.history_["objective"][-1])


# The estimator


@pytest.mark.spec("M-108")
def test_output_is_as_long_as_input_and_nothing_stays_nothing() -> None:
    crf = linnet.CRF().fit(TOY, TOY_TAGS)
    X = [[], TOY[0], TOY[2], []]
    assert [len(labels) for labels in crf.predict(X)] == [0, 3, 2, 0]
    assert crf.predict([]) == [] and crf.predict([[]]) == [[]]
    assert [m.shape for m in crf.predict_marginals(X)] == [(0, 3), (3, 3), (2, 3), (0, 3)]
    assert crf.predict_nbest([[]], 3) == [[(0.0, [])]]
    assert crf.predict_marginals([]) == [] and crf.decision_function([]) == []


def test_the_best_of_n_best_is_the_prediction_and_scores_fall() -> None:
    X, y = sentences(2, 40)
    crf = linnet.CRF().fit(X, y)
    for labels, best in zip(crf.predict(X), crf.predict_nbest(X, 4), strict=True):
        assert best[0][1] == labels
        scores = [score for score, _ in best]
        assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("penalty", ["l2", "l1", "elasticnet"])
def test_every_thread_count_gives_the_same_bits(penalty: str) -> None:
    X, y = sentences(7, 120)
    fits = [linnet.CRF(penalty=penalty, C=2.0, tol=1e-6, n_threads=n).fit(X, y) for n in (1, 2, 4)]
    for crf in fits[1:]:
        assert crf._weights().tobytes() == fits[0]._weights().tobytes()
        assert crf.predict(X) == fits[0].predict(X)
        a, b = np.vstack(crf.predict_marginals(X)), np.vstack(fits[0].predict_marginals(X))
        assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize("solver", ["gradient_descent"])
def test_all_solvers_reach_one_optimum(solver: str) -> None:
    X, y = sentences(8, 40)
    best = objective_of(linnet.CRF(**TIGHT).fit(X, y))
    other = linnet.CRF(solver=solver, tol=1e-6, max_iter=20_000).fit(X, y)
    assert objective_of(other) == pytest.approx(best, rel=2e-6)
    assert other.optimality_ <= 1e-6


def test_the_certificate_bounds_the_distance_to_the_optimum() -> None:
    X, y = sentences(9, 60)
    best = objective_of(linnet.CRF(**TIGHT).fit(X, y))
    for tol in (1e-1, 1e-2, 1e-3):
        crf = linnet.CRF(tol=tol).fit(X, y)
        assert crf.optimality_ <= tol
        assert objective_of(crf) - best <= crf.optimality_ * objective_of(crf) + 1e-9
    objective = linnet.CRF(tol=1e-6).fit(X, y).history_["objective"]
    assert (np.diff(objective) <= 1e-12).all()


def test_the_gap_comes_from_the_best_average_of_tangents_so_far() -> None:
    X, y = sentences(15, 60)
    chain, gold, cost, L, (_, _, label) = problem(X, y)
    size = len(label) + L * (L + 2)
    w, gradient = np.zeros(size), np.empty(size)
    points: list[np.ndarray] = []
    gaps: list[float] = []

    def record(*row: float) -> bool:
        points.append(w.copy())
        gaps.append(row[2])
        return True

    _core.crf_minimize(
        solver="lbfgs", chain=chain, gold=gold, cost=cost, frozen=None, l2=0.5, l1=0.0, w=w,
        tolerance=1e-6, max_iterations=100, memory=6, visible=True, record=record, threads=1,
    )  # fmt: skip
    floor, slope, offset = -np.inf, np.zeros(size), 0.0
    for point, gap in zip(points, gaps, strict=True):
        value = _core.crf_evaluate(chain, gold, cost, 0.5, point, gradient, 1)
        new_slope = gradient - 0.5 * point
        new_offset = value - point @ gradient + 0.25 * point @ point
        if floor == -np.inf:
            slope, offset = new_slope, new_offset
        way = new_slope - slope
        rise = new_offset - offset - slope @ way / 0.5
        share = np.clip(rise / max(way @ way / 0.5, 1e-300), 0.0, 1.0)
        slope, offset = slope + share * way, offset + share * (new_offset - offset)
        floor = max(floor, offset - slope @ slope, value - gradient @ gradient)
        assert gap == pytest.approx(value - floor, rel=1e-6, abs=1e-9 * value)
    last = gradient @ gradient  # / (2 * 0.5): what the last tangent alone would say
    assert gaps[-1] < 0.9 * last


def highest_bound(slopes: np.ndarray, offsets: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the highest bound of an average of tangents for l2 = 1/2, and the shares in it."""
    products = slopes @ slopes.T / 0.5
    scale = max(1.0, float(np.abs(offsets).max()))
    best = minimize(
        lambda p: (0.5 * p @ products @ p - offsets @ p) / scale,
        np.eye(len(offsets))[0],
        jac=lambda p: (products @ p - offsets) / scale,
        bounds=[(0.0, 1.0)] * len(offsets),
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1.0, "jac": np.ones_like},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    shares = np.clip(best.x, 0.0, 1.0) / np.clip(best.x, 0.0, 1.0).sum()
    return float(offsets @ shares - 0.5 * shares @ products @ shares), shares


def test_several_tangents_besides_their_average_bound_the_optimum_from_nearer() -> None:
    X, y = sentences(15, 60)
    chain, gold, cost, L, (_, _, label) = problem(X, y)
    size, kept = len(label) + L * (L + 2), 4

    def gaps_with(tangents: int) -> tuple[list[np.ndarray], list[float]]:
        w = np.zeros(size)
        points: list[np.ndarray] = []
        gaps: list[float] = []

        def record(*row: float) -> bool:
            points.append(w.copy())
            gaps.append(row[2])
            return True

        _core.crf_minimize(
            solver="lbfgs", chain=chain, gold=gold, cost=cost, frozen=None, l2=0.5, l1=0.0, w=w,
            tolerance=1e-6, max_iterations=100, memory=6, visible=True, record=record, threads=1,
            tangents=tangents,
        )  # fmt: skip
        return points, gaps

    points, gaps = gaps_with(kept)
    gradient = np.empty(size)
    slopes, offsets = np.empty((0, size)), np.empty(0)
    mean_slope, mean_offset, floor = np.zeros((1, size)), np.zeros(1), -np.inf
    for number, (point, gap) in enumerate(zip(points, gaps, strict=True)):
        value = _core.crf_evaluate(chain, gold, cost, 0.5, point, gradient, 1)
        slope, offset = gradient - 0.5 * point, value - point @ gradient + 0.25 * point @ point
        if number == 0:
            mean_slope, mean_offset = slope[None], np.array([offset])
            bound = offset - slope @ slope
        else:
            slopes = np.vstack([slopes, slope])[-kept:]
            offsets = np.append(offsets, offset)[-kept:]
            of_all = np.vstack([mean_slope, slopes]), np.append(mean_offset, offsets)
            bound, shares = highest_bound(*of_all)
            mean_slope, mean_offset = shares[None] @ of_all[0], shares[None] @ of_all[1]
        floor = max(floor, bound, value - gradient @ gradient)
        assert gap == pytest.approx(value - floor, rel=2e-2, abs=1e-7 * value)
    optimum = linnet.CRF(C=2.0, pairs="all", tol=1e-9, max_iter=5000).fit(X, y)
    assert floor <= 0.5 * objective_of(optimum) * (1 + 1e-12)
    assert len(points) < len(gaps_with(1)[0])


def test_a_large_corpus_is_begun_on_a_sample_and_ends_where_it_would_without_one() -> None:
    X, y = sentences(16, 3000, longest=44)
    assert sum(map(len, X)) >= 1 << 16
    fits = [linnet.CRF(n_threads=n).fit(X, y) for n in (1, 2, 3)]
    assert len({fit._weights().tobytes() for fit in fits}) == 1
    chain, gold, cost, _, _ = problem(X, y, every=False)
    w, rows = np.full(len(fits[0]._weights()), 1e-9), list[tuple[float, ...]]()  # not a new fit
    _core.crf_minimize(
        solver="lbfgs", chain=chain, gold=gold, cost=cost, frozen=None, l2=1.0, l1=0.0, w=w,
        tolerance=1e-3, max_iterations=500, memory=6, record=lambda *row: rows.append(row),
        threads=2,
    )  # fmt: skip
    objective, gap = rows[-1][1:3]
    assert objective_of(fits[0]) == pytest.approx(objective, rel=1e-3)
    assert fits[0].optimality_ <= 1e-3 and gap <= 1e-3 * objective
    assert fits[0].history_["objective"][0] < 0.5 * rows[0][1]  # where the sample led
    assert fits[0].n_iter_ < len(rows) - 1


def test_an_l1_penalty_leaves_zeros_and_satisfies_its_conditions() -> None:
    X, y = sentences(10, 60, features=30)
    crf = linnet.CRF(C=0.5, penalty="l1", pairs="all", tol=1e-8, max_iter=5000).fit(X, y)
    w = crf._weights()
    assert 0.2 < np.mean(w == 0) < 1
    chain, gold, cost, _, _ = problem(X, y)
    gradient = np.empty(len(w))
    _core.crf_evaluate(chain, gold, 0.5 * cost, 0.0, w, gradient, 1)
    assert np.abs(gradient).max() <= 1 + 1e-2
    np.testing.assert_allclose(gradient[w != 0], -np.sign(w[w != 0]), atol=2e-2)


def test_sample_weight_is_repetition_and_weight_zero_is_absence() -> None:
    X, y = sentences(11, 30)
    weight = np.arange(30) % 3
    again = [i for i in range(30) for _ in range(weight[i])]
    weighted = linnet.CRF(pairs="all", **TIGHT).fit(X, y, sample_weight=weight)
    repeated = linnet.CRF(pairs="all", **TIGHT).fit([X[i] for i in again], [y[i] for i in again])
    assert objective_of(weighted) == pytest.approx(objective_of(repeated), rel=1e-8)
    np.testing.assert_allclose(weighted.transition_, repeated.transition_, atol=1e-4)


def test_a_warm_start_goes_on_from_the_last_weights() -> None:
    X, y = sentences(12, 60)
    crf = linnet.CRF(tol=1e-8, warm_start=True).fit(X, y)
    steps = crf.n_iter_
    assert crf.fit(X, y).n_iter_ < max(3, steps / 4)
    assert crf.fit(X[:30], y[:30]).n_iter_ > 1  # other features: begins anew


def test_observed_pairs_are_the_weights_of_crfsuite_and_all_is_a_better_optimum() -> None:
    X, y = sentences(13, 60, features=30)
    observed, every = (linnet.CRF(pairs=p, **TIGHT).fit(X, y) for p in ("observed", "all"))
    seen = {(f, t) for s, tags in zip(X, y, strict=True) for tok, t in zip(s, tags, strict=True)
            for f in tok}  # fmt: skip
    assert 0 < np.count_nonzero(observed.pair_weight_) <= len(seen)
    assert len(every.pair_label_) == len(every.vocabulary_) * 3
    assert objective_of(every) <= objective_of(observed) + 1e-9


def test_unseen_features_are_dropped_and_a_token_without_features_has_an_answer() -> None:
    crf = linnet.CRF(C=10.0).fit(TOY, TOY_TAGS)
    assert crf.predict([[["w=the", "w=unheard"], ["w=unheard"]]]) == [["D", "N"]]
    assert crf.predict([[{"w=the": 1.0, "x": np.nan}, []]]) == [["D", "N"]]


def test_dictionaries_lists_and_a_ragged_matrix_are_the_same() -> None:
    X, y = sentences(14, 40)
    ragged, _ = read_sentences(X, None)
    dictionaries = [[dict.fromkeys(token, 1) for token in sentence] for sentence in X]
    models = [linnet.CRF().fit(data, y) for data in (X, dictionaries, ragged)]
    assert len({model._weights().tobytes() for model in models}) == 1
    assert models[2].predict(ragged) == models[0].predict(X)
    with pytest.raises(DataError, match="fitted on a Ragged"):
        models[2].predict(X)
    with pytest.raises(DataError, match="99 features"):
        models[2].predict(ragged._replace(n_features=99))


def test_constraints_forbid_and_the_impossible_is_an_error() -> None:
    X, y = sentences(15, 60)
    crf = linnet.CRF().fit(X, y)
    every = np.ones(3, bool)
    step = np.ones((3, 3), bool)
    step[0, 1] = step[1, 1] = False
    rules = Constraints(np.array([True, False, True]), step, every)
    for labels in crf.predict(X, constraints=rules):
        assert labels[:1] != ["B"] and "AB" not in "".join(labels)
    for marginals, labels in zip(crf.predict_marginals(X, constraints=rules), X, strict=True):
        assert len(marginals) == len(labels)
        np.testing.assert_allclose(marginals.sum(axis=1), 1.0)
    for best in crf.predict_nbest(X, 3, constraints=rules):
        assert all("BB" not in "".join(labels) for _, labels in best)
    for method in (crf.predict, crf.predict_marginals):
        with pytest.raises(DataError, match="No labelling of sentence 0"):
            method(X[:1], constraints=Constraints(~every, step, every))


@pytest.mark.spec("M-115")
def test_a_beam_of_one_is_greedy_and_a_wide_one_is_exact() -> None:
    X, y = sentences(16, 40, longest=5)
    crf = linnet.CRF().fit(X, y)
    assert crf.predict(X, beam=3**4) == crf.predict(X)
    for labels, state in zip(crf.predict(X, beam=1), crf.decision_function(X), strict=True):
        before: int | None = None
        for t, row in enumerate(state):
            here = row + (crf.start_ if before is None else crf.transition_[before])
            here += crf.stop_ if t == len(state) - 1 else 0.0
            before = int(here.argmax())
            assert crf.classes_[before] == labels[t]


# Limits


@pytest.mark.spec("M-119")
def test_a_hundred_thousand_tokens_neither_overflow_nor_underflow() -> None:
    crf = linnet.CRF(C=1e4).fit(TOY, TOY_TAGS)
    crf.pair_weight_ = crf.pair_weight_ * 50  # scores far beyond what exp can hold
    long = [TOY[0] * 33_333]
    (labels,) = crf.predict(long)
    assert len(labels) == 99_999
    (marginals,) = crf.predict_marginals(long)
    assert np.isfinite(marginals).all()
    np.testing.assert_allclose(marginals.sum(axis=1), 1.0, atol=1e-8)
    with pytest.warns(ConvergenceWarning):
        fitted = linnet.CRF(max_iter=3).fit(long, [TOY_TAGS[0] * 33_333])
    assert np.isfinite(fitted._weights()).all()


def test_seven_hundred_and_fifty_labels_and_steps_never_seen() -> None:
    X = [[[f"w{i}"], [f"w{i + 1}"]] for i in range(0, 750, 2)]
    y = [[f"t{i:03}", f"t{i + 1:03}"] for i in range(0, 750, 2)]
    crf = linnet.CRF(C=100.0, max_iter=30, tol=0.9).fit(X, y)
    assert len(crf.classes_) == 750
    assert crf.predict(X[:20]) == y[:20]
    mixed = [[X[3][1], X[0][0]]]  # its labels never followed each other
    assert np.isfinite(crf.predict_marginals(mixed)[0]).all()
    assert len(crf.predict(mixed)[0]) == 2


def test_one_label_is_certain() -> None:
    crf = linnet.CRF().fit([[["a"], ["b"]]], [["X", "X"]])
    assert crf.predict([[["a"]]]) == [["X"]]
    assert crf.predict_marginals([[["a"]]])[0].tolist() == [[1.0]]


def test_large_and_negative_values_stay_finite() -> None:
    X = [[{"x": 1e6, "z": -1e-6}, {"x": -1e6}], [{"x": 1e6}]]
    with np.errstate(all="raise"):
        crf = linnet.CRF(tol=1e-2).fit(X, [["A", "B"], ["A"]])
        assert crf.predict(X) == [["A", "B"], ["A"]]
        assert all(np.isfinite(m).all() for m in crf.predict_marginals(X))


# Errors


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ("text", [["A"]], "list of sentences"),
        ([["word"]], [["A"]], "Token 0 of sentence 0"),
        ([{"a": 1}], [["A"]], "Sentence 0 must be a list of tokens"),
        ([[["a"]]], [["A", "B"]], "Sentence 0 has 1 tokens, but 2 labels"),
        ([[["a"]]], [["A"], ["B"]], "X has 1 sentences, y has 2"),
        ([[["a"]], [["a"]]], [["A"], [1]], "one kind"),
        ([[["a"]]], [[None]], "strings or integers"),
        ([[["a"]]], [[["A"]]], "strings or integers"),
        ([[["a"]]], [[float("nan")]], "strings or integers"),
        ([[]], [[]], "no tokens"),
        ([[{"a": b"much"}]], [["A"]], "numbers"),
        ([[{"a": np.inf}]], [["A"]], "finite"),
        ([[["a", 1]]], [["A"]], "one kind"),
    ],
)
def test_bad_sentences_are_refused_with_their_place(X: Any, y: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        linnet.CRF().fit(X, y)


@pytest.mark.parametrize(
    "parameters",
    [{"C": 0}, {"C": "1"}, {"tol": -1}, {"penalty": "l3"}, {"pairs": "some"}, {"solver": "magic"},
     {"l1_ratio": 2}, {"penalty": "l1", "solver": "gradient_descent"}, {"max_iter": 0}],
)  # fmt: skip
def test_bad_parameters_are_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        linnet.CRF(**parameters).fit(TOY, TOY_TAGS)


def test_broken_ragged_matrices_are_refused() -> None:
    good, _ = read_sentences(TOY, None)
    broken = {
        "sentence": good.sentence[:-1],
        "start": good.start[:-1],
        "column": good.column + 99,
        "value": np.full(len(good.column), np.nan),
    }
    for field, value in broken.items():
        with pytest.raises(DataError):
            linnet.CRF().fit(Ragged(**{**good._asdict(), field: value}), TOY_TAGS)


def test_use_before_fit_and_bad_requests_are_refused() -> None:
    with pytest.raises(NotFittedError):
        linnet.CRF().predict(TOY)
    crf = linnet.CRF().fit(TOY, TOY_TAGS)
    with pytest.raises(ParameterError, match="k must be"):
        crf.predict_nbest(TOY, 0)
    for beam in (-1, 2.5, True):
        with pytest.raises(ParameterError, match="beam"):
            crf.predict(TOY, beam=beam)  # type: ignore[arg-type]
    with pytest.raises(DataError):
        crf.score(TOY, TOY_TAGS[:1])


def test_a_failed_fit_leaves_the_old_model() -> None:
    crf = linnet.CRF().fit(TOY, TOY_TAGS)
    before = crf._weights()
    with pytest.raises(DataError):
        crf.fit(TOY, TOY_TAGS[:2])
    assert crf._weights().tobytes() == before.tobytes()
    assert crf.predict(TOY) == TOY_TAGS


def test_stopping_early_warns_with_the_figure_reached() -> None:
    X, y = sentences(17, 60)
    with pytest.warns(ConvergenceWarning, match="certified to within"):
        linnet.CRF(max_iter=2, tol=1e-9).fit(X, y)


def test_it_clones_pickles_and_saves_with_every_bit(tmp_path: Any) -> None:
    X, y = sentences(18, 40)
    crf = linnet.CRF(C=3.0).fit(X, y)
    assert clone(crf).get_params() == crf.get_params()
    linnet.save(crf, tmp_path / "m.linnet")
    for twin in (pickle.loads(pickle.dumps(crf)), linnet.load(tmp_path / "m.linnet")):
        assert twin.predict(X) == crf.predict(X)
        assert twin._weights().tobytes() == crf._weights().tobytes()
        assert np.vstack(twin.predict_marginals(X)).tobytes() == (
            np.vstack(crf.predict_marginals(X)).tobytes()
        )
