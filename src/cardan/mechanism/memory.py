"""A mechanism in the arena: which arrays there are, and how native code finds them.

The context of every native function of a mechanism is a row of words: the sizes, then for each array of `ARRAYS` how
many bytes further on it lies. Ports are tables of the same kind; an address in them is relative to the context too.
"""

from collections import namedtuple
from collections.abc import Collection
from typing import Any

import numpy as np
from numba import carray

from cardan.maths import IDENTITY3
from cardan.mechanism.tree import Q_SIZE, V_SIZE, Tree
from cardan.native.pointers import as_voidptr, load_int

SIZES = (
    "links",
    "vehicles",
    "nq",
    "nv",
    "integrated_links",
    "nq_integrated",
    "nv_integrated",
    "frame_outputs",
    "scalar_outputs",
    "momentum_outputs",
    "reaction_outputs",
    "balance_outputs",
    "wrench_inputs",
    "effort_inputs",
    "lock_inputs",
    "prescribed_inputs",
    "turn_inputs",
    "mass_inputs",
    "command_inputs",
    "motors",
    "private_words",
)

# name, kind, shape; numbers and names of sizes. What is marked `state` lies where the integrator has it.
ARRAYS: tuple[tuple[str, str, tuple[Any, ...]], ...] = (
    # what the integrator owns
    ("q", "state", ("nq_integrated",)),
    ("v", "state", ("nv_integrated",)),
    ("q_rate", "state", ("nq_integrated",)),
    ("v_rate", "state", ("nv_integrated",)),
    # the links whose coordinates it owns: link, where among `q` and among `v`; the others move as prescribed
    ("integrated", "int", ("integrated_links", 3)),
    # the tree, constant
    ("parent", "int", ("links",)),
    ("kind", "int", ("links",)),
    ("q_at", "int", ("links",)),
    ("v_at", "int", ("links",)),
    ("vehicle", "int", ("links",)),
    ("body_link", "int", ("links",)),
    ("roots", "int", ("vehicles",)),
    ("offset_pos", "float", ("links", 3)),
    ("offset_quat", "float", ("links", 4)),
    ("anchor", "float", ("links", 3)),
    ("axis", "float", ("links", 3)),
    ("reference", "float", ("nq",)),
    ("rest", "float", ("nq",)),
    ("armature", "float", ("nv",)),
    ("damping", "float", ("nv",)),
    ("stiffness", "float", ("nv",)),
    ("has_springs", "int", (1,)),
    ("has_dampers", "int", (1,)),
    ("wants_reactions", "int", (1,)),
    ("lock_time", "float", (1,)),
    # mass properties of the links as they are now, and of the links without what mass inputs replace
    ("mass", "float", ("links",)),
    ("com", "float", ("links", 3)),
    ("inertia", "float", ("links", 3, 3)),
    ("fixed_mass", "float", ("links",)),
    ("fixed_com", "float", ("links", 3)),
    ("fixed_inertia", "float", ("links", 3, 3)),
    # coordinates with prescribed motion put in
    ("q_now", "float", ("nq",)),
    ("v_now", "float", ("nv",)),
    # where vehicles are; all that follows is relative to these points and velocities
    ("origin_r", "float", ("vehicles", 3)),
    ("origin_v", "float", ("vehicles", 3)),
    # frames of the links: turn to inertial components, position, angular velocity, velocity; all inertial
    ("turn", "float", ("links", 3, 3)),
    ("r", "float", ("links", 3)),
    ("omega", "float", ("links", 3)),
    ("velocity", "float", ("links", 3)),
    ("anchor_now", "float", ("links", 3)),
    # forces on the links: torque about the vehicle's origin, force; efforts at joints
    ("wrench", "float", ("links", 6)),
    ("effort", "float", ("nv",)),
    # accelerations, those that are known, and what these need
    ("v_dot", "float", ("nv",)),
    ("is_known", "int", ("nv",)),
    ("known_acceleration", "float", ("nv",)),
    ("holding", "float", ("nv",)),
    # what is left to each freedom of the inertia that it moves once others give way; mass and trace of the inertia
    # about the vehicle's origin of each link with all beyond it, as if they were rigid
    ("divisor", "float", ("nv",)),
    ("carried", "float", ("links", 2)),
    ("reaction", "float", ("links", 6)),
    # ports: integers (addresses are bytes from the context) and numbers
    ("frame_out", "int", ("frame_outputs", 7)),
    ("frame_out_pose", "float", ("frame_outputs", 12)),
    ("scalar_out", "int", ("scalar_outputs", 3)),
    ("momentum_out", "int", ("momentum_outputs", 2)),
    ("reaction_out", "int", ("reaction_outputs", 4)),
    ("balance_out", "int", ("balance_outputs", 2)),
    ("wrench_in", "int", ("wrench_inputs", 5)),
    ("wrench_in_pose", "float", ("wrench_inputs", 12)),
    ("effort_in", "int", ("effort_inputs", 2)),
    ("lock_in", "int", ("lock_inputs", 4)),
    ("prescribed_in", "int", ("prescribed_inputs", 5)),
    ("turn_in", "int", ("turn_inputs", 5)),
    ("mass_in", "int", ("mass_inputs", 4)),
    ("mass_in_pose", "float", ("mass_inputs", 7)),
    ("command_in", "int", ("command_inputs", 2)),
    # actuators of the file, where the service leaves them to the plumbing
    ("command", "float", ("motors",)),
    ("motor", "int", ("motors", 4)),
    ("motor_law", "float", ("motors", 26)),
    ("motor_effort", "float", ("nv",)),
    ("motor_range", "float", ("nv", 2)),
    # the service's own
    ("private", "float", ("private_words",)),
)

_NAMES = [*SIZES, *(name for name, _, _ in ARRAYS)]
Slots: Any = namedtuple("Slots", _NAMES)  # type: ignore[misc]
S = Slots(*range(len(_NAMES)))
"""For each size and array its place in the context; native code knows these numbers when it is compiled."""


def size(context, slot):
    """Native code: one of the sizes."""
    return load_int(context + 8 * slot)


def at(context, slot):
    """Native code: the address of an array."""
    return context + load_int(context + 8 * slot)


def ints(context, slot, rows, columns):
    """Native code: a table of integers."""
    return carray(as_voidptr(at(context, slot)), (rows, columns), dtype=np.int64)


def floats(context, slot, rows, columns):
    """Native code: a table of numbers."""
    return carray(as_voidptr(at(context, slot)), (rows, columns), dtype=np.float64)


def array_words(shape: tuple[Any, ...], sizes: dict[str, int]) -> int:
    """How many words an array takes."""
    return int(np.prod([sizes[size] if isinstance(size, str) else size for size in shape], dtype=np.int64))


def integrated_links(tree: Tree, prescribed: Collection[str] = ()) -> np.ndarray:
    """(n, 3) The links whose joints the integrator moves, each with its place among `q` and among `v`."""
    rows, q, v = [], 0, 0
    for link in range(1, tree.links):
        if tree.joints[link] not in prescribed:
            kind = int(tree.kind[link])
            rows.append([link, q, v])
            q, v = q + Q_SIZE[kind], v + V_SIZE[kind]
    return np.array(rows, np.int64).reshape(-1, 3)


def constants(tree: Tree) -> dict[str, np.ndarray]:
    """The arrays that follow from the tree alone."""
    names = (
        "parent kind q_at v_at vehicle body_link roots offset_pos offset_quat anchor axis reference rest armature "
        "damping stiffness mass com inertia"
    )
    values = {name: getattr(tree, name) for name in names.split()}
    values["has_springs"] = np.array([int(tree.stiffness.any())])
    values["has_dampers"] = np.array([int(tree.damping.any())])

    # the world does not turn
    values["turn"] = np.zeros((tree.links, 3, 3))
    values["turn"][0] = IDENTITY3
    return values
