"""Learners whose labels depend on the two before them: the reference, enumeration, identities."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import linnet
from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.foreign import write as write_model
from linnet.learn.chain import Constraints
from linnet.learn.chain.sentences import read_sentences
from linnet.learn.chain.weights import Layout, observed_triples
from linnet.reference import crf as crf_twin
from linnet.reference import structured as twin
from linnet.reference.enumeration import Enumeration
from linnet.reference.global_features import GlobalMap

from .chains import sentences
from .test_structured import problem, ragged

pytestmark = pytest.mark.spec("M-119")
TWO = GlobalMap(4, 3, order=2)
LEARNERS: dict[str, Any] = {
    "crf": linnet.CRF(order=2, tol=1e-6, pairs="all"),
    "crf sgd": linnet.CRF(order=2, solver="sgd", max_iter=20, pairs="all", random_state=0),
    "perceptron": linnet.StructuredPerceptron(5, order=2, pairs="all", random_state=0),
    "mira": linnet.StructuredMIRA(max_iter=5, order=2, pairs="all", random_state=0),
    "svm": linnet.StructuredSVM(order=2, pairs="all", tol=0.1, random_state=0),
}
learners = pytest.mark.parametrize("name", list(LEARNERS))


def fresh(name: str) -> Any:
    return clone(LEARNERS[name])


def both(seed: int) -> tuple[Any, Any]:
    X, y = problem(seed)
    return ragged(X), y


def fitted(name: str) -> Any:
    return fresh(name).fit(*both(0))


@pytest.mark.spec("M-118")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scale", [0.5, 30.0])  # the larger one leaves the range of exponents
def test_the_objective_of_the_crf_and_its_gradient_are_those_of_enumeration(
    seed: int, scale: float
) -> None:
    X, y = problem(seed)
    model = linnet.CRF(order=2, pairs="all", max_iter=50, tol=0.9).fit(ragged(X), y)
    w = np.random.default_rng(seed).normal(0, scale, TWO.size)
    features = ragged(X)
    chain, gold = model._core_chain(features), np.concatenate(y).astype(np.int32)
    gradient, cost = np.empty(TWO.size), np.full(len(X), 2.0)
    value = _core.crf_evaluate(chain, gold, cost, 1.0, w, gradient, 2)
    want, slope = 0.5 * w @ w, w.copy()
    for tokens, labels in zip(X, y, strict=True):
        every = Enumeration.of(TWO.chain(tokens, w))
        want += 2.0 * (every.log_partition - every.chain.score(labels))
        slope += 2.0 * (TWO.mean(tokens, every.marginals) - TWO.phi(tokens, labels))
    assert value == pytest.approx(want, rel=1e-10)
    np.testing.assert_allclose(gradient, slope, atol=1e-8 * max(1.0, scale))


@pytest.mark.spec("M-118")
def test_the_gradient_is_that_of_finite_differences() -> None:
    X, y = problem(7, sentences=6)
    model = linnet.CRF(order=2, pairs="all", max_iter=50, tol=0.9).fit(ragged(X), y)
    chain, gold = model._core_chain(ragged(X)), np.concatenate(y).astype(np.int32)
    w, cost = np.random.default_rng(0).normal(size=TWO.size), np.ones(len(X))
    gradient, room = np.empty(TWO.size), np.empty(TWO.size)
    _core.crf_evaluate(chain, gold, cost, 1.0, w, gradient, 1)
    for k in range(TWO.size):
        step = np.eye(TWO.size)[k] * 1e-5
        up = _core.crf_evaluate(chain, gold, cost, 1.0, w + step, room, 1)
        down = _core.crf_evaluate(chain, gold, cost, 1.0, w - step, room, 1)
        assert gradient[k] == pytest.approx((up - down) / 2e-5, abs=1e-6)


@pytest.mark.spec("M-118")
def test_the_crf_is_the_optimum_of_the_reference() -> None:
    X, y = problem(1, sentences=10)
    model = linnet.CRF(3.0, order=2, pairs="all", tol=1e-9, max_iter=5000).fit(ragged(X), y)
    slope = model._weights().copy()  # where it is 0 expected and observed features balance
    for tokens, labels in zip(X, y, strict=True):
        expected = TWO.mean(tokens, crf_twin.marginals(TWO, tokens, model._weights()))
        slope += 3.0 * (expected - TWO.phi(tokens, labels))
    assert np.abs(slope).max() < 1e-3
    by_steps = linnet.CRF(3.0, order=2, pairs="all", solver="sgd", max_iter=300, random_state=0)
    by_steps.fit(ragged(X), y)
    best = model.history_["objective"].min()
    assert best <= by_steps.history_["objective"].min() < best * 1.01


@pytest.mark.spec("M-116")
@pytest.mark.parametrize("average", [False, True, "mistakes"])
@pytest.mark.parametrize("seed", range(3))
def test_the_perceptron_equals_the_reference_weight_for_weight(average: Any, seed: int) -> None:
    X, y = problem(seed)
    want = twin.perceptron(TWO, X, y, n_rounds=4, average=average)
    model = linnet.StructuredPerceptron(
        4, average=average, shuffle=False, stop_when_clean=False, pairs="all", order=2
    ).fit(ragged(X), y)
    np.testing.assert_array_equal(model._weights(), want.weights)


@pytest.mark.spec("M-123")
@pytest.mark.parametrize("decode", ["augmented", "predicted"])
def test_mira_equals_the_reference(decode: Any) -> None:
    X, y = problem(5, sentences=8)
    want = twin.mira(TWO, X, y, C=0.05, decode=decode, n_rounds=2)
    model = linnet.StructuredMIRA(
        0.05, decode=decode, max_iter=2, shuffle=False, stop_when_clean=False, pairs="all", order=2
    ).fit(ragged(X), y)
    np.testing.assert_allclose(model._weights(), want.weights, atol=1e-9)


@pytest.mark.spec("M-123")
@pytest.mark.parametrize("C", [0.01, 0.3, 10.0])
@pytest.mark.parametrize("seed", [2, 3])
def test_the_svm_reaches_a_certified_optimum_of_the_hinge_objective(C: float, seed: int) -> None:
    X, y = problem(seed, sentences=8, longest=7)
    objective = twin.hinge_objective(TWO, X, y, C)
    model = linnet.StructuredSVM(C, pairs="all", tol=1e-3, max_iter=3000, random_state=0, order=2)
    model.fit(ragged(X), y)
    value, _ = objective(model._weights())
    assert value == pytest.approx(model.history_["objective"].min(), rel=1e-9)
    assert model.optimality_ <= 1e-3
    rng = np.random.default_rng(0)
    for _ in range(20):  # no point nearby, or far, may lie below the certified bound
        other = model._weights() + rng.normal(0, rng.choice([1e-3, 0.1]), TWO.size)
        assert objective(other)[0] >= value * (1 - model.optimality_) - 1e-12


@pytest.mark.spec("M-112", "M-118", "M-115")
@learners
def test_decoding_n_best_and_marginals_are_those_of_enumeration(name: str) -> None:
    model = fitted(name)
    X, _ = problem(11, sentences=6)
    answers, ranked = model.predict(ragged(X)), model.predict_nbest(ragged(X), 4)
    wide = model.predict(ragged(X), beam=3**5)
    for s, tokens in enumerate(X):
        every = Enumeration.of(TWO.chain(tokens, model._weights()))
        assert answers[s] == every.best.labels.tolist() == wide[s]
        best = every.n_best(4)
        np.testing.assert_allclose([score for score, _ in ranked[s]], [p.score for p in best])
        if not hasattr(model, "predict_marginals") or not len(tokens):
            continue
        token = model.predict_marginals(ragged(X))[s]
        pair = model.predict_pair_marginals(ragged(X))[s]
        np.testing.assert_allclose(token, every.marginals.token, atol=1e-10)
        np.testing.assert_allclose(pair, every.marginals.pair, atol=1e-10)
        np.testing.assert_allclose(pair.sum(axis=2), token[:-1], atol=1e-10)


@learners
def test_without_weights_of_triples_it_is_the_chain_of_first_order(name: str) -> None:
    model = fitted(name)
    X, _ = problem(12, longest=9)
    first = fresh(name).set_params(order=1).fit(*both(0))
    model.transition_, model.start_, model.stop_ = first.transition_, first.start_, first.stop_
    model.pair_weight_, model.triple_ = first.pair_weight_, np.zeros((3, 3, 3))
    assert model.predict(ragged(X)) == first.predict(ragged(X))
    for mine, other in zip(
        model.predict_nbest(ragged(X), 3), first.predict_nbest(ragged(X), 3), strict=True
    ):
        np.testing.assert_allclose([score for score, _ in mine], [score for score, _ in other])
    if hasattr(model, "predict_marginals"):
        tables = zip(
            model.predict_marginals(ragged(X)), first.predict_marginals(ragged(X)), strict=True
        )
        for mine, other in tables:
            np.testing.assert_allclose(mine, other, atol=1e-10)


@learners
def test_sentences_of_two_tokens_have_no_triples(name: str) -> None:
    X, y = problem(3, longest=2)
    X, y = X[:-1], y[:-1]
    one, two = (fresh(name).set_params(order=order).fit(ragged(X), y) for order in (1, 2))
    np.testing.assert_allclose(two.transition_, one.transition_, atol=1e-10)
    assert not two.triple_.any()


@learners
def test_it_uses_what_a_chain_of_first_order_cannot_see(name: str) -> None:
    y = [["A", "X", "B"], ["C", "X", "D"]] * 20  # X is followed by B after A, by D after C
    X = [[["a"], ["x"], ["?"]], [["c"], ["x"], ["?"]]] * 20
    second = fresh(name).fit(X, y)
    first = fresh(name).set_params(order=1, solver="lbfgs") if name == "crf sgd" else fresh(name)
    assert second.score(X, y) == 1.0
    assert first.set_params(order=1).fit(X, y).score(X, y) < 1.0


@learners
def test_every_thread_count_gives_the_same_bits(name: str) -> None:
    one, two = (fresh(name).set_params(n_threads=n).fit(*both(4)) for n in (1, 2))
    np.testing.assert_array_equal(one._weights(), two._weights())
    X, _ = problem(5)
    if hasattr(one, "predict_marginals"):
        for a, b in zip(
            one.predict_marginals(ragged(X)), two.predict_marginals(ragged(X)), strict=True
        ):
            np.testing.assert_array_equal(a, b)


@learners
def test_constraints_hold(name: str) -> None:
    model = fitted(name)
    X, _ = problem(13)
    step = np.ones((3, 3), bool)
    step[1, 2] = False
    rules = Constraints(np.ones(3, bool), step, np.ones(3, bool))
    guess = model.predict(ragged(X), constraints=rules)
    assert not any((1, 2) in itertools.pairwise(row) for row in guess)
    for best in model.predict_nbest(ragged(X), 3, constraints=rules):
        assert not any((1, 2) in itertools.pairwise(row) for _, row in best)
    if hasattr(model, "predict_marginals"):
        for pair in model.predict_pair_marginals(ragged(X), constraints=rules):
            assert not pair[:, 1, 2].any()


@learners
def test_it_comes_back_from_a_file_with_every_bit(name: str, tmp_path: Path) -> None:
    model = fitted(name)
    X, _ = problem(6)
    linnet.save(model, tmp_path / "m.linnet")
    back = linnet.load(tmp_path / "m.linnet")
    np.testing.assert_array_equal(back._weights(), model._weights())
    assert back.predict(ragged(X)) == model.predict(ragged(X))
    model.triple_ = np.ascontiguousarray(model.triple_[:2])
    with pytest.raises(linnet.errors.LinnetError, match="triple_"):
        linnet.save(model, tmp_path / "bad.linnet")
        linnet.load(tmp_path / "bad.linnet")


WORDS = [["the", "dog", "runs", "fast"], ["a", "dog", "sleeps"], ["dogs", "run", "the", "run"]]
TAGS = [["D", "N", "V", "R"], ["D", "N", "V"], ["N", "V", "D", "N"]]


@pytest.mark.spec("C-27")
@learners
def test_the_tagger_stores_it_and_explains_differences_of_scores(name: str, tmp_path: Path) -> None:
    tagger = linnet.SequenceTagger(fresh(name)).fit(WORDS * 3, TAGS * 3)
    tagger.save(tmp_path / "t.linnet")
    back = linnet.load(tmp_path / "t.linnet")
    assert back.predict(WORDS) == tagger.predict(WORDS)
    words = ["the", "dog", "sleeps", "the", "run"]
    explained = back.explain(words)
    chain, tags = back.chain, [choice.tag for choice in explained.tokens]
    numbers = [back.classes_.tolist().index(tag) for tag in tags]
    tokens = back.reader.complete([words])
    over = chain.over(back.reader.rows(tokens, 1), tokens.offset, 1)
    for t, choice in enumerate(explained.tokens):
        other = numbers.copy()
        other[t] = back.classes_.tolist().index(choice.runner_up)
        gap = over.score(np.array(numbers, np.int32)) - over.score(np.array(other, np.int32))
        assert choice.margin == pytest.approx(float(gap[0]), abs=1e-9)
        parts = sum(part.contribution for part in (*choice.features, *choice.neighbours))
        assert parts == pytest.approx(choice.margin, abs=1e-9)


@pytest.mark.spec("M-119")
def test_ten_thousand_tokens_neither_overflow_nor_vanish() -> None:
    random = np.random.default_rng(0)
    y = [random.integers(0, 3, 10_000)]
    X = [random.normal(0, 20.0, (10_000, 4))]
    model = fitted("crf")
    token = model.predict_marginals(ragged(X))[0]
    np.testing.assert_allclose(token.sum(axis=1), 1.0, atol=1e-9)
    chain, cost = model._core_chain(ragged(X)), np.ones(1)
    gradient = np.empty(TWO.size)
    value = _core.crf_evaluate(
        chain, y[0].astype(np.int32), cost, 1.0, model._weights(), gradient, 1
    )
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


def test_transitions_observed_leave_the_others_without_a_weight() -> None:
    X, y = sentences(3, 30, labels=4)
    some = linnet.CRF(order=2, transitions="observed", tol=1e-6).fit(X, y)
    every = linnet.CRF(order=2, transitions="all", tol=1e-6).fit(X, y)
    numbers = [np.searchsorted(some.classes_, part) for part in y if part]
    ends = np.concatenate([[0], np.cumsum([len(part) for part in numbers])])
    seen = observed_triples(np.concatenate(numbers).astype(np.int32), ends, 4)
    assert 0 < seen.sum() < 64
    np.testing.assert_array_equal(some.triple_ != 0, seen.astype(bool))
    assert (every.triple_ != 0).all()
    by_steps = linnet.CRF(order=2, transitions="observed", solver="sgd", max_iter=3).fit(X, y)
    assert not by_steps.triple_[seen == 0].any()


def test_a_warm_start_goes_on_with_triples_and_forgets_them_in_first_order() -> None:
    X, y = sentences(5, 40)
    crf = linnet.CRF(order=2, warm_start=True, tol=1e-4).fit(X, y)
    steps = crf.n_iter_
    assert crf.fit(X, y).n_iter_ < steps
    assert not hasattr(crf.set_params(order=1).fit(X, y), "triple_")


@pytest.mark.parametrize("cls", [linnet.StructuredPerceptron, linnet.StructuredMIRA])
def test_it_learns_piece_by_piece_and_can_be_watched(cls: Any) -> None:
    X, y = sentences(6, 30)
    whole = cls(max_iter=1, shuffle=False, order=2, pairs="all", average=False).fit(X, y)
    parts = cls(shuffle=False, order=2, pairs="all", average=False)
    features = read_sentences(X, None)[0]
    for s in range(30):
        first, last = features.sentence[s : s + 2]
        part = features.tokens(first, last)._replace(sentence=np.array([0, last - first]))
        parts.partial_fit(part, y[s : s + 1], classes=whole.classes_)
    np.testing.assert_allclose(parts.triple_, whole.triple_, atol=1e-12)
    with pytest.raises(ParameterError, match="another order"):
        parts.set_params(order=1).partial_fit(part, y[-1:])
    names = {name[0] for step in cls(order=2, shuffle=False).steps(X, y) for name in step.changed}
    assert names == {"state", "transition", "start", "stop", "triple"}


@pytest.mark.spec("M-68")
def test_n_nonzero_counts_every_weight() -> None:
    model = fitted("crf")
    assert model.n_nonzero_ == np.count_nonzero(model._weights())
    sparse = linnet.CRF(0.3, penalty="l1", order=2).fit(*both(0))
    assert sparse.n_nonzero_ == np.count_nonzero(sparse._weights()) < model.n_nonzero_


def test_the_layout_names_its_weights() -> None:
    layout = Layout(1, 2, 2)
    assert layout.size == 17
    assert layout.part(9) == ("triple", 0, 0, 0)
    assert layout.part(16) == ("triple", 1, 1, 1)


@learners
def test_bad_requests_are_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="order"):
        fresh(name).set_params(order=3).fit(*both(0))
    many = [[f"t{k}" for k in range(101)]]
    with pytest.raises(DataError, match="101 labels"):
        fresh(name).fit([[[tag] for tag in many[0]]], many)


def test_crfsuite_has_no_room_for_triples(tmp_path: Path) -> None:
    tagger = linnet.SequenceTagger(linnet.CRF(order=2)).fit(WORDS, TAGS)
    with pytest.raises(ParameterError, match="order=2"):
        write_model(tagger.model_, tmp_path / "m.crfsuite")
