import numpy as np

from cardan.fsw import SafeHold
from cardan.fsw.fault.reconfiguration import SafeHoldMemory
from cardan.messages import FaultReport, FlyerReference, FrameMotion

PLANNED = FlyerReference(r_RN_N=np.ones(3), v_RN_N=np.ones(3))
HERE = FrameMotion(r_BN_N=np.array([5.0, 6.0, 7.0]), sigma_BN=np.array([0.1, 0.0, 0.0]))


def test_an_alarm_without_a_name_holds_the_vehicle_where_it_is_once_patience_ends():
    part, x = SafeHold(patience=2.0), SafeHoldMemory()
    for t, report, where in (
        (0.0, FaultReport(), PLANNED.r_RN_N),
        (1.0, FaultReport(True, -1, 0, 1.0), PLANNED.r_RN_N),
        (3.0, FaultReport(True, -1, 0, 1.0), HERE.r_BN_N),
    ):
        x, out = part.step(t, x, PLANNED, HERE, report)
        assert np.array_equal(out.reference.r_RN_N, where)
    assert not out.reference.v_RN_N.any() and np.array_equal(out.reference.sigma_RN, HERE.sigma_BN)
    moved = FrameMotion(r_BN_N=np.zeros(3))
    x, out = part.step(9.0, x, PLANNED, moved, FaultReport())
    assert np.array_equal(out.reference.r_RN_N, HERE.r_BN_N)  # it stays


def test_a_named_unit_is_left_to_the_allocation():
    part, x = SafeHold(patience=0.0), SafeHoldMemory()
    _, out = part.step(1.0, x, PLANNED, HERE, FaultReport(True, 3, 1, 0.0))
    assert np.array_equal(out.reference.r_RN_N, PLANNED.r_RN_N)
