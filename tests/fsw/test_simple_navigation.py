import numpy as np
import pytest

import cardan as cd
from cardan.fsw import SimpleNavigation
from cardan.maths import RandomKey, dcm_from_mrp
from cardan.messages import FrameMotion

TRUTH = FrameMotion(
    r_BN_N=np.array([7.0e6, -2.0e5, 3.0e4]),
    v_BN_N=np.array([10.0, 7500.0, -3.0]),
    sigma_BN=np.array([0.1, 0.2, -0.3]),
    omega_BN_B=np.array([0.01, -0.02, 0.03]),
)
TICKS = 3000


def turned(sigma_BN: np.ndarray) -> np.ndarray:
    """[rad] The small turn, about body axes, from the true attitude to the one that is told."""
    dcm = dcm_from_mrp(sigma_BN) @ dcm_from_mrp(TRUTH.sigma_BN).T
    return 0.5 * np.array([dcm[1, 2] - dcm[2, 1], dcm[2, 0] - dcm[0, 2], dcm[0, 1] - dcm[1, 0]])


def test_without_errors_it_tells_the_truth_exactly():
    told = SimpleNavigation().step(TRUTH, RandomKey(5, 7))
    for name in FrameMotion._fields:
        assert np.array_equal(getattr(told.motion, name), getattr(TRUTH, name)), name
    assert np.array_equal(told.attitude.sigma_BN, TRUTH.sigma_BN)
    assert np.array_equal(told.attitude.omega_BN_B, TRUTH.omega_BN_B)


def test_a_bias_is_added_in_its_own_frame():
    bias = np.array([3.0e-4, -2.0e-4, 1.0e-4])
    part = SimpleNavigation(position_bias_N=bias, velocity_bias_N=2.0 * bias, attitude_bias_B=3.0 * bias,
                            rate_bias_B=4.0 * bias)  # fmt: skip
    told = part.step(TRUTH, RandomKey(5, 7))
    assert told.motion.r_BN_N - TRUTH.r_BN_N == pytest.approx(bias, abs=1e-9)  # 7e6 m, 16 digits
    assert told.motion.v_BN_N - TRUTH.v_BN_N == pytest.approx(2.0 * bias, abs=1e-12)
    assert turned(told.motion.sigma_BN) == pytest.approx(3.0 * bias, abs=1e-9)  # a turn by 1e-3, cubed
    assert told.motion.omega_BN_B - TRUTH.omega_BN_B == pytest.approx(4.0 * bias, abs=1e-17)


def test_both_outputs_tell_the_same_attitude():
    part = SimpleNavigation(attitude_noise=0.1, rate_noise=0.1)
    told = part.step(TRUTH, RandomKey(5, 7))
    assert np.array_equal(told.motion.sigma_BN, told.attitude.sigma_BN)
    assert np.array_equal(told.motion.omega_BN_B, told.attitude.omega_BN_B)


@pytest.fixture(scope="module")
def errors() -> dict[str, np.ndarray]:
    """Of many ticks, divided by their standard deviations."""
    part = SimpleNavigation(position_noise=10.0, velocity_noise=0.1, attitude_noise=1.0e-3, rate_noise=1.0e-4)
    told = [part.step(TRUTH, RandomKey(5, tick)).motion for tick in range(TICKS)]
    return {
        "position": np.array([m.r_BN_N - TRUTH.r_BN_N for m in told]) / 10.0,
        "velocity": np.array([m.v_BN_N - TRUTH.v_BN_N for m in told]) / 0.1,
        "attitude": np.array([turned(m.sigma_BN) for m in told]) / 1.0e-3,
        "rate": np.array([m.omega_BN_B - TRUTH.omega_BN_B for m in told]) / 1.0e-4,
    }


def test_noise_has_no_mean_and_the_deviation_that_was_asked_for(errors):
    every = np.concatenate(list(errors.values()), axis=1)
    # five standard errors of the mean and of the deviation
    assert np.abs(every.mean(axis=0)).max() < 5.0 / np.sqrt(TICKS)
    assert np.abs(every.std(axis=0) - 1.0).max() < 5.0 / np.sqrt(2.0 * TICKS)


def test_noise_is_independent_between_axes_and_ticks(errors):
    every = np.concatenate(list(errors.values()), axis=1)
    correlation = np.corrcoef(every, rowvar=False) - np.eye(12)
    assert np.abs(correlation).max() < 5.0 / np.sqrt(TICKS)
    assert np.abs(np.mean(every[1:] * every[:-1], axis=0)).max() < 5.0 / np.sqrt(TICKS)


def test_a_seed_repeats_a_run_and_another_one_does_not():
    def told(seed: int) -> np.ndarray:
        scn = cd.Scenario("test", seed=seed)
        scn.add(SimpleNavigation(position_noise=1.0), name="nav", every=0.1, truth=TRUTH)
        return cd.Simulation(scn, integrator=cd.Rk4(step=0.1), jit=False).run(until=1.0)["nav.motion"].r_BN_N

    assert np.array_equal(told(1), told(1))
    assert not np.array_equal(told(1), told(2))
