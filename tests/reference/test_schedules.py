from __future__ import annotations

import numpy as np
import pytest

from linnet.errors import ParameterError
from linnet.reference import schedules


@pytest.mark.spec("F-14", "M-125", "A-38")
@pytest.mark.filterwarnings("ignore:beta")
@pytest.mark.parametrize(
    ("beta", "total"), [(0.5, 1998.54), (1, 14.3927), (1.5, 2.6104), (2, 1.6449)]
)
def test_step_sums_to_a_million(beta, total):
    t = np.arange(1, 10**6 + 1, dtype=float)
    assert (t**-beta).sum() == pytest.approx(total, rel=1e-4)
    schedule = schedules.power(1.0, beta)
    assert [schedule(k) for k in (1, 10)] == pytest.approx([1.0, 10.0**-beta])


@pytest.mark.spec("M-125", "A-28")
def test_schedules_have_their_first_values():
    first = [1, 2, 11]  # the lecture's t = 0, 1, 10
    assert [schedules.reciprocal(4.0)(t) for t in first] == pytest.approx([1 / 4, 1 / 5, 1 / 14])
    assert [schedules.constant(0.3)(t) for t in first] == [0.3] * 3
    assert [schedules.inverse_lambda(0.5)(t) for t in (1, 10)] == pytest.approx([2.0, 0.2])


@pytest.mark.spec("M-125")
def test_held_out_adaptation_raises_while_likelihood_rises_else_lowers():
    assert schedules.adapt(1.0, -5.0, -4.0) > 1.0 > schedules.adapt(1.0, -4.0, -4.0)


@pytest.mark.parametrize(
    "make",
    [schedules.constant, schedules.reciprocal, schedules.power, schedules.inverse_lambda],
)
def test_rates_must_be_positive(make):
    with pytest.raises(ParameterError, match="positive"):
        make(0.0)
