"""A rigid body on a hinge of the hub, with spring, damper and motor; also a wheel that is not balanced. Eq. (11)."""

from collections.abc import Collection, Sequence

from cardan.dynamics.back_substitution.hub import add_rigid, rigid_times
from cardan.dynamics.back_substitution.links import armature_of, is_known, link_mass
from cardan.dynamics.back_substitution.single_freedom import answer_with
from cardan.dynamics.back_substitution.single_freedom import respond as respond
from cardan.dynamics.back_substitution.words import S_, link_words
from cardan.mechanism.tree import HINGE, Tree
from cardan.native.tuples import dot6, load6

KIND = 3


def fits(tree: Tree, links: Sequence[int], prescribed: Collection[str]) -> bool:
    """Whether the branch `links` is of this kind; `prescribed` are the names of prescribed joints."""
    return len(links) == 1 and tree.kind[links[0]] == HINGE


def contribute(context, first, last, sums):
    """Add the body to the hub's equations."""
    mass, lever, J, force = link_mass(context, first)
    sums = add_rigid(sums, mass, lever, J, force)
    if is_known(context, first):
        return sums
    s = load6(link_words(context, first) + S_)
    U = rigid_times(mass, lever, J, s)
    # Eq. (11)
    D = dot6(s, U) + armature_of(context, first)
    return answer_with(context, first, sums, U, D, force)
