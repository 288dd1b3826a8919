"""C="auto": what is held out, which path is walked, what it costs, and that it helps."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import linnet
from linnet import TextClassifier
from linnet.errors import ParameterError
from linnet.learn.flat.regularised import RegularisedClassifier
from linnet.model.fitting import tuning as module
from linnet.model.fitting.steps import default_learner
from linnet.model.fitting.tuning import held_out_parts, strengths, tune

from .made import same_bits, texts_of

TEXTS, LABELS = texts_of(90)


class Landscape:
    """A walk whose loss at each C is known: half of `n` scores are wrong by how far C is off."""

    def __init__(self, best: float) -> None:
        self.best, self.seen = best, list[float | None]()

    def step(self, C: float | None) -> Any:
        self.seen.append(C)
        off = 0.0 if C is None else abs(np.log(C / self.best))
        scores = np.ones((40, 1))
        scores[: int(5 * off)] = -1.0
        return scores

    def stand(self) -> Any:
        return self.seen[-1]


VALUES = [0.1, 0.3, 1.0, 3.0, 10.0]


@pytest.mark.parametrize(
    "best, seen",
    [
        (0.1, [0.3, 1.0, 0.1]),
        (0.3, [0.3, 1.0, 0.1]),
        (1.0, [0.3, 1.0, 3.0]),
        (3.0, [0.3, 1.0, 3.0, 10.0]),
        (10.0, [0.3, 1.0, 3.0, 10.0]),
    ],
)
@pytest.mark.spec("C-22")
def test_the_path_goes_where_the_loss_falls_and_stops_where_it_rises(
    best: float, seen: list[float]
) -> None:
    walk = Landscape(best)
    gold = np.ones(40, np.int32)
    gold[0] = 0
    found, learner = tune(VALUES, gold, [np.arange(40)], [walk])
    assert walk.seen == seen
    assert found.C == learner == best
    assert [entry["C"] for entry in found.path] == sorted(seen)


def test_without_a_c_to_choose_there_is_one_fit_for_the_probabilities() -> None:
    walk = Landscape(1.0)
    found, _ = tune([], np.array([0] + [1] * 39, np.int32), [np.arange(40)], [walk])
    assert walk.seen == [None] and found.C is None and len(found.path) == 1


@pytest.mark.parametrize("n", [19, 20, 100, 2_999, 3_000, 19_999, 20_000])
def test_small_data_is_held_out_in_turns_and_large_data_once(n: int) -> None:
    gold = (np.arange(n) % 3).astype(np.int32)
    parts = held_out_parts(gold, seed=0)
    held = np.concatenate(parts) if parts else np.array([], int)
    assert len(np.unique(held)) == len(held)
    share = {19: 0, 20: 20, 100: 100, 2_999: 2_999, 3_000: 600, 19_999: 4_000, 20_000: 2_000}
    assert len(held) == share[n]
    for part in parts:
        assert np.ptp(np.bincount(gold[part], minlength=3)) <= 1  # the classes in proportion


def test_no_fold_leaves_fewer_than_two_classes_to_learn_from() -> None:
    gold = np.array([0] * 30 + [1], np.int32)
    for part in held_out_parts(gold, seed=0):
        assert 30 not in part


def test_what_is_tried_depends_on_the_loss_and_a_c_of_ones_own_is_kept() -> None:
    assert strengths(linnet.SVM()) == VALUES
    assert strengths(linnet.MaxEnt()) == [1.0, 4.0, 16.0, 64.0, 256.0]
    for own in (linnet.SVM(C=0.7), linnet.MaxEnt(C=3.0)):
        clf = TextClassifier(own).fit(TEXTS, LABELS)
        assert clf.learner_.C == clf.record_["C"] == own.C
        assert clf.tuning_.C is None and clf.tuning_.n_held_out == 90
    clf = TextClassifier(C=0.7).fit(TEXTS, LABELS)
    assert clf.learner_.C == 0.7 and clf.tuning_.C is None


def test_a_learner_with_a_regularizer_has_no_c_to_choose_and_none_can_be_given() -> None:
    machine = linnet.SVM(regularizer=0.02, loss="squared_hinge")
    clf = TextClassifier(machine).fit(TEXTS, LABELS)
    assert clf.tuning_.C is None and clf.tuning_.n_held_out == 90
    assert [set(entry) for entry in clf.tuning_.path] == [{"log_loss", "accuracy"}]
    columns = 2.0 if len(set(LABELS)) == 2 else 1.0
    assert clf.record_["C"] == clf.learner_.C_ == pytest.approx(columns / (0.02 * 90))
    with pytest.raises(ParameterError, match=r"C=3\.0 would change nothing.*regularizer=0\.02"):
        TextClassifier(machine, C=3.0).fit(TEXTS, LABELS)


@pytest.mark.spec("C-22")
def test_the_path_is_written_down_and_its_least_loss_is_chosen() -> None:
    clf = TextClassifier().fit(TEXTS, LABELS)
    path = clf.tuning_.path
    assert [entry["C"] for entry in path] == sorted(entry["C"] for entry in path)
    best = min(path, key=lambda entry: entry["log_loss"])
    chosen = next(entry for entry in path if entry["C"] == clf.tuning_.C)
    assert chosen["log_loss"] <= best["log_loss"] * (1 + 2e-3)
    assert clf.learner_.C == clf.tuning_.C == clf.record_["C"]
    assert clf.tuning_.accuracy == chosen["accuracy"] == clf.record_["held_out_accuracy"]


@pytest.fixture(scope="module")
def pydoc() -> Any:
    return linnet.data.load_pydoc()


@pytest.fixture(scope="module")
def on_pydoc(pydoc: Any) -> TextClassifier:
    return TextClassifier(features="words").fit(pydoc.train_texts, pydoc.train_labels)


def test_choosing_c_reaches_at_least_what_c_1_reaches(on_pydoc: Any, pydoc: Any) -> None:
    plain = TextClassifier(C=1.0).fit(pydoc.train_texts, pydoc.train_labels)
    auto, fixed = (m.score(pydoc.test_texts, pydoc.test_labels) for m in (on_pydoc, plain))
    print(f"chosen C {on_pydoc.tuning_.C}: {auto:.4f}; C = 1: {fixed:.4f}")
    assert auto >= fixed - 0.005
    assert on_pydoc.tuning_.accuracy >= plain.tuning_.accuracy - 0.005


def test_choosing_c_costs_little_more_than_one_fit(
    pydoc: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted in passes over the data: those of all fits against those of one from scratch."""
    passes = 0.0
    fit = RegularisedClassifier._solve

    def counted(self: Any, task: Any, history: Any) -> Any:
        nonlocal passes
        done = fit(self, task, history)
        passes += history.last("iteration") * task.features.rows / len(pydoc.train_texts)
        return done

    monkeypatch.setattr(RegularisedClassifier, "_solve", counted)
    clf = TextClassifier(features="words").fit(pydoc.train_texts, pydoc.train_labels)
    total, passes = passes, 0.0
    X = clf.features_.transform(pydoc.train_texts)
    gold = np.searchsorted(clf.classes_, pydoc.train_labels)
    default_learner().set_params(C=clf.tuning_.C).fit(X, gold)
    print(f"{total:.1f} passes with the choice of C, {passes:.1f} for one fit")
    assert total <= 3.0 * passes


@pytest.mark.parametrize("learner", [linnet.SVM(tol=1e-6), linnet.MaxEnt(tol=1e-6)])
def test_the_warm_started_final_fit_is_as_good_as_a_cold_one(learner: Any, pydoc: Any) -> None:
    """The start changes how long the fit takes, not where it ends: both are certified."""
    texts, labels = pydoc.train_texts[:3200], pydoc.train_labels[:3200]
    clf = TextClassifier(learner).fit(texts, labels)
    assert clf.tuning_.n_held_out == 640  # one fold, so that there is a start
    warm = clf.learner_
    X, gold = clf.features_.transform(texts), np.searchsorted(clf.classes_, labels)
    cold = type(learner)(**{**warm.get_params(), "warm_start": False}).fit(X, gold)
    assert warm.optimality_ <= warm.tol and cold.optimality_ <= cold.tol
    ends = [m.history_["objective"][-1] for m in (warm, cold)]
    assert ends[0] == pytest.approx(ends[1], rel=2e-6)
    np.testing.assert_allclose(warm.coef_, cold.coef_, atol=0.05)
    assert not warm.warm_start


def test_a_fit_is_repeatable_and_its_folds_follow_the_seed() -> None:
    one, two = (TextClassifier(random_state=5).fit(TEXTS, LABELS) for _ in range(2))
    same_bits(one, two, TEXTS)
    assert one.tuning_ == two.tuning_
    gold = np.arange(100, dtype=np.int32) % 2
    assert [p.tolist() for p in held_out_parts(gold, 5)] != [
        p.tolist() for p in held_out_parts(gold, 6)
    ]


def test_another_order_of_the_rows_changes_the_folds_but_hardly_the_choice(pydoc: Any) -> None:
    """Folds are drawn by position, so that another order is like another seed, not the same."""
    order = np.random.default_rng(1).permutation(1200)
    texts, labels = pydoc.train_texts[:1200], pydoc.train_labels[:1200]
    one = TextClassifier(features="words").fit(texts, labels).tuning_
    shuffled = [texts[i] for i in order], [labels[i] for i in order]
    two = TextClassifier(features="words").fit(*shuffled).tuning_
    assert abs(VALUES.index(one.C) - VALUES.index(two.C)) <= 1
    assert one.accuracy == pytest.approx(two.accuracy, abs=0.03)
    assert one.sharpness == pytest.approx(two.sharpness, rel=0.25)


def test_fits_along_the_path_do_not_warn_but_the_final_one_does() -> None:
    slow = linnet.SVM(max_iter=1, tol=1e-9)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        TextClassifier(slow).fit(TEXTS, LABELS)
    assert [w.category for w in caught] == [ConvergenceWarning]


def test_held_out_examples_count_by_their_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    loss = module.log_loss
    monkeypatch.setattr(module, "log_loss", lambda *a: seen.append(a[3]) or loss(*a))
    weights = np.linspace(0.5, 2.0, len(TEXTS))
    TextClassifier(class_weight="balanced").fit(TEXTS, LABELS, sample_weight=weights)
    assert all(sorted(found) == weights.tolist() for found in seen)
    seen.clear()
    TextClassifier(class_weight="balanced").fit(TEXTS, LABELS)
    assert set(seen) == {None}
