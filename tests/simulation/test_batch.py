"""A batch of N gives, member by member, the bits of N simulations of their own."""

import os
import threading
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan.contracts.constraints import Above, Unit
from cardan.contracts.wake_up import WakeUp
from cardan.errors import ImpossibleValue
from cardan.maths import Vec3, normal
from cardan.messages import BodyWrench, FrameMotion, HingeLock, HingeState, HingeTorque, PrescribedAngle
from cardan.missions import MISSIONS
from cardan.simulation import INTEGRATORS
from cardan.simulation.integrators import FixedStep
from parts import Bank, Count, Gain, Lag, LagState, Noise, Number, Numbers, Relay

SERVICES = [cd.RecursiveTree(), cd.Mujoco(), cd.BackSubstitution()]


class PushOutputs(NamedTuple):
    push: BodyWrench
    wake: WakeUp


@cd.task
class Kick(NamedTuple):
    """Random pushes, at ticks of its own choosing."""

    size: Annotated[float, "N"] = 1.0

    def step(self, rng: cd.RandomKey) -> PushOutputs:
        drawn = normal(rng, 4)
        return PushOutputs(
            BodyWrench(self.size * drawn[:3], np.zeros(3)), WakeUp(0.01 + 0.05 * min(1.0, abs(drawn[3])))
        )


class LatchOutputs(NamedTuple):
    lock: HingeLock


@cd.task
class Latch(NamedTuple):
    """Holds a hinge once it has turned far enough."""

    angle: Annotated[float, "rad"] = 0.05

    def step(self, hinge: HingeState) -> LatchOutputs:
        return LatchOutputs(HingeLock(is_engaged=abs(hinge.angle) > self.angle, angle=self.angle))


@cd.model
class Swing(NamedTuple):
    """An angle that swings as prescribed."""

    amplitude: Annotated[float, "rad"] = 0.2

    @cd.output
    def motion(self, t: float) -> PrescribedAngle:
        return PrescribedAngle(self.amplitude * np.sin(t), self.amplitude * np.cos(t), -self.amplitude * np.sin(t))


@cd.model
class Spring(NamedTuple):
    stiffness: Annotated[float, "N m/rad"] = 0.3

    @cd.output
    def torque(self, hinge: HingeState) -> HingeTorque:
        return HingeTorque(-self.stiffness * hinge.angle)


def craft() -> cd.Scenario:
    """A bus with a wheel that latches, a panel on a spring and an antenna that swings: noise, delays, wake-ups."""
    m = cd.Mechanism("craft")
    bus = m.add_body("bus", joint=cd.Free(), mass=50.0, inertia_B=np.diag([5.0, 6.0, 7.0]))
    for name, axis in (("wheel", (0, 0, 1)), ("panel", (0, 1, 0)), ("antenna", (1, 0, 0))):
        m.add_body(
            name, parent=bus, joint=cd.Hinge(axis), mass=2.0, inertia_B=0.1 * np.eye(3), r_BP_P=(0.5, 0.0, 0.1),
            r_CB_B=(0.0, 0.0, 0.0) if name == "wheel" else (0.3, 0.0, 0.0),
        )  # fmt: skip
    scn = cd.Scenario("craft", mechanism=m, seed=5)
    kick = scn.add(Kick(), name="kick", every=0.1)
    scn.connect(kick.push, m.bodies["bus"].wrench, delay=2)
    latch = scn.add(Latch(), name="latch", every=0.05, hinge=m.joints["wheel_joint"].state)
    scn.connect(latch.lock, m.joints["wheel_joint"].lock)
    spring = scn.add(Spring(), name="spring", hinge=m.joints["panel_joint"].state)
    scn.connect(spring.torque, m.joints["panel_joint"].effort)
    swing = scn.add(Swing(), name="swing")
    scn.connect(swing.motion, m.joints["antenna_joint"].prescribed)
    scn.start({"wheel_joint": HingeState(rate=0.3), "panel_joint": HingeState(angle=0.4)})
    return scn


def start(members: int) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    draw = lambda scale: scale * rng.normal(size=(members, 3))  # noqa: E731
    motion = FrameMotion(r_BN_N=draw(1e3), v_BN_N=draw(10.0), sigma_BN=draw(0.2), omega_BN_B=draw(0.1))
    return {"bus": motion, "panel_joint": HingeState(angle=rng.normal(size=members), rate=np.zeros(members))}


def start_of(states: dict[str, Any], member: int) -> dict[str, Any]:
    return {name: type(state)(*(field[member] for field in state)) for name, state in states.items()}


def single(member: int, integrator: Any, dynamics: Any, states: dict[str, Any], **changes: float) -> cd.Simulation:
    """What member `member` of a batch must be, made alone."""
    scn = craft()
    scn.seed = 5 + member
    for path, value in changes.items():
        scn.set(path.replace("__", "."), value)
    sim = cd.Simulation(scn, dynamics=dynamics, integrator=integrator)
    sim.reset(start_of(states, member))
    return sim


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("dynamics", SERVICES, ids=lambda d: d.name)
def test_members_are_simulations_of_their_own_to_the_bit(dynamics, threads):
    """Noise, wake-ups, a delay, a lock that engages, a prescribed joint; parameters that vary; steps of any length."""
    members, states, sizes = 80, start(80), np.linspace(0.0, 2.0, 80)
    batch = cd.Batch(
        craft(), members, dynamics=dynamics, integrator=cd.Rk4(step=0.05), varies=["kick.size"], threads=threads
    )
    batch.set({"kick.size": sizes})
    batch.reset(states)
    for span in (0.0, 0.05, 0.35, 0.6):
        assert not batch.advance(span).any()
    for member in (0, 41, 79):
        alone = single(member, cd.Rk4(step=0.05), dynamics, states, kick__size=sizes[member])
        alone.run(until=1.0, progress=False)
        assert batch.snapshot(member) == alone.snapshot()
        assert np.array_equal(batch["kick.push"].force_B[member], alone["kick.push"].force_B)


@pytest.mark.parametrize(
    "integrator", [kind(step=0.05) if issubclass(kind, FixedStep) else kind() for kind in INTEGRATORS], ids=repr
)
def test_every_integrator_keeps_its_step_in_a_batch(integrator):
    states = start(3)
    batch = cd.Batch(craft(), 3, dynamics=cd.RecursiveTree(), integrator=integrator)
    batch.reset(states)
    for _ in range(3):
        batch.advance(0.5)
    for member in range(3):
        alone = single(member, integrator, cd.RecursiveTree(), states)
        alone.run(until=1.5, progress=False)
        assert batch.snapshot(member) == alone.snapshot()
        assert batch.simulation(member).steps == alone.steps


def test_members_that_are_reset_begin_again_and_leave_the_others_alone():
    states, mask = start(4), np.array([False, True, False, True])
    batch = cd.Batch(craft(), 4, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.05))
    batch.reset(states)
    batch.advance(0.7)
    batch.reset(states, where=mask, seeds=[100, 101, 102, 103])
    assert batch.t.tolist() == [0.7, 0.0, 0.7, 0.0]
    assert batch.seeds == [5, 101, 7, 103]
    batch.advance(0.5)
    for member, (seed, until) in enumerate([(5, 1.2), (101, 0.5), (7, 1.2), (103, 0.5)]):
        scn = craft()
        scn.seed = seed
        alone = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.05))
        alone.reset(start_of(states, member))
        alone.run(until=until, progress=False)
        assert batch.snapshot(member) == alone.snapshot()


@pytest.mark.parametrize("name", ["reaction-wheels", "branching-panels", "thruster-arms", "gimbal-command"])
def test_missions_run_in_a_batch_as_they_run_alone(name):
    mission = MISSIONS[name]
    batch = cd.Batch(mission.scenario(), 2, dynamics=mission.dynamics[0], integrator=mission.integrator_for())
    log = batch.run(until=2.0, record=mission.record)
    scn = mission.scenario()
    scn.seed += 1
    alone = cd.Simulation(scn, dynamics=mission.dynamics[0], integrator=mission.integrator_for())
    expected = alone.run(until=2.0, record=mission.record, progress=False)
    assert batch.snapshot(1) == alone.snapshot()
    assert log[1].compare(expected).agree()


def lags(**options: Any) -> cd.Scenario:
    scn = cd.Scenario("lags", seed=1)
    command = scn.input("command", Number(0.0))
    relay = scn.add(Relay(), name="relay", every=0.1, source=command)
    lag = scn.add(Lag(), name="lag", source=relay.signal)
    gain = scn.add(Gain(), name="gain", source=lag.signal)
    noise = scn.add(Noise(np.array([1.0, 2.0])), name="noise", every=0.2)
    count = scn.add(Count(), name="count", every=0.1)
    scn.leave_open(noise.signal, count.signal, count.time)
    scn.add(Lag(), name="after", source=gain.signal)
    return scn


def test_plain_python_parts_work_in_a_batch_and_give_the_same_bits():
    ends = []
    for jit in (True, False):
        batch = cd.Batch(lags(), 70, integrator=cd.Rk4(step=0.1), jit=jit, threads=2)
        batch["command"].value[:] = np.arange(70.0)
        batch.advance(0.5)
        ends.append([batch.snapshot(member) for member in (0, 69)])
    assert ends[0] == ends[1]


def test_a_command_acts_in_the_tick_at_which_it_is_given():
    """The relay runs at 0.1 s with what is given there, as if the task before it had just sent it."""
    sim = cd.Simulation(lags(), integrator=cd.Rk4(step=0.1), jit=False)
    sim.advance_to(0.1)
    assert sim["relay.signal"].value == 0.0
    sim.give(command=Number(3.0))
    assert sim["relay.signal"].value == 0.0
    sim.advance_to(0.2)
    assert sim["relay.signal"].value == 3.0
    # one tick of 3.0 into a lag of 1 s, by RK4
    assert sim["lag.state"].value == pytest.approx(3.0 * (1.0 - np.exp(-0.1)), rel=1e-6)


def test_a_rollout_is_the_same_as_giving_and_advancing():
    commands = np.random.default_rng(3).normal(size=(5, 8))
    one = cd.Batch(lags(), 5, integrator=cd.Rk4(step=0.1), outputs=["gain.signal", "relay.signal"])
    out = one.rollout({"command": commands}, 0.1)
    assert out["gain.signal"].value.shape == (5, 8)
    other = cd.Batch(lags(), 5, integrator=cd.Rk4(step=0.1), outputs=["gain.signal"])
    for k in range(8):
        other["command"].value[:] = commands[:, k]
        other.advance(0.1)
        assert np.array_equal(other["gain.signal"].value, out["gain.signal"].value[:, k])
    assert [one.snapshot(i) for i in range(5)] == [other.snapshot(i) for i in range(5)]


def test_outputs_are_there_before_anything_has_advanced():
    batch = cd.Batch(lags(), 3, integrator=cd.Rk4(step=0.1), outputs=["gain.signal"])
    batch.reset({"lag": LagState(np.array([1.0, 2.0, 3.0]))})
    assert batch["gain.signal"].value.tolist() == [2.0, 4.0, 6.0]


def test_values_are_views_of_the_batch():
    batch = cd.Batch(lags(), 3, integrator=cd.Rk4(step=0.1))
    state, memory = batch["lag.state"], batch["count.memory"]
    state.value[1] = 5.0
    batch.advance(0.0)
    batch.advance(0.1)
    assert state.value[1] == pytest.approx(5.0 * np.exp(-0.1), rel=1e-6)
    assert memory.ticks.tolist() == [2, 2, 2]


def test_initial_states_follow_parameters_that_vary():
    @cd.model
    class Begins(NamedTuple):
        value: Annotated[float, "-"] = 1.0

        def initial(self) -> LagState:
            return LagState(self.value)

        def derivatives(self, x: LagState) -> LagState:
            return LagState(0.0)

    scn = cd.Scenario()
    scn.add(Begins(), name="begins")
    batch = cd.Batch(scn, 3, varies=["begins.value"], jit=False)
    batch.set({"begins.value": np.array([1.0, 2.0, 3.0])})
    batch.reset()
    assert batch["begins.state"].value.tolist() == [1.0, 2.0, 3.0]
    assert batch["begins.value"].tolist() == [1.0, 2.0, 3.0]


def fragile() -> cd.Scenario:
    class Out(NamedTuple):
        signal: Number

    @cd.task
    class Breaks(NamedTuple):
        def step(self, source: Number) -> Out:
            if source.value > 1.0:
                raise ValueError("too large")
            return Out(Number(source.value))

    scn = cd.Scenario("fragile")
    lag = scn.add(Lag(), name="lag", source=Number(4.0))
    breaks = scn.add(Breaks(), name="breaks", every=0.1, source=lag.signal)
    scn.leave_open(breaks.signal)
    return scn


@pytest.mark.parametrize("jit", [True, False])
def test_a_member_that_fails_leaves_the_others_alone_and_says_why(jit):
    batch = cd.Batch(fragile(), 40, integrator=cd.Rk4(step=0.1), jit=jit, threads=2)
    values = np.full(40, -2.0)
    values[17] = 0.9
    batch.reset({"lag": LagState(values)})
    assert np.flatnonzero(batch.advance(0.2)).tolist() == [17]
    assert batch.t[17] == 0.0 and batch.t[16] == 0.2
    error = batch.error(17)
    assert isinstance(error, ValueError) and str(error) == "too large"
    assert "`breaks.step` at t = 0.1 s" in error.__notes__[0]
    assert batch.error(16) is None
    batch.advance(0.1)
    assert batch.t[17] == 0.0 and batch.t[16] == pytest.approx(0.3)
    batch.reset({"lag": LagState(-2.0)}, where=batch.failed)
    assert not batch.advance(0.1).any()


@pytest.mark.parametrize("steps", [1, 3])
def test_outputs_of_a_rollout_are_zeros_from_where_a_member_fails(steps):
    batch = cd.Batch(fragile(), 40, integrator=cd.Rk4(step=0.1), outputs=["lag.signal"], threads=2)
    begun = np.full(40, -2.0)
    begun[17] = 0.9
    for _ in range(2):  # the second time it does not run at all
        batch.reset({"lag": LagState(begun)}, where=~batch.failed)
        values = batch.rollout({}, 0.2, steps=steps)["lag.signal"].value
        assert np.flatnonzero(batch.failed).tolist() == [17]
        assert not values[17].any() and values[[16, 18]].all()


def test_what_a_member_recorded_before_it_failed_is_kept():
    batch = cd.Batch(fragile(), 3, integrator=cd.Rk4(step=0.1), jit=False)
    batch.reset({"lag": LagState(np.array([-2.0, 0.5, -2.0]))})
    log = batch.run(until=0.5, record=cd.Record(ports=["lag.state"]))
    assert batch.failed.tolist() == [False, True, False]
    assert len(log[1].t) < len(log[0].t) == 6
    assert log["lag.state"].value.shape == (3, 6)
    assert np.isnan(log["lag.state"].value[1, -1])
    assert log.to_xarray().sizes["run"] == 3


def test_masses_vary_as_in_a_vehicle_that_was_built_so():
    def scenario(mass: float) -> cd.Scenario:
        m = cd.Mechanism("pair")
        bus = m.add_body("bus", joint=cd.Free(), mass=mass, inertia_B=np.eye(3))
        m.add_body("arm", parent=bus, joint=cd.Hinge((0, 0, 1)), mass=1.0, inertia_B=np.eye(3), r_CB_B=(1.0, 0.0, 0.0))
        scn = cd.Scenario(mechanism=m)
        scn.connect(BodyWrench(np.array([0.0, 1.0, 0.0]), np.zeros(3)), m.bodies["bus"].wrench)
        return scn

    batch = cd.Batch(scenario(2.0), 3, dynamics=cd.RecursiveTree(), varies=["bus.mass"], outputs=["bus.motion"])
    batch.set({"bus.mass": np.array([2.0, 5.0, 9.0])})
    batch.advance(1.0)
    for member, mass in enumerate((2.0, 5.0, 9.0)):
        built = cd.Simulation(scenario(mass), dynamics=cd.RecursiveTree())
        built.run(until=1.0, progress=False)
        assert np.array_equal(batch["bus.motion"].v_BN_N[member], built["bus.motion"].v_BN_N)
        changed = cd.Simulation(scenario(1.0), dynamics=cd.RecursiveTree()).variant({"bus.mass": mass})
        changed.run(until=1.0, progress=False)
        assert changed.snapshot() == batch.snapshot(member)


def test_one_scenario_serves_ten_threads():
    scn = lags()
    ends: list[Any] = [None] * 10

    def fly(number: int) -> None:
        sim = cd.Simulation(scn, integrator=cd.Rk4(step=0.1))
        sim.give(command=Number(2.0))
        sim.run(until=20.0, progress=False)
        ends[number] = sim.snapshot()

    threads = [threading.Thread(target=fly, args=(i,)) for i in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(end == ends[0] for end in ends)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
def test_a_forked_process_goes_on_with_threads_of_its_own():
    batch = cd.Batch(lags(), 200, integrator=cd.Rk4(step=0.1), threads=2)
    batch.advance(0.3)
    child = os.fork()
    if child == 0:
        batch.advance(0.2)
        os._exit(0 if batch.t.tolist() == [0.5] * 200 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert not batch.advance(0.2).any()


def test_the_audit_of_a_member_is_that_of_its_own_simulation():
    states = start(2)
    batch = cd.Batch(craft(), 2, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.05))
    batch.reset(states)
    sim = batch.simulation(1)
    sim.run(until=0.5, progress=False)
    assert str(sim.audit(samples=5))
    sim.restore(batch.snapshot(0))
    batch.restore(1, sim.snapshot())
    assert batch.snapshot(1) == batch.snapshot(0)


def test_the_sizes_of_members_are_those_of_the_scenario():
    scn = cd.Scenario()
    noise = scn.add(Noise(np.ones(3)), name="noise", every=0.1)
    scn.add(Bank(np.ones(3)), name="bank", source=noise.signal)
    batch = cd.Batch(scn, 2, varies=["bank.time_constants"], jit=False)
    batch.set({"bank.time_constants": np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])})
    batch.reset()
    batch.advance(0.1)
    assert isinstance(batch["noise.signal"], Numbers)
    assert batch["noise.signal"].values.shape == (2, 3)


@cd.model
class Between(NamedTuple):
    """Says where it points, between two limits."""

    low: Annotated[float, "-"] = 0.0
    high: Annotated[float, "-", Above("low")] = 1.0
    axis_B: Annotated[Vec3, "-", Unit] = np.array([1.0, 0.0, 0.0])

    @cd.output
    def signal(self, t: float) -> Number:
        return Number(self.axis_B[0] + self.low + self.high)


def between() -> cd.Scenario:
    scn = cd.Scenario()
    scn.add(Lag(), name="lag", source=scn.add(Between(), name="between").signal)
    return scn


def test_parameters_of_a_member_are_checked_together():
    batch = cd.Batch(between(), 2, varies=["between.low", "between.high"], jit=False)
    batch.set({"between.low": np.array([5.0, 6.0]), "between.high": np.array([6.0, 7.0])})
    assert batch["between.low"].tolist() == [5.0, 6.0]
    batch.set({"between.low": np.array([5.5, 0.0])}, where=np.array([True, False]))  # below its own other limit
    with pytest.raises(ImpossibleValue, match=r"Member 1: `between\.high` must be above `low`"):
        batch.set({"between.high": np.array([6.0, 5.0])})
    assert batch["between.high"].tolist() == [6.0, 7.0]


def test_a_batch_takes_what_a_part_makes_of_a_value():
    """A direction that is off by rounding is divided by its length, as in a simulation of its own."""
    axes = np.array([[1.0 + 1e-10, 0.0, 0.0], [0.0, 1.0, 1e-6]])
    batch = cd.Batch(between(), 2, varies=["between.axis_B"], jit=False)
    batch.set({"between.axis_B": axes})
    for member in range(2):
        alone = cd.Simulation(between(), jit=False).variant({"between.axis_B": axes[member]})
        assert np.linalg.norm(batch["between.axis_B"][member]) == pytest.approx(1.0, abs=1e-15)
        batch_alone = batch.simulation(member)
        for sim in (alone, batch_alone):
            sim.run(until=0.3, progress=False)
        assert alone.snapshot() == batch_alone.snapshot()
