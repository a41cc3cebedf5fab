"""Mechanisms in JAX: every joint, every port, every number that may vary, beside the native recursion."""

from typing import Annotated, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from mechanisms import random_mechanism, random_state

import cardan as cd
from cardan.dynamics.recursive_tree.calculator import Calculator
from cardan.jax.numbers import MechanismNumbers
from cardan.jax.recursion import Recursion
from cardan.maths import Vec
from cardan.messages import (
    ActuatorCommand,
    BodyTorque,
    BodyWrench,
    FrameMotion,
    FrameMotions,
    FramePositions,
    GravityField,
    HingeLock,
    HingeState,
    HingeStates,
    HingeTorques,
    InertialForce,
    InertialForces,
    InertialWrench,
    MassProperties,
    PrescribedAngle,
    PrescribedMotion,
    SlideState,
)

VEHICLE = """
<mujoco><option gravity="0 0 0"/><worldbody>
  <body name="bus"><freejoint name="bus_joint"/><inertial pos="0.1 0 0" mass="50" fullinertia="5 6 7 0.1 0.2 0.3"/>
    <site name="nozzle" pos="0 0 -0.5" quat="0.8 0.6 0 0"/>
    <body name="box" pos="0.1 0.2 0" quat="0.6 0.8 0 0">
      <inertial pos="0 0 0.1" mass="3" diaginertia="0.2 0.3 0.4"/></body>
    <body name="panel" pos="0.5 0 0.1" quat="0.8 0 0.6 0">
      <joint name="panel_x" axis="0 1 0" pos="0 0 0.1" damping="0.2" stiffness="0.5" springref="10"/>
      <joint name="panel_y" axis="1 0 1" armature="0.1" actuatorfrcrange="-0.3 0.3"/>
      <inertial pos="0.3 0 0" mass="2" diaginertia="0.1 0.2 0.2"/>
      <body name="tip" pos="0.6 0 0"><joint name="tip_joint" type="slide" axis="0 0.6 0.8" stiffness="20"/>
        <inertial pos="0 0.1 0" mass="1" diaginertia="0.1 0.1 0.1"/></body></body>
    <body name="boom" pos="-0.5 0 0"><joint name="boom_joint" type="ball" damping="0.1"/>
      <inertial pos="0 0.4 0" mass="2" diaginertia="0.2 0.1 0.2"/>
      <body name="dish" pos="0 0.8 0"><joint name="dish_joint" axis="0 0 1"/>
        <inertial pos="0 0.1 0" mass="1" diaginertia="0.1 0.1 0.2"/></body></body>
    <body name="hatch" pos="0 0 0.5"><joint name="hatch_joint" axis="1 0 0"/>
      <inertial pos="0 0 0.2" mass="1" diaginertia="0.1 0.1 0.1"/></body>
    <body name="cart" pos="0 0.5 0"><joint name="cart_x" type="slide" axis="1 0 0"/>
      <joint name="cart_y" type="slide" axis="0 1 0"/><joint name="cart_z" type="slide" axis="0 0 1"/>
      <joint name="cart_turn" type="ball"/><inertial pos="0 0 0.1" mass="1" diaginertia="0.1 0.1 0.1"/></body>
    <body name="wheel" pos="0.1 0 -0.2" quat="0.6 0 0.8 0"><joint name="wheel_joint" axis="0 0 1" armature="0.01"/>
      <inertial pos="0 0 0.1" mass="3" diaginertia="0.1 0.1 0.15"/></body></body>
  <body name="crane" pos="3 0 0"><joint name="crane_joint" axis="0 1 0" damping="0.3"/>
    <inertial pos="1 0 0" mass="4" diaginertia="1 1 1"/></body>
</worldbody><actuator>
  <motor name="drive" joint="panel_y" gear="2"/>
  <position name="servo" joint="crane_joint" kp="3" kv="0.5" ctrlrange="-1 1" forcerange="-2 2"/>
  <motor name="jet" site="nozzle" gear="0 0 1 0 0.1 0" ctrlrange="0 0.4"/>
</actuator></mujoco>"""

VARIED = {
    "bus.mass": 60.0,
    "bus.r_CB_B": [0.0, 0.05, 0.1],
    "bus.inertia_B": np.diag([6.0, 7.0, 8.0]),
    "panel_x.damping": 0.5,
    "panel_x.stiffness": 0.8,
    "panel_x.rest": 0.3,
    "panel_y.armature": 0.2,
    "nozzle.r_SB_B": [0.1, 0.0, -0.4],
    "nozzle.q_SB": [1.0, 0.0, 0.0, 0.0],
    "panel.r_BP_P": [0.6, 0.1, 0.0],
    "panel.q_BP": [1.0, 0.0, 0.0, 0.0],
}
PORTS = [
    "bus.motion", "bus.com.motion", "tip.com.motion", "bus.matrix", "bus.quaternion", "nozzle.motion", "bus.momentum",
    "crane.momentum", "tip_joint.state", "boom_joint.state", "panel_x.reaction", "boom_joint.reaction",
    "dish_joint.holding", "hatch_joint.holding", "hatch_joint.state", "crane_joint.state", "cart.motion",
    "cart.holding", "wheel.motion", "wheel_joint.reaction", "read.sums",
]  # fmt: skip


@cd.message
class Sums(NamedTuple):
    total: Annotated[Vec, "-"]


class Summed(NamedTuple):
    sums: Sums


@cd.task
class Reader(NamedTuple):
    """Reads what groups of bodies and hinges say."""

    def step(self, positions: FramePositions, motions: FrameMotions, hinges: HingeStates) -> Summed:
        moved = positions.r_BN_N[:, 0] + motions.v_BN_N[:, 1] + motions.sigma_BN[:, 2] + motions.omega_BN_B[:, 0]
        return Summed(Sums(np.concatenate((moved, hinges.angle + hinges.rate))))


def craft() -> cd.Scenario:
    """Two vehicles with every kind of joint, and something at every kind of port."""
    m = cd.Mechanism.from_mjcf(VEHICLE)
    bodies, hinges = m.group_of_bodies("all"), m.group_of_hinges("hinges", "panel_x", "panel_y")
    scn = cd.Scenario("craft", mechanism=m)
    rng = np.random.default_rng(1)
    count = len(m.bodies)
    for target, message in {
        bodies.gravity: GravityField(rng.normal(size=(count, 3)), 0.1 * rng.normal(size=(count, 6))),
        bodies.forces_N: InertialForces(0.1 * rng.normal(size=(count, 3))),
        m.bodies["bus"].wrench: BodyWrench(np.array([0.1, 0.2, 0.3]), np.array([0.3, 0.2, 0.1])),
        m.bodies["tip"].com.wrench_N: InertialWrench(np.array([0.3, -0.2, 0.1]), np.array([0.0, 0.2, 0.1])),
        m.bodies["bus"].torque: BodyTorque(np.array([-0.1, 0.3, 0.2])),
        m.bodies["wheel"].wrench: BodyWrench(np.array([0.2, 0.1, 0.3]), np.array([0.1, -0.3, 0.2])),
        m.sites["nozzle"].force_N: InertialForce(np.array([0.2, 0.1, -0.3])),
        m.sites["nozzle"].wrench: BodyWrench(np.array([0.0, 0.0, 0.3]), np.zeros(3)),
        hinges.efforts: HingeTorques(np.array([0.1, -0.2])),
        m.joints["boom_joint"].effort: BodyTorque(np.array([0.1, 0.2, -0.1])),
        m.joints["dish_joint"].lock: HingeLock(True, 0.2),
        m.joints["hatch_joint"].prescribed: PrescribedAngle(0.4, 0.1, 0.05),
        m.bodies["cart"].prescribed: PrescribedMotion(
            np.array([0.1, 0.0, 0.2]), np.array([0.0, 0.1, 0.0]), np.array([0.0, 0.0, 0.3]),
            np.array([0.8, 0.0, 0.6, 0.0]), np.array([0.1, 0.2, 0.0]), np.array([0.0, 0.1, 0.1]),
        ),
        m.bodies["tip"].mass_properties: MassProperties(1.5, np.array([0.0, 0.2, 0.1]), 0.2 * np.eye(3)),
        m.actuators["drive"].command: ActuatorCommand(0.9),
        m.actuators["jet"].command: ActuatorCommand(0.7),
    }.items():  # fmt: skip
        scn.connect(message, target)
    scn.add(Reader(), name="read", every=0.1, positions=bodies.positions, motions=bodies.motions, hinges=hinges.states)
    start = FrameMotion(
        np.array([7e6, 0.0, 0.0]), np.array([0.0, 7e3, 0.0]), np.array([0.1, 0.2, -0.3]), np.array([0.1, -0.2, 0.3])
    )
    rates = {m.joints["tip_joint"]: SlideState(0.1, 0.2), m.joints["wheel_joint"]: HingeState(0.3, 20.0)}
    scn.start({m.bodies["bus"]: start, **rates})
    return scn


def test_every_joint_port_and_number_is_the_native_one():
    """To rounding over ten steps; positions are those of an orbit, of which 1e-9 m is the last digit."""
    service, integrator = cd.RecursiveTree(), cd.ExplicitEuler(step=0.1)
    made = cd.jax_function(craft(), dynamics=service, integrator=integrator, outputs=PORTS, varies=list(VARIED))
    both = {path: np.stack((value, VARIED[path])) for path, value in made.parameters.items()}

    @jax.jit
    def fly(parameters):
        state, _ = made.reset(parameters=parameters)
        return made.rollout(state, steps=10, parameters=parameters)[1]

    flown = [fly({path: values[i] for path, values in both.items()}) for i in range(2)]
    batch = cd.Batch(craft(), 2, dynamics=service, integrator=integrator, outputs=PORTS, varies=list(VARIED))
    batch.set(both)
    for _ in range(10):
        batch.advance(0.1)
    assert not batch.failed.any()
    for path in PORTS:
        for name, values in batch[path]._asdict().items():
            ours = np.stack([np.asarray(getattr(each[path], name)[-1], float) for each in flown])
            assert ours == pytest.approx(np.asarray(values, float), rel=1e-11, abs=1e-11), (path, name)


def test_the_gradient_of_a_mechanism_is_that_of_finite_differences():
    """By a mass, by an inertia of a drive, by an attitude and by a rate at the start, through the recursion."""
    m = cd.Mechanism("pair")
    bus = m.add_body("bus", joint=cd.Free(), mass=5.0, inertia_B=np.diag([1.0, 1.2, 1.4]))
    m.add_body(
        "arm", parent=bus, joint=cd.Hinge((0, 0.6, 0.8), armature=0.1, stiffness=0.3), mass=1.0,
        inertia_B=0.1 * np.eye(3), r_CB_B=(0.3, 0.0, 0.1), r_BP_P=(0.2, 0.0, 0.0),
    )  # fmt: skip
    scn = cd.Scenario("pair", mechanism=m)
    varied = ["arm.mass", "arm_joint.armature"]
    made = cd.jax_function(scn, dynamics=cd.RecursiveTree(), integrator=cd.ExplicitEuler(step=0.1), varies=varied)

    def end(x):
        parameters = dict(zip(varied, x[:2], strict=True))
        start = FrameMotion(jnp.zeros(3), jnp.zeros(3), jnp.stack((x[2], 0.2, 0.1)), jnp.stack((0.3, x[3], 0.1)))
        state, _ = made.reset({"bus": start, "arm_joint": HingeState(0.4, 0.1)}, parameters=parameters)
        state, _ = made.rollout(state, steps=5, parameters=parameters)
        return jnp.sum(state.x.mechanism.v**2) + jnp.sum(state.x.mechanism.q[3:] ** 3)

    x, h = jnp.array([1.1, 0.2, 0.3, 0.4]), 1e-5
    values = jax.jit(jax.vmap(end))(jnp.concatenate((x + h * jnp.eye(4), x - h * jnp.eye(4))))
    differences = np.asarray(values[:4] - values[4:]) / (2.0 * h)
    assert np.asarray(jax.jit(jax.grad(end))(x)) == pytest.approx(differences, rel=1e-7, abs=1e-9)


def test_the_recursion_is_the_native_one_on_a_random_tree():
    """Several vehicles, all kinds of joint, some accelerations known: relative to the largest, to rounding."""
    made = random_mechanism(18, most=6)
    tree = made.tree
    assert len(tree.roots) == 2 and set(tree.kind[1:]) == {0, 1, 2, 3}
    q, v = random_state(made, 18)
    rng, free = np.random.default_rng(4), np.flatnonzero(tree.kind == 0)
    effort, wrench = rng.normal(size=tree.nv), rng.normal(size=(tree.links, 6)) * (np.arange(tree.links) > 0)[:, None]
    effort[[int(tree.v_at[link]) + k for link in free for k in range(6)]] = 0.0
    known = np.flatnonzero((rng.uniform(size=tree.nv) < 0.3) & (effort != 0.0))
    native = Calculator(made)
    native.hold(dict.fromkeys(known.tolist(), 0.3))
    expected = native.forward(q, v, effort, wrench)

    recursion = Recursion(tree)
    numbers = MechanismNumbers(made, recursion, frozenset(), {}).numbers({})
    is_known = np.isin(np.arange(tree.nv), known)

    @jax.jit
    def forward(q, v):
        motion = recursion.motion(numbers, q, v)
        found = recursion.accelerations(
            numbers, motion, wrench[recursion.order], jnp.asarray(effort), (is_known, 0.3 * is_known)
        )
        return motion.turn, motion.velocity, found.v_dot, found.holding

    turn, velocity, v_dot, holding = (np.asarray(each) for each in forward(q, v))
    assert np.abs(v_dot - expected).max() < 1e-12 * np.abs(expected).max()
    assert np.abs(holding - native.arrays["holding"]).max() < 1e-12 * np.abs(native.arrays["holding"]).max()
    assert np.abs(turn[recursion.row] - native.arrays["turn"]).max() < 1e-13
    assert np.abs(velocity[recursion.row] - native.arrays["velocity"]).max() < 1e-12 * np.abs(velocity).max()
