"""Every service against every other, through the ports of a scenario."""

from typing import Annotated, NamedTuple

import numpy as np
import pytest
from mechanisms import random_mechanism, random_state

import cardan as cd
from cardan import messages
from cardan.mechanism.tree import BALL, HINGE, SLIDE
from cardan.simulation.reader import Evaluation

SERVICES = [cd.RecursiveTree(), cd.Mujoco()]


def evaluate(scn: cd.Scenario, dynamics: object, q: np.ndarray, v: np.ndarray) -> Evaluation:
    """One evaluation of the right-hand side at (q, v)."""
    sim = cd.Simulation(scn, dynamics=dynamics)  # type: ignore[arg-type]
    return sim.evaluate(q=q, v=v)


def loaded_scenario(seed: int, holds: bool = False, wheels: int = 0) -> cd.Scenario:
    """A random mechanism with forces on bodies, centres of mass and sites, efforts, and perhaps held joints."""
    rng = np.random.default_rng(seed)
    mechanism = random_mechanism(seed, wheels=wheels)
    scn = cd.Scenario(mechanism=mechanism)
    for element in [mechanism.bodies["b0"], mechanism.bodies["b0"].com, *mechanism.sites.values()]:
        scn.connect(messages.BodyWrench(*rng.normal(size=(2, 3))), element.wrench)
        scn.connect(messages.InertialWrench(*rng.normal(size=(2, 3))), element.wrench_N)
        scn.connect(messages.InertialWrench(*rng.normal(size=(2, 3))), element.wrench_N)
    group = mechanism.group_of_bodies("all")
    scn.connect(messages.InertialForces(rng.normal(size=(len(group.names), 3))), group.forces_N)
    field = rng.normal(size=(len(group.names), 3)), rng.normal(size=(len(group.names), 6))
    scn.connect(messages.GravityField(*field), group.gravity)
    for joint in mechanism.joints.values():
        number = float(rng.normal())
        if joint.kind == HINGE:
            scn.connect(messages.HingeTorque(number), joint.effort)
            if holds and rng.random() < 0.3:
                scn.connect(messages.HingeLock(True, 0.3), joint.lock)
            elif holds and rng.random() < 0.3:
                scn.connect(messages.PrescribedAngle(*rng.normal(size=3)), joint.prescribed)
        elif joint.kind == SLIDE:
            scn.connect(messages.Force(number), joint.effort)
            if holds and rng.random() < 0.5:
                scn.connect(messages.SlideLock(True, 0.1), joint.lock)
        elif joint.kind == BALL:
            scn.connect(messages.BodyTorque(rng.normal(size=3)), joint.effort)
    return scn


@pytest.mark.parametrize("wheels", [0, 3], ids=["", "wheels"])
@pytest.mark.parametrize("holds", [False, True], ids=["free", "held"])
@pytest.mark.parametrize("far", [False, True], ids=["near", "far"])
def test_services_agree_on_all_that_they_publish(holds, far, wheels):
    """Accelerations to 1e-10 of the largest; messages to 1e-9 of the largest number in them, efforts of the loads."""
    for seed in range(25):
        results = []
        for dynamics in SERVICES:
            scn = loaded_scenario(seed, holds, wheels)
            q, v = random_state(scn.mechanism, seed, far and len(scn.mechanism.tree.roots) == 1)
            found = evaluate(scn, dynamics, q, v)
            results.append((found.accelerations, found.ports))
        (first, ports), (second, others) = results
        scale = np.abs(first).max()
        assert np.abs(first - second).max() < 1e-10 * scale, seed
        for path, message in ports.items():
            for field, ours in message._asdict().items():
                theirs = getattr(others[path], field)
                is_effort = path.endswith((".reaction", ".holding"))
                allowed = 1e-9 * (50.0 * scale if is_effort else np.abs(ours).max() + 1e-3)
                assert np.abs(ours - theirs).max() <= allowed, (seed, path, field)


@pytest.mark.parametrize("wheels", [0, 3], ids=["", "wheels"])
@pytest.mark.parametrize("holds", [False, True], ids=["free", "held"])
@pytest.mark.parametrize("service", [cd.RecursiveTree, cd.Mujoco])
def test_plain_and_native_services_publish_the_same_bits(service, holds, wheels):
    for seed in range(6):
        results = []
        for jit in (True, False):
            scn = loaded_scenario(seed, holds, wheels)
            results.append(evaluate(scn, service(jit=jit), *random_state(scn.mechanism, seed)))
        native, plain = results
        assert np.array_equal(native.accelerations, plain.accelerations), seed
        for path, message in native.ports.items():
            for ours, theirs in zip(message, plain.ports[path], strict=True):
                assert np.array_equal(ours, theirs), (seed, path)


@pytest.mark.parametrize("service", [cd.RecursiveTree, cd.Mujoco])
def test_a_run_of_a_plain_service_is_the_same_run(service):
    """With a lock that engages, thrust, and mass that leaves."""

    def simulation(jit: bool) -> cd.Simulation:
        mechanism = cd.Mechanism("tug")
        hub = mechanism.add_body("hub", joint=cd.Free(), mass=100.0, inertia_B=20.0 * np.eye(3))
        mechanism.add_body(
            "arm", parent=hub, joint=cd.Hinge((0, 0, 1)), mass=5.0, inertia_B=np.eye(3), r_CB_B=(1, 0, 0)
        )
        scn = cd.Scenario(mechanism=mechanism)
        engine, latch = scn.add(Engine(), name="engine"), scn.add(Latch(), name="latch", every=1.0)
        scn.connect(engine.properties, hub.mass_properties)
        scn.connect(engine.thrust, hub.wrench)
        scn.connect(latch.command, mechanism.joints["arm_joint"].lock)
        return cd.Simulation(scn, dynamics=service(jit=jit), integrator=cd.Rk4(step=0.5))

    native, plain = simulation(True), simulation(False)
    native.run(until=7.0, record=cd.Record(ports=["*"]))
    plain.run(until=7.0, record=cd.Record(ports=["*"]))
    assert native.snapshot() == plain.snapshot()


def test_an_exception_in_a_plain_service_comes_out_as_itself(monkeypatch):
    from cardan.dynamics.recursive_tree import kernel

    def quit_here(context: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(kernel, "accelerations", quit_here)
    mechanism = cd.Mechanism("body")
    mechanism.add_body("body", joint=cd.Free(), mass=1.0, inertia_B=np.eye(3))
    scn = cd.Scenario(mechanism=mechanism)
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(jit=False), integrator=cd.Rk4(step=0.1))
    with pytest.raises(KeyboardInterrupt) as caught:
        sim.run(until=1.0)
    assert caught.value.__notes__ == ["in `RecursiveTree.dynamics` at t = 0 s (stage 1 of Rk4, step from 0 s)"]
    assert sim.now == 0.0


@cd.model
class Shift(NamedTuple):
    """A centre of mass that moves within its body."""

    @cd.output
    def properties(self, t: float) -> messages.MassProperties:
        return messages.MassProperties(
            8.0, np.array([0.5 - 0.1 * t, 0.2 * t, -0.3]), np.diag(np.array([2.0, 3.0, 4.0]))
        )


@cd.model
class Pull(NamedTuple):
    """A force on every body, at its centre of mass, that depends on where that is."""

    @cd.output
    def forces(self, positions: messages.FramePositions) -> messages.InertialForces:
        return messages.InertialForces(-0.3 * positions.r_BN_N)


@pytest.mark.parametrize("dynamics", SERVICES, ids=lambda d: d.name)
def test_ports_at_a_centre_of_mass_follow_it_when_mass_properties_move_it(dynamics):
    """A mechanism compiled with the centre where it has moved to gives the same messages and accelerations."""

    def build(is_moved: bool) -> cd.Scenario:
        mechanism = cd.Mechanism("tanks")
        hub = mechanism.add_body("hub", joint=cd.Free(), mass=20.0, inertia_B=3.0 * np.eye(3), r_CB_B=(0.1, 0.0, 0.0))
        given = Shift().properties(3.0)
        tank = mechanism.add_body(
            "tank",
            parent=hub,
            joint=cd.Hinge((0, 1, 0)),
            mass=given.mass if is_moved else 1.0,
            inertia_B=given.inertia_C_B if is_moved else 0.1 * np.eye(3),
            r_CB_B=given.r_CB_B if is_moved else (0.0, 0.0, 0.0),
            r_BP_P=(0.5, 0.0, 0.4),
            q_BP=(0.8, 0.0, 0.0, 0.6),
        )
        scn = cd.Scenario(mechanism=mechanism)
        if not is_moved:
            shift = scn.add(Shift(), name="shift")
            scn.connect(shift.properties, tank.mass_properties)
        scn.connect(messages.BodyWrench([1.0, 2.0, 3.0], [0.1, 0.2, 0.3]), tank.com.wrench)
        scn.connect(messages.InertialWrench([-1.0, 0.5, 0.2]), tank.com.wrench_N)
        group = mechanism.group_of_bodies("all")
        pull = scn.add(Pull(), name="pull", positions=group.positions)
        scn.connect(pull.forces, group.forces_N)
        return scn

    results = []
    for is_moved in (False, True):
        scn = build(is_moved)
        q, v = random_state(scn.mechanism, 7)
        sim = cd.Simulation(scn, dynamics=dynamics)
        found = sim.evaluate(q=q, v=v, t=3.0)
        numbers = {
            path: np.hstack([np.ravel(x) for x in message])
            for path, message in found.ports.items()
            if path != "shift.properties"  # which only one of the two has
        }
        results.append(numbers | found.rates)
    moved, compiled = results
    assert moved.keys() == compiled.keys()
    for path, numbers in compiled.items():
        assert moved[path] == pytest.approx(numbers, rel=1e-10, abs=1e-11), path
    assert np.linalg.norm(compiled["tank.com.motion"][:3] - compiled["tank.motion"][:3]) > 0.5


class FuelState(NamedTuple):
    mass: Annotated[float, "kg"] = 60.0


@cd.model
class Engine(NamedTuple):
    """Burns fuel at a constant rate: the body loses mass, the nozzle pushes."""

    flow: Annotated[float, "kg/s"] = 0.5
    speed: Annotated[float, "m/s"] = 2500.0

    def derivatives(self, x: FuelState) -> FuelState:
        return FuelState(-self.flow)

    @cd.output
    def properties(self, x: FuelState) -> messages.MassProperties:
        mass = 40.0 + x.mass
        return messages.MassProperties(
            mass=mass, r_CB_B=np.array([0.01 * x.mass, 0.0, 0.0]), inertia_C_B=mass * np.eye(3) * 0.2
        )

    @cd.output
    def thrust(self) -> messages.BodyWrench:
        return messages.BodyWrench(force_B=np.array([self.flow * self.speed, 0.0, 0.0]), torque_B=np.zeros(3))


@pytest.mark.parametrize("dynamics", SERVICES, ids=lambda d: d.name)
def test_a_rocket_gains_the_velocity_of_the_rocket_equation(dynamics):
    mechanism = cd.Mechanism("rocket")
    body = mechanism.add_body("stage", joint=cd.Free(), mass=100.0, inertia_B=20.0 * np.eye(3))
    scn = cd.Scenario(mechanism=mechanism)
    engine = scn.add(Engine(), name="engine")
    scn.connect(engine.properties, body.mass_properties)
    scn.connect(engine.thrust, body.wrench)
    sim = cd.Simulation(scn, dynamics=dynamics, integrator=cd.Dop853(rtol=1e-12, atol=1e-12))
    sim.run(until=100.0)
    assert sim["engine.state"].mass == pytest.approx(10.0)
    assert sim["stage.motion"].v_BN_N[0] == pytest.approx(2500.0 * np.log(100.0 / 50.0), rel=1e-11)
    assert sim["stage.motion"].sigma_BN == pytest.approx(np.zeros(3), abs=1e-14)


def test_changed_mass_properties_equal_those_of_a_freshly_compiled_model():
    """MuJoCo derives constants from masses; after a change they must be what its compiler would have made of them."""
    rng = np.random.default_rng(3)
    a = rng.normal(size=(3, 3))
    tensor = np.trace(a @ a.T) * np.eye(3) - a @ a.T
    new = messages.MassProperties(mass=7.0, r_CB_B=np.array([0.2, -0.1, 0.3]), inertia_C_B=tensor)

    def build(**tip: object) -> cd.Mechanism:
        mechanism = cd.Mechanism("arm")
        base = mechanism.add_body("base", joint=cd.Free(), mass=20.0, inertia_B=3.0 * np.eye(3))
        link = mechanism.add_body("link", parent=base, joint=cd.Hinge((0, 0, 1)), mass=2.0, inertia_B=np.eye(3))
        mechanism.add_body("tip", parent=link, joint=cd.Hinge((0, 1, 0)), r_BP_P=(1.0, 0.0, 0.0), **tip)
        return mechanism

    fresh = build(mass=new.mass, inertia_B=tensor, r_CB_B=new.r_CB_B)
    q, v = random_state(fresh, 1)
    results = [evaluate(cd.Scenario(mechanism=fresh), dynamics, q, v)[1] for dynamics in SERVICES]
    for dynamics in SERVICES:
        changed = build(mass=1.0, inertia_B=0.1 * np.eye(3))
        scn = cd.Scenario(mechanism=changed)
        scn.connect(new, changed.bodies["tip"].mass_properties)
        results.append(evaluate(scn, dynamics, q, v)[1])
    for other in results[1:]:
        assert other == pytest.approx(results[0], rel=1e-10)


@pytest.mark.parametrize("dynamics", SERVICES, ids=lambda d: d.name)
def test_a_lock_brings_a_moving_joint_to_rest_and_conserves_momentum(dynamics):
    mechanism = cd.Mechanism("panel")
    hub = mechanism.add_body("hub", joint=cd.Free(), mass=50.0, inertia_B=10.0 * np.eye(3))
    mechanism.add_body(
        "panel",
        parent=hub,
        joint=cd.Hinge((0, 0, 1)),
        mass=5.0,
        inertia_B=np.eye(3),
        r_CB_B=(1, 0, 0),
        r_BP_P=(0.5, 0, 0),
    )
    scn = cd.Scenario(mechanism=mechanism)
    latch = scn.add(Latch(), name="latch", every=1.0)
    hinge = mechanism.joints["panel_joint"]
    scn.connect(latch.command, hinge.lock)
    scn.start({hinge: messages.HingeState(angle=0.2, rate=0.3)})
    sim = cd.Simulation(scn, dynamics=dynamics, integrator=cd.Dop853(rtol=1e-12, atol=1e-13))
    log = sim.run(until=12.0, record=cd.Record(every=0.5, ports=["*"]))
    momentum = log["hub.momentum"].momentum_C_N
    assert np.abs(momentum - momentum[0]).max() < 1e-11 * np.abs(momentum[0]).max()
    speed = log["hub.momentum"].v_CN_N
    assert np.abs(speed - speed[0]).max() < 1e-11
    held = (log.t > 7.0) & (log.t < 10.0)
    assert log["panel_joint.state"].rate[held] == pytest.approx(0.0, abs=1e-6)
    assert log["panel_joint.state"].angle[held] == pytest.approx(0.5, abs=1e-6)
    # held, the panel turns with the hub: the latch carries what keeps it there, and nothing once it is released
    assert log["panel_joint.holding"].torque[log.t > 10.0] == pytest.approx(0.0, abs=0.0)
    assert log["panel_joint.reaction"].torque_B[held][:, 2] == pytest.approx(
        log["panel_joint.holding"].torque[held], abs=1e-12
    )


class LatchOutputs(NamedTuple):
    command: messages.HingeLock


@cd.task
class Latch(NamedTuple):
    """Engaged from 5 s to 10 s."""

    def step(self, t: float) -> LatchOutputs:
        return LatchOutputs(messages.HingeLock(is_engaged=t >= 5.0 and t < 10.0, angle=0.5))


@cd.model
class Swing(NamedTuple):
    """angle = amplitude sin(rate t), with its derivatives."""

    amplitude: Annotated[float, "rad"] = 0.8
    rate: Annotated[float, "rad/s"] = 0.7

    @cd.output
    def motion(self, t: float) -> messages.PrescribedAngle:
        phase = self.rate * t
        return messages.PrescribedAngle(
            angle=self.amplitude * np.sin(phase),
            rate=self.amplitude * self.rate * np.cos(phase),
            acceleration=-self.amplitude * self.rate**2 * np.sin(phase),
        )


@pytest.mark.parametrize("dynamics", SERVICES, ids=lambda d: d.name)
def test_a_prescribed_joint_follows_exactly_and_its_motor_does_the_work(dynamics):
    mechanism = cd.Mechanism("arm")
    hub = mechanism.add_body("hub", joint=cd.Free(), mass=50.0, inertia_B=np.diag([10.0, 12.0, 9.0]))
    mechanism.add_body(
        "arm",
        parent=hub,
        joint=cd.Hinge((0, 1, 0)),
        mass=5.0,
        inertia_B=np.eye(3),
        r_CB_B=(1, 0, 0),
        r_BP_P=(0.5, 0, 0),
    )
    scn = cd.Scenario(mechanism=mechanism)
    swing = scn.add(Swing(), name="swing")
    scn.connect(swing.motion, mechanism.joints["arm_joint"].prescribed)
    sim = cd.Simulation(scn, dynamics=dynamics, integrator=cd.Dop853(rtol=1e-12, atol=1e-13))
    log = sim.run(until=10.0, record=cd.Record(every=0.005, ports=["*"]))
    state = log["arm_joint.state"]
    assert state.angle == pytest.approx(0.8 * np.sin(0.7 * log.t), abs=1e-15)
    # at the start only the arm moves: that momentum is conserved
    momentum = log["hub.momentum"].momentum_C_N
    assert np.abs(momentum - momentum[0]).max() < 1e-10
    # energy changes by the work of the motor; Simpson's rule over the samples is good to 1e-9 here
    power = log["arm_joint.holding"].torque * state.rate
    work = 0.005 / 3.0 * np.sum(power[:-2:2] + 4.0 * power[1:-1:2] + power[2::2])
    energy = log["hub.momentum"].kinetic_energy
    assert energy[-1] - energy[0] == pytest.approx(work, abs=1e-8)


def test_limits_and_contact_are_mujocos_and_refused_by_the_recursion():
    text = """
    <mujoco model="box">
      <worldbody>
        <body name="hub"><freejoint/><geom type="box" size=".5 .5 .5" density="100"/>
          <body name="flap" pos=".5 0 0"><joint name="hinge" axis="0 0 1" range="-10 10"/>
            <geom type="box" size=".4 .02 .4" pos=".45 0 0" density="50"/></body>
        </body>
      </worldbody>
    </mujoco>"""

    def scenario() -> cd.Scenario:
        mechanism = cd.Mechanism.from_mjcf(text)
        scn = cd.Scenario(mechanism=mechanism)
        scn.connect(messages.HingeTorque(0.5), mechanism.joints["hinge"].effort)
        return scn

    with pytest.raises(cd.CardanError) as caught:
        cd.Simulation(scenario(), dynamics=cd.RecursiveTree())
    assert str(caught.value) == (
        "RecursiveTree cannot run the mechanism `box`:\n  joint limit: hinge\n"
        "    Leave them out, with `limits=False` when the mechanism is read, use\n"
        "    RecursiveTree(ignore_limits=True), or Mujoco()."
    )
    sim = cd.Simulation(scenario(), dynamics=cd.Mujoco(), integrator=cd.Rk4(step=0.002))
    log = sim.run(until=6.0, record=cd.Record(every=0.1, ports=["*"]))
    # the flap rests at its limit, a little beyond because MuJoCo's constraints are soft
    assert log["hinge.state"].angle[-1] == pytest.approx(np.deg2rad(10.0), abs=0.01)
    # through an impact, which no fixed step resolves, momentum stays zero to a part in a million of the flap's own
    assert np.abs(log["hub.momentum"].momentum_C_N).max() < 1e-6 * 0.5


@pytest.mark.parametrize("dynamics", SERVICES, ids=lambda d: d.name)
def test_motors_of_the_file_push_at_joints_and_sites(dynamics):
    text = """
    <mujoco model="arm"><option><flag contact="disable"/></option>
      <worldbody><body name="hub"><freejoint/><geom type="box" size=".5 .4 .3" mass="30"/>
        <body name="arm" pos=".5 0 0"><joint name="elbow" axis="0 1 0"/>
          <geom type="capsule" size=".05" fromto="0 0 0 1 0 0" mass="2"/>
          <site name="tip" pos="1 0 0" euler="0 30 0"/></body></body></worldbody>
      <actuator><motor name="drive" joint="elbow" gear="3"/>
        <motor name="jet" site="tip" gear="0 0 -2 0 0 .5"/></actuator>
    </mujoco>"""
    mechanism = cd.Mechanism.from_mjcf(text)
    by_actuator = cd.Scenario(mechanism=mechanism)
    by_actuator.connect(messages.ActuatorCommand(0.4), mechanism.actuators["drive"].command)
    by_actuator.connect(messages.ActuatorCommand(0.7), mechanism.actuators["jet"].command)
    by_actuator.connect(messages.ActuatorCommand(0.1), mechanism.actuators["jet"].command)
    by_force = cd.Scenario(mechanism=mechanism)
    by_force.connect(messages.HingeTorque(1.2), mechanism.joints["elbow"].effort)
    wrench = messages.BodyWrench(force_B=np.array([0.0, 0.0, -1.6]), torque_B=np.array([0.0, 0.0, 0.4]))
    by_force.connect(wrench, mechanism.sites["tip"].wrench)
    q, v = random_state(mechanism, 5)
    ours, theirs = (evaluate(scn, dynamics, q, v)[1] for scn in (by_actuator, by_force))
    assert ours == pytest.approx(theirs, rel=1e-11, abs=1e-12)


def test_mujoco_works_on_a_copy_of_the_mechanisms_model():
    mechanism = random_mechanism(4)
    before = mechanism.model.opt.gravity.copy()
    evaluate(cd.Scenario(mechanism=mechanism), cd.Mujoco(), *random_state(mechanism, 4))
    assert np.array_equal(mechanism.model.opt.gravity, before)
    assert mechanism.model.opt.disableflags == 0


@pytest.mark.parametrize("holds", ["lock", "prescribed"])
def test_beside_constraints_mujoco_holds_a_joint_to_one_part_in_ten_million(holds):
    """With limits in the file that are not reached, the exact answer is that of the recursion without them."""
    text = """
    <mujoco model="arm"><option><flag contact="disable"/></option><worldbody><body name="hub"><freejoint/>
      <geom type="box" size=".5 .4 .3" mass="30"/><body name="upper" pos=".5 0 0">
      <joint name="shoulder" axis="0 1 0" range="-170 170"/>
      <geom type="capsule" size=".05" fromto="0 0 0 1 0 0" mass="3"/>
      <body name="lower" pos="1 0 0"><joint name="elbow" axis="0 0 1" range="-170 170"/>
      <geom type="capsule" size=".05" fromto="0 0 0 1 0 0" mass="2"/></body></body></body></worldbody></mujoco>"""
    results = []
    for dynamics in (cd.RecursiveTree(ignore_limits=True), cd.Mujoco()):
        mechanism = cd.Mechanism.from_mjcf(text)
        scn = cd.Scenario(mechanism=mechanism)
        scn.connect(messages.HingeTorque(0.7), mechanism.joints["elbow"].effort)
        shoulder = mechanism.joints["shoulder"]
        if holds == "lock":
            scn.connect(messages.HingeLock(True, 0.2), shoulder.lock)
        else:
            scn.connect(messages.PrescribedAngle(0.3, 0.4, -0.5), shoulder.prescribed)
        q, v = random_state(mechanism, 2)
        found = evaluate(scn, dynamics, q, v)
        results.append((found.accelerations, float(found.ports["shoulder.holding"].torque)))
    (exact, torque), (heavy, measured) = results
    assert np.abs(heavy - exact).max() < 1e-7 * np.abs(exact).max()
    assert measured == pytest.approx(torque, rel=1e-5)


@pytest.mark.parametrize("dynamics", SERVICES, ids=str)
@pytest.mark.parametrize("where", ["body", "com", "site"])
def test_a_torque_and_a_force_alone_act_as_the_wrench_of_both(dynamics, where):
    rng = np.random.default_rng(5)
    torque_B, force_N = rng.normal(size=(2, 3))
    found = []
    for is_wrench in (False, True):
        mechanism = random_mechanism(3)
        body = mechanism.bodies["b0"]
        frame = {"body": body, "com": body.com, "site": next(iter(mechanism.sites.values()))}[where]
        scn = cd.Scenario(mechanism=mechanism)
        if is_wrench:
            scn.connect(messages.BodyWrench(torque_B=torque_B), frame.wrench)
            scn.connect(messages.InertialWrench(force_N=force_N), frame.wrench_N)
        else:
            scn.connect(messages.BodyTorque(torque_B), frame.torque)
            scn.connect(messages.InertialForce(force_N), frame.force_N)
        found.append(evaluate(scn, dynamics, *random_state(mechanism, 3)).accelerations)
    assert np.array_equal(found[0], found[1]) and np.any(found[0])
