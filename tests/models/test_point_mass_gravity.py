import numpy as np
import pytest

import cardan as cd
from cardan.celestial import EARTH
from cardan.messages import FramePositions
from cardan.models import PointMassGravity
from gravity_gradients import assert_gradient

MU = EARTH.mu


def test_each_body_is_pulled_towards_the_origin_with_the_inverse_square():
    r_BN_N = np.array([[7.0e6, 0.0, 0.0], [0.0, -1.4e7, 0.0], [3.0e6, 4.0e6, 1.2e7]])
    g_N = PointMassGravity().pull(FramePositions(r_BN_N)).g_N
    assert g_N[0] == pytest.approx([-MU / 7.0e6**2, 0.0, 0.0], rel=1e-15)
    assert g_N[1] == pytest.approx([0.0, MU / 1.4e7**2, 0.0], rel=1e-15)
    # 3, 4, 12 have the length 13
    assert g_N[2] == pytest.approx(-MU / 1.3e7**2 * np.array([3.0, 4.0, 12.0]) / 13.0, rel=1e-15)


def test_the_pull_is_the_gradient_of_the_potential():
    r, step = np.array([4.0e6, -5.0e6, 6.0e6]), 10.0

    def potential(at: np.ndarray) -> float:
        return -MU / np.linalg.norm(at)

    slope = [(potential(r + d) - potential(r - d)) / (2.0 * step) for d in step * np.eye(3)]
    # the difference of two potentials of 4.5e7 J/kg has an error of 7e-9 J/kg, over 20 m
    g_N = PointMassGravity().pull(FramePositions(r[None])).g_N[0]
    assert g_N == pytest.approx(-np.array(slope), abs=3e-9)


def test_the_gradient_is_that_of_the_pull():
    assert_gradient(lambda r: PointMassGravity().pull(FramePositions(r)))
    assert np.all(PointMassGravity(has_gradient=False).pull(FramePositions(np.ones((2, 3)))).gradient_N == 0.0)


@pytest.mark.parametrize("dynamics", [cd.RecursiveTree(), cd.Mujoco()], ids=["recursive-tree", "mujoco"])
def test_a_body_follows_the_ellipse_of_its_elements(dynamics):
    m = cd.Mechanism("point")
    body = m.add_body("body", joint=cd.Free(), mass=4.0, inertia_B=np.eye(3))
    group = m.group_of_bodies("all")
    scn = cd.Scenario("orbit", mechanism=m)
    earth = scn.add(PointMassGravity(), name="earth", positions=group.positions)
    scn.connect(earth.pull, group.gravity)
    a, e = 9.0e6, 0.2
    elements = {"a": a, "e": e, "i": 0.5, "Omega": 1.0, "omega": 2.0}
    scn.start({body: cd.orbit(f=0.0, **elements)})
    sim = cd.Simulation(scn, dynamics=dynamics, integrator=cd.Dop853(rtol=1e-13, atol=1e-9))
    # half a revolution: from periapsis to apoapsis
    half = np.pi * np.sqrt(a**3 / MU)
    log = sim.run(until=round(half, 9), record=cd.Record(every=round(half, 9), ports=["body.motion"]))
    expected = cd.orbit(f=np.pi, **elements)
    # 2e7 m travelled, at tolerances of 1e-13
    assert log["body.motion"].r_BN_N[-1] == pytest.approx(expected.r_BN_N, abs=1e-3)
    assert log["body.motion"].v_BN_N[-1] == pytest.approx(expected.v_BN_N, abs=1e-6)
