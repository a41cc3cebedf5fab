import numpy as np
import pytest

import cardan as cd
from cardan import models
from cardan.errors import MechanismError
from cardan.maths import dcm_from_mrp
from cardan.mechanism import facets_of
from cardan.messages import FrameMotions, Light

CRAFT = """<mujoco><worldbody><body name="bus"><freejoint/><geom type="box" size="1 2 3"/>
<body name="panel" pos="0 0 5"><joint type="hinge" axis="0 1 0"/><geom type="box" size="1 1 0.1"/></body>
</body></worldbody></mujoco>"""


def craft():
    m = cd.Mechanism.from_mjcf(CRAFT)
    return {name: facets_of(m.bodies[name]) for name in ("bus", "panel")}


def motions(sigma=(0.0, 0.0, 0.0), panel_at=(0.0, 0.0, 5.0)):
    return FrameMotions(
        np.array([[0.0, 0.0, 0.0], panel_at]), np.zeros((2, 3)), np.array([[0.0, 0.0, 0.0], sigma]), np.zeros((2, 3))
    )


def shares(s, **options):
    s = np.array(s) / np.linalg.norm(s)
    return models.facet_shadows(craft(), "bus").step(motions(**options), Light(s, 1361.0)).lit.share


def test_a_panel_above_a_box_shades_half_of_its_top():
    assert shares([0.0, 0.0, 1.0]) == pytest.approx([1.0, 1.0, 1.0, 1.0, 0.5, 1.0], abs=1e-12)


def test_under_oblique_light_the_edge_of_the_panel_counts():
    # top at z = 5.1 falls on x < -0.575, the edge of 0.2 m on -0.575 to -0.425; 2 m wide each, of 8 m^2
    assert shares([0.6, 0.0, 0.8])[4] == pytest.approx(1.0 - (0.85 + 0.3) / 8.0, abs=1e-12)


def test_shadows_agree_with_rays_at_random():
    """Points on the top of the bus, looked at from the Sun past a tilted panel."""
    sigma, s = np.array([0.05, 0.12, 0.2]), np.array([0.35, -0.2, 0.9])
    s = s / np.linalg.norm(s)
    share = shares(s, sigma=sigma)[4]
    rng = np.random.default_rng(1)
    n = 20_000
    points = np.stack([rng.uniform(-1.0, 1.0, n), rng.uniform(-2.0, 2.0, n), np.full(n, 3.0)], axis=1)
    turn = dcm_from_mrp(sigma)
    origin, along = (points - np.array([0.0, 0.0, 5.0])) @ turn.T, turn @ s
    half = np.array([1.0, 1.0, 0.1])
    near, far = (-np.sign(along) * half - origin) / along, (np.sign(along) * half - origin) / along
    is_hit = near.max(axis=1) < far.min(axis=1)
    assert share == pytest.approx(1.0 - is_hit.mean(), abs=4.0 * 0.5 / np.sqrt(n))


def test_overlapping_shadows_count_once():
    facets = craft()
    bodies = {"bus": facets["bus"], "first": facets["panel"], "second": facets["panel"]}
    part = models.facet_shadows(bodies, "bus")
    at = FrameMotions(
        np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 5.0], [0.5, 0.0, 6.0]]),
        np.zeros((3, 3)),
        np.zeros((3, 3)),
        np.zeros((3, 3)),
    )
    share = part.step(at, Light(np.array([0.0, 0.0, 1.0]), 1361.0)).lit.share
    assert share[4] == pytest.approx(0.5, abs=1e-12)  # the second shades what is in the shadow, or beside the bus


def test_facets_are_made_of_boxes_cylinders_and_spheres():
    m = cd.Mechanism.from_mjcf(
        """<mujoco><worldbody><body name="a"><freejoint/>
        <geom type="box" size="1 2 3" pos="5 0 0" euler="0 0 90"/><geom type="cylinder" size="0.5 2"/>
        <geom type="sphere" size="0.3" pos="0 0 9"/></body></worldbody></mujoco>"""
    )
    facets = facets_of(m.bodies["a"])
    assert facets.area[:6].sum() == pytest.approx(8.0 * (2.0 + 3.0 + 6.0))
    assert facets.normal_B[0] == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)
    assert facets.area[6] == pytest.approx(np.pi * 0.25)  # the end of the cylinder
    assert facets.area[20:].sum() == pytest.approx(4.0 * np.pi * 0.09)
    # closed, and turned outwards: the volume by the divergence theorem
    assert facets.area @ facets.normal_B == pytest.approx(np.zeros(3), abs=1e-12)
    volume = np.einsum("i,ij,ij->", facets.area, facets.normal_B, facets.r_FB_B) / 3.0
    assert volume == pytest.approx(48.0 + np.pi + 4.0 / 3.0 * np.pi * 0.027, rel=0.02)


MESH = """<mujoco><asset><mesh name="tetra" vertex="0 0 0  1 0 0  0 1 0  0 0 1" face="{}"/></asset>
<worldbody><body name="a"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<geom type="mesh" mesh="tetra"/></body></worldbody></mujoco>"""


def test_facets_are_made_of_meshes():
    m = cd.Mechanism.from_mjcf(MESH.format("0 2 1  0 1 3  0 3 2  1 2 3"))
    facets = facets_of(m.bodies["a"])
    assert sorted(facets.area) == pytest.approx([0.5, 0.5, 0.5, np.sqrt(3.0) / 2.0], rel=1e-6)
    volume = np.einsum("i,ij,ij->", facets.area, facets.normal_B, facets.r_FB_B) / 3.0
    assert volume == pytest.approx(1.0 / 6.0, rel=1e-6)


def test_bodies_without_facets_are_refused():
    m = cd.Mechanism("bare")
    m.add_body("bare", joint=cd.Free(), mass=1.0, inertia_B=np.eye(3))
    with pytest.raises(MechanismError, match="`bare` has no shape, so it has no facets"):
        facets_of(m.bodies["bare"])
    m = cd.Mechanism.from_mjcf(
        '<mujoco><worldbody><body name="a"><freejoint/><geom type="capsule" size="0.5 2"/></body></worldbody></mujoco>'
    )
    with pytest.raises(MechanismError, match="`a` has a capsule, of which no facets are made"):
        facets_of(m.bodies["a"])
    with pytest.raises(cd.CardanError, match="`wing` is none of the bodies"):
        models.facet_shadows(craft(), "wing")
