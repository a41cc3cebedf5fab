"""Declaring parts needs no compiler: flight software can be lifted out and run where there is none."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import cardan
import cardan.mechanism
import cardan.simulation
import cardan.viewer
from cardan.missions import find_mission

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
        "import cardan as cd; assert cd.maths.exp(0.0) == 1.0 and cd.contracts.task is cd.task",
    ],
)
def test_parts_are_declared_without_numba_and_llvm(code):
    wanted = "import sys; assert not {'numba', 'llvmlite'} & set(sys.modules), 'imported'"
    ended = subprocess.run([sys.executable, "-c", f"{code}\n{wanted}"], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


SHOWN = """
from cardan.cli.program import app
from cardan.viewer import Replay

with Replay(cardan.load_log({saved!r}), port=0) as page:
    page.go(0.0)
"""
SLOW = {
    "numba", "llvmlite", "mujoco", "scipy", "xarray", "pandas", "matplotlib", "jax", "cardan.contracts",
    "cardan.ephemeris", "cardan.viewer.batch", "cardan.viewer.html",
}  # fmt: skip


def test_a_saved_log_is_shown_without_what_is_slow_to_import(tmp_path):
    pytest.importorskip("viser")
    mission = find_mission("reaction-wheels")
    sim = cardan.Simulation(mission.build(), dynamics=mission.service(), integrator=mission.integrator_for())
    saved = sim.run(until=1.0).save(tmp_path / "run.nc")
    wanted = f"import sys; assert not {SLOW} & set(sys.modules), {SLOW} & set(sys.modules)"
    code = f"import cardan\n{SHOWN.format(saved=str(saved))}\n{wanted}"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("package", [cardan, cardan.mechanism, cardan.simulation, cardan.viewer])
def test_what_comes_when_first_used_is_what_type_checkers_are_told(package):
    tree = ast.parse(Path(package.__file__).read_text())
    told = {
        alias.name: getattr(import_module(node.module), alias.name)
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        for alias in node.names
    }
    assert {name: getattr(package, name) for name in told} == told
    code = f"import {package.__name__} as p; print(*sorted(set(dir(p)) - set(vars(p))))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == sorted(told)


def test_an_unknown_name_is_refused_as_by_any_module():
    with pytest.raises(AttributeError, match="module 'cardan' has no attribute 'Simulator'") as caught:
        cardan.Simulator  # noqa: B018
    assert (caught.value.name, caught.value.obj) == ("Simulator", cardan)
