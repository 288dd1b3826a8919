from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.errors import DataError, ParameterError
from linnet.reference import hmm, naive_bayes
from linnet.reference.enumeration import Enumeration

N, V = 0, 1
FISH, SWIM, CAN = 0, 1, 2


def fish_can_swim() -> hmm.HMM:
    """F-06: the given model."""
    return hmm.HMM.of(
        np.array([0.6, 0.4]),
        np.array([[0.3, 0.7], [0.8, 0.2]]),
        np.array([[0.5, 0.1, 0.4], [0.2, 0.5, 0.3]]),
    )


def counted(**options) -> tuple[hmm.HMM, dict[str, int], dict[str, int]]:
    """F-06: the counted corpus."""
    corpus = ["the/D dog/N runs/V", "the/D runs/N", "dogs/N run/V", "the/D dog/N dog/V"]
    pairs = [[token.split("/") for token in line.split()] for line in corpus]
    words = {w: i for i, w in enumerate(sorted({w for line in pairs for w, _ in line}))}
    tags = {t: i for i, t in enumerate("DNV")}
    model = hmm.fit(
        [np.array([words[w] for w, _ in line]) for line in pairs],
        [np.array([tags[t] for _, t in line]) for line in pairs],
        3,
        len(words),
        **options,
    )
    return model, words, tags


def random_corpus(seed: int, n_labels: int = 3, n_words: int = 4):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 6, 8)
    sentences = [rng.integers(0, n_words, n) for n in lengths]
    return sentences, [rng.integers(0, n_labels, n) for n in lengths]


@pytest.mark.spec("F-06", "M-111")
def test_fish_can_swim_has_the_fixture_probabilities():
    model, words = fish_can_swim(), np.array([FISH, CAN, SWIM])
    joint = {
        "NNN": 0.00108,
        "NNV": 0.0126,
        "NVN": 0.00504,
        "NVV": 0.0063,
        "VNN": 0.000768,
        "VNV": 0.00896,
        "VVN": 0.000384,
        "VVV": 0.00048,
    }
    for tags, expected in joint.items():
        ids = np.array(["NV".index(t) for t in tags])
        assert np.exp(model.log_joint(words, ids)) == pytest.approx(expected, rel=1e-12)
    assert np.exp(model.log_likelihood(words)) == pytest.approx(0.035612, rel=1e-12)
    assert model.decode(words).tolist() == [N, N, V]
    np.testing.assert_allclose(
        model.posterior(words)[:, N], [0.702572, 0.657307, 0.204201], atol=1e-6
    )


@pytest.mark.spec("F-06", "M-111", "A-55")
def test_counted_corpus_has_the_fixture_fractions():
    model, w, t = counted()
    start, steps, emission = (np.exp(a) for a in (model.start, model.transition, model.emission))
    assert start[t["D"]] == pytest.approx(3 / 4)
    assert steps[t["D"], t["N"]] == pytest.approx(1) == steps[t["N"], t["V"]]
    assert emission[t["N"], w["dog"]] == pytest.approx(1 / 2)
    assert emission[t["N"], w["runs"]] == pytest.approx(1 / 4)
    assert emission[t["V"], w["runs"]] == pytest.approx(1 / 3)

    def joint(text: str, tags: str) -> float:
        ids = np.array([w[word] for word in text.split()])
        return float(np.exp(model.log_joint(ids, np.array([t[tag] for tag in tags]))))

    assert joint("the dog runs", "DNV") == pytest.approx(1 / 8)
    assert joint("the runs", "DN") == pytest.approx(3 / 16)


@pytest.mark.spec("M-111", "A-55")
@pytest.mark.parametrize("alpha", [0.01, 1.0])
@pytest.mark.parametrize("stop", [False, True])
def test_every_smoothed_conditional_sums_to_one(alpha, stop):
    model, _, _ = counted(alpha=alpha, stop=stop)
    onward = np.exp(model.transition).sum(axis=1)
    onward += np.exp(model.stop) if stop else 0.0
    np.testing.assert_allclose(onward, 1)
    np.testing.assert_allclose(np.exp(model.start).sum(), 1)
    np.testing.assert_allclose(np.exp(model.emission).sum(axis=1), 1)


@pytest.mark.spec("M-111", "A-55")
def test_smoothing_adds_alpha_over_one_more_word_type():
    model, w, t = counted(alpha=1.0)
    assert np.exp(model.emission[t["D"], w["the"]]) == pytest.approx((3 + 1) / (3 + len(w) + 1))
    unknown = np.exp(model.chain(np.array([-1, 99])).state)
    np.testing.assert_allclose(unknown[:, t["D"]], 1 / (3 + len(w) + 1))


@pytest.mark.spec("M-111")
def test_with_a_stop_all_sentences_of_one_word_share_the_probability_of_stopping_there():
    model, w, _ = counted(alpha=0.5, stop=True)
    total = sum(np.exp(model.log_likelihood(np.array([v]))) for v in range(len(w) + 1))
    assert total == pytest.approx(np.exp(model.start) @ np.exp(model.stop))


@pytest.mark.spec("M-111", "M-112")
@given(st.integers(0, 2**31), st.booleans())
@settings(max_examples=30)
def test_decoding_and_likelihood_equal_enumeration(seed, stop):
    sentences, tags = random_corpus(seed)
    model = hmm.fit(sentences, tags, 3, 4, alpha=0.5, stop=stop)
    for words in sentences:
        every = Enumeration.of(model.chain(words))
        assert model.log_joint(words, model.decode(words)) == pytest.approx(every.best.score)
        assert model.log_likelihood(words) == pytest.approx(every.log_partition, abs=1e-10)


@pytest.mark.spec("M-111", "M-15")
def test_sentences_of_one_word_are_multinomial_naive_bayes():
    rng = np.random.default_rng(0)
    words, y = rng.integers(0, 5, 40), rng.integers(0, 3, 40)
    counts = np.eye(6)[words]  # the sixth column is the unknown word
    bayes = naive_bayes.multinomial(counts, y, 3, alpha=0.5)
    model = hmm.fit(
        [words[i : i + 1] for i in range(40)],
        [y[i : i + 1] for i in range(40)],
        3,
        5,
        alpha=0.5,
        alpha_tags=0.0,
    )
    np.testing.assert_allclose(model.start, bayes.log_prior)
    np.testing.assert_allclose(model.emission.T, bayes.log_words)
    posterior = naive_bayes.posterior(bayes.scores(np.eye(6)))
    for v in range(6):
        np.testing.assert_allclose(model.posterior(np.array([v]))[0], posterior[v], atol=1e-12)


@pytest.mark.spec("M-111")
def test_impossible_and_empty_sentences_give_numbers():
    model = fish_can_swim()
    assert model.decode(np.array([99, FISH])).tolist() == [0, 0]
    assert model.log_likelihood(np.array([99])) == -np.inf
    np.testing.assert_array_equal(model.posterior(np.array([99])), [[0.5, 0.5]])
    empty = np.zeros(0, dtype=int)
    assert model.decode(empty).shape == (0,) and model.log_likelihood(empty) == 0


@given(st.integers(0, 2**31), st.booleans())
@settings(max_examples=25)
def test_baum_welch_never_lowers_the_likelihood(seed, stop):
    sentences, tags = random_corpus(seed)
    start = hmm.fit(sentences, tags, 3, 4, alpha=0.3, stop=stop)
    model, likelihoods = hmm.baum_welch(start, sentences, n_iter=15)
    assert (np.diff(likelihoods) >= -1e-9).all()
    assert sum(model.log_likelihood(words) for words in sentences) >= likelihoods[-1] - 1e-9


def test_an_em_step_is_counting_when_the_tags_are_certain():
    # each word has one tag, so the expected counts are the real ones
    sentences = [np.array([0, 1, 0]), np.array([1, 1])]
    start = hmm.HMM.of(np.array([0.5, 0.5]), np.full((2, 2), 0.5), np.eye(2))
    found, _ = hmm.em_step(start, sentences)
    expected = hmm.fit(sentences, sentences, 2, 2)
    np.testing.assert_allclose(np.exp(found.start), np.exp(expected.start))
    np.testing.assert_allclose(np.exp(found.transition), np.exp(expected.transition))
    np.testing.assert_allclose(np.exp(found.emission), np.exp(expected.emission))


def test_an_em_step_uses_the_counts_expected_over_all_taggings():
    model, words = fish_can_swim(), np.array([FISH, CAN, SWIM])
    every = Enumeration.of(model.chain(words))
    found, likelihood = hmm.em_step(model, [words])
    assert likelihood == pytest.approx(every.log_partition)
    first_n = every.probabilities[every.labellings[:, 0] == N].sum()
    assert np.exp(found.start[N]) == pytest.approx(first_n)
    n_to_v = [((y[:-1] == N) & (y[1:] == V)).sum() for y in every.labellings]
    n_out = [(y[:-1] == N).sum() for y in every.labellings]
    ratio = (every.probabilities @ n_to_v) / (every.probabilities @ n_out)
    assert np.exp(found.transition[N, V]) == pytest.approx(ratio)


def test_wrong_input_is_refused():
    one = [np.array([0])]
    with pytest.raises(ParameterError, match="negative"):
        hmm.fit(one, one, 1, 1, alpha=-1.0)
    with pytest.raises(DataError, match="1 sentences but 0"):
        hmm.fit(one, [], 1, 1)
    with pytest.raises(DataError, match="1 words but 2 tags"):
        hmm.fit(one, [np.array([0, 0])], 1, 1)
    with pytest.raises(DataError, match=r"0\.\.0"):
        hmm.fit(one, [np.array([1])], 1, 1)
    with pytest.raises(DataError, match="sentence 0 is impossible"):
        hmm.em_step(fish_can_swim(), [np.array([99])])
