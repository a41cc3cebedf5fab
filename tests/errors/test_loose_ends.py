"""What looks forgotten gives a warning when the simulation is made; what is meant to be so does not."""

import warnings
from textwrap import dedent
from typing import NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan import fsw, messages, models
from cardan.errors import LooseEnds, WiringError
from cardan.messages import WakeUp
from errors.conftest import refused
from parts import Count, Gain, Lag, Number, Wide

ARM = """
<mujoco>
  <worldbody>
    <body name="hub">
      <freejoint name="hub_free"/>
      <inertial mass="10" pos="0 0 0" diaginertia="1 1 1"/>
      <site name="nozzle"/>
      <body name="upper">
        <joint name="shoulder" axis="0 1 0"/>
        <inertial mass="1" pos="0.5 0 0" diaginertia="0.1 0.1 0.1"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="motor" joint="shoulder"/>
    <general name="thruster" site="nozzle" gear="0 0 1 0 0 0"/>
  </actuator>
</mujoco>
"""


class Shown(NamedTuple):
    number: Number


@cd.task(jit=False)
class Display(NamedTuple):
    """Shows a number."""

    def step(self) -> Shown:
        return Shown(Number(1.0))


class Asked(NamedTuple):
    wake: WakeUp


@cd.task
class Alarm(NamedTuple):
    """Asks for another tick, and sends nothing."""

    def step(self) -> Asked:
        return Asked(WakeUp(0.05))


def warned(scenario: cd.Scenario) -> str:
    dynamics = cd.RecursiveTree() if scenario.mechanism is not None else None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cd.Simulation(scenario, dynamics=dynamics, jit=False)
    assert all(one.category is LooseEnds for one in caught) and len(caught) <= 1
    # it points at the line that makes the simulation
    assert all(one.filename == __file__ for one in caught)
    return str(caught[0].message) if caught else ""


def controlled(is_connected: bool) -> cd.Scenario:
    scn = cd.Scenario("hello")
    body = scn.add(models.RigidBody(np.eye(3)), name="body")
    err = scn.add(fsw.AttitudeTracking(), name="err", every=0.5, attitude=body.attitude)
    ctl = scn.add(fsw.MrpFeedback(K=1.0, P=2.0, inertia_B=np.eye(3)), name="ctl", every=0.5, error=err.error)
    if is_connected:
        scn.connect(ctl.torque, body.drive)
    return scn


def arm() -> tuple[cd.Scenario, cd.Mechanism]:
    mechanism = cd.Mechanism.from_mjcf(ARM, name="sat")
    return cd.Scenario("reach", mechanism=mechanism), mechanism


class TestOutputs:
    def test_a_command_that_goes_nowhere_is_a_loose_end(self):
        assert (
            warned(controlled(is_connected=False))
            == dedent("""
            Scenario `hello` has loose ends:
              `ctl.torque` goes nowhere; `body.drive` takes a BodyTorque and has no source
              Connect them, or say `scn.leave_open(...)` for each that is meant to be so.
        """).strip()
        )

    def test_what_is_connected_is_none(self):
        assert warned(controlled(is_connected=True)) == ""

    def test_what_is_left_open_is_none(self):
        scn = controlled(is_connected=False)
        scn.leave_open(scn["ctl"].torque)
        assert warned(scn) == ""

    def test_a_task_of_which_nobody_reads_anything_computes_for_nothing(self):
        scn = cd.Scenario("alone")
        scn.add(Wide(3), name="wide", every=0.1)
        scn.add(Count(), name="count", every=0.1)
        assert (
            warned(scn)
            == dedent("""
            Scenario `alone` has loose ends:
              `wide` computes for nothing: `wide.signal` goes nowhere
              `count` computes for nothing: `count.signal` and `count.time` go nowhere
              Connect them, or say `scn.leave_open(...)` for each that is meant to be so.
        """).strip()
        )
        scn = cd.Scenario()
        wide = scn.add(Wide(3), name="wide", every=0.1)
        scn.leave_open(wide.signal)
        assert warned(scn) == ""

    def test_a_task_in_plain_python_may_serve_somebody_outside(self):
        scn = cd.Scenario()
        scn.add(Display(), name="display", every=0.1)
        assert warned(scn) == ""

    def test_one_output_of_several_may_be_for_the_log(self):
        scn = cd.Scenario()
        count = scn.add(Count(), name="count", every=0.1)
        scn.add(Gain(), name="gain", source=count.signal)
        assert warned(scn) == ""

    def test_a_task_with_one_of_its_outputs_left_open_computes_for_somebody(self):
        scn = cd.Scenario()
        count = scn.add(Count(), name="count", every=0.1)
        scn.leave_open(count.time)
        assert warned(scn) == ""

    def test_a_task_that_only_asks_for_its_next_tick_sends_nothing(self):
        scn = cd.Scenario()
        scn.add(Alarm(), name="alarm", every=0.1)
        assert warned(scn) == ""

    def test_an_output_of_a_model_is_none(self):
        scn = cd.Scenario()
        scn.add(Lag(), name="first")
        scn.add(Lag(), name="second")
        assert warned(scn) == ""

    def test_a_second_controller_that_only_watches_says_so(self):
        scn = controlled(is_connected=True)
        shadow = fsw.MrpFeedback(K=2.0, P=3.0, inertia_B=np.eye(3))
        scn.add(shadow, name="shadow", every=0.5, error=scn["err"].error)
        assert "  `shadow` computes for nothing: `shadow.torque` goes nowhere\n" in warned(scn)
        scn = controlled(is_connected=True)
        watching = scn.add(shadow, name="shadow", every=0.5, error=scn["err"].error)
        scn.leave_open(watching.torque)
        assert warned(scn) == ""

    def test_torques_for_hinges_that_nothing_drives_are_a_loose_end(self):
        scn, mechanism = arm()
        group = mechanism.group_of_hinges("joints", "shoulder")
        scn.leave_open(*(actuator.command for actuator in mechanism.actuators.values()))
        limits = fsw.TorqueSaturation(max_torque=[1.0])
        ctl = scn.add(limits, name="ctl", every=0.1, command=messages.HingeTorques([0.0]))
        assert (
            "  `ctl.torques` goes nowhere; a group with `shoulder` takes a HingeTorques and has no source\n"
            in warned(scn)
        )
        scn, mechanism = arm()
        group = mechanism.group_of_hinges("joints", "shoulder")
        scn.leave_open(mechanism.actuators["thruster"].command)
        ctl = scn.add(limits, name="ctl", every=0.1, command=messages.HingeTorques([0.0]))
        scn.connect(ctl.torques, group.efforts)
        assert warned(scn) == ""


class TestActuators:
    def test_an_actuator_that_nobody_drives_is_a_loose_end(self):
        scn, _ = arm()
        scn.add(Lag(), name="lag")
        assert (
            warned(scn)
            == dedent("""
            Scenario `reach` has loose ends:
              `motor.command` has no source, so that the actuator gets 0
              `thruster.command` has no source, so that the actuator gets 0
              Connect them, or say `scn.leave_open(...)` for each that is meant to be so.
        """).strip()
        )

    def test_an_actuator_with_a_constant_command_is_none(self):
        scn, mechanism = arm()
        scn.add(Lag(), name="lag")
        for actuator in mechanism.actuators.values():
            scn.connect(messages.ActuatorCommand(0.0), actuator.command)
        assert warned(scn) == ""

    def test_an_actuator_whose_joint_or_site_is_driven_otherwise_is_none(self):
        scn, mechanism = arm()
        scn.add(Lag(), name="lag")
        scn.connect(messages.HingeTorque(0.1), mechanism.joints["shoulder"].effort)
        scn.connect(messages.BodyWrench(), mechanism.sites["nozzle"].wrench)
        assert warned(scn) == ""

    def test_a_mechanism_alone_has_no_loose_ends(self):
        scn, _ = arm()
        assert warned(scn) == ""


class TestLeftOpen:
    def test_only_outputs_and_commands_can_be_left_open(self):
        scn, mechanism = arm()
        scn.add(Lag(), name="lag")
        advice = "  Give outputs of tasks, such as `ctl.torque`, or commands of actuators."
        with refused(WiringError, f"'lag.source' cannot be left open.\n{advice}"):
            scn.leave_open(scn["lag"].source)
        with refused(WiringError, f"'shoulder.effort' cannot be left open.\n{advice}"):
            scn.leave_open(mechanism.joints["shoulder"].effort)
        with refused(WiringError, f"'ctl.torque' cannot be left open.\n{advice}"):
            scn.leave_open("ctl.torque")

    def test_what_is_left_open_belongs_to_the_scenario(self):
        other = controlled(is_connected=False)
        with refused(WiringError, "`ctl.torque` belongs to another scenario than `mine`."):
            cd.Scenario("mine").leave_open(other["ctl"].torque)


def test_a_warning_can_be_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error", LooseEnds)
        with pytest.raises(LooseEnds):
            cd.Simulation(controlled(is_connected=False), jit=False)
