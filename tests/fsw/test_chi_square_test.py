import numpy as np
import pytest
from scipy import stats

from cardan.fsw import ChiSquareTest, chi_square_limit
from cardan.messages import Residual


@pytest.mark.parametrize("numbers", [3, 30, 60])
def test_the_limit_is_a_quantile_of_the_distribution(numbers):
    for chance in (1e-2, 1e-4):
        assert chi_square_limit(numbers, chance) == pytest.approx(
            stats.chi2.isf(chance, numbers), rel=0.04
        )  # of the approximation


def test_it_sums_over_its_window_and_an_alarm_stays():
    test = ChiSquareTest(window=3, limit=10.0)
    x, sums, alarms = test.initial(), [], []
    for t, value in enumerate((1.0, 2.0, 1.0, 3.0, 0.0, 0.0)):
        x, out = test.step(float(t), x, Residual(np.array([value])))
        sums.append(float(out.report.statistic))
        alarms.append(bool(out.report.is_alarm))
    assert sums == [1.0, 5.0, 6.0, 14.0, 10.0, 9.0]
    assert alarms == [False, False, False, True, True, True]
    assert out.report.since == 3.0 and out.report.suspect == -1
