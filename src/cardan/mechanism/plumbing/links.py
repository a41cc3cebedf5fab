"""Native code: what several kinds of port ask of links."""

from cardan.mechanism.plumbing.arrays import S, at
from cardan.native.lanes import in_any_lane
from cardan.native.pointers import load_float
from cardan.native.tuples import add3, cross3, load3, load9, store3, subtract3, turned


def weighs(context, link):
    """Whether a link has mass or inertia: the links of a chain of joints before its body have none."""
    tensor = at(context, S.inertia) + 72 * link
    trace = load_float(tensor) + load_float(tensor + 32) + load_float(tensor + 64)
    return in_any_lane((load_float(at(context, S.mass) + 8 * link) != 0.0) | (trace != 0.0))


def centre_of_link(context, link):
    """Position and velocity of a link's centre of mass relative to its vehicle's origin."""
    arm = turned(load9(at(context, S.turn) + 72 * link), load3(at(context, S.com) + 24 * link))
    swing = cross3(load3(at(context, S.omega) + 24 * link), arm)
    return add3(load3(at(context, S.r) + 24 * link), arm), add3(load3(at(context, S.velocity) + 24 * link), swing)


def spatial_velocity(context, link):
    """Angular velocity of a link, and the velocity of its point at the vehicle's origin."""
    omega = load3(at(context, S.omega) + 24 * link)
    return omega, subtract3(
        load3(at(context, S.velocity) + 24 * link), cross3(omega, load3(at(context, S.r) + 24 * link))
    )


def push_at(context, link, place, frame, force, torque):
    """A force and a torque in the components of a frame at `place` in a link, turned by `frame` relative to it."""
    if link == 0:
        return
    turn = load9(at(context, S.turn) + 72 * link)
    add_force(context, link, place, turned(turn, turned(frame, force)), turned(turn, turned(frame, torque)))


def add_force(context, link, place, force, torque):
    """A force at `place` in a link, and a torque, in inertial components."""
    turn = load9(at(context, S.turn) + 72 * link)
    arm = add3(load3(at(context, S.r) + 24 * link), turned(turn, place))
    target = at(context, S.wrench) + 48 * link
    store3(target, add3(load3(target), add3(torque, cross3(arm, force))))
    store3(target + 24, add3(load3(target + 24), force))
