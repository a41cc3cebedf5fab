"""What is refused of numbers of a mechanism that differ from run to run, word for word."""

from typing import Any

import numpy as np
import pytest

import cardan as cd
from cardan.errors import ImpossibleValue, MechanismError, SettingError, ShapeError, UnknownName
from cardan.messages import MassProperties
from errors.conftest import refused


def mechanism() -> cd.Mechanism:
    m = cd.Mechanism("craft")
    bus = m.add_body("bus", joint=cd.Free(), mass=2.0, inertia_B=np.eye(3))
    m.add_body("arm", parent=bus, joint=cd.Hinge((0, 0, 1)), mass=1.0, inertia_B=np.eye(3))
    m.add_body("ball", parent=bus, joint=cd.Ball(), mass=1.0, inertia_B=np.eye(3))
    m.add_site("nozzle", bus)
    return m


def batch(*varies: str, scn: cd.Scenario | None = None, dynamics: Any = None) -> cd.Batch:
    scn = cd.Scenario(mechanism=mechanism()) if scn is None else scn
    return cd.Batch(scn, 3, dynamics=dynamics or cd.RecursiveTree(), varies=varies)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "bus.com_B",
            """
            The body `bus` has no number `com_B`.
              numbers: mass, r_CB_B, inertia_B
            """,
        ),
        (
            "arm_joint.dampin",
            """
            The joint `arm_joint` has no number `dampin`. Did you mean `damping`?
              numbers: damping, stiffness, rest, armature, friction
            """,
        ),
        (
            "nozzle.position",
            """
            The site `nozzle` has no number `position`.
              numbers: r_SB_B, q_SB
            """,
        ),
    ],
)
def test_a_number_that_an_element_does_not_have(path, text):
    with refused(UnknownName, text):
        batch(path)
    with refused(UnknownName, text):
        cd.Simulation(cd.Scenario(mechanism=mechanism()), dynamics=cd.RecursiveTree()).variant({path: 1.0})


@pytest.mark.parametrize(
    ("path", "values", "text"),
    [
        ("bus.mass", [1.0, 2.0, -3.0], "Member 2: `bus.mass` must be positive.\n  got -3.0 kg"),
        ("bus.mass", [1.0, 0.0, 1.0], "Member 1: `bus.mass` must be positive.\n  got 0.0 kg"),
        ("arm.r_CB_B", np.full((3, 3), np.nan), "Member 0: `arm.r_CB_B` must be finite.\n  got [nan, nan, nan] m"),
        (
            "bus.inertia_B",
            [np.eye(3), np.diag([1.0, 1.0, 3.0]), np.eye(3)],
            "Member 1: `bus.inertia_B` must be an inertia: symmetric, no principal moment negative and none larger "
            "than the other two together.\n  got principal values of 1, 1, 3",
        ),
        (
            "arm_joint.damping",
            [0.0, 0.0, -1.0],
            "Member 2: `arm_joint.damping` must be zero or positive.\n  got -1.0 N s/m, N m s/rad",
        ),
        (
            "nozzle.q_SB",
            [[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]],
            "Member 1: `nozzle.q_SB` must be of unit length.\n  got a length of 1.41421356\n  Divide it by its length.",
        ),
    ],
)
def test_numbers_that_nothing_has(path, values, text):
    many = batch(path)
    before = many[path]
    with refused(ImpossibleValue, text):
        many.set({path: np.array(values)})
    assert np.array_equal(many[path], before)  # all or nothing


def test_numbers_of_another_shape():
    with refused(
        ShapeError,
        """
        `bus.inertia_B` has the wrong shape.
          expected (3, 3), or (3, 3, 3) for each member its own
          got      (2, 3, 3)
        """,
    ):
        batch("bus.inertia_B").set({"bus.inertia_B": np.ones((2, 3, 3))})


def test_a_service_that_is_made_for_one_mechanism():
    class Fixed(cd.RecursiveTree):
        varies = False

    with refused(
        SettingError,
        """
        `bus.mass` cannot vary with Fixed: it is made for one mechanism with given numbers.
          Use RecursiveTree(), BackSubstitution() or Mujoco(), or make a simulation for each value.
        """,
    ):
        batch("bus.mass", dynamics=Fixed())


def test_what_a_service_does_not_know():
    with refused(
        SettingError,
        """
        `arm_joint.friction` cannot vary with RecursiveTree:
          dry friction: arm_joint
            Leave it out, with `friction=False` when the mechanism is read, and make it a part:
            `models.HingeFriction(friction=group.friction)` or `models.SlideFriction(...)`. Or use Mujoco().
        """,
    ):
        batch("arm_joint.friction")
    with refused(
        SettingError,
        """
        `ball_joint.stiffness` cannot vary with RecursiveTree:
          stiffness of a free or ball joint: ball_joint
            Make it a part, or use Mujoco().
        """,
    ):
        batch("ball_joint.stiffness")


def test_what_one_number_does_not_say():
    text = (
        "`ball_joint.rest` cannot be changed: it is neither a hinge nor a slide, so one number does not say where its "
        "spring is at rest."
    )
    with refused(ImpossibleValue, text):
        mechanism().changed({"ball_joint.rest": 1.0})
    with refused(ImpossibleValue, text):
        batch("ball_joint.rest")


def test_what_the_file_switches_off():
    m = cd.Mechanism.from_mjcf(
        """
        <mujoco><option><flag damper="disable"/></option><worldbody><body name="arm">
          <joint name="elbow" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
        </body></worldbody></mujoco>
        """
    )
    with refused(ImpossibleValue, "`elbow.damping` cannot be changed: an option of the file switches it off."):
        batch("elbow.damping", scn=cd.Scenario(mechanism=m))


def test_options_of_the_file_that_have_the_last_word():
    m = cd.Mechanism.from_mjcf(
        """
        <mujoco><compiler inertiafromgeom="true"/><worldbody><body name="ball">
          <freejoint/><geom size="0.1"/>
        </body></worldbody></mujoco>
        """
    )
    with refused(
        MechanismError,
        """
        `ball.mass` cannot be changed: the options of the file have the last word.
          Remove inertiafromgeom, boundmass, boundinertia, balanceinertia or settotalmass there.
        """,
    ):
        m.changed({"ball.mass": 1.0})


def test_mass_properties_that_are_an_input():
    m = mechanism()
    scn = cd.Scenario(mechanism=m)
    scn.connect(MassProperties(1.0, np.zeros(3), np.eye(3)), m.bodies["arm"].mass_properties)
    with refused(
        SettingError,
        "`arm.mass` cannot be set: the mass properties of `arm` are an input, and come from what feeds it.",
    ):
        batch("arm.mass", scn=scn)


def test_no_number_at_all():
    with refused(
        UnknownName,
        """
        `craft` has no number `bus.colour`.
          Bodies have mass, r_CB_B, inertia_B, and on a joint r_BP_P, q_BP;
          joints damping, stiffness, rest, armature, friction; sites r_SB_B, q_SB.
        """,
    ):
        mechanism().changed({"bus.colour": 1.0})
