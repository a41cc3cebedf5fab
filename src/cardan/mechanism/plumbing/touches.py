"""Compliant contact between simple shapes, for services that have none of their own (docs/theory/compliant_contact.md).

One side of a row gives points, the other a solid with a distance and a normal everywhere. A point inside the solid is
pushed out, and the other side is pushed back with the same force at the same place, so that momentum is kept.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import mujoco
import numpy as np

from cardan.maths import choose, dcm_from_quaternion
from cardan.mechanism.compliant_contact import CompliantContact, Touching, touching_shapes
from cardan.mechanism.plumbing.arrays import S, at
from cardan.mechanism.plumbing.contacts import add_contact, clear_contacts, larger
from cardan.mechanism.plumbing.links import motion_of
from cardan.mechanism.plumbing.lookup import Lookup
from cardan.mechanism.plumbing.table import Matrix, Stage, Table, Vector, each, offsets, once
from cardan.mechanism.tree import Frame
from cardan.native import vectors
from cardan.native.lanes import in_any_lane
from cardan.native.pointers import load_float, load_int
from cardan.native.tuples import (
    add3,
    cross3,
    dot3,
    load3,
    scale3,
    store3,
    subtract3,
    turned,
    turned_back,
)
from cardan.native.vectors import components, elements, load_packed, load_turn

PLANE, SPHERE, CYLINDER, BOX = (
    int(getattr(mujoco.mjtGeom, f"mjGEOM_{name}")) for name in ("PLANE", "SPHERE", "CYLINDER", "BOX")
)
RIM = 8  # points of an end of a cylinder
_DIAGONAL = math.sqrt(0.5)
RIM_X = (1.0, _DIAGONAL, 0.0, -_DIAGONAL, -1.0, -_DIAGONAL, 0.0, _DIAGONAL)
RIM_Y = (0.0, _DIAGONAL, 1.0, _DIAGONAL, 0.0, -_DIAGONAL, -1.0, -_DIAGONAL)
_WORLD = Frame(0, np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
COUNTS = {SPHERE: 1, BOX: 8, CYLINDER: 2 * RIM}


class TouchRow(NamedTuple):
    """Points of one shape against the solid of another.

    Attributes:
        link: The link of the points.
        body: Their body.
        shape: Their shape.
        kind: Which kind of shape, as MuJoCo numbers them.
        size: [m] Of the shape, as MuJoCo has it.
        place: [m] Of its centre in the link.
        turn: From its components to those of the link.
        bound: [m] No point of it is further from its centre; infinite for a plane.
        solid_link: The same eight of the solid.
        solid_body: See above.
        solid_shape: See above.
        solid_kind: See above.
        solid_size: See above.
        solid_place: See above.
        solid_turn: See above.
        solid_bound: See above.
        points: How many.
        radius: [m] Of the points.
        reach: [m] Distance of the centres beyond which they cannot touch.
        stiffness: [N/m]
        damping: [N s/m]
        dissipation: [s/m]
        friction: [-]
        slip: [m/s] Speed at which friction has most of its size.
    """

    link: int
    body: int
    shape: int
    kind: int
    size: Vector
    place: Vector
    turn: Matrix
    bound: float
    solid_link: int
    solid_body: int
    solid_shape: int
    solid_kind: int
    solid_size: Vector
    solid_place: Vector
    solid_turn: Matrix
    solid_bound: float
    points: int
    radius: float
    reach: float
    stiffness: float
    damping: float
    dissipation: float
    friction: float
    slip: float


AT = offsets(TouchRow)


def touch_rows(lookup: Lookup) -> Iterator[TouchRow]:
    for contact in lookup.contacts:
        for touching in touching_shapes(lookup.mechanism, contact):
            yield _row(lookup, contact, touching)


def _row(lookup: Lookup, contact: CompliantContact, touching: Touching) -> TouchRow:
    model, tree = lookup.mechanism.model, lookup.tree
    sides = []
    for shape in touching:
        body = int(model.geom_bodyid[shape])
        frame = tree.bodies.get(model.body(body).name, _WORLD)
        link_turn = dcm_from_quaternion(frame.quat).T
        place = frame.pos + link_turn @ model.geom_pos[shape]
        turn = link_turn @ dcm_from_quaternion(model.geom_quat[shape]).T
        kind = int(model.geom_type[shape])
        bound = math.inf if kind == PLANE else float(model.geom_rbound[shape])
        sides.append((frame.link, body, shape, kind, model.geom_size[shape], place, turn, bound))
    points, solid = sides
    kind = points[3]
    return TouchRow(
        *points, *solid,
        points=COUNTS[kind],
        radius=float(points[4][0]) if kind == SPHERE else 0.0,
        reach=points[7] + solid[7],
        stiffness=contact.stiffness, damping=contact.damping, dissipation=contact.dissipation,
        friction=contact.friction, slip=contact.slip_speed,
    )  # fmt: skip


# ---- native code ---------------------------------------------------------------------------------------------------


def begin_touches(context):
    if load_int(at(context, S.wants_contacts)) != 0:
        clear_contacts(context)


def touch(context, row):
    """All points of a row."""
    link, other = load_int(row + AT.link), load_int(row + AT.solid_link)
    centre, axes = pose_of(context, link, row + AT.place, row + AT.turn)
    solid_centre, solid_axes = pose_of(context, other, row + AT.solid_place, row + AT.solid_turn)
    # vehicles may be far from the origin of the world and near to each other: first differences, then sums
    apart = between_origins(context, S.origin_r, link, other)
    offset = add3(subtract3(centre, solid_centre), apart)
    reach = load_float(row + AT.reach)
    if not in_any_lane(dot3(offset, offset) <= reach * reach):
        return
    # nor if the centre of one is further from the surface of the other than the first is large
    bound, solid_bound = load_float(row + AT.bound), load_float(row + AT.solid_bound)
    if not in_any_lane(distance_to(row + AT.solid_kind, turned_back(solid_axes, offset))[0] <= bound):
        return
    if not in_any_lane(distance_to(row + AT.kind, turned_back(axes, scale3(offset, -1.0)))[0] <= solid_bound):
        return
    r, v, omega = velocities_of(context, link)
    solid_r, solid_v, solid_omega = velocities_of(context, other)
    drift, radius = between_origins(context, S.origin_v, link, other), load_float(row + AT.radius)
    for i in range(load_int(row + AT.points)):
        arm = turned(axes, point_of(row, i))
        distance, x, y, z = distance_to(row + AT.solid_kind, turned_back(solid_axes, add3(offset, arm)))
        depth = radius - distance
        if not in_any_lane(depth > 0.0):
            continue
        normal = turned(solid_axes, (x, y, z))
        # halfway between the two surfaces, relative to the origins of both vehicles
        place = subtract3(add3(centre, arm), scale3(normal, radius - 0.5 * depth))
        solid_side = add3(place, apart)
        speed = add3(v, cross3(omega, subtract3(place, r)))
        speed = subtract3(speed, add3(solid_v, cross3(solid_omega, subtract3(solid_side, solid_r))))
        force = force_of(row, depth, normal, add3(speed, drift))
        push(context, link, place, force)
        push(context, other, solid_side, scale3(force, -1.0))
        if load_int(at(context, S.wants_contacts)) != 0:
            first = load_int(row + AT.body), load_int(row + AT.shape), place
            second = load_int(row + AT.solid_body), load_int(row + AT.solid_shape), solid_side
            add_contact(context, first, second, force, scale3(force, 0.0), larger(depth, 0.0))


def pose_of(context, link, place, turn):
    """Centre of a shape in a link relative to the origin of the vehicle, and from its components to inertial ones."""
    T, r, _, _ = motion_of(context, link)
    return components(r + vectors.turned(T, load_packed(place))), elements(vectors.product(T, load_turn(turn)))


def velocities_of(context, link):
    """Position, velocity and angular velocity of a link."""
    _, r, omega, v = motion_of(context, link)
    return components(r), components(v), components(omega)


def between_origins(context, slot, link, other):
    """From the origin of the second link's vehicle to that of the first, or of their velocities; zero for the world."""
    a, b = origin_of(context, slot, link), origin_of(context, slot, other)
    return subtract3(a, b)


def origin_of(context, slot, link):
    origins = at(context, slot)
    here = load3(origins + 24 * load_int(at(context, S.vehicle) + 8 * link))
    return scale3(here, 1.0 if link > 0 else 0.0)


def point_of(row, i):
    """A point of a shape, in its own components: Eq. (1)."""
    kind, size = load_int(row + AT.kind), load3(row + AT.size)
    x, y, z = 0.0, 0.0, 0.0
    if kind == BOX:
        x, y, z = 1.0 - 2.0 * (i & 1), 1.0 - (i & 2), 1.0 - 0.5 * (i & 4)
    elif kind == CYLINDER:
        # its size is radius, half length
        size = size[0], size[0], size[1]
        x, y, z = RIM_X[i & 7], RIM_Y[i & 7], 1.0 - 0.25 * (i & 8)
    return size[0] * x, size[1] * y, size[2] * z


def distance_to(shape, q):
    """Distance of a point to the surface of a solid, negative inside, and the normal outwards: Eqs. (2) to (5).

    The shape lies in memory as its kind and then its size.
    """
    kind, size = load_int(shape), load3(shape + 8)
    nothing = 0.0 * q[0]
    if kind == PLANE:
        return q[2], nothing, nothing, nothing + 1.0
    if kind == SPHERE:
        length = math.sqrt(dot3(q, q))
        part = 1.0 / choose(length > 0.0, length, 1.0)
        return length - size[0], part * q[0], part * q[1], choose(length > 0.0, part * q[2], 1.0)
    if kind == CYLINDER:
        rho = math.sqrt(q[0] * q[0] + q[1] * q[1])
        part = 1.0 / choose(rho > 0.0, rho, 1.0)
        distance, outwards, along, _ = distance_to_corner(rho - size[0], abs(q[2]) - size[1], nothing - 1.0e9)
        return distance, outwards * part * q[0], outwards * part * q[1], along * sign_of(q[2])
    distance, x, y, z = distance_to_corner(abs(q[0]) - size[0], abs(q[1]) - size[1], abs(q[2]) - size[2])
    return distance, x * sign_of(q[0]), y * sign_of(q[1]), z * sign_of(q[2])


def distance_to_corner(a, b, c):
    """Of the octant of points none of whose coordinates is positive: Eqs. (4) and (5)."""
    x, y, z = larger(a, 0.0), larger(b, 0.0), larger(c, 0.0)
    length = math.sqrt(x * x + y * y + z * z)
    part = 1.0 / choose(length > 0.0, length, 1.0)
    inside = larger(a, larger(b, c))
    is_a = choose(a >= inside, 1.0, 0.0)
    is_b = choose(b >= inside, 1.0 - is_a, 0.0)
    return (
        choose(length > 0.0, length, inside),
        choose(length > 0.0, part * x, is_a),
        choose(length > 0.0, part * y, is_b),
        choose(length > 0.0, part * z, 1.0 - is_a - is_b),
    )


def sign_of(x):
    return choose(x < 0.0, -1.0, 1.0)


def force_of(row, depth, normal, velocity):
    """Force on the points: Eqs. (6) and (7)."""
    outwards = dot3(normal, velocity)
    spring = load_float(row + AT.stiffness) * depth
    pressure = spring * (1.0 - load_float(row + AT.dissipation) * outwards) - load_float(row + AT.damping) * outwards
    pressure = choose(depth > 0.0, larger(pressure, 0.0), 0.0)
    along = subtract3(velocity, scale3(normal, outwards))
    slip = load_float(row + AT.slip)
    drag = load_float(row + AT.friction) * pressure / math.sqrt(dot3(along, along) + slip * slip)
    return subtract3(scale3(normal, pressure), scale3(along, drag))


def push(context, link, place, force):
    """A force at a place relative to the origin of the link's vehicle."""
    if link > 0:
        target = at(context, S.wrench) + 48 * link
        store3(target, add3(load3(target), cross3(place, force)))
        store3(target + 24, add3(load3(target + 24), force))


TOUCHES = Table(
    "touches",
    TouchRow,
    Stage.GATHER,
    (once(begin_touches), each(touch)),
    standing=touch_rows,
    acts_on_links=True,
)
