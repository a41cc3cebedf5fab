import numpy as np
import pytest

from cardan.fsw import CusumTest
from cardan.messages import Residual


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_shift_is_found_after_limit_over_excess_and_named(sign):
    test = CusumTest(allowance=0.5, limit=10.0)
    shifted = Residual(np.array([0.0, sign * 2.0, 0.4]))
    x = test.initial(shifted)
    ticks = 0
    while not x.is_alarm:
        x, out = test.step(float(ticks), x, shifted)
        ticks += 1
    assert ticks == 7  # 7 (2 - 0.5) > 10
    assert out.report.suspect == 1


def test_what_stays_below_the_allowance_raises_nothing():
    test, x = CusumTest(allowance=0.5), None
    for t in range(1000):
        r = Residual(np.array([0.5, -0.5]))
        x, out = test.step(float(t), test.initial(r) if x is None else x, r)
    assert not out.report.is_alarm and out.report.statistic == 0.0
