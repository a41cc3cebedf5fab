"""All bodies whose motion relative to the hub is prescribed: on carriages, or on any trees of prescribed joints.

They add mass and inertia to the hub, and what their own motion needs to its right-hand side. Eqs. (7) to (9).
"""

from collections.abc import Collection, Sequence

import numpy as np

from cardan.dynamics.back_substitution.hub import add_rigid
from cardan.dynamics.back_substitution.links import link_mass, move_as_known
from cardan.mechanism.plumbing import S, at
from cardan.mechanism.tree import BALL, SLIDE, Tree
from cardan.native.pointers import load_int
from cardan.native.tuples import add3, add6

KIND = 1


def fits(tree: Tree, links: Sequence[int], prescribed: Collection[str]) -> bool:
    """Whether the branch `links` is of this kind; `prescribed` are the names of prescribed joints.

    Neighbours of this kind are one effector, because nothing is to be solved for them.
    """
    return all(tree.joints[link] in prescribed for link in links)


def carriages(tree: Tree, prescribed: Collection[str]) -> list[int]:
    """The first links of prescribed carriages: three slides along the axes of their body, then a ball at its origin."""
    found = []
    for link in range(1, tree.links - 3):
        joints = range(link, link + 4)
        is_one = (
            tree.kind[link : link + 4].tolist() == [SLIDE, SLIDE, SLIDE, BALL]
            and (tree.body_link[link : link + 4] == link + 3).all()
            and np.array_equal(tree.axis[link : link + 3], np.eye(3))
            and not np.any(tree.anchor[link + 3])
            and not np.any(tree.reference[tree.q_at[link] : tree.q_at[link] + 3])
        )
        if is_one and all(tree.joints[joint] in prescribed for joint in joints):
            found.append(link)
    return found


def contribute(context, first, last, sums):
    """Add the branches to the hub's equations: all as one rigid body, and the forces that they need beyond that."""
    mass, lever, J, force = link_mass(context, first)
    for link in range(first + 1, last + 1):
        # links between the joints of one body carry nothing
        if load_int(at(context, S.body_link) + 8 * link) == link:
            more, arm, tensor, needed = link_mass(context, link)
            mass += more
            lever, J, force = add3(lever, arm), add6(J, tensor), add6(force, needed)
    return add_rigid(sums, mass, lever, J, force)


def respond(context, first, last, acceleration):
    """Accelerations of the branch, after those of the hub; nobody integrates them, so only reactions ask for them."""
    if load_int(at(context, S.wants_reactions)) == 0:
        return
    for link in range(first, last + 1):
        move_as_known(context, link, 3 if load_int(at(context, S.kind) + 8 * link) == BALL else 1)
