"""Every part of the environment gives, in a batch, the bits that it gives in a simulation of its own."""

from typing import Any

import numpy as np
import pytest

import cardan as cd
from cardan import models
from cardan.celestial import EARTH, MOON, SUN
from cardan.mechanism import facets_of
from cardan.messages import FrameMotion

EPOCH = cd.Epoch("2024-03-20T03:06:24Z")
SPAN = 40.0  # [s]
MEMBERS = 9  # eight side by side and one alone
VEHICLE = """<mujoco><worldbody><body name="bus"><freejoint/><geom type="box" size="0.5 0.6 0.7" mass="50"/>
    <body name="panel" pos="0 0 2"><joint name="hinge" type="hinge" axis="1 0 0"/>
    <geom type="box" size="1 1 0.02" mass="5"/></body></body></worldbody></mujoco>"""


def everything() -> cd.Scenario:
    """A bus and a panel in low orbit; whatever the folder of the environment has reads their motion."""
    m = cd.Mechanism.from_mjcf(VEHICLE)
    bus, panel, group = m.bodies["bus"], m.bodies["panel"], m.group_of_bodies("all")
    scn = cd.Scenario("everything", mechanism=m, epoch=EPOCH)
    sky = scn.add(models.ephemeris(EPOCH, SPAN), name="sky")
    earth = scn.add(models.earth_orientation(EPOCH, SPAN), name="earth")
    scn.add(models.body_rotation("mars", EPOCH, SPAN), name="mars")
    ellipse = [np.array([0.0, number]) for number in (1.5e11, 0.02, 0.4, 1.0, 2.0, 3.0)]
    scn.add(models.KeplerianEphemeris(*ellipse, period=np.array([0.0, 3.2e7])), name="ellipse")

    places = {"positions": group.positions}
    turning = places | {"planet": earth.planet}
    pulls = {
        "harmonics": (models.harmonic_gravity(8), turning | {"vehicle": bus.momentum}),
        "oblate": (models.J2Gravity(), turning),
        "others": (models.NBodyGravity(mu=[0.0, SUN.mu, MOON.mu]), places | {"celestial": sky.positions}),
        "point": (models.PointMassGravity(), places),
        "uniform": (models.UniformGravity(), places | {"vehicle": bus.momentum}),
        "tide": (models.TidalGravity(a=7e6, e=0.01, i=0.5), places),
        "oblate_tide": (models.TidalJ2Gravity(), places),
    }
    start = {"oblate_tide": models.FallingOrigin(np.array([7e6, 0.0, 0.0]), np.array([0.0, 7.5e3, 0.0]))}
    added: dict[str, Any] = {}
    for name, (part, wiring) in pulls.items():
        beginning = {"initial": start[name]} if name in start else {}
        added[name] = scn.add(part, name=name, **wiring, **beginning)
        if name in ("harmonics", "others"):  # the rest is evaluated, and pulls nobody
            scn.connect(added[name].pull, group.gravity)

    sun = scn.add(
        models.Sunlight(radius=[EARTH.radius, SUN.radius, MOON.radius]),
        name="sun",
        motion=bus.motion,
        celestial=sky.positions,
    )
    scn.add(models.ShiftedMotion(), name="shifted", motion=bus.motion, origin=added["tide"].origin)
    scn.add(models.PlanetLight(), name="glow", motion=bus.motion, celestial=sky.positions)
    noise = scn.add(models.DensityNoise(), name="noise", every=10.0)
    here = {"motion": bus.motion, "planet": earth.planet}
    air = scn.add(models.ExponentialAtmosphere(), name="air", **here, factor=noise.factor)
    scn.add(models.HarrisPriester(), name="bulge", **here, celestial=sky.positions)
    scn.add(models.gridded_atmosphere(EPOCH, SPAN, (350.0, 550.0)), name="grid", **here)
    arcs = scn.add(models.msis_arcs(EPOCH), name="arcs", every=20.0, **here)
    scn.add(models.ArcAtmosphere(), name="along_arcs", **here, arc=arcs.arc)
    field = scn.add(models.magnetic_field(EPOCH, SPAN), name="field", **here)
    scn.add(models.tilted_dipole(EPOCH), name="dipole", **here)
    residual = scn.add(
        models.ResidualDipole([0.3, -0.2, 0.1]), name="residual", motion=bus.motion, magnetism=field.magnetism
    )
    scn.connect(residual.wrench, bus.wrench)

    surfaces = {body.name: facets_of(body) for body in (bus, panel)}
    motions = group.motions
    shade = scn.add(models.facet_shadows(surfaces, "bus"), name="shade", every=10.0, motions=motions, light=sun.light)
    for body in (bus, panel):
        surface = surfaces[body.name]
        half = np.full(len(surface.area), 0.3)
        drag = models.FacetDrag(*surface[:3], drag_coefficient=8.0 * half)
        scn.connect(scn.add(drag, name=f"drag_{body.name}", motion=body.motion, air=air.air).wrench, body.wrench)
        lit = {"lit": shade.lit} if body is bus else {}
        light = models.FacetRadiation(*surface[:3], specular=half, diffuse=half)
        push = scn.add(light, name=f"light_{body.name}", motion=body.motion, light=sun.light, **lit)
        scn.connect(push.wrench, body.wrench)
    return scn


def starts() -> FrameMotion:
    rng = np.random.default_rng(3)
    draw = lambda scale: scale * rng.normal(size=(MEMBERS, 3))  # noqa: E731
    r, v = np.array([6.8e6, 1e5, 2e5]), np.array([10.0, 7500.0, 900.0])
    return FrameMotion(r + draw(1e4), v + draw(10.0), draw(0.3), draw(0.01))


def test_no_part_of_the_environment_is_left_out():
    folder = "cardan.models.environment"
    shipped = {
        cls for cls in vars(models).values() if hasattr(cls, "__cardan_part__") and cls.__module__.startswith(folder)
    }
    assert {type(part.part) for part in everything().parts.values()} == shipped


@pytest.mark.parametrize("integrator", [cd.Rk4(step=5.0), cd.Dop853()], ids=repr)
def test_every_part_of_the_environment_is_the_same_to_the_bit_in_a_batch(integrator):
    """With a fixed step eight members go at once, with an adaptive one each goes by itself."""
    batch = cd.Batch(everything(), MEMBERS, dynamics=cd.RecursiveTree(), integrator=integrator)
    states = starts()
    batch.reset({"bus": states})
    many = batch.run(until=SPAN, record=cd.Record(every=10.0, ports=("*.*",)))
    assert not batch.failed.any()
    for member in (0, 5, MEMBERS - 1):
        scn = everything()
        scn.seed = batch.seeds[member]
        alone = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=integrator)
        alone.reset({"bus": FrameMotion(*(field[member] for field in states))})
        log = alone.run(until=SPAN, record=cd.Record(every=10.0, ports=("*.*",)), progress=False)
        assert parts_of(log) >= set(scn.parts)
        ours, theirs = many[member].to_xarray(), log.to_xarray()
        assert set(ours) == set(theirs)
        for name in ours:
            assert ours[name].values.tobytes() == theirs[name].values.tobytes(), name


def parts_of(log: Any) -> set[str]:
    return {path.split(".")[0] for path in log}
