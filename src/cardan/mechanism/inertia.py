"""The inertia of a mechanism at one configuration, in plain NumPy: for what is asked once, not at every stage."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cardan.maths import dcm_from_quaternion, normalized_quaternion, tilde
from cardan.mechanism.plumbing.regularity import LEAST
from cardan.mechanism.tree import BALL, FREE, HINGE, V_SIZE, Tree

SHARE = 0.1  # [-] how much of the most a joint must move to take part in a motion


class Inertia(NamedTuple):
    """The inertia of a mechanism at one configuration (docs/theory/recursive_tree.md).

    Attributes:
        matrix: (nv, nv) What takes accelerations to efforts: Eq. (16).
        moved: (nv,) How large the numbers are from which the inertia of each freedom comes: Eq. (17).
    """

    matrix: np.ndarray
    moved: np.ndarray


def inertia_at(tree: Tree, q: np.ndarray, mass: np.ndarray, com: np.ndarray, inertia: np.ndarray) -> Inertia:
    """The inertia of a mechanism.

    Args:
        tree: The mechanism.
        q: (nq,) Coordinates.
        mass: (links,) [kg]
        com: (links, 3) [m] In the link's components.
        inertia: (links, 3, 3) [kg m^2] About the centre of mass, in the link's components.
    """
    turns, places = np.tile(np.eye(3), (tree.links, 1, 1)), np.zeros((tree.links, 3))
    columns, arms = np.zeros((tree.nv, 6)), np.zeros(tree.nv)
    moved_by: list[list[int]] = [[]]  # which freedoms move each link
    matrix, moved = np.diag(np.asarray(tree.armature, float)), np.array(tree.armature, float)
    for link in range(1, tree.links):
        _place(tree, link, q, turns, places, columns, arms)
        first = int(tree.v_at[link])
        own = list(range(first, first + V_SIZE[int(tree.kind[link])]))
        moved_by.append(moved_by[int(tree.parent[link])] + own)
        if mass[link] != 0.0 or inertia[link].any():
            turn, among = turns[link], moved_by[link]
            centre = tilde(places[link] + turn @ com[link])
            rigid = np.zeros((6, 6))
            rigid[:3, :3] = turn @ inertia[link] @ turn.T - mass[link] * centre @ centre
            rigid[:3, 3:], rigid[3:, :3] = mass[link] * centre, -mass[link] * centre
            rigid[3:, 3:] = mass[link] * np.eye(3)
            matrix[np.ix_(among, among)] += columns[among] @ rigid @ columns[among].T
            turning = columns[among, :3].any(axis=1)
            moved[among] += np.where(turning, np.trace(rigid[:3, :3]) + 2.0 * mass[link] * arms[among], mass[link])
    return Inertia(matrix, moved)


def least_inertia(tree: Tree, inertia: Inertia, is_known: np.ndarray) -> tuple[float, list[str]]:
    """[-] The least inertia that any motion meets, relative to what its joints move alone, and these joints.

    Args:
        tree: The mechanism.
        inertia: Its inertia.
        is_known: (nv,) Which accelerations are known: of locked and prescribed joints.
    """
    unknown = np.flatnonzero(~is_known)
    # a freedom that moves nothing at all has a row of zeros
    scale = np.sqrt(np.where(inertia.moved > 0.0, inertia.moved, 1.0))[unknown]
    values, shapes = np.linalg.eigh(inertia.matrix[np.ix_(unknown, unknown)] / np.outer(scale, scale))
    least = max(float(values[0]), 0.0)
    shares = np.abs(shapes[:, values <= max(10.0 * least, LEAST)])
    taking = (shares > SHARE * shares.max(axis=0)).any(axis=1)
    return least, list(dict.fromkeys(joint_of(tree, index) for index in unknown[taking]))


def singular_text(joints: Sequence[str], least: float, where: str, service: str) -> str:
    """What `SingularMechanism` says."""
    return (
        f"The inertia behind {listed(joints)} is singular {where}.\n"
        f"  In one direction {least:.1g} of it is left; below {LEAST:g}, rounding decides what `{service}` finds.\n"
        "  Two joints with one axis do this, a joint that carries no inertia, and masses that differ by as much.\n"
        "  Leave one joint out, lock or prescribe it, give it an armature, or give what lies between them inertia."
    )


def joint_of(tree: Tree, index: int) -> str:
    """The name of the joint that a velocity belongs to."""
    return tree.joints[int(np.searchsorted(tree.v_at[1:], index, side="right"))]


def listed(names: Sequence[str], most: int = 8) -> str:
    """Names in a sentence, not more than a line of them."""
    shown = ", ".join(f"`{name}`" for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def _place(
    tree: Tree, link: int, q: np.ndarray, turns: np.ndarray, places: np.ndarray, columns: np.ndarray, arms: np.ndarray
) -> None:
    """Turn and place of a link about its vehicle's origin, columns of its freedoms, Eqs. (3) to (6), squared arms."""
    kind, parent, v = int(tree.kind[link]), int(tree.parent[link]), int(tree.v_at[link])
    own = q[int(tree.q_at[link]) :]
    if kind == FREE:
        turns[link] = dcm_from_quaternion(normalized_quaternion(own[3:7])).T
        columns[v : v + 3, 3:] = np.eye(3)
        columns[v + 3 : v + 6, :3] = turns[link].T
        return
    before = turns[parent] @ dcm_from_quaternion(tree.offset_quat[link]).T
    origin = places[parent] + turns[parent] @ tree.offset_pos[link]
    anchor, axis = origin + before @ tree.anchor[link], before @ tree.axis[link]
    arms[v : v + V_SIZE[kind]] = anchor @ anchor
    if kind == BALL:
        turns[link] = before @ dcm_from_quaternion(normalized_quaternion(own[:4])).T
        columns[v : v + 3, :3] = turns[link].T
        columns[v : v + 3, 3:] = np.cross(anchor, turns[link].T)
    else:
        moved = own[0] - tree.reference[tree.q_at[link]]
        turns[link], columns[v, 3:] = before, axis
        if kind == HINGE:
            e = tilde(tree.axis[link])
            turns[link] = before @ (np.eye(3) + np.sin(moved) * e + (1.0 - np.cos(moved)) * e @ e)
            columns[v] = [*axis, *np.cross(anchor, axis)]
    places[link] = anchor - turns[link] @ tree.anchor[link]
    if kind not in (BALL, HINGE):
        places[link] = origin + moved * axis
