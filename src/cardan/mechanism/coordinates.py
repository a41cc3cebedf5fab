"""The coordinates of a mechanism: which the integrator moves, what they are called, and where they begin."""

import math
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from cardan.contracts.fields import Declaration, FieldDeclaration
from cardan.contracts.message import message_declaration
from cardan.errors import (
    ImpossibleValue,
    SettingError,
    ShapeError,
    UnknownName,
    did_you_mean,
    told_apart,
    with_article,
)
from cardan.maths import quaternion_from_mrp
from cardan.mechanism.roles import Role
from cardan.mechanism.tree import BALL, FREE, HINGE, Q_SIZE, SLIDE, V_SIZE, Tree, is_disabled
from cardan.messages.mechanism import BallState, FrameMotion, HingeState, SlideState
from cardan.native.layout import Block, Field

if TYPE_CHECKING:
    from cardan.mechanism.mechanism import Mechanism
    from cardan.mechanism.ports import MechanismPort


LENGTH_TOLERANCE = 1.0e-6  # [-] how far from 1 the length of a quaternion may be that is given


class Fed(Protocol):
    """An input of a mechanism with what feeds it."""

    @property
    def port(self) -> "MechanismPort": ...


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


def integrated_links(tree: Tree, prescribed: Collection[str] = ()) -> np.ndarray:
    """(n, 3) The links whose joints the integrator moves, each with its place among `q` and among `v`."""
    rows, q, v = [], 0, 0
    for link in range(1, tree.links):
        if tree.joints[link] not in prescribed:
            kind = int(tree.kind[link])
            rows.append([link, q, v])
            q, v = q + Q_SIZE[kind], v + V_SIZE[kind]
    return np.array(rows, np.int64).reshape(-1, 3)


def integrated_coordinates(tree: Tree, inputs: Mapping[str, Fed]) -> Integrated:
    """What is left to the integrator by the given inputs."""
    fed = [given.port for given in inputs.values() if given.port.role is Role.PRESCRIBED]
    prescribed = frozenset(joint for port in fed for joint in port.elements)
    links = integrated_links(tree, prescribed)
    q = [int(tree.q_at[link]) + k for link in links[:, 0] for k in range(Q_SIZE[int(tree.kind[link])])]
    v = [int(tree.v_at[link]) + k for link in links[:, 0] for k in range(V_SIZE[int(tree.kind[link])])]
    return Integrated(links, np.array(q, np.int64), np.array(v, np.int64), prescribed)


def free_bodies(mechanism: "Mechanism") -> dict[str, int]:
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
    mechanism: "Mechanism", integrated: Integrated, states: dict[str, Any], start: Coordinates | None = None
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


def quaternions_in(tree: Tree, part: slice = slice(None)) -> list[tuple[str, int]]:
    """The joints that have a quaternion among their coordinates, each with where it begins in `q[part]`."""
    among = range(tree.nq)[part]
    places = [(tree.joints[i], int(tree.q_at[i]) + 3 * int(tree.kind[i] == FREE)) for i in range(1, tree.links)]
    chosen = np.isin(tree.kind[1:], (FREE, BALL))
    return [
        (name, at - among.start) for (name, at), is_one in zip(places, chosen, strict=True) if is_one and at in among
    ]


def check_quaternions(places: list[tuple[str, int]], q: np.ndarray) -> None:
    """Refuse coordinates whose quaternions, where `quaternions_in` says, are not of unit length, as messages do."""
    for name, at in places:
        length = math.hypot(*q[at : at + 4])
        if not abs(length - 1.0) <= LENGTH_TOLERANCE:
            raise ImpossibleValue(
                f"The quaternion of `{name}`, q[{at}:{at + 4}], must be of unit length.\n"
                f"  got a length of {length:.9g}\n  Divide it by its length."
            )


def started_with(tree: Tree, link: int, state: Any, name: str) -> Declaration:
    """The declaration of the message that a joint starts with, which `state` must be."""
    wanted: Any = {FREE: FrameMotion, BALL: BallState, SLIDE: SlideState, HINGE: HingeState}[int(tree.kind[link])]
    if type(state) is not wanted:
        told, got = told_apart(wanted, type(state))
        raise ShapeError(f"`{name}` starts with {with_article(told)}, got {got}.")
    return message_declaration(wanted)


def link_to_start(mechanism: "Mechanism", integrated: Integrated, name: str) -> int:
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


def check_limits(mechanism: "Mechanism", name: str, link: int, value: float) -> None:
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
