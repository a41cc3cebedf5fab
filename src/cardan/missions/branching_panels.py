"""`branching-panels`: six solar panels unfold in three phases, with locks and latches."""

import numpy as np

from cardan import DormandPrince54, fsw, models
from cardan.dynamics import Mujoco, RecursiveTree
from cardan.maths import rotation_angle
from cardan.mechanism import Mechanism
from cardan.messages import HingeState
from cardan.missions.mission import Curve, Mission, Result, parameter
from cardan.missions.vehicles import vehicle
from cardan.plots import Panel
from cardan.scenario import Scenario
from cardan.simulation import Log, Record

PANELS = ("10", "20", "1p", "2p", "1n", "2n")
HINGES = tuple(f"panel_{panel}_deploy" for panel in PANELS)
PHASE = np.array([0.0, 0.0, 1.0, 1.0, 2.0, 2.0])
STOWED = np.array([0.5 * np.pi, np.pi, np.pi, np.pi, np.pi, np.pi])  # [rad]
PHASE_LASTS = 5400.0  # [s]
MAX_RATE, MAX_ACCELERATION = np.deg2rad(0.05), np.deg2rad(0.0001)  # [rad/s], [rad/s^2]

# [kg m^2] What each hinge moves: the panel and all beyond it, on a hub that gives way
INERTIA = np.array([2163.0, 332.0, 96.0, 96.0, 96.0, 96.0])
BANDWIDTH = 0.05  # [rad/s]


def build(gains_paper: bool = False) -> Scenario:
    """The vehicle at rest with its panels stowed, a profile and a PID for each hinge, and the sequencer."""
    m = Mechanism.from_mjcf(vehicle("branching_panels.xml"))
    hinges = m.group_of_hinges("hinges", *HINGES)

    scn = Scenario("branching-panels", mechanism=m)
    seq = scn.add(
        fsw.LatchSequencer(phase=PHASE, stowed=STOWED, deployed=np.zeros(6), shortest=PHASE_LASTS),
        name="seq",
        every=10.0,
        states=hinges.states,
    )
    scn.connect(seq.locks, hinges.locks)
    ref = scn.add(
        models.HingeWaypoints(
            waypoints=np.stack([STOWED, np.zeros(6)], axis=1),
            max_rate=MAX_RATE,
            max_acceleration=MAX_ACCELERATION,
            start=np.zeros(6),
        ),
        name="ref",
        starts=seq.starts,
    )
    pid = scn.add(paper_gains() if gains_paper else gains(), name="pid", states=hinges.states, reference=ref.reference)
    scn.connect(pid.torques, hinges.efforts)
    scn.start({name: HingeState(angle=angle) for name, angle in zip(HINGES, STOWED, strict=True)})
    return scn


def gains() -> models.HingePid:
    """Critically damped with a slow integral, for the inertia that each hinge moves."""
    return models.HingePid(
        K_p=INERTIA * BANDWIDTH**2,
        K_d=2.0 * INERTIA * BANDWIDTH,
        K_i=0.1 * INERTIA * BANDWIDTH**3,
        max_torque=np.full(6, 5.0),
    )


def paper_gains() -> models.HingePid:
    """Those of the paper's Listing 3, with which the loops of this vehicle oscillate and slowly grow."""
    return models.HingePid(
        K_p=np.full(6, 0.1), K_d=np.full(6, 0.002), K_i=np.full(6, 0.0001), max_torque=np.full(6, 5.0)
    )


def angles(log: Log) -> np.ndarray:
    """[deg] A column for each hinge."""
    return np.asarray(np.rad2deg([log[f"{name}.state"].angle for name in HINGES]).T)


def hub_turned(log: Log) -> np.ndarray:
    """[deg] How far the hub has turned since the start."""
    return np.asarray(np.rad2deg(rotation_angle(log["hub.motion"].sigma_BN)))


def momentum(log: Log) -> np.ndarray:
    """[N m s] Angular momentum of the whole vehicle about its centre of mass, which should stay zero."""
    return np.asarray(np.linalg.norm(log["hub.momentum"].momentum_C_N, axis=1))


def linear_momentum(log: Log) -> np.ndarray:
    """[N s] Of the whole vehicle, which should stay zero."""
    whole = log["hub.momentum"]
    return np.asarray(whole.mass * np.linalg.norm(whole.v_CN_N, axis=1))


def begins(log: Log) -> tuple[float, ...]:
    """[min] When the phases after the first began, and when all was done."""
    return tuple(np.unique(log["seq.progress"].began)[1:] / 60.0)


def results(log: Log) -> list[Result]:
    wanted = np.rad2deg(log["ref.reference"].angle)
    return [
        Result("largest tracking error", float(np.max(np.abs(angles(log) - wanted))), "deg"),
        deployed(log),
        Result("phase at the end (3 is all done)", float(log["seq.progress"].phase[-1]), ""),
        Result("hub turned by at the end", float(hub_turned(log)[-1]), "deg"),
        Result("largest motor torque", float(np.max(np.abs(log["pid.torques"].torque))), "N m"),
        Result("largest linear momentum", float(np.max(linear_momentum(log))), "N s"),
        Result("largest angular momentum", float(np.max(momentum(log))), "N m s"),
    ]


def deployed(log: Log) -> Result:
    """How far the panels are from where they latch, if all have."""
    off = float(np.max(np.abs(angles(log)[-1] - np.rad2deg(parameter(log, "seq.deployed")))))
    name = "panels deployed to within"
    if log["seq.progress"].phase[-1] <= np.max(parameter(log, "seq.phase")):
        return Result(name, None, "deg", f"not all deployed by {log.t[-1]:g} s: {off:.4g} deg to go")
    return Result(name, off, "deg")


def curve(log: Log) -> Curve:
    return Curve("hub turned by [deg]", log.t, hub_turned(log))


def angles_figure(log: Log) -> list[Panel]:
    """Commanded and actual angle of each panel, with the times at which phases began."""
    wanted, t = np.rad2deg(log["ref.reference"].angle), log.t / 60.0
    return [
        Panel(
            f"panel {name} [deg]",
            {"commanded": (t, wanted[:, i]), "actual": (t, angles(log)[:, i])},
            across="time [min]",
            dashed=("actual",),
            marks=begins(log),
        )
        for i, name in enumerate(PANELS)
    ]


def hub_figure(log: Log) -> list[Panel]:
    """Attitude of the hub, what the motors do, and the momentum that should stay zero."""
    t, sigma, torque = log.t / 60.0, log["hub.motion"].sigma_BN, 1.0e3 * log["pid.torques"].torque
    centre, sides = slice(0, 2), slice(2, 6)
    return [
        Panel(
            r"hub attitude $\sigma_{BN}$ [-]",
            {str(i + 1): (t, sigma[:, i]) for i in range(3)},
            across="time [min]",
            marks=begins(log),
        ),
        *(
            Panel(
                "motor torque [mN m]",
                {f"panel {name}": (t, values) for name, values in zip(PANELS[which], torque.T[which], strict=True)},
                across="time [min]",
                dashed=("panel 2p", "panel 2n"),
                marks=begins(log),
            )
            for which in (centre, sides)
        ),
        Panel(
            "momentum of all\n(should be 0)",
            {"linear [N s]": (t, linear_momentum(log)), "angular [N m s]": (t, momentum(log))},
            across="time [min]",
            marks=begins(log),
        ),
    ]


MISSION = Mission(
    name="branching-panels",
    title="Six solar panels unfold in three phases",
    about=(
        "A hub carries six panels in a branching 3 x 2 tree. The centre panels unfold first, then those on one side, "
        "then those on the other: each hinge follows a smooth profile under a PID with a continuous integral, "
        "is locked before its phase and latches after it. Nothing acts from outside, so momentum stays zero and the "
        "hub turns as the panels do. Garcia-Bonilla, Schwend and Schaub, Figure 6."
    ),
    build=build,
    until=3.0 * PHASE_LASTS + 600.0,
    integrator=DormandPrince54(rtol=1.0e-8, atol=1.0e-10),
    results=results,
    curve=curve,
    figures={"angles": angles_figure, "hub": hub_figure},
    record=Record(ports=("hub.motion", "hub.momentum", "*.state", "seq.*", "ref.reference", "pid.torques")),
    options={"gains.paper": "whether the PIDs have the gains of the paper's Listing 3, which do not suit this vehicle"},
    dynamics=(Mujoco(lock_time_constant=2.0), RecursiveTree(lock_time_constant=2.0, ignore_limits=True)),
)
