from __future__ import annotations

import numpy as np
import pytest

from linnet.errors import DataError, ParameterError
from linnet.reference import perceptron
from linnet.reference.common import rounds
from linnet.reference.losses import hinge_with_margin

from .corpora import five_points, kyoto, random_classes, random_orders

# F-01, written (w1, w2, b); the fixture lists b first
NONPOSITIVE = {
    False: (2.5, 2.0, 1.0),
    "before": (2.2, 1.88, 0.84),
    "after": (2.3, 1.96, 0.88),
    "listing": (2.211538, 1.884615, 0.846154),
    "mistakes": (2.0, 2.0, 2 / 3),
}
SIGN = {
    False: (2.0, 1.0, 0.0),
    "before": (1.8, 0.96, -0.04),
    "after": (1.88, 1.0, -0.04),
    "listing": (1.807692, 0.961538, -0.038462),
    "mistakes": (1.5, 1.5, -0.5),
}


@pytest.mark.spec("F-01", "M-29", "M-30", "M-33", "M-34", "M-35", "M-36", "W-25")
@pytest.mark.parametrize("average", [False, "before", "after", "listing", "mistakes"])
@pytest.mark.parametrize(
    ("tie", "mistakes", "expected"),
    [("nonpositive", (2, 1, 0, 0, 0), NONPOSITIVE), ("sign", (2, 0, 0, 0, 0), SIGN)],
)
def test_five_points_give_the_fixture_weights(tie, mistakes, expected, average):
    X, y = five_points()
    result = perceptron.binary(X, y, n_rounds=5, tie=tie, average=average, stop_when_clean=False)
    assert result.mistakes == mistakes and result.n_steps == 25
    np.testing.assert_allclose(result.weights, expected[average], atol=1e-6)


@pytest.mark.spec("M-35", "A-14")
def test_counter_listing_equals_average_c():
    X, labels = random_classes(40, 5, 2)
    y, orders = 2 * labels - 1, random_orders(40, 4)
    listing = perceptron.efficient_average(X, y, n_rounds=4, orders=orders)
    options = {"n_rounds": 4, "orders": orders, "stop_when_clean": False}
    stored = perceptron.binary(X, y, average="listing", **options)
    np.testing.assert_allclose(listing, stored.weights, atol=1e-12)


@pytest.mark.spec("M-34", "M-35", "A-13")
@pytest.mark.parametrize("n_classes", [2, 4])
def test_identities_between_the_averages(n_classes):
    X, y = random_classes(30, 4, n_classes, seed=5)

    def weights(average):
        return perceptron.multiclass(
            X, y, n_classes, n_rounds=3, average=average, stop_when_clean=False
        )

    a, b, c = weights("before"), weights("after"), weights("listing")
    n = b.n_steps
    np.testing.assert_allclose(b.weights - a.weights, b.last / n, atol=1e-12)
    np.testing.assert_allclose(c.weights, n / (n + 1) * b.weights, atol=1e-12)
    np.testing.assert_array_equal(weights(True).weights, b.weights)


@pytest.mark.spec("M-33")
def test_average_a_is_last_minus_step_weighted_updates():
    X, labels = random_classes(20, 3, 2, seed=6)
    result = perceptron.binary(
        X, 2 * labels - 1, n_rounds=2, average="before", stop_when_clean=False, trace=True
    )
    y = 2.0 * labels - 1
    late = sum(u.step * y[u.example] * X[u.example] for u in result.updates) / result.n_steps
    np.testing.assert_allclose(result.weights, result.last - late, atol=1e-12)


@pytest.mark.spec("W-06", "A-21")
@pytest.mark.parametrize("tie", ["nonpositive", "sign"])
def test_two_sentences_give_the_slide_weights(tie):
    X, y, words = kyoto()
    result = perceptron.binary(X, y, n_rounds=1, tie=tie, trace=True)
    first, second = result.updates
    assert first.scores[0] == 0 and first.guess == 1 and second.scores[0] == -4
    after_first = dict(zip(words, first.weights, strict=True))
    assert after_first.pop(",") == -2
    assert all(after_first[w] == -1 for w in ("A", "site", "located", "in", "Maizuru", "Kyoto"))
    expected = dict.fromkeys(("A", "site", "located", "Maizuru", ","), -1.0)
    expected |= dict.fromkeys(("in", "Kyoto"), 0.0) | dict.fromkeys(("Shoken", "monk", "born"), 1.0)
    assert dict(zip(words, result.weights, strict=True)) == expected


@pytest.mark.spec("M-29")
def test_weights_are_the_sum_of_the_updates():
    X, labels = random_classes(25, 4, 2, seed=7)
    y = 2.0 * labels - 1
    result = perceptron.binary(X, y, n_rounds=3, trace=True, stop_when_clean=False)
    np.testing.assert_allclose(
        result.weights, sum(y[u.example] * X[u.example] for u in result.updates), atol=1e-12
    )
    assert sum(result.mistakes) == len(result.updates)


@pytest.mark.spec("M-31")
@pytest.mark.parametrize("eta", [0.5, 4.0])
def test_learning_rate_only_scales_the_weights(eta):
    X, labels = random_classes(30, 4, 2, seed=8)
    y = 2 * labels - 1
    one, other = perceptron.binary(X, y), perceptron.binary(X, y, eta=eta)
    np.testing.assert_allclose(other.weights, eta * one.weights, rtol=1e-12)
    assert one.mistakes == other.mistakes


@pytest.mark.spec("M-32", "M-26")
def test_two_classes_make_the_mistakes_of_the_sign_rule():
    X, labels = random_classes(40, 4, 2, seed=9)
    orders = random_orders(40, 5)
    options = {"n_rounds": 5, "orders": orders, "stop_when_clean": False}
    # class order (+1, -1): a tie goes to +1 in both
    multi = perceptron.multiclass(X, labels, 2, **options)
    binary = perceptron.binary(X, 1 - 2 * labels, tie="sign", **options)
    assert multi.mistakes == binary.mistakes
    np.testing.assert_allclose(
        multi.weights[:, 0] - multi.weights[:, 1], 2 * binary.weights, atol=1e-12
    )


@pytest.mark.spec("M-32", "M-42")
def test_separable_classes_are_learnt_and_the_run_stops_at_a_clean_round():
    centres = np.eye(3) * 5
    y = np.arange(30) % 3
    X = centres[y] + np.random.default_rng(0).uniform(-1, 1, (30, 3))
    result = perceptron.multiclass(X, y, 3, n_rounds=100)
    assert result.mistakes[-1] == 0 and 0 not in result.mistakes[:-1]
    np.testing.assert_array_equal(perceptron.predict(X, result.weights), y)


@pytest.mark.spec("M-37")
@pytest.mark.parametrize("tie", ["nonpositive", "sign"])
def test_margin_perceptron_ends_with_all_margins_above(tie):
    X, y = five_points()
    result = perceptron.binary(X, y, n_rounds=1000, margin=2.0, tie=tie)
    assert result.mistakes[-1] == 0
    assert (y * (X @ result.weights) > 2.0).all()


@pytest.mark.spec("M-37")
def test_multiclass_margin_ends_with_all_differences_above():
    X, y = np.eye(3), np.arange(3)
    result = perceptron.multiclass(X, y, 3, n_rounds=100, margin=1.5)
    scores = X @ result.weights
    assert (np.diag(scores)[:, None] - scores + 9 * np.eye(3) > 1.5).all()


@pytest.mark.spec("A-19", "A-18")
def test_tie_rules_differ_exactly_on_the_boundary():
    x, y = np.ones((1, 1)), np.array([1])
    assert perceptron.binary(x, y, tie="nonpositive").mistakes[0] == 1
    assert perceptron.binary(x, y, tie="sign").mistakes[0] == 0
    assert perceptron.binary(x, -y, tie="sign").mistakes[0] == 1
    assert perceptron.binary(x, y, tie="strict").mistakes[0] == 0
    assert perceptron.binary(x, y, tie="strict", margin=1.0).mistakes == (1, 0)
    assert perceptron.binary(x, y, tie="nonpositive", margin=1.0).mistakes == (1, 1, 0)


@pytest.mark.spec("M-44")
@pytest.mark.parametrize("delta", [0.0, 1.0])
def test_a_step_is_sgd_on_the_shifted_hinge(delta):
    X, labels = random_classes(20, 3, 2, seed=10)
    y = 2.0 * labels - 1
    result = perceptron.binary(X, y, n_rounds=1, margin=delta, stop_when_clean=False)
    w, loss = np.zeros(3), hinge_with_margin(delta)
    for x, sign in zip(X, y, strict=True):
        w = w - loss.derivative(sign * (w @ x)) * sign * x
    np.testing.assert_allclose(result.weights, w, atol=1e-12)


@pytest.mark.spec("F-10", "M-45")
def test_truncation_of_single_weights():
    w = np.array([0.05, 0.3, -0.3, 0.1])
    np.testing.assert_allclose(perceptron.truncate(w, 0.1), [0, 0.2, -0.2, 0], atol=1e-15)


@pytest.mark.spec("M-45", "A-26")
def test_truncation_shrinks_before_adding_and_only_at_updates():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 2.0]])
    result = perceptron.binary(
        X, np.array([1, 1, 1]), n_rounds=1, truncation=0.25, stop_when_clean=False
    )
    np.testing.assert_array_equal(result.weights, [0.75, 1.0])
    spared = perceptron.binary(
        X[:, ::-1], np.array([1, 1, 1]), n_rounds=1, truncation=0.25, truncate_last=False
    )
    np.testing.assert_array_equal(spared.weights, [1.0, 1.0])


@pytest.mark.spec("M-45")
def test_non_zeros_fall_as_truncation_grows():
    X, labels = random_classes(60, 30, 2, seed=11)
    X, y = np.round(np.maximum(X - 1, 0)), 2 * labels - 1
    sizes = [
        np.count_nonzero(perceptron.binary(X, y, truncation=c).weights) for c in (0.0, 0.1, 0.5)
    ]
    assert sizes[0] >= sizes[1] >= sizes[2] and sizes[2] < sizes[0]


@pytest.mark.spec("M-46")
def test_snapshots_equal_runs_stopped_there():
    X, y = five_points()
    result = perceptron.binary(X, y, n_rounds=4, snapshot_every=10, stop_when_clean=False)
    assert len(result.snapshots) == 2
    for count, snapshot in enumerate(result.snapshots, start=1):
        rerun = perceptron.binary(X, y, n_rounds=2 * count, stop_when_clean=False)
        np.testing.assert_array_equal(snapshot, rerun.weights)


@pytest.mark.spec("M-24")
def test_folded_bias_equals_a_separate_bias():
    X, y = five_points()
    result = perceptron.binary(X, y, n_rounds=5)
    w, b = np.zeros(2), 0.0
    for order in rounds(5, 5):
        for i in order:
            if y[i] * (w @ X[i, :2] + b) <= 0:
                w, b = w + y[i] * X[i, :2], b + y[i]
    np.testing.assert_array_equal(result.weights, [*w, b])


def test_wrong_labels_ties_and_orders_are_refused():
    X = np.ones((2, 1))
    with pytest.raises(DataError, match=r"\+1 or -1"):
        perceptron.binary(X, np.array([0, 1]))
    with pytest.raises(DataError, match="2 rows"):
        perceptron.binary(X, np.array([1]))
    with pytest.raises(ParameterError, match="tie"):
        perceptron.binary(X, np.array([1, -1]), tie="never")
    with pytest.raises(ParameterError, match="average"):
        perceptron.binary(X, np.array([1, -1]), average="sometimes")
    with pytest.raises(ParameterError, match="orders"):
        perceptron.binary(X, np.array([1, -1]), n_rounds=2, orders=[np.arange(2)])
