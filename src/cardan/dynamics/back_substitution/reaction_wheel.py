"""A balanced reaction wheel: a hinge on the hub, the centre of mass on its axis, the axis a principal one.

It does not answer to the acceleration of the hub's origin, and to the turning of the hub only about its axis. Eq. (13).
A wheel with static or dynamic imbalance is a hinged body.
"""

from collections.abc import Collection, Sequence

import numpy as np

from cardan.dynamics.back_substitution.hub import add_rigid
from cardan.dynamics.back_substitution.links import armature_of, is_known, link_mass
from cardan.dynamics.back_substitution.single_freedom import answer_with
from cardan.dynamics.back_substitution.single_freedom import respond as respond
from cardan.dynamics.back_substitution.words import S_, link_words
from cardan.mechanism.plumbing import S, at
from cardan.mechanism.tree import HINGE, Tree
from cardan.native.pointers import load_float
from cardan.native.tuples import dot3, join, load3, scale3, turned

KIND = 2

# [-] smaller imbalance, relative to the wheel, is rounding of the compiled inertia
_ROUNDING = 1.0e-14


def fits(tree: Tree, links: Sequence[int], prescribed: Collection[str]) -> bool:
    """Whether the branch `links` is of this kind; `prescribed` are the names of prescribed joints."""
    if len(links) > 1 or tree.kind[links[0]] != HINGE:
        return False
    link = links[0]
    axis, arm, inertia = tree.axis[link], tree.com[link] - tree.anchor[link], tree.inertia[link]
    along = inertia @ axis
    off_axis = np.abs(np.cross(axis, arm)).max()
    off_principal = np.abs(along - axis * (axis @ along)).max()
    return bool(off_axis <= _ROUNDING * (1.0 + np.abs(arm).max()) and off_principal <= _ROUNDING * inertia.max())


def contribute(context, first, last, sums):
    """Add the wheel to the hub's equations."""
    mass, lever, J, force = link_mass(context, first)
    sums = add_rigid(sums, mass, lever, J, force)
    if is_known(context, first):
        return sums
    s = load3(link_words(context, first) + S_)
    spin = spin_inertia(context, first)
    # Eq. (13)
    D = spin + armature_of(context, first)
    U = join(scale3(s, spin), (0.0, 0.0, 0.0))
    return answer_with(context, first, sums, U, D, force)


def spin_inertia(context, link):
    """[kg m^2] About the axis, which is fixed in the wheel: sT I s with I about the centre of mass."""
    axis, tensor = load3(at(context, S.axis) + 24 * link), at(context, S.inertia) + 72 * link
    rows = (
        load_float(tensor), load_float(tensor + 8), load_float(tensor + 16), load_float(tensor + 24),
        load_float(tensor + 32), load_float(tensor + 40), load_float(tensor + 48), load_float(tensor + 56),
        load_float(tensor + 64),
    )  # fmt: skip
    return dot3(axis, turned(rows, axis))
