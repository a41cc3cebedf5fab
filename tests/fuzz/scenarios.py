"""Random scenarios: native is plain, pieces are the whole, a restart goes on, and a reset begins again, to the bit."""

import random
from contextlib import suppress
from typing import Any

import numpy as np
from mechanisms import random_mechanism

import cardan as cd
from cardan import messages
from cardan.mechanism.tree import HINGE
from cardan.scenario.clock import seconds
from fuzz.campaign import Case, kind
from parts import Bank, Count, Gain, Lag, Noise, Ramp, Relay, Weights

TICK = 0.1  # [s] of which all periods and samples are multiples
FIXED = [cd.ExplicitEuler(TICK / 2), cd.SemiImplicitEuler(TICK), cd.Heun(TICK / 4), cd.Rk4(TICK / 2)]
ADAPTIVE = [cd.BogackiShampine32(rtol=1e-4), cd.DormandPrince54(), cd.Rkf45(), cd.Rkf78(), cd.Dop853(rtol=1e-8)]
_LIMIT = 10  # parts, at most
_COUNT, _RELAY, _NOISE = _TASKS = 3, 4, 5


def random_scenario(rng: random.Random) -> cd.Scenario:
    """Any number of small parts, wired at random, with delays and loops through states and tasks."""
    scn = cd.Scenario("random", seed=rng.randrange(1000), mechanism=_vehicle(rng))
    sources = [scn.add(Ramp(slope=rng.uniform(-2, 2)), name="ramp").signal]
    vectors: list[Any] = []
    ticking: set[str] = set()
    size = rng.randint(1, 5)
    for i in range(rng.randint(1, _LIMIT)):
        source, every, what = rng.choice(sources), TICK * rng.randint(1, 4), rng.randrange(7)
        if rng.random() < 0.4 and (what == _RELAY or source.path in ticking):  # a delay counts the ticks of one end
            source = source.delayed(rng.choice([1, 2, 7, 40]))
        name = f"p{i}"
        if what in _TASKS:
            ticking.add(f"{name}.signal")
        match what:
            case 0:
                sources.append(scn.add(Gain(factor=rng.uniform(-1, 1)), name=name, source=source).signal)
            case 1 | 2:
                lag = Lag(time_constant=rng.uniform(0.2, 5.0))
                sources.append(scn.add(lag, name=name, source=source).signal)
            case 3:
                offset = {"offset": TICK} if every > TICK and rng.random() < 0.3 else {}
                sources.append(scn.add(Count(), name=name, every=every, **offset).signal)
            case 4:
                sources.append(scn.add(Relay(), name=name, every=every, source=source).signal)
            case 5:
                noise = Noise(deviations=[rng.random() for _ in range(size)])
                vectors.append(scn.add(noise, name=name, every=every).signal)
            case 6 if vectors:
                bank = Bank(time_constants=[rng.uniform(0.2, 5.0) for _ in range(size)])
                weights = Weights([[rng.uniform(-1, 1) for _ in range(size)] for _ in range(size)])
                mixed = scn.add(weights, name=f"{name}w", source=rng.choice(vectors))
                vectors.append(scn.add(bank, name=name, source=mixed.signal).signal)
    return scn


def _vehicle(rng: random.Random) -> cd.Mechanism | None:
    return random_mechanism(rng.randrange(10_000), most=4, wheels=rng.randrange(3)) if rng.random() < 0.4 else None


def built(seed: float, jit: bool, integrator: Any) -> cd.Simulation:
    """The simulation of a seed; every call makes the same."""
    rng = random.Random(seed)
    scn = random_scenario(rng)
    mechanism, dynamics = scn.mechanism, None
    if mechanism is not None:
        starts = {}
        for name, joint in mechanism.joints.items():
            if joint.kind == HINGE:
                starts[name] = messages.HingeState(rng.uniform(-1, 1), rng.uniform(-1, 1))
                scn.connect(messages.HingeTorque(rng.uniform(-1, 1)), joint.effort)
        scn.start(starts)
        service = rng.choice([cd.RecursiveTree, cd.RecursiveTree, cd.Mujoco])
        dynamics = service(jit=jit)
    return cd.Simulation(scn, dynamics=dynamics, integrator=integrator, jit=jit)


def prepare() -> None:
    """Have all parts, services and integrators compiled."""
    for seed in range(40):
        with suppress(cd.CardanError):
            built(seed, True, (FIXED + ADAPTIVE)[seed % 9]).run(until=TICK, progress=False)


def assert_same_logs(pieces: list[cd.Log], whole: cd.Log) -> None:
    assert np.array_equal(np.concatenate([log.t for log in pieces]), whole.t), "samples are lost or taken twice"
    for field in whole.fields():
        joined = np.concatenate([log.fields(field.path)[0].values for log in pieces])
        assert joined.tobytes() == field.values.tobytes(), f"{field.path} differs"


@kind("scenarios", share=70, limit=60.0, prepare=prepare)
def scenarios(case: Case) -> None:
    rng = case.rng
    seed = rng.random()
    integrator = rng.choice(FIXED + ADAPTIVE)
    end = TICK * rng.randint(2, 12)
    record = rng.choice(
        [cd.Record(), cd.Record(every=TICK), cd.Record(every="step"), cd.Record(every=TICK, ports=["*"])]
    )
    cuts = [TICK * round(rng.uniform(0.0, end / TICK)) for _ in range(rng.randint(0, 3))]
    seams = [*sorted(round(t, 9) for t in cuts), round(end, 9)]
    try:
        sim = built(seed, True, integrator)
    except cd.CardanError:
        return  # a loop, or a mechanism that is singular: refused, as it should be
    end = seams[-1]
    whole = sim.run(until=end, record=record, progress=False)
    final = sim.snapshot()

    # a reset begins again
    sim.reset()
    assert_same_logs([sim.run(until=end, record=record, progress=False)], whole)
    assert sim.snapshot() == final, "reset is not fresh"

    # pieces are the whole where they meet at ticks, and so are restarts from files
    ticks = [part for part in sim.scenario.parts.values() if seconds(part.period) == TICK and not part.offset]
    if integrator in FIXED or record.every == TICK or ticks:
        cut, restarted = built(seed, True, integrator), built(seed, True, integrator)
        logs = []
        for until in seams:
            logs.append(cut.run(until=until, record=record, progress=False))
            again = built(seed, True, integrator)
            again.restore(cd.load_snapshot(restarted.snapshot().save(case.folder / "now.npz")))
            again.run(until=until, record=record, progress=False)
            restarted = again
        assert_same_logs(logs, whole)
        assert cut.snapshot() == final, "pieces are not the whole"
        assert restarted.snapshot() == final, "a restart does not go on"

    # plain Python is native code
    plain = built(seed, False, integrator)
    short = min(end, 3 * TICK) if sim.scenario.mechanism is not None else end
    native = built(seed, True, integrator)
    assert_same_logs(
        [plain.run(until=short, record=record, progress=False)], native.run(until=short, record=record, progress=False)
    )
    assert plain.snapshot() == native.snapshot(), "plain is not native"

    # a log comes back from its file
    loaded = cd.load_log(whole.save(case.folder / "run.nc"))
    assert_same_logs([loaded], whole)
