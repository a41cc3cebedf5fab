"""All kinds of port that a mechanism has: the one list of their tables, and what follows from it.

A kind of port is a file of this folder and a line in `TABLES`. Its place in the context, its memory, what is done with
it in each stage, and how a scenario treats its ports follow from what its file declares.
"""

from collections.abc import Callable
from typing import Any

from cardan.mechanism.plumbing.arrays import S
from cardan.mechanism.plumbing.balances import BALANCES
from cardan.mechanism.plumbing.contacts import CONTACTS
from cardan.mechanism.plumbing.efforts import EFFORTS
from cardan.mechanism.plumbing.frames import FRAMES
from cardan.mechanism.plumbing.gravity import GRAVITY
from cardan.mechanism.plumbing.joint_states import COORDINATES, VELOCITIES
from cardan.mechanism.plumbing.locks import LOCKS
from cardan.mechanism.plumbing.mass_properties import MASS_PROPERTIES
from cardan.mechanism.plumbing.momentum import MOMENTA
from cardan.mechanism.plumbing.motors import COMMANDS, MOTORS
from cardan.mechanism.plumbing.prescribed import PRESCRIBED, TURNS
from cardan.mechanism.plumbing.reactions import HOLDINGS, REACTIONS
from cardan.mechanism.plumbing.table import TABLE_WORDS, Stage, Table, for_each_row, has_rows, if_any_row, in_order
from cardan.mechanism.plumbing.touches import TOUCHES
from cardan.mechanism.plumbing.wrenches import WRENCHES
from cardan.mechanism.roles import Role

# tables of one stage are worked off in this order: sums depend on it by their rounding, motors on commands
TABLES: tuple[Table, ...] = (
    PRESCRIBED,
    TURNS,
    LOCKS,
    MASS_PROPERTIES,
    FRAMES,
    COORDINATES,
    VELOCITIES,
    MOMENTA,
    EFFORTS,
    WRENCHES,
    GRAVITY,
    COMMANDS,
    MOTORS,
    TOUCHES,
    REACTIONS,
    HOLDINGS,
    CONTACTS,
    BALANCES,
)

CONTEXT_WORDS = len(S) + TABLE_WORDS * len(TABLES)


_SLOTS = {table: len(S) + TABLE_WORDS * i for i, table in enumerate(TABLES)}


def slot(table: Table) -> int:
    """The word of a context that has the number of its rows; the next has the bytes to them."""
    return _SLOTS[table]


def work_off(stage: Stage) -> Callable[..., Any]:
    """Native code `f(context)`: all that the tables of a stage do."""
    return in_order(
        [
            for_each_row(slot(table), table, step.function) if step.is_each else if_any_row(slot(table), step.function)
            for table in TABLES
            if table.stage is stage
            for step in table.steps
        ]
    )


def any_rows(is_meant: Callable[[Table], bool]) -> Callable[..., Any]:
    """Native code `f(context)`: whether any of the tables that are meant has rows."""
    return has_rows([slot(table) for table in TABLES if is_meant(table)])


def each_row(table: Table, handle: Callable[..., Any]) -> Callable[..., Any]:
    """Native code `f(context)` that gives every row of a table to `handle(context, row)`."""
    return for_each_row(slot(table), table, handle)


def _roles(is_meant: Callable[[Table], bool]) -> frozenset[Role]:
    return frozenset(role for table in TABLES if is_meant(table) for role in table.roles)


# ---- how a scenario treats ports -----------------------------------------------------------------------------------

SUMMED = _roles(lambda table: table.stage is Stage.GATHER)
"""Inputs that take any number of sources."""

DYNAMIC = _roles(lambda table: table.stage is Stage.REACTIONS)
"""Outputs that follow from forces."""

HOLDING_INPUTS = _roles(lambda table: table.holds)
"""Inputs that say how a joint accelerates; a joint can have one of them."""

KINEMATIC_INPUTS = _roles(lambda table: table.stage is Stage.BEGIN)
"""Inputs that must be there before frames can be found."""
