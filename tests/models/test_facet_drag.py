import numpy as np
import pytest

import cardan as cd
from cardan import models
from cardan.errors import ImpossibleValue
from cardan.maths import dcm_from_mrp
from cardan.mechanism import facets_of
from cardan.messages import Air, FrameMotion, PrescribedAngle

STILL = Air(density=2e-11, temperature=900.0, v_AN_N=np.zeros(3))
BOX = np.array(
    [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]
)


def plate(**options):
    given = {"area": [2.0], "normal_B": [[0.0, 0.0, 1.0]], "r_FB_B": [[0.5, 0.0, 0.0]], "drag_coefficient": [2.2]}
    return models.FacetDrag(**(given | options))


def moving(v, sigma=(0.0, 0.0, 0.0), omega=(0.0, 0.0, 0.0)):
    return FrameMotion(np.zeros(3), np.array(v, float), np.array(sigma), np.array(omega))


def test_a_plate_across_the_wind_has_the_textbook_drag():
    wrench = plate().wrench(moving([0.0, 0.0, 7500.0]), STILL)
    push = 0.5 * 2e-11 * 2.2 * 2.0 * 7500.0**2
    assert wrench.force_B == pytest.approx([0.0, 0.0, -push], rel=1e-12)
    assert wrench.torque_B == pytest.approx([0.0, 0.5 * push, 0.0], rel=1e-12)
    assert np.array_equal(plate().wrench(moving([0.0, 0.0, -7500.0]), STILL).force_B, np.zeros(3))  # from behind


def test_drag_acts_against_the_motion_through_air_that_moves():
    wind = STILL._replace(v_AN_N=np.array([100.0, 400.0, 0.0]))
    sigma = np.array([0.1, -0.2, 0.3])
    v = np.array([300.0, 7000.0, -500.0])
    relative = dcm_from_mrp(sigma) @ (v - wind.v_AN_N)
    found = plate(normal_B=[relative / np.linalg.norm(relative)]).wrench(moving(v, sigma), wind).force_B
    speed = np.linalg.norm(relative)
    assert found == pytest.approx(-0.5 * 2e-11 * 2.2 * 2.0 * speed * relative, rel=1e-12)


def test_a_faceted_sphere_has_the_drag_of_its_disc():
    m = cd.Mechanism.from_mjcf(
        '<mujoco><worldbody><body name="ball"><freejoint/><geom type="sphere" size="0.7"/></body></worldbody></mujoco>'
    )
    facets = facets_of(m.bodies["ball"], sides=48)
    part = models.FacetDrag(*facets[:3], drag_coefficient=np.full(len(facets.area), 2.0))
    force = part.wrench(moving([3000.0, 5000.0, 4000.0]), STILL).force_B
    expected = 0.5 * 2e-11 * 2.0 * np.pi * 0.7**2 * 5e7
    assert np.linalg.norm(force) == pytest.approx(expected, rel=2e-3)  # of a polyhedron of the same area


def test_spin_is_damped_because_each_facet_has_its_own_velocity():
    drag = np.full(6, 2.2)
    box = models.FacetDrag(np.ones(6), BOX, 0.5 * BOX, drag)
    slow, fast = (box.wrench(moving([0.0, 0.0, 7500.0], omega=[w, 0.0, 0.0]), STILL) for w in (0.0, 1.0))
    assert slow.torque_B == pytest.approx(np.zeros(3), abs=1e-12)
    assert fast.torque_B[0] < 0.0


def test_a_turning_panel_carries_its_load_into_its_hinge():
    """A panel on an arm of 2 m, held across the wind: the holding torque of its hinge is force times arm."""
    m = cd.Mechanism("craft")
    bus = m.add_body("bus", joint=cd.Free(), mass=1e6, inertia_B=1e6 * np.eye(3))
    panel = m.add_body("panel", parent=bus, joint=cd.Hinge([0.0, 0.0, 1.0]), mass=1e-3, inertia_B=1e-3 * np.eye(3))
    scn = cd.Scenario("panel", mechanism=m)
    scn.connect(PrescribedAngle(angle=0.0), m.joints["panel_joint"].prescribed)
    part = plate(normal_B=[[1.0, 0.0, 0.0]], r_FB_B=[[0.0, 2.0, 0.0]])
    drag = scn.add(part, name="drag", motion=panel.motion, air=STILL)
    scn.connect(drag.wrench, panel.wrench)
    scn.start({bus: moving([7500.0, 0.0, 0.0])})
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.1))
    sim.run(until=0.1, record=cd.Record(ports=["panel_joint.holding"]))
    push = 0.5 * 2e-11 * 2.2 * 2.0 * 7500.0**2
    # the wind pushes the panel along -x at y = 2 m, which turns it about +z; the hinge holds against that
    assert sim["panel_joint.holding"].torque == pytest.approx(-2.0 * push, rel=1e-6)


@pytest.mark.parametrize(
    "change, text",
    [
        ({"area": [0.0]}, "`FacetDrag.area` must be positive"),
        ({"area": [-1.0]}, "`FacetDrag.area` must be positive"),
        ({"normal_B": [[0.0, 0.0, 2.0]]}, "`FacetDrag.normal_B` must be of unit length"),
        ({"drag_coefficient": [-1.0]}, "`FacetDrag.drag_coefficient` must be zero or positive"),
        ({"r_FB_B": [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]}, "`FacetDrag.r_FB_B` must be one per entry of `area`"),
    ],
)
def test_facets_that_no_body_has_are_refused(change, text):
    with pytest.raises(ImpossibleValue) as caught:
        plate(**change)
    assert text in str(caught.value)


def test_an_inward_normal_is_refused():
    normals = BOX.copy()
    normals[4] = [0.0, 0.0, -1.0]
    with pytest.raises(ImpossibleValue, match=r"must be turned outwards.*\n.*has all others in front of it"):
        models.FacetDrag(np.ones(6), normals, 0.5 * BOX, np.full(6, 2.2))
    panel = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]])
    models.FacetDrag(np.ones(2), panel, np.zeros((2, 3)), np.full(2, 2.2))  # both sides of a panel


def test_a_body_without_facets_is_refused():
    none, rows = np.zeros(0), np.zeros((0, 3))
    with pytest.raises(ImpossibleValue, match=r"`FacetDrag.area` must be one or more.\n  got none"):
        models.FacetDrag(none, rows, rows, none)
