import numpy as np
import pytest

import cardan as cd
from cardan.errors import ImpossibleValue
from cardan.messages import FramePositions, GravityField
from cardan.models import NBodyGravity, PointMassGravity
from gravity_gradients import assert_gradient

MU = np.array([1.32712440018e20, 3.986004415e14, 4.9028e12])  # of Sun, Earth and Moon
CELESTIAL = FramePositions(
    np.array([[0.0, 0.0, 0.0], [1.3e11, 7.0e10, 1.0e9], [1.3e11 + 3.0e8, 7.0e10 + 2.2e8, 1.0e9 - 3.0e7]])
)
EARTH = CELESTIAL.r_BN_N[1]
OTHERS = "`celestial` has another number of bodies than `mu`."


def in_long_double(r_N: np.ndarray, central: int) -> np.ndarray:
    """[m/s^2] The pull on the vehicle less that on the central body, as it is written in books."""
    wide = np.longdouble
    s = CELESTIAL.r_BN_N.astype(wide) - CELESTIAL.r_BN_N[central].astype(wide)
    r = r_N.astype(wide)
    total = -wide(MU[central]) * r / np.sqrt(np.sum(r**2)) ** 3
    for k in set(range(3)) - {central}:
        d = s[k] - r
        total += wide(MU[k]) * (d / np.sqrt(np.sum(d**2)) ** 3 - s[k] / np.sqrt(np.sum(s[k] ** 2)) ** 3)
    return total


# 7,000 km above the Earth's centre, halfway to the Moon, and 2,000 km from the Moon's centre
@pytest.mark.parametrize("r_N", [[6.0e6, -3.0e6, 2.0e6], [1.5e8, 1.1e8, -1.0e7], [3.0e8, 2.2e8 + 2.0e6, -3.0e7]])
def test_third_bodies_are_the_difference_of_their_pulls(r_N):
    r_N = np.array(r_N)
    g_N = NBodyGravity(mu=MU, central=1).pull(FramePositions(r_N[None]), CELESTIAL).g_N[0]
    exact = in_long_double(r_N, central=1)
    # near the Moon, r and the Moon's position cancel in 200 units in the last place
    assert g_N == pytest.approx(exact.astype(float), rel=1e-13)


def test_the_suns_tide_near_the_earth_keeps_its_digits():
    """The naive difference of two pulls of 6e-3 m/s^2 leaves 8 digits of a tide of 4e-10 m/s^2."""
    r_N = np.array([6.0e3, -3.0e3, 2.0e3])
    sun_alone = NBodyGravity(mu=[MU[0], 0.0, 0.0], central=1).pull(FramePositions(r_N[None]), CELESTIAL)
    s = np.asarray(-EARTH, np.longdouble)
    d = s - r_N
    exact = (MU[0] * (d / np.sqrt(np.sum(d**2)) ** 3 - s / np.sqrt(np.sum(s**2)) ** 3)).astype(float)
    assert sun_alone.g_N[0] == pytest.approx(exact, rel=1e-10)  # what long doubles keep of the difference
    naive = MU[0] * (-(EARTH + r_N) / np.linalg.norm(EARTH + r_N) ** 3 + EARTH / np.linalg.norm(EARTH) ** 3)
    assert np.abs(naive - exact).max() > 100.0 * np.abs(sun_alone.g_N[0] - exact).max()


def test_without_a_central_body_all_pull_from_where_they_are():
    r_N = np.array([1.3e11 + 6.0e6, 7.0e10 - 3.0e6, 1.0e9])
    g_N = NBodyGravity(mu=MU, central=-1).pull(FramePositions(r_N[None]), CELESTIAL).g_N[0]
    d = r_N - CELESTIAL.r_BN_N
    assert g_N == pytest.approx(-(MU / np.linalg.norm(d, axis=1) ** 3) @ d, rel=1e-14)


def test_one_body_alone_is_a_point_mass():
    r = FramePositions(np.array([[7.0e6, 1.0e6, 2.0e6], [7.0e6, 1.0e6, 2.1e6]]))
    alone = NBodyGravity(mu=[MU[1]]).pull(r, FramePositions(np.zeros((1, 3)))).g_N
    assert alone == pytest.approx(PointMassGravity(mu=MU[1]).pull(r).g_N, rel=1e-15)


def test_another_number_of_celestial_bodies_is_refused():
    part = NBodyGravity(mu=MU)
    for rows in (1, 2, 4):
        with pytest.raises(ValueError) as caught:
            part.pull(FramePositions(np.ones((1, 3))), FramePositions(np.ones((rows, 3))))
        assert str(caught.value) == f"NBodyGravity: {OTHERS}"


def test_the_gradient_is_that_of_the_pull():
    part = NBodyGravity(mu=MU, central=1)
    assert_gradient(lambda r: part.pull(FramePositions(r), CELESTIAL))
    assert np.all(part._replace(has_gradient=False).pull(FramePositions(np.ones((2, 3))), CELESTIAL).gradient_N == 0.0)


def pulled(part: NBodyGravity, celestial: FramePositions, **options: bool) -> GravityField:
    """What it sends in a run."""
    scn = cd.Scenario("test")
    at = FramePositions(np.ones((1, 3)))
    scn.add(part, name="gravity", positions=at, celestial=celestial)
    sim = cd.Simulation(scn, integrator=cd.Rk4(step=0.1), **options)
    sim.run(until=0.1, record=cd.Record(ports=["gravity.pull"]))
    return sim["gravity.pull"]


@pytest.mark.parametrize("jit", [True, False])
def test_another_number_of_celestial_bodies_stops_a_scenario(jit):
    with pytest.raises(ValueError) as caught:
        pulled(NBodyGravity(mu=MU), FramePositions(np.ones((2, 3))), jit=jit)
    assert str(caught.value) == f"NBodyGravity: {OTHERS}"
    assert caught.value.__notes__ == ["while finding the size of `gravity.pull` from the initial messages"]


@pytest.mark.parametrize("central", [3, -2])
def test_a_central_body_that_does_not_exist_is_refused(central):
    with pytest.raises(ImpossibleValue, match=r"`NBodyGravity\.central` must be -1, or which entry of `mu`"):
        NBodyGravity(mu=MU, central=central)
