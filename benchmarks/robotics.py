"""Robots: H, forward and inverse dynamics beside Pinocchio, growth to 128 joints, workspaces"""

import importlib.util
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np

import cardan as cd
from benchmarks.dynamics import chain
from benchmarks.goal import Goal
from cardan.missions.vehicles import vehicle
from cardan.robotics import Robot, workspace

CALLS, ROUNDS = 1000, 200


def measure() -> Iterator[Goal]:
    yield from beside_pinocchio()
    yield from growth()
    yield from reach()


def functions(robot: Robot, q: np.ndarray, u: np.ndarray, a: np.ndarray) -> dict[str, Callable[[], object]]:
    """The same three as the peers' script has; Pinocchio writes into its `data`, so ours write into arrays, too."""
    H, row = np.empty((robot.nu, robot.nu)), np.empty(robot.nu)
    return {
        "H": lambda: robot.inertia(q, out=H),
        "forward dynamics": lambda: robot.forward_dynamics(q, u, a, out=row),
        "inverse dynamics": lambda: robot.inverse_dynamics(q, u, a, out=row),
    }


def at_random(joints: int) -> tuple[Robot, np.ndarray, np.ndarray, np.ndarray]:
    robot, rng = Robot(chain(joints + 1)), np.random.default_rng(0)
    q = robot.drawn
    q[7:] = rng.normal(size=joints)
    return robot, q, *rng.normal(size=(2, robot.nu))


def fastest(*actions: Callable[[], object], calls: int = CALLS, rounds: int = ROUNDS) -> list[float]:
    """[s] Shortest time of one call of each, in turns so that a busy machine disturbs all alike."""
    best = [np.inf] * len(actions)
    for _ in range(rounds):
        for i, action in enumerate(actions):
            began = time.perf_counter()
            for _ in range(calls):
                action()
            best[i] = min(best[i], (time.perf_counter() - began) / calls)
    return best


def beside_pinocchio() -> Iterator[Goal]:
    if importlib.util.find_spec("pinocchio") is None:
        print("  (no Pinocchio: `pip install cardan[dev]` has it)", file=sys.stderr)
        return
    from benchmarks.peers import pinocchio_robotics

    robot, q, u, a = at_random(7)
    ours, theirs = functions(robot, q, u, a), pinocchio_robotics.functions(7, q, u, a)
    for name in ours:
        ours[name]()
        mine, other = fastest(ours[name], theirs[name])
        text = f"base and 7 joints: {name} ({1e6 * mine:.2f} us) over Pinocchio from Python"
        yield Goal(text, other / mine, "times", 1.15, True)


def growth() -> Iterator[Goal]:
    """From 32 to 128 joints: four times as many, so linear growth is 4 and quadratic growth 16."""
    small, large = (functions(*at_random(joints)) for joints in (32, 128))
    for name, limit in (("forward dynamics", 4.4), ("inverse dynamics", 4.4), ("H", 16.0)):
        small[name]()
        few, many = fastest(small[name], large[name], calls=100, rounds=100)
        yield Goal(f"128 joints cost, relative to 32: {name}", many / few, "", limit)


def reach() -> Iterator[Goal]:
    robot = Robot(cd.Mechanism.from_mjcf(vehicle("servicer.xml")))
    for base in ("fixed", "floating"):
        workspace(robot, "tip", base=base, samples=1000)
        began = time.perf_counter()
        workspace(robot, "tip", base=base, samples=1_000_000)
        yield Goal(f"workspace of 1e6 configurations of 7 joints, {base} base", time.perf_counter() - began, "s", 5.0)
