import numpy as np
import pytest

from cardan.fsw import MrpFeedback
from cardan.fsw.control.mrp_feedback import MrpFeedbackMemory
from cardan.messages import AttitudeError

INERTIA = np.diag([900.0, 800.0, 600.0])
ERROR = AttitudeError(
    sigma_BR=np.array([0.1, 0.2, -0.3]),
    omega_BR_B=np.array([0.01, -0.02, 0.03]),
    omega_RN_B=np.array([0.002, 0.001, 0.003]),
    omega_dot_RN_B=np.array([1e-4, -2e-4, 3e-4]),
)


def test_with_perfect_knowledge_the_closed_loop_is_linear_in_rate():
    """Inertia d(omega_BR)/dt = -K sigma - P omega_BR: Schaub and Junkins, Eq. (8.63)."""
    _, outputs = MrpFeedback(K=3.5, P=30.0, inertia_B=INERTIA).step(0.1, MrpFeedbackMemory(), ERROR)
    omega = ERROR.omega_BR_B + ERROR.omega_RN_B
    omega_dot = np.linalg.solve(INERTIA, outputs.torque.torque_B - np.cross(omega, INERTIA @ omega))
    # the rate of omega_BR as seen in B
    relative = omega_dot - (ERROR.omega_dot_RN_B - np.cross(omega, ERROR.omega_RN_B))
    assert INERTIA @ relative == pytest.approx(-3.5 * ERROR.sigma_BR - 30.0 * ERROR.omega_BR_B, abs=1e-12)


def test_the_integral_term_counts_from_the_first_tick():
    part = MrpFeedback(K=3.5, P=30.0, inertia_B=INERTIA, Ki=1e-3)
    memory, first = part.step(0.5, MrpFeedbackMemory(), ERROR)
    _, without = MrpFeedback(K=3.5, P=30.0, inertia_B=INERTIA).step(0.5, MrpFeedbackMemory(), ERROR)
    # at the first tick z is the attitude integral alone
    assert without.torque.torque_B - first.torque.torque_B == pytest.approx(30.0 * 1e-3 * 0.5 * 3.5 * ERROR.sigma_BR)
    slower = ERROR._replace(omega_BR_B=ERROR.omega_BR_B - 0.01)
    _, second = part.step(0.5, memory, slower)
    _, plain = MrpFeedback(K=3.5, P=30.0, inertia_B=INERTIA).step(0.5, memory, slower)
    z = 2 * 0.5 * 3.5 * ERROR.sigma_BR + INERTIA @ np.full(3, -0.01)
    assert plain.torque.torque_B - second.torque.torque_B == pytest.approx(30.0 * 1e-3 * z)


def test_the_integral_does_not_wind_up():
    part = MrpFeedback(K=3.5, P=30.0, inertia_B=INERTIA, Ki=1e-3, integral_limit=0.4)
    memory = MrpFeedbackMemory()
    for _ in range(20):
        memory, _ = part.step(0.5, memory, ERROR)
    assert memory.K_sigma_integral_BR.tolist() == [0.4, 0.4, -0.4]
