"""Dynamics services: RecursiveTree and Mujoco against mj_forward and Pinocchio, growth with the number of bodies"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import mujoco
import numpy as np

import cardan as cd
from benchmarks.goal import Goal, best_of
from cardan.dynamics import Calculator
from cardan.dynamics.mujoco.service import _function, _library
from cardan.dynamics.recursive_tree import kernel
from cardan.native.compiling import jitted
from cardan.native.pointers import call_entry, call_two
from cardan.simulation.setup import set_up

HERE = Path(__file__).parent
VEHICLES = HERE.parent / "src" / "cardan" / "missions" / "vehicles"
PEERS = HERE.parent / ".venv-peers" / "bin" / "python"
# bursts of about a millisecond, in turns: short enough to fall between what else the machine does
CALLS, BURSTS = 400, 100


def measure() -> Iterator[Goal]:
    for path in sorted(VEHICLES.glob("*.xml")):
        if cd.Mechanism.from_mjcf(path).tree.nv >= 6:  # the station does not move
            yield from one_vehicle(path)
    yield from growth()


def forward_often(times: int, context: int) -> None:
    for _ in range(times):
        kernel.forward_alone(context)


def stages_often(times: int, addresses: np.ndarray, contexts: np.ndarray) -> None:
    for _ in range(times):
        for i in range(len(addresses)):
            call_entry(addresses[i], 0.0, contexts[i])


def mujoco_often(times: int, function: int, model: int, data: int) -> None:
    for _ in range(times):
        call_two(function, model, data)


def random_state(mechanism: cd.Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """Near the middle of the joints' ranges, so that no limit is active."""
    rng = np.random.default_rng(0)
    q, v = np.array(mechanism.tree.reference), 0.1 * rng.normal(size=mechanism.tree.nv)
    q[7:] = 0.5 + 0.1 * rng.normal(size=len(q) - 7)
    return q, v


def one_vehicle(path: Path) -> Iterator[Goal]:
    """All in native loops, so that only the work itself is compared."""
    mechanism = cd.Mechanism.from_mjcf(path)
    q, v = random_state(mechanism)
    calculator = Calculator(mechanism)
    calculator.forward(q, v)
    tree = jitted(forward_often)

    model, library = mechanism.model, _library()
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = q, v
    forward = _function(library, "mj_forward")
    mj = jitted(mujoco_often)

    setup = set_up(cd.Scenario(mechanism=mechanism), cd.Mujoco(), None)
    one = setup.new_run()  # kept by this name: the contexts point into its arena
    one.arena[setup.layout.x :][: len(q) + len(v)] = np.concatenate([q, v])
    rows = setup.schedule.stage_rows()
    addresses = np.array([row.address for row in rows])
    contexts = np.array([one.arena.ctypes.data + 8 * row.context for row in rows])
    service = jitted(stages_often)

    runs = {
        "tree": lambda: tree(CALLS, calculator.context),
        "mj_forward": lambda: mj(CALLS, forward, model._address, data._address),
        "service": lambda: service(CALLS, addresses, contexts),
    }
    times: dict[str, float] = dict.fromkeys(runs, np.inf)
    for run in runs.values():
        run()
    for _ in range(BURSTS):
        for name, run in runs.items():
            times[name] = min(times[name], best_of(run, 1) / CALLS)
    name = path.stem
    micro = 1e6 * times["tree"]
    yield Goal(
        f"{name}: RecursiveTree ({micro:.2f} us) over mj_forward",
        times["mj_forward"] / times["tree"],
        "times",
        3.0,
        True,
    )
    yield Goal(f"{name}: Mujoco service, cost relative to mj_forward", times["service"] / times["mj_forward"], "", 1.1)
    peer = pinocchio(path)
    if peer is not None:
        yield Goal(f"{name}: RecursiveTree over Pinocchio's aba from Python", peer / times["tree"], "times", 1.0, True)


def pinocchio(path: Path) -> float | None:
    """[s] One call of `pin.aba`, measured in the peers' own environment; None where that does not exist."""
    if not PEERS.exists():
        print("  (no Pinocchio: `make bench-peers` sets it up)", file=sys.stderr)
        return None
    done = subprocess.run(
        [PEERS, HERE / "peers" / "pinocchio_aba.py", path], capture_output=True, text=True, check=True
    )
    return float(json.loads(done.stdout)["aba_s"])


def chain(count: int) -> cd.Mechanism:
    mechanism = cd.Mechanism(f"chain{count}")
    body = mechanism.add_body("b0", joint=cd.Free(), mass=10.0, inertia_B=np.eye(3))
    for i in range(1, count):
        axis = np.roll([1.0, 0.0, 0.0], i)
        body = mechanism.add_body(
            f"b{i}", parent=body, joint=cd.Hinge(axis), mass=1.0, inertia_B=0.1 * np.eye(3), r_BP_P=(0.1, 0.0, 0.0)
        )
    return mechanism


def growth() -> Iterator[Goal]:
    loop = jitted(forward_often)
    calculators = {}
    for count in (64, 256):
        mechanism = chain(count)
        calculators[count] = Calculator(mechanism)
        calculators[count].forward(*random_state(mechanism))
    times = dict.fromkeys(calculators, np.inf)
    for _ in range(BURSTS):
        for count, calculator in calculators.items():
            calls = 6400 // count
            times[count] = min(times[count], best_of(lambda c=calculator, n=calls: loop(n, c.context), 1) / calls)
    yield Goal("a chain of 256 bodies costs, relative to one of 64", times[256] / times[64], "", 4.6)
