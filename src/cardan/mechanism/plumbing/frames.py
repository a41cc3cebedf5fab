"""Output ports about frames: `motion`, `matrix`, and the `positions` and `motions` of a group of bodies."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from cardan.maths import choose
from cardan.mechanism.plumbing.arrays import S, at
from cardan.mechanism.plumbing.fixed_frames import TURN_AT
from cardan.mechanism.plumbing.links import carrier_of, is_rotor, motion_of
from cardan.mechanism.plumbing.lookup import Lookup, words_of
from cardan.mechanism.plumbing.table import Address, Stage, Table, each, offsets
from cardan.mechanism.roles import Role
from cardan.native.pointers import load_int
from cardan.native.tuples import quat_from_turn, store3
from cardan.native.vectors import (
    cross,
    elements,
    load_packed,
    load_turn,
    product,
    store_packed,
    turned,
    turned_back,
)

if TYPE_CHECKING:
    from cardan.mechanism.ports import MechanismPort


class FrameRow(NamedTuple):
    """A frame in a link.

    Attributes:
        link: The link.
        to_r: Where its position goes; this and the next four may be nowhere.
        to_v: Its velocity.
        to_sigma: Its attitude as MRP.
        to_omega: Its angular velocity.
        to_dcm: Its attitude as a matrix.
        centre: Where the centre of mass lies that it follows, if it follows one.
        frame: Where its position and turn in the link lie, or those of the body that the centre belongs to.
    """

    link: int
    to_r: Address
    to_v: Address
    to_sigma: Address
    to_omega: Address
    to_dcm: Address
    centre: Address
    frame: Address


AT = offsets(FrameRow)


def frame_rows(lookup: Lookup, port: "MechanismPort", place: Any) -> Iterator[FrameRow]:
    words = words_of(place)
    is_group = port.role in (Role.POSITIONS, Role.MOTIONS)
    for i, element in enumerate(port.elements):
        link, frame, centre = lookup.frame(f"{element}.com" if port.role is Role.POSITIONS else element)
        fields = ("r_BN_N", "v_BN_N", "sigma_BN", "omega_BN_B", "dcm_BN")
        to = [words[name] + (3 * i if is_group else 0) if name in words else 0 for name in fields]
        yield FrameRow._make([link, *to, centre, frame])


def publish_frame(context, row):
    """Motion of one frame."""
    link = load_int(row + AT.link)
    vehicle = load_int(at(context, S.vehicle) + 8 * link)
    to_r, to_v, to_sigma = load_int(row + AT.to_r), load_int(row + AT.to_v), load_int(row + AT.to_sigma)
    to_omega, to_dcm, centre = load_int(row + AT.to_omega), load_int(row + AT.to_dcm), load_int(row + AT.centre)
    at_frame = context + load_int(row + AT.frame)
    if is_rotor(context, link) and to_v == 0 and to_sigma == 0 and to_omega == 0 and to_dcm == 0:
        # what has a position alone is a centre of mass, and that of a rotor has its place in what carries it
        place, link = load_packed(at(context, S.seat) + 24 * link), carrier_of(context, link)
    else:
        place = load_packed(at_frame)
    if centre != 0:
        place = place + turned(load_turn(at_frame + TURN_AT), load_packed(context + centre))
    T, r, omega, v = motion_of(context, link)
    arm = turned(T, place)
    if to_r != 0:
        r = r + arm
        if link > 0:
            r = load_packed(at(context, S.origin_r) + 24 * vehicle) + r
        store_packed(context + to_r, r)
    if to_v != 0:
        v = v + cross(omega, arm)
        if link > 0:
            v = load_packed(at(context, S.origin_v) + 24 * vehicle) + v
        store_packed(context + to_v, v)
    if to_sigma == 0 and to_omega == 0 and to_dcm == 0:
        return
    axes = product(T, load_turn(at_frame + TURN_AT))
    if to_sigma != 0:
        w, x, y, z = quat_from_turn(elements(axes))
        sign = choose(w < 0.0, -1.0, 1.0)
        scale = sign / (1.0 + sign * w)
        store3(context + to_sigma, (x * scale, y * scale, z * scale))
    if to_omega != 0:
        store_packed(context + to_omega, turned_back(axes, omega))
    if to_dcm != 0:
        # it takes inertial components to those of the frame, whose axes are its rows
        store_packed(context + to_dcm, axes[0])
        store_packed(context + to_dcm + 24, axes[1])
        store_packed(context + to_dcm + 48, axes[2])


FRAMES = Table(
    "frames",
    FrameRow,
    Stage.FRAMES,
    (each(publish_frame),),
    roles=frozenset({Role.MOTION, Role.MATRIX, Role.POSITIONS, Role.MOTIONS}),
    rows=frame_rows,
    is_per_element=True,
)
