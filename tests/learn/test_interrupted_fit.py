"""A fit that is interrupted leaves the estimator as it was, bit for bit.

The interrupts fall on every call of a function of the package (a profile hook raises there), in
the middle of a pass of the core, and, by a real signal, wherever it strikes.
"""

from __future__ import annotations

import copy
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import linnet
from linnet import _core
from linnet.errors import LinnetError

Call = Callable[[Any], Any]

ROWS = np.random.default_rng(0).poisson(0.4, (40, 12)).astype(float)
LABELS = np.arange(40) % 3
WIDE = sp.hstack([sp.csr_matrix(ROWS), sp.csr_matrix((40, 600))]).tocsr()
TOKENS = [[[f"w{(3 * s + t * t) % 7}", "bias"] for t in range(2 + s % 4)] for s in range(12)]
TAGS = [["ABC"[(s + t) % 3] for t in range(2 + s % 4)] for s in range(12)]

FLAT = {
    "perceptron": linnet.Perceptron(average=True),
    "perceptron, last weights": linnet.Perceptron(average=False),
    "perceptron that truncates": linnet.Perceptron(truncate=1e-3),
    "perceptron with snapshots": linnet.Perceptron(snapshot_every=1),
    "MIRA": linnet.MIRA(),
    "multinomial naive Bayes": linnet.MultinomialNB(),
    "Bernoulli naive Bayes": linnet.BernoulliNB(),
    "Gaussian naive Bayes": linnet.GaussianNB(),
}
WARM = {
    "perceptron": linnet.Perceptron(max_iter=2),
    "perceptron that truncates": linnet.Perceptron(max_iter=2, truncate=1e-3),
    "perceptron that stops early": linnet.Perceptron(max_iter=2, early_stopping=True),
    "MIRA": linnet.MIRA(max_iter=2),
    "SVM": linnet.SVM(tol=1e-2),
    "SVM without intercept": linnet.SVM(tol=1e-2, fit_intercept=False),
    "MaxEnt": linnet.MaxEnt(),
    "MaxEnt by steps": linnet.MaxEnt(solver="sgd", max_iter=2, fit_intercept=False),
    "kernel SVM": linnet.KernelSVM(),
}
STRUCTURED = {
    "perceptron": linnet.StructuredPerceptron(average=True),
    "perceptron, last weights": linnet.StructuredPerceptron(average=False),
    "perceptron, updated pairs": linnet.StructuredPerceptron(pairs="updated"),
    "MIRA": linnet.StructuredMIRA(),
}


def _seeded(learner: Any) -> Any:
    learner = copy.deepcopy(learner)
    return learner.set_params(random_state=3) if "random_state" in learner.get_params() else learner


def _partial_fits() -> Iterator[Any]:
    for name, learner in FLAT.items():
        begun = _seeded(learner).partial_fit(ROWS[:20], LABELS[:20], classes=[0, 1, 2])
        wide = None
        if "Gaussian" not in name:
            wide = _seeded(learner).partial_fit(WIDE[:20], LABELS[:20], classes=[0, 1, 2])

        def go_on(model: Any) -> Any:
            return model.partial_fit(ROWS[20:], LABELS[20:])

        def one_row(model: Any) -> Any:
            return model.partial_fit(WIDE[21:22], LABELS[21:22])

        yield pytest.param(_seeded(learner), go_on, id=f"first partial_fit, {name}")
        yield pytest.param(begun, go_on, id=f"partial_fit, {name}")
        if wide is not None:
            yield pytest.param(wide, one_row, id=f"partial_fit of one wide row, {name}")
    for name, learner in STRUCTURED.items():
        begun = _seeded(learner).partial_fit(TOKENS[:6], TAGS[:6])

        def tag_on(model: Any) -> Any:
            return model.partial_fit(TOKENS[6:], TAGS[6:])

        yield pytest.param(begun, tag_on, id=f"partial_fit, structured {name}")


def _fits() -> Iterator[Any]:
    for name, learner in WARM.items():
        begun = _seeded(learner).set_params(warm_start=True).fit(ROWS, LABELS)
        begun.set_params(**({"C": 3.0} if "C" in begun.get_params() else {}))
        yield pytest.param(begun, lambda m: m.fit(ROWS, LABELS), id=f"warm start, {name}")
    begun = linnet.CRF(warm_start=True).fit(TOKENS, TAGS).set_params(C=3.0)
    yield pytest.param(begun, lambda m: m.fit(TOKENS, TAGS), id="warm start, CRF")
    for name, learner in STRUCTURED.items():
        again = _seeded(learner).fit(TOKENS, TAGS)
        yield pytest.param(again, lambda m: m.fit(TOKENS, TAGS), id=f"fit, structured {name}")


CASES = [*_partial_fits(), *_fits()]
PACKAGE = os.path.dirname(linnet.__file__)


@contextmanager
def _interrupt_at(call: int) -> Iterator[list[int]]:
    """Raise KeyboardInterrupt at this call of a function of the package; count the calls."""
    count = [0]

    def hook(frame: FrameType, event: str, _: Any) -> None:
        name = frame.f_code.co_filename
        # leaving restored_on_error is the end of the call: what comes after is done
        if event != "call" or not name.startswith(PACKAGE) or name.endswith("restore.py"):
            return
        count[0] += 1
        if count[0] == call:
            sys.setprofile(None)
            raise KeyboardInterrupt

    sys.setprofile(hook)
    try:
        yield count
    finally:
        sys.setprofile(None)


def _content(model: Any) -> bytes:
    """Return every bit of an estimator but the seconds that its history notes."""
    model = copy.deepcopy(model)
    getattr(model, "history_", {}).pop("seconds", None)
    return pickle.dumps(model)


def _check(model: Any, before: bytes, call: Call, model_of_one_call: bytes) -> None:
    assert _content(model) == before
    assert _content(call(model)) == model_of_one_call


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("begun", "call"), CASES)
def test_an_interrupt_at_any_call_leaves_the_estimator_as_it_was(begun: Any, call: Call) -> None:
    before, whole = _content(begun), _content(call(copy.deepcopy(begun)))
    copied = copy.deepcopy(begun)
    with _interrupt_at(0) as count:
        call(copied)
    calls = count[0]
    assert calls > 3
    for k in sorted({1, 2, *np.linspace(1, calls, 25).astype(int).tolist(), calls - 1, calls}):
        model = copy.deepcopy(begun)
        with pytest.raises(KeyboardInterrupt), _interrupt_at(k):
            call(model)
        _check(model, before, call, whole)


ONLINE = [case for case in CASES if "perceptron" in case.id or "MIRA" in case.id]


@pytest.mark.parametrize("met", [0, 1, 5, 10**6])
@pytest.mark.parametrize(("begun", "call"), ONLINE)
def test_an_interrupt_in_the_middle_of_a_pass_leaves_the_estimator_as_it_was(
    begun: Any, call: Call, met: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, whole = _content(begun), _content(call(copy.deepcopy(begun)))
    online_pass, structured_rounds = _core.online_pass, _core.structured_rounds

    def stopped_pass(order: Any, rates: Any, **rest: Any) -> None:
        online_pass(order=order[:met], rates=rates[:met], **rest)
        raise KeyboardInterrupt

    def stopped_rounds(orders: Any, **rest: Any) -> None:
        structured_rounds(orders=np.ascontiguousarray(orders[:, :met]), **rest)
        raise KeyboardInterrupt

    model = copy.deepcopy(begun)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(_core, "online_pass", stopped_pass)
        patch.setattr(_core, "structured_rounds", stopped_rounds)
        call(model)
    _check(model, before, call, whole)


def test_weights_that_overflow_in_a_later_piece_leave_the_estimator_as_it_was() -> None:
    model = linnet.Perceptron(random_state=0).partial_fit(ROWS, LABELS)
    before = _content(model)
    with pytest.raises(LinnetError):
        model.partial_fit(np.full((9, 12), 1e308), LABELS[:9])
    assert _content(model) == before


def test_an_interrupted_fit_gives_its_random_numbers_back() -> None:
    model = linnet.Perceptron(random_state=np.random.RandomState(5))
    before, whole = _content(model), _content(copy.deepcopy(model).fit(ROWS, LABELS))
    with pytest.raises(KeyboardInterrupt), _interrupt_at(60):
        model.fit(ROWS, LABELS)
    _check(model, before, lambda m: m.fit(ROWS, LABELS), whole)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="POSIX timers")
@pytest.mark.parametrize("seconds", [0.002, 0.005, 0.01, 0.03])
@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize("learner", [linnet.Perceptron(), linnet.MIRA()])
def test_a_signal_leaves_the_estimator_as_it_was(learner: Any, warm: bool, seconds: float) -> None:
    random = np.random.default_rng(1)
    start = np.arange(4001) * 50
    cells = np.ones(start[-1]), random.integers(0, 3000, start[-1]), start
    X = sp.csr_matrix(cells, shape=(4000, 3000))
    X.sum_duplicates()
    y = random.integers(0, 20, 4000)
    begun = _seeded(learner).set_params(max_iter=5, warm_start=warm).fit(X, y)

    def call(model: Any) -> Any:
        return model.fit(X, y) if warm else model.partial_fit(X, y)

    before, whole, model = _content(begun), _content(call(copy.deepcopy(begun))), begun

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        with pytest.raises(KeyboardInterrupt):
            while True:  # a fast machine may be done before the signal comes
                model = copy.deepcopy(begun)
                call(model)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    if _content(model) != whole:  # not after the last line of a whole call
        _check(model, before, call, whole)
