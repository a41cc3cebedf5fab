import numpy as np
import pytest

from cardan.fsw import ThrustAim
from cardan.maths import dcm_from_mrp
from cardan.messages import FrameMotion, StoredMomentum, VehicleMomentum

SIGMA_BN = np.array([0.1, -0.2, 0.15])
DCM_BN = dcm_from_mrp(SIGMA_BN)
MOUNT_N, CENTRE_N = np.array([100.0, 0.5, -2.0]), np.array([100.3, 0.1, 0.2])


def axis(part, momentum_B=(0.0, 0.0, 0.0)):
    body = FrameMotion(sigma_BN=SIGMA_BN)
    vehicle = VehicleMomentum(r_CN_N=CENTRE_N)
    stored = StoredMomentum(np.array(momentum_B))
    return part.step(body, FrameMotion(r_BN_N=MOUNT_N), vehicle, stored).axis.axis_B


def torque(axis_B, thrust):
    """[N m] Of the thrust about the centre of mass, in body components."""
    return np.cross(DCM_BN @ (MOUNT_N - CENTRE_N), thrust * axis_B)


def test_by_default_the_thrust_goes_through_the_centre_of_mass():
    found = axis(ThrustAim(thrust=0.28), momentum_B=(5.0, 5.0, 5.0))
    assert np.linalg.norm(found) == pytest.approx(1.0)
    assert torque(found, 0.28) == pytest.approx([0.0, 0.0, 0.0], abs=1e-15)
    assert found @ DCM_BN @ (CENTRE_N - MOUNT_N) > 0.0


def test_the_torque_opposes_the_momentum_across_the_thrust():
    momentum_B, rate = np.array([2.0, -1.0, 3.0]), 1e-5
    found = axis(ThrustAim(thrust=0.28, unload_rate=rate), momentum_B)
    line_B = DCM_BN @ (CENTRE_N - MOUNT_N)
    line_B = line_B / np.linalg.norm(line_B)
    wanted_B = -rate * (momentum_B - momentum_B @ line_B * line_B)
    # the axis is a unit vector: second order in the offset is left out
    assert torque(found, 0.28) == pytest.approx(wanted_B, rel=1e-7, abs=1e-15)


def test_momentum_along_the_thrust_changes_nothing():
    line_B = DCM_BN @ (CENTRE_N - MOUNT_N)
    aimed = axis(ThrustAim(thrust=0.28))
    assert axis(ThrustAim(thrust=0.28, unload_rate=1e-4), 10.0 * line_B) == pytest.approx(aimed, abs=1e-15)


def test_the_offset_is_limited():
    aimed = axis(ThrustAim(thrust=0.28))
    found = axis(ThrustAim(thrust=0.28, unload_rate=1.0, max_offset=0.03), (50.0, 20.0, 0.0))
    assert np.arccos(found @ aimed) == pytest.approx(np.arctan(0.03), rel=1e-9)
