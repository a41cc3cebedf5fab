"""The arrays of a mechanism in the arena, and how native code finds them.

The context of every native function of a mechanism is a row of words: the sizes, then for each array of `ARRAYS` how
many bytes further on it lies, then two words for each table of ports (`kinds`).
"""

import math
from collections import namedtuple
from typing import Any

import numpy as np

from cardan.maths import IDENTITY3
from cardan.mechanism.tree import Tree
from cardan.native.pointers import load_int, store_float, store_int

SIZES = (
    "links",
    "vehicles",
    "bodies",
    "nq",
    "nv",
    "integrated_links",
    "nq_integrated",
    "nv_integrated",
    "commands",
    "frames",
    "pairs",
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
    ("wants_contacts", "int", (1,)),
    ("lock_time", "float", (1,)),
    # mass properties of the links as they are now, and of the links without what mass inputs replace
    ("mass", "float", ("links",)),
    ("com", "float", ("links", 3)),
    ("inertia", "float", ("links", 3, 3)),
    ("fixed_mass", "float", ("links",)),
    ("fixed_com", "float", ("links", 3)),
    ("fixed_inertia", "float", ("links", 3, 3)),
    # which links are rotors, their inertia about their axes, and in components of their carriers their centres of mass,
    # axes and inertia; mass properties of the links as they are now with the rotors that they carry
    # (`mechanism.rotors`)
    ("is_rotor", "int", ("links",)),
    ("spin_inertia", "float", ("links",)),
    ("seat", "float", ("links", 3)),
    ("seat_axis", "float", ("links", 3)),
    ("seat_inertia", "float", ("links", 3, 3)),
    ("whole_mass", "float", ("links",)),
    ("whole_com", "float", ("links", 3)),
    ("whole_inertia", "float", ("links", 3, 3)),
    # frames that are fixed to links, in the order of `Lookup.frames`: position in the link, then the turn that takes
    # components of the frame to those of the link
    ("frame", "float", ("frames", 12)),
    # the same of each body with mass, about its own centre of mass; not of those that mass inputs replace
    ("body_mass", "float", ("bodies",)),
    ("body_inertia", "float", ("bodies", 3, 3)),
    # coordinates with prescribed motion put in
    ("q_now", "float", ("nq",)),
    ("v_now", "float", ("nv",)),
    # where vehicles are; all that follows is relative to these points and velocities
    ("origin_r", "float", ("vehicles", 3)),
    ("origin_v", "float", ("vehicles", 3)),
    # frames of the links: turn to inertial components, position, angular velocity, velocity; all inertial. Those of
    # rotors are left out: `links.motion_of` finds them
    ("turn", "float", ("links", 3, 3)),
    ("r", "float", ("links", 3)),
    ("omega", "float", ("links", 3)),
    ("velocity", "float", ("links", 3)),
    ("anchor_now", "float", ("links", 3)),
    # forces on the links: torque about the vehicle's origin, force; efforts at joints
    ("wrench", "float", ("links", 6)),
    ("effort", "float", ("nv",)),
    # gravity on rotors, which acts on what carries them, if reactions are wanted
    ("weight", "float", ("links", 6)),
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
    # pairs whose contact is looked at: bodies and shapes of both sides (-1: any), and what was summed up of each
    ("pair", "int", ("pairs", 4)),
    ("pair_load", "float", ("pairs", 13)),
    # commands of the file's actuators, summed: those that the service computes, else those of the motors
    ("command", "float", ("commands",)),
    # what motors exert along each freedom, and between which limits
    ("motor_effort", "float", ("nv",)),
    ("motor_range", "float", ("nv", 2)),
    # the service's own
    ("private", "float", ("private_words",)),
)

_NAMES = [*SIZES, *(name for name, _, _ in ARRAYS)]
Slots: Any = namedtuple("Slots", _NAMES)  # type: ignore[misc]
S: Any = Slots(*range(len(_NAMES)))
"""For each size and array its place in the context; native code knows these numbers when it is compiled."""


def size(context, slot):
    """Native code: one of the sizes."""
    return load_int(context + 8 * slot)


def at(context, slot):
    """Native code: the address of an array."""
    return context + load_int(context + 8 * slot)


def set_known(context, index, acceleration):
    """Native code: give a freedom, by the bytes to its velocity, an acceleration that is known."""
    store_int(at(context, S.is_known) + index, 1)
    store_float(at(context, S.known_acceleration) + index, acceleration)


def unit4(q):
    """Native code: a quaternion of unit length."""
    w, x, y, z = q
    scale = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    return w * scale, x * scale, y * scale, z * scale


def clear(first, words):
    """Native code: zeros."""
    for i in range(words):
        store_float(first + 8 * i, 0.0)


def array_words(shape: tuple[Any, ...], sizes: dict[str, int]) -> int:
    """How many words an array takes."""
    return math.prod(sizes[size] if isinstance(size, str) else size for size in shape)


def constants(tree: Tree) -> dict[str, np.ndarray]:
    """The arrays that follow from the tree alone."""
    names = "parent kind q_at v_at vehicle body_link roots anchor axis reference"
    values = {name: getattr(tree, name) for name in names.split()} | numbers(tree)

    # the world does not turn
    values["turn"] = np.zeros((tree.links, 3, 3))
    values["turn"][0] = IDENTITY3
    return values


MASSES = ("mass", "com", "inertia")


def numbers(tree: Tree) -> dict[str, np.ndarray]:
    """Those of them that may differ from run to run; of a stack of trees, stacks."""
    names = ("rest", "armature", "damping", "stiffness", "offset_pos", "offset_quat", *MASSES)
    values = {name: getattr(tree, name) for name in names}
    values["has_springs"] = tree.stiffness.any(axis=-1, keepdims=True).astype(np.int64)
    values["has_dampers"] = tree.damping.any(axis=-1, keepdims=True).astype(np.int64)
    return values
