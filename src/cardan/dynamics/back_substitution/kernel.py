"""Back-substitution: effectors are substituted into the hub's six equations (docs/theory/back_substitution.md)."""

from cardan.dynamics.back_substitution import (
    hinged_body,
    prescribed_body,
    reaction_wheel,
    slosh_mass,
    spinning_bodies,
)
from cardan.dynamics.back_substitution.frames import frames
from cardan.dynamics.back_substitution.hub import add_rigid, hub_acceleration, nothing, rigid_times
from cardan.dynamics.back_substitution.links import link_mass
from cardan.dynamics.back_substitution.words import (
    A_,
    AXIS_PARENT,
    COUNT,
    DIVISOR_,
    FIRST,
    HUB,
    KIND,
    LAST,
    ROW,
    TABLE,
    link_words,
)
from cardan.mechanism.plumbing import (
    S,
    add_springs_and_dampers,
    at,
    begin,
    finish,
    gather,
    judge,
    publish_frames,
    size,
    weighs,
)
from cardan.mechanism.tree import BALL, FREE, HINGE
from cardan.native.pointers import load_float, load_int, store_float
from cardan.native.status import OK
from cardan.native.tuples import (
    add6,
    angular,
    cross3,
    dot3,
    linear,
    load3,
    load6,
    load9,
    store3,
    store6,
    subtract3,
    turned,
    turned_back,
)

PRESCRIBED, WHEEL, HINGED, SLOSH, SPINNING = (
    prescribed_body.KIND, reaction_wheel.KIND, hinged_body.KIND, slosh_mass.KIND, spinning_bodies.KIND,
)  # fmt: skip


def kinematics(t, context):
    """Frames of all links, and the messages about them."""
    begin(context)
    frames(context)
    publish_frames(context)
    return OK


def dynamics(t, context):
    """Accelerations from the forces gathered at the ports."""
    gather(context)
    add_springs_and_dampers(context)
    for i in range(size(context, S.vehicles)):
        move_vehicle(context, load_int(at(context, S.roots) + 8 * i))
    if load_int(at(context, S.wants_reactions)) != 0:
        reactions(context)
        hold(context)
    return finish(context)


def check(t, context):
    """Whether the accelerations found last can be trusted."""
    for link in range(1, size(context, S.links)):
        target = at(context, S.divisor) + 8 * load_int(at(context, S.v_at) + 8 * link)
        kind, here = load_int(at(context, S.kind) + 8 * link), link_words(context, link) + DIVISOR_
        if kind == FREE:
            store6(target, load6(here))
        elif kind != BALL:  # which is prescribed
            store_float(target, load_float(here))
    return judge(context)


def move_vehicle(context, hub):
    """Sum Eq. (3) over hub and effectors, solve it by Eqs. (4) and (5), and put the result back into Eq. (2)."""
    private = at(context, S.private)
    mass, lever, J, force = link_mass(context, hub)
    sums = add_rigid(nothing(), mass, lever, J, force)
    for i in range(load_int(private + COUNT)):
        row = private + TABLE + ROW * i
        if load_int(row + HUB) == hub:
            sums = contribute(context, row, sums)
    acceleration, divisors = hub_acceleration(sums)

    store6(link_words(context, hub) + A_, acceleration)
    store6(link_words(context, hub) + DIVISOR_, divisors)
    v_dot = at(context, S.v_dot) + 8 * load_int(at(context, S.v_at) + 8 * hub)
    store3(v_dot, linear(acceleration))
    store3(v_dot + 24, turned_back(load9(at(context, S.turn) + 72 * hub), angular(acceleration)))
    for i in range(load_int(private + COUNT)):
        row = private + TABLE + ROW * i
        if load_int(row + HUB) == hub:
            respond(context, row, acceleration)


def contribute(context, row, sums):
    kind, first, last = load_int(row + KIND), load_int(row + FIRST), load_int(row + LAST)
    if kind == PRESCRIBED:
        return prescribed_body.contribute(context, first, last, sums)
    if kind == WHEEL:
        return reaction_wheel.contribute(context, first, last, sums)
    if kind == HINGED:
        return hinged_body.contribute(context, first, last, sums)
    if kind == SLOSH:
        return slosh_mass.contribute(context, first, last, sums)
    return spinning_bodies.contribute(context, first, last, sums)


def respond(context, row, acceleration):
    kind, first, last = load_int(row + KIND), load_int(row + FIRST), load_int(row + LAST)
    if kind == PRESCRIBED:
        prescribed_body.respond(context, first, last, acceleration)
    elif kind == WHEEL:
        reaction_wheel.respond(context, first, last, acceleration)
    elif kind == HINGED:
        hinged_body.respond(context, first, last, acceleration)
    elif kind == SLOSH:
        slosh_mass.respond(context, first, last, acceleration)
    else:
        spinning_bodies.respond(context, first, last, acceleration)


def reactions(context):
    """Force and torque through every joint: what each link, with all beyond it, needs beyond what acts on it."""
    links, reaction = size(context, S.links), at(context, S.reaction)
    for link in range(1, links):
        mass, lever, J, force = link_mass(context, link)
        if weighs(context, link):
            force = add6(force, rigid_times(mass, lever, J, load6(link_words(context, link) + A_)))
        store6(reaction + 48 * link, force)
    for link in range(links - 1, 0, -1):
        parent = load_int(at(context, S.parent) + 8 * link)
        if parent > 0:
            above = reaction + 48 * parent
            store6(above, add6(load6(above), load6(reaction + 48 * link)))


def hold(context):
    """What locks and motors deliver along freedoms of known acceleration, beside all other efforts. Eq. (18)."""
    for link in range(1, size(context, S.links)):
        kind, v_at = load_int(at(context, S.kind) + 8 * link), load_int(at(context, S.v_at) + 8 * link)
        if kind == FREE:
            continue
        torque, force = load3(at(context, S.reaction) + 48 * link), load3(at(context, S.reaction) + 48 * link + 24)
        torque = subtract3(torque, cross3(load3(at(context, S.anchor_now) + 24 * link), force))
        if kind == BALL:
            needed = turned_back(load9(at(context, S.turn) + 72 * link), torque)
            for k in range(3):
                store_holding(context, v_at + k, needed[k])
            continue
        parent = load_int(at(context, S.parent) + 8 * link)
        axis = turned(load9(at(context, S.turn) + 72 * parent), load3(link_words(context, link) + AXIS_PARENT))
        store_holding(context, v_at, dot3(axis, torque) if kind == HINGE else dot3(axis, force))


def store_holding(context, index, needed):
    holding = 0.0
    if load_int(at(context, S.is_known) + 8 * index) != 0:
        drive = load_float(at(context, S.armature) + 8 * index) * load_float(at(context, S.v_dot) + 8 * index)
        holding = needed + drive - load_float(at(context, S.effort) + 8 * index)
    store_float(at(context, S.holding) + 8 * index, holding)
