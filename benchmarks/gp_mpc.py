"""Predictive control that learns what thrusters give, beside the same without, under faults; and what a tick takes."""

import os
import time
from collections.abc import Iterator
from functools import partial
from typing import Annotated, NamedTuple

import numpy as np

import cardan as cd
from benchmarks.goal import Goal, best_of
from cardan import Vec, fsw
from cardan.maths import choose, mrp_from_quaternion
from cardan.messages import FlyerReference, FrameMotion, LearntThrusters, ThrusterForces
from cardan.missions.free_flyer import NAME, PATH_CONTROLLERS, controller_of, fly
from cardan.missions.free_flyer_setpoint import fixed_axes_quaternion
from cardan.missions.gateway_inspection import ATTITUDES, FIRST, WAYPOINTS
from cardan.missions.vehicles import add_flyer
from cardan.mpc import TrackingMpc, gp_residual
from cardan.mpc.gaussian_process import Prior, knowledge

STARTS = 100
UNTIL, FAULT = 30.0, 1.0  # [s] of a flight, and when a thruster fails
LATE = 20.0  # [s] after which the start and the first of learning are over
PLACES = 100  # of a curve

# what is asked of learning: mean lateral error over that without, over all starts
SHARES = {
    "stuck off": 0.95, "stuck on": 0.6, "saturated": 0.95, "faulty valve": 0.9, "thrust instability": 1.0
}  # fmt: skip
PAIRS = (("mpcc", "gp-mpcc"), ("mpc", "gp-mpc"))  # without and with learning


@cd.model
class CurvedThruster(NamedTuple):
    """One thruster of a bank gives another thrust than demanded, by a curve of even places, from a time on."""

    number: Annotated[int, "-"]
    max_thrust: Annotated[float, "N"]
    curve: Annotated[Vec, "N"]
    after: Annotated[float, "s"] = FAULT

    @cd.output
    def given(self, t: float, forces: ThrusterForces) -> ThrusterForces:
        along = min(max(forces.thrust[self.number] / self.max_thrust, 0.0), 1.0) * (len(self.curve) - 1)
        node = min(int(along), len(self.curve) - 2)
        there = self.curve[node] + (along - node) * (self.curve[node + 1] - self.curve[node])
        numbers = np.cumsum(0.0 * forces.thrust + 1.0) - 1.0
        return ThrusterForces(choose((numbers == self.number) & (t >= self.after), there, forces.thrust))


def curve_of(fault: str, largest: float, rng: np.random.Generator) -> np.ndarray:
    """[N] What a thruster gives at even demands from nothing to `largest`: the faults of SmallSatSim.

    Three of them are drawn from a Gaussian process (Matern 3/2) through 40 of 100 points of a curve, clipped to what a
    thruster can give: github.com/davidbschwartz/smallsat-sim, envs/effects.
    """
    u, n = np.linspace(0.0, largest, PLACES), rng.normal(size=PLACES)
    if fault == "none":
        return u
    if fault == "stuck off":
        return 0.0 * u
    if fault == "stuck on":
        return 0.0 * u + largest
    if fault == "saturated":
        limit = 0.2 * largest
        true, length, variance, is_mean = np.where(u < limit, u, limit + 5e-4 * n * (largest - u)), 0.1, 0.01, True
    elif fault == "faulty valve":
        low, high = 0.15 * largest, 0.8 * largest
        true = np.interp(u, [0.67 * largest, 0.73 * largest], [low, high])
        length, variance, is_mean = 0.3, 0.4, False
    else:
        true = u - 0.1 * largest * np.sin(10.0 * u) + 0.05 * largest * n
        length, variance, is_mean = 0.15, 0.5, False
    known = np.sort(np.r_[0, PLACES - 1, 1 + rng.choice(PLACES - 2, 38, replace=False)])
    r = np.sqrt(3.0) * np.abs(u[:, None] - u) / length
    K = variance * (1.0 + r) * np.exp(-r)
    inverse = np.linalg.inv(K[np.ix_(known, known)] + 1e-4 * np.eye(len(known)))
    mean = true.mean() + K[:, known] @ inverse @ (true[known] - true.mean())
    if not is_mean:
        covariance = K - K[:, known] @ inverse @ K[known]
        values, vectors = np.linalg.eigh(covariance)
        mean = mean + vectors @ (np.sqrt(np.maximum(values, 0.0)) * rng.normal(size=PLACES))
    return np.clip(mean, 0.0, largest)


def scenario(controller: str) -> tuple[cd.Scenario, np.ndarray]:
    """The inspection of 24 waypoints without its station, and the largest thrusts."""
    chosen, m = controller_of(controller, PATH_CONTROLLERS), cd.Mechanism("inspection")
    flyer = add_flyer(m, "astrobee", name=NAME)
    scn = cd.Scenario("inspection", mechanism=m)
    path = fsw.waypoint_mission(WAYPOINTS, ATTITUDES, spacing=0.4, clearance=0.35, is_closed=True, is_repeated=True)
    plan = scn.add(path, name="plan", every=chosen.period, motion=m.bodies[flyer.body].com.motion)
    fly(scn, m, flyer, chosen, plan.reference, (WAYPOINTS, ATTITUDES))
    if chosen.has_path:
        scn.leave_open(plan.reference, plan.progress)  # it only tells how far the vehicle is
    largest = flyer.thrusters.max_thrust
    scn.intercept(scn["bank"].forces, CurvedThruster(0, 1.0, np.linspace(0.0, 1.0, PLACES)), name="fault")
    return scn, largest


class Flights(NamedTuple):
    """Means of each flight.

    Attributes:
        lateral: (n,) [m] Distance from the path.
        late: (n,) [m] The same, late.
        effort: (n,) [N s]
        passed: (n,) References.
    """

    lateral: np.ndarray
    late: np.ndarray
    effort: np.ndarray
    passed: np.ndarray


def flights(controller: str, fault: str, starts: int = STARTS, seed: int = 17) -> Flights:
    """Flights from the same starts, with the same thruster and curve in each, whatever the controller."""
    scn, largest = scenario(controller)
    rng = np.random.default_rng(seed)
    place = WAYPOINTS[FIRST - 1] + rng.uniform(-0.7, 0.7, (starts, 3))
    turns = np.deg2rad(np.array([90.0, 0.0, -90.0]) + rng.integers(-60, 60, (starts, 3)))
    sigma = np.array([mrp_from_quaternion(fixed_axes_quaternion(*turn)) for turn in turns])
    number = rng.integers(0, 12, starts)
    curves = np.array([curve_of(fault, largest[i], rng) for i in number])
    batch = cd.Batch(
        scn,
        starts,
        dynamics=cd.RecursiveTree(),
        integrator=cd.Rk4(step=0.05),
        varies=["fault.number", "fault.max_thrust", "fault.curve"],
    )
    batch.set({"fault.number": number, "fault.max_thrust": largest[number], "fault.curve": curves})
    batch.reset({f"{NAME}/astrobee": FrameMotion(r_BN_N=place, sigma_BN=sigma)})
    log = batch.run(until=UNTIL, record=cd.Record(every=0.25, ports=["plan.progress", "push.state"]))
    if batch.failed.any():
        raise RuntimeError(f"{batch.failed.sum()} flights with `{controller}` and `{fault}` failed")
    progress, t = log["plan.progress"], np.arange(0.0, UNTIL + 0.1, 0.25)
    lateral, late = progress.lateral_error, t[: progress.lateral_error.shape[1]] >= LATE
    return Flights(
        lateral.mean(axis=1),
        lateral[:, late].mean(axis=1),
        log["push.state"].impulse[:, -1].sum(axis=1),
        progress.number[:, -1] - progress.number[:, 0],
    )


def measure() -> Iterator[Goal]:
    yield from ticks()
    starts = int(os.environ.get("STARTS", STARTS))
    print("  mean +- spread over starts: lateral error [cm], the same after 20 s, effort [N s]; share of starts better")
    for pair in PAIRS:
        for fault in ("none", *SHARES):
            plain, learning = (flights(name, fault, starts) for name in pair)
            for name, f in zip(pair, (plain, learning), strict=True):
                print(
                    f"  {fault:20} {name:7}"
                    f" {100 * f.lateral.mean():6.2f} +- {100 * f.lateral.std():5.2f}"
                    f" {100 * f.late.mean():7.2f} +- {100 * f.late.std():5.2f}"
                    f" {f.effort.mean():7.1f} +- {f.effort.std():4.1f}  {f.passed.mean():5.1f} passed"
                    + (f"  {100 * np.mean(learning.late < plain.late):4.0f} %" if name == pair[1] else ""),
                    flush=True,
                )
            if fault in SHARES:
                ratio = learning.lateral.mean() / plain.lateral.mean()
                yield Goal(f"{fault}: lateral error of {pair[1]} over {pair[0]}", ratio, "-", SHARES[fault])
                ratio = learning.late.mean() / plain.late.mean()
                yield Goal(f"{fault}: the same after {LATE:g} s", ratio, "-", SHARES[fault])


def ticks() -> Iterator[Goal]:
    """Processor time of what a tick does, with a full window."""
    m = cd.Mechanism("bee")
    bee = add_flyer(m, "astrobee", name="bee")
    largest = bee.thrusters.max_thrust
    part = gp_residual(bee.mass, bee.inertia_C_B, bee.mixer, largest)
    prior = Prior(
        part.mixer, largest, part.spread, part.length,
        part.outside_force, part.outside_torque, part.force_noise, part.torque_noise,
    )  # fmt: skip
    rng = np.random.default_rng(0)
    q = rng.normal(size=(300, 4))
    q /= np.linalg.norm(q, axis=1)[:, None]
    points = rng.uniform(0.0, 1.0, (300, 12)) * largest, q, 0.01 * rng.normal(size=(300, 6))
    learn = 1e3 * best_of(lambda: knowledge(prior, part.nodes, *points), 20, time.process_time)
    known = knowledge(prior, part.nodes, *points).posterior
    learnt = LearntThrusters(
        known.mean[:-6].reshape(12, part.nodes), known.mean[-6:-3].copy(), known.mean[-3:].copy(), known.factor
    )
    ctl = TrackingMpc(bee.mass, bee.inertia_C_B, bee.mixer, largest)
    start = FrameMotion(r_BN_N=np.array([0.3, 0.1, -0.2]))
    took = []
    for given in ({}, {"learnt": learnt}):
        memory, _ = ctl.step(0.25, ctl.initial(), start, FlyerReference(), **given)
        tick = partial(ctl.step, 0.25, memory, start, FlyerReference(), **given)
        took.append(1e3 * best_of(tick, 20, time.process_time))
    yield Goal("learning from 300 points", learn, "ms", 2.0)
    yield Goal("what it adds to a tick of tracking, N 40", took[1] - took[0], "ms", 1.0)


if __name__ == "__main__":
    for row in measure():
        print(row, flush=True)
