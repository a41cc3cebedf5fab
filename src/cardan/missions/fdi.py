"""`fdi`: a free flyer one of whose thrusters fails, and flight software that is to find out which: a benchmark."""

from collections.abc import Callable
from typing import Any

import numpy as np

from cardan import Rk4, faults, fsw, models
from cardan.dynamics import RecursiveTree
from cardan.mechanism import Flyer, Mechanism
from cardan.messages import FrameMotion
from cardan.missions.fdi_verdict import belief_panels, detector_of, evidence, verdict
from cardan.missions.free_flyer import NAME
from cardan.missions.mission import Campaign, Mission, Result
from cardan.missions.vehicles import add_flyer
from cardan.plots import Panel
from cardan.scenario import Scenario
from cardan.simulation import Log, Record

PERIOD = 0.1
"""[s] Of the flight software."""

ONSET = 20.0
"""[s] When a thruster fails."""

THRUSTER = 6
"""[-] Which one, unless `fault.channel` says otherwise."""

NEAR, ALIGNED = 0.25, 10.0  # [m], [deg] what counts as having gone on in spite of it
_VELOCITY_NOISE, _RATE_NOISE = 1.0e-3, 1.0e-3  # [m/s], [rad/s]


def kinds(max_thrust: float) -> dict[str, faults.Kind]:
    """The faults of the benchmark by name, with curves up to a thrust [N]; the first is none at all."""
    return {
        "none": faults.scaled(1.0),
        "stuck off": faults.stuck_off(),
        "stuck on": faults.stuck_at(10.0 * max_thrust),
        "half thrust": faults.scaled(0.5),
        "saturated": faults.limited_thrust(max_thrust),
        "faulty valve": faults.faulty_valve(max_thrust),
        "unstable by demand": faults.unstable_thrust(max_thrust, seed=1),
        "unstable in time": faults.oscillating(0.3 * max_thrust, 0.7, noise=0.1 * max_thrust),
        "leaking": faults.leaking(0.5 * max_thrust),
    }


KINDS = tuple(kinds(1.0))
"""Their names, in the order of `fault.kind`."""


def bank(flyer: Flyer) -> Any:
    """The detector that is shipped: a bank of models of all thrusters."""
    limits = flyer.thrusters.max_thrust
    noise: dict[str, Any] = {"velocity_noise": _VELOCITY_NOISE, "rate_noise": _RATE_NOISE}
    return fsw.ThrusterMonitor(flyer.mass, flyer.inertia_C_B, flyer.mixer, limits, **noise)


DETECTORS: dict[str, Callable[[Flyer], Any]] = {"bank": bank}
"""Functions from a `Flyer` to a detector, by name. A detector is a task with the inputs `motion: FrameMotion` and
`command: ThrusterCommand`, the thrusts of the tick before, and the output `report: FaultReport`."""


def build(detector: str = "bank", vehicle: str = "astrobee", recover: bool = True) -> Scenario:
    """A flyer on a circle, with noisy navigation; one of its thrusters fails."""
    m = Mechanism("fdi")
    flyer = add_flyer(m, vehicle, name=NAME)
    scn = Scenario("fdi", mechanism=m)
    body, limits = m.bodies[flyer.body], flyer.thrusters.max_thrust
    clock: dict[str, Any] = {"every": PERIOD}
    noise: dict[str, Any] = {"velocity_noise": _VELOCITY_NOISE, "rate_noise": _RATE_NOISE}
    errors = fsw.SimpleNavigation(position_noise=2.0e-3, attitude_noise=2.0e-3, **noise)
    nav = scn.add(errors, name="nav", truth=body.com.motion, **clock)
    # a circle through all axes, at one attitude, so that every thruster has work to do
    circle = fsw.CirclePath(np.zeros(3), np.ones(3), radius=1.0, speed=0.25, acceleration=0.05)
    path = scn.add(circle, name="path", motion=nav.motion, **clock)
    law = fsw.flyer_pd(flyer.mass, flyer.inertia_C_B, flyer.mixer, limits)
    ctl = scn.add(law, name="ctl", motion=nav.motion, **clock)
    monitor = scn.add(
        detector_of(detector, DETECTORS)(flyer),
        name="monitor",
        motion=nav.motion,
        command=ctl.command.delayed(1),
        **clock,
    )
    reference = path.reference
    if recover:
        without = scn.add(fsw.ThrusterReconfiguration(limits), name="without", report=monitor.report, **clock)
        scn.connect(without.limits, ctl.limits)
        safe = scn.add(
            fsw.SafeHold(), name="safe", planned=path.reference, motion=nav.motion, report=monitor.report, **clock
        )
        reference = safe.reference
    else:
        scn.leave_open(monitor.report)
    scn.connect(reference, ctl.reference)
    thrusters = scn.add(models.ThrusterBank(limits), name="bank", command=ctl.command)
    geometry = models.ThrusterWrench(flyer.thrusters.positions_B, flyer.thrusters.directions_B)
    push = scn.add(geometry, name="push", forces=thrusters.forces)
    scn.connect(push.wrench, body.wrench)
    scn.leave_open(path.progress, ctl.wrench, ctl.status, nav.attitude)

    every_thruster = faults.mixed(np.eye(len(limits)))
    faults.inject(scn, "bank.forces.thrust", every_thruster, name="strength", every=PERIOD)
    # on the way to the bank, which gives what each thruster can
    demanded = f"ctl.command.thrust[{THRUSTER}]"
    faults.inject(scn, demanded, *kinds(0.3).values(), name="fault", onset=ONSET, readers="bank.command")
    scn.set("fault.kind", 1)
    start = np.array([0.7, -0.7, 0.0])
    scn.start({flyer.body: FrameMotion(r_BN_N=start)})
    return scn


# ---- reading a run ---------------------------------------------------------------------------------------------------


def _failed(log: Log) -> int:
    return int(log["fault.effect"].channel[-1])


def results(log: Log) -> list[Result]:
    error = log["ctl.error"]
    far = float(np.linalg.norm(error.r_BR_B[-1]))
    turned = float(np.rad2deg(np.linalg.norm(error.theta_BR_B[-1])))
    return [
        *verdict(log, "thruster", _failed(log), far <= NEAR and turned <= ALIGNED),
        Result("position error at the end", far, "m"),
        Result("attitude error at the end", turned, "deg"),
    ]


def figure(log: Log) -> list[Panel]:
    """What was wrong, what was believed, and what became of it."""
    far = np.linalg.norm(log["ctl.error"].r_BR_B, axis=1)
    return [*belief_panels(log, "thruster", _failed(log)), Panel("position error [m]", {"": (log.t, far)})]


PORTS = ("fault.effect", "monitor.report", "ctl.error")

MISSION = Mission(
    name="fdi",
    title="A thruster of a free flyer fails: detection, isolation, recovery",
    about=(
        "Astrobee flies a circle through all of its axes, with noisy navigation. At 20 s one of its twelve thrusters "
        "fails. A bank of models finds out which, from velocities, rates and commands alone; the allocation goes on "
        "without it; `fault.kind` and `fault.channel` break another one, or otherwise. `cardan study fdi` is a "
        "benchmark of detectors: faults, thrusters, times, masses and thrusts vary."
    ),
    build=build,
    until=60.0,
    integrator=Rk4(step=0.05),
    results=results,
    curve=evidence,
    figures={"fault": figure},
    record=Record(every=PERIOD, ports=(f"{NAME}/*.motion", "*.report", "fault.effect", "ctl.*", "push.state")),
    options={
        "detector": "bank, or a function as `package.module:function`",
        "vehicle": "astrobee, sprint or cubesat",
        "recover": "whether flight software acts on what it believes",
    },
    dynamics=(RecursiveTree(),),
    campaign=Campaign(
        disperse={
            "fault.kind": f"choice({', '.join(map(str, range(len(KINDS))))}, weights=[4, 4, 4, 1, 1, 1, 1, 1, 1])",
            "fault.channel": f"choice({', '.join(map(str, range(12)))})",
            "fault.onset": "uniform(15, 25)",
            "strength.gain": "normal(3%)",
            "push.positions_B": "normal(0.002)",
            f"{NAME}/astrobee.mass": "normal(3%)",
            f"{NAME}/astrobee.inertia_B": "normal(3%)",
            f"{NAME}/astrobee.motion.r_BN_N": "normal(0.2)",
            f"{NAME}/astrobee.motion.sigma_BN": "small_rotation(uniform(0 deg, 20 deg))",
        },
        limits={"false alarm": "<= 0"},
        runs=1800,
        record=Record(every=PERIOD, ports=PORTS),
        by="fault.kind",
        labels=KINDS,
        figure=("false alarm", "detected", "isolated", "went on", "detection delay"),
    ),
)
