import numpy as np
import pytest

import cardan as cd
from cardan.celestial import EARTH
from cardan.messages import FramePositions
from cardan.models import PointMassGravity

MU = EARTH.mu


def test_each_body_is_pulled_towards_the_origin_with_the_inverse_square():
    r_BN_N = np.array([[7.0e6, 0.0, 0.0], [0.0, -1.4e7, 0.0], [3.0e6, 4.0e6, 1.2e7]])
    force_N = PointMassGravity(mass=[10.0, 20.0, 5.0]).pull(FramePositions(r_BN_N)).force_N
    assert force_N[0] == pytest.approx([-10.0 * MU / 7.0e6**2, 0.0, 0.0], rel=1e-15)
    assert force_N[1] == pytest.approx([0.0, 20.0 * MU / 1.4e7**2, 0.0], rel=1e-15)
    # 3, 4, 12 have the length 13
    assert force_N[2] == pytest.approx(-5.0 * MU / 1.3e7**2 * np.array([3.0, 4.0, 12.0]) / 13.0, rel=1e-15)


def test_the_pull_is_the_gradient_of_the_potential():
    r, step = np.array([4.0e6, -5.0e6, 6.0e6]), 10.0

    def potential(at: np.ndarray) -> float:
        return -MU * 3.0 / np.linalg.norm(at)

    slope = [(potential(r + d) - potential(r - d)) / (2.0 * step) for d in step * np.eye(3)]
    # the difference of two potentials of 1.4e8 J has an error of 1.5e-8 J, over 20 m
    force_N = PointMassGravity(mass=[3.0]).pull(FramePositions(r[None])).force_N[0]
    assert force_N == pytest.approx(-np.array(slope), abs=1e-8)


@pytest.mark.parametrize("dynamics", [cd.RecursiveTree(), cd.Mujoco()], ids=["recursive-tree", "mujoco"])
def test_a_body_follows_the_ellipse_of_its_elements(dynamics):
    m = cd.Mechanism("point")
    body = m.add_body("body", joint=cd.Free(), mass=4.0, inertia_B=np.eye(3))
    group = m.group_of_bodies("all")
    scn = cd.Scenario("orbit", mechanism=m)
    earth = scn.add(PointMassGravity(mass=group.mass), name="earth", positions=group.positions)
    scn.connect(earth.pull, group.forces_N)
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


def test_a_list_of_masses_of_another_length_is_refused():
    positions = FramePositions(np.ones((3, 3)))
    for mass in ([1.0], [1.0, 2.0]):
        with pytest.raises(ValueError) as caught:
            PointMassGravity(mass=mass).pull(positions)
        assert str(caught.value) == "PointMassGravity: `positions` has another number of bodies than `mass`."
