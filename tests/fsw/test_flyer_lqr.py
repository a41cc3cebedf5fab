import numpy as np
import pytest
from test_flyer_pd import closed_loop

import cardan as cd
from cardan.fsw import flyer_lqr
from cardan.messages import FlyerReference, FrameMotion
from cardan.missions.vehicles import add_flyer

BEE = add_flyer(cd.Mechanism("bee"), "astrobee", name="bee")
DT = 0.25


def lqr(flyer=BEE, period=DT, **options):
    thrusters = flyer.thrusters
    return flyer_lqr(flyer.mass, flyer.inertia_C_B, flyer.mixer, thrusters.max_thrust, period=period, **options)


def plant():
    """The flyer as twelve linear equations over a period, written out again."""
    spread = np.zeros((6, 6))
    spread[:3, :3], spread[3:, 3:] = np.eye(3) / BEE.mass, np.linalg.inv(BEE.inertia_C_B)
    A = np.eye(12) + DT * np.eye(12, k=6)
    return A, np.vstack([0.5 * DT**2 * spread, DT * spread])


def test_the_gain_minimises_the_cost_over_all_periods():
    """Its cost satisfies Bellman's equation, and any other gain costs more."""
    A, B = plant()
    Q, R = np.diag(np.r_[np.ones(6), np.full(3, 10.0), np.ones(3)]), 1e-3 * np.linalg.inv(BEE.mixer @ BEE.mixer.T)

    def cost(gain):
        P, closed = np.zeros((12, 12)), A - B @ gain
        for _ in range(2000):
            P = Q + gain.T @ R @ gain + closed.T @ P @ closed
        return P

    best = lqr().gain
    P = cost(best)
    assert best == pytest.approx(np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A), rel=1e-8, abs=1e-9)
    rng = np.random.default_rng(1)
    for _ in range(5):
        other = cost(best * (1.0 + 0.1 * rng.normal(size=best.shape)))
        assert np.all(np.linalg.eigvalsh(other - P) > -1e-9)


def test_the_closed_loop_is_stable():
    A, B = plant()
    assert np.max(np.abs(np.linalg.eigvals(A - B @ lqr().gain))) < 0.95


def test_the_weight_of_a_wrench_is_the_least_effort_that_gives_it():
    """Minimising over thrusts first, as SmallSatSim's controller does: the same gain as with twelve inputs."""
    from scipy.linalg import solve_discrete_are

    A, B = plant()
    wide = B @ BEE.mixer
    Q, R = np.diag(np.r_[np.ones(6), np.full(3, 10.0), np.ones(3)]), 1e-3 * np.eye(12)
    P = solve_discrete_are(A, wide, Q, R)
    thrust_gain = np.linalg.solve(R + wide.T @ P @ wide, wide.T @ P @ A)
    assert BEE.mixer @ thrust_gain == pytest.approx(lqr().gain, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("kind", ["astrobee", "sprint", "cubesat"])
def test_every_flyer_comes_to_rest_at_its_set_point(kind):
    m = cd.Mechanism(kind)
    flyer = add_flyer(m, kind, name="f")
    start = FrameMotion(r_BN_N=[1.0, -0.5, 0.8], v_BN_N=[0.02, 0.0, 0.05], sigma_BN=[0.3, -0.2, 0.4])
    sim, _ = closed_loop(lqr(flyer), flyer, m, FlyerReference(sigma_RN=[0.0, 0.1, 0.0]), start, period=DT)
    error = sim["ctl.error"]
    assert np.linalg.norm(error.r_BR_B) < 1e-4 and np.linalg.norm(error.theta_BR_B) < 1e-4


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"state_weights": -np.ones(12)}, "`flyer_lqr.state_weights` must be symmetric and positive semi-definite."),
        ({"state_weights": np.ones(13)}, "`flyer_lqr.state_weights` must be 12 numbers or a matrix of 12 x 12"),
        ({"state_weights": np.ones((12, 11))}, "`flyer_lqr.state_weights` must be symmetric and positive semi-def"),
        ({"state_weights": np.zeros(12)}, "`flyer_lqr.state_weights` leaves errors without a price"),
        ({"thrust_weight": 0.0}, "`flyer_lqr.thrust_weight` must be positive."),
        ({"period": 0.0}, "`flyer_lqr.period` must be positive."),
    ],
)
def test_weights_that_make_no_sense_are_refused(options, text):
    with pytest.raises(cd.CardanError) as caught:
        lqr(**options)
    assert str(caught.value).startswith(text)
