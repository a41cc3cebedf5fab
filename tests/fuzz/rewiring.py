"""Random scenarios in batches, in variants, rewired, fed from outside, streamed: each is the plain one, to the bit."""

import random
from contextlib import suppress
from typing import Any

import numpy as np

import cardan as cd
from cardan.errors import WiringError
from cardan.scenario.clock import seconds
from fuzz.campaign import Case, kind
from fuzz.scenarios import ADAPTIVE, FIXED, TICK, assert_same_logs, prepare, random_scenario
from generic_parts import PassOn, Sample
from parts import Gain, Lag, Number, Ramp

_NUMBERS = {Gain: "factor", Lag: "time_constant", Ramp: "slope"}  # parameters that any positive number suits


def scenario(seed: float) -> cd.Scenario:
    """The scenario of a seed, with an input from outside and now and then a parameter that changes."""
    rng = random.Random(seed)
    scn = random_scenario(rng)
    given = scn.input("given", Number(rng.uniform(-1.0, 1.0)))
    scn.add(Lag(), name="fed", source=given)
    for path in parameters(scn):
        if rng.random() < 0.3:
            scn.change(path, rng.uniform(0.5, 3.0), at=TICK * rng.randint(1, 8))
    return scn


def parameters(scn: cd.Scenario) -> list[str]:
    found = [(name, _NUMBERS.get(type(placed.part))) for name, placed in scn.parts.items()]
    return [f"{name}.{field}" for name, field in found if field is not None]


def service(scn: cd.Scenario, rng: random.Random) -> Any:
    return None if scn.mechanism is None else rng.choice([cd.RecursiveTree(), cd.RecursiveTree(), cd.Mujoco()])


def built(scn: cd.Scenario, dynamics: Any, integrator: Any) -> cd.Simulation | None:
    try:
        return cd.Simulation(scn, dynamics=dynamics, integrator=integrator)
    except cd.CardanError:
        return None  # a loop, or a mechanism that is singular: refused, as it should be


@kind("batches", share=40, limit=60.0, prepare=prepare)
def batches(case: Case) -> None:
    """Each member is a simulation with its seed, its parameters and what it was given."""
    rng, seed = case.rng, case.rng.random()
    integrator, members = rng.choice(FIXED + ADAPTIVE), rng.randint(1, 5)
    scn = scenario(seed)
    dynamics = service(scn, rng)
    if built(scenario(seed), dynamics, integrator) is None:
        return
    changing = {f"{change.part}.{change.path.rpartition('.')[2]}" for change in scn.changes}
    varies = [path for path in parameters(scn) if path not in changing and rng.random() < 0.5]
    values = {path: np.array([rng.uniform(0.5, 3.0) for _ in range(members)]) for path in varies}
    batch = cd.Batch(
        scn, members, dynamics=dynamics, integrator=integrator, varies=varies, outputs=["fed.signal"],
        threads=rng.randint(1, 3),
    )  # fmt: skip
    batch.set(values)
    batch.reset()
    spans = [TICK * rng.randint(0, 4) for _ in range(rng.randint(1, 4))]
    given = [[rng.uniform(-1.0, 1.0) for _ in range(members)] for _ in spans]
    for span, numbers in zip(spans, given, strict=True):
        batch["given"].value[:] = numbers
        assert not batch.advance(span).any(), batch.error(int(np.argmax(batch.failed)))

    for member in range(members):
        own = scenario(seed)
        own.seed += member
        for path, numbers in values.items():
            own.set(path, float(numbers[member]))
        alone = built(own, dynamics, integrator)
        assert alone is not None, "a member runs that is refused alone"
        end = 0.0
        for span, numbers in zip(spans, given, strict=True):
            end += span
            alone.give(given=Number(numbers[member]))
            alone.advance_to(round(end, 9))
        assert batch.snapshot(member) == alone.snapshot(), f"member {member} is not the simulation of its own"
        assert batch["fed.signal"].value[member] == alone["fed.signal"].value


@kind("rewiring", share=40, limit=60.0, prepare=prepare)
def rewiring(case: Case) -> None:
    """Variants are scenarios built so, what is passed on changes nothing, and streamed logs are those in memory."""
    rng, seed = case.rng, case.rng.random()
    integrator, end = rng.choice(FIXED + ADAPTIVE), round(TICK * rng.randint(2, 12), 9)
    record = cd.Record(every=rng.choice(["step", TICK]), ports=["*.signal"])
    scn = scenario(seed)
    dynamics = service(scn, rng)
    sim = built(scn, dynamics, integrator)
    if sim is None:
        return
    whole = sim.run(until=end, record=record, progress=False)

    # a variant is a scenario that was built so
    values = {path: rng.uniform(0.5, 3.0) for path in parameters(scn) if rng.random() < 0.5}
    own = scenario(seed)
    own.seed += 1
    for path, value in values.items():
        own.set(path, value)
    fresh, variant = built(own, dynamics, integrator), sim.variant(values, seed=own.seed)
    assert fresh is not None
    assert_same_logs(
        [variant.run(until=end, record=record, progress=False)], fresh.run(until=end, record=record, progress=False)
    )
    assert variant.snapshot() == fresh.snapshot(), "a variant is not the scenario built so"

    # a part in between that passes on what it receives changes nothing: of a task, a task at the same ticks
    passed = scenario(seed)
    name = rng.choice(sorted({field.path.partition(".")[0] for field in whole.fields()}))
    placed = passed.parts[name]
    ticks = {"every": seconds(placed.period), "offset": seconds(placed.offset)} if placed.period else {}
    with suppress(WiringError):  # nobody reads it
        passed.intercept(passed[name].signal, Sample() if ticks else PassOn(), name="between", **ticks)
        between = built(passed, dynamics, integrator)
        assert between is not None, "a part in between makes a scenario that is refused"
        assert_same_logs([between.run(until=end, record=record, progress=False)], whole)

    # what is streamed is what memory would have held, however it is cut
    streamed = sim.variant({})
    log = streamed.run(until=end, record=record, stream=case.folder / "run.nc", progress=False)
    assert_same_logs([log], whole)
    assert_same_logs([cd.load_log(case.folder / "run.nc")], whole)
