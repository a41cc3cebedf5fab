"""Native code: whether accelerations can be trusted, by what was divided by (docs/theory/recursive_tree.md)."""

from cardan.mechanism.plumbing.arrays import S, at, size
from cardan.mechanism.plumbing.links import centre_of_link, weighs
from cardan.mechanism.tree import BALL, FREE, SLIDE
from cardan.native.lanes import in_all_lanes
from cardan.native.pointers import load_float, load_int, store_float
from cardan.native.status import OK, SINGULAR
from cardan.native.tuples import dot3, load3

# [-] less than this of the inertia that a freedom moves is not left to it by rounding (recursive_tree.md, Eq. (18))
LEAST = 1.0e-12


def judge(context):
    """Whether every freedom has inertia of its own, from what a service has left in `divisor`. Eqs. (17) and (18)."""
    weigh_links(context)
    kinds, indices, parents = at(context, S.kind), at(context, S.v_at), at(context, S.parent)
    divisors, armatures, is_known = at(context, S.divisor), at(context, S.armature), at(context, S.is_known)
    carried, anchors = at(context, S.carried), at(context, S.anchor_now)
    is_regular = True
    for link in range(size(context, S.links) - 1, 0, -1):
        # Eq. (17): what comes before carries this link too
        here, above = carried + 16 * link, carried + 16 * load_int(parents + 8 * link)
        mass, spread = load_float(here), load_float(here + 8)
        store_float(above, load_float(above) + mass)
        store_float(above + 8, load_float(above + 8) + spread)

        # Eq. (18); a divisor that is not a number is none
        kind, index = load_int(kinds + 8 * link), 8 * load_int(indices + 8 * link)
        if kind == FREE:
            for k in range(0, 24, 8):
                is_regular &= load_float(divisors + index + k) > LEAST * mass
                is_regular &= load_float(divisors + index + 24 + k) > LEAST * spread
            continue
        anchor = load3(anchors + 24 * link)
        moved = mass if kind == SLIDE else spread + 2.0 * mass * dot3(anchor, anchor)
        for k in range(0, 24 if kind == BALL else 8, 8):
            least = LEAST * (moved + load_float(armatures + index + k))
            is_regular &= (load_float(divisors + index + k) > least) | (load_int(is_known + index + k) != 0)
    return OK if in_all_lanes(is_regular) else SINGULAR


def weigh_links(context):
    """Mass of each link, and the trace of its inertia about the vehicle's origin."""
    carried, masses, tensors = at(context, S.carried), at(context, S.mass), at(context, S.inertia)
    for link in range(1, size(context, S.links)):
        mass, tensor = load_float(masses + 8 * link), tensors + 72 * link
        spread = 0.0
        if weighs(context, link):
            place, _ = centre_of_link(context, link)
            own = load_float(tensor) + load_float(tensor + 32) + load_float(tensor + 64)
            spread = own + 2.0 * mass * dot3(place, place)
        store_float(carried + 16 * link, mass)
        store_float(carried + 16 * link + 8, spread)
