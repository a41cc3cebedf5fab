"""`fdi-wheels`: a satellite one of whose four wheels fails, and flight software that is to find out which."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cardan import Rk4, faults, fsw
from cardan.dynamics import RecursiveTree
from cardan.maths import rotation_angle
from cardan.mechanism import Free, Hinge, Mechanism
from cardan.messages import FaultReport, HingeState
from cardan.missions.fdi_verdict import belief_panels, detector_of, evidence, verdict
from cardan.missions.mission import Campaign, Mission, Result
from cardan.plots import Panel
from cardan.scenario import Scenario
from cardan.simulation import Log, Record

PERIOD = 0.1
"""[s] Of the flight software."""

ONSET = 35.0
"""[s] When a wheel fails."""

BUS, WHEELS = "bus", ("wheel1", "wheel2", "wheel3", "wheel4")
POINTED = 3.0  # [deg] what counts as having gone on in spite of it
BUS_INERTIA_B = np.diag([3.0, 2.5, 2.0])  # [kg m^2]
_SPEED = 200.0  # [rad/s] of all wheels, whose momenta cancel
_SPEED_NOISE = 0.02  # [rad/s]
_UNCERTAINTY = 0.05  # [-] share of its largest torque by which a motor may be off
_TURN = 10.0  # [deg] that the satellite turns every 20 s, about one axis after the other
_TURN_TIMES = (10.0, 30.0, 50.0, 70.0)  # [s]


class WheelSet(NamedTuple):
    """What flight software knows of the wheels.

    Attributes:
        axes_B: [-] A row for each.
        inertia: [kg m^2]
        max_torque: [N m]
        drag: [N m s/rad]
        speed_noise: [rad/s] Of the measured rates.
    """

    axes_B: np.ndarray
    inertia: np.ndarray
    max_torque: np.ndarray
    drag: float
    speed_noise: float


WHEEL_SET = WheelSet(
    # the diagonals of a cube: all wheels at one speed store nothing
    axes_B=np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]]) / np.sqrt(3.0),
    inertia=np.full(4, 2.0e-3),
    max_torque=np.full(4, 0.02),
    drag=5.0e-6,
    speed_noise=_SPEED_NOISE,
)


def kinds(max_torque: float) -> dict[str, faults.Kind]:
    """The faults of the benchmark by name, for motors of a torque [N m]; the first is none at all.

    All wheels spin forwards, so that friction is a torque backwards.
    """
    return {
        "none": faults.scaled(1.0),
        "dead": faults.stuck_off(),
        "runaway": faults.stuck_at(0.5 * max_torque),
        "half torque": faults.scaled(0.5),
        "friction rise": faults.biased(-0.1 * max_torque),
        "rough bearing": faults.noisy(0.1 * max_torque),
    }


KINDS = tuple(kinds(1.0))
"""Their names, in the order of `fault.kind`."""


def residuals(wheels: WheelSet) -> Any:
    """The balance of momentum of each wheel, to within the noise of two rates and what is not known of motors."""
    measured = float(np.sqrt(2.0) * wheels.inertia[0] * wheels.speed_noise / PERIOD)
    unknown = _UNCERTAINTY * float(wheels.max_torque[0])
    return fsw.WheelResiduals(wheels.inertia, float(np.hypot(measured, unknown)), wheels.drag)


def cusum(wheels: WheelSet) -> tuple[Any, ...]:
    """The detector that is shipped: cumulative sums of the balance of momentum of each wheel."""
    return residuals(wheels), fsw.CusumTest(allowance=1.0)


def chi_square(wheels: WheelSet) -> tuple[Any, ...]:
    """Another, which says that something is wrong and not what."""
    window = 10
    return residuals(wheels), fsw.ChiSquareTest(window, fsw.chi_square_limit(len(wheels.inertia) * window, 1.0e-7))


DETECTORS: dict[str, Callable[[WheelSet], Any]] = {"cusum": cusum, "chi-square": chi_square}
"""Functions from a `WheelSet` to a detector, by name. A detector is a task with the inputs `wheels: HingeStates` and
`torques: HingeTorques`, as commanded at this tick, and the output `report: FaultReport`; or two tasks, the
first of which has an output `residual: Residual` for the second."""


def satellite(name: str) -> tuple[Scenario, Any, Any]:
    """A free satellite with four wheels; the group of its wheels, and the motion of its bus."""
    m = Mechanism(name)
    bus = m.add_body(BUS, joint=Free(), mass=40.0, inertia_B=BUS_INERTIA_B)
    for wheel, axis_B, inertia in zip(WHEELS, WHEEL_SET.axes_B, WHEEL_SET.inertia, strict=True):
        hinge = Hinge(axis_B, damping=WHEEL_SET.drag)
        m.add_body(wheel, parent=bus, joint=hinge, mass=1.0, inertia_B=inertia * np.eye(3))
    group = m.group_of_hinges("wheels", *(f"{wheel}_joint" for wheel in WHEELS))
    scn = Scenario(name, mechanism=m)
    scn.start({f"{wheel}_joint": HingeState(rate=_SPEED) for wheel in WHEELS})
    return scn, group, bus.com.motion


def point(scn: Scenario, wheels: Any, attitude: Any) -> Any:
    """Turns from one attitude to the next, by feedback of a measured attitude; returns what allocates the torque."""
    clock: dict[str, Any] = {"every": PERIOD}
    ref = scn.add(fsw.InertialPointing(), name="ref", **clock)
    for i, t in enumerate(_TURN_TIMES):
        scn.change("ref.sigma_RN", np.tan(np.deg2rad(_TURN) / 4.0) * np.eye(3)[i % 3], at=t)
    err = scn.add(fsw.AttitudeTracking(), name="err", attitude=attitude, reference=ref.reference, **clock)
    law = fsw.MrpFeedback(K=0.9, P=1.5, inertia_B=BUS_INERTIA_B)
    ctl = scn.add(law, name="ctl", error=err.error, **clock)
    share = scn.add(fsw.WheelAllocation(WHEEL_SET.axes_B), name="share", torque=ctl.torque, **clock)
    limit = fsw.TorqueSaturation(WHEEL_SET.max_torque)
    motors = scn.add(limit, name="limit", command=share.torques, **clock)
    scn.connect(motors.torques, wheels.efforts)
    return share


def build(detector: str = "cusum", recover: bool = True) -> Scenario:
    """The satellite turns every 20 s; one of its wheels fails."""
    scn, wheels, truth = satellite("fdi-wheels")
    clock: dict[str, Any] = {"every": PERIOD}
    errors = fsw.SimpleNavigation(attitude_noise=2.0e-4, rate_noise=1.0e-4)
    nav = scn.add(errors, name="nav", truth=truth, **clock)
    share = point(scn, wheels, nav.attitude)
    scn.leave_open(nav.motion)
    tasks = detector_of(detector, DETECTORS)(WHEEL_SET)
    *before, last = tasks if isinstance(tasks, tuple | list) and not hasattr(tasks, "_fields") else (tasks,)
    seen: dict[str, Any] = {"wheels": wheels.states, "torques": scn["limit"].torques}
    for task in before:
        seen = {"residual": scn.add(task, name="residual", **seen, **clock).residual}
    monitor = scn.add(last, name="monitor", **seen, **clock)
    if recover:
        scn.connect(monitor.report, share.report, delay=1, initial=FaultReport())
    else:
        scn.leave_open(monitor.report)

    faults.inject(scn, "wheels.states.rate", faults.noisy(_SPEED_NOISE), name="tachometers", every=PERIOD)
    # on the way to the motors: how strong each is, and what goes wrong
    way: dict[str, Any] = {"every": PERIOD, "readers": "wheels.efforts"}
    faults.inject(scn, "limit.torques.torque", faults.mixed(np.eye(len(WHEELS))), name="strength", **way)
    harm = kinds(float(WHEEL_SET.max_torque[0])).values()
    faults.inject(scn, "strength/link.passed.torque[0]", *harm, name="fault", onset=ONSET, **way)
    scn.set("fault.kind", 1)
    return scn


# ---- reading a run ---------------------------------------------------------------------------------------------------


def pointing_error(log: Log) -> np.ndarray:
    """[deg] The angle between the satellite and its reference, as measured."""
    return np.asarray(np.rad2deg(rotation_angle(log["err.error"].sigma_BR)))


def _failed(log: Log) -> int:
    return int(log["fault.effect"].channel[-1])


def results(log: Log) -> list[Result]:
    off = float(pointing_error(log)[-1])
    return [*verdict(log, "wheel", _failed(log), off <= POINTED), Result("attitude error at the end", off, "deg")]


def figure(log: Log) -> list[Panel]:
    """What was wrong, what was believed, and what became of it."""
    return [
        *belief_panels(log, "wheel", _failed(log)),
        Panel("attitude error [deg]", {"": (log.t, pointing_error(log))}),
    ]


MISSION = Mission(
    name="fdi-wheels",
    title="A wheel of a satellite fails: detection, isolation, recovery",
    about=(
        "A satellite with four wheels turns by 10 degrees every 20 s, with noisy attitude, rates and tachometers. At "
        "35 s one of its wheels fails. Cumulative sums of the balance of momentum of each wheel find out which, and "
        "the allocation goes on with the other three. `cardan study fdi-wheels` is a benchmark of detectors."
    ),
    build=build,
    until=100.0,
    integrator=Rk4(step=0.1),
    results=results,
    curve=evidence,
    figures={"fault": figure},
    record=Record(
        every=PERIOD, ports=("bus.motion", "*.report", "fault.effect", "err.error", "limit.torques", "*_joint.state")
    ),
    options={
        "detector": "cusum, chi-square, or a function as `package.module:function`",
        "recover": "whether flight software acts on what it believes",
    },
    dynamics=(RecursiveTree(),),
    campaign=Campaign(
        disperse={
            "fault.kind": f"choice({', '.join(map(str, range(len(KINDS))))}, weights=[3, 1, 1, 1, 1, 1])",
            "fault.channel": "choice(0, 1, 2, 3)",
            "fault.onset": "uniform(25, 45)",
            "strength.gain": "normal(3%)",
            f"{BUS}.inertia_B": "normal(3%)",
            f"{BUS}.motion.sigma_BN": "small_rotation(uniform(0 deg, 5 deg))",
        },
        limits={"false alarm": "<= 0"},
        runs=800,
        record=Record(every=PERIOD, ports=("fault.effect", "monitor.report", "err.error")),
        by="fault.kind",
        labels=KINDS,
        figure=("false alarm", "detected", "isolated", "went on", "detection delay"),
    ),
)
