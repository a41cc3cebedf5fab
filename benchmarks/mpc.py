"""Predictive control: ticks of tracking and contouring, beside CasADi with HPIPM; random programs; keep-out spheres"""

import importlib.util
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import cardan as cd
from benchmarks import gp_mpc
from benchmarks.foundation import cold
from benchmarks.goal import Goal
from cardan import mpc
from cardan.messages import FlyerReference, FrameMotion
from cardan.missions.vehicles import add_flyer
from cardan.models import ThrusterBank, ThrusterWrench
from cardan.mpc.plans import node_of

PERIOD, TICKS = 0.25, 40  # [s]
BEE = add_flyer(cd.Mechanism("bee"), "astrobee", name="bee")
START = FrameMotion(r_BN_N=[1.0, -0.5, 0.8], v_BN_N=[0.02, 0.0, 0.05], sigma_BN=[0.3, -0.2, 0.4])
AT_ORIGIN = FlyerReference()
# a triangle of 6 m about the start
CORNERS = np.array([[1.0, -0.5, 0.6], [3.0, -0.5, 0.6], [2.0, 1.2, 0.6]])
ATTITUDES = np.array([[1.0, 0, 0, 0], [0.8, 0.0, 0.0, 0.6], [0.8, 0.6, 0.0, 0.0]])
PROGRAMS, SPHERES = 10_000, 500


def measure() -> Iterator[Goal]:
    yield from ticks()
    yield from gp_mpc.ticks()
    yield from beside_casadi()
    yield from threads()
    yield from compiling()
    yield from real_time()
    yield from random_programs()
    yield from spheres()


def tracking(**options: Any) -> mpc.TrackingMpc:
    return mpc.TrackingMpc(BEE.mass, BEE.inertia_C_B, BEE.mixer, BEE.thrusters.max_thrust, **options)


def loop(law: Any, start: FrameMotion = START, reference: FlyerReference = AT_ORIGIN) -> cd.Scenario:
    """A flyer in closed loop."""
    mechanism = cd.Mechanism("loop")
    flyer = add_flyer(mechanism, "astrobee", name="bee")
    scn = cd.Scenario("loop", mechanism=mechanism)
    body, thrusters = mechanism.bodies[flyer.body], flyer.thrusters
    wired = {"reference": reference} if isinstance(law, mpc.TrackingMpc) else {}
    ctl = scn.add(law, name="ctl", every=PERIOD, motion=body.com.motion, **wired)
    bank = scn.add(ThrusterBank(thrusters.max_thrust), name="bank", command=ctl.command)
    push = scn.add(ThrusterWrench(thrusters.positions_B, thrusters.directions_B), name="push", forces=bank.forces)
    scn.connect(push.wrench, body.wrench)
    scn.start({body: start})
    return scn


def simulation(law: Any, **loop_options: Any) -> cd.Simulation:
    return cd.Simulation(loop(law, **loop_options), dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.05))


def tick_times(law: Any, rounds: int = 3) -> np.ndarray:
    """[s] Processor time of each tick of a run but the first, the best of several runs."""
    times = np.full((rounds, TICKS), np.inf)
    for each in times:
        sim = simulation(law)
        sim.advance_to(0.5 * PERIOD)
        for k in range(TICKS):
            began = time.process_time()
            sim.advance_to((k + 1.5) * PERIOD)
            each[k] = time.process_time() - began
    return times.min(axis=0)


def ticks() -> Iterator[Goal]:
    median = float(np.median(tick_times(tracking())))
    yield Goal("a tick of tracking, 12 thrusters, N 40, median", 1e3 * median, "ms", 1.0)
    along = mpc.contouring_mpc(BEE, CORNERS, ATTITUDES, is_closed=True)
    yield Goal("a tick of contouring, N 80, median", 1e3 * float(np.median(tick_times(along))), "ms", 3.0)


def beside_casadi() -> Iterator[Goal]:
    """Both solve the program about the same plans, those of a run; CasADi's functions run as they come."""
    if importlib.util.find_spec("casadi") is None:
        print("  (no CasADi: `pip install cardan[dev]` has it)", file=sys.stderr)
        return
    from benchmarks.peers import casadi_tracking

    part = tracking()
    theirs, sim, apart, times = casadi_tracking.RealTimeIteration(part), simulation(part), 0.0, []
    ours = tick_times(part)
    for k in range(TICKS):
        sim.advance_to((k + 0.5) * PERIOD)
        plan = sim["ctl.prediction"]
        nodes = np.array(
            [node_of(*row) for row in zip(plan.r_BN_N, plan.sigma_BN, plan.v_BN_N, plan.omega_BN_B, strict=True)]
        )
        began = time.process_time()
        found = theirs.step(nodes, plan.thrust)
        times.append(time.process_time() - began)
        if k > 10:
            # the plan is nearly optimal, so the program about it should leave it
            apart = max(apart, float(np.abs(found[0] - plan.thrust[0]).max()))
    yield Goal("first thrusts apart from HPIPM's", apart, "N", 0.03)
    ratio = float(np.median(times) / np.median(ours))
    yield Goal(
        f"a tick of tracking over CasADi with HPIPM ({1e3 * np.median(times):.1f} ms)", ratio, "times", 5.0, True
    )


def threads() -> Iterator[Goal]:
    """Many flyers at once, in one thread and in two."""
    members, until = 32, 5.0

    def run(count: int) -> tuple[float, np.ndarray]:
        batch = cd.Batch(
            loop(tracking()), members, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.05),
            outputs=["ctl.command"], threads=count,
        )  # fmt: skip
        began = time.perf_counter()
        batch.advance(until)
        return time.perf_counter() - began, np.array(batch["ctl.command"].thrust)

    run(1)
    results = [(run(1), run(2)) for _ in range(3)]
    one, two = (min(each[i][0] for each in results) for i in (0, 1))
    same = all(np.array_equal(a[1], b[1]) for a, b in results)
    yield Goal("flyers with tracking: two threads over one", one / two, "times", 1.6, True)
    yield Goal("the same bits in both", float(same), "", 1.0, True)


def compiling() -> Iterator[Goal]:
    yield Goal("compile all of a flight with tracking, busiest process", cold("tracking"), "s", 30.0)


def real_time() -> Iterator[Goal]:
    """One program a tick loses little against as many as it takes."""
    costs = [closed_loop_cost(tracking(programs=count, first_programs=max(count, 8))) for count in (1, 30)]
    yield Goal("cost of a closed loop, one program a tick: more", 100.0 * (costs[0] / costs[1] - 1.0), "%", 2.0)


def closed_loop_cost(part: mpc.TrackingMpc, until: float = 15.0) -> float:
    """Of errors and thrusts as they were, with the weights of the stages."""
    log = simulation(part).run(until=until, progress=False)
    error, thrust, w = log["ctl.error"], log["ctl.command"].thrust, part.weights
    sizes = (np.sum(each * each, axis=1) for each in (error.r_BR_B, error.theta_BR_B, error.v_BR_B, error.omega_BR_B))
    return float(
        sum(wi * size.sum() for wi, size in zip(w, sizes, strict=True)) + part.thrust_weight * np.sum(thrust * thrust)
    )


def random_program(rng: np.random.Generator) -> tuple[mpc.Problem, np.ndarray]:
    """Weights, ranges and penalties over three decades; a tenth of the inputs fixed."""
    n, x, y = (int(rng.integers(*span)) for span in ((2, 20), (2, 13), (1, 7)))
    u, m = y + int(rng.integers(0, 7)), int(rng.integers(0, 4))
    half, lower = rng.normal(size=(n + 1, x, x)), -(10 ** rng.uniform(-2, 1, size=(n, u))) * (rng.random((n, u)) < 0.7)
    problem = mpc.Problem(
        A=np.eye(x) + 0.1 * rng.normal(size=(n, x, x)), B=0.3 * rng.normal(size=(n, x, y)),
        c=0.05 * rng.normal(size=(n, x)), M=rng.normal(size=(y, u)), Q=np.einsum("kij,kil->kjl", half, half) / x,
        q=rng.normal(size=(n + 1, x)), R=10 ** rng.uniform(-2, 1, size=u), r=0.3 * rng.normal(size=(n, u)), lower=lower,
        upper=lower + 10 ** rng.uniform(-2, 1, size=(n, u)) * (rng.random((n, u)) > 0.1),
        G=rng.normal(size=(n + 1, m, x)), h=rng.uniform(-0.2, 2, size=(n + 1, m)),
        z=10 ** rng.uniform(0, 3, size=m), Z=10 ** rng.uniform(0, 3, size=m),
    )  # fmt: skip
    return problem, rng.normal(size=x)


def random_programs(count: int = PROGRAMS) -> Iterator[Goal]:
    """Residuals as they are reported, which tests compare with dense ones."""
    rng, outside, most, unsolved, residual = np.random.default_rng(16), 0, 0, 0, 0.0
    for _ in range(count):
        p, x0 = random_program(rng)
        found, outcome = mpc.quadratic_program(p, x0, tolerance=1e-6, iterations=50)
        outside += int(np.any(found.u < p.lower) or np.any(found.u > p.upper))
        unsolved, most = unsolved + int(outcome.status != 0), max(most, outcome.iterations)
        residual = max(residual, outcome.residual)
    yield Goal(f"{count} random programs: with an input outside its bounds", outside, "", 0)
    yield Goal(f"{count} random programs: not solved to the tolerance", unsolved, "", 0)
    yield Goal(f"{count} random programs: most iterations", most, "", 25)
    yield Goal(f"{count} random programs: KKT residual, largest", residual, "", 1e-6)


def spheres(count: int = SPHERES) -> Iterator[Goal]:
    """Random starts and goals on opposite sides of a sphere of 0.6 m: how deep a flyer or its plan ever is in it."""
    starts, goals = starts_and_goals(count)
    found = [past_sphere(starts[i : i + AT_ONCE], goals[i : i + AT_ONCE]) for i in range(0, count, AT_ONCE)]
    depth, planned, fast, missed = (np.concatenate(each) for each in zip(*found, strict=True))
    name = f"{count} flights past a sphere"
    print(
        f"  {name}: deepest {1e3 * depth.max():.2f} mm, planned {1e3 * planned.max():.2f} mm; negative is outside",
        flush=True,
    )
    print(f"  {name}: planned faster than 0.3 m/s by up to {1e3 * fast.max():.2f} mm/s", flush=True)
    yield Goal(f"{name}: in which the flyer enters it", int(np.sum(depth > 0.0)), "", 0)
    yield Goal(f"{name}: with a plan that enters it", int(np.sum(planned > 0.0)), "", 0)
    yield Goal(f"{name}: with a plan too fast by more than 0.1 mm/s", int(np.sum(fast > 1e-4)), "", 0)
    yield Goal(f"{name}: not at the goal after 30 s", int(np.sum(missed > 0.1)), "", 0)


def past_sphere(start: np.ndarray, goal: np.ndarray) -> tuple[np.ndarray, ...]:
    """[m] How deep each flyer is, and its plans are; [m/s] by how much plans are too fast; [m] what is left to go."""
    part = tracking(max_speed=0.3, keep_out_N=[[0.0, 0.0, 0.0]], keep_out_radius=[0.6], programs=2, first_programs=20)
    options = {"dynamics": cd.RecursiveTree(), "integrator": cd.Rk4(step=0.05), "varies": ["ctl.keep_out_N"]}
    batch = cd.Batch(loop(part), len(start), **options)
    batch.set({"ctl.keep_out_N": -goal[:, None]})  # the goal is the origin
    batch.reset({"bee/astrobee": FrameMotion(r_BN_N=start - goal)})
    log = batch.run(until=30.0, record=cd.Record(every=0.05, ports=["bee/astrobee.motion", "ctl.prediction"]))
    path, plan = log["bee/astrobee.motion"].r_BN_N, log["ctl.prediction"]
    flown = np.linalg.norm(path + goal[:, None], axis=2)
    planned = np.linalg.norm(plan.r_BN_N[:, :, 1:] + goal[:, None, None], axis=3)  # a plan begins where the flyer is
    speed = np.linalg.norm(plan.v_BN_N[:, :, 1:], axis=3)
    left = np.linalg.norm(path[:, -1], axis=1)
    return 0.6 - flown.min(axis=1), 0.6 - planned.min(axis=(1, 2)), speed.max(axis=(1, 2)) - 0.3, left


AT_ONCE = 50  # flights, whose predictions fit into memory


def starts_and_goals(count: int) -> tuple[np.ndarray, np.ndarray]:
    """[m] From 1.0 to 2.0 m away from the centre, the goal opposite, within 40 degrees."""
    rng = np.random.default_rng(7)
    ways = rng.normal(size=(2, count, 3))
    starts = ways[0] / np.linalg.norm(ways[0], axis=1)[:, None]
    goals = -starts + 0.35 * ways[1]
    goals /= np.linalg.norm(goals, axis=1)[:, None]
    return starts * rng.uniform(1.0, 2.0, size=(count, 1)), goals * rng.uniform(1.0, 1.5, size=(count, 1))
