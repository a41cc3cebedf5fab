"""A mechanism in the arena of a run: its coordinates, its ports, and the contexts of its dynamics service."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cardan.contracts.dynamics import Binding, Dynamics, unsupported_text
from cardan.contracts.fields import Declaration, FieldDeclaration
from cardan.contracts.message import message_declaration
from cardan.errors import (
    SettingError,
    ShapeError,
    UnknownName,
    UnsupportedByDynamics,
    did_you_mean,
    told_apart,
    with_article,
)
from cardan.maths import dcm_from_quaternion, quaternion_from_mrp
from cardan.mechanism import Mechanism
from cardan.mechanism.memory import ARRAYS, SIZES, array_words, constants, integrated_links
from cardan.mechanism.motors import effort_range, motor_rows, moves_without_command
from cardan.mechanism.plumbing import INERTIAL, OWN
from cardan.mechanism.ports import MechanismPort, Role
from cardan.mechanism.tree import BALL, FREE, HINGE, Q_SIZE, SLIDE, V_SIZE, Frame, Tree, compose, is_disabled, lump
from cardan.messages.mechanism import BallState, FrameMotion, HingeState, PrescribedMotion, SlideState
from cardan.native.layout import LINE, Block, Field
from cardan.scenario.scenario import MechanismInput

# arrays that describe output ports: the recorder has its own
_OUTPUT_TABLES = ("frame_out", "frame_out_pose", "scalar_out", "momentum_out", "reaction_out")
_OUTPUT_SIZES = ("frame_outputs", "scalar_outputs", "momentum_outputs", "reaction_outputs")


class Coordinates(NamedTuple):
    """The coordinates and velocities of a mechanism that are integrated, as one state."""

    q: Any
    v: Any


class Integrated(NamedTuple):
    """Which coordinates of a mechanism the integrator moves: all but those of prescribed joints.

    Attributes:
        links: (n, 3) Links, each with its place among the integrated coordinates and velocities.
        q: Which coordinates these are, in order.
        v: Which velocities.
        prescribed: The names of the joints that move as given.
    """

    links: np.ndarray
    q: np.ndarray
    v: np.ndarray
    prescribed: frozenset[str]


def integrated_coordinates(tree: Tree, inputs: dict[str, MechanismInput]) -> Integrated:
    """What is left to the integrator by the given inputs."""
    fed = [given.port for given in inputs.values() if given.port.role is Role.PRESCRIBED]
    prescribed = frozenset(joint for port in fed for joint in port.elements)
    links = integrated_links(tree, prescribed)
    q = [int(tree.q_at[link]) + k for link in links[:, 0] for k in range(Q_SIZE[int(tree.kind[link])])]
    v = [int(tree.v_at[link]) + k for link in links[:, 0] for k in range(V_SIZE[int(tree.kind[link])])]
    return Integrated(links, np.array(q, np.int64), np.array(v, np.int64), prescribed)


def check_supported(dynamics: Dynamics, mechanism: Mechanism, inputs: dict[str, MechanismInput]) -> None:
    """Raise with the complete list of what the service cannot do."""
    missing = dynamics.unsupported(mechanism, input_kinds(inputs))
    if missing:
        raise UnsupportedByDynamics(
            f"{dynamics.name} cannot run the mechanism `{mechanism.name}`:\n{unsupported_text(missing)}"
        )


def input_kinds(inputs: dict[str, MechanismInput]) -> frozenset[str]:
    """What kinds of input are connected, and to which element: "lock", and "lock hinge"."""
    kinds: set[str] = set()
    for fed in inputs.values():
        # to a service, locks of a group are so many locks
        role = Role.LOCK if fed.port.role is Role.LOCKS else fed.port.role
        kinds |= {role.value, *(f"{role.value} {element}" for element in fed.port.elements)}
    return frozenset(kinds)


def output_ports(mechanism: Mechanism) -> dict[str, MechanismPort]:
    """Every output that a mechanism has, by path; groups are not among them."""
    ports: list[MechanismPort] = []
    tree = mechanism.tree
    for body in mechanism.bodies.values():
        ports += [body.motion, body.matrix, body.com.motion, body.com.matrix]
        if tree.bodies[body.name].link > 0:
            ports.append(body.momentum)
        if mechanism.flies_freely(body.name):
            ports.append(body.quaternion)
    for site in mechanism.sites.values():
        ports += [site.motion, site.matrix]
    for joint in mechanism.joints.values():
        if joint.kind != FREE:
            ports += [joint.state, joint.reaction]
            ports.append(joint.holding)
    ports += [body.holding for body in mechanism.bodies.values() if mechanism.carriage(body.name)]
    return {port.path: port for port in ports}


def default_paths(mechanism: Mechanism) -> list[str]:
    """What is recorded by default: motion of bodies that fly freely, and states of joints."""
    bodies = [mechanism.bodies[name].motion.path for name in free_bodies(mechanism)]
    return bodies + [joint.state.path for joint in mechanism.joints.values() if joint.kind != FREE]


def free_bodies(mechanism: Mechanism) -> dict[str, int]:
    """The bodies that fly freely, by name, with their links."""
    tree, model = mechanism.tree, mechanism.model
    links = [link for link in range(1, tree.links) if tree.kind[link] == FREE]
    return {model.body(int(model.jnt_bodyid[link - 1])).name: link for link in links}


def coordinate_fields(tree: Tree, integrated: Integrated) -> list[tuple[str, int, FieldDeclaration]]:
    """The continuous state by name: path, first place among the integrated (q, v), declaration."""
    fields = []
    for link, q_place, v_place in integrated.links:
        name, q, v = tree.joints[link], int(q_place), len(integrated.q) + int(v_place)
        for field, unit, start, words, is_position in {
            FREE: [
                ("r_BN_N", "m", q, 3, True),
                ("q_BN", "-", q + 3, 4, True),
                ("v_BN_N", "m/s", v, 3, False),
                ("omega_BN_B", "rad/s", v + 3, 3, False),
            ],
            BALL: [("q_CP", "-", q, 4, True), ("omega_CP_C", "rad/s", v, 3, False)],
            SLIDE: [("displacement", "m", q, 1, True), ("rate", "m/s", v, 1, False)],
            HINGE: [("angle", "rad", q, 1, True), ("rate", "rad/s", v, 1, False)],
        }[int(tree.kind[link])]:
            shape = (words,) if words > 1 else ()
            declared = FieldDeclaration(Field(field, "float", shape, (False,) * len(shape)), unit, "", is_position)
            fields.append((f"{name}.{field}", start, declared))
    return fields


def coordinates_block(integrated: Integrated) -> Block:
    sizes = {"q": len(integrated.q), "v": len(integrated.v)}
    return Block(Coordinates, tuple(Field(name, "float", (words,), (False,)) for name, words in sizes.items()))


def initial_coordinates(
    mechanism: Mechanism, integrated: Integrated, states: dict[str, Any], start: Coordinates | None = None
) -> Coordinates:
    """Coordinates with the given elements at the given states, the others as in `start` or as the file has them."""
    tree = mechanism.tree
    q, v = np.array(tree.reference), np.zeros(tree.nv)
    if start is not None:
        q[integrated.q], v[integrated.v] = start.q, start.v
    for name, state in states.items():
        link = link_to_start(mechanism, integrated, name)
        kind, q_at, v_at = int(tree.kind[link]), int(tree.q_at[link]), int(tree.v_at[link])
        taken = started_with(tree, link, state, name).take(state, f"{name} (start)")
        values = [np.atleast_1d(np.asarray(value, float)) for value in taken]
        if kind == FREE:
            q[q_at : q_at + 7] = [*values[0], *quaternion_from_mrp(values[2])]
            v[v_at : v_at + 6] = [*values[1], *values[3]]
        else:
            q[q_at : q_at + Q_SIZE[kind]] = values[0]
            v[v_at : v_at + V_SIZE[kind]] = values[1]
        check_limits(mechanism, name, link, float(q[q_at]))
    return Coordinates(q[integrated.q], v[integrated.v])


def started_with(tree: Tree, link: int, state: Any, name: str) -> Declaration:
    """The declaration of the message that a joint starts with, which `state` must be."""
    wanted: Any = {FREE: FrameMotion, BALL: BallState, SLIDE: SlideState, HINGE: HingeState}[int(tree.kind[link])]
    if type(state) is not wanted:
        told, got = told_apart(wanted, type(state))
        raise ShapeError(f"`{name}` starts with {with_article(told)}, got {got}.")
    return message_declaration(wanted)


def link_to_start(mechanism: Mechanism, integrated: Integrated, name: str) -> int:
    """The link of a joint, or of a body that flies freely, which may be given a state."""
    tree, flying = mechanism.tree, free_bodies(mechanism)
    if name in flying or (name in tree.joints and name):
        link = tree.joints.index(name) if name in tree.joints else flying[name]
        if tree.joints[link] in integrated.prescribed:
            raise SettingError(
                f"`{name}` moves as prescribed, so it cannot be given a state.\n"
                "  Let the prescribed motion begin there instead."
            )
        return link
    known = [*flying, *tree.joints[1:]]
    raise UnknownName(
        f"`{name}` is neither a joint nor a body that flies freely.{did_you_mean(name, known)}\n"
        f"  These can be given a state: {', '.join(known)}"
    )


def check_limits(mechanism: Mechanism, name: str, link: int, value: float) -> None:
    """Raise if a hinge or slide would start at `value` [rad or m], beyond its limits."""
    model, tree = mechanism.model, mechanism.tree
    joint = link - 1
    if not model.jnt_limited[joint] or is_disabled(model, "LIMIT") or tree.kind[link] not in (HINGE, SLIDE):
        return
    low, high = model.jnt_range[joint]
    if not low - 1e-9 <= value <= high + 1e-9:
        raise SettingError(
            f"`{name}` starts at {value:.6g}, beyond its limits {low:.6g} and {high:.6g}.\n  Start it within them."
        )


class MechanismMemory:
    """Where everything of a mechanism lies; made by `Program`, which reserves the words.

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
        inputs: dict[str, MechanismInput],
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
        self._binding = dynamics.bind(mechanism, input_kinds(inputs))
        self._private = self._binding.words
        self._lock_time = dynamics.lock_time_constant
        self._balances = balances
        self._integrated = integrated
        nq = len(integrated.q)
        self._fixed = {"q": state_at, "v": state_at + nq, "q_rate": rates_at, "v_rate": rates_at + nq}
        self._reserve = reserve

    def lay_out(
        self,
        ports: dict[str, tuple[MechanismPort, Any]],
        for_models: Iterable[str],
        for_tasks: Iterable[str],
        sources: dict[str, list[Any]],
    ) -> None:
        """Reserve all arrays, once ports have their places.

        Args:
            ports: Every output port with its place.
            for_models: The paths of those that models read, at every stage.
            for_tasks: The paths of those that only tasks read, at ticks.
            sources: For each input the places of the messages that feed it.
        """
        self._ports = ports
        self._centres = {
            fed.port.elements[0]: sources[path][0].word("r_CB_B")
            for path, fed in self._inputs.items()
            if fed.port.role is Role.MASS_PROPERTIES
        }
        self._main = self._tables([ports[path] for path in for_models])
        self._for_tasks = self._tables([ports[path] for path in for_tasks])
        self._given = self._input_tables(sources)
        # the recorder's tables have room for everything
        self._room = {name: len(table) for name, table in self._tables(list(ports.values())).items()}
        self._at: dict[str, int] = {}
        self.context = self._reserve(len(SIZES) + len(ARRAYS))
        self.task_context = self._reserve(len(SIZES) + len(ARRAYS))
        self.record_context = self._reserve(len(SIZES) + len(ARRAYS))
        sizes = self._sizes(self._main)
        for name, kind, shape in ARRAYS:
            if name == "private":
                self._reserve(-self._reserve(0) % LINE)
            self._at[name] = self._fixed[name] if kind == "state" else self._reserve(array_words(shape, sizes))
        self._task_at = {name: self._reserve(len(self._for_tasks[name]) * _columns(name)) for name in _OUTPUT_TABLES}
        self._record_at = {name: self._reserve(self._room[name] * _columns(name)) for name in _OUTPUT_TABLES}

    def array(self, arena: np.ndarray, name: str) -> np.ndarray:
        """One of the arrays of `cardan.mechanism.memory` in an arena."""
        kind, shape = next((kind, shape) for array, kind, shape in ARRAYS if array == name)
        sizes = self._sizes(self._main)
        extent = [sizes[n] if isinstance(n, str) else n for n in shape]
        at = self._at[name]
        words = (arena.view(np.int64) if kind == "int" else arena)[at : at + array_words(shape, sizes)]
        return words.reshape(extent)

    @property
    def _balance_table(self) -> dict[str, np.ndarray]:
        return {"balance_out": np.array(list(enumerate(self._balances)), np.int64).reshape(-1, 2)}

    def write(self, arena: np.ndarray) -> None:
        """Put constants, tables and contexts into an arena."""
        sizes = self._sizes(self._main)
        self._write_context(arena, self.context, sizes, self._at)
        tree_values = constants(self._tree)
        for name, values in tree_values.items():
            self._put(arena, name, self._at[name], values)
        self._put(arena, "lock_time", self._at["lock_time"], np.array([self._lock_time]))
        self._put(arena, "integrated", self._at["integrated"], self._integrated.links)
        self._put(arena, "private", self._at["private"], self._private)
        self._write_fixed_masses(arena)
        tables = self._main | self._given | self._balance_table | self._motor_tables
        for name, table in self._relative(tables, self.context).items():
            self._put(arena, name, self._at[name], table)
        self._write_outputs(arena, self.task_context, self._for_tasks, self._task_at)
        self.record(arena, [])

    def bind(self, arena: np.ndarray) -> Binding:
        """Give an arena memory of the service's that is its own; to be kept as long as the arena is used."""
        binding = self._dynamics.bind(self._mechanism, input_kinds(self._inputs))
        self._put(arena, "private", self._at["private"], binding.words)
        return binding

    def record(self, arena: np.ndarray, paths: Iterable[str]) -> None:
        """Let the recorder's tables name the ports that this run records beyond those that parts read."""
        tables = self._tables([self._ports[path] for path in paths])
        self._write_outputs(arena, self.record_context, tables, self._record_at)
        wanted = sum(len(table["reaction_out"]) for table in (self._main, self._for_tasks, tables))
        wanted += len(self._balances)
        self._put(arena, "wants_reactions", self._at["wants_reactions"], np.array([wanted]))

    def _write_outputs(
        self, arena: np.ndarray, context: int, tables: dict[str, np.ndarray], places: dict[str, int]
    ) -> None:
        """A context that shares all arrays but has output tables of its own."""
        at = self._at | places
        self._write_context(arena, context, self._sizes(tables), at)
        for name, table in self._relative(tables, context).items():
            self._put(arena, name, at[name], table)

    # ---- tables --------------------------------------------------------------------------------------------------

    def _sizes(self, outputs: dict[str, np.ndarray]) -> dict[str, int]:
        tree = self._tree
        return {
            "links": tree.links,
            "vehicles": len(tree.roots),
            "nq": tree.nq,
            "nv": tree.nv,
            "integrated_links": len(self._integrated.links),
            "nq_integrated": len(self._integrated.q),
            "nv_integrated": len(self._integrated.v),
            "frame_outputs": len(outputs["frame_out"]),
            "scalar_outputs": len(outputs["scalar_out"]),
            "momentum_outputs": len(outputs["momentum_out"]),
            "reaction_outputs": len(outputs["reaction_out"]),
            "balance_outputs": len(self._balances),
            "wrench_inputs": len(self._given["wrench_in"]),
            "effort_inputs": len(self._given["effort_in"]),
            "lock_inputs": len(self._given["lock_in"]),
            "prescribed_inputs": len(self._given["prescribed_in"]),
            "turn_inputs": len(self._given["turn_in"]),
            "mass_inputs": len(self._given["mass_in"]),
            "command_inputs": len(self._given["command_in"]),
            "motors": len(self._motors),
            "private_words": len(self._private),
        }

    def _tables(self, ports: list[tuple[MechanismPort, Any]]) -> dict[str, np.ndarray]:
        """Rows for output ports; addresses are words for now."""
        frames: list[list[int]] = []
        poses: list[np.ndarray] = []
        scalars: list[list[int]] = []
        momenta: list[list[int]] = []
        reactions: list[list[int]] = []
        for port, place in ports:
            words = {f.name: place.at + w.start for f, w in zip(place.block.fields, place.block.slices, strict=True)}
            if port.role in (Role.MOTION, Role.MATRIX, Role.POSITIONS):
                for i, element in enumerate(port.elements):
                    frame, centre = self._located(f"{element}.com" if port.role is Role.POSITIONS else element)
                    columns = ("r_BN_N", "v_BN_N", "sigma_BN", "omega_BN_B", "dcm_BN")
                    step = 3 * i if port.role is Role.POSITIONS else 0
                    frames.append([frame.link, *(words[c] + step if c in words else 0 for c in columns), centre])
                    poses.append(_pose(frame))
            elif port.role in (Role.STATE, Role.STATES):
                for i, element in enumerate(port.elements):
                    scalars += self._joint_rows(element, list(words.values()), i if port.role is Role.STATES else 0)
            elif port.role is Role.QUATERNION:
                q_at = int(self._tree.q_at[free_bodies(self._mechanism)[port.elements[0]]]) + 3
                scalars += [[0, q_at + k, words["q_BN"] + k] for k in range(4)]
            elif port.role is Role.MOMENTUM:
                vehicle = int(self._tree.vehicle[self._tree.bodies[port.elements[0]].link])
                momenta.append([vehicle, place.at])
            elif port.role is Role.REACTION:
                reactions.append([0, self._link(port.elements[0]), words["force_B"], words["torque_B"]])
            elif port.role is Role.HOLDING:
                freedoms = [v for joint in port.elements for v in self._velocities(joint)]
                reactions += [[1, v, place.at + k, 0] for k, v in enumerate(freedoms)]
        return {
            "frame_out": np.array(frames, np.int64).reshape(-1, 7),
            "frame_out_pose": np.array(poses).reshape(-1, 12),
            "scalar_out": np.array(scalars, np.int64).reshape(-1, 3),
            "momentum_out": np.array(momenta, np.int64).reshape(-1, 2),
            "reaction_out": np.array(reactions, np.int64).reshape(-1, 4),
        }

    def _joint_rows(self, joint: str, words: list[int], element: int) -> list[list[int]]:
        """Which coordinate and velocity go where."""
        link = self._link(joint)
        kind = int(self._tree.kind[link])
        q_at, v_at = int(self._tree.q_at[link]), int(self._tree.v_at[link])
        first, second = words
        rows = [[0, q_at + k, first + element + k] for k in range(Q_SIZE[kind])]
        return rows + [[1, v_at + k, second + element + k] for k in range(V_SIZE[kind])]

    def _input_tables(self, sources: dict[str, list[Any]]) -> dict[str, np.ndarray]:
        """Rows for input ports; addresses are words for now."""
        rows: dict[str, list[Any]] = {name: [] for name in _INPUT_COLUMNS}
        for path, fed in self._inputs.items():
            for place in sources[path]:
                self._add_input(rows, fed.port, place)
        return {
            name: np.array(rows[name], _dtype(name)).reshape(-1, columns) for name, columns in _INPUT_COLUMNS.items()
        }

    def _add_input(self, rows: dict[str, list[Any]], port: MechanismPort, place: Any) -> None:
        words = [place.at + where.start for where in place.block.slices]
        tree = self._tree
        if port.role in (Role.WRENCH, Role.WRENCH_N):
            frame, centre = self._located(port.elements[0])
            components = OWN if port.role is Role.WRENCH else INERTIAL
            rows["wrench_in"].append([frame.link, words[0], words[1], components, centre])
            rows["wrench_in_pose"].append(_pose(frame))
        elif port.role is Role.FORCES_N:
            for i, body in enumerate(port.elements):
                frame, centre = self._located(f"{body}.com")
                rows["wrench_in"].append([frame.link, words[0] + 3 * i, 0, INERTIAL, centre])
                rows["wrench_in_pose"].append(_pose(frame))
        elif port.role in (Role.EFFORT, Role.EFFORTS):
            for i, joint in enumerate(port.elements):
                link = self._link(joint)
                for k in range(V_SIZE[int(tree.kind[link])]):
                    rows["effort_in"].append([int(tree.v_at[link]) + k, words[0] + i + k])
        elif port.role is Role.COMMAND:
            rows["command_in"].append([self._command_place(port.elements[0]), words[0]])
        elif port.role in (Role.LOCK, Role.LOCKS):
            # a flag is any word that is not zero: an integer in a single lock, a number in several
            for i, joint in enumerate(port.elements):
                link = self._link(joint)
                rows["lock_in"].append([int(tree.q_at[link]), int(tree.v_at[link]), words[0] + i, words[1] + i])
        elif port.role is Role.PRESCRIBED:
            self._add_prescribed(rows, port, words)
        else:
            frame = tree.bodies[port.elements[0]]
            rows["mass_in"].append([frame.link, *words])
            rows["mass_in_pose"].append(np.concatenate([frame.pos, frame.quat]))

    def _add_prescribed(self, rows: dict[str, list[Any]], port: MechanismPort, words: list[int]) -> None:
        """A joint takes value, rate and acceleration; a carriage these for its slides, and then for its turn."""
        places = [(int(self._tree.q_at[link]), int(self._tree.v_at[link])) for link in map(self._link, port.elements)]
        if port.message is PrescribedMotion:
            for k, place in enumerate(places[:3]):
                rows["prescribed_in"].append([*place, *(word + k for word in words[:3])])
            words = words[3:]
        is_turn = self._tree.kind[self._link(port.elements[-1])] == BALL
        rows["turn_in" if is_turn else "prescribed_in"].append([*places[-1], *words])

    def _velocities(self, joint: str) -> range:
        link = self._link(joint)
        first = int(self._tree.v_at[link])
        return range(first, first + V_SIZE[int(self._tree.kind[link])])

    def _command_place(self, actuator: str) -> int:
        """Where the service, or the plumbing for it, expects the command of an actuator."""
        model = self._mechanism.model
        if self._binding.takes_commands:
            return int(model.actuator_ctrladr[model.actuator(actuator).id])
        return self._motors.index(model.actuator(actuator).id)

    @cached_property
    def _motors(self) -> list[int]:
        """The actuators that the plumbing drives: those with a command, and those that act without one."""
        if self._binding.takes_commands:
            return []
        model = self._mechanism.model
        commanded = {fed.port.elements[0] for fed in self._inputs.values() if fed.port.role is Role.COMMAND}
        actuators = [model.actuator(i) for i in range(model.nactuator)]
        return [i for i, a in enumerate(actuators) if a.name in commanded or moves_without_command(model, i)]

    @property
    def _motor_tables(self) -> dict[str, np.ndarray]:
        model = self._mechanism.model
        rows = [motor_rows(model, self._tree, i) for i in self._motors]
        return {
            "motor": np.array([row for row, _ in rows], np.int64).reshape(-1, 4),
            "motor_law": np.array([law for _, law in rows]).reshape(-1, 26),
            "motor_range": effort_range(model),
        }

    def _located(self, name: str) -> tuple[Frame, int]:
        """The frame of a body, a body's centre of mass, or a site; and the word of a centre that moves within it."""
        tree = self._tree
        if name in tree.bodies:
            return tree.bodies[name], 0
        site = name.removesuffix(".site")
        if site in tree.sites:
            return tree.sites[site], 0
        body = name.removesuffix(".com")
        if body in self._centres:
            return tree.bodies[body], self._centres[body]
        return compose(tree.bodies[body], tree.body_mass[body][1], np.array([1.0, 0.0, 0.0, 0.0])), 0

    def _link(self, joint: str) -> int:
        return self._tree.joints.index(joint)

    # ---- writing -------------------------------------------------------------------------------------------------

    def _relative(self, tables: dict[str, np.ndarray], context: int) -> dict[str, np.ndarray]:
        """The tables with addresses in bytes from the context; a zero stays: it means nowhere."""
        relative = {}
        for name, table in tables.items():
            columns = _ADDRESS_COLUMNS.get(name)
            if columns is not None and len(table):
                table = table.copy()
                addresses = table[:, columns]
                table[:, columns] = np.where(addresses == 0, 0, 8 * (addresses - context))
            relative[name] = table
        return relative

    def _write_context(self, arena: np.ndarray, context: int, sizes: dict[str, int], at: dict[str, int]) -> None:
        words = [sizes[name] for name in SIZES] + [8 * (at[name] - context) for name, _, _ in ARRAYS]
        arena.view(np.int64)[context : context + len(words)] = words

    def _put(self, arena: np.ndarray, name: str, at: int, values: np.ndarray) -> None:
        target = arena.view(np.int64) if _dtype(name) is np.int64 else arena
        target[at : at + values.size] = values.ravel()

    def _write_fixed_masses(self, arena: np.ndarray) -> None:
        """Mass properties of the links without the bodies whose mass properties are an input."""
        tree = self._tree
        replaced = {fed.port.elements[0] for fed in self._inputs.values() if fed.port.role is Role.MASS_PROPERTIES}
        mass, com, inertia = np.array(tree.mass), np.array(tree.com), np.array(tree.inertia)
        for link in {tree.bodies[body].link for body in replaced}:
            pieces = []
            for body, frame in tree.bodies.items():
                if frame.link == link and body not in replaced and body in tree.body_mass:
                    own, at, tensor = tree.body_mass[body]
                    turn = _turn(frame)
                    pieces.append((own, frame.pos + turn @ at, turn @ tensor @ turn.T))
            mass[link], com[link], inertia[link] = lump(pieces)
        for name, values in (("fixed_mass", mass), ("fixed_com", com), ("fixed_inertia", inertia)):
            self._put(arena, name, self._at[name], values)


_INPUT_COLUMNS = {
    "wrench_in": 5, "wrench_in_pose": 12, "effort_in": 2, "lock_in": 4, "prescribed_in": 5, "turn_in": 5, "mass_in": 4,
    "mass_in_pose": 7, "command_in": 2,
}  # fmt: skip

# which columns of a table are addresses
_ADDRESS_COLUMNS: dict[str, Any] = {
    "frame_out": slice(1, 7), "scalar_out": slice(2, 3), "momentum_out": slice(1, 2), "reaction_out": slice(2, 4),
    "balance_out": slice(1, 2), "wrench_in": [1, 2, 4], "effort_in": slice(1, 2), "lock_in": slice(2, 4),
    "prescribed_in": slice(2, 5), "turn_in": slice(2, 5),
    "mass_in": slice(1, 4), "command_in": slice(1, 2),
}  # fmt: skip


def _columns(name: str) -> int:
    return int(next(shape for array, _, shape in ARRAYS if array == name)[1])


def _dtype(name: str) -> Any:
    return np.int64 if next(kind for array, kind, _ in ARRAYS if array == name) == "int" else np.float64


def _pose(frame: Frame) -> np.ndarray:
    """Position and turn of a frame in its link."""
    return np.concatenate([frame.pos, _turn(frame).ravel()])


def _turn(frame: Frame) -> np.ndarray:
    return dcm_from_quaternion(frame.quat).T
