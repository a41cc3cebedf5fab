"""Table II of SmallSatSim's paper over many starts and all thrusters: lateral error and effort of inspections of 30 s.

    python -m benchmarks.table_two [starts] [controller ...]

Not part of `make bench`: a hundred starts take half an hour. Starts are drawn as theirs: waypoint 13 and up to 0.7 m
along each axis, at rest, at any attitude, which is what their degrees taken for radians amount to. Start i breaks
thruster i mod 12 after 1 s; its three runs, nominal, stuck off and stuck on, begin alike.
"""

import sys
from collections.abc import Iterator

import numpy as np

import cardan as cd
from cardan.missions import gateway_inspection
from cardan.missions.free_flyer import FAULTS, effort

PAPER = {"none": (0.04, 21.20), "stuck-off": (0.07, 20.74), "stuck-on": (0.09, 40.32)}  # [m], [N s]
AFTER = 1.0  # [s] when a thruster fails


def starts(count: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Offsets [m] and unit quaternions."""
    rng = np.random.default_rng(17)
    for _ in range(count):
        offset, q = rng.uniform(-0.7, 0.7, size=3), rng.normal(size=4)
        yield offset, q / np.linalg.norm(q)


def flown(controller: str, fault: str, thruster: int, offset: np.ndarray, q: np.ndarray) -> tuple[float, float]:
    """Mean lateral error [m] and effort [N s] of one inspection."""
    mission = gateway_inspection.MISSION
    scn = gateway_inspection.build(
        controller=controller, start_offset=tuple(offset), start_attitude=tuple(q), fault=fault,
        fault_thruster=thruster, fault_time=AFTER,
    )  # fmt: skip
    sim = cd.Simulation(scn, dynamics=mission.dynamics[0], integrator=mission.integrator)
    log = sim.run(until=mission.until, record=mission.record, progress=False)
    return float(log["plan.progress"].lateral_error[1:].mean()), effort(log)


def table(controller: str, count: int) -> Iterator[str]:
    for fault in FAULTS:
        runs = np.array([flown(controller, fault, i % 12, *start) for i, start in enumerate(starts(count))])
        mean, spread = runs.mean(axis=0), runs.std(axis=0)
        yield (
            f"| `{controller}` | {fault} | {mean[0]:.3f} +- {spread[0]:.3f} m | {mean[1]:.1f} +- {spread[1]:.1f} N s | "
            f"{PAPER[fault][0]:.2f} m, {PAPER[fault][1]:.1f} N s |"
        )


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    print(f"| {count} starts | fault | mean lateral error | effort | paper, one start |\n|---|---|---|---|---|")
    for controller in sys.argv[2:] or ("artificial-mpc", "mpc", "mpcc"):
        for row in table(controller, count):
            print(row, flush=True)


if __name__ == "__main__":
    main()
