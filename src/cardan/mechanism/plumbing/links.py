"""Native code: what several kinds of port ask of links."""

from cardan.maths import sin_cos
from cardan.mechanism.plumbing.arrays import S, at
from cardan.native.lanes import in_any_lane
from cardan.native.pointers import load_float, load_int
from cardan.native.seldom import seldom
from cardan.native.tuples import load3, load4, turn_from_quat
from cardan.native.vectors import (
    columns,
    components,
    cross,
    load_packed,
    load_turn,
    product,
    store_packed,
    turned,
    vector,
)


def weighs(context, link):
    """Whether a link has mass or inertia: the links of a chain of joints before its body have none."""
    return is_heavy(at(context, S.mass) + 8 * link, at(context, S.inertia) + 72 * link)


def is_heavy(mass, tensor):
    """Whether there is mass or inertia at these addresses."""
    trace = load_float(tensor) + load_float(tensor + 32) + load_float(tensor + 64)
    return in_any_lane((load_float(mass) != 0.0) | (trace != 0.0))


def is_rotor(context, link):
    """Whether a link is a rotor, which a service takes for a part of its carrier (`mechanism.rotors`)."""
    return load_int(at(context, S.is_rotor) + 8 * link) != 0


def carrier_of(context, link):
    """The link that carries another."""
    return load_int(at(context, S.parent) + 8 * link)


def axis_of_rotor(context, link):
    """In inertial components."""
    T = load_turn(at(context, S.turn) + 72 * carrier_of(context, link))
    return turned(T, load_packed(at(context, S.seat_axis) + 24 * link))


def motion_of(context, link):
    """Turn of a link by columns, position, angular velocity and velocity, relative to the origin of its vehicle."""
    if is_rotor(context, link):
        return motion_of_rotor(context, link)
    return (
        load_turn(at(context, S.turn) + 72 * link),
        load_packed(at(context, S.r) + 24 * link),
        load_packed(at(context, S.omega) + 24 * link),
        load_packed(at(context, S.velocity) + 24 * link),
    )


def motion_of_rotor(context, link):
    """The same of a rotor, which services do not find, from that of what carries it."""
    seldom()
    carrier = carrier_of(context, link)
    T = load_turn(at(context, S.turn) + 72 * carrier)
    place = load_packed(at(context, S.r) + 24 * carrier)
    w, v = load_packed(at(context, S.omega) + 24 * carrier), load_packed(at(context, S.velocity) + 24 * carrier)
    offset = columns(turn_from_quat(load4(at(context, S.offset_quat) + 32 * link)))
    T = product(T, product(offset, turn_of_joint(context, link)))
    anchor = load_packed(at(context, S.anchor_now) + 24 * link)
    r = anchor - turned(T, load_packed(at(context, S.anchor) + 24 * link))
    rate = load_float(at(context, S.v_now) + 8 * load_int(at(context, S.v_at) + 8 * link))
    spin = turned(T, load_packed(at(context, S.axis) + 24 * link)) * rate
    return T, r, w + spin, v + cross(w, r - place) + cross(spin, r - anchor)


def turn_of_joint(context, link):
    """The turn of a hinge about its axis since its reference angle, by columns: Rodrigues' formula."""
    q_at = 8 * load_int(at(context, S.q_at) + 8 * link)
    x, y, z = load3(at(context, S.axis) + 24 * link)
    s, c = sin_cos(load_float(at(context, S.q_now) + q_at) - load_float(at(context, S.reference) + q_at))
    k = 1.0 - c
    return (
        vector(c + k * x * x, k * x * y + s * z, k * x * z - s * y),
        vector(k * x * y - s * z, c + k * y * y, k * y * z + s * x),
        vector(k * x * z + s * y, k * y * z - s * x, c + k * z * z),
    )


def centre_of_link(context, link):
    """Position and velocity of a link's centre of mass relative to its vehicle's origin."""
    place, onto = at(context, S.com) + 24 * link, link
    if is_rotor(context, link):
        place, onto = at(context, S.seat) + 24 * link, carrier_of(context, link)
    T, r, w, v = motion_of(context, onto)
    arm = turned(T, load_packed(place))
    return components(r + arm), components(v + cross(w, arm))


def spatial_velocity(context, link):
    """Angular velocity of a link, and the velocity of its point at the vehicle's origin."""
    _, r, w, v = motion_of(context, link)
    return components(w), components(v - cross(w, r))


def push_at(context, link, place, axes, force, torque):
    """A force and a torque in the components of a frame in a link, with this place and these axes there."""
    if link == 0:
        return
    T, _, _, _ = motion_of(context, link)
    add_force(context, link, place, turned(T, turned(axes, force)), turned(T, turned(axes, torque)))


def add_force(context, link, place, force, torque):
    """A force at `place` in a link, and a torque, in inertial components."""
    add_wrench(at(context, S.wrench) + 48 * link, torque + cross(arm_of(context, link, place), force), force)


def arm_of(context, link, place):
    """From the vehicle's origin to a place in a link, in inertial components."""
    T, r, _, _ = motion_of(context, link)
    return r + turned(T, place)


def add_wrench(target, torque, force):
    """A torque about the vehicle's origin and a force onto those that lie at `target`."""
    store_packed(target, load_packed(target) + torque)
    store_packed(target + 24, load_packed(target + 24) + force)
