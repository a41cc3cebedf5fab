"""`prescribed-verification`: a body slides and turns on a hub in orbit, and nothing is lost."""

import numpy as np

from cardan import Dop853, Tolerance, models
from cardan.dynamics import BackSubstitution, Mujoco, RecursiveTree
from cardan.mechanism import Box, Carriage, Free, Mechanism
from cardan.missions.mission import Curve, Mission, Result, parameter
from cardan.orbits import orbit
from cardan.plots import Panel
from cardan.scenario import Scenario
from cardan.simulation import Log, Record

DEG = np.pi / 180.0
AXIS_M = (1.0, 0.0, 0.0)
UNTIL = 15.0  # [s]
MASS = 10.0  # [kg] of the body that moves
INERTIA = 0.0167  # [kg m^2] of it, about every axis


def mechanism() -> Mechanism:
    """Table B1."""
    made = Mechanism("verification")
    hub = made.add_body("hub", joint=Free(), mass=800.0, inertia_B=400.0 / 3.0 * np.eye(3))
    part = made.add_body("part", parent=hub, joint=Carriage(), mass=MASS, inertia_B=INERTIA * np.eye(3))
    # cubes of 1 m and of 10 cm, which have this inertia
    made.add_shape(hub, Box([0.5, 0.5, 0.5]), color=(0.6, 0.65, 0.75, 0.35))
    made.add_shape(part, Box([0.05, 0.05, 0.05]), color=(0.9, 0.5, 0.1, 1.0))
    return made


def build() -> Scenario:
    """The two bodies in orbit under the pull of the Earth, the smaller one moved by both profilers at once."""
    m = mechanism()
    scn = Scenario("prescribed-verification", mechanism=m)
    bodies = m.group_of_bodies("bodies")
    # as in the paper, gravity acts at the centre of mass of the whole: a gradient would turn the hub
    earth = scn.add(models.UniformGravity(), name="earth", positions=bodies.positions, vehicle=m.bodies["hub"].momentum)
    scn.connect(earth.pull, bodies.gravity)

    common = {"start": 0.0, "bang": 1.0, "smooth": 1.0}
    turn = models.smoothed_bang_coast_bang(reference=10.0 * DEG, max_acceleration=0.5 * DEG, **common)
    slide = models.smoothed_bang_coast_bang(reference=0.10, max_acceleration=0.005, **common)
    turning = scn.add(models.rotation_about(AXIS_M, turn), name="turn")
    sliding = scn.add(models.translation_along(AXIS_M, slide), name="slide")
    both = scn.add(models.ChainedMotion(), name="both", carrier=sliding.motion, rider=turning.motion)
    scn.connect(both.motion, m.bodies["part"].prescribed)
    scn.start({"hub": orbit(a=7.0e6, e=0.001, i=33.3 * DEG, Omega=48.2 * DEG, omega=347.8 * DEG, f=85.3 * DEG)})
    return scn


def conserved(log: Log) -> dict[str, tuple[np.ndarray, float, str]]:
    """Orbital angular momentum, orbital energy, rotational angular momentum and energy; scale and unit of each.

    The orbit is that of the centre of mass C: per unit of mass, r x v, and v^2/2 - mu/r.
    """
    whole = log["hub.momentum"]
    r, v = whole.r_CN_N, whole.v_CN_N
    orbital = np.cross(r, v)
    energy = 0.5 * np.sum(v**2, axis=1) - parameter(log, "earth.mu") / np.linalg.norm(r, axis=1)
    size = float(np.linalg.norm(whole.momentum_C_N, axis=1).max())
    return {
        "orbital angular momentum": (
            np.linalg.norm(orbital - orbital[0], axis=1),
            float(np.linalg.norm(orbital[0])),
            "m^2/s",
        ),
        "orbital energy": (energy - energy[0], abs(float(energy[0])), "m^2/s^2"),
        "rotational angular momentum": (
            np.linalg.norm(whole.momentum_C_N - whole.momentum_C_N[0], axis=1),
            max(size, moved_momentum(log)),
            "N m s",
        ),
        "rotational energy": (
            whole.kinetic_energy - whole.kinetic_energy[0],
            float(np.ptp(whole.kinetic_energy)),
            "J",
        ),
    }


def moved_momentum(log: Log) -> float:
    """[N m s] What the motion of the body adds to the momentum, and the hub's answer takes away: sizes, not signs."""
    turn, slide = log["turn.angle"], log["slide.displacement"]
    spun = INERTIA * np.abs(turn.rate).max()
    carried = MASS * np.abs(slide.displacement).max() * np.abs(slide.rate).max()
    return float(spun + carried)


def results(log: Log) -> list[Result]:
    motors = log["part.holding"]
    return [
        *(conservation(log, name, values, scale) for name, (values, scale, _) in conserved(log).items()),
        Result("largest force of the motors", float(np.linalg.norm(motors.force_M, axis=1).max()), "N"),
        Result("largest torque of the motors", float(np.linalg.norm(motors.torque_F, axis=1).max()), "N m"),
    ]


def conservation(log: Log, name: str, values: np.ndarray, scale: float) -> Result:
    """How well a quantity is kept; rotational energy, which comes and goes, when the motion is over."""
    is_energy = name == "rotational energy"
    what = f"{name}: {'left at the end, of its largest' if is_energy else 'largest change, relative'}"
    if scale == 0.0:
        return Result(what, None, "-", f"nothing has moved by {log.t[-1]:g} s")
    change = float(abs(values[-1]) if is_energy else np.abs(values).max()) / scale
    if is_energy and (log["turn.angle"].rate[-1] != 0.0 or log["slide.displacement"].rate[-1] != 0.0):
        return Result(what, None, "-", f"the body still moves at {log.t[-1]:g} s: {change:.3g}")
    return Result(what, change, "-")


def curve(log: Log) -> Curve:
    return Curve("rotational energy [J]", log.t, log["hub.momentum"].kinetic_energy)


def prescribed_figure(log: Log) -> list[Panel]:
    """Figure B1 of the paper."""
    turn, slide = log["turn.angle"], log["slide.displacement"]
    rows = (("angle", "displacement", ""), ("rate", "rate", "/s"), ("acceleration", "acceleration", "/s^2"))
    panels = []
    for of_turn, of_slide, per in rows:
        panels.append(Panel(f"turn: {of_turn} [deg{per}]", {"": (log.t, np.rad2deg(getattr(turn, of_turn)))}))
        panels.append(Panel(f"slide: {of_slide} [cm{per}]", {"": (log.t, 100.0 * getattr(slide, of_slide))}))
    return panels


def conservation_figure(log: Log) -> list[Panel]:
    """Figure B2 of the paper."""
    return [
        # in three lines, so that neighbours do not meet
        Panel(f"change of {name.replace(' ', chr(10), 1)}\n[{unit}]", {"": (log.t, values)})
        for name, (values, _, unit) in conserved(log).items()
    ]


MISSION = Mission(
    name="prescribed-verification",
    title="A body slides and turns on a hub in orbit, and nothing is lost",
    about=(
        "A hub of 800 kg in orbit carries a body of 10 kg that slides by 10 cm and turns by 10 deg, both prescribed. "
        "Orbital angular momentum, orbital energy and rotational angular momentum stay; rotational energy returns to "
        "zero. Kiner, Schaub and Allard, Table B1, Figures B1 and B2."
    ),
    build=build,
    until=UNTIL,
    integrator=Dop853(rtol=1.0e-14, atol=1.0e-15, tolerances={"hub_joint.omega_BN_B": Tolerance(1.0e-17, 1.0e-13)}),
    results=results,
    curve=curve,
    figures={"prescribed": prescribed_figure, "conservation": conservation_figure},
    record=Record(
        every=0.05,
        ports=["hub.motion", "hub.momentum", "part.holding", "turn.angle", "slide.displacement", "part_joint/*.state"],
    ),
    dynamics=(BackSubstitution(), RecursiveTree(), Mujoco()),
)
