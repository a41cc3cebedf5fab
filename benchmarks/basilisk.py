"""Basilisk beside Cardan: the same missions in both, differences and wall times (needs `make bench-peers`)"""

import os
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import cardan as cd
from benchmarks import environment
from benchmarks.goal import Goal
from benchmarks.peer_process import has_peer
from benchmarks.peer_process import told_by as basilisk
from benchmarks.studies import cores, timed, wheels_study
from benchmarks.user_controllers import controlled_arm
from cardan import models
from cardan.celestial import EARTH
from cardan.ephemeris import EARTH_RATE, egm2008
from cardan.maths import dcm_from_mrp
from cardan.missions import branching_panels, reaction_wheels, thruster_arms
from cardan.missions.vehicles import vehicle

ROUNDS = 3  # each side by turns, because the machine is not quiet


def measure() -> Iterator[Goal]:
    if not has_peer("Basilisk"):
        print("  (no Basilisk: `make bench-peers` sets it up)", file=sys.stderr)
        return
    yield from wheels_agree()
    yield from wheels_are_fast()
    yield from campaigns_are_fast()
    yield from panels_are_fast()
    yield from controllers_are_fast()
    yield from arms_are_fast()
    yield from hub_feels_the_gradient()
    yield from low_orbit_is_fast()


def wall(simulation: cd.Simulation, until: float, record: cd.Record) -> float:
    """[s] One run from the start, set-up excluded."""
    simulation.reset()
    began = time.perf_counter()
    simulation.run(until=until, record=record)
    return time.perf_counter() - began


# ---- reaction wheels -----------------------------------------------------------------------------------------------


def wheels_given(kind: str, step: float, *, record: bool) -> dict[str, Any]:
    start = cd.Simulation(reaction_wheels.build(), dynamics=cd.RecursiveTree())["bus.motion"]
    return {
        "kind": kind, "mjcf": str(vehicle("reaction_wheels.xml")), "step": step, "period": 0.1, "high_order": True,
        "until": 600.0, "record": record, "repeat": 1, "mu": EARTH.mu, "K": 3.5, "P": 30.0, "max_torque": 0.2,
        "wheel_inertia": reaction_wheels.WHEEL_INERTIA, "bus_inertia": np.diag(reaction_wheels.BUS_INERTIA_B).tolist(),
        "r": start.r_BN_N.tolist(), "v": start.v_BN_N.tolist(), "sigma": [0.1, 0.2, -0.3],
        "omega": [0.001, -0.01, 0.03], "speeds": [rpm * reaction_wheels.RPM for rpm in (100.0, 200.0, 300.0)],
    }  # fmt: skip


def wheels_agree() -> Iterator[Goal]:
    """Both with steps so small that neither integrator matters."""
    peer = basilisk("basilisk_wheels.py", wheels_given("mujoco", 0.005, record=True))
    ours = {}
    for service in (cd.RecursiveTree(), cd.Mujoco()):
        sim = cd.Simulation(reaction_wheels.build(), dynamics=service, integrator=cd.Rk4(step=0.005))
        ours[type(service).__name__] = sim.run(until=600.0, record=cd.Record(every=0.1))
    log = ours["RecursiveTree"]
    motion, speeds = log["bus.motion"], reaction_wheels.wheel_speeds(log) * reaction_wheels.RPM
    n = min(len(peer["t"]), len(log.t))
    assert np.allclose(peer["t"][:n], log.t[:n])
    differences = {
        "sigma": (np.array(peer["sigma"])[:n] - motion.sigma_BN[:n], "", 1e-7),
        "body rate": (np.array(peer["omega"])[:n] - motion.omega_BN_B[:n], "rad/s", 1e-8),
        "wheel speed": (np.array(peer["speeds"])[:n] - speeds[:n], "rad/s", 1e-4),
    }
    for name, (difference, unit, limit) in differences.items():
        yield Goal(f"wheels: largest difference from Basilisk in {name}", float(np.abs(difference).max()), unit, limit)
    apart = np.linalg.norm(np.array(peer["r"])[:n] - motion.r_BN_N[:n], axis=1)
    yield Goal("wheels: largest difference from Basilisk in position", float(apart.max()), "m", 1e-2)
    both = ours["Mujoco"]["bus.motion"].sigma_BN - motion.sigma_BN
    yield Goal("wheels: largest difference in sigma between our services", float(np.abs(both).max()), "", 1e-10)


def wheels_are_fast() -> Iterator[Goal]:
    record = cd.Record(every=600.0, ports=["bus.motion"])
    sims = {}
    for service in (cd.RecursiveTree(), cd.Mujoco()):
        sim = cd.Simulation(reaction_wheels.build(), dynamics=service, integrator=cd.Rk4(step=0.1))
        sim.compile(record)
        sims[type(service).__name__] = sim
    times = dict.fromkeys([*sims, "scene", "back-substitution"], np.inf)
    for _ in range(ROUNDS):
        for kind, key in (("mujoco", "scene"), ("back-substitution", "back-substitution")):
            given = wheels_given(kind, 0.1, record=False) | {"repeat": 5}
            times[key] = min(times[key], basilisk("basilisk_wheels.py", given)["wall_s"])
        for name, sim in sims.items():
            times[name] = min(times[name], *(wall(sim, 600.0, record) for _ in range(5)))
    tree, mj, scene, back = (times[k] for k in ("RecursiveTree", "Mujoco", "scene", "back-substitution"))
    yield Goal(f"wheels: RecursiveTree ({1e3 * tree:.0f} ms) over Basilisk's scene", scene / tree, "times", 6.0, True)
    yield Goal("wheels: RecursiveTree over Basilisk's back-substitution", back / tree, "times", 3.0, True)
    yield Goal(f"wheels: Mujoco ({1e3 * mj:.0f} ms) over Basilisk's scene", scene / mj, "times", 1.7, True)


def campaigns_are_fast() -> Iterator[Goal]:
    """A thousand runs, and the same dispersions by Basilisk's Monte Carlo controller, on as many processes as cores.

    Processor time, of all threads and processes: wall time would count whoever else uses the machine.
    """
    ours, theirs = np.inf, np.inf
    given = wheels_given("back-substitution", 0.1, record=False) | {"runs": 20, "processes": cores()}
    wheels_study(16).run(progress=False)
    for _ in range(ROUNDS):
        study = wheels_study(1000)
        ours = min(ours, timed(lambda: study.run(progress=False))[1] / study.count)  # noqa: B023 - called at once
        peer = basilisk("basilisk_monte_carlo.py", given)
        assert peer["failures"] == 0
        theirs = min(theirs, peer["spent_s"] / given["runs"])
    name = f"wheels: a run of a study ({1e3 * ours:.0f} ms) over Basilisk's controller ({1e3 * theirs:.0f} ms)"
    yield Goal(name, theirs / ours, "times", 30.0, True)


# ---- panels --------------------------------------------------------------------------------------------------------


def panels_are_fast() -> Iterator[Goal]:
    """The same gains, profile, locks, stops and tolerances; errors of the hub's final attitude against a fine run."""
    rtol, atol = 1e-5, 1e-7
    given = {
        "mjcf": str(vehicle("branching_panels.xml")), "phase_lasts": branching_panels.PHASE_LASTS,
        "max_rate": branching_panels.MAX_RATE, "max_acceleration": branching_panels.MAX_ACCELERATION,
        "hinges": branching_panels.HINGES, "stowed": branching_panels.STOWED.tolist(),
        "phase": branching_panels.PHASE.tolist(), "K_p": branching_panels.gains().K_p.tolist(),
        "K_d": branching_panels.gains().K_d.tolist(), "rtol": rtol, "atol": atol,
    }  # fmt: skip
    until, record = 3.0 * branching_panels.PHASE_LASTS, cd.Record(every=10.0, ports=["hub.motion"])
    fine, sim = (panels_simulation(r, a) for r, a in ((1e-9, 1e-11), (rtol, atol)))
    truth = fine.run(until=until, record=record)["hub.motion"].sigma_BN[-1]
    sim.compile(record)
    ours, theirs = np.inf, np.inf
    for _ in range(2):
        ours = min(ours, wall(sim, until, record))
        peer = basilisk("basilisk_panels.py", given)
        theirs = min(theirs, peer["wall_s"])
    our_error = angle_between(sim.log["hub.motion"].sigma_BN[-1], truth)
    their_error = angle_between(np.array(peer["sigma"]), truth)
    yield Goal("panels: error of the hub's final attitude over Basilisk's", our_error / their_error, "", 1.0)
    name = f"panels: Mujoco ({ours:.1f} s) over Basilisk's scene ({theirs:.1f} s)"
    yield Goal(name, theirs / ours, "times", 4.0, True)


def panels_simulation(rtol: float, atol: float) -> cd.Simulation:
    scenario = branching_panels.build()
    scenario.set("pid.K_i", np.zeros(6))  # Basilisk's joint PID never integrates its error
    integrator = cd.DormandPrince54(rtol=rtol, atol=atol)
    return cd.Simulation(scenario, dynamics=cd.Mujoco(lock_time_constant=2.0), integrator=integrator)


def angle_between(sigma_BN: np.ndarray, sigma_RN: np.ndarray) -> float:
    """[rad]"""
    dcm = dcm_from_mrp(sigma_BN) @ dcm_from_mrp(sigma_RN).T
    return float(np.arccos(np.clip(0.5 * (np.trace(dcm) - 1.0), -1.0, 1.0)))


# ---- controllers that a user wrote, and arms -----------------------------------------------------------------------


def controllers_are_fast() -> Iterator[Goal]:
    """Four joint controllers in the dynamics loop, in Python on both sides."""
    sim, mjcf, until = controlled_arm()
    record = cd.Record(every=until, ports=["hub.motion"])
    sim.compile(record)
    ours, theirs = np.inf, np.inf
    for _ in range(ROUNDS):
        ours = min(ours, *(wall(sim, until, record) for _ in range(3)))
        theirs = min(theirs, basilisk("basilisk_controllers.py", {"mjcf": mjcf, "until": until})["wall_s"])
    yield Goal("four user-written controllers at every stage: over Basilisk", theirs / ours, "times", 30.0, True)


def arms_are_fast() -> Iterator[Goal]:
    """The arm mission with the same controller as Python modules of Basilisk; its cost per second is constant."""
    mission = thruster_arms.MISSION
    sim = cd.Simulation(mission.build(), dynamics=cd.RecursiveTree(), integrator=mission.integrator_for())
    record = cd.Record(every=50.0, ports=["hub.motion"])
    sim.compile(record)
    M = thruster_arms.joint_inertia(sim.scenario.mechanism)
    given = {
        "mjcf": str(vehicle("thruster_arms.xml")), "joints": thruster_arms.JOINTS, "until": 50.0,
        "inertia": M[6:, 6:].tolist(), "coupling": M[6:, 3:6].tolist(),
        "r": thruster_arms.START.r_BN_N.tolist(), "sigma": thruster_arms.START.sigma_BN.tolist(),
    }  # fmt: skip
    ours, theirs = np.inf, np.inf
    for _ in range(2):
        ours = min(ours, *(wall(sim, 500.0, record) for _ in range(3)))
        peer = basilisk("basilisk_arms.py", given)
        theirs = min(theirs, 10.0 * peer["wall_s"])
    sim.reset()
    sim.run(until=50.0, record=record)
    apart = float(np.linalg.norm(sim["hub.motion"].r_BN_N - peer["r"]))
    yield Goal("arms: difference from Basilisk in position after 50 s", apart, "m", 1e-3)
    name = f"arms: RecursiveTree ({ours:.2f} s) over Basilisk with Python modules"
    yield Goal(name, theirs / ours, "times", 20.0, True)

    # its own example is not in the wheel: a checkout of the source has it
    if "BASILISK_SOURCE" in os.environ:
        peer = basilisk("basilisk_own_arms.py", {"source": os.environ["BASILISK_SOURCE"], "until": 500.0})
        name = f"arms: RecursiveTree over Basilisk's own example ({peer['wall_s']:.0f} s)"
        yield Goal(name, peer["wall_s"] / ours, "times", 20.0, True)


# ---- environment ---------------------------------------------------------------------------------------------------


def hub_feels_the_gradient() -> Iterator[Goal]:
    """Two orbits of an asymmetrical hub with Basilisk's gravity-gradient effector."""
    inertia = np.array([[310.0, 12.0, -7.0], [12.0, 240.0, 9.0], [-7.0, 9.0, 150.0]])
    start = cd.orbit(
        a=6.9e6, e=0.01, i=0.9, Omega=0.3, omega=0.2, f=0.1,
        sigma_BN=[0.1, 0.2, -0.15], omega_BN_B=[2e-4, -1.1e-3, 3e-4],
    )  # fmt: skip
    given = {"step": 0.5, "until": 11400.0, "mu": EARTH.mu, "mass": 500.0, "inertia": inertia.tolist()}
    names = {"r": "r_BN_N", "v": "v_BN_N", "sigma": "sigma_BN", "omega": "omega_BN_B"}
    given |= {name: getattr(start, field).tolist() for name, field in names.items()}
    peer = basilisk("basilisk_gravity_gradient.py", given)
    m = cd.Mechanism("hub")
    hub = m.add_body("hub", joint=cd.Free(), mass=500.0, inertia_B=inertia)
    group = m.group_of_bodies("all")
    scn = cd.Scenario("hub", mechanism=m)
    earth = scn.add(models.PointMassGravity(), name="earth", positions=group.positions)
    scn.connect(earth.pull, group.gravity)
    scn.start({hub: start})
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Dop853(rtol=1e-12, atol=1e-12))
    sim.run(until=11400.0)
    apart = 4.0 * np.abs(sim["hub.motion"].sigma_BN - peer["sigma"]).max()
    yield Goal("gravity gradient: hub after two orbits, from Basilisk", float(apart), "rad", 1e-7)


def low_orbit_is_fast() -> Iterator[Goal]:
    """A month with 20x20, Sun, Moon, drag, eclipse and radiation, to 1 m on our side.

    Each penumbra is a matter of seconds, so that steps of 10 s are needed for a metre. Basilisk holds density, eclipse
    and planets over a step of 1 s; how far its end is from one with steps of 2 s is shown beside the ratio. The models
    are alike, not the same, and ours are more work: DE440 and the IERS's data for ellipses and an even spin, six facets
    for a ball.
    """
    field = egm2008()
    given = {
        "until": environment.MONTH, "mu": field.mu, "radius": field.radius, "spin": EARTH_RATE,
        "C": field.C[:21, :21].tolist(), "S": field.S[:21, :21].tolist(),
        "r": [6878137.0, 0.0, 0.0], "v": [0.0, -981.0, 7549.0],
        "sun": {"a": 1.496e11, "e": 0.0167, "i": 0.409, "Omega": 0.0, "omega": 4.93, "f": 1.34},
        "moon": {"a": 3.844e8, "e": 0.055, "i": 0.4, "Omega": 0.1, "omega": 1.0, "f": 2.0},
    }  # fmt: skip
    fine, coarse = (basilisk("basilisk_month.py", given | {"step": step}) for step in (1.0, 2.0))
    theirs = float(np.linalg.norm(np.subtract(coarse["r"], fine["r"])))
    exact, ours = (environment.month(cd.Dop853(rtol=1e-12, atol=1e-9, max_step=step)) for step in (5.0, 10.0))
    environment.again(ours, environment.DAY)  # compiles
    began = time.process_time()
    end = environment.again(ours, environment.MONTH)["body.motion"].r_BN_N[-1]
    spent = time.process_time() - began
    apart = end - environment.again(exact, environment.MONTH)["body.motion"].r_BN_N[-1]
    yield Goal("a month in low orbit: our error", float(np.linalg.norm(apart)), "m", 1.0)
    name = f"a month in low orbit ({spent:.1f} s) over Basilisk (to {theirs:.0f} m)"
    yield Goal(name, fine["used_s"] / spent, "times", 5.0, True)
