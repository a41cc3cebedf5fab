"""A mechanism in the arena of a run: its arrays, the tables of its ports, and the contexts of its dynamics service."""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from cardan.contracts.dynamics import Binding, Dynamics
from cardan.mechanism.coordinates import Fed, Integrated
from cardan.mechanism.mechanism import Mechanism
from cardan.mechanism.motors import effort_range
from cardan.mechanism.plumbing.arrays import ARRAYS, MASSES, SIZES, S, array_words, constants, numbers
from cardan.mechanism.plumbing.balances import BALANCES
from cardan.mechanism.plumbing.contacts import CONTACTS, pair_numbers
from cardan.mechanism.plumbing.fixed_frames import (
    FRAME_WORDS,
    fixed_frame,
    frame_array,
    frame_count,
    frame_numbers,
    frame_words,
)
from cardan.mechanism.plumbing.gravity import body_masses
from cardan.mechanism.plumbing.kinds import CONTEXT_WORDS, TABLES, slot
from cardan.mechanism.plumbing.lookup import Lookup
from cardan.mechanism.plumbing.mass_properties import MASS_PROPERTIES, fixed_masses
from cardan.mechanism.plumbing.motors import driven_actuators
from cardan.mechanism.plumbing.table import TABLE_WORDS, Stage, Table
from cardan.mechanism.ports import MechanismPort
from cardan.mechanism.roles import Role
from cardan.mechanism.rotors import may_be_rotors, rotor_numbers
from cardan.mechanism.support import connected_inputs
from cardan.mechanism.tree import V_SIZE, Tree
from cardan.mechanism.variants import Variants
from cardan.native.layout import LINE
from cardan.native.pointers import WORD

Rows = dict[Table, list[Any]]
"""The rows of some ports, by table."""

_OUTPUTS = [table for table in TABLES if table.is_output]
_SERVING = {role: [table for table in TABLES if role in table.roles] for role in Role}
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
    ) -> None:
        self._mechanism = mechanism
        self._tree = mechanism.tree
        self._inputs = inputs
        self._dynamics = dynamics
        connected = connected_inputs(inputs)
        self._replaced = connected.mass_properties
        may_be = may_be_rotors(self._tree, self._replaced)
        self._may_be_rotors = may_be if dynamics.carries_rotors else np.zeros_like(may_be)
        self._connected = connected
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
        self._recorded: dict[tuple[str, ...], Rows] = {}  # rows of what runs have recorded, by paths
        self._fixed["frame"] = self._reserve(FRAME_WORDS * frame_count(self._tree))
        takes_commands = self._binding.takes_commands
        changing = {
            fed.port.elements[0]: sources[path][0]
            for path, fed in self._inputs.items()
            if fed.port.role in MASS_PROPERTIES.roles
        }
        self._lookup = Lookup(
            self._mechanism,
            centres={body: place.word("r_CB_B") for body, place in changing.items()},
            masses={body: (place.word("mass"), place.word("inertia_C_B")) for body, place in changing.items()},
            balances=self._balances,
            motors=() if takes_commands else driven_actuators(self._mechanism, self._connected.commanded),
            takes_commands=takes_commands,
            contacts=self._binding.contacts,
            frames_at=self._fixed["frame"],
        )
        given = [(fed.port, place) for path, fed in self._inputs.items() for place in sources[path]]
        self._main = self._rows([*(ports[path] for path in for_models), *given])
        for table in TABLES:
            self._main[table] += table.standing(self._lookup)
        self._for_tasks = self._rows([ports[path] for path in for_tasks])
        everything = self._counts(ports.values())
        self._sizes = self._find_sizes()

        self.context, self.task_context, self.record_context = (self._reserve(CONTEXT_WORDS) for _ in range(3))
        self._at: dict[str, int] = {}
        self._where: dict[str, tuple[slice, list[int]]] = {}
        for name, (_, sizes) in _ARRAYS.items():
            shape = [self._sizes[size] if isinstance(size, str) else size for size in sizes]
            words = math.prod(shape)
            if name == "private":
                self._reserve(-self._reserve(0) % LINE)
            known = self._fixed.get(name)
            at = self._at[name] = self._reserve(words) if known is None else known
            self._where[name] = slice(at, at + words), shape
        self._main_at = {table: self._reserve(table.words * len(self._main[table])) for table in TABLES}
        # tasks and the recorder have output tables of their own; the recorder's have room for everything
        self._task_at = {table: self._reserve(table.words * len(self._for_tasks[table])) for table in _OUTPUTS}
        self._record_at = {table: self._reserve(table.words * everything[table]) for table in _OUTPUTS}

    def at(self, name: str) -> int:
        """The first word of one of the arrays of `cardan.mechanism.plumbing.arrays`."""
        return self._at[name]

    def whole_numbers(self) -> set[int]:
        """The words of all arrays of whole numbers: what says how a mechanism is made, not how large anything is."""
        arrays = [(self._at[name], array_words(shape, self._sizes)) for name, kind, shape in ARRAYS if kind == "int"]
        return {word for at, words in arrays for word in range(at, at + words)}

    def array(self, arena: np.ndarray, name: str) -> np.ndarray:
        """One of these arrays in an arena, or in each of several, (n, words)."""
        where, shape = self._where[name]
        words = (arena.view(np.int64) if _ARRAYS[name][0] == "int" else arena)[..., where]
        return words.reshape(*arena.shape[:-1], *shape)

    def write(self, arena: np.ndarray, mechanism: Mechanism | None = None) -> None:
        """Put constants, tables and contexts into an arena, and the words of the first binding.

        Args:
            arena: The arena.
            mechanism: The mechanism with other numbers, if these are others.
        """
        tree = (mechanism or self._mechanism).tree
        values = constants(self._tree) | self._numbers(tree) | {"frame": frame_array(tree)}
        values["lock_time"] = np.array([self._dynamics.lock_time_constant])
        values["integrated"] = self._integrated.links
        values["motor_range"] = effort_range(self._mechanism.model)
        values["pair"] = pair_numbers(self._mechanism)
        values["private"] = self._binding.words
        for name, value in values.items():
            self.array(arena, name)[...] = value
        self._write_tables(arena, self.context, self._main, self._main_at)
        self._write_tables(arena, self.task_context, self._for_tasks, self._task_at)
        self.record(arena, [])

    def bind(self, arena: np.ndarray, mechanism: Mechanism | None = None, *, is_varied: bool = False) -> Binding:
        """Give an arena memory of the service for itself, so that it can run beside others.

        Args:
            arena: The arena.
            mechanism: The mechanism with other numbers, if these are others.
            is_varied: Whether runs with other numbers of it will use this memory: see `renumber`.

        Returns:
            Keep it as long as the arena is used.
        """
        # a service whose memory is all in its words has a copy of them in every arena
        binding, other = self._binding, mechanism or self._mechanism
        if binding.keep is not None or other is not self._mechanism:
            binding = self._dynamics.bind(other, self._connected._replace(is_varied=is_varied))
        self.array(arena, "private")[...] = binding.words
        return binding

    def record(self, arena: np.ndarray, paths: Iterable[str]) -> None:
        """Let the recorder's tables name the ports that this run records beyond those that parts read."""
        asked = tuple(paths)
        rows = self._recorded.get(asked)
        if rows is None:
            rows = self._recorded[asked] = self._rows([self._ports[path] for path in asked])
        self._write_tables(arena, self.record_context, rows, self._record_at)
        wanted = {
            table: sum(len(given[table]) for given in (self._main, self._for_tasks, rows))
            for table in TABLES
            if table.stage is Stage.REACTIONS
        }
        self.array(arena, "wants_contacts")[...] = wanted.pop(CONTACTS)
        self.array(arena, "wants_reactions")[...] = len(self._main[BALANCES]) + sum(wanted.values())

    # ---- numbers that differ from run to run ------------------------------------------------------------------------

    @property
    def takes_variants(self) -> bool:
        """Whether `renumber` takes `Variants`."""
        return self._dynamics.takes_variants and not self._replaced

    def renumber(self, arena: np.ndarray, mechanism: Mechanism | Variants, paths: Iterable[str]) -> Any:
        """Put what follows from some numbers of a mechanism into an arena that has been written.

        Args:
            arena: The arena; for `Variants` (n, words), one for each.
            mechanism: The mechanism with other numbers.
            paths: All numbers in which it differs from the one that the arena was written for.

        Returns:
            Keep it as long as these words are used.
        """
        tree = mechanism.tree
        for name, value in self._numbers(tree).items():
            self.array(arena, name)[...] = value
        for frame in {name for path in paths for name in self._frames_of(path)}:
            self.array(arena, "frame")[..., self._frame_numbers[frame], :] = frame_words(fixed_frame(tree, frame))
        own = self._dynamics.constants(mechanism, self._connected)
        self.array(arena, "private")[..., own.at] = own.words
        if any(_is_pose(path) for path in paths):
            turned = self._dynamics.pose_constants(mechanism, self._connected)
            self.array(arena, "private")[..., turned.at] = turned.words
        return own.keep

    def _numbers(self, tree: Tree) -> dict[str, np.ndarray]:
        """Arrays that follow from numbers which may differ from run to run, beside `frame`; of a stack, stacks."""
        masses = fixed_masses(tree, self._replaced) | body_masses(tree)
        return numbers(tree) | masses | rotor_numbers(tree, self._may_be_rotors)

    def spans_of(self, path: str) -> list[tuple[int, int]]:
        """Where in an arena that lies which follows from a number: first words and lengths, in order."""
        numbered = self._mechanism.number_at(path)
        assert numbered is not None
        tree, kind, name = self._tree, numbered.kind, numbered.element
        numbered_frames = [self._frame_numbers[frame] for frame in self._frames_of(path)]
        found = [("frame", slice(number, number + 1)) for number in numbered_frames]
        if kind == "body" and _is_pose(path):
            link = 1 + int(self._mechanism.model.body_jntadr[numbered.row])
            found += [(array, slice(link, link + 1)) for array in ("offset_pos", "offset_quat")]
            found += self._spans_of_rotors(link)
        elif kind == "body":
            link = tree.bodies[name].link
            found += [(prefix + array, slice(link, link + 1)) for prefix in ("", "fixed_") for array in MASSES]
            body = list(tree.body_mass).index(name)
            found += [(array, slice(body, body + 1)) for array in ("body_mass", "body_inertia")]
            found += [(f"whole_{array}", slice(link, link + 1)) for array in MASSES]
            found += self._spans_of_rotors(link)
        elif kind == "joint":
            link = tree.joints.index(name)
            q, v = int(tree.q_at[link]), int(tree.v_at[link])
            freedoms = slice(v, v + V_SIZE[int(tree.kind[link])])
            found = {
                "damping": [("damping", freedoms), ("has_dampers", slice(0, 1))],
                "stiffness": [("stiffness", freedoms), ("has_springs", slice(0, 1))],
                "rest": [("rest", slice(q, q + 1))],
                "armature": [("armature", freedoms)],
                "friction": [],
            }[numbered.number.name]
        own = self._dynamics.constants(self._mechanism, self._connected).at
        if _is_pose(path):
            own = np.concatenate([own, self._dynamics.pose_constants(self._mechanism, self._connected).at])
        private = self._at["private"] + own
        return [self._span(array, where) for array, where in found] + [(int(at), 1) for at in private]

    def _spans_of_rotors(self, link: int) -> list[tuple[str, slice]]:
        """What of a link that may be a rotor, and of what carries it, follows from its mass properties and its pose."""
        if not self._may_be_rotors[link]:
            return []
        carrier = int(self._tree.parent[link])
        arrays = ("is_rotor", "spin_inertia", "seat", "seat_axis", "seat_inertia")
        own = [(array, slice(link, link + 1)) for array in arrays]
        return own + [(f"whole_{array}", slice(carrier, carrier + 1)) for array in MASSES]

    def _frames_of(self, path: str) -> list[str]:
        """The frames that follow from a number."""
        element, _, name = path.rpartition(".")
        if name == "r_CB_B":
            return [f"{element}.com"]
        return [f"{element.removesuffix('.site')}.site"] if name in ("r_SB_B", "q_SB") else []

    @cached_property
    def _frame_numbers(self) -> dict[str, int]:
        return frame_numbers(self._tree)

    def _span(self, name: str, where: slice) -> tuple[int, int]:
        """Rows of an array: first word and length."""
        shape = _ARRAYS[name][1]
        row = array_words(shape[1:], self._sizes)
        return self._at[name] + row * where.start, row * (where.stop - where.start)

    # ---- details -------------------------------------------------------------------------------------------------

    def _rows(self, ports: Iterable[tuple[MechanismPort, Any]]) -> Rows:
        rows: Rows = {table: [] for table in TABLES}
        for port, place in ports:
            for table in _SERVING[port.role]:
                rows[table] += table.rows(self._lookup, port, place)
        return rows

    def _counts(self, ports: Iterable[tuple[MechanismPort, Any]]) -> dict[Table, int]:
        """How many rows there would be."""
        counts = dict.fromkeys(TABLES, 0)
        for port, place in ports:
            for table in _SERVING[port.role]:
                counts[table] += table.count(self._lookup, port, place)
        return counts

    def _find_sizes(self) -> dict[str, int]:
        tree, lookup = self._tree, self._lookup
        return {
            "links": tree.links,
            "vehicles": len(tree.roots),
            "bodies": len(tree.body_mass),
            "nq": tree.nq,
            "nv": tree.nv,
            "integrated_links": len(self._integrated.links),
            "nq_integrated": len(self._integrated.q),
            "nv_integrated": len(self._integrated.v),
            "frames": frame_count(tree),
            "commands": int(self._mechanism.model.nu) if lookup.takes_commands else len(lookup.motors),
            "pairs": len(self._mechanism.contact_pairs),
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
            first = context + slot(table)
            ints[first : first + TABLE_WORDS] = len(rows[table]), WORD * (at - context)
            if rows[table]:
                encoded = table.encoded(rows[table], context).view(np.int64)
                ints[at : at + encoded.size] = encoded.ravel()


def _is_pose(path: str) -> bool:
    """Whether a number is of the pose of a body on a joint."""
    return path.endswith((".r_BP_P", ".q_BP"))
