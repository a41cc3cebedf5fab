"""Actuators of the file: motors and servos, their limits, and what switches them off, the same on every service."""

import numpy as np
import pytest

import cardan as cd
from cardan import messages
from cardan.contracts.dynamics import Dynamics

ARM = """<mujoco model="arm"><option {option}><flag {flag}/></option><worldbody>
<body name="hub"><freejoint name="free"/><inertial pos=".1 0 0" mass="10" diaginertia="1 1.1 1.2"/>
<site name="jet" pos=".1 .2 .3" euler="10 20 30"/>
<body name="boom" pos=".5 0 0"><joint name="hinge" axis="0 1 0" {joint}/>
<inertial pos=".5 .1 0" mass="1" diaginertia=".1 .2 .25"/>
<body name="rod" pos="1 0 0"><joint name="slide" axis="0 0 1" type="slide"/>
<inertial pos=".3 0 0" mass="1" diaginertia=".1 .1 .1"/></body></body></body></worldbody>
<actuator>{actuators}</actuator></mujoco>"""
SERVOS = """<position name="a" joint="hinge" gear="2" kp="10" kv="2" forcerange="-3 3"/>
<velocity name="b" joint="slide" kv="3" ctrlrange="-.1 .1"/>"""


def run(dynamics: Dynamics, actuators: str, commands: dict, joint: str, option: str, flag: str) -> np.ndarray:
    """Rates of everything after 0.3 s."""
    text = ARM.format(actuators=actuators, joint=joint, option=option, flag=flag)
    mechanism = cd.Mechanism.from_mjcf(text)
    scn = cd.Scenario(mechanism=mechanism)
    for name, command in commands.items():
        scn.connect(messages.ActuatorCommand(command), mechanism.actuators[name].command)
    hinge, slide = messages.HingeState(0.3, 0.4), messages.SlideState(0.1, -0.2)
    scn.start({"hinge": hinge, "slide": slide, "hub": messages.FrameMotion(omega_BN_B=[0.1, 0.2, 0.3])})
    sim = cd.Simulation(scn, dynamics=dynamics, integrator=cd.Rk4(step=0.02))
    sim.run(until=0.3, progress=False)
    motion = sim["hub.motion"]
    return np.array([*motion.v_BN_N, *motion.omega_BN_B, sim["hinge.state"].rate, sim["slide.state"].rate])


@pytest.mark.parametrize(
    ("actuators", "commands", "options"),
    [
        ('<motor name="a" joint="hinge" gear="2"/>', {"a": 1.0}, {}),
        ('<motor name="a" joint="hinge" gear="2" ctrlrange="-.5 .5"/>', {"a": 1.0}, {}),
        ('<motor name="a" joint="hinge" gear="2" ctrlrange=".2 .5"/>', {}, {}),
        ('<motor name="a" joint="hinge" ctrlrange="-.5 .5"/>', {"a": 1.0}, {"flag": 'clampctrl="disable"'}),
        ('<motor name="a" joint="hinge" gear="-2" forcerange="-.1 .1"/>', {"a": 1.0}, {}),
        ('<motor name="a" jointinparent="slide" gear="3"/>', {"a": 1.0}, {}),
        (SERVOS, {"a": 1.0, "b": 0.3}, {}),
        (SERVOS, {}, {}),
        (SERVOS, {"a": 1.0}, {"joint": 'actuatorfrcrange="-1 .5"'}),
        ('<general name="a" joint="hinge" biastype="affine" biasprm=".5 0 0"/>', {}, {}),
        ('<motor name="a" site="jet" gear="1 2 3 4 5 6" ctrlrange="-.5 .5" forcerange="-.4 1"/>', {"a": -1.0}, {}),
        (
            '<motor name="a" joint="hinge" group="3"/><motor name="b" joint="hinge" group="2"/>',
            {"a": 1.0, "b": 0.1},
            {"option": 'actuatorgroupdisable="3"'},
        ),
        (SERVOS, {"a": 1.0}, {"flag": 'actuation="disable"'}),
        ("", {}, {"joint": 'damping="1" stiffness="3"', "flag": 'spring="disable"'}),
        ("", {}, {"joint": 'damping="1" stiffness="3"', "flag": 'damper="disable"'}),
    ],
)
def test_an_actuator_does_the_same_on_every_service(actuators, commands, options):
    given = {"joint": "", "option": "", "flag": 'contact="disable"'} | options
    ends = [run(d, actuators, commands, **given) for d in (cd.RecursiveTree(), cd.Mujoco(), cd.BackSubstitution())]
    # the same equations in another order of operations; 15 steps
    assert ends[0] == pytest.approx(ends[1], rel=1e-12, abs=1e-14)
    assert ends[2] == pytest.approx(ends[1], rel=1e-12, abs=1e-14)


def test_actuators_are_the_same_to_the_last_bit_in_plain_python():
    actuators = SERVOS + '<motor name="jet" site="jet" gear="1 2 3 4 5 6" ctrlrange="-.5 .5"/>'
    given = {"joint": 'actuatorfrcrange="-1 .5"', "option": "", "flag": ""}
    commands = {"a": 1.0, "b": 0.3, "jet": -2.0}
    ends = [run(cd.RecursiveTree(jit=jit), actuators, commands, **given) for jit in (True, False)]
    assert np.array_equal(*ends)


def test_several_commands_are_summed_before_they_are_limited():
    """4 - 3.7 N m is within 0.5 N m, though neither command is."""
    mechanism = cd.Mechanism.from_mjcf(
        ARM.format(actuators='<motor name="a" joint="hinge" ctrlrange="-.5 .5"/>', joint="", option="", flag="")
    )
    rates = []
    for commands in ((4.0, -3.7), (0.3,)):
        scn = cd.Scenario(mechanism=mechanism)
        for command in commands:
            scn.connect(messages.ActuatorCommand(command), mechanism.actuators["a"].command)
        sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.02))
        sim.run(until=0.1, progress=False)
        rates.append(sim["hinge.state"].rate)
    assert rates[0] == pytest.approx(rates[1], rel=1e-12)


def test_what_an_actuator_gives_is_in_the_balance_of_an_audit():
    actuators = SERVOS + '<motor name="jet" site="jet" gear="1 0 0 0 0 0"/>'
    mechanism = cd.Mechanism.from_mjcf(ARM.format(actuators=actuators, joint="", option="", flag=""))
    scn = cd.Scenario(mechanism=mechanism)
    scn.connect(messages.ActuatorCommand(2.0), mechanism.actuators["jet"].command)
    scn.start({"hinge": messages.HingeState(0.3, 0.4)})
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.01))
    sim.run(until=1.0, progress=False)
    assert sim.audit().is_explained
