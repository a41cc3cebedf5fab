"""Classes that a notebook defines twice: errors say so, instead of naming the same class twice."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

import cardan as cd
from cardan.errors import DefinedAgain, MessageTypeError, ShapeError
from errors.conftest import refused

IMPORTS = """
from typing import Annotated, NamedTuple
import cardan as cd
"""
MESSAGE = """
@cd.message
class Cmd(NamedTuple):
    value: Annotated[float, "-"] = 0.0
"""
STATE = """
class PlantState(NamedTuple):
    value: Annotated[float, "-"] = 0.0
"""
SENDER = """
@cd.model
class Sender(NamedTuple):
    @cd.output
    def cmd(self, t: float) -> Cmd:
        return Cmd(t)
"""
PLANT = """
@cd.model
class Plant(NamedTuple):
    def derivatives(self, x: PlantState, cmd: Cmd = Cmd()) -> PlantState:
        return PlantState(cmd.value)
"""
ADVICE = "Define the parts that use it again too, then make the scenario again."


@pytest.fixture
def notebook(monkeypatch):
    """Runs the text of a cell, as often as it is called; gives what cells have defined."""
    module = ModuleType("notebook")
    monkeypatch.setitem(sys.modules, "notebook", module)

    def format_code_name(filename):
        return ("Cell", f"In[{filename.removeprefix('cell ')}]") if filename.startswith("cell ") else None

    shell = SimpleNamespace(compile=SimpleNamespace(format_code_name=format_code_name))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    count = 0

    def run(text):
        nonlocal count
        count += 1
        exec(compile(text, f"cell {count}", "exec"), vars(module))
        return SimpleNamespace(**vars(module))

    run(IMPORTS)
    return run


def test_a_message_that_was_defined_again_is_told_apart_by_its_cells(notebook):
    notebook(MESSAGE)
    old = notebook(SENDER)
    sender = old.Sender()
    scn = cd.Scenario()
    source = scn.add(sender, name="p")
    notebook(MESSAGE)
    notebook(STATE)
    new = notebook(PLANT)
    sink = scn.add(new.Plant(), name="c")
    with refused(
        MessageTypeError,
        f"""
        Cannot connect `p.cmd` to `c.cmd`.
          `p.cmd` sends   Cmd of Cell In[2], line 2
          `c.cmd` accepts Cmd of Cell In[4], line 2
          Cmd was defined again. {ADVICE}
        """,
    ):
        scn.connect(source.cmd, sink.cmd)
    with refused(
        MessageTypeError,
        f"""
        Cannot feed `c.cmd` with a constant Cmd of Cell In[2], line 2.
          It accepts Cmd of Cell In[4], line 2.
          Cmd was defined again. {ADVICE}
        """,
    ):
        scn.connect(old.Cmd(1.0), sink.cmd)


def test_a_state_that_was_defined_again_is_refused_by_its_old_part(notebook):
    notebook(MESSAGE)
    notebook(STATE)
    plant = notebook(PLANT).Plant()
    scn = cd.Scenario()
    scn.add(plant, name="plant")
    sim = cd.Simulation(scn, jit=False)
    new = notebook(STATE)
    with refused(
        ShapeError,
        f"""
        `plant.state` expects a PlantState, got PlantState.
          PlantState was defined again. {ADVICE}
        """,
    ):
        sim.reset({"plant": new.PlantState(1.0)})
    # while it runs, its method finds the new class
    with refused(
        ShapeError,
        f"""
        `Plant.derivatives -> derivatives` is of the wrong class.
          expected PlantState
          got      PlantState
          PlantState was defined again. {ADVICE}
          in `plant.derivatives` at t = 0 s (stage 1 of Rk4, step from 0 s)
        """,
    ):
        sim.run(until=1.0)


def test_a_part_whose_state_was_defined_again_is_not_added(notebook):
    notebook(MESSAGE)
    notebook(STATE)
    plant = notebook(PLANT).Plant()
    notebook(STATE)
    with refused(
        DefinedAgain,
        """
        `plant` (Plant) still speaks of a PlantState that was defined again since.
          Define Plant again too, and make the part again: `Plant(...)`.
        """,
    ):
        cd.Scenario().add(plant, name="plant")


def test_a_part_whose_class_was_defined_again_is_not_added(notebook):
    notebook(MESSAGE)
    sender = notebook(SENDER).Sender()
    notebook(SENDER)
    with refused(
        DefinedAgain,
        """
        `p` was made before Sender was defined again, and would run the old code.
          Make it again: `Sender(...)`.
        """,
    ):
        cd.Scenario().add(sender, name="p")


def test_two_messages_of_one_name_from_two_modules_are_told_apart(notebook, monkeypatch):
    notebook(MESSAGE)
    source = notebook(SENDER).Sender()
    other = ModuleType("other")
    exec(compile(IMPORTS + MESSAGE + STATE + PLANT, "other.py", "exec"), vars(other))
    scn = cd.Scenario()
    p, c = scn.add(source, name="p"), scn.add(other.Plant(), name="c")
    with refused(
        MessageTypeError,
        """
        Cannot connect `p.cmd` to `c.cmd`.
          `p.cmd` sends   notebook.Cmd
          `c.cmd` accepts other.Cmd
        """,
    ):
        scn.connect(p.cmd, c.cmd)
