"""How a kind of port is declared: the columns of its rows, what native code does with a row, and when.

A table is a list of rows in the arena, all of one class; each port gives it the rows that it needs. A row is a
NamedTuple of whole numbers, numbers, vectors and addresses. Native code is given the address of a row and finds a
column by `row + AT.name`, where `AT = offsets(Row)` is known when it is compiled.
"""

from collections import namedtuple
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache, cached_property
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args, get_type_hints

import numpy as np

from cardan.contracts.message import message_declaration
from cardan.mechanism.roles import Role
from cardan.native.pointers import WORD, load_int

if TYPE_CHECKING:
    from cardan.mechanism.plumbing.lookup import Lookup
    from cardan.mechanism.ports import MechanismPort

Address = Annotated[int, "address"]
"""Column: a word of the arena, and for native code how many bytes from the context it lies; zero is nowhere."""

Vector = Annotated[np.ndarray, 3]
"""Column: three numbers."""

Quaternion = Annotated[np.ndarray, 4]
"""Column: four numbers, the scalar first."""

Matrix = Annotated[np.ndarray, 9]
"""Column: nine numbers, row by row."""


class Column(NamedTuple):
    """One column of a row: `words` from word `start` on."""

    name: str
    kind: str
    start: int
    words: int


@cache
def columns(row: Any) -> tuple[Column, ...]:
    """The columns of a class of rows."""
    found: list[Column] = []
    for name, hint in get_type_hints(row, include_extras=True).items():
        base, *extra = get_args(hint) or (hint,)
        words = 1 if base in (int, float) else extra[0]
        kind = "address" if extra == ["address"] else "int" if base is int else "float"
        found.append(Column(name, kind, sum(column.words for column in found), words))
    return tuple(found)


def offsets(row: Any) -> Any:
    """For each column how many bytes from the beginning of a row it lies, by name."""
    return _named({column.name: column.start for column in columns(row)})


def field_offsets(message: Any) -> Any:
    """For each field of a message whose sizes are fixed how many bytes from its beginning it lies, by name."""
    block = message_declaration(message).block
    return _named({field.name: where.start for field, where in zip(block.fields, block.slices, strict=True)})


def row_words(row: Any) -> int:
    """How many words a row takes."""
    last = columns(row)[-1]
    return last.start + last.words


def _named(words: dict[str, int]) -> Any:
    kind: Any = namedtuple("Offsets", list(words))  # type: ignore[misc]
    return kind(*(WORD * word for word in words.values()))


class Stage(Enum):
    """When a table is worked off."""

    BEGIN = auto()  # inputs, before the frames of links are found
    FRAMES = auto()  # outputs, once they are
    GATHER = auto()  # inputs that sum, before accelerations are found
    REACTIONS = auto()  # outputs, once they are
    BALANCE = auto()  # in an audit, after all else


class Step(NamedTuple):
    """What native code does with a table: `function(context, row)` for each row, or `function(context)` once."""

    function: Callable[..., Any]
    is_each: bool


def each(function: Callable[..., Any]) -> Step:
    """For each row, one after the other."""
    return Step(function, True)


def once(function: Callable[..., Any]) -> Step:
    """Once, if there is any row."""
    return Step(function, False)


@dataclass(frozen=True, eq=False)
class Table:
    """A kind of port, or a part of what such a port does.

    Attributes:
        name: What it is called.
        row: The class of its rows.
        stage: When it is worked off.
        steps: What native code does with it, in order.
        roles: The roles of the ports that it serves.
        rows: The rows of one port whose message lies at a place.
        is_per_element: Whether that is one for each element of the port.
        standing: The rows that there are without any port.
        holds: Whether a row says how a joint accelerates.
        acts_on_links: Whether a row adds to `wrench`.
        told: The field of `contracts.dynamics.Inputs` in which a service finds what its ports belong to.
    """

    name: str
    row: Any
    stage: Stage
    steps: tuple[Step, ...]
    roles: frozenset[Role] = frozenset()
    rows: "Callable[[Lookup, MechanismPort, Any], Iterable[Any]]" = lambda lookup, port, place: ()
    is_per_element: bool = False
    standing: "Callable[[Lookup], Iterable[Any]]" = lambda lookup: ()
    holds: bool = False
    acts_on_links: bool = False
    told: str = ""

    @property
    def is_output(self) -> bool:
        """Whether it publishes messages; readers of different kinds have such tables of their own."""
        return self.stage in (Stage.FRAMES, Stage.REACTIONS)

    @cached_property
    def words(self) -> int:
        """Of a row."""
        return row_words(self.row)

    def count(self, lookup: "Lookup", port: "MechanismPort", place: Any) -> int:
        """How many rows a port has."""
        return len(port.elements) if self.is_per_element else sum(1 for _ in self.rows(lookup, port, place))

    def encoded(self, rows: Sequence[Any], context: int) -> np.ndarray:
        """(rows, words) What lies in the arena; addresses in bytes from the word at which the context begins."""
        table = np.zeros((len(rows), self.words))
        ints = table.view(np.int64)
        if not rows:
            return table
        for column, values in zip(columns(self.row), zip(*rows, strict=True), strict=True):
            where = slice(column.start, column.start + column.words)
            if column.kind == "float":
                table[:, where] = np.reshape(values, (len(rows), column.words))
            elif column.kind == "int":
                ints[:, column.start] = values
            else:
                ints[:, column.start] = [WORD * (word - context) if word != 0 else 0 for word in values]
        return table


# ---- native code ---------------------------------------------------------------------------------------------------
# A table has two words in a context: how many rows there are, and how many bytes further on they lie.

TABLE_WORDS = 2


def for_each_row(slot: int, table: Table, handle: Callable[..., Any]) -> Callable[..., Any]:
    """Native code that gives every row of the table at `slot` to `handle(context, row)`."""
    count, rows, stride = WORD * slot, WORD * (slot + 1), WORD * table.words

    def run(context):
        first = context + load_int(context + rows)
        for i in range(load_int(context + count)):
            handle(context, first + stride * i)

    return run


def if_any_row(slot: int, function: Callable[..., Any]) -> Callable[..., Any]:
    """Native code that calls `function(context)` if the table at `slot` has rows."""
    count = WORD * slot

    def run(context):
        if load_int(context + count) > 0:
            function(context)

    return run


def has_rows(slots: Sequence[int]) -> Callable[..., Any]:
    """Native code that says whether any of the tables at `slots` has rows."""
    if not slots:
        return _never
    count, before = WORD * slots[-1], has_rows(slots[:-1])

    def run(context):
        return before(context) or load_int(context + count) > 0

    return run


def in_order(functions: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    """Native code that calls `function(context)` of each, one after the other."""
    if len(functions) == 1:
        return functions[0]
    before, last = in_order(functions[:-1]), functions[-1]

    def run(context):
        before(context)
        last(context)

    return run


def _never(context):
    return False
