from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.errors import DataError, ParameterError
from linnet.reference import joint_map, mira, perceptron, sgd, structured, svm
from linnet.reference.averaging import mean_weights
from linnet.reference.beam_search import beam_search
from linnet.reference.enumeration import Enumeration, labellings, place
from linnet.reference.global_features import GlobalMap, as_dictionary
from linnet.reference.schedules import constant, power

from .chains import tagged_sentences
from .corpora import random_classes, random_orders
from .numeric import numeric_gradient

FLAT = {"start": False, "stop": False}
AVERAGES = [False, "before", "after", "listing", "mistakes"]


def one_token_sentences(seed=0, n=30):
    X, y = random_classes(n, 4, 3, seed=seed)
    return X, y, [x[None] for x in X], [y[i : i + 1] for i in range(n)]


@pytest.mark.spec("M-117", "A-54")
@given(
    st.integers(0, 5),
    st.integers(1, 3),
    st.integers(0, 2),
    st.booleans(),
    st.booleans(),
    st.integers(0, 2**31),
)
@settings(max_examples=60)
def test_score_is_linear_in_w_and_the_sum_of_local_scores(n, L, order, start, stop, seed):
    rng = np.random.default_rng(seed)
    layout = GlobalMap(2, L, start=start, stop=stop, order=order)
    X, y = rng.normal(size=(n, 2)), rng.integers(0, L, n)
    w = rng.normal(size=layout.size)
    chain, phi = layout.chain(X, w), layout.phi(X, y)
    assert chain.score(y) == pytest.approx(w @ phi, abs=1e-10)
    before = tuple(y.tolist())
    local = sum(chain.local(t, before[:t])[y[t]] for t in range(n))
    assert w @ phi == pytest.approx(local, abs=1e-10)


@pytest.mark.spec("M-117")
def test_phi_counts_features_with_labels_and_pairs_of_labels():
    layout = GlobalMap(2, 2)
    phi = layout.unpack(layout.phi(np.array([[1.0, 0], [0, 1], [1, 2]]), np.array([0, 1, 1])))
    np.testing.assert_array_equal(phi["state"], [[1, 1], [0, 3]])
    np.testing.assert_array_equal(phi["transition"], [[0, 1], [0, 1]])
    np.testing.assert_array_equal(phi["start"], [1, 0])
    np.testing.assert_array_equal(phi["stop"], [0, 1])
    w = np.arange(float(layout.size))
    np.testing.assert_array_equal(layout.pack(layout.unpack(w)), w)


@pytest.mark.spec("M-117")
def test_the_dictionary_and_the_array_are_the_same_vector():
    words = ["Gonso", "was", "a", "Sanron", "sect", "priest"]
    gold = ["B", "O", "O", "B", "I", "O"]
    tokens = [[f"w={w}", f"upper={w[0].isupper()}"] for w in words]
    names, labels = sorted({f for token in tokens for f in token}), ["B", "I", "O"]
    X = np.array([[float(name in token) for name in names] for token in tokens])
    layout = GlobalMap(len(names), 3)
    phi = layout.unpack(layout.phi(X, np.array([labels.index(t) for t in gold])))
    named = as_dictionary(tokens, gold)
    for j, name in enumerate(names):
        for k, label in enumerate(labels):
            assert phi["state"][j, k] == named.get(("state", name, label), 0)
    for i, before in enumerate(labels):
        assert phi["start"][i] == named.get(("start", before), 0)
        assert phi["stop"][i] == named.get(("stop", before), 0)
        for k, label in enumerate(labels):
            assert phi["transition"][i, k] == named.get(("transition", before, label), 0)
    assert as_dictionary([], []) == {}


@pytest.mark.spec("M-116", "M-32", "M-33", "M-34", "M-35", "M-36")
@pytest.mark.parametrize("average", AVERAGES)
def test_perceptron_on_sentences_of_one_token_is_the_multiclass_perceptron(average):
    X, y, sentences, tags = one_token_sentences()
    options = {
        "n_rounds": 4,
        "orders": random_orders(30, 4),
        "average": average,
        "stop_when_clean": False,
    }
    flat = perceptron.multiclass(X, y, 3, **options)
    layout = GlobalMap(4, 3, **FLAT)
    chain = structured.perceptron(layout, sentences, tags, **options)
    parts = layout.unpack(chain.weights)
    assert chain.mistakes == flat.mistakes
    np.testing.assert_allclose(parts["state"], flat.weights, atol=1e-12)
    assert not parts["transition"].any()


@pytest.mark.spec("M-116")
@pytest.mark.parametrize("order", [1, 2])
def test_an_update_is_the_difference_of_the_counts_of_gold_and_best_labelling(order):
    sentences, tags = tagged_sentences((4, 3, 5, 1, 2), 2, 3, seed=1)
    layout = GlobalMap(2, 3, order=order)
    result = structured.perceptron(layout, sentences, tags, n_rounds=3, trace=True)
    assert sum(result.mistakes) == len(result.updates) > 0
    w = np.zeros(layout.size)
    for update in result.updates:
        X, gold = sentences[update.example], tags[update.example]
        best = Enumeration.of(layout.chain(X, w)).best
        assert update.guess == place(best.labels, 3)
        w = w + layout.phi(X, gold) - layout.phi(X, best.labels)
        np.testing.assert_allclose(update.weights, w, atol=1e-12)


@pytest.mark.spec("M-116")
def test_reranking_all_labellings_is_the_structured_perceptron():
    sentences, tags = tagged_sentences((3, 2, 4, 0, 1), 2, 2, seed=2)
    layout = GlobalMap(2, 2)
    gen = [np.stack([layout.phi(X, y) for y in labellings(len(X), 2)]) for X in sentences]
    gold = np.array([place(y, 2) for y in tags])
    lists = structured.rerank(gen, gold, n_rounds=5)
    chain = structured.perceptron(layout, sentences, tags, n_rounds=5)
    assert lists.mistakes == chain.mistakes
    np.testing.assert_allclose(lists.weights, chain.weights, atol=1e-12)


@pytest.mark.spec("M-116")
def test_reranking_lists_of_one_length_is_the_perceptron_over_a_joint_map():
    F = np.random.default_rng(3).normal(size=(12, 4, 5))
    y = np.random.default_rng(4).integers(0, 4, 12)
    lists = structured.rerank(list(F), y, n_rounds=3, average="before")
    by_map = joint_map.perceptron(F, y, n_rounds=3, average="before", stop_when_clean=False)
    np.testing.assert_allclose(lists.weights, by_map.weights, atol=1e-12)


@pytest.mark.spec("M-116", "M-34")
@pytest.mark.parametrize("average", AVERAGES[1:])
def test_averages_are_the_means_of_the_stored_vectors(average):
    sentences, tags = tagged_sentences((4, 3, 5), 2, 3, seed=5)
    layout = GlobalMap(2, 3)
    plain = structured.perceptron(layout, sentences, tags, n_rounds=3, trace=True, average=False)
    changed = {update.step: update.weights for update in plain.updates}
    vectors = [np.zeros(layout.size)]
    for step in range(1, plain.n_steps + 1):
        vectors.append(changed.get(step, vectors[-1]))
    updated = [step in changed for step in range(1, plain.n_steps + 1)]
    result = structured.perceptron(layout, sentences, tags, n_rounds=3, average=average)
    expected = mean_weights(vectors, updated, average)
    np.testing.assert_allclose(result.weights, expected, atol=1e-12)


@pytest.mark.spec("M-116")
def test_learnable_tags_are_learnt_by_every_learner():
    # feature 1 has label 1; feature 0 has label 0, but label 2 after a label 0
    rng = np.random.default_rng(6)
    sentences, tags = [], []
    for _ in range(12):
        ids = rng.integers(0, 2, 5)
        gold = ids.copy()
        for t in range(1, 5):
            if ids[t] == 0 and gold[t - 1] == 0:
                gold[t] = 2
        sentences.append(np.eye(2)[ids])
        tags.append(gold)
    layout = GlobalMap(2, 3)
    wide = {"decoder": lambda chain: beam_search(chain, 9)[0].labels}
    for result in (
        structured.perceptron(layout, sentences, tags, n_rounds=40),
        structured.perceptron(layout, sentences, tags, n_rounds=40, **wide),
        structured.mira(layout, sentences, tags, n_rounds=40),
        structured.mira(layout, sentences, tags, n_rounds=40, decode="augmented"),
        structured.svm(layout, sentences, tags, lam=0.01, schedule=power(1.0, 0.5), n_rounds=40),
    ):
        for guess, gold in zip(
            structured.predict(layout, sentences, result.weights), tags, strict=True
        ):
            np.testing.assert_array_equal(guess, gold)


@pytest.mark.spec("M-123", "M-47")
@pytest.mark.parametrize("variant", ["pa", "pa1", "pa2"])
@pytest.mark.parametrize("decode", ["predicted", "augmented"])
def test_mira_on_sentences_of_one_token_is_mira(variant, decode):
    X, y, sentences, tags = one_token_sentences(seed=7)
    options = {"C": 0.05, "variant": variant, "decode": decode, "n_rounds": 3}
    flat = mira.multiclass(X, y, 3, **options)
    layout = GlobalMap(4, 3, **FLAT)
    chain = structured.mira(layout, sentences, tags, **options)
    np.testing.assert_allclose(layout.unpack(chain.weights)["state"], flat.weights, atol=1e-12)


@pytest.mark.spec("M-123", "M-47")
def test_an_uncapped_step_makes_the_margin_equal_to_the_hamming_cost():
    sentences, tags = tagged_sentences((5,), 2, 3, seed=8)
    layout = GlobalMap(2, 3)
    step = structured.mira(layout, sentences, tags, variant="pa", n_rounds=1, trace=True)
    (update,) = step.updates
    guess = labellings(5, 3)[update.guess]
    margin = step.last @ (layout.phi(sentences[0], tags[0]) - layout.phi(sentences[0], guess))
    assert margin == pytest.approx((guess != tags[0]).sum())


@pytest.mark.spec("M-123", "M-75")
def test_svm_on_sentences_of_one_token_is_the_multiclass_svm():
    X, y, sentences, tags = one_token_sentences(seed=9)
    options = {"lam": 0.1, "schedule": constant(0.3), "n_rounds": 3, "average": "after"}
    flat = sgd.multiclass_hinge(X, y, 3, **options)
    layout = GlobalMap(4, 3, **FLAT)
    chain = structured.svm(layout, sentences, tags, **options)
    np.testing.assert_allclose(layout.unpack(chain.weights)["state"], flat.weights, atol=1e-12)

    W = np.random.default_rng(0).normal(size=(4, 3))
    w = layout.pack({"state": W, "transition": np.zeros((3, 3))})
    value = structured.hinge_objective(layout, sentences, tags, C=0.7)(w)[0]
    assert value == pytest.approx(svm.crammer_singer_primal(W, X, y, C=0.7)[0])


@pytest.mark.spec("M-123")
@pytest.mark.parametrize("order", [1, 2])
def test_hinge_objective_equals_enumeration_and_its_gradient_finite_differences(order):
    sentences, tags = tagged_sentences((4, 0, 1, 3), 2, 3, seed=10)
    layout = GlobalMap(2, 3, order=order)
    w = np.random.default_rng(11).normal(size=layout.size)
    objective = structured.hinge_objective(layout, sentences, tags, C=0.5)
    expected = 0.5 * w @ w
    for X, gold in zip(sentences, tags, strict=True):
        every = Enumeration.of(layout.chain(X, w))
        cost = (every.labellings != gold).sum(axis=1)
        expected += 0.5 * ((every.scores + cost).max() - layout.chain(X, w).score(gold))
    value, gradient = objective(w)
    assert value == pytest.approx(expected)
    numeric = numeric_gradient(lambda w: objective(w)[0], w)
    np.testing.assert_allclose(gradient, numeric, rtol=1e-6, atol=1e-7)


@pytest.mark.spec("M-123")
def test_subgradient_steps_lower_the_structured_hinge_objective():
    sentences, tags = tagged_sentences((4, 3, 5, 2), 2, 2, seed=12)
    layout = GlobalMap(2, 2)
    objective = structured.hinge_objective(layout, sentences, tags, C=1 / (0.1 * 4))
    short = structured.svm(layout, sentences, tags, lam=0.1, n_rounds=10, average="after")
    long = structured.svm(layout, sentences, tags, lam=0.1, n_rounds=200, average="after")
    assert objective(long.weights)[0] < objective(short.weights)[0]
    assert objective(long.weights)[0] < objective(np.zeros(layout.size))[0]


def test_wrong_sentences_are_refused():
    layout = GlobalMap(2, 2)
    with pytest.raises(DataError, match="1 sentences but 0"):
        structured.perceptron(layout, [np.ones((1, 2))], [])
    with pytest.raises(DataError, match="sentence 0 has shape"):
        structured.mira(layout, [np.ones((1, 3))], [np.array([0])])
    with pytest.raises(DataError, match="1 tokens but 2 labels"):
        structured.svm(layout, [np.ones((1, 2))], [np.array([0, 1])])
    with pytest.raises(DataError, match=r"0\.\.1"):
        structured.hinge_objective(layout, [np.ones((1, 2))], [np.array([2])])
    with pytest.raises(DataError, match="1 tokens but 0"):
        as_dictionary([["a"]], [])
    with pytest.raises(ParameterError, match="order"):
        GlobalMap(1, 1, order=3)
