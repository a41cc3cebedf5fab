"""Free vehicles with thrusters, read from files."""

import numpy as np
import pytest

import cardan as cd
from cardan.mechanism import flyer_of

FILE = """
<mujoco model="tug">
  <worldbody>
    <body name="hub" pos="1 2 3" euler="10 20 30">
      <freejoint/>
      <inertial pos="0.1 0 0" mass="4" diaginertia="1 2 2.5"/>
      <site name="nozzle" pos="0 0.5 0" zaxis="1 0 0"/>
      {more}
      <body name="pod" pos="0 0 1" euler="0 0 90">
        <inertial pos="0 0 0" mass="2" diaginertia="0.1 0.1 0.1"/>
        <site name="pod_nozzle" pos="1 0 0" zaxis="1 0 0"/>
      </body>
    </body>
    <body name="rail"><geom size="0.1"/></body>
  </worldbody>
  <actuator>{actuators}</actuator>
</mujoco>
"""
MOTORS = """
<motor name="main" site="nozzle" gear="0 0 1 0 0 0" ctrllimited="true" ctrlrange="0 0.5"/>
<motor name="side" site="pod_nozzle" gear="0 0 2 0 0 0" ctrllimited="true" ctrlrange="0 0.5"/>
"""


def tug(actuators: str = MOTORS, more: str = "") -> cd.Mechanism:
    return cd.Mechanism.from_mjcf(FILE.format(actuators=actuators, more=more))


def test_thrusters_are_read_in_body_components_wherever_the_body_is_drawn():
    flyer = flyer_of(tug(), "hub")
    assert flyer.thrusters.names == ("main", "side")
    assert flyer.thrusters.positions_B == pytest.approx(np.array([[0.0, 0.5, 0.0], [0.0, 1.0, 1.0]]), abs=1e-14)
    # the pod is turned by 90 degrees about z, so that its x is the hub's y
    assert flyer.thrusters.directions_B == pytest.approx(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), abs=1e-14)


def test_the_gear_of_a_motor_counts_as_thrust():
    assert flyer_of(tug(), "hub").thrusters.max_thrust == pytest.approx([0.5, 1.0], rel=1e-15)


def test_mass_properties_are_those_of_all_that_hangs_on_the_body():
    flyer = flyer_of(tug(), "hub")
    assert flyer.mass == 6.0
    assert flyer.r_CB_B == pytest.approx(np.array([0.4, 0.0, 2.0]) / 6.0, abs=1e-15)
    # two points on a line between them, by hand: their distance squared is 1.01, the reduced mass 4/3
    d = np.array([0.1, 0.0, -1.0])
    own = np.diag([1.0, 2.0, 2.5]) + 0.1 * np.eye(3)
    assert flyer.inertia_C_B == pytest.approx(own + 4.0 / 3.0 * (d @ d * np.eye(3) - np.outer(d, d)), abs=1e-14)


def test_the_mixer_is_about_the_centre_of_mass():
    flyer = flyer_of(tug(), "hub")
    arm = flyer.thrusters.positions_B - flyer.r_CB_B
    assert flyer.mixer[:3] == pytest.approx(flyer.thrusters.directions_B.T)
    assert flyer.mixer[3:] == pytest.approx(np.cross(arm, flyer.thrusters.directions_B).T)


def test_the_motors_are_taken_over():
    m = tug()
    flyer_of(m, "hub")
    assert list(m.actuators) == []
    assert "actuators" in str(m.left_out)


def test_other_actuators_stay():
    wheel = '<body name="wheel"><joint name="spin"/><geom size="0.1"/></body>'
    m = tug(MOTORS + '<motor name="drive" joint="spin"/>', wheel)
    assert flyer_of(m, "hub").thrusters.names == ("main", "side")
    assert list(m.actuators) == ["drive"]


@pytest.mark.parametrize(
    ("body", "actuators", "text"),
    [
        ("hup", MOTORS, "There is no body `hup`. Did you mean `hub`?"),
        ("rail", MOTORS, "`rail` has no free joint, so it is no free flyer.\n  Name the body that has it."),
        (
            "hub",
            "",
            "`hub` has no thrusters.\n"
            '  A thruster is a motor on a site: <motor site="nozzle" gear="0 0 1 0 0 0" ctrlrange="0 0.5"/>.',
        ),
        (
            "hub",
            '<motor name="a" site="nozzle" gear="0 0 1 0 0 0"/><motor name="b" site="nozzle" gear="0 0 0 0 0 1"/>'
            '<motor name="c" site="nozzle" gear="0 0 1 0 0 0" ctrllimited="true" ctrlrange="-1 1"/>'
            '<motor name="d" site="nozzle" refsite="pod_nozzle" gear="0 0 1 0 0 0"/>',
            "`hub` has motors on sites that are no thrusters:\n"
            '  `a` has no largest thrust: give it ctrlrange="0 ..." [N].\n'
            "  `b` does not push: its gear must have a force and no torque.\n"
            "  `c` can be commanded -1: its ctrlrange must begin with 0.\n"
            "  `d` acts between two sites (refsite); a thruster has one.",
        ),
    ],
)
def test_what_is_no_free_flyer_is_refused_by_name(body, actuators, text):
    with pytest.raises(cd.CardanError) as caught:
        flyer_of(tug(actuators), body)
    assert str(caught.value).strip("'") == text
