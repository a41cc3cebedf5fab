"""A mechanism in the arena of a run: its arrays, the tables of its ports, and the contexts of its dynamics service."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from cardan.contracts.dynamics import Binding, Dynamics
from cardan.mechanism.coordinates import Fed, Integrated
from cardan.mechanism.mechanism import Mechanism
from cardan.mechanism.motors import effort_range
from cardan.mechanism.plumbing.arrays import ARRAYS, SIZES, S, array_words, constants
from cardan.mechanism.plumbing.balances import BALANCES
from cardan.mechanism.plumbing.kinds import CONTEXT_WORDS, TABLES, slot
from cardan.mechanism.plumbing.lookup import Lookup
from cardan.mechanism.plumbing.mass_properties import MASS_PROPERTIES, fixed_masses
from cardan.mechanism.plumbing.motors import driven_actuators
from cardan.mechanism.plumbing.table import Stage, Table
from cardan.mechanism.ports import MechanismPort
from cardan.mechanism.support import connected_inputs
from cardan.native.layout import LINE
from cardan.native.pointers import WORD

Rows = dict[Table, list[Any]]
"""The rows of some ports, by table."""

_OUTPUTS = [table for table in TABLES if table.is_output]
_ARRAYS = {name: (kind, shape) for name, kind, shape in ARRAYS}


class MechanismMemory:
    """Where everything of a mechanism lies; made by whoever lays out a run, who reserves the words.

    Args:
        mechanism: The mechanism.
        dynamics: Its service.
        inputs: What acts on it.
        reserve: Takes a number of words, returns where they begin.
        integrated: Which coordinates the integrator moves.
        balances: For each vehicle where the rates of its balance go; none outside an audit.
        state_at: Where `q` begins; `v` follows it.
        rates_at: Where their rates begin.
        varied: Bodies whose mass properties may differ from run to run without being an input.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        dynamics: Dynamics,
        inputs: Mapping[str, Fed],
        reserve: Any,
        integrated: Integrated,
        balances: list[int],
        state_at: int,
        rates_at: int,
        varied: frozenset[str] = frozenset(),
    ) -> None:
        self._mechanism = mechanism
        self._tree = mechanism.tree
        self._inputs = inputs
        self._dynamics = dynamics
        connected = connected_inputs(inputs)
        self._replaced = connected.mass_properties
        self._connected = connected._replace(mass_properties=connected.mass_properties | varied)
        self._binding = dynamics.bind(mechanism, self._connected)
        self._balances = balances
        self._integrated = integrated
        nq = len(integrated.q)
        self._fixed = {"q": state_at, "v": state_at + nq, "q_rate": rates_at, "v_rate": rates_at + nq}
        self._reserve = reserve

    def lay_out(
        self,
        ports: Mapping[str, tuple[MechanismPort, Any]],
        for_models: Iterable[str],
        for_tasks: Iterable[str],
        sources: Mapping[str, Sequence[Any]],
    ) -> None:
        """Reserve all arrays and tables, once ports have their places.

        Args:
            ports: Every output port with its place.
            for_models: The paths of those that models read, at every stage.
            for_tasks: The paths of those that only tasks read, at ticks.
            sources: For each input the places of the messages that feed it.
        """
        self._ports = ports
        takes_commands = self._binding.takes_commands
        self._lookup = Lookup(
            self._mechanism,
            centres={
                fed.port.elements[0]: sources[path][0].word("r_CB_B")
                for path, fed in self._inputs.items()
                if fed.port.role in MASS_PROPERTIES.roles
            },
            balances=self._balances,
            motors=() if takes_commands else driven_actuators(self._mechanism, self._connected.commanded),
            takes_commands=takes_commands,
        )
        given = [(fed.port, place) for path, fed in self._inputs.items() for place in sources[path]]
        self._main = self._rows([*(ports[path] for path in for_models), *given])
        for table in TABLES:
            self._main[table] += table.standing(self._lookup)
        self._for_tasks = self._rows([ports[path] for path in for_tasks])
        everything = self._rows(ports.values())
        self._sizes = self._find_sizes()

        self.context, self.task_context, self.record_context = (self._reserve(CONTEXT_WORDS) for _ in range(3))
        self._at: dict[str, int] = {}
        for name, (kind, shape) in _ARRAYS.items():
            if name == "private":
                self._reserve(-self._reserve(0) % LINE)
            self._at[name] = self._fixed[name] if kind == "state" else self._reserve(array_words(shape, self._sizes))
        self._main_at = {table: self._reserve(table.words * len(self._main[table])) for table in TABLES}
        # tasks and the recorder have output tables of their own; the recorder's have room for everything
        self._task_at = {table: self._reserve(table.words * len(self._for_tasks[table])) for table in _OUTPUTS}
        self._record_at = {table: self._reserve(table.words * len(everything[table])) for table in _OUTPUTS}

    def at(self, name: str) -> int:
        """The first word of one of the arrays of `cardan.mechanism.plumbing.arrays`."""
        return self._at[name]

    def whole_numbers(self) -> set[int]:
        """The words of all arrays of whole numbers: what says how a mechanism is made, not how large anything is."""
        arrays = [(self._at[name], array_words(shape, self._sizes)) for name, kind, shape in ARRAYS if kind == "int"]
        return {word for at, words in arrays for word in range(at, at + words)}

    def array(self, arena: np.ndarray, name: str) -> np.ndarray:
        """One of these arrays in an arena."""
        kind, shape = _ARRAYS[name]
        at = self._at[name]
        words = (arena.view(np.int64) if kind == "int" else arena)[at : at + array_words(shape, self._sizes)]
        return words.reshape([self._sizes[n] if isinstance(n, str) else n for n in shape])

    def write(self, arena: np.ndarray) -> None:
        """Put constants, tables and contexts into an arena, and the words of the first binding."""
        values = constants(self._tree) | fixed_masses(self._tree, self._replaced)
        values["lock_time"] = np.array([self._dynamics.lock_time_constant])
        values["integrated"] = self._integrated.links
        values["motor_range"] = effort_range(self._mechanism.model)
        values["private"] = self._binding.words
        for name, value in values.items():
            self.array(arena, name)[...] = value
        self._write_tables(arena, self.context, self._main, self._main_at)
        self._write_tables(arena, self.task_context, self._for_tasks, self._task_at)
        self.record(arena, [])

    def bind(self, arena: np.ndarray) -> Binding:
        """Give an arena memory of the service for itself, so that it can run beside others.

        Returns:
            Keep it as long as the arena is used.
        """
        # a service whose memory is all in its words has a copy of them in every arena
        binding = self._binding
        if binding.keep is not None:
            binding = self._dynamics.bind(self._mechanism, self._connected)
        self.array(arena, "private")[...] = binding.words
        return binding

    def record(self, arena: np.ndarray, paths: Iterable[str]) -> None:
        """Let the recorder's tables name the ports that this run records beyond those that parts read."""
        rows = self._rows([self._ports[path] for path in paths])
        self._write_tables(arena, self.record_context, rows, self._record_at)
        wanted = len(self._main[BALANCES])
        for table in TABLES:
            if table.stage is Stage.REACTIONS:
                wanted += sum(len(given[table]) for given in (self._main, self._for_tasks, rows))
        self.array(arena, "wants_reactions")[...] = wanted

    # ---- details -------------------------------------------------------------------------------------------------

    def _rows(self, ports: Iterable[tuple[MechanismPort, Any]]) -> Rows:
        rows: Rows = {table: [] for table in TABLES}
        for port, place in ports:
            for table in TABLES:
                if port.role in table.roles:
                    rows[table] += table.rows(self._lookup, port, place)
        return rows

    def _find_sizes(self) -> dict[str, int]:
        tree, lookup = self._tree, self._lookup
        return {
            "links": tree.links,
            "vehicles": len(tree.roots),
            "nq": tree.nq,
            "nv": tree.nv,
            "integrated_links": len(self._integrated.links),
            "nq_integrated": len(self._integrated.q),
            "nv_integrated": len(self._integrated.v),
            "commands": int(self._mechanism.model.nu) if lookup.takes_commands else len(lookup.motors),
            "private_words": len(self._binding.words),
        }

    def _write_tables(self, arena: np.ndarray, context: int, rows: Rows, places: dict[Table, int]) -> None:
        """A context that shares all arrays but has tables of its own: those that have places."""
        ints = arena.view(np.int64)
        # sizes and arrays, in the order of `S`
        ints[context : context + len(S)] = [
            *(self._sizes[name] for name in SIZES),
            *(WORD * (at - context) for at in self._at.values()),
        ]
        for table, at in places.items():
            ints[context + slot(table)] = len(rows[table])
            ints[context + slot(table) + 1] = WORD * (at - context)
            encoded = table.encoded(rows[table], context).view(np.int64)
            ints[at : at + encoded.size] = encoded.ravel()
