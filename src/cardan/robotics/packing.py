"""A robot as one row of numbers, which compiled code and tasks can carry.

A robot is one vehicle of a mechanism: a base, link 0, and a tree of links, one per joint, in which parents come first.
The base flies freely, or is the world. What a mechanism calls a body with several joints is a chain of links of which
the last carries the body; a body without joints belongs to the link of its parent.
"""

import numpy as np

from cardan.maths import Mat, Vec, dcm_from_quaternion, quaternion_product
from cardan.mechanism.tree import FREE, Q_SIZE, V_SIZE, Tree

# ---- the row: a header, then a record per link ----------------------------------------------------------------------
LINKS, NQ, NU, IS_FREE = 0, 1, 2, 3
HEADER = 4
# record: parent, kind of joint, where its coordinates and its rates begin, coordinate at which the file draws it
PARENT, KIND, Q_AT, U_AT, REFERENCE = 0, 1, 2, 3, 4
# its frame before the joint moves, in the parent's components: quaternion, that times (0, axis), position, axis, anchor
OFFSET_QUAT, OFFSET_AXIS, OFFSET_POS, AXIS_PARENT, ANCHOR_PARENT = 5, 9, 13, 16, 19
# in the link's own components: a point on the joint, centre of mass, inertia about it (00, 01, 02, 11, 12, 22)
ANCHOR, MASS, COM, INERTIA, ARMATURE = 22, 25, 26, 29, 35
# sum of the traces of the inertias of the bodies that the link is made of
OWN_TRACE = 36
RECORD = 37
# behind the records, for each rate the one before it on the way to the base, -1 where there is none or the base's; and
# then for each rate the first of the unbroken run j, j+1, ..., k of rates, each before the next, that ends with it

# a frame on a link: the link, position and matrix from the frame's to the link's components
FRAME_LINK, FRAME_POS, FRAME_TURN = 0, 1, 4
FRAME_NUMBERS = 13


def records_of(m: Vec) -> Mat:
    """(links, RECORD) The records of a row of numbers; native code calls it too."""
    links = int(m[LINKS])
    return m[HEADER : HEADER + RECORD * links].reshape((links, RECORD))


def pack(tree: Tree, links: list[int]) -> Vec:
    """The row of numbers of some links of a tree: the base first, then those that hang on it.

    Args:
        tree: The mechanism.
        links: Numbers of links in the tree; the first is the base, a free root or the world.
    """
    is_free = tree.kind[links[0]] == FREE
    number = {link: i for i, link in enumerate(links)}
    q_start, u_start = (int(tree.q_at[links[0]]), int(tree.v_at[links[0]])) if is_free else _starts(tree, links)
    records = np.zeros((len(links), RECORD))
    for i, link in enumerate(links):
        row = records[i]
        mass_is_ours = i > 0 or is_free  # what is fixed to the world does not move
        row[MASS] = tree.mass[link] if mass_is_ours else 0.0
        row[COM : COM + 3] = tree.com[link]
        row[INERTIA : INERTIA + 6] = tree.inertia[link][np.triu_indices(3)] if mass_is_ours else 0.0
        row[KIND], row[OFFSET_QUAT] = -1.0, 1.0
        if i == 0:
            continue
        turn = dcm_from_quaternion(tree.offset_quat[link]).T
        axis = np.array([0.0, *tree.axis[link]])
        row[PARENT], row[KIND] = number[int(tree.parent[link])], tree.kind[link]
        row[Q_AT], row[U_AT] = tree.q_at[link] - q_start, tree.v_at[link] - u_start
        row[REFERENCE] = tree.reference[tree.q_at[link]]
        row[OFFSET_QUAT : OFFSET_QUAT + 4] = tree.offset_quat[link]
        row[OFFSET_AXIS : OFFSET_AXIS + 4] = quaternion_product(axis, tree.offset_quat[link])
        row[OFFSET_POS : OFFSET_POS + 3] = tree.offset_pos[link]
        row[AXIS_PARENT : AXIS_PARENT + 3] = turn @ tree.axis[link]
        row[ANCHOR_PARENT : ANCHOR_PARENT + 3] = tree.offset_pos[link] + turn @ tree.anchor[link]
        row[ANCHOR : ANCHOR + 3] = tree.anchor[link]
        row[ARMATURE] = tree.armature[tree.v_at[link]]
    kinds = [int(tree.kind[link]) for link in links if tree.kind[link] >= 0]
    header = [len(links), sum(Q_SIZE[kind] for kind in kinds), sum(V_SIZE[kind] for kind in kinds), float(is_free)]
    for name, (_, _, inertia) in tree.body_mass.items():
        link = tree.bodies[name].link
        if link in number:
            records[number[link], OWN_TRACE] += np.trace(inertia)
    before = _before(records, int(header[NU]))
    run = np.arange(len(before), dtype=float)
    for k in range(1, len(before)):
        run[k] = run[k - 1] if before[k] == k - 1 else k
    return np.concatenate([header, records.ravel(), before, run])


def _before(records: np.ndarray, count: int) -> np.ndarray:
    """For each rate the one before it."""
    before, last = np.full(count, -1.0), np.full(len(records), -1)
    for i in range(1, len(records)):
        previous = last[int(records[i, PARENT])]
        for k in range(int(records[i, U_AT]), int(records[i, U_AT]) + V_SIZE[int(records[i, KIND])]):
            before[k], previous = previous, k
        last[i] = previous
    return before


def _starts(tree: Tree, links: list[int]) -> tuple[int, int]:
    if len(links) == 1:
        return 0, 0
    return min(int(tree.q_at[link]) for link in links[1:]), min(int(tree.v_at[link]) for link in links[1:])
