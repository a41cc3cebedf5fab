"""Bodies with six prescribed degrees of freedom: every service against every other, and against Newton and Euler."""

from typing import Annotated, NamedTuple

import numpy as np
import pytest
from test_services import evaluate

import cardan as cd
from cardan import messages
from cardan.errors import ImpossibleValue, SettingError, UnknownName, WiringError
from cardan.maths import dcm_from_mrp, dcm_from_quaternion

SERVICES = [cd.RecursiveTree(), cd.Mujoco(), cd.BackSubstitution()]


def physical_inertia(rng: np.random.Generator) -> np.ndarray:
    a = rng.normal(size=(3, 3))
    return np.trace(a @ a.T) * np.eye(3) - a @ a.T + 0.1 * np.eye(3)


def turn(rng: np.random.Generator) -> np.ndarray:
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def random_motion(rng: np.random.Generator) -> messages.PrescribedMotion:
    r, v, a, omega, omega_dot = rng.normal(size=(5, 3))
    return messages.PrescribedMotion(r, v, a, turn(rng), omega, omega_dot)


def hub_with_carriages(seed: int, count: int) -> cd.Mechanism:
    """Bodies on carriages, every second one on the one before it; B, Bc, M, F and Fc all at different places."""
    rng = np.random.default_rng(seed)
    made = cd.Mechanism("spacecraft")
    hub = made.add_body("hub", joint=cd.Free(), mass=30.0, inertia_B=physical_inertia(rng), r_CB_B=rng.normal(size=3))
    before = hub
    for i in range(count):
        before = made.add_body(
            f"part{i}",
            parent=before if i % 2 else hub,
            joint=cd.Carriage(),
            mass=float(rng.uniform(1.0, 5.0)),
            inertia_B=physical_inertia(rng),
            r_CB_B=rng.normal(size=3),
            r_BP_P=rng.normal(size=3),
            q_BP=turn(rng),
        )
    return made


def prescribed_scenario(seed: int, count: int = 4) -> cd.Scenario:
    mechanism = hub_with_carriages(seed, count)
    rng = np.random.default_rng(seed + 1000)
    scn = cd.Scenario(mechanism=mechanism)
    for i in range(count):
        body = mechanism.bodies[f"part{i}"]
        scn.connect(random_motion(rng), body.prescribed)
        scn.connect(messages.BodyWrench(*rng.normal(size=(2, 3))), body.wrench)
    scn.connect(messages.BodyWrench(*rng.normal(size=(2, 3))), mechanism.bodies["hub"].wrench)
    return scn


def hub_state(seed: int, tree: object) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    q, v = np.zeros(tree.nq), np.zeros(tree.nv)
    q[:7], v[:6] = [*rng.normal(size=3), *turn(rng)], rng.normal(size=6)
    return q, v


@pytest.mark.parametrize("seed", range(5))
def test_services_agree_on_bodies_that_move_as_prescribed(seed):
    """Accelerations, motion, reactions and what motors deliver: 1e-11 of the largest number."""
    results = []
    for dynamics in SERVICES:
        scn = prescribed_scenario(seed)
        found = evaluate(scn, dynamics, *hub_state(seed, scn.mechanism.tree))
        numbers = [np.ravel(field) for path, port in found.ports.items() if "part" in path for field in port]
        results.append(np.concatenate([found.accelerations, *numbers]))
    for other in results[1:]:
        assert np.abs(other - results[0]).max() < 1e-11 * np.abs(results[0]).max()


@pytest.mark.parametrize("dynamics", SERVICES, ids=lambda d: d.name)
def test_only_the_hub_is_integrated_whatever_the_number_of_prescribed_bodies(dynamics):
    sim = cd.Simulation(prescribed_scenario(0, count=3), dynamics=dynamics)
    assert sim.states == {
        "hub_joint.r_BN_N": (3,),
        "hub_joint.q_BN": (4,),
        "hub_joint.v_BN_N": (3,),
        "hub_joint.omega_BN_B": (3,),
    }


@cd.model
class Wobble(NamedTuple):
    """Six degrees of freedom at once, each a sine that starts at rest, with exact derivatives."""

    frequency: Annotated[float, "rad/s"] = 0.7

    @cd.output
    def motion(self, t: float) -> messages.PrescribedMotion:
        w = self.frequency
        s, s1, s2 = 1.0 - np.cos(w * t), w * np.sin(w * t), w * w * np.cos(w * t)
        way = np.array([0.3, -0.2, 0.5])
        axis = np.array([0.6, 0.0, 0.8])
        half = 0.5 * s
        q_FM = np.array([np.cos(half), axis[0] * np.sin(half), axis[1] * np.sin(half), axis[2] * np.sin(half)])
        return messages.PrescribedMotion(way * s, way * s1, way * s2, q_FM, axis * s1, axis * s2)


def wobbling(dynamics: object) -> cd.Simulation:
    mechanism = hub_with_carriages(7, 2)
    scn = cd.Scenario(mechanism=mechanism)
    for i, frequency in enumerate((0.7, 1.1)):
        source = scn.add(Wobble(frequency), name=f"wobble{i}")
        scn.connect(source.motion, mechanism.bodies[f"part{i}"].prescribed)
    scn.start({"hub": messages.FrameMotion(v_BN_N=[0.1, 0.2, 0.3], omega_BN_B=[0.05, -0.1, 0.2])})
    return cd.Simulation(scn, dynamics=dynamics, integrator=cd.Dop853(rtol=1e-13, atol=1e-13))


@pytest.mark.parametrize("dynamics", SERVICES, ids=lambda d: d.name)
def test_prescribed_motion_is_followed_and_conserves_momentum(dynamics):
    """No load acts from outside: momenta stay to the tolerance of the integrator, and the audit counts the motors."""
    sim = wobbling(dynamics)
    log = sim.run(until=10.0, record=cd.Record(every=0.5, ports=["hub.*", "part0.*"]))
    momentum = log["hub.momentum"]
    assert np.ptp(momentum.kinetic_energy) > 1.0  # the motors work
    assert np.abs(momentum.momentum_C_N - momentum.momentum_C_N[0]).max() < 1e-11 * np.abs(momentum.momentum_C_N).max()
    assert np.abs(momentum.v_CN_N - momentum.v_CN_N[0]).max() < 1e-12

    assert sim.audit().is_explained
    t = float(log["part0.motion"].t[-1])
    wanted = Wobble(0.7).motion(t)
    states = [sim[f"part0_joint/{axis}.state"].displacement for axis in "xyz"]
    assert states == pytest.approx(list(wanted.r_FM_M), abs=1e-15)
    assert sim["part0_joint/turn.state"].q_CP == pytest.approx(wanted.q_FM, abs=1e-15)


@pytest.mark.parametrize("dynamics", SERVICES, ids=lambda d: d.name)
def test_the_motors_of_a_carriage_deliver_what_newton_and_euler_ask_of_the_body(dynamics):
    """Force and torque at F against finite differences of the body's own momenta: 1e-6, second order in 1e-4 s."""
    mechanism = hub_with_carriages(3, 1)
    scn = cd.Scenario(mechanism=mechanism)
    wobble = scn.add(Wobble(), name="wobble")
    part = mechanism.bodies["part0"]
    scn.connect(wobble.motion, part.prescribed)
    scn.start({"hub": messages.FrameMotion(omega_BN_B=[0.2, -0.1, 0.3])})
    sim = cd.Simulation(scn, dynamics=dynamics, integrator=cd.Rk4(step=1e-4))
    ports = ["part0.motion", "part0.com.motion", "part0.holding", "hub.motion"]
    log = sim.run(until=1.0002, record=cd.Record(every=1e-4, ports=ports))
    mass, _, inertia = mechanism.tree.body_mass["part0"]
    centre, origin, deliver = log["part0.com.motion"], log["part0.motion"], log["part0.holding"]
    before, now, after = -3, -2, -1
    dcms = {k: dcm_from_mrp(centre.sigma_BN[k]) for k in (before, now, after)}
    spins = {k: dcms[k].T @ inertia @ centre.omega_BN_B[k] for k in (before, after)}
    force_N = mass * (centre.v_BN_N[after] - centre.v_BN_N[before]) / 2e-4
    torque_N = (spins[after] - spins[before]) / 2e-4
    torque_N += np.cross(centre.r_BN_N[now] - origin.r_BN_N[now], force_N)
    dcm_MN = dcm_from_quaternion(np.array(mechanism.model.body("part0").quat)) @ dcm_from_mrp(
        log["hub.motion"].sigma_BN[now]
    )
    assert deliver.force_M[now] == pytest.approx(dcm_MN @ force_N, abs=1e-6)
    assert deliver.torque_F[now] == pytest.approx(dcms[now] @ torque_N, abs=1e-6)
    assert np.linalg.norm(force_N) > 0.5


def test_a_ball_joint_may_be_prescribed_on_its_own():
    results = []
    for dynamics in SERVICES:
        made = cd.Mechanism("turret")
        hub = made.add_body("hub", joint=cd.Free(), mass=30.0, inertia_B=5.0 * np.eye(3))
        made.add_body("turret", parent=hub, joint=cd.Ball((0.1, 0.0, 0.2)), mass=2.0, inertia_B=np.eye(3))
        scn = cd.Scenario(mechanism=made)
        rng = np.random.default_rng(1)
        scn.connect(
            messages.PrescribedTurn(turn(rng), *rng.normal(size=(2, 3))), made.joints["turret_joint"].prescribed
        )
        sim = cd.Simulation(scn, dynamics=dynamics)
        assert sim["turret_joint.state"].q_CP == pytest.approx(turn(np.random.default_rng(1)), abs=1e-15)
        results.append(sim["turret_joint.holding"].torque_B)
    assert np.abs(results[0]).max() > 0.1
    for other in results[1:]:
        assert other == pytest.approx(results[0], rel=1e-12)


def test_a_carriage_is_recognized_in_a_file_too():
    made = cd.Mechanism.from_mjcf("""
    <mujoco><worldbody><body name="hub"><freejoint name="fly"/><inertial pos="0 0 0" mass="9" diaginertia="1 1 1"/>
      <body name="tool">
        <joint name="a" type="slide" axis="1 0 0"/><joint name="b" type="slide" axis="0 1 0"/>
        <joint name="c" type="slide" axis="0 0 1"/><joint name="d" type="ball"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      </body></body></worldbody></mujoco>""")
    assert made.bodies["tool"].prescribed.elements == ("a", "b", "c", "d")


def test_a_body_without_a_carriage_has_no_port_for_prescribed_motion():
    made = hub_with_carriages(0, 1)
    with pytest.raises(UnknownName) as error:
        _ = made.bodies["hub"].prescribed
    assert str(error.value) == (
        "`hub` has no carriage, so it has no port `prescribed`.\n"
        "  Add it with `joint=cd.Carriage()`, or give it slides along x, y and z and then a ball."
    )


def test_a_carriage_whose_joints_have_no_names_in_the_file_is_one_too():
    made = cd.Mechanism.from_mjcf("""
    <mujoco><worldbody><body name="tool">
      <joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/>
      <joint type="ball"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
    </body></worldbody></mujoco>""")
    assert made.bodies["tool"].holding.elements == ("joint0", "joint1", "joint2", "joint3")


def test_the_motion_of_a_joint_is_said_once():
    made = hub_with_carriages(0, 1)
    scn = cd.Scenario(mechanism=made)
    scn.connect(messages.PrescribedMotion(), made.bodies["part0"].prescribed)
    with pytest.raises(WiringError) as error:
        scn.connect(messages.PrescribedDisplacement(), made.joints["part0_joint/y"].prescribed)
    assert str(error.value) == (
        "`part0_joint/y.prescribed` and `part0.prescribed` both say how `part0_joint/y` moves.\n"
        "  Connect one of the two."
    )


def test_a_prescribed_joint_cannot_be_given_a_state():
    made = hub_with_carriages(0, 1)
    scn = cd.Scenario(mechanism=made)
    scn.connect(messages.PrescribedMotion(), made.bodies["part0"].prescribed)
    scn.start({"part0_joint/y": messages.SlideState(0.1, 0.0)})
    with pytest.raises(SettingError) as error:
        cd.Simulation(scn, dynamics=cd.RecursiveTree())
    assert str(error.value) == (
        "`part0_joint/y` moves as prescribed, so it cannot be given a state.\n"
        "  Let the prescribed motion begin there instead."
    )


def test_an_inertia_that_no_body_can_have_is_refused():
    made = hub_with_carriages(0, 1)
    inertia_B = np.diag([1.0, 1.0, 3.0])
    with pytest.raises(ImpossibleValue, match=r"`ghost\.inertia_B` must be an inertia.*\n.*values of 1, 1, 3"):
        made.add_body("ghost", parent=made.bodies["hub"], joint=cd.Carriage(), mass=1.0, inertia_B=inertia_B)
