import numpy as np
import pytest

from cardan.fsw import ParityTest, parities_of
from cardan.fsw.fault.reporting import AlarmMemory
from cardan.messages import RedundantMeasurements

# six gyroscopes on the faces of a dodecahedron
GOLDEN = 0.5 * (1.0 + np.sqrt(5.0))
AXES = np.array([[1, 0, GOLDEN], [-1, 0, GOLDEN], [GOLDEN, 1, 0], [GOLDEN, -1, 0], [0, GOLDEN, 1], [0, GOLDEN, -1]])
AXES = AXES / np.sqrt(1.0 + GOLDEN**2)
TEST = ParityTest(parities_of(AXES), noise=0.01, limit=20.0)


def report(measured):
    return TEST.step(1.0, AlarmMemory(), RedundantMeasurements(measured))[1].report


def test_parities_do_not_see_what_is_measured():
    assert np.allclose(TEST.parities @ AXES, 0.0, atol=1e-12)
    assert report(AXES @ [0.3, -2.0, 1.0]).statistic < 1e-20


@pytest.mark.parametrize("bad", range(6))
def test_the_sensor_that_disagrees_is_named(bad):
    told = report(AXES @ [0.3, -2.0, 1.0] + 0.2 * np.eye(6)[bad])
    assert told.is_alarm and told.suspect == bad


def test_with_one_parity_none_is_named():
    test = ParityTest(parities_of(AXES[:4]), noise=0.01, limit=10.0)
    _, out = test.step(1.0, AlarmMemory(), RedundantMeasurements(AXES[:4] @ np.ones(3) + [0.5, 0, 0, 0]))
    assert out.report.is_alarm and out.report.suspect == -1


def test_another_number_of_sensors_is_refused():
    with pytest.raises(ValueError, match="ParityTest: `measured` has another number of sensors"):
        report(np.zeros(5))
