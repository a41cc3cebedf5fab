"""Table II of SmallSatSim's paper over many starts and all thrusters: lateral error and effort of inspections of 30 s.

    python -m benchmarks.table_two [starts] [thrusters] [controller ...]

Not part of `make bench`: a hundred starts with one thruster each take minutes, with all twelve half an hour. Starts
are drawn as theirs: waypoint 13 and up to 0.7 m along each axis, at rest, at any attitude, which is what their degrees
taken for radians amount to. Start i breaks thruster i mod 12 after 1 s, and as many after it as asked for, one in each
run; its runs, nominal, stuck off and stuck on, begin alike. The mean error holds the way from the start to the path, so
that starts about as far from it as the paper's have a row of their own.
"""

import sys
from collections.abc import Iterator

import numpy as np

import cardan as cd
from cardan.maths import mrp_from_quaternion
from cardan.messages import FrameMotion
from cardan.missions import gateway_inspection
from cardan.missions.free_flyer import FAULTS, effort

PAPER = {"none": (0.04, 21.20), "stuck-off": (0.07, 20.74), "stuck-on": (0.09, 40.32)}  # [m], [N s]
OFF_PATH, ABOUT = 0.2907, 0.1  # [m] the paper's start; starts within that of it are like it
AFTER = 1.0  # [s] when a thruster fails
THRUSTERS = 12
BODY = "flyer/astrobee"


def starts(count: int) -> FrameMotion:
    """(count, ...) Where the flyer begins."""
    rng = np.random.default_rng(17)
    places, sigmas = [], []
    for _ in range(count):
        offset, q = rng.uniform(-0.7, 0.7, size=3), rng.normal(size=4)
        places.append(gateway_inspection.WAYPOINTS[gateway_inspection.FIRST - 1] + offset)
        sigmas.append(mrp_from_quaternion(q / np.linalg.norm(q)))
    still = np.zeros((count, 3))
    return FrameMotion(np.array(places), still, np.array(sigmas), still)


def flown(controller: str, fault: str, count: int, thrusters: int) -> np.ndarray:
    """(n, 3) Distance from the path at the start [m], mean lateral error [m] and effort [N s] of inspections."""
    if fault == "none":
        return fly(controller, fault, 0, starts(count))
    begun, found = starts(count), []
    for number in range(THRUSTERS):
        chosen = (number - np.arange(count)) % THRUSTERS < thrusters
        if chosen.any():
            found.append(fly(controller, fault, number, FrameMotion(*(field[chosen] for field in begun))))
    return np.concatenate(found)


def fly(controller: str, fault: str, number: int, begun: FrameMotion) -> np.ndarray:
    """(n, 3) The same with one thruster."""
    mission = gateway_inspection.MISSION
    scn = gateway_inspection.build(controller=controller, fault=fault, fault_thruster=number, fault_time=AFTER)
    batch = cd.Batch(scn, len(begun.r_BN_N), dynamics=mission.service(), integrator=mission.integrator_for())
    batch.reset({BODY: begun})
    logs = batch.run(until=mission.until, record=mission.record)
    if batch.failed.any():
        raise RuntimeError(f"{batch.failed.sum()} inspections with `{controller}` and `{fault}` failed")
    errors = [log["plan.progress"].lateral_error for log in logs]
    return np.array([(error[0], error[1:].mean(), effort(log)) for error, log in zip(errors, logs, strict=True)])


def table(controller: str, count: int, thrusters: int) -> Iterator[str]:
    for fault in FAULTS:
        runs = flown(controller, fault, count, thrusters)
        for name, chosen in (("all", runs), ("alike", runs[np.abs(runs[:, 0] - OFF_PATH) <= ABOUT])):
            off, error, thrust = chosen.T
            yield (
                f"| `{controller}` | {fault} | {name} | {len(chosen)} | {off.mean():.2f} m | "
                f"{error.mean():.3f} +- {error.std():.3f} m | {thrust.mean():.1f} +- {thrust.std():.1f} N s | "
                f"{PAPER[fault][0]:.2f} m, {PAPER[fault][1]:.1f} N s |"
            )


def main() -> None:
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    count, thrusters = [*numbers, *(100, 1)[len(numbers) :]]
    print("| controller | fault | starts | runs | off the path | mean lateral error | effort | paper, one start |")
    print("|---|---|---|---|---|---|---|---|")
    for controller in [word for word in sys.argv[1:] if not word.isdigit()] or ("artificial-mpc", "mpc", "mpcc"):
        for row in table(controller, count, thrusters):
            print(row, flush=True)


if __name__ == "__main__":
    main()
