"""What effectors read of a link, and how a link takes part in the motion of its parent."""

from cardan.dynamics.back_substitution.words import A_, ANSWER_, J_, LEVER_, P_, S_, link_words
from cardan.mechanism.plumbing import S, at, weighs
from cardan.native.pointers import load_float, load_int, store_float
from cardan.native.tuples import add6, load3, load6, scale6, store6, subtract6


def link_mass(context, link):
    """Mass, lever, J, and force: what its own velocities need, less what acts on it."""
    here = link_words(context, link)
    mass = load_float(at(context, S.mass) + 8 * link)
    if not weighs(context, link):
        zero = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        return 0.0, (0.0, 0.0, 0.0), zero, subtract6(zero, load6(at(context, S.wrench) + 48 * link))
    force = subtract6(load6(here + P_), load6(at(context, S.wrench) + 48 * link))
    return mass, load3(here + LEVER_), load6(here + J_), force


def is_known(context, link):
    """Whether a lock or a prescribed motion says how the joint of a link accelerates."""
    return load_int(at(context, S.is_known) + 8 * load_int(at(context, S.v_at) + 8 * link)) != 0


def push_of(context, link, force):
    """Effort at the joint of a link, less what `force` takes of it: the right-hand side of its own equation."""
    effort = load_float(at(context, S.effort) + 8 * load_int(at(context, S.v_at) + 8 * link))
    s = load6(link_words(context, link) + S_)
    return effort - (
        s[0] * force[0] + s[1] * force[1] + s[2] * force[2] + s[3] * force[3] + s[4] * force[4] + s[5] * force[5]
    )


def armature_of(context, link):
    return load_float(at(context, S.armature) + 8 * load_int(at(context, S.v_at) + 8 * link))


def store_answer(context, link, answer):
    here = link_words(context, link) + ANSWER_
    for k in range(7):
        store_float(here + 8 * k, answer[k])


def load_answer(context, link):
    here = link_words(context, link) + ANSWER_
    a = load6(here)
    return a[0], a[1], a[2], a[3], a[4], a[5], load_float(here + 48)


def move_freely(context, link, acceleration):
    """Give a link the acceleration of its one freedom, beyond that of its parent."""
    store_float(at(context, S.v_dot) + 8 * load_int(at(context, S.v_at) + 8 * link), acceleration)
    here, above = link_words(context, link), link_words(context, load_int(at(context, S.parent) + 8 * link))
    store6(here + A_, add6(load6(above + A_), scale6(load6(here + S_), acceleration)))


def move_as_known(context, link, freedoms):
    """Give a link the acceleration of its parent: what is known of its own is part of its bias already."""
    v_at = load_int(at(context, S.v_at) + 8 * link)
    for k in range(v_at, v_at + freedoms):
        store_float(at(context, S.v_dot) + 8 * k, load_float(at(context, S.known_acceleration) + 8 * k))
    above = link_words(context, load_int(at(context, S.parent) + 8 * link))
    store6(link_words(context, link) + A_, load6(above + A_))
