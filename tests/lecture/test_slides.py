"""What the slides work out by hand, done by linnet's own learners and features."""

from __future__ import annotations

from itertools import pairwise
from math import sqrt
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

import linnet
import linnet.lecture as lab
from linnet.data import count_words, tiny
from linnet.explain.plots.functions import descent_points
from linnet.learn.chain.scores import Chain, Edges, Table
from linnet.learn.flat.joint import JointMap
from linnet.reference import beam_search, maxent
from linnet.reference import chain as reference_chain
from linnet.text.token_features import TokenFeatures, columns_of

# --- S1: features of "race" -------------------------------------------------------------------

SENTENCES = [
    [("Secretariat", "NNP"), ("is", "BEZ"), ("expected", "VBN"), ("to", "TO"), ("race", "VB"),
     ("tomorrow", "NR")],
    [("The", "DT"), ("racing", "VBG"), ("season", "NN")],
]  # fmt: skip
RACE = 4  # the place of "race" among the tokens
TABLE = {
    "w[0]=race": 1, "w.suffix3[0]=ing": 0, "w.suffix3[0]=ace": 1, "pos[-1]=TO": 1,
    "pos[-1]=DT": 0, "w.is_lower[0]=1": 1,
}  # fmt: skip


def token_bags() -> list[dict[str, float]]:
    """Return the features that linnet's templates give each token."""
    templates = ["w[0]", "w.suffix3[0]", "pos[-1]", "w.is_lower[0]"]
    columns, sentence = columns_of(SENTENCES)
    features = TokenFeatures(templates)
    rows = features.fit_transform(columns, sentence)
    names = features.get_feature_names_out()
    return [dict.fromkeys(names[rows.index[a:b]], 1.0) for a, b in pairwise(rows.start)]


@pytest.mark.spec("W-11", "T-06", "A-72", "M-27")
def test_the_class_by_indicator_table_is_made_by_token_features_and_a_joint_map() -> None:
    race = token_bags()[RACE]
    assert {name: int(name in race) for name in TABLE} == TABLE
    tags = ["JJ", "NN", "VB"]
    joint = JointMap(lambda bag, tag: {f"{tag}: {name}": value for name, value in bag.items()})
    grouped = joint.fit([*token_bags(), race, race], [*tags, *tags, *tags, *["VB", "VB"]])
    rows = grouped.features.csr.toarray()
    assert grouped.classes.tolist() == tags
    vector = rows[len(tags) * RACE + tags.index("VB")]  # f(x, VB)
    places = joint.vocabulary
    table = [[int(vector[places[f"{tag}: {name}"]]) for name in TABLE] for tag in tags]
    assert table == [[0] * 6, [0] * 6, [1, 0, 1, 1, 0, 1]]  # JJ, NN, VB


@pytest.mark.spec("W-11", "M-25")
def test_the_three_maxent_features_of_the_slide_by_token_features() -> None:
    race, racing = token_bags()[RACE], token_bags()[RACE + 3]

    def f(bag: dict[str, float], tag: str) -> dict[str, float]:
        return {
            "f1": float("w[0]=race" in bag and tag == "NN"),
            "f2": float("pos[-1]=TO" in bag and tag == "VB"),
            "f3": float("w.suffix3[0]=ing" in bag and tag == "VBG"),
        }

    rows = JointMap(f).fit([race, racing, racing], ["NN", "VB", "VBG"]).features.csr.toarray()
    assert rows[:3].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0]]  # race as NN, VB, VBG
    assert rows[5].tolist() == [0, 0, 1]  # racing as VBG


@pytest.mark.spec("M-72", "W-11", "T-06")
def test_symbolic_columns_become_the_indicators_of_the_slide() -> None:
    names = ["word", "suf", "tag", "is-lower"]
    rows = [["race", "ace", "TO", "TRUE"], ["racing", "ing", "DT", "TRUE"],
            ["Race", "ace", "DT", "FALSE"]]  # fmt: skip
    given = [dict(zip(names, row, strict=True)) for row in rows]
    clf = linnet.RowClassifier(linnet.MaxEnt()).fit(given, ["VB", "JJ", "NN"])
    columns = clf.model_.vectors.names()
    vector = clf.model_.reader.inputs(given[:1], 1).toarray()[0]
    asked = ["word=race", "suf=ing", "suf=ace", "tag=TO", "tag=DT", "is-lower=TRUE"]
    assert [int(vector[columns.index(name)]) for name in asked] == [1, 0, 1, 1, 0, 1]
    assert vector.sum() == len(names)  # one value of each column
    weights = clf.model_.top_features(100)
    assert set(weights) == {"JJ", "NN", "VB"}  # each indicator has a weight for every class


# --- S2: bird and robbery, reviews ------------------------------------------------------------


def norms(model: Any) -> tuple[int, float, float]:
    return model.n_nonzero_, float(np.abs(model.coef_).sum()), float((model.coef_**2).sum())


@pytest.mark.spec("W-15", "M-68", "A-25")
def test_the_norms_of_the_two_classifiers_are_those_of_fitted_models() -> None:
    bags = [count_words(text) for text in tiny.BIRD_ROBBERY.texts]
    model = linnet.Perceptron(tie="sign", average=False, shuffle=False, fit_intercept=False)
    model.fit(bags, tiny.BIRD_ROBBERY.labels)
    small, large = (
        np.array([[weights.get(word, 0.0) for word in model.vocabulary_]])
        for weights in reversed(tiny.BIRD_ROBBERY_WEIGHTS)
    )
    np.testing.assert_array_equal(model.coef_, small)  # it learns the slide's second classifier
    assert norms(model) == (2, 2, 2)
    assert model.decision_function(bags).tolist() == [-1, 1]
    model.coef_ = large
    assert norms(model) == (8, 20.5, 74.25)
    assert model.decision_function(bags).tolist() == [-2.5, -0.5]
    assert model.predict(bags).tolist() == [-1, -1]  # wrong about the robbery
    sparse = linnet.MaxEnt(10.0, penalty="l1", fit_intercept=False)
    sparse.fit(bags, tiny.BIRD_ROBBERY.labels)
    assert sparse.n_nonzero_ == 2  # the l1 penalty prefers the second classifier as well
    assert set(np.flatnonzero(sparse.coef_[0])) == set(np.flatnonzero(small[0]))


@pytest.mark.spec("T-07", "W-05")
def test_the_table_of_documents_gives_the_answer_through_a_text_classifier() -> None:
    assert [(y, text) for y, text in zip(*reversed(tiny.REVIEWS), strict=True)] == [
        ("-", "just plain boring"),
        ("-", "entirely predictable and lacks energy"),
        ("-", "no surprises and very few laughs"),
        ("+", "very powerful"),
        ("+", "the most fun film of the summer"),
    ]
    clf = linnet.TextClassifier(
        linnet.MultinomialNB(), ngrams=1, weighting="count", sublinear_tf=False
    )
    clf.fit(list(tiny.REVIEWS.texts), list(tiny.REVIEWS.labels))
    assert clf.classes_.tolist() == ["+", "-"]
    probabilities = clf.predict_proba([tiny.REVIEW_TEST])[0]
    assert probabilities == pytest.approx([578 / 3101, 2523 / 3101], rel=1e-6)
    assert clf.predict([tiny.REVIEW_TEST]).tolist() == ["-"]


# --- S0 and S1: Gaussians ----------------------------------------------------------------------


@pytest.mark.spec("F-09", "A-10")
def test_the_line_that_drops_the_squares_errs_more_than_the_circle() -> None:
    n, means, variances = 1_000_000, np.array([[-1.0, -1.0], [1.0, 1.0]]), np.array([1.0, 0.25])
    sd = lab.SimpleDataSet(n, g1=[means[0], 1.0], g2=[means[1], 0.25], split=(1, 0, 0))
    bias = np.log(0.5) - (means**2).sum(axis=1) / (2 * variances)
    params = np.vstack([bias, (means / variances[:, None]).T])  # as for equal variances
    b, w, _ = params[:, 1] - params[:, 0]
    centre, spread = (means @ [w, w] + b), np.sqrt(2 * w**2 * variances)
    exact = float(norm.cdf(-np.array([-1, 1]) * centre / spread).mean())
    assert exact == pytest.approx(0.0284267, abs=5e-8)
    guess = lab.GaussianNaiveBayes().test(sd.train_X, params)
    assert abs((guess != sd.train_y).mean() - exact) < 4 * sqrt(exact / n)
    assert sd.bayes_error() == pytest.approx(0.024153, abs=5e-7)


@pytest.mark.spec("M-124", "W-12", "P-16")
def test_the_descent_that_is_drawn_takes_the_steps_of_the_slide() -> None:
    points = descent_points(start=-1.0, eta=0.2, n_iter=5)
    theta = [-1, -0.6, -0.36, -0.216, -0.1296, -0.07776]
    np.testing.assert_allclose(points[:, 0], theta, rtol=1e-12)
    np.testing.assert_allclose(points[:, 1], np.square(theta), rtol=1e-12)


# --- perceptron, logistic regression ------------------------------------------------------------


@pytest.mark.spec("A-18", "A-17", "M-29", "M-30")
def test_the_two_listings_differ_on_a_first_positive_example() -> None:
    X = [[1.0], [-1.0], [2.0]]
    settings: dict[str, Any] = {"max_iter": 1, "shuffle": False, "average": False}
    mistakes = {
        (tie, first): linnet.Perceptron(tie=tie, fit_intercept=False, **settings)
        .fit(X, [first, -first, first])
        .mistakes_.tolist()
        for tie in ("nonpositive", "sign")
        for first in (1, -1)
    }
    # score 0 with y = +1 is a mistake to the first listing only; with y = -1 to both
    assert mistakes["nonpositive", 1] == [1] and mistakes["sign", 1] == [1]
    assert mistakes["nonpositive", -1] == mistakes["sign", -1] == [1]
    one = {
        tie: linnet.Perceptron(tie=tie, fit_intercept=False, **settings).fit([[1.0], [3.0]], [1, 0])
        for tie in ("nonpositive", "sign")
    }
    assert one["nonpositive"].coef_.tolist() == [[1.0 - 3.0]]
    assert one["sign"].coef_.tolist() == [[0.0 - 3.0]]


@pytest.mark.spec("A-26", "M-45", "F-10")
def test_truncation_shrinks_before_adding_at_updates_only_and_spares_the_bias() -> None:
    X = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 2.0], [-4.0, 0.0]])
    y = [1, 1, 1, 0]
    model = linnet.Perceptron(
        max_iter=1, shuffle=False, average=False, truncate=0.25, fit_intercept=False,
    ).fit(X, y)  # fmt: skip
    # x1 updates: (1, 0); x2 scores 0 and updates: shrunk to (0.75, 0), then (0.75, 1); the other
    # two are right, and what is right shrinks nothing
    assert model.coef_.tolist() == [[0.75, 1.0]]
    assert model.mistakes_.tolist() == [2]
    with_bias = linnet.Perceptron(max_iter=1, shuffle=False, average=False, truncate=0.25)
    with_bias.fit(np.array([[1.0], [-3.0], [0.25]]), [1, 0, 1])
    # +: w 1, b 1; -: score -2 is right; +: score 1.25 is right: nothing shrinks the bias
    assert (with_bias.coef_.tolist(), with_bias.intercept_.tolist()) == ([[1.0]], [1.0])
    with_bias.fit(np.array([[1.0], [-0.5], [4.0]]), [1, 0, 1])
    # -: score 0.5 is wrong: w shrinks to 0.75 and becomes 1.25; b goes from 1 to 0, unshrunk
    assert (with_bias.coef_.tolist(), with_bias.intercept_.tolist()) == ([[1.25]], [0.0])


@pytest.mark.spec("A-64", "A-69", "M-62", "M-63")
def test_a_step_of_maxent_adds_the_residual_of_the_gold_class_at_the_present_weights() -> None:
    rng = np.random.default_rng(0)
    X, y, eta, lam = rng.normal(size=(4, 3)), np.array([0, 1, 2, 1]), 0.3, 0.5

    def weights(rows: int) -> Any:
        C = 1 / (lam * rows)  # λ = 1/(CM) stays the same whatever the number of examples
        model = linnet.MaxEnt(
            C, solver="sgd", schedule=eta, shuffle=False, max_iter=1, tol=0, fit_intercept=False
        )
        return model.fit(X[:rows], y[:rows]).coef_

    before, after = weights(3), weights(4)
    scores = before @ X[3]
    p = np.exp(scores) / np.exp(scores).sum()  # Z(w_t, x_m)
    residual = np.eye(3)[y[3]] - p
    np.testing.assert_allclose(
        after, (1 - lam * eta) * before + eta * residual[:, None] * X[3], atol=1e-12
    )
    assert residual[y[3]] == pytest.approx(1 - p[y[3]]) and residual.sum() == pytest.approx(0)


@pytest.mark.spec("A-39", "A-42", "M-53", "M-65")
def test_lambda_is_a_prior_of_variance_one_over_lambda_m_and_is_taken_off_the_likelihood() -> None:
    rng = np.random.default_rng(1)
    X, y, lam = rng.normal(size=(40, 3)), rng.integers(0, 3, 40), 0.2
    params = lab.MaxEnt_batch(lam).train(X, y)
    variance = 1 / (lam * len(y))
    prior = linnet.MaxEnt(
        1.0, prior_variance=np.full(3, variance), intercept_scaling=sqrt(variance), tol=1e-12,
        solver="newton",
    ).fit(X, y)  # fmt: skip
    np.testing.assert_allclose(prior.coef_.T, params[1:], atol=2e-4)
    np.testing.assert_allclose(prior.intercept_, params[0], atol=2e-4)
    # the objective is - sum ln p + |w|²/(2 σ²): the penalty is subtracted from what is maximised
    bordered = np.column_stack([np.ones(len(y)), X])
    likelihood = -len(y) * maxent.mean_loss(bordered, y, 3, 0.0)(params)[0]
    penalty = float((params**2).sum()) / (2 * variance)
    assert prior.history_["objective"][-1] == pytest.approx(-(likelihood - penalty), rel=1e-8)
    sizes = [float((linnet.MaxEnt(1 / alpha).fit(X, y).coef_ ** 2).sum()) for alpha in (0.1, 1, 10)]
    assert sizes[0] > sizes[1] > sizes[2]  # a larger α makes smaller weights


@pytest.mark.spec("A-82", "A-40", "M-65")
def test_the_prior_of_the_bias_follows_the_switch_and_may_be_infinitely_wide() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] + rng.normal(size=60) + 1 > 0).astype(int)
    variances = np.array([0.5, 2.0])
    for penalize, width in ((True, 1.0), (False, np.inf)):
        model = linnet.MaxEnt(
            prior_variance=variances, penalize_intercept=penalize, solver="newton", tol=1e-9
        ).fit(X, y)
        residual = y - model.predict_proba(X)[:, 1]
        np.testing.assert_allclose(residual @ X, model.coef_[0] / variances, atol=1e-3)
        assert residual.sum() == pytest.approx(model.intercept_[0] / width, abs=1e-3)


@pytest.mark.spec("A-32", "M-78")
def test_the_slacks_of_a_machine_are_not_negative_and_make_its_objective() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=50) > 0, 1, -1)
    for penalize in (True, False):
        svm = linnet.SVM(0.7, tol=1e-8, max_iter=100_000, penalize_intercept=penalize)
        if not penalize:
            svm.set_params(loss="squared_hinge", solver="newton")
        svm.fit(X, y)
        margins = y * svm.decision_function(X)
        slack = np.maximum(0.0, 1 - margins)
        assert (slack == 0).any() and (slack > 0).any()  # ξ ≥ 0, and 0 is allowed
        assert (margins >= 1 - slack - 1e-12).all()
        size = float((svm.coef_**2).sum()) + penalize * float(svm.intercept_[0] ** 2)
        losses = slack if svm.loss == "hinge" else slack**2
        value = 0.5 * size + 0.7 * losses.sum()
        assert value == pytest.approx(svm.history_["objective"][-1], rel=1e-6)


# --- sequences ---------------------------------------------------------------------------------


@pytest.mark.spec("A-54", "M-117", "F-05")
def test_without_a_pair_of_labels_viterbi_would_be_a_local_argmax() -> None:
    state = np.array([[1.0, 0.0], [0.0, 0.5], [1.0, 0.0]])  # F-05: a, b, a as A, B
    pairs = np.array([[0.2, -0.8], [-0.1, 0.0]])
    best = {}
    for name, transition in (("local", np.zeros((2, 2))), ("pairs", pairs)):
        edges = Edges(transition, np.zeros(2), np.zeros(2))
        chain = Chain(np.array([0, 3]), Table(lambda first, last: state), edges, 1)
        best[name] = chain.decode()[0].tolist()
    assert best == {"local": [0, 1, 0], "pairs": [0, 0, 0]}
    assert best["local"] == state.argmax(axis=1).tolist()
    # a learner tells apart what only the label before decides
    X, y = [[["x"], ["x"], ["x"]]] * 4, [["A", "B", "A"]] * 4
    for learner in (linnet.StructuredPerceptron(random_state=0), linnet.CRF(10.0)):
        assert learner.fit(X, y).predict(X[:1]) == y[:1]


@pytest.mark.spec("A-55", "M-111")
def test_an_hmm_starts_by_a_symbol_may_stop_by_one_and_keeps_room_for_a_new_word() -> None:
    X, y = [["the", "dog"], ["dogs"]], [["D", "N"], ["N"]]
    alpha, V = 0.5, 3
    for stop in (False, True):
        hmm = linnet.HMM(alpha, stop=stop, unknown="uniform").fit(X, y)
        followers = 2 + stop  # D, N and the end
        start = (1 + alpha) / (2 + 2 * alpha)
        step = (1 + alpha) / (1 + followers * alpha)
        word = (1 + alpha) / (1 + alpha * (V + 1))
        new = alpha / (2 + alpha * (V + 1))
        end = (2 + alpha) / (2 + followers * alpha) if stop else 1.0
        p = np.exp(hmm.log_probability([["the", "cat"]], [["D", "N"]])[0])
        assert p == pytest.approx(start * word * step * new * end, rel=1e-12)


@pytest.mark.spec("A-57", "M-114")
@pytest.mark.parametrize("states", ["shared", "per_state"])
def test_the_first_label_of_an_memm_follows_the_start(states: str) -> None:
    X = [[["a"], ["b"]], [["b"], ["a"], ["b"]], [["b"]]]
    y = [["A", "B"], ["B", "A", "A"], ["A"]]
    memm = linnet.MEMM(states=states).fit(X, y)
    for sentence, [first, *rest] in zip(X, memm.local_distributions(X), strict=True):
        v = np.log(first[-1])  # v_1(j) = P(s_j | start, o_1): the last row is the start symbol
        for local in rest:
            v = (v[:, None] + np.log(local[:-1])).max(axis=0)
        [(score, _)] = memm.predict_nbest([sentence], 1)[0]
        assert score == pytest.approx(v.max(), abs=1e-9)


@pytest.mark.spec("A-58", "M-115")
@pytest.mark.parametrize("width", [1, 2, 3, 5, 27])
def test_a_beam_keeps_equal_states_apart_and_breaks_ties_by_insertion(width: int) -> None:
    rng = np.random.default_rng(width)
    for _ in range(40):
        state = rng.integers(0, 2, (rng.integers(1, 5), 3)).astype(float)  # many ties
        transition = rng.integers(-1, 2, (3, 3)).astype(float)
        edges = Edges(transition, np.zeros(3), np.zeros(3))
        sentence = np.array([0, len(state)])
        chain = Chain(sentence, Table(lambda first, last, s=state: s), edges, 1)
        labels, scores = chain.decode(beam=width)
        expected = beam_search.beam_search(reference_chain.Chain.of(state, transition), width)[0]
        assert labels.tolist() == expected.labels.tolist()
        assert scores[0] == expected.score
