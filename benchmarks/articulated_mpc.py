"""Predictive control of base and joints together: one step of a servicer with seven joints, N = 20"""

import importlib.util
import time
from collections.abc import Iterator

import numpy as np

import cardan as cd
from benchmarks.goal import Goal
from benchmarks.robotics import at_random, fastest
from cardan.maths import mrp_from_dcm
from cardan.messages import TipReference
from cardan.missions.servicer_arm import BEND
from cardan.missions.vehicles import vehicle
from cardan.mpc import ArticulatedMpc, articulated_mpc
from cardan.robotics import Robot, derivatives
from cardan.robotics.calls import native

PERIOD, TICKS = 0.25, 80


def measure() -> Iterator[Goal]:
    yield from articulated_step()
    yield from dynamics_derivatives()


def controller(robot: Robot) -> ArticulatedMpc:
    """Limits of ranges and rates of all joints, a wrench on the base, a sphere to keep clear of."""
    return articulated_mpc(
        robot, tip="tip", max_force=20.0, max_torque=5.0, max_effort=5.0, joint_range=np.tile([-2.5, 2.5], (7, 1)),
        max_joint_rate=np.full(7, 0.3), points={"bus": 0.5, "lower": 0.1},
        keep_out_N=[[1.2, 0.0, 0.6]], keep_out_radius=[0.2],
    )  # fmt: skip


def loop() -> cd.Simulation:
    """A tip that is brought to a place a metre away."""
    m = cd.Mechanism.from_mjcf(vehicle("servicer.xml"))
    robot = Robot(m)
    q = robot.drawn
    q[7:] = BEND
    tip = robot.at(q).pose("tip")
    goal = TipReference(r_TN_N=tip.r_N + np.array([0.8, -0.5, 0.3]), sigma_TN=mrp_from_dcm(tip.R.T))
    scn = cd.Scenario("articulated", mechanism=m)
    arm = robot.hinges("arm")
    ctl = scn.add(
        controller(robot), name="ctl", every=PERIOD, base=m.bodies["bus"].motion, joints=arm.states, tip_reference=goal
    )
    scn.connect(ctl.wrench, m.bodies["bus"].wrench)
    scn.connect(ctl.torque, arm.efforts)
    scn.start({name: cd.messages.HingeState(angle) for name, angle in zip(robot.joints, BEND, strict=True)})
    return cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.05))


def articulated_step() -> Iterator[Goal]:
    """Processor time of a tick in the native loop, with one quadratic program each, without its first tick."""
    sim = loop()
    sim.advance_to(PERIOD)
    spent = []
    for k in range(2, TICKS):
        began = time.process_time()
        sim.advance_to(k * PERIOD)
        spent.append(time.process_time() - began)
    yield Goal("a step of MPC: base and 7 joints, N 20, median", 1e3 * float(np.median(spent)), "ms", 5.0)


def dynamics_derivatives() -> Iterator[Goal]:
    """As a controller calls them, beside Pinocchio where it is installed."""
    robot, q, u, a = at_random(7)
    f, rows = native(derivatives.forward_derivatives), [np.empty((13, 13)) for _ in range(3)]

    def ours() -> None:
        f(robot.numbers, q, u, a, np.empty(13), *rows)

    ours()
    if importlib.util.find_spec("pinocchio") is None:
        (mine,) = fastest(ours, calls=200, rounds=100)
        yield Goal("derivatives of forward dynamics: base and 7 joints", 1e6 * mine, "us", 20.0)
        return
    from benchmarks.peers import pinocchio_robotics

    theirs = pinocchio_robotics.functions(7, q, u, a)["derivatives"]
    mine, other = fastest(ours, theirs, calls=200, rounds=100)
    text = f"derivatives of forward dynamics: base and 7 joints ({1e6 * mine:.1f} us), of Pinocchio's time"
    yield Goal(text, mine / other, "", 2.0)
