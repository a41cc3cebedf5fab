"""Declaring parts needs no compiler: flight software can be lifted out and run where there is none."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import cardan

DECLARED = """
from typing import Annotated, NamedTuple
from cardan.contracts import message, model, output, task

@message
class Level(NamedTuple):
    height: Annotated[float, "m"] = 0.0

class Volume(NamedTuple):
    height: Annotated[float, "m"] = 1.0

@model
class Tank(NamedTuple):
    leak: Annotated[float, "1/s"] = 0.1

    def derivatives(self, x: Volume, inflow: Level = Level()) -> Volume:
        return Volume(inflow.height - self.leak * x.height)

    @output
    def level(self, x: Volume) -> Level:
        return Level(x.height)

class Commands(NamedTuple):
    valve: Level

@task
class Refill(NamedTuple):
    gain: Annotated[float, "-"] = 2.0

    def step(self, level: Level) -> Commands:
        return Commands(Level(self.gain * level.height))

assert Refill().step(Tank().level(Volume(3.0))).valve.height == 6.0
"""


@pytest.mark.parametrize(
    "code",
    [
        "import cardan",
        "import cardan.contracts",
        DECLARED,
        "from cardan import Vec3, message, model, output, task",
        "import cardan.contracts.calls, cardan.contracts.dynamics, cardan.contracts.wake_up",
        "import cardan.maths, cardan.messages, cardan.fsw",
    ],
)
def test_parts_are_declared_without_numba_and_llvm(code):
    wanted = "import sys; assert not {'numba', 'llvmlite'} & set(sys.modules), 'imported'"
    ended = subprocess.run([sys.executable, "-c", f"{code}\n{wanted}"], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_what_comes_when_first_used_is_what_type_checkers_are_told():
    tree = ast.parse(Path(cardan.__file__).read_text())
    told = {
        alias.name: getattr(import_module(node.module), alias.name)
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        for alias in node.names
    }
    assert {name: getattr(cardan, name) for name in told} == told
    code = "import cardan; print(*sorted(set(dir(cardan)) - set(vars(cardan))))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == sorted(told)


def test_an_unknown_name_is_refused_as_by_any_module():
    with pytest.raises(AttributeError, match="module 'cardan' has no attribute 'Simulator'") as caught:
        cardan.Simulator  # noqa: B018
    assert (caught.value.name, caught.value.obj) == ("Simulator", cardan)
