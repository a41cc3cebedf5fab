"""`solar-array-deployment`: two circular arrays unfold, one after the other, and the hub answers."""

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from cardan import Dop853, models
from cardan.dynamics import BackSubstitution, Mujoco, RecursiveTree
from cardan.errors import SettingError
from cardan.maths import rotation_angle
from cardan.mechanism import Box, Carriage, Free, Mechanism, Prism
from cardan.messages import FrameMotion
from cardan.missions.mission import Curve, Mission, Result
from cardan.models import Profile
from cardan.plots import Panel
from cardan.scenario import Scenario
from cardan.simulation import Log, Record

DEG = np.pi / 180.0
ELEMENTS = 10
RADIUS = 4.0  # [m] of an array
THICKNESS = 0.01  # [m]
ARRAY_MASS = 50.0  # [kg] of all elements of an array
HUB_MASS = 800.0  # [kg]
HUB_INERTIA_B = HUB_MASS / 12.0 * np.diag([20.0, 20.0, 8.0])  # [kg m^2] a box of 2 m x 2 m x 4 m
MOUNT = 2.0  # [m] from the centre of the hub to each array's mount, along x
AXIS_M = (0.0, 1.0, 0.0)

# Table 4; the largest acceleration of the main stage is that of the second of ten elements
BANG = SMOOTH = 2.0  # [s]
INITIAL_ACCELERATION = 0.091 * DEG  # [rad/s^2]
MAIN_ACCELERATION = 7.519e-3 * DEG  # [rad/s^2]
PAUSE = 10.0  # [s] before each stage, and at the end


class Stages(NamedTuple):
    """The motion of one array.

    Attributes:
        initial: All elements together, from the stowed stack outwards.
        main: Each element about the centre of the array.
    """

    initial: Profile
    main: list[Profile]


def stages(array: int, elements: int, begin: float) -> Stages:
    """What array 0 or 1 does from `begin` [s] on. Table 4."""
    side, share = (1.0 if array == 0 else -1.0), 2.0 * np.pi / elements
    initial = models.smoothed_bang_coast_bang(
        start=0.0,
        reference=side * (0.5 * np.pi + 0.5 * share),  # 108 deg for ten elements
        max_acceleration=INITIAL_ACCELERATION,
        bang=BANG,
        smooth=SMOOTH,
        start_time=begin,
    )
    main = [
        models.smoothed_bang_coast_bang(
            start=0.0,
            reference=share * j,
            max_acceleration=max(j, 1) * MAIN_ACCELERATION * ELEMENTS / elements,
            bang=BANG,
            smooth=SMOOTH,
            start_time=initial.end_time + PAUSE,
        )
        for j in range(elements)
    ]
    return Stages(initial, main)


def plan(elements: int = ELEMENTS) -> tuple[Stages, Stages]:
    """Both arrays, the second after the first."""
    if elements < 3:
        raise SettingError(f"`array.elements` is {elements}.\n  A circle needs at least 3 elements.")
    first = stages(0, elements, PAUSE)
    return first, stages(1, elements, first.main[-1].end_time + PAUSE)


def mechanism(elements: int = ELEMENTS) -> Mechanism:
    """The hub, and two stacks of elements, each element on a carriage of its own. Table 1."""
    half = math.pi / elements
    width = 2.0 * RADIUS * math.sin(half)
    mass = ARRAY_MASS / elements
    squares = np.array([RADIUS**2, width**2, THICKNESS**2])
    inertia = mass / 12.0 * np.diag([squares[0] + squares[2], squares[0] + squares[1], squares[1] + squares[2]])
    made = Mechanism("solar-arrays")
    hub = made.add_body("hub", joint=Free(), mass=HUB_MASS, inertia_B=HUB_INERTIA_B)
    made.add_shape(hub, Box([1.0, 1.0, 2.0]), color=(0.78, 0.66, 0.36, 1.0))
    upright = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)  # the plates stand in the plane of x and z
    for array, side in enumerate((1.0, -1.0)):
        outline = np.array([[0.0, 0.0], [width, 0.0], [0.5 * width, RADIUS * math.cos(half)]]) * [-side, 1.0]
        for j in range(elements):
            element = made.add_body(
                element_name(array, j),
                parent=hub,
                joint=Carriage(),
                mass=mass,
                inertia_B=inertia,
                r_CB_B=(-side * RADIUS * math.sin(half), 0.0, RADIUS * math.cos(half) / 3.0),
                r_BP_P=(side * MOUNT, 0.0, 0.0),
            )
            plate = Prism(outline if side < 0.0 else outline[::-1], 0.5 * THICKNESS)
            made.add_shape(element, plate, q_SB=upright, color=(0.16, 0.27, 0.55, 1.0))
    return made


def element_name(array: int, j: int) -> str:
    return f"array{array + 1}_element{j + 1}"


def build(array_elements: int = ELEMENTS) -> Scenario:
    """At rest in free space, with the centre of mass at the origin."""
    arrays = plan(array_elements)
    m = mechanism(array_elements)
    scn = Scenario("solar-array-deployment", mechanism=m)
    for array, (initial, main) in enumerate(arrays):
        centre_M = ((1.0 if array == 0 else -1.0) * RADIUS, 0.0, 0.0)
        together = scn.add(models.rotation_about(AXIS_M, initial), name=f"array{array + 1}_out")
        for j, profile in enumerate(main):
            name = element_name(array, j)
            # first about the mount, then about the centre of the array: the second carries the first
            own = scn.add(models.rotation_about(AXIS_M, profile, centre_M), name=f"{name}_around")
            both = scn.add(models.ChainedMotion(), name=f"{name}_motion", carrier=own.motion, rider=together.motion)
            scn.connect(both.motion, m.bodies[name].prescribed)
    # stowed elements stand on one side of the hub
    stowed_z = 2.0 * ARRAY_MASS / (HUB_MASS + 2.0 * ARRAY_MASS) * RADIUS * math.cos(math.pi / array_elements) / 3.0
    scn.start({"hub": FrameMotion(r_BN_N=np.array([0.0, 0.0, -stowed_z]))})
    return scn


def element_motion(log: Log, array: int, field: str) -> dict[str, np.ndarray]:
    """Angle, rate or acceleration of each element of an array, of both stages together."""
    out = getattr(log[f"array{array + 1}_out.angle"], field)
    paths = [path for path in log if path.startswith(f"array{array + 1}_element") and path.endswith("_around.angle")]
    return {path.split("_")[1].removeprefix("element"): out + getattr(log[path], field) for path in paths}


def drift(log: Log) -> tuple[float, float]:
    """[N m s, m] How far the momentum about the centre of mass and the centre of mass leave zero."""
    whole = log["hub.momentum"]
    return (
        float(np.linalg.norm(whole.momentum_C_N, axis=1).max()),
        float(np.linalg.norm(whole.r_CN_N - whole.r_CN_N[0], axis=1).max()),
    )


def attitude(log: Log) -> np.ndarray:
    """[deg] How far the hub has turned."""
    return np.asarray(np.rad2deg(rotation_angle(log["hub.motion"].sigma_BN)))


def results(log: Log) -> list[Result]:
    momentum, moved = drift(log)
    motors = [log[path] for path in log if path.endswith(".holding")]
    rate = log["hub.motion"].omega_BN_B[:, 1]
    return [
        Result("largest turn of the hub", float(attitude(log).max()), "deg"),
        Result("turn of the hub at the end", float(attitude(log)[-1]), "deg"),
        Result("largest rate of the hub about y", float(np.rad2deg(np.abs(rate).max())), "deg/s"),
        Result("largest torque of an element's motor", _largest(m.torque_F for m in motors), "N m"),
        Result("largest force of an element's motor", _largest(m.force_M for m in motors), "N"),
        Result("drift of angular momentum", momentum, "N m s"),
        Result("drift of the centre of mass", moved, "m"),
    ]


def _largest(vectors: Iterable[np.ndarray]) -> float:
    return max(float(np.linalg.norm(vector, axis=1).max()) for vector in vectors)


def curve(log: Log) -> Curve:
    return Curve("turn of the hub about y [deg]", log.t, np.rad2deg(4.0 * np.arctan(log["hub.motion"].sigma_BN[:, 1])))


def elements_figure(log: Log) -> list[Panel]:
    """Figure 4 of the paper."""
    panels = []
    for field, label in (
        ("angle", "angle [deg]"),
        ("rate", "rate [deg/s]"),
        ("acceleration", "acceleration [deg/s^2]"),
    ):
        for array in (0, 1):
            curves = {name: (log.t, np.rad2deg(values)) for name, values in element_motion(log, array, field).items()}
            panels.append(Panel(f"array {array + 1}: {label}", curves))
    return panels


def hub_figure(log: Log) -> list[Panel]:
    """Figure 5 of the paper."""
    motion = log["hub.motion"]

    def three(values: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        return {str(i + 1): (log.t, values[:, i]) for i in range(3)}

    return [
        Panel(r"hub rate $\omega_{BN}$ [deg/s]", three(np.rad2deg(motion.omega_BN_B))),
        Panel(r"hub attitude $\sigma_{BN}$ [-]", three(motion.sigma_BN)),
        Panel(r"hub position $r_{BN}$ [m]", three(motion.r_BN_N)),
    ]


UNTIL = 10.0 * math.ceil((plan()[1].main[-1].end_time + PAUSE) / 10.0)  # [s] the same for any number of elements

MISSION = Mission(
    name="solar-array-deployment",
    title="Two circular solar arrays unfold, and the hub answers",
    about=(
        "A hub with two circular arrays of ten triangular elements, each a body with six prescribed degrees of "
        "freedom. Each array first swings outwards as a stack and then fans out into a circle, one after the other. "
        "The hub turns and moves so that momentum stays zero. Kiner, Schaub and Allard, Tables 1 and 4, Figures 4, 5."
    ),
    build=build,
    until=UNTIL,
    integrator=Dop853(rtol=1.0e-13, atol=1.0e-17),
    results=results,
    curve=curve,
    figures={"elements": elements_figure, "hub": hub_figure},
    record=Record(
        every=2.0,
        ports=["hub.motion", "hub.momentum", "*_out.angle", "*_around.angle", "array*[0-9].holding", "*_joint/*.state"],
    ),
    options={"array.elements": "how many elements each array has"},
    dynamics=(BackSubstitution(), RecursiveTree(), Mujoco()),
)
