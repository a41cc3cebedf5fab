"""Many runs of one scenario, and one run stepped from Python."""

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import mujoco
import numpy as np

import cardan as cd
from benchmarks.free_flyer import STEP, ThrusterLevels, flyer, scenario
from benchmarks.goal import Goal, best_of
from cardan import models
from cardan.messages import HingeTorques
from cardan.missions import find_mission, reaction_wheels
from cardan.simulation import batch_run

MEMBERS, STEPS = 4096, 25
PERIOD = 0.1  # [s] of the controller of `reaction-wheels`
# steps per second that are asked for one by one, and eight at a time
RATES = {
    ("free flyer", 0): ((cd.ExplicitEuler(STEP), 3.0e6, 3.0e6), (cd.Rk4(STEP), 2.0e6, 6.0e6)),
    ("free flyer with seven joints", 7): ((cd.ExplicitEuler(STEP), 1.0e6, 1.0e6), (cd.Rk4(STEP), 4.0e5, 1.0e6)),
}


def measure() -> Iterator[Goal]:
    yield from steps_per_second()
    yield from beside_mujoco()
    yield from overheads()
    yield from stepping()
    yield from building()


def batch(arm: int, integrator: cd.ExplicitEuler | cd.Rk4, members: int = MEMBERS, **options: int) -> cd.Batch:
    outputs = ["obs.error", "rew.reward"]
    return cd.Batch(
        scenario(arm), members, dynamics=cd.RecursiveTree(), integrator=integrator, outputs=outputs, **options
    )


def rollout(made: cd.Batch) -> Callable[[], object]:
    """Commands for all members and steps; every member must come through, or it would look fast."""
    levels = np.random.default_rng(0).uniform(size=(len(made), STEPS, 12))

    def run() -> None:
        made.rollout({"levels": levels}, STEP)
        assert not made.failed.any()

    run()
    return run


@contextmanager
def one_by_one() -> Iterator[None]:
    """Let batches that are made, and begin to run, advance members one by one."""
    can_group = batch_run.can_group
    batch_run.can_group = lambda *_: False
    try:
        yield
    finally:
        batch_run.can_group = can_group


def steps_per_second() -> Iterator[Goal]:
    for (name, arm), cases in RATES.items():
        for integrator, single_goal, goal in cases:
            with one_by_one():
                single = rollout(batch(arm, integrator))
            together = rollout(batch(arm, integrator))
            times = [(best_of(single, 1), best_of(together, 1)) for _ in range(5)]
            rates = [MEMBERS * STEPS / min(each) for each in zip(*times, strict=True)]
            what = f"{name}, {type(integrator).__name__}: steps"
            yield Goal(f"{what}, one by one", rates[0], "1/s", single_goal, True)
            yield Goal(f"{what}, eight at once", rates[1], "1/s", goal, True)
    one, all_cores = (rollout(batch(0, cd.Rk4(STEP), **options)) for options in ({"threads": 1}, {}))
    times = [(best_of(one, 1), best_of(all_cores, 1)) for _ in range(5)]
    yield Goal("two threads over one", min(t[0] for t in times) / min(t[1] for t in times), "times", 1.8, True)


def beside_mujoco() -> Iterator[Goal]:
    """The same free flyer, its thrusters as actuators at sites, by MuJoCo's own RK4 and threads."""
    from mujoco import rollout as mujoco_rollout

    model = flyer().model
    model.opt.timestep = STEP
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    threads = 2
    data = [mujoco.MjData(model) for _ in range(threads)]
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    state = np.zeros(size)
    mujoco.mj_getState(model, data[0], state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    states = np.tile(state, (MEMBERS, 1))
    forces = 0.01 * np.random.default_rng(0).normal(size=(MEMBERS, STEPS, 6))
    specification = int(mujoco.mjtState.mjSTATE_QFRC_APPLIED)
    with mujoco_rollout.Rollout(nthread=threads) as pool:

        def theirs() -> None:
            pool.rollout(model, data, states, forces, control_spec=specification, nstep=STEPS)

        theirs()
        ours = rollout(batch(0, cd.Rk4(STEP), threads=threads))
        times = [(best_of(ours, 1), best_of(theirs, 1)) for _ in range(5)]
    ratio = min(t[1] for t in times) / min(t[0] for t in times)
    yield Goal("free flyer by RK4 over mujoco.rollout", ratio, "times", 5.0, True)


def overheads() -> Iterator[Goal]:
    batch(0, cd.Rk4(STEP), members=1)
    made = best_of(lambda: batch(0, cd.Rk4(STEP)), 3)
    yield Goal(f"a batch of {MEMBERS} made", made, "s", 0.2)
    single = batch(0, cd.ExplicitEuler(STEP), members=1)
    pair = batch(0, cd.ExplicitEuler(STEP), members=64, threads=2)
    alone = batch(0, cd.ExplicitEuler(STEP), members=64, threads=1)
    for each in (single, pair, alone):
        each.advance(0.0)
    # a call that advances nothing has nothing but its overhead
    call = per_call(lambda: single.advance(0.0))
    yield Goal("overhead of a call", 1e6 * call, "us", 5.0)
    dispatch = per_call(lambda: pair.advance(0.0)) - 0.5 * per_call(lambda: alone.advance(0.0))
    yield Goal("overhead of dispatch to threads", 1e6 * dispatch, "us", 25.0)


def per_call(action: Callable[[], object], calls: int = 2000) -> float:
    """[s] The time of a call, the median of many: a thread that must be woken has no shortest time."""
    times = []
    for _ in range(calls):
        began = time.perf_counter()
        action()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def stepping() -> Iterator[Goal]:
    """One control period stepped from Python, less what the core takes for the same steps."""
    wheels = cd.Simulation(commanded_wheels(), dynamics=cd.RecursiveTree(), integrator=cd.Rk4(PERIOD))
    beside = step_beside_physics(wheels, {"torques": HingeTorques(np.zeros(3))}, PERIOD)
    yield Goal("reaction-wheels: a command given and one period advanced, beside physics", beside, "us", 15.0)
    yield Goal("reaction-wheels: `bus.motion` read", 1e6 * per_call(lambda: wheels["bus.motion"]), "us", 10.0)
    sim = cd.Simulation(scenario(), dynamics=cd.RecursiveTree(), integrator=cd.Rk4(STEP))
    beside = step_beside_physics(sim, {"levels": ThrusterLevels(np.zeros(12))}, STEP)
    yield Goal("free flyer: the same", beside, "us", 15.0)
    yield Goal("free flyer: `bus.motion` read", 1e6 * per_call(lambda: sim["bus.motion"]), "us", 10.0)


def commanded_wheels() -> cd.Scenario:
    """The vehicle of `reaction-wheels` in its orbit, with the torques of its motors from outside."""
    vehicle = reaction_wheels.mechanism()
    bodies, wheels = vehicle.group_of_bodies("every_body"), vehicle.group_of_hinges("wheels", *reaction_wheels.WHEELS)
    scn = cd.Scenario("commanded wheels", mechanism=vehicle)
    earth = scn.add(models.PointMassGravity(has_gradient=False), name="earth", positions=bodies.positions)
    scn.connect(earth.pull, bodies.gravity)
    scn.connect(scn.input("torques", HingeTorques(np.zeros(3))), wheels.efforts)
    scn.start(reaction_wheels.build().initial_states)
    return scn


def step_beside_physics(sim: cd.Simulation, messages: dict[str, object], period: float) -> float:
    """[us] What a period takes beyond the core's own time for it."""
    count, clock = 200, time.process_time
    sim.advance_to(0.0)

    def steps() -> None:
        start = round(sim.now / period)
        for k in range(start, start + count):
            sim.give(messages)
            sim.advance_to((k + 1) * period)

    def physics() -> None:
        sim.advance_to(sim.now + count * period)

    steps()
    # in turns, so that a machine that is faster at times is so for both
    times = [(best_of(steps, 1, clock), best_of(physics, 1, clock)) for _ in range(100)]
    return 1e6 * (min(t[0] for t in times) - min(t[1] for t in times)) / count


def building() -> Iterator[Goal]:
    mission = find_mission("reaction-wheels")

    def again() -> None:
        sim = cd.Simulation(mission.build(), dynamics=cd.RecursiveTree(), integrator=mission.integrator_for())
        sim.advance_to(0.0)

    again()
    yield Goal(
        "reaction-wheels built, wired and started again", 1e3 * best_of(again, 100, time.process_time), "ms", 5.0
    )
