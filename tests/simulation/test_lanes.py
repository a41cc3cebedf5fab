"""Eight members of a batch at once give, each of them, the bits that it gives alone."""

from types import SimpleNamespace
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest
from mechanisms import random_mechanism

import cardan as cd
from cardan.contracts.wake_up import WakeUp
from cardan.maths import norm, normal
from cardan.mechanism.tree import FREE
from cardan.messages import (
    ActuatorCommand,
    BodyWrench,
    FrameMotion,
    HingeLock,
    HingeState,
    HingeTorque,
    InertialWrench,
    MassProperties,
    PrescribedAngle,
    PrescribedTurn,
    VehicleMomentum,
)
from cardan.simulation import INTEGRATORS, batch_recording, batch_run, group_run
from cardan.simulation.integrators import FixedStep
from cardan.simulation.lane_core import are_alike
from cardan.simulation.lane_run import MemberGroups
from parts import Count, Number

STEP = 0.05
FIXED = [kind(step=STEP) for kind in INTEGRATORS if issubclass(kind, FixedStep) and not kind.tableau.is_implicit]


@pytest.fixture
def groups(monkeypatch) -> list[MemberGroups]:
    """What advances eight members at once, in all threads of the batches of a test."""
    made: list[MemberGroups] = []

    class Watched(MemberGroups):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            made.append(self)

    monkeypatch.setattr(batch_run, "MemberGroups", Watched)
    monkeypatch.setattr(group_run, "MemberGroups", Watched)
    return made


def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_run, "can_group", lambda *given: False)
    monkeypatch.setattr(batch_recording, "can_group", lambda *given: False)


def snapshots(batch: cd.Batch) -> list[Any]:
    """Of some members in different lanes, the last one among them."""
    return [batch.snapshot(member) for member in range(len(batch) - 1, -1, -7)]


def bits(message: Any) -> list[bytes]:
    return [np.ascontiguousarray(field).tobytes() for field in message]


# ---- a craft with everything that lanes take -----------------------------------------------------------------------


class PushOutputs(NamedTuple):
    push: BodyWrench


@cd.task
class Kick(NamedTuple):
    """Random pushes."""

    size: Annotated[float, "N"] = 1.0

    def step(self, rng: cd.RandomKey) -> PushOutputs:
        return PushOutputs(BodyWrench(self.size * normal(rng, 3), 0.1 * normal(rng, 3)))


@cd.model
class Swing(NamedTuple):
    """An angle that swings as prescribed."""

    amplitude: Annotated[float, "rad"] = 0.2

    @cd.output
    def motion(self, t: float) -> PrescribedAngle:
        return PrescribedAngle(self.amplitude * np.sin(t), self.amplitude * np.cos(t), -self.amplitude * np.sin(t))


class DragState(NamedTuple):
    torque: Annotated[float, "N m"] = 0.0


@cd.model
class Drag(NamedTuple):
    """A torque against a hinge that comes late; its state is kept within limits."""

    time_constant: Annotated[float, "s"] = 0.3

    def derivatives(self, x: DragState, hinge: HingeState) -> DragState:
        return DragState((-hinge.rate - 0.3 * hinge.angle - x.torque) / self.time_constant)

    def project(self, x: DragState) -> DragState:
        return DragState(min(0.1, max(-0.1, x.torque)))

    @cd.output
    def torque(self, x: DragState) -> HingeTorque:
        return HingeTorque(x.torque)


@cd.model
class Tank(NamedTuple):
    """A tank that empties."""

    @cd.output
    def mass_properties(self, t: float) -> MassProperties:
        left = 3.0 - 0.5 * t
        return MassProperties(left, np.array([0.0, 0.1, 0.1 * t]), 0.1 * left * np.eye(3))


class SeenOutputs(NamedTuple):
    energy: Number


@cd.task
class Look(NamedTuple):
    """What only a task reads of a mechanism."""

    limit: Annotated[float, "J"] = 1.0e9

    def step(self, motion: FrameMotion, momentum: VehicleMomentum) -> SeenOutputs:
        if momentum.kinetic_energy > self.limit:
            raise ValueError("too much energy")
        return SeenOutputs(Number(momentum.kinetic_energy + norm(motion.sigma_BN)))


class FollowOutputs(NamedTuple):
    torque: HingeTorque


@cd.task
class Follow(NamedTuple):
    """A torque that follows from what another task has seen, a tick later."""

    def step(self, energy: Number) -> FollowOutputs:
        return FollowOutputs(HingeTorque(-0.1 * energy.value))


@cd.model
class Nodding(NamedTuple):
    """A ball joint that nods about its first axis, as prescribed."""

    @cd.output
    def turn(self, t: float) -> PrescribedTurn:
        half, x = 0.05 * np.sin(t), np.array([1.0, 0.0, 0.0])
        q = np.array([np.cos(half), np.sin(half), 0.0, 0.0])
        return PrescribedTurn(q, 0.1 * np.cos(t) * x, -0.1 * np.sin(t) * x)


def craft(**options: Any) -> cd.Scenario:
    """Two vehicles: noise, a delay, a model with a state, mass that changes, a prescribed joint, an outside input."""
    m = cd.Mechanism("craft")
    bus = m.add_body("bus", joint=cd.Free(), mass=50.0, inertia_B=np.diag([5.0, 6.0, 7.0]))
    for name, joint in (
        ("wheel", cd.Hinge((0, 0, 1))),
        ("panel", cd.Hinge((0, 1, 0), damping=0.01, stiffness=0.1)),
        ("antenna", cd.Hinge((1, 0, 0))),
        ("boom", cd.Slide((0, 0, 1), damping=0.1, stiffness=1.0)),
        ("dish", cd.Ball()),
        ("mirror", cd.Ball()),
        ("tank", None),
    ):
        m.add_body(
            name, parent=bus, joint=joint, mass=2.0, inertia_B=0.1 * np.eye(3), r_BP_P=(0.5, 0.0, 0.1),
            r_CB_B=(0.0, 0.0, 0.0) if name == "wheel" else (0.3, 0.0, 0.0),
        )  # fmt: skip
    m.add_body("probe", joint=cd.Free(), mass=1.0, inertia_B=0.1 * np.eye(3))
    scn = cd.Scenario("craft", mechanism=m, seed=5)
    given = scn.input("torque", HingeTorque(0.0))
    scn.connect(given, m.joints["wheel_joint"].effort)
    kick = scn.add(Kick(), name="kick", every=2 * STEP)
    scn.connect(kick.push, m.bodies["bus"].wrench, delay=2)
    scn.connect(kick.push, m.bodies["probe"].wrench)
    drag = scn.add(Drag(), name="drag", hinge=m.joints["panel_joint"].state)
    scn.connect(drag.torque, m.joints["panel_joint"].effort)
    scn.connect(scn.add(Swing(), name="swing").motion, m.joints["antenna_joint"].prescribed)
    scn.connect(scn.add(Nodding(), name="nodding").turn, m.joints["mirror_joint"].prescribed)
    scn.connect(scn.add(Tank(), name="tank_level").mass_properties, m.bodies["tank"].mass_properties)
    look = scn.add(
        Look(**options), name="look", every=STEP, motion=m.bodies["dish"].motion, momentum=m.bodies["bus"].momentum
    )
    follow = scn.add(Follow(), name="follow", every=2 * STEP, energy=look.energy)
    scn.connect(follow.torque, m.joints["wheel_joint"].effort)
    count = scn.add(Count(), name="count", every=STEP)
    scn.leave_open(count.signal, count.time)
    scn.change("drag.time_constant", 0.1, at=4 * STEP)
    return scn


def start(members: int) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    draw = lambda scale: scale * rng.normal(size=(members, 3))  # noqa: E731
    motion = FrameMotion(r_BN_N=draw(1e3), v_BN_N=draw(10.0), sigma_BN=draw(0.2), omega_BN_B=draw(0.1))
    return {"bus": motion, "panel_joint": HingeState(angle=rng.normal(size=members), rate=np.zeros(members))}


def made(members: int, integrator: Any = FIXED[-1], threads: int = 1, **options: Any) -> cd.Batch:
    """A batch of crafts, each with its own start, seed, parameters and masses."""
    # a state and the memory that lies beside it
    ports = [
        "drag.state",
        "count.memory",
        "drag.torque",
        "look.energy",
        "panel.motion",
        "panel_joint.reaction",
        "bus.momentum",
    ]
    batch = cd.Batch(
        craft(**options), members, dynamics=cd.RecursiveTree(), integrator=integrator, outputs=ports,
        varies=["kick.size", "bus.mass"], threads=threads,
    )  # fmt: skip
    batch.set({"kick.size": np.linspace(0.0, 2.0, members), "bus.mass": np.linspace(40.0, 60.0, members)})
    batch.reset(start(members))
    return batch


def torques(members: int, steps: int) -> np.ndarray:
    return np.random.default_rng(2).normal(size=(members, steps))


def alone(member: int, members: int, integrator: Any, given: np.ndarray) -> cd.Simulation:
    """What a member must be, made alone, and given the same torques."""
    scn = craft()
    scn.seed = 5 + member
    scn.set("kick.size", np.linspace(0.0, 2.0, members)[member])
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=integrator)
    sim = sim.variant({"bus.mass": np.linspace(40.0, 60.0, members)[member]})
    sim.reset({name: type(state)(*(field[member] for field in state)) for name, state in start(members).items()})
    for k, torque in enumerate(given[member]):
        sim.give(torque=HingeTorque(torque))
        sim.advance_to(STEP * (k + 1))
    return sim


@pytest.mark.parametrize("integrator", FIXED, ids=lambda i: type(i).__name__)
def test_members_are_simulations_of_their_own_to_the_bit(integrator, groups):
    given = torques(9, 8)
    batch = made(9, integrator)
    batch.rollout({"torque": given}, STEP)
    assert [group.advanced for group in groups] == [1]
    for member in (0, 3, 7, 8):
        single = alone(member, 9, integrator, given)
        assert batch.snapshot(member) == single.snapshot()
        assert batch.simulation(member).steps == single.steps


@pytest.mark.parametrize(("members", "threads"), [(1, 1), (7, 1), (8, 1), (9, 2), (64, 1), (64, 2), (99, 3)])
def test_any_number_of_members_and_threads(members, threads, groups, monkeypatch):
    """Rollouts, and steps of any length, some of them ending between ticks."""
    ends = []
    for _ in range(2):
        batch = made(members, threads=threads)
        out = batch.rollout({"torque": torques(members, 3)}, STEP)
        for span in (0.0, 0.3 * STEP, 3.2 * STEP, 2 * STEP):
            assert not batch.advance(span).any()
        ends.append((snapshots(batch), {path: bits(values) for path, values in out.items()}))
        one_by_one(monkeypatch)
    assert ends[0] == ends[1]
    assert sum(group.advanced for group in groups) >= (members >= 8) * (members // 8 - threads + 1)


def test_members_at_different_times_are_sorted_out(groups, monkeypatch):
    """Some begin again: a group of which all stand at the same time is advanced at once, others are not."""
    mask = np.arange(24) // 8 == 1
    mask[3] = True
    ends = []
    for _ in range(2):
        batch = made(24)
        batch.advance(5 * STEP)
        batch.reset(start(24), where=mask)
        batch.advance(2 * STEP)
        ends.append(snapshots(batch))
        one_by_one(monkeypatch)
    assert ends[0] == ends[1]
    assert groups[0].advanced == 3 + 2


def test_a_member_that_fails_leaves_the_others_of_its_group_alone(groups):
    """Its own error is found where members are advanced one by one; the rest of the batch goes on eight at a time."""
    batch = made(24, limit=1.0e3)
    states = start(24)
    states["bus"].omega_BN_B[10] = 50.0
    batch.reset(states)
    assert np.flatnonzero(batch.advance(3 * STEP)).tolist() == [10]
    assert groups[0].advanced == 2
    assert batch.t[10] == 0.0 and batch.t[11] == pytest.approx(3 * STEP)
    assert str(batch.error(10)) == "too much energy"
    others = made(24)
    others.advance(3 * STEP)
    assert batch.snapshot(11).words.tobytes() == others.snapshot(11).words.tobytes()


RECORDS = {
    "at ticks": cd.Record(),
    "at steps": cd.Record(every="step", ports=["drag.*", "panel.motion", "panel_joint.reaction", "bus.momentum"]),
    "at times of their own": cd.Record(
        every=4 * STEP, ports=["look.energy", "drag.state"], periods={"bus.motion": STEP, "tank_level.*": None}
    ),
}


def recorded(log: cd.Log) -> dict[str, bytes]:
    return {"t": log.t.tobytes()} | {field.path: np.ascontiguousarray(field.values).tobytes() for field in log.fields()}


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_runs_are_recorded_eight_at_a_time(record, groups, monkeypatch):
    """Twice, the first time to an instant between two ticks; the buffers of the first chunk do not suffice."""
    monkeypatch.setattr(group_run, "_FIRST", 3)
    monkeypatch.setattr(group_run, "_SLICE", 0.0)
    found = []
    for _ in range(2):
        batch = made(17, threads=2)
        logs = [batch.run(until, record=record) for until in (7.3 * STEP, 40 * STEP)]
        members = [[recorded(log[i]) for i in (0, 6, 9, 16)] for log in logs]
        found.append((members, snapshots(batch), [batch.simulation(i).steps for i in (5, 16)]))
        one_by_one(monkeypatch)
    assert found[0] == found[1]
    assert sum(group.advanced for group in groups) > 4


def test_a_member_that_fails_keeps_what_it_recorded_and_the_others_run_on():
    batch = made(16, limit=1.0e3)
    states = start(16)
    states["bus"].omega_BN_B[10] = 50.0
    batch.reset(states)
    log = batch.run(3 * STEP, record=cd.Record(every="step", ports=["drag.state"]))
    assert np.flatnonzero(batch.failed).tolist() == [10]
    assert str(batch.error(10)) == "too much energy"
    lengths = [len(log[i].t) for i in range(16)]
    assert lengths == [4] * 10 + [0] + [4] * 5


@pytest.mark.parametrize("seed", range(6))
def test_random_mechanisms(seed, groups, monkeypatch):
    """All kinds of joints and any branching, with several vehicles; all ports of frames, joints and vehicles."""
    ends = []
    for _ in range(2):
        m = random_mechanism(seed, most=7, wheels=2)
        scn = cd.Scenario(mechanism=m)
        push = scn.input("push", BodyWrench(np.zeros(3), np.zeros(3)))
        scn.connect(push, m.sites["s0"].wrench)
        scn.connect(InertialWrench(np.ones(3), np.ones(3)), m.bodies["b0"].wrench_N)
        outputs = [body.motion for body in m.bodies.values()] + [m.bodies["b0"].momentum]
        joints = [joint for joint in m.joints.values() if joint.kind != FREE]
        outputs += [port for joint in joints for port in (joint.state, joint.reaction)]
        batch = cd.Batch(scn, 8, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(0.01), outputs=outputs)
        draw = np.random.default_rng(seed).normal(size=(2, 8, 5, 3))
        out = batch.rollout({"push": BodyWrench(*draw)}, 0.02)
        assert not batch.failed.any()
        ends.append((snapshots(batch), {path: bits(values) for path, values in out.items()}))
        one_by_one(monkeypatch)
    assert ends[0] == ends[1]
    assert groups[0].advanced == 1


MOTORS = """<mujoco><worldbody><body name="bus"><freejoint/><geom size="0.1" mass="5"/><site name="nozzle"/>
<body name="arm" pos="0.2 0 0"><joint name="elbow" axis="0 1 0"/><geom size="0.1" mass="1"/></body></body></worldbody>
<actuator><position name="servo" joint="elbow" kp="3" dampratio="0" forcerange="-0.5 0.5"/>
<motor name="thruster" site="nozzle" gear="1 0 0 0 0 0" ctrlrange="-1 1"/></actuator></mujoco>"""


def test_motors_and_servos_within_their_limits(groups, monkeypatch):
    """Commands on either side of what is allowed, and between."""
    ends = []
    for _ in range(2):
        m = cd.Mechanism.from_mjcf(MOTORS)
        scn = cd.Scenario(mechanism=m)
        for name in ("servo", "thruster"):
            scn.connect(scn.input(f"to_{name}", ActuatorCommand(0.0)), m.actuators[name].command)
        batch = cd.Batch(scn, 8, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(STEP))
        for name in ("servo", "thruster"):
            batch[f"to_{name}"].command[:] = np.linspace(-2.0, 2.0, 8)
        assert not batch.advance(10 * STEP).any()
        ends.append([batch.snapshot(member) for member in range(8)])
        one_by_one(monkeypatch)
    assert ends[0] == ends[1]
    assert groups[0].advanced == 1


def test_mechanisms_that_are_made_otherwise_are_told_apart():
    """A group has whole numbers of the first member alone, so these must be the same in all."""
    ints, plan = np.zeros((8, 40), np.int64), SimpleNamespace(tasks=np.zeros((0, 7), np.int64))
    structure = np.array([[30, 2]])
    assert are_alike(ints, plan, structure)
    ints[5, 31] = 1
    assert not are_alike(ints, plan, structure)
    ints[:, 31] = 1
    assert are_alike(ints, plan, structure)


def test_a_singular_mechanism_is_found_in_any_lane(groups):
    """Of one member the arm has next to no inertia about its joint; the check of accelerations finds it alone."""
    m = cd.Mechanism("pair")
    bus = m.add_body("bus", joint=cd.Free(), mass=10.0, inertia_B=np.eye(3))
    m.add_body("arm", parent=bus, joint=cd.Hinge((0, 0, 1)), mass=1.0, inertia_B=np.eye(3))
    scn = cd.Scenario(mechanism=m)
    scn.connect(scn.input("load", MassProperties(1.0, np.zeros(3), np.eye(3))), m.bodies["arm"].mass_properties)
    batch = cd.Batch(scn, 16, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(STEP))
    batch["load"].inertia_C_B[12] = np.diag([1.0, 1.0, 0.0]) * 1e-16
    batch["load"].mass[12] = 1e-16
    assert np.flatnonzero(batch.advance(STEP)).tolist() == [12]
    assert isinstance(batch.error(12), cd.errors.CardanError)
    assert groups[0].advanced == 1


# ---- who is left out -----------------------------------------------------------------------------------------------


class WokenOutputs(NamedTuple):
    wake: WakeUp


@cd.task
class Woken(NamedTuple):
    def step(self) -> WokenOutputs:
        return WokenOutputs(WakeUp(0.01))


class LatchOutputs(NamedTuple):
    lock: HingeLock


@cd.task
class Latch(NamedTuple):
    def step(self, hinge: HingeState) -> LatchOutputs:
        return LatchOutputs(HingeLock(is_engaged=abs(hinge.angle) > 0.1, angle=0.1))


@cd.model(jit=False)
class Plain(NamedTuple):
    @cd.output
    def torque(self, hinge: HingeState) -> HingeTorque:
        return HingeTorque(-hinge.angle)


def arm(*parts: str) -> cd.Scenario:
    m = cd.Mechanism("arm")
    bus = m.add_body("bus", joint=cd.Free(), mass=10.0, inertia_B=np.eye(3))
    m.add_body("arm", parent=bus, joint=cd.Hinge((0, 0, 1)), mass=1.0, inertia_B=np.eye(3))
    scn, joint = cd.Scenario(mechanism=m), m.joints["arm_joint"]
    if "wakes" in parts:
        scn.leave_open(scn.add(Woken(), name="woken", every=STEP).wake)
    if "locks" in parts:
        scn.connect(scn.add(Latch(), name="latch", every=STEP, hinge=joint.state).lock, joint.lock)
    if "plain" in parts:
        scn.connect(scn.add(Plain(), name="plain", hinge=joint.state).torque, joint.effort)
    return scn


@pytest.mark.parametrize(
    ("parts", "dynamics", "integrator", "is_grouped"),
    [
        ((), cd.RecursiveTree(), cd.Rk4(STEP), True),
        ((), cd.RecursiveTree(), cd.DormandPrince54(), False),
        ((), cd.RecursiveTree(jit=False), cd.Rk4(STEP), False),
        ((), cd.Mujoco(), cd.Rk4(STEP), False),
        (("wakes",), cd.RecursiveTree(), cd.Rk4(STEP), False),
        (("locks",), cd.RecursiveTree(), cd.Rk4(STEP), False),
        (("plain",), cd.RecursiveTree(), cd.Rk4(STEP), False),
    ],
)
def test_who_is_advanced_eight_at_a_time(parts, dynamics, integrator, is_grouped, groups):
    batch = cd.Batch(arm(*parts), 8, dynamics=dynamics, integrator=integrator, threads=1)
    batch.reset({"arm_joint": HingeState(angle=np.linspace(-1.0, 1.0, 8), rate=np.ones(8))})
    assert not batch.advance(STEP).any()
    assert [group.advanced for group in groups] == ([1] if is_grouped else [])
