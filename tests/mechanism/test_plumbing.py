"""Tables of ports: what follows from a declaration."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan.mechanism.coordinates import integrated_coordinates
from cardan.mechanism.plumbing.arrays import S
from cardan.mechanism.plumbing.kinds import (
    CONTEXT_WORDS,
    DYNAMIC,
    HOLDING_INPUTS,
    KINEMATIC_INPUTS,
    SUMMED,
    TABLES,
    slot,
)
from cardan.mechanism.plumbing.memory import MechanismMemory
from cardan.mechanism.plumbing.table import (
    Address,
    Column,
    Matrix,
    Stage,
    Table,
    Vector,
    columns,
    each,
    field_offsets,
    offsets,
)
from cardan.mechanism.roles import Role
from cardan.messages import VehicleMomentum

PAGE = Path(__file__).parents[2] / "docs" / "concepts" / "mechanisms.md"


class Thing(NamedTuple):
    """A row with a column of every kind."""

    link: int
    to: Address
    gain: float
    position: Vector
    turn: Matrix
    last: int


THINGS = Table("things", Thing, Stage.FRAMES, (each(print),))


def test_columns_lie_one_after_the_other():
    assert columns(Thing) == (
        Column("link", "int", 0, 1),
        Column("to", "address", 1, 1),
        Column("gain", "float", 2, 1),
        Column("position", "float", 3, 3),
        Column("turn", "float", 6, 9),
        Column("last", "int", 15, 1),
    )
    assert offsets(Thing)._asdict() == {"link": 0, "to": 8, "gain": 16, "position": 24, "turn": 48, "last": 120}
    assert THINGS.words == 16


def test_fields_of_a_message_are_found_by_name():
    assert field_offsets(VehicleMomentum).inertia_C_N == 8 * 7
    assert field_offsets(VehicleMomentum).kinetic_energy == 8 * 19


def test_addresses_become_bytes_from_the_context_and_nowhere_stays_nowhere():
    row = Thing(3, 110, 0.5, np.array([1.0, 2.0, 3.0]), np.eye(3), 7)
    encoded = THINGS.encoded([row, row._replace(to=0)], context=100)
    ints = encoded.view(np.int64)
    assert ints[:, [0, 1, 15]].tolist() == [[3, 80, 7], [3, 0, 7]]
    assert encoded[0, 2:6].tolist() == [0.5, 1.0, 2.0, 3.0]
    assert encoded[1, 6:15].tolist() == np.eye(3).ravel().tolist()


def test_every_table_has_words_of_its_own_in_a_context():
    taken = [*range(len(S)), *(slot(table) + k for table in TABLES for k in (0, 1))]
    assert taken == list(range(CONTEXT_WORDS))


def test_every_role_is_served():
    assert set(Role) == {role for table in TABLES for role in table.roles}


def test_the_page_about_mechanisms_names_every_port():
    text = PAGE.read_text()
    assert [role.value for role in Role if f"`{role.value}`" not in text] == []


def test_how_scenarios_treat_ports_follows_from_when_their_tables_are_worked_off():
    forces = {Role.WRENCH, Role.WRENCH_N, Role.TORQUE, Role.FORCE_N, Role.FORCES_N, Role.GRAVITY}
    forces |= {Role.EFFORT, Role.EFFORTS, Role.COMMAND}
    assert forces == SUMMED
    assert {Role.REACTION, Role.HOLDING, Role.CONTACT} == DYNAMIC
    assert {Role.LOCK, Role.LOCKS, Role.PRESCRIBED} == HOLDING_INPUTS
    assert HOLDING_INPUTS | {Role.MASS_PROPERTIES} == KINEMATIC_INPUTS


class Reserve:
    """Words after words."""

    def __init__(self) -> None:
        self.words = 0

    def __call__(self, words: int) -> int:
        self.words += words
        return self.words - words


@pytest.mark.parametrize("service", [cd.RecursiveTree(), cd.Mujoco(), cd.BackSubstitution()], ids=lambda s: s.name)
def test_an_arena_can_be_bound_again(service):
    m = cd.Mechanism("one")
    m.add_body("bus", joint=cd.Free(), mass=3.0, inertia_B=np.eye(3))
    reserve = Reserve()
    state = reserve(2 * (m.tree.nq + m.tree.nv))
    integrated = integrated_coordinates(m.tree, {})
    memory = MechanismMemory(m, service, {}, reserve, integrated, [], state, state + m.tree.nq + m.tree.nv)
    memory.lay_out({}, [], [], {})
    first, second = np.zeros((2, reserve.words))
    for arena in (first, second):
        memory.write(arena)
    assert np.array_equal(first.view(np.int64), second.view(np.int64))
    assert memory.array(first, "mass").tolist() == [0.0, 3.0]
    assert first[memory.at("mass") + 1] == 3.0

    bindings = [memory.bind(arena) for arena in (first, second)]
    is_shared = memory.array(first, "private").tobytes() == memory.array(second, "private").tobytes()
    # what is all in the arena is copied with it; MuJoCo's data is not
    assert is_shared == (service.name != "Mujoco")
    assert (bindings[0] is bindings[1]) == is_shared
