"""The foundation: entries, closed loop, start-up, recording, compiling"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np

import cardan as cd
from benchmarks import hand_folded_wheels, hand_written_wheels
from benchmarks.goal import Goal, best_of
from cardan import fsw, models
from cardan.missions import hello, reaction_wheels
from cardan.native.compiling import jitted
from cardan.native.pointers import call_entry
from cardan.simulation.setup import set_up
from cardan.simulation.simulation import Simulation


@cd.message
class Position(NamedTuple):
    r_BN_N: Annotated[cd.Vec3, "m"]


@cd.message
class Pull(NamedTuple):
    force_N: Annotated[cd.Vec3, "N"]


@cd.model
class Spring(NamedTuple):
    """One 3-vector in, one 3-vector out."""

    stiffness: Annotated[float, "N/m"] = 2.0

    @cd.output
    def pull(self, position: Position) -> Pull:
        return Pull(-self.stiffness * position.r_BN_N)


def measure() -> Iterator[Goal]:
    yield from entry_cost()
    yield from closed_loop()
    yield from beside_a_program_by_hand()
    yield from start_up()
    yield from recording()
    yield from compiling()


def call_often(times: int, address: int, context: int) -> int:
    status = 0
    for _ in range(times):
        status += call_entry(address, 0.0, context)
    return status


def entry_cost() -> Iterator[Goal]:
    scn = cd.Scenario()
    scn.add(Spring(), name="spring", position=Position(np.array([1.0, 2.0, 3.0])))
    setup = set_up(scn, None, None)
    run, row = setup.new_run(), setup.schedule.rows["spring", "pull"]
    context = run.arena.ctypes.data + 8 * row.context
    loop = jitted(call_often)
    loop(1, row.address, context)
    calls = 1_000_000
    cost = best_of(lambda: loop(calls, row.address, context)) / calls
    yield Goal("a compiled entry, one 3-vector in and one out", 1e9 * cost, "ns", 100.0)


def hello_run(*, jit: bool = True, record: cd.Record | None = None) -> tuple[cd.Simulation, cd.Record]:
    sim = Simulation(hello.build(), integrator=hello.MISSION.integrator, jit=jit)
    sim.compile(record)
    return sim, record or cd.Record()


def again(sim: cd.Simulation, record: cd.Record) -> cd.Log:
    sim.reset()
    return sim.run(until=600.0, record=record, progress=False)


def closed_loop() -> Iterator[Goal]:
    native, record = hello_run()
    plain, _ = hello_run(jit=False)
    fast = best_of(lambda: again(native, record))
    slow = best_of(lambda: again(plain, record), repeats=2)
    pairs = zip(again(native, record).fields(), again(plain, record).fields(), strict=True)
    same = all(np.array_equal(a.values, b.values) for a, b in pairs)
    yield Goal("rigid body and its task, 600 s, RK4 0.1 s: native over plain Python", slow / fast, "times", 25.0, True)
    yield Goal("  and the same bits (1 yes, 0 no)", float(same), "", 1.0, True)


def beside_a_program_by_hand() -> Iterator[Goal]:
    """`reaction-wheels` against programs for this one vehicle, in turns; processor time, which others disturb less."""
    scn, record = reaction_wheels.build(), cd.Record()
    sim = Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.1))
    numbers, begin = hand_written_wheels.vehicle(scn), hand_written_wheels.start(scn)
    actions: dict[str, Callable[[], Any]] = {
        "ours": lambda: again(sim, record),
        "written": lambda: hand_written_wheels.fly(numbers, begin),
        "folded": lambda: hand_folded_wheels.fly(begin),
    }
    found = {name: action() for name, action in actions.items()}
    times = dict.fromkeys(actions, np.inf)
    for _ in range(20):
        for name, action in actions.items():
            began = time.process_time()
            action()
            times[name] = min(times[name], time.process_time() - began)
    texts = {"written": "a program written by hand for it", "folded": "the same with all its numbers folded in"}
    for name, text in texts.items():
        yield Goal(f"`reaction-wheels`, 600 s: over {text}", times["ours"] / times[name], "times", 1.15)
        yield Goal("  and how far the two come apart", apart(found["ours"], found[name]), "", 1e-10)


def apart(log: cd.Log, samples: np.ndarray) -> float:
    """[-] The largest difference of any recorded number from that of the program by hand, relative to its largest."""
    found, column = 0.0, 1
    for path, words in hand_written_wheels.COLUMNS.items():
        fields = [np.reshape(field.values, (len(log.t), -1)) for field in log.fields() if field.path.startswith(path)]
        theirs, column = samples[:, column : column + words], column + words
        mine = np.concatenate(fields, axis=1)
        scale = np.maximum(np.abs(mine).max(axis=0), np.finfo(float).tiny)
        found = max(found, float((np.abs(mine - theirs).max(axis=0) / scale).max()))
    return found


def sixty_parts() -> cd.Scenario:
    scn = cd.Scenario("sixty")
    for i in range(20):
        body = scn.add(models.RigidBody(inertia_B=hello.INERTIA_B), name=f"body{i}")
        err = scn.add(fsw.AttitudeTracking(), name=f"err{i}", every=0.5, attitude=body.attitude)
        law = fsw.MrpFeedback(K=3.5, P=30.0, inertia_B=hello.INERTIA_B)
        ctl = scn.add(law, name=f"ctl{i}", every=0.5, error=err.error)
        scn.connect(ctl.torque, body.drive)
    return scn


def start_up() -> Iterator[Goal]:
    def begin() -> None:
        Simulation(sixty_parts(), integrator=cd.Rk4(step=0.1)).run(until=0.1)

    begin()
    yield Goal("wire and start 60 parts whose classes are compiled", best_of(begin, 3), "s", 1.0)

    command = [str(Path(sys.executable).with_name("cardan")), "run", "hello", "--json"]
    subprocess.run(command, check=True, capture_output=True)

    def shell() -> None:
        subprocess.run(command, check=True, capture_output=True)

    yield Goal("`cardan run hello` in a second process, from the shell", best_of(shell, 3), "s", 3.0)


def recording() -> Iterator[Goal]:
    """All ports at every step against none, alternating so that a busy machine disturbs both alike."""
    nothing, everything = cd.Record(ports=()), cd.Record(every=0.1, ports=("*",))
    sims = {record: hello_run(record=record)[0] for record in (nothing, everything)}
    times: dict[cd.Record, list[float]] = {nothing: [], everything: []}
    for _ in range(40):
        for record, sim in sims.items():
            sim.reset()
            began = time.perf_counter()
            sim.run(until=600.0, record=record, progress=False)
            times[record].append(time.perf_counter() - began)
    # neighbours in time are disturbed alike, so their ratio says more than the best of each
    extra = float(np.median(np.array(times[everything]) / np.array(times[nothing]))) - 1.0
    yield Goal("record all ports at every step: extra cost", 100.0 * extra, "%", 20.0)


def cold(*what: str, **variables: str) -> float:
    """[s] Processor time of the busiest process that compiles something, beginning with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"CARDAN_CACHE_DIR": folder} | variables
        command = [sys.executable, "-m", "benchmarks.cold", *what]
        return float(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)


def compiling() -> Iterator[Goal]:
    name = "compile a filter of 40 lines: by Numba to the end over a draft"
    yield Goal(name, cold("filter", "to the end") / cold("filter"), "times", 2.0, True)
    if sys.platform == "linux":  # elsewhere one process compiles
        ratio = cold("mission", CARDAN_COMPILE_JOBS="1") / cold("mission", CARDAN_COMPILE_JOBS="2")
        yield Goal("compile the mission hello: one process over two", ratio, "times", 1.3, True)
