"""Outputs that depend on time alone are evaluated once per time, and nobody can tell."""

from typing import Annotated, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan.messages import Force, LineMotion
from cardan.models import MassSpringDamper

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
    program = cd.Simulation(scn)._program
    assert program.timed_rows() == []
    assert {row.path for row in cd.Simulation(scenario())._program.timed_rows()} == {"push.force", "twice.force"}


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
    assert cd.Simulation(scn)._program.timed_rows() == []


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
