"""A body on a slide of the hub, with spring and damper: a lump of fuel, or a proof mass. Eq. (14)."""

from collections.abc import Collection, Sequence

from cardan.dynamics.back_substitution.hub import add_rigid
from cardan.dynamics.back_substitution.links import armature_of, is_known, link_mass
from cardan.dynamics.back_substitution.single_freedom import answer_with
from cardan.dynamics.back_substitution.single_freedom import respond as respond
from cardan.dynamics.back_substitution.words import S_, link_words
from cardan.mechanism.tree import SLIDE, Tree
from cardan.native.tuples import cross3, join, linear, load6, scale3

KIND = 4


def fits(tree: Tree, links: Sequence[int], prescribed: Collection[str]) -> bool:
    """Whether the branch `links` is of this kind; `prescribed` are the names of prescribed joints."""
    return len(links) == 1 and tree.kind[links[0]] == SLIDE


def contribute(context, first, last, sums):
    """Add the mass to the hub's equations."""
    mass, lever, J, force = link_mass(context, first)
    sums = add_rigid(sums, mass, lever, J, force)
    if is_known(context, first):
        return sums
    along = linear(load6(link_words(context, first) + S_))
    U = join(cross3(lever, along), scale3(along, mass))
    # Eq. (14)
    D = mass + armature_of(context, first)
    return answer_with(context, first, sums, U, D, force)
