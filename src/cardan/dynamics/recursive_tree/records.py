"""The recursion's own memory: a record per link and one per freedom, all that a pass needs of them side by side.

Numbers are bytes from the beginning of a record. Records of freedoms follow those of the links. Vectors have room for
four words, so that compiled code moves each with one instruction.
"""

from functools import lru_cache

import numpy as np

from cardan.maths import dcm_from_quaternion
from cardan.mechanism.tree import Tree
from cardan.native.layout import WORD
from cardan.native.vectors import LANES, ROOM

# ---- link: constants -----------------------------------------------------------------------------------------------
# kind of joint; then in bytes from the beginning of the memory: record of the parent, of the first child, of the next
# sibling (0: none), of its first freedom; then in bytes from the beginning of their arrays: coordinates and velocities
NUMBER, KIND, PARENT, CHILD, SIBLING, FREEDOMS, Q_AT, V_AT = range(0, 8 * WORD, WORD)
# three words each: the joint's point and axis and the offset in the parent's components; point and axis in its own
ANCHOR_PARENT, AXIS_PARENT, OFFSET, ANCHOR, AXIS = 64, 88, 112, 136, 160
# columns of the turn before the joint moves, and of what the sine of its angle adds
TURN, SINE = 192, 192 + 3 * ROOM

# ---- link: what the passes leave -----------------------------------------------------------------------------------
# turn T; rigid inertia J and lever m c; bias force p; acceleration A beyond c
T_ = 192 + 6 * ROOM
J_, LEVER_, P_, A_ = (T_ + i * ROOM for i in (3, 6, 7, 9))
# for links beyond it in the first pass: position r, velocity V, acceleration c from velocities alone; turn of its joint
R_, V_, C_, OWN_ = (T_ + i * ROOM for i in (11, 12, 14, 16))
# in the same place, for its parent in the second pass: what that feels of it and of all beyond it, J, H, M and p
FELT_J, FELT_H, FELT_M, FELT_P = (T_ + i * ROOM for i in (11, 14, 17, 20))
# in the place of M until that is known: inertia about the centre of mass
CENTRAL_ = FELT_M
LINK = T_ + 22 * ROOM

# ---- freedom -------------------------------------------------------------------------------------------------------
# column S, force U = I S, divisor D = S U + armature, push u
S_, U_, DIVISOR, PUSH = 0, 2 * ROOM, 4 * ROOM, 4 * ROOM + WORD
# of a rotor instead of U: the torque that its momentum asks for as its carrier turns
GYRO_ = U_
FREEDOM = 5 * ROOM


@lru_cache
def records(tree: Tree) -> np.ndarray:
    """The memory as it is before the first evaluation: constants in place, all else zero; nobody writes to it."""
    words = np.zeros((LINK * tree.links + FREEDOM * tree.nv) // WORD)
    links = words[: LINK * tree.links // WORD].reshape(tree.links, LINK // WORD)
    ints, order = links.view(np.int64), level_by_level(tree)
    place = LINK * np.argsort(order)

    # what hangs on each link, as a list: its first child, and the next one beside each; the world ends it
    first_child, next_sibling = np.zeros((2, tree.links), np.int64)
    for link in range(tree.links - 1, 0, -1):
        parent = int(tree.parent[link])
        next_sibling[link], first_child[parent] = first_child[parent], link
    for at, values in {
        NUMBER: np.arange(tree.links),
        KIND: tree.kind,
        PARENT: place[tree.parent],
        CHILD: place[first_child],
        SIBLING: place[next_sibling],
        FREEDOMS: LINK * tree.links + FREEDOM * tree.v_at,
        Q_AT: WORD * tree.q_at,
        V_AT: WORD * tree.v_at,
    }.items():
        ints[:, at // WORD] = values[order]
    for at, vectors in {ANCHOR: tree.anchor, AXIS: tree.axis}.items():
        links[:, at // WORD : at // WORD + 3] = vectors[order]
    words[pose_words(tree)] = poses(tree)
    links[0, T_ // WORD : T_ // WORD + 3 * LANES].reshape(3, LANES)[:, :3] = np.eye(3)  # the world does not turn
    words.setflags(write=False)
    return words


_OF_POSE = [*range(ANCHOR_PARENT // WORD, ANCHOR // WORD), *range(TURN // WORD, T_ // WORD)]


def pose_words(tree: Tree) -> np.ndarray:
    """Which words follow from where joints are on their parents, of all links."""
    return np.add.outer(LINK // WORD * np.arange(tree.links), _OF_POSE).ravel()


def poses(tree: Tree) -> np.ndarray:
    """What these words are; of a stack of trees, (n, words)."""
    order = level_by_level(tree)
    offset = np.ascontiguousarray(dcm_from_quaternion(tree.offset_quat).swapaxes(-1, -2))
    stack, place = offset.shape[:-3], np.broadcast_to(tree.offset_pos, offset.shape[:-1])
    links = np.zeros((*stack, tree.links, LINK // WORD))
    for at, vectors in {
        ANCHOR_PARENT: place + np.einsum("...lij,lj->...li", offset, tree.anchor),
        AXIS_PARENT: np.einsum("...lij,lj->...li", offset, tree.axis),
        OFFSET: place,
    }.items():
        links[..., at // WORD : at // WORD + 3] = vectors[..., order, :]
    sine = offset @ np.array([_cross_matrix(axis) for axis in tree.axis])
    for at, matrices in ((TURN, offset), (SINE, sine)):
        for column in range(3):
            start = at // WORD + LANES * column
            links[..., start : start + 3] = matrices[..., column][..., order, :]
    return links[..., _OF_POSE].reshape(*stack, -1)


def level_by_level(tree: Tree) -> np.ndarray:
    """The links in the order of their records: by their distance from the root.

    Neighbours then do not wait for each other, and a processor works on several at once.
    """
    level = np.zeros(tree.links, np.int64)
    for link in range(1, tree.links):
        level[link] = level[tree.parent[link]] + 1
    return np.argsort(level, kind="stable")


def _cross_matrix(a: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
