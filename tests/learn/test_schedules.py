"""Learning-rate schedules: their values, and what they refuse."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from linnet.errors import ParameterError
from linnet.learn.shared.schedules import (
    Constant,
    HeldOut,
    InverseTime,
    Pegasos,
    Power,
    check_schedule,
)
from linnet.reference import schedules as reference


@pytest.mark.spec("M-125", "A-28")
def test_each_schedule_has_the_lectures_values() -> None:
    at = [0, 1, 10]  # steps made before
    assert [float(Constant(0.5).rates(t, 1)[0]) for t in at] == [0.5, 0.5, 0.5]
    assert [float(InverseTime(2.0).rates(t, 1)[0]) for t in at] == [1 / 2, 1 / 3, 1 / 12]
    assert [float(Power(2.0, 1.0).rates(t, 1)[0]) for t in at] == [2, 1, 2 / 11]
    assert [float(Pegasos(0.5).rates(t, 1)[0]) for t in at] == [2, 1, 2 / 11]


@pytest.mark.spec("M-125")
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (Constant(0.3), reference.constant(0.3)),
        (InverseTime(3.0), reference.reciprocal(3.0)),
        (Power(0.7, 0.6), reference.power(0.7, 0.6)),
        (Pegasos(0.2), reference.inverse_lambda(0.2)),
    ],
)
def test_each_schedule_equals_the_reference(ours: Power, theirs: reference.Schedule) -> None:
    np.testing.assert_allclose(ours.rates(5, 20), [theirs(t) for t in range(6, 26)], rtol=1e-14)
    assert pickle.loads(pickle.dumps(ours)) == ours


@pytest.mark.spec("F-14", "A-38")
@pytest.mark.filterwarnings("ignore:beta")
@pytest.mark.parametrize(
    ("beta", "total"), [(0.5, 1998.54), (1.0, 14.3927), (1.5, 2.6104), (2.0, 1.6449)]
)
def test_the_first_million_rates_have_the_fixtures_sum(beta: float, total: float) -> None:
    assert Power(1.0, beta).rates(0, 10**6).sum() == pytest.approx(total, rel=5e-6, abs=5e-5)


@pytest.mark.spec("A-38")
def test_a_power_above_one_warns_that_it_may_stop_short() -> None:
    with pytest.warns(UserWarning, match="may stop short"):
        Power(beta=1.5)


@pytest.mark.spec("M-125")
def test_held_out_rates_rise_while_the_likelihood_rises_and_fall_when_it_falls() -> None:
    schedule = HeldOut(1.0, up=2.0, down=0.25).after_round(-5.0)
    assert schedule.eta == 1.0
    schedule = schedule.after_round(-4.0)
    assert schedule.eta == 2.0
    schedule = schedule.after_round(-4.5)
    assert schedule.eta == 0.5
    assert schedule.eta == reference.adapt(2.0, -4.0, -4.5, down=0.25)
    assert schedule.rates(100, 2).tolist() == [0.5, 0.5]


def test_numbers_are_constant_rates_and_other_things_are_refused() -> None:
    assert check_schedule(2) == Constant(2.0)
    for bad in ("fast", True, None):
        with pytest.raises(ParameterError, match="rates"):
            check_schedule(bad)
    with pytest.raises(ParameterError, match="C must be positive"):
        InverseTime(0.0)
    with pytest.raises(ParameterError, match="offset"):
        Pegasos(1.0, offset=-1.0)
    with pytest.raises(ParameterError, match="share < 1"):
        HeldOut(share=1.0)
