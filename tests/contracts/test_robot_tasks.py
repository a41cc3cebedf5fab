"""Every task of robots through its checker, and every one with a page and a test of its own."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import cardan as cd
from cardan import robotics
from cardan.contracts.part import contract_of
from cardan.contracts.rounding import loose_roundings
from cardan.messages import HingeRates, HingeStates
from cardan.missions.vehicles import vehicle

ROOT = Path(__file__).parents[2]
ROBOT = robotics.Robot(cd.Mechanism.from_mjcf(vehicle("servicer.xml")))
NUMBERS, TIP = ROBOT.numbers, ROBOT.frame("tip").numbers
INPUTS = {
    "joints": HingeStates(np.array([0.5, 0.9, -0.9, 1.7, 0.9, -0.8, 0.3]), np.linspace(-0.1, 0.2, 7)),
    "wanted": HingeRates(np.linspace(0.3, -0.4, 7)),
}

PARTS = [
    robotics.AxisTurn(axis_N=[0.0, 0.6, 0.8], angle=0.3, duration=700.0),
    robotics.DesiredReaction(NUMBERS, TIP, damping=0.1),
    robotics.DesiredReaction(NUMBERS, TIP, is_adjugate=True),
    robotics.MomentumDumping(NUMBERS, largest_rate=0.5),
    robotics.RateServo(NUMBERS),
    robotics.ReactionNullSpace(NUMBERS),
    robotics.ResolvedMotionRate(NUMBERS, TIP),
    robotics.ResolvedMotionRate(NUMBERS, TIP, damping=0.1, is_floating=False),
    robotics.TipLine(start_N=[0.0, 1.0, 2.0], end_N=[1.0, 1.0, 3.0], duration=700.0),
    robotics.TransposedJacobian(NUMBERS, TIP, 50.0, 5.0, 20.0, 2.0),
]


def shipped() -> list[type]:
    return [value for value in vars(robotics).values() if inspect.isclass(value) and hasattr(value, "__cardan_part__")]


def test_every_task_of_robots_is_checked_here():
    assert {type(part) for part in PARTS} == set(shipped())


@pytest.mark.parametrize("cls", shipped(), ids=lambda cls: cls.__name__)
def test_a_task_of_robots_uses_only_what_is_rounded_alike_on_every_machine(cls):
    assert loose_roundings(*(method.function for method in contract_of(cls).methods.values())) == []


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_a_task_of_robots_is_the_same_in_plain_python_and_in_native_code(part):
    """Not traced: JAX cannot follow a tree whose shape is in the parameters."""
    inputs = {name: INPUTS[name] for name in contract_of(part).inputs if name in INPUTS}
    if isinstance(part, robotics.RateServo):
        inputs["command"] = INPUTS["wanted"]
    assert cd.check_task(part, inputs=inputs, trials=5).targets["native"] == "the same bits"


@pytest.mark.parametrize("cls", shipped(), ids=lambda cls: cls.__name__)
def test_a_task_of_robots_has_a_theory_page_and_a_unit_test(cls):
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
    assert (ROOT / "docs" / "theory" / f"{name}.md").exists()
    assert (ROOT / "tests" / "robotics" / f"test_{name}.py").exists()
    for parameter in contract_of(cls).parameters.fields:
        assert f"{parameter.name}:" in inspect.getdoc(cls), f"{cls.__name__}.{parameter.name} is not described"
