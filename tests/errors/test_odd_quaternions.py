"""Coordinates with a quaternion of another length than one are refused wherever they are given."""

import numpy as np
import pytest

import cardan as cd
from cardan.dynamics import Calculator
from cardan.errors import ImpossibleValue
from cardan.robotics import Robot


def two_vehicles() -> cd.Mechanism:
    """The second of them has a ball joint."""
    made = cd.Mechanism("two")
    body = {"mass": 2.0, "inertia_B": np.eye(3)}
    made.add_body("first", joint=cd.Free(), **body)
    base = made.add_body("second", joint=cd.Free(), **body)
    made.add_body("wrist", parent=base, joint=cd.Ball(), r_BP_P=(1.0, 0.0, 0.0), **body)
    return made


@pytest.mark.parametrize(
    ("at", "length", "told"),
    [
        (3, 2.0, "The quaternion of `second_joint`, q[3:7], must be of unit length.\n  got a length of 2\n"),
        (3, 1.00001, "The quaternion of `second_joint`, q[3:7], must be of unit length.\n  got a length of 1.00001\n"),
        (7, 0.0, "The quaternion of `wrist_joint`, q[7:11], must be of unit length.\n  got a length of 0\n"),
        (7, np.nan, "The quaternion of `wrist_joint`, q[7:11], must be of unit length.\n  got a length of nan\n"),
    ],
)
def test_a_robot_refuses_them(at, length, told):
    robot = Robot(two_vehicles(), base="second")
    q = robot.drawn
    q[at] = length
    with pytest.raises(ImpossibleValue) as caught:
        robot.at(q)
    assert str(caught.value) == told + "  Divide it by its length."


@pytest.mark.parametrize("at", [3, 7])
@pytest.mark.parametrize("length", [2.0, 1.00001, np.nan])
@pytest.mark.parametrize("question", ["inertia", "forward_dynamics", "inverse_dynamics", "floating_dynamics"])
def test_no_question_to_a_robot_takes_them(question, length, at):
    robot = Robot(two_vehicles(), base="second")
    q, u = robot.drawn, np.zeros(robot.nu)
    rest = {"inertia": (), "floating_dynamics": (u, np.zeros(robot.n_m))}.get(question, (u, u))
    getattr(robot, question)(q, *rest)
    q[at] = length
    with pytest.raises(ImpossibleValue, match=rf"q\[{at}:{at + 4}\], must be of unit length"):
        getattr(robot, question)(q, *rest)


@pytest.mark.parametrize("question", ["forward", "inverse", "mass_matrix"])
def test_so_does_the_calculator(question):
    mechanism = two_vehicles()
    q, v = np.array(mechanism.tree.reference), np.zeros(mechanism.tree.nv)
    q[17] = 0.5
    given = {"forward": (q, v), "inverse": (q, v, v), "mass_matrix": (q,)}[question]
    with pytest.raises(ImpossibleValue, match=r"The quaternion of `wrist_joint`, q\[14:18\], must be of unit length"):
        getattr(Calculator(mechanism), question)(*given)


def test_rounding_is_no_fault():
    """What an integrator leaves between two projections, or a file of six digits gives."""
    robot = Robot(two_vehicles(), base="second")
    q = robot.drawn
    q[3:7] = np.array([0.5, -0.3, 0.7, 0.2]) / np.sqrt(0.87) * (1.0 + 5e-7)
    robot.at(q)
