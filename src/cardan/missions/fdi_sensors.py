"""`fdi-sensors`: a satellite one of whose three attitude sensors fails, and a vote that is to find out which."""

from collections.abc import Callable
from typing import Any

import numpy as np

from cardan import Rk4, faults, fsw
from cardan.dynamics import RecursiveTree
from cardan.errors import SettingError
from cardan.maths import mrp_relative, rotation_angle
from cardan.missions.fdi_verdict import belief_panels, detector_of, evidence, verdict
from cardan.missions.fdi_wheels import BUS, PERIOD, point, satellite
from cardan.missions.mission import Campaign, Mission, Result
from cardan.plots import Panel
from cardan.scenario import Scenario
from cardan.simulation import Log, Record

ONSET = 35.0
"""[s] When a sensor fails."""

POINTED = 0.5  # [deg] what counts as having gone on in spite of it
SENSORS = ("first", "second", "third")
_ATTITUDE_NOISE, _RATE_NOISE = 5.0e-4, 2.0e-4  # [rad], [rad/s]


def kinds() -> dict[str, faults.Kind]:
    """The faults of the benchmark by name; the first is none at all. Numbers are MRP, then rates [rad/s]."""
    bias = np.array([np.deg2rad(1.0) / 4.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    return {
        "none": faults.scaled(1.0),
        "dead": faults.stuck_off(),
        "stuck": faults.frozen(),
        "bias step": faults.biased(bias),
        "drift": faults.drifting(1.0e-4),
        "dropouts": faults.lossy(0.5),
        "noise rise": faults.noisy(10.0 * _RATE_NOISE),
        "outliers": faults.outliers(0.02, 0.1),
    }


KINDS = tuple(kinds())
"""Their names, in the order of `fault.kind`."""


def vote() -> Any:
    """The detector that is shipped: the odd one out of three, at five deviations, three times in a row."""
    return fsw.MedianVote(tolerance=5.0 * _RATE_NOISE)


DETECTORS: dict[str, Callable[[], Any]] = {"vote": vote}
"""Functions that make a detector, by name. A detector is a task with the inputs `a`, `b` and `c` of `Attitude` and the
outputs `voted: Attitude` and `report: FaultReport`."""


def build(detector: str = "vote", sensor: int = 0, recover: bool = True) -> Scenario:
    """The satellite of `fdi-wheels`, with three attitude sensors, one of which fails."""
    if not 0 <= sensor < len(SENSORS):
        raise SettingError(f"The option `sensor` is from 0 to {len(SENSORS) - 1}; got {sensor}.")
    scn, wheels, truth = satellite("fdi-sensors")
    clock: dict[str, Any] = {"every": PERIOD}
    errors = fsw.SimpleNavigation(attitude_noise=_ATTITUDE_NOISE, rate_noise=_RATE_NOISE)
    measured: dict[str, Any] = {}
    for port, name in zip("abc", SENSORS, strict=True):
        part = scn.add(errors, name=name, truth=truth, **clock)
        scn.leave_open(part.motion)
        measured[port] = part.attitude
    monitor = scn.add(detector_of(detector, DETECTORS)(), name="monitor", **measured, **clock)
    point(scn, wheels, monitor.voted if recover else measured["abc"[sensor]])
    scn.leave_open(monitor.report, *(() if recover else (monitor.voted,)))
    faults.inject(scn, f"{SENSORS[sensor]}.attitude", *kinds().values(), name="fault", onset=ONSET)
    scn.set("fault.kind", 1)
    return scn


# ---- reading a run ---------------------------------------------------------------------------------------------------


def _failed(log: Log) -> int:
    """Which sensor the fault comes behind."""
    behind = log.about["parts"]["fault/link"]["inputs"]["message"]
    return SENSORS.index(behind.partition(".")[0])


def pointing_error(log: Log) -> np.ndarray:
    """[deg] The true angle between the satellite and its reference."""
    reference = log["ref.reference"].sigma_RN
    turned = mrp_relative(log[f"{BUS}.motion"].sigma_BN, reference)
    return np.asarray(np.rad2deg(rotation_angle(turned)))


def results(log: Log) -> list[Result]:
    off = float(pointing_error(log)[-1])
    return [*verdict(log, "sensor", _failed(log), off <= POINTED), Result("attitude error at the end", off, "deg")]


def figure(log: Log) -> list[Panel]:
    """What was wrong, what was believed, and what became of it."""
    return [
        *belief_panels(log, "sensor", _failed(log)),
        Panel("attitude error [deg]", {"": (log.t, pointing_error(log))}),
    ]


_PORTS = ("fault.effect", "monitor.report", "ref.reference", f"{BUS}.motion")

MISSION = Mission(
    name="fdi-sensors",
    title="An attitude sensor of a satellite fails: detection, isolation, recovery",
    about=(
        "A satellite with four wheels turns by 10 degrees every 20 s and has three attitude sensors. At 35 s one of "
        "them fails. The median of the three goes on without it, and the vote names it. `cardan study fdi-sensors` is "
        "a benchmark of detectors; with `recover=false` the control reads the sensor that fails."
    ),
    build=build,
    until=100.0,
    integrator=Rk4(step=0.1),
    results=results,
    curve=evidence,
    figures={"fault": figure},
    record=Record(every=PERIOD, ports=(*_PORTS, "wheel*_joint.state", "*.attitude", "err.error")),
    options={
        "detector": "vote, or a function as `package.module:function`",
        "sensor": "which one fails, from 0",
        "recover": "whether control reads what the detector makes of all three",
    },
    dynamics=(RecursiveTree(),),
    campaign=Campaign(
        disperse={
            "fault.kind": f"choice({', '.join(map(str, range(len(KINDS))))}, weights=[3, 1, 1, 1, 1, 1, 1, 1])",
            "sensor": "choice(0, 1, 2)",
            "fault.onset": "uniform(25, 45)",
            f"{BUS}.inertia_B": "normal(3%)",
            f"{BUS}.motion.sigma_BN": "small_rotation(uniform(0 deg, 5 deg))",
        },
        limits={"false alarm": "<= 0"},
        runs=800,
        record=Record(every=PERIOD, ports=_PORTS),
        by="fault.kind",
        labels=KINDS,
        figure=("false alarm", "detected", "isolated", "went on", "detection delay"),
    ),
)
