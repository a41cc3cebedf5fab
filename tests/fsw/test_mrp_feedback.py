import numpy as np
import pytest

from cardan.fsw import MrpFeedback
from cardan.fsw.control.mrp_feedback import MrpFeedbackMemory
from cardan.messages import AttitudeError, BodyTorque, StoredMomentum

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


def test_stored_momentum_and_known_torques_are_cancelled():
    """Together with the wheels' momentum the closed loop is the same as without wheels."""
    stored = StoredMomentum(np.array([20.0, -30.0, 10.0]))
    known = BodyTorque(np.array([0.1, 0.2, -0.3]))
    part = MrpFeedback(K=3.5, P=30.0, inertia_B=INERTIA)
    _, outputs = part.step(0.1, MrpFeedbackMemory(), ERROR, stored, known)
    omega = ERROR.omega_BR_B + ERROR.omega_RN_B
    momentum = INERTIA @ omega + stored.momentum_B
    omega_dot = np.linalg.solve(INERTIA, outputs.torque.torque_B + known.torque_B - np.cross(omega, momentum))
    relative = omega_dot - (ERROR.omega_dot_RN_B - np.cross(omega, ERROR.omega_RN_B))
    assert INERTIA @ relative == pytest.approx(-3.5 * ERROR.sigma_BR - 30.0 * ERROR.omega_BR_B, abs=1e-12)


@pytest.mark.parametrize("is_full", [True, False])
@pytest.mark.parametrize("seed", range(20))
def test_the_energy_of_the_error_falls_however_much_is_cancelled(is_full, seed):
    """V = 1/2 omega.I omega + 2 K ln(1 + sigma^2) + 1/2 Ki z^2 falls at the rate P |omega + Ki z|^2: section 8.4."""
    rng = np.random.default_rng(seed)
    error = AttitudeError(*rng.normal(size=(4, 3)))
    stored, first_B, integral = StoredMomentum(100.0 * rng.normal(size=3)), *rng.normal(size=(2, 3))
    K, P, Ki = 3.5, 30.0, 0.02
    part = MrpFeedback(K=K, P=P, inertia_B=INERTIA, Ki=Ki, is_gyroscopic_full=is_full)
    # a period of zero, so that the integral is that of this instant
    _, outputs = part.step(0.0, MrpFeedbackMemory(integral, first_B, True), error, stored)
    z = integral + INERTIA @ (error.omega_BR_B - first_B)

    omega = error.omega_BR_B + error.omega_RN_B
    momentum = INERTIA @ omega + stored.momentum_B
    spins_up = outputs.torque.torque_B - np.cross(omega, momentum)
    I_omega_BR_dot = spins_up - INERTIA @ (error.omega_dot_RN_B - np.cross(omega, error.omega_RN_B))
    V_dot = (error.omega_BR_B + Ki * z) @ (I_omega_BR_dot + K * error.sigma_BR)
    shrinking = error.omega_BR_B + Ki * z
    # the gyroscopic terms that cancel are of the order of 1e5 N m, times rates of 10 rad/s
    assert V_dot == pytest.approx(-P * shrinking @ shrinking, rel=1e-9, abs=1e-8)


def test_what_is_not_cancelled_is_quadratic_in_the_rate():
    """At rest relative to a reference that does not turn, both forms are the same; in a tumble they are not."""
    still = ERROR._replace(omega_BR_B=np.zeros(3))
    full = MrpFeedback(K=3.5, P=30.0, inertia_B=INERTIA)
    less = full._replace(is_gyroscopic_full=False)

    def torque(part: MrpFeedback, error: AttitudeError) -> np.ndarray:
        return part.step(0.1, MrpFeedbackMemory(), error)[1].torque.torque_B

    assert torque(full, still) == pytest.approx(torque(less, still), abs=1e-14)
    tumbling = ERROR._replace(omega_RN_B=np.zeros(3))
    difference = torque(full, tumbling) - torque(less, tumbling)
    assert difference == pytest.approx(np.cross(ERROR.omega_BR_B, INERTIA @ ERROR.omega_BR_B), abs=1e-13)
