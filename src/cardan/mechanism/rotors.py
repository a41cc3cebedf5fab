"""Rotors: balanced wheels at the ends of branches, whose angle matters to nothing but their own attitude.

A rotor turns about an axis of symmetry that goes through its centre of mass. Whatever its angle, what carries it feels
the same masses in the same places, and a service may count them among its own (docs/theory/recursive_tree.md).
"""

from functools import lru_cache, reduce

import numpy as np

from cardan.maths import dcm_from_quaternion
from cardan.mechanism.tree import HINGE, Tree

# [-] less imbalance than that, relative to the wheel's radius of gyration or inertia, is rounding
_ROUNDING = 1.0e-14


@lru_cache
def may_be_rotors(tree: Tree, replaced: frozenset[str] = frozenset()) -> np.ndarray:
    """(links,) Which links are rotors if their numbers make them balanced.

    A rotor is one body on one hinge, carried by another link. Neither's mass properties are an input.

    Args:
        tree: The tree.
        replaced: The bodies whose mass properties are an input.
    """
    links = np.arange(tree.links)
    bodies = np.bincount([frame.link for frame in tree.bodies.values()], minlength=tree.links)
    changes = np.isin(links, [tree.bodies[body].link for body in replaced])
    is_end = ~np.isin(links, tree.parent[1:])
    has_one_hinge = (tree.kind == HINGE) & (tree.parent > 0) & (bodies == 1)
    found = np.asarray(has_one_hinge & is_end & ~changes & ~changes[tree.parent])
    found.setflags(write=False)
    return found


def rotor_numbers(tree: Tree, candidates: np.ndarray) -> dict[str, np.ndarray]:
    """What follows from numbers of a mechanism about its rotors; of a stack of trees, stacks.

    Args:
        tree: The tree.
        candidates: (links,) Which links may be rotors.

    Returns:
        `is_rotor` (links,); `spin_inertia` (links,) [kg m^2] of rotors about their axes; in components of what carries
        them `seat` (links, 3) [m], their centres of mass, `seat_axis` (links, 3) [-] and `seat_inertia` (links, 3, 3)
        [kg m^2]; `whole_mass`, `whole_com` and `whole_inertia`, which are the mass properties of links together with
        the rotors that they carry.
    """
    stack = np.broadcast_shapes(tree.mass.shape, tree.com.shape[:-1], tree.offset_pos.shape[:-1])
    found: dict[str, np.ndarray] = {
        "is_rotor": np.zeros(stack, np.int64),
        "spin_inertia": np.zeros(stack),
        "seat": np.zeros((*stack, 3)),
        "seat_axis": np.zeros((*stack, 3)),
        "seat_inertia": np.zeros((*stack, 3, 3)),
        "whole_mass": np.array(np.broadcast_to(tree.mass, stack)),
        "whole_com": np.array(np.broadcast_to(tree.com, (*stack, 3))),
        "whole_inertia": np.array(np.broadcast_to(tree.inertia, (*stack, 3, 3))),
    }
    for carrier in sorted({int(tree.parent[link]) for link in np.flatnonzero(candidates)}):
        rotors = np.flatnonzero(candidates & (tree.parent == carrier))
        _carry(tree, carrier, rotors, found)
    return found


def _carry(tree: Tree, carrier: int, rotors: np.ndarray, found: dict[str, np.ndarray]) -> None:
    """Find which of some links are rotors, and add those to the link that carries them."""
    pieces = [(tree.mass[..., carrier], tree.com[..., carrier, :], tree.inertia[..., carrier, :, :])]
    any_rotor = np.zeros(found["is_rotor"].shape[:-1], bool)
    for link in rotors:
        mass, com, inertia = tree.mass[..., link], tree.com[..., link, :], tree.inertia[..., link, :, :]
        is_rotor, spin = _balance(mass, com - tree.anchor[link], inertia, tree.axis[link])
        found["is_rotor"][..., link] = is_rotor
        found["spin_inertia"][..., link] = np.where(is_rotor, spin, 0.0)
        any_rotor = any_rotor | is_rotor
        turn = dcm_from_quaternion(tree.offset_quat[..., link, :]).swapaxes(-1, -2)
        found["seat"][..., link, :] = place = tree.offset_pos[..., link, :] + _times(turn, com[..., None])[..., 0]
        found["seat_axis"][..., link, :] = _times(turn, tree.axis[link][:, None])[..., 0]
        found["seat_inertia"][..., link, :, :] = tensor = _times(_times(turn, inertia), turn.swapaxes(-1, -2))
        # what is not a rotor adds nothing
        pieces.append((np.where(is_rotor, mass, 0.0), place, np.where(is_rotor[..., None, None], tensor, 0.0)))
    # one after the other: of each of a stack as of one alone, to the bit
    whole_mass = reduce(np.add, [mass for mass, _, _ in pieces])
    moment = reduce(np.add, [mass[..., None] * at for mass, at, _ in pieces])
    whole_com = moment / np.where(any_rotor, whole_mass, 1.0)[..., None]
    whole_inertia = reduce(
        np.add, [tensor + mass[..., None, None] * _spread(at - whole_com) for mass, at, tensor in pieces]
    )
    for name, of_carrier, whole in (
        ("whole_mass", (..., carrier), whole_mass),
        ("whole_com", (..., carrier, slice(None)), whole_com),
        ("whole_inertia", (..., carrier, slice(None), slice(None)), whole_inertia),
    ):
        has_rotor = any_rotor.reshape(any_rotor.shape + (1,) * (whole.ndim - any_rotor.ndim))
        found[name][of_carrier] = np.where(has_rotor, whole, found[name][of_carrier])


def _balance(mass: np.ndarray, arm: np.ndarray, inertia: np.ndarray, axis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whether a wheel is balanced, and its inertia about the axis; `arm` leads from the axis to its centre of mass."""
    along = _times(inertia, axis[:, None])[..., 0]
    spin, trace = (along * axis).sum(axis=-1), np.trace(inertia, axis1=-2, axis2=-1)
    outwards = arm - (arm * axis).sum(axis=-1)[..., None] * axis
    across, about = 0.5 * (trace - spin), np.outer(axis, axis)
    even = spin[..., None, None] * about + across[..., None, None] * (np.eye(3) - about)
    is_centred = mass * (outwards * outwards).sum(axis=-1) <= _ROUNDING**2 * trace
    is_even = np.abs(inertia - even).max(axis=(-1, -2)) <= _ROUNDING * trace
    return is_centred & is_even & (mass > 0.0) & (spin > 0.0), spin


def _times(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A b, written out: of each of a stack as of one alone, to the bit."""
    return np.asarray(
        a[..., :, 0, None] * b[..., 0, None, :]
        + a[..., :, 1, None] * b[..., 1, None, :]
        + a[..., :, 2, None] * b[..., 2, None, :]
    )


def _spread(arm: np.ndarray) -> np.ndarray:
    """a.a 1 - a aT"""
    square = (arm * arm).sum(axis=-1)
    return np.asarray(square[..., None, None] * np.eye(3) - arm[..., :, None] * arm[..., None, :])
