"""Environment: an evaluation of each part in the native loop, and a month in low orbit with all of them"""

import inspect
import time
from collections.abc import Callable, Iterator

import numpy as np

import cardan as cd
from benchmarks.goal import Goal
from cardan import models
from cardan.celestial import EARTH, MOON, SUN
from cardan.mechanism import Facets, facets_of
from cardan.messages import Air, FrameMotion, FrameMotions, FramePositions, Light, VehicleMomentum
from cardan.native.compiling import jitted
from cardan.native.pointers import call_entry
from cardan.simulation.setup import set_up

EPOCH = cd.Epoch("2024-03-20T03:06:24Z")
TIMES = 20_000
DAY = 86400.0  # [s]
MONTH = 30.0 * DAY  # [s]
ORBIT = FrameMotion(
    np.array([6.878e6, 1e5, 2e5]),
    np.array([10.0, 7500.0, 900.0]),
    np.array([0.1, 0.2, 0.3]),
    np.array([0.0, 0.0, 1e-3]),
)
HERE = {"motion": ORBIT, "planet": models.planet_at_rest()}


def measure() -> Iterator[Goal]:
    place = {
        "positions": FramePositions(ORBIT.r_BN_N[None]),
        "vehicle": VehicleMomentum(mass=100.0, r_CN_N=ORBIT.r_BN_N),
        "planet": models.planet_at_rest(),
    }
    normals = np.random.default_rng(0).normal(size=(12, 3))
    normals = normals / np.linalg.norm(normals, axis=1)[:, None]
    facets = np.ones(12), normals, 0.5 * normals
    air, light = Air(1e-12, 900.0, np.zeros(3)), Light(np.array([1.0, 0.0, 0.0]), 1361.0)
    shiny = np.full(12, 0.3)
    yield cost("gravity to degree 20", models.harmonic_gravity(20), 1.2, place)
    yield cost("gravity to degree 70", models.harmonic_gravity(70), 12.0, place)
    yield cost("Sun and Moon", models.ephemeris(EPOCH, DAY, ["sun", "moon"]), 0.4, {})
    yield cost("Earth orientation", models.earth_orientation(EPOCH, DAY), 0.15, {})
    yield cost("IGRF-14", models.magnetic_field(EPOCH, DAY), 0.8, HERE)
    drag = models.FacetDrag(*facets, np.full(12, 2.2))
    yield cost("drag on twelve facets", drag, 0.1, {"motion": ORBIT, "air": air})
    pressure = models.FacetRadiation(*facets, shiny, shiny)
    yield cost("light on twelve facets", pressure, 0.1, {"motion": ORBIT, "light": light})
    yield cost("shadows of twelve facets on six", shadows(), 200.0, shaded())
    sim = month()
    again(sim, DAY)
    yield Goal("a month in low orbit, to 100 m", processor_time(lambda: again(sim, MONTH), 2), "s", 10.0)


def call_often(times: int, address: int, context: int) -> int:
    status = 0
    for _ in range(times):
        status += call_entry(address, 100.0, context)
    return status


def cost(name: str, part: object, limit: float, inputs: dict[str, object]) -> Goal:
    """[us] For one evaluation of the part's first output, or of its step."""
    scn = cd.Scenario("cost")
    period = {"every": 1.0} if inspect.isfunction(getattr(type(part), "step", None)) else {}
    scn.add(part, name="part", **period, **inputs)
    setup = set_up(scn, None, None, wanted=[f"part.{port}" for port in scn.parts["part"].contract.outputs])
    run, row = setup.new_run(), next(row for (name, _), row in setup.schedule.rows.items() if name == "part")
    context = run.arena.ctypes.data + 8 * row.context
    loop = jitted(call_often)
    loop(1, row.address, context)
    spent = processor_time(lambda: loop(TIMES, row.address, context)) / TIMES
    return Goal(f"{name}, an evaluation", 1e6 * spent, "us", limit)


def processor_time(action: Callable[[], object], repeats: int = 7) -> float:
    """[s] Of the processor, the least of several: others do not add to it."""
    times = []
    for _ in range(repeats):
        began = time.process_time()
        action()
        times.append(time.process_time() - began)
    return min(times)


def shadows() -> models.FacetShadows:
    """Two boxes, one above the other."""
    return models.facet_shadows({"bus": boxes()["bus"], "panel": boxes()["panel"]}, "bus")


def boxes() -> dict[str, Facets]:
    m = cd.Mechanism.from_mjcf(
        """<mujoco><worldbody><body name="bus"><freejoint/><geom type="box" size="1 2 3"/>
        <body name="panel" pos="0 0 5"><joint type="hinge"/><geom type="box" size="1 1 0.1"/></body>
        </body></worldbody></mujoco>"""
    )
    return {name: facets_of(m.bodies[name]) for name in ("bus", "panel")}


def shaded() -> dict[str, object]:
    places = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 5.0]])
    motions = FrameMotions(places, np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, 3)))
    return {"motions": motions, "light": Light(np.array([0.48, 0.36, 0.8]), 1361.0)}


def month(integrator: cd.Dop853 | cd.Rk4 | None = None) -> cd.Simulation:
    """A ball 500 km up with the forces of benchmarks/peers/basilisk_month.py."""
    m = cd.Mechanism("satellite")
    body = m.add_body("body", joint=cd.Free(), mass=100.0, inertia_B=10.0 * np.eye(3))
    group = m.group_of_bodies("all")
    scn = cd.Scenario("month", mechanism=m, epoch=EPOCH)
    sky = scn.add(models.ephemeris(EPOCH, MONTH), name="sky")
    earth = scn.add(models.earth_orientation(EPOCH, MONTH), name="earth")
    field = scn.add(
        models.harmonic_gravity(20, has_gradient=False),
        name="field",
        positions=group.positions,
        vehicle=body.momentum,
        planet=earth.planet,
    )
    others = scn.add(
        models.NBodyGravity(mu=[0.0, SUN.mu, MOON.mu], has_gradient=False),
        name="others",
        positions=group.positions,
        celestial=sky.positions,
    )
    scn.connect(field.pull, group.gravity)
    scn.connect(others.pull, group.gravity)
    air = scn.add(models.ExponentialAtmosphere(), name="air", motion=body.motion, planet=earth.planet)
    sun = scn.add(
        models.Sunlight(radius=[EARTH.radius, SUN.radius, 0.0]), name="sun", motion=body.motion, celestial=sky.positions
    )
    cube = np.concatenate([np.eye(3), -np.eye(3)])
    drag = scn.add(
        models.FacetDrag(np.ones(6), cube, 0.5 * cube, np.full(6, 2.2)), name="drag", motion=body.motion, air=air.air
    )
    push = scn.add(
        models.FacetRadiation(np.ones(6), cube, 0.5 * cube, np.full(6, 0.2), np.full(6, 0.1)),
        name="push",
        motion=body.motion,
        light=sun.light,
    )
    scn.connect(drag.wrench, body.com.wrench)
    scn.connect(push.wrench, body.com.wrench)
    scn.start({body: FrameMotion(np.array([6878137.0, 0.0, 0.0]), np.array([0.0, -981.0, 7549.0]))})
    integrator = integrator or cd.Dop853(rtol=1e-10, atol=1e-6, max_step=60.0)
    return cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=integrator)


def again(sim: cd.Simulation, until: float) -> cd.Log:
    sim.reset()
    return sim.run(until=until, record=cd.Record(every=until, ports=["body.motion"]))
