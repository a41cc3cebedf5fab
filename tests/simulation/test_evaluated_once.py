"""What is known already is not evaluated again, and nobody can tell.

Outputs that depend on time alone are evaluated once per time. What a tick has evaluated for its tasks serves the first
stage after it, unless a task changes it. Outputs that depend on held messages alone are evaluated once after these
change.
"""

from typing import Annotated, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan.messages import Force, HingeLock, HingeState, HingeTorque, LineMotion
from cardan.missions import MISSIONS
from cardan.models import MassSpringDamper
from cardan.scenario.order import evaluation_order
from cardan.simulation.setup import set_up

calls: list[float] = []


@cd.model(jit=False)
class Push(NamedTuple):
    """A force that depends on time alone; counts how often it is asked."""

    size: Annotated[float, "N"] = 1.0

    @cd.output
    def force(self, t: float) -> Force:
        calls.append(float(t))
        return Force(self.size * np.sin(t))


@cd.model
class Double(NamedTuple):
    """Depends on time only through what it reads."""

    @cd.output
    def force(self, drive: Force) -> Force:
        return Force(2.0 * drive.force)


@cd.model
class Opposing(NamedTuple):
    """Depends on motion as well."""

    @cd.output
    def force(self, t: float, motion: LineMotion) -> Force:
        return Force(np.sin(t) - motion.velocity)


def scenario() -> cd.Scenario:
    scn = cd.Scenario()
    push = scn.add(Push(), name="push")
    twice = scn.add(Double(), name="twice", drive=push.force)
    scn.add(MassSpringDamper(), name="mass", drive=twice.force)
    return scn


def test_stages_at_one_time_ask_once():
    """RK4 has stages at the beginning, twice in the middle, and at the end, where the next step begins."""
    calls.clear()
    sim = cd.Simulation(scenario(), integrator=cd.Rk4(step=0.1))
    sim.run(until=1.0, record=cd.Record(every=1.0, ports=["mass.state"]))
    assert len(calls) < 2 * 10 + 4


def test_what_depends_on_motion_is_asked_every_time():
    scn = cd.Scenario()
    against = scn.add(Opposing(), name="against")
    mass = scn.add(MassSpringDamper(), name="mass", drive=against.force)
    scn.connect(mass.motion, against.motion)
    assert timed(scn) == set()
    assert timed(scenario()) == {"push.force", "twice.force"}


def timed(scn: cd.Scenario) -> set[str]:
    """The outputs that depend on time alone."""
    return {row.path for row in set_up(scn, None, None).schedule.timed_rows}


class Wish(NamedTuple):
    force: Force


@cd.task
class Steps(NamedTuple):
    """A force that changes at ticks."""

    def step(self, t: float) -> Wish:
        return Wish(force=Force(t))


def test_what_a_task_sends_is_not_time_alone():
    scn = cd.Scenario()
    steps = scn.add(Steps(), name="steps", every=0.5)
    twice = scn.add(Double(), name="twice", drive=steps.force)
    scn.add(MassSpringDamper(), name="mass", drive=twice.force)
    assert timed(scn) == set()


@pytest.mark.parametrize(
    "integrator", [cd.Rk4(step=0.1), cd.Dop853(), cd.Heun(step=0.1)], ids=lambda i: type(i).__name__
)
def test_recording_and_pausing_change_nothing(integrator):
    """The recorder evaluates at its own times in between; the state is the same to the bit where steps are the same."""
    states = []
    for every in (0.1, 1.0):
        sim = cd.Simulation(scenario(), integrator=cd.Rk4(step=0.1))
        for until in (0.3, 1.0, 2.0):
            sim.run(
                until=until,
                record=cd.Record(every=every if every == 0.1 else until, ports=["push.force", "mass.state"]),
            )
        states.append(tuple(sim["mass.state"]))
    assert states[0] == states[1]
    sim = cd.Simulation(scenario(), integrator=integrator)
    log = sim.run(until=2.0, record=cd.Record(every=0.1, ports=["push.force"]))
    assert log["push.force"].force == pytest.approx(np.sin(log["push.force"].t), abs=1e-15)


# ---- in the stage after a tick -------------------------------------------------------------------------------------


@cd.model(jit=False)
class Sensed(NamedTuple):
    """What a sensor shows; counts how often it is asked."""

    @cd.output
    def force(self, motion: LineMotion) -> Force:
        calls.append(motion.position)
        return Force(1.0 - 0.5 * motion.position)


@cd.task
class Copying(NamedTuple):
    def step(self, drive: Force) -> Wish:
        return Wish(force=drive)


def sensed() -> cd.Scenario:
    """A mass pushed by what is sensed of it, which a task reads as well."""
    scn = cd.Scenario()
    mass = scn.add(MassSpringDamper(), name="mass")
    sensor = scn.add(Sensed(), name="sensor", motion=mass.motion)
    scn.add(Copying(), name="copying", every=0.1, drive=sensor.force)
    scn.connect(sensor.force, mass.drive)
    return scn


def test_what_a_tick_evaluates_for_tasks_serves_the_stage_after_it():
    """Ten steps with four stages each, ten ticks before them and one at the end: fifty-one, less one for each step."""
    calls.clear()
    sim = cd.Simulation(sensed(), integrator=cd.Rk4(step=0.1))
    sim.run(until=1.0, record=cd.Record(every=1.0, ports=["mass.state"]))
    assert 40 + 1 <= len(calls) <= 40 + 1 + 2  # the core may pause between a tick and its step


def locked_hinge(connect) -> frozenset[tuple[str, str]]:
    """What is steady in a scenario with a hinge and a task that watches it."""
    mechanism = cd.Mechanism.from_mjcf(
        """<mujoco><worldbody><body name="arm"><joint name="elbow" type="hinge"/>
        <geom size="0.1" mass="1"/></body></worldbody></mujoco>"""
    )
    scn = cd.Scenario(mechanism=mechanism)
    latch = scn.add(Latch(), name="latch", every=0.1, elbow=mechanism.joints["elbow"].state)
    connect(scn, latch, mechanism.joints["elbow"])
    return evaluation_order(scn).steady


class LatchOutputs(NamedTuple):
    lock: HingeLock
    effort: HingeTorque


@cd.task
class Latch(NamedTuple):
    def step(self, elbow: HingeState) -> LatchOutputs:
        return LatchOutputs(lock=HingeLock(is_engaged=elbow.angle > 1.0), effort=HingeTorque(-elbow.angle))


def test_kinematics_that_a_task_changes_are_evaluated_again():
    pushed = locked_hinge(lambda scn, latch, elbow: scn.connect(latch.effort, elbow.effort))
    assert ("", "kinematics") in pushed
    assert ("", "dynamics") not in pushed
    held = locked_hinge(lambda scn, latch, elbow: scn.connect(latch.lock, elbow.lock))
    assert ("", "kinematics") not in held


@pytest.mark.parametrize("service", [cd.RecursiveTree(), cd.Mujoco(), cd.BackSubstitution()], ids=lambda s: s.name)
def test_kinematics_of_a_tick_serve_the_stage_after_it_to_the_bit(service):
    """Reactions are dynamics: a tick that records them leaves nothing for the stage after it."""
    mission = MISSIONS["reaction-wheels"]
    ends, settled = [], []
    for ports in (["bus.motion"], ["bus.motion", "rw1Spin.reaction"]):
        sim = cd.Simulation(mission.build(), dynamics=service, integrator=cd.Rk4(step=0.1))
        record = cd.Record(every=0.1, ports=ports)
        ends.append(sim.run(until=5.0, record=record)["bus.motion"].sigma_BN)
        setup = set_up(sim.scenario, service, sim.integrator)
        settled.append([row.path for row in setup.schedule.settled_rows(setup.tables(record).groups)])
    assert settled == [[f"{service.name}.kinematics"], []]
    assert np.array_equal(*ends)


# ---- between two ticks ---------------------------------------------------------------------------------------------


@cd.model(jit=False)
class Amplified(NamedTuple):
    """Depends on a message and a parameter; counts how often it is asked."""

    gain: Annotated[float, "-"] = 1.0

    @cd.output
    def force(self, drive: Force) -> Force:
        calls.append(drive.force)
        return Force(self.gain * drive.force)


def held(scn: cd.Scenario) -> set[str]:
    """The outputs that depend on what is held alone."""
    return {row.path for row in set_up(scn, None, None).schedule.held_rows}


def amplified(source, **options) -> cd.Scenario:
    """A mass pushed by what an amplifier makes of a message; `source(scn)` gives the port that sends it."""
    scn = cd.Scenario()
    amplifier = scn.add(Amplified(), name="amplifier")
    scn.connect(source(scn), amplifier.drive, **options)
    scn.add(MassSpringDamper(), name="mass", drive=amplifier.force)
    return scn


def test_what_depends_on_held_messages_alone():
    def from_steps(scn):
        return scn.add(Steps(), name="steps", every=0.5).force

    assert held(amplified(from_steps)) == {"amplifier.force"}
    assert held(amplified(from_steps, delay=2)) == {"amplifier.force"}
    assert held(amplified(lambda scn: scn.input("push", Force(1.0)))) == {"amplifier.force"}
    through = amplified(lambda scn: scn.add(Double(), name="twice", drive=from_steps(scn)).force)
    assert held(through) == {"twice.force", "amplifier.force"}
    assert held(amplified(lambda scn: scn.add(Push(), name="push").force)) == set()
    assert held(sensed()) == set()


def test_what_is_held_is_asked_once_between_ticks():
    """Twenty steps with four stages each, and two ticks of the task."""
    calls.clear()
    scn = amplified(lambda scn: scn.add(Steps(), name="steps", every=1.0, offset=0.5).force)
    cd.Simulation(scn, integrator=cd.Rk4(step=0.1)).advance_to(2.0)
    assert 3 <= len(calls) <= 3 + 3  # the core may pause in between
    assert sorted(set(calls)) == [0.0, 0.5, 1.5]


def closed_form(pieces, t: float) -> float:
    """[m] Where a free unit mass is that begins at rest, pushed by `force` from each `start` on."""
    ends = [start for start, _ in pieces[1:]] + [t]
    position = velocity = 0.0
    for (start, force), end in zip(pieces, ends, strict=True):
        span = end - start
        position, velocity = position + velocity * span + 0.5 * force * span**2, velocity + force * span
    return position


@pytest.mark.parametrize("integrator", [cd.Rk4(step=0.1), cd.DormandPrince54()], ids=lambda i: type(i).__name__)
def test_a_change_of_what_is_held_acts_at_once(integrator):
    """By a parameter at its time, by a message from outside, and by both; a mass without spring shows it exactly."""
    scn = cd.Scenario()
    push = scn.input("push", Force(1.0))
    amplifier = scn.add(Amplified(), name="amplifier", drive=push)
    free = MassSpringDamper(mass=1.0, stiffness=0.0, damping=0.0)
    scn.add(free, name="mass", drive=amplifier.force)
    scn.change("amplifier.gain", 3.0, at=0.5)
    sim = cd.Simulation(scn, integrator=integrator)
    start = sim["mass.state"]
    sim.advance_to(1.2)
    sim.give(push=Force(-2.0))
    sim.advance_to(2.0)
    moved = sim["mass.state"].position - start.position - start.velocity * 2.0
    assert moved == pytest.approx(closed_form([(0.0, 1.0), (0.5, 3.0), (1.2, -6.0)], 2.0), rel=1e-12)
