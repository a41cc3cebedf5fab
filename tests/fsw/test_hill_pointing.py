import numpy as np
import pytest

import cardan as cd
from cardan.celestial import EARTH
from cardan.fsw import HillPointing
from cardan.maths import dcm_from_mrp
from cardan.messages import FrameMotion

MU = EARTH.mu
ORBIT = {"a": 9.0e6, "e": 0.25, "i": 0.7, "Omega": 1.0, "omega": 2.0}
PART = HillPointing(sigma_RH=[0.1, -0.2, 0.3])


def after(motion: FrameMotion, dt: float) -> FrameMotion:
    """The motion `dt` later on its orbit: the series of Newton's equation to the fourth power of `dt`."""
    r, v = motion.r_BN_N, motion.v_BN_N
    u, rv, vv = MU / np.linalg.norm(r) ** 3, r @ v / (r @ r), v @ v / (r @ r)
    f = 1.0 - u * dt**2 / 2.0 + u * rv * dt**3 / 2.0 + u * (u - 15.0 * rv**2 + 3.0 * (vv - u)) * dt**4 / 24.0
    g = dt - u * dt**3 / 6.0 + u * rv * dt**4 / 4.0
    f_dot = -u * dt + 1.5 * u * rv * dt**2 + u * (u - 15.0 * rv**2 + 3.0 * (vv - u)) * dt**3 / 6.0
    g_dot = 1.0 - u * dt**2 / 2.0 + u * rv * dt**3
    return FrameMotion(r_BN_N=f * r + g * v, v_BN_N=f_dot * r + g_dot * v)


def test_the_hill_frame_points_outwards_along_the_track_and_along_the_momentum():
    motion = cd.orbit(f=0.8, **ORBIT)
    dcm_HN = dcm_from_mrp(HillPointing().step(motion).reference.sigma_RN)
    r, v = motion.r_BN_N, motion.v_BN_N
    assert dcm_HN @ r == pytest.approx([np.linalg.norm(r), 0.0, 0.0], abs=1e-7)
    assert dcm_HN @ np.cross(r, v) == pytest.approx([0.0, 0.0, np.linalg.norm(np.cross(r, v))], rel=1e-14, abs=1e-4)
    assert (dcm_HN @ v)[1] > 0.0


@pytest.mark.parametrize("f", np.linspace(0.0, 6.0, 7))
def test_rate_and_acceleration_are_those_of_the_frame_along_a_keplerian_orbit(f):
    motion, step = cd.orbit(f=f, **ORBIT), 0.5
    before, now, later = (PART.step(after(motion, d)).reference for d in (-step, 0.0, step))
    dcm_RN = dcm_from_mrp(now.sigma_RN)
    # d(dcm_RN)/dt = - tilde(omega_R) dcm_RN
    tilde = -(dcm_from_mrp(later.sigma_RN) - dcm_from_mrp(before.sigma_RN)) / (2.0 * step) @ dcm_RN.T
    omega_N = dcm_RN.T @ np.array([tilde[2, 1], tilde[0, 2], tilde[1, 0]])
    # the angle's third derivative is of the order of omega^3 = 1e-9, times step^2 / 6; rounding is 1e-16 / step
    assert omega_N == pytest.approx(now.omega_RN_N, abs=5e-10)
    omega_dot_N = (later.omega_RN_N - before.omega_RN_N) / (2.0 * step)
    assert omega_dot_N == pytest.approx(now.omega_dot_RN_N, abs=1e-12)


def test_on_a_circle_it_turns_steadily_once_per_revolution():
    reference = HillPointing().step(cd.circular_orbit(altitude_km=500.0, i=0.9)).reference
    n = np.sqrt(MU / 6878136.3**3)
    assert np.linalg.norm(reference.omega_RN_N) == pytest.approx(n, rel=1e-14)
    assert reference.omega_dot_RN_N == pytest.approx(np.zeros(3), abs=1e-20)


def test_the_offset_turns_the_frame_and_not_its_motion():
    motion = cd.orbit(f=0.8, **ORBIT)
    plain, turned = HillPointing().step(motion).reference, PART.step(motion).reference
    expected = dcm_from_mrp(PART.sigma_RH) @ dcm_from_mrp(plain.sigma_RN)
    assert dcm_from_mrp(turned.sigma_RN) == pytest.approx(expected, abs=1e-14)
    assert np.array_equal(turned.omega_RN_N, plain.omega_RN_N)
    assert np.array_equal(turned.omega_dot_RN_N, plain.omega_dot_RN_N)
