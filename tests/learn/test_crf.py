"""The conditional random field: worked examples, enumeration, gradients and identities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linnet
from linnet import _core

from .chains import (
    TIGHT,
    best_of,
    enumerate_chain,
    marginals_of,
    problem,
    sentences,
)


def potentials(transition: Any, start: Any, stop: Any) -> _core.Potentials:
    return _core.Potentials(
        *(np.ascontiguousarray(a, np.float64) for a in (transition, start, stop))
    )


def log_probability(crf: linnet.CRF, X: Any, y: Any) -> float:
    """Return ln p(y | x) of the first sentence by enumeration."""
    state = crf.decision_function(X)[0]
    paths, scores = enumerate_chain(state, crf.transition_, crf.start_, crf.stop_)
    gold = tuple(np.searchsorted(crf.classes_, y[0]).tolist())
    return float(scores[paths.index(gold)] - np.logaddexp.reduce(scores))


# Worked examples


@pytest.fixture
def f05() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    state = np.array([[1.0, 0.0], [0.0, 0.5], [1.0, 0.0]])
    return state, np.array([[0.2, -0.8], [-0.1, 0.0]])


@pytest.mark.spec("F-05", "M-118")
def test_f05_partition_marginals_and_the_best_path(f05: Any) -> None:
    state, transition = f05
    p = potentials(transition, np.zeros(2), np.zeros(2))
    sentence, out, log_z = np.array([0, 3]), np.empty((3, 2)), np.empty(1)
    _core.marginals_table(state, sentence, p, out, log_z, 1)
    assert log_z[0] == pytest.approx(3.3532823441, abs=1e-10)
    assert np.exp(log_z[0]) == pytest.approx(28.5964431314, abs=1e-9)
    np.testing.assert_allclose(out[:, 0], [0.681266, 0.556913, 0.805540], atol=5e-7)
    labels, scores, count = np.empty((8, 3), np.int32), np.empty(8), np.empty(1, np.int64)
    _core.n_best(state, sentence, p, labels.ravel(), scores[None], count, 1)
    assert count[0] == 8
    named = {"".join("AB"[i] for i in row): s for row, s in zip(labels, scores, strict=True)}
    expected = {"AAA": 2.4, "AAB": 0.4, "ABA": 1.6, "ABB": 0.7, "BAA": 1.1, "BAB": -0.9,
                "BBA": 1.4, "BBB": 0.5}  # fmt: skip
    assert named == pytest.approx(expected)
    assert next(iter(named)) == "AAA"
    assert np.exp(scores[0] - log_z[0]) == pytest.approx(0.385474, abs=5e-7)
    assert "".join("AB"[i] for i in state.argmax(axis=1)) == "ABA"  # the tokens alone say this


@pytest.mark.spec("F-05", "M-118")
def test_f05_the_product_returns_marginals_of_neighbours() -> None:
    crf = linnet.CRF(pairs="all").fit([[["a"], ["b"], ["a"]]], [["A", "B", "A"]])
    crf._set_weights(np.array([1.0, 0.0, 0.0, 0.5, 0.2, -0.8, -0.1, 0.0, 0.0, 0.0, 0.0, 0.0]))
    X = [[["a"], ["b"], ["a"]], [], [["b"]]]
    both, empty, one = crf.predict_pair_marginals(X)
    assert both.shape == (2, 2, 2) and empty.shape == one.shape == (0, 2, 2)
    assert both[0, 0, 1] == pytest.approx(0.243624, abs=5e-7)  # P(y1 = A, y2 = B)
    assert both[:, 0, 1].sum() == pytest.approx(0.310010, abs=5e-7)  # E[AB]
    token = crf.predict_marginals(X)[0]
    np.testing.assert_allclose(both.sum(axis=2), token[:-1], atol=1e-12)
    np.testing.assert_allclose(both.sum(axis=1), token[1:], atol=1e-12)


@pytest.mark.spec("F-05", "M-119")
def test_f05_expected_features_are_the_gradient(f05: Any) -> None:
    X, y = [[["a"], ["b"], ["a"]], [["b"]]], [["A", "A", "A"], ["B"]]
    chain, gold, cost, _, _ = problem(X, y, every=True)
    w = np.array([1.0, 0.0, 0.0, 0.5, 0.2, -0.8, -0.1, 0.0, 0.0, 0.0, 0.0, 0.0])
    gradient, cost = np.empty(12), np.array([1.0, 0.0])  # the second sentence only names B
    value = _core.crf_evaluate(chain, gold, cost, 0.0, w, gradient, 1)
    assert value == pytest.approx(3.3532823441 - 2.4, abs=1e-9)
    assert gradient[0] + 2 == pytest.approx(1.486806, abs=5e-7)  # a with A
    assert gradient[3] == pytest.approx(0.443087, abs=5e-7)  # b with B
    assert gradient[5] == pytest.approx(0.310010, abs=5e-7)  # A before B


@pytest.mark.spec("F-13", "M-120")
def test_f13_the_crf_has_no_label_bias() -> None:
    X = [[[c, "bias"] for c in word] for word in ("rib", "rib", "rib", "rob")]
    y = [list("123")] * 3 + [list("453")]
    crf = linnet.CRF(C=1e3, pairs="all", **TIGHT).fit(X, y)
    assert crf.predict(X) == y
    # The numbers of the item are those of a model without starts and stops.
    assert np.exp(log_probability(crf, X[:1], y[:1])) > 0.996
    assert np.exp(log_probability(crf, X[3:], y[3:])) > 0.991
    chain, gold, cost, L, _ = problem(X, y)
    w, frozen = np.zeros(chain.weights), np.zeros(chain.weights, np.uint8)
    frozen[-2 * L :] = 1
    _core.crf_minimize("lbfgs", chain, gold, 1e3 * cost, frozen, 1.0, 0.0, w, 1e-10, 10_000, 10,
                       None, 1)  # fmt: skip
    crf._set_weights(w)
    assert not crf.start_.any() and not crf.stop_.any()
    assert crf.predict(X) == y
    assert np.exp(log_probability(crf, X[:1], y[:1])) == pytest.approx(0.997, abs=5e-4)
    assert np.exp(log_probability(crf, X[3:], y[3:])) == pytest.approx(0.992, abs=5e-4)


# Dynamic programmes against enumeration

scores_1 = st.sampled_from([-1.5, -1.0, 0.0, 0.0, 0.5, 1.0, 2.0, -np.inf])


@st.composite
def chains(draw: Any) -> tuple[Any, ...]:
    n, L = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    if L == 4:
        n = min(n, 4)

    def table(*shape: int) -> Any:
        size = int(np.prod(shape))
        return np.array(draw(st.lists(scores_1, min_size=size, max_size=size))).reshape(shape)

    return table(n, L), table(L, L), table(L), table(L)


@pytest.mark.spec("M-112", "M-118", "C-30")
@settings(max_examples=60, deadline=None)
@given(chains())
def test_decoding_n_best_and_marginals_are_those_of_enumeration(parts: Any) -> None:
    state, transition, start, stop = parts
    n, L = state.shape
    paths, scores = enumerate_chain(state, transition, start, stop)
    p, sentence = potentials(transition, start, stop), np.array([0, n])
    labels, best = np.empty(n, np.int32), np.empty(1)
    _core.decode_table(state, sentence, p, 0, labels, best, 1)
    marginals, log_z = np.empty((n, L)), np.empty(1)
    _core.marginals_table(state, sentence, p, marginals, log_z, 1)
    if np.isneginf(scores).all():
        assert np.isneginf(best[0]) and np.isneginf(log_z[0]) and np.isfinite(marginals).all()
        return
    assert tuple(labels) == best_of(paths, scores)
    assert best[0] == scores.max()
    assert log_z[0] == pytest.approx(np.logaddexp.reduce(scores), rel=1e-10, abs=1e-10)
    np.testing.assert_allclose(marginals, marginals_of(paths, scores, L), atol=1e-10)
    k = 5
    many, values, count = np.empty((k, n), np.int32), np.empty(k), np.empty(1, np.int64)
    _core.n_best(state, sentence, p, many.ravel(), values[None], count, 1)
    found = int(count[0])
    finite = sorted(scores[np.isfinite(scores)], reverse=True)
    assert found == min(k, len(finite))
    np.testing.assert_allclose(values[:found], finite[:found], atol=1e-12)
    assert len({tuple(row) for row in many[:found]}) == found


@pytest.mark.spec("M-118")
@pytest.mark.parametrize("every", [True, False])
def test_the_gradient_is_that_of_finite_differences(every: bool) -> None:
    X, y = sentences(3, 12, values=True)
    chain, gold, cost, _, _ = problem(X, y, every=every)
    random = np.random.default_rng(0)
    w, cost = random.normal(size=chain.weights), random.random(len(cost))
    gradient, spare = np.empty(len(w)), np.empty(len(w))
    _core.crf_evaluate(chain, gold, cost, 0.7, w, gradient, 2)

    def value(at: Any) -> float:
        return float(_core.crf_evaluate(chain, gold, cost, 0.7, at, spare, 1))

    for k in random.permutation(len(w))[:30]:
        step = np.zeros(len(w))
        step[k] = 1e-5
        slope = (value(w + step) - value(w - step)) / 2e-5
        assert gradient[k] == pytest.approx(slope, abs=1e-6)


@pytest.mark.spec("M-118")
def test_without_a_penalty_the_model_expects_what_was_observed() -> None:
    X, y = sentences(1, 300, features=3)  # noisy and plenty, so that an optimum exists
    chain, gold, cost, _, _ = problem(X, y)
    w, gradient = np.zeros(chain.weights), np.empty(chain.weights)
    _core.crf_minimize("lbfgs", chain, gold, cost, None, 0.0, 0.0, w, 1e-12, 2000, 10, None, 2)
    _core.crf_evaluate(chain, gold, cost, 0.0, w, gradient, 2)
    assert np.abs(gradient).max() < 1e-2  # of about a thousand tokens


# Identities


@pytest.mark.spec("M-118")
@pytest.mark.parametrize(("labels", "factor"), [(2, 2.0), (4, 1.0)])
def test_on_sentences_of_one_token_a_crf_is_maxent(labels: int, factor: float) -> None:
    # Start and stop are two intercepts of each label. Together they are penalised like one of
    # scale sqrt(2). Two labels have two columns here and one in MaxEnt, which is worth a factor.
    X, y = sentences(5, 80, labels=labels, longest=1)
    crf = linnet.CRF(C=0.7, pairs="all", **TIGHT).fit(X, y)
    rows = [dict.fromkeys(sentence[t], 1.0) for sentence in X for t in range(len(sentence))]
    tags = [tag for part in y for tag in part]
    two = {"C": 0.7 * factor, "intercept_scaling": 2**0.5}
    del X[0], y[0]  # the one with two tokens
    crf.fit(X, y)
    maxent = linnet.MaxEnt(**two, **TIGHT).fit(rows[2:], tags[2:])
    marginals = np.vstack(crf.predict_marginals(X))
    np.testing.assert_allclose(marginals, maxent.predict_proba(rows[2:]), atol=1e-5)
    assert not crf.transition_.any()
    np.testing.assert_allclose(crf.start_, crf.stop_, atol=1e-10)


@pytest.mark.spec("M-118")
def test_a_crf_with_transitions_of_zero_is_maxent_on_every_token() -> None:
    X, y = sentences(6, 60, labels=3)
    chain, gold, cost, L, (features, _, label) = problem(X, y)
    w, frozen = np.zeros(chain.weights), np.zeros(chain.weights, np.uint8)
    frozen[len(label) :] = 1
    _core.crf_minimize("lbfgs", chain, gold, cost, frozen, 1.0, 0.0, w, 1e-10, 5000, 10, None, 1)
    rows = [dict.fromkeys(token, 1.0) for sentence in X for token in sentence]
    tags = [tag for part in y for tag in part]
    maxent = linnet.MaxEnt(fit_intercept=False, **TIGHT).fit(rows, tags)
    np.testing.assert_allclose(w[: len(label)].reshape(-1, L), maxent.coef_.T, atol=1e-4)
    assert not w[len(label) :].any()
    assert features.n_tokens == len(tags)
