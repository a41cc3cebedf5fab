"""Output ports about frames: `motion`, `matrix`, and the `positions` of a group of bodies."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from cardan.mechanism.plumbing.arrays import S, at
from cardan.mechanism.plumbing.fixed_frames import TURN_AT
from cardan.mechanism.plumbing.lookup import Lookup, words_of
from cardan.mechanism.plumbing.table import Address, Stage, Table, each, offsets
from cardan.mechanism.roles import Role
from cardan.native.pointers import load_int
from cardan.native.tuples import (
    add3,
    cross3,
    load3,
    load9,
    quat_from_turn,
    store3,
    store9,
    turn_product,
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
    is_group = port.role is Role.POSITIONS
    for i, element in enumerate(port.elements):
        link, frame, centre = lookup.frame(f"{element}.com" if is_group else element)
        fields = ("r_BN_N", "v_BN_N", "sigma_BN", "omega_BN_B", "dcm_BN")
        to = [words[name] + (3 * i if is_group else 0) if name in words else 0 for name in fields]
        yield FrameRow._make([link, *to, centre, frame])


def publish_frame(context, row):
    """Motion of one frame."""
    link = load_int(row + AT.link)
    vehicle = load_int(at(context, S.vehicle) + 8 * link)
    to_r, to_v, to_sigma = load_int(row + AT.to_r), load_int(row + AT.to_v), load_int(row + AT.to_sigma)
    to_omega, to_dcm, centre = load_int(row + AT.to_omega), load_int(row + AT.to_dcm), load_int(row + AT.centre)
    omega, turn = load3(at(context, S.omega) + 24 * link), load9(at(context, S.turn) + 72 * link)
    frame = context + load_int(row + AT.frame)
    place = load3(frame)
    if centre != 0:
        place = add3(place, turned(load9(frame + TURN_AT), load3(context + centre)))
    arm = turned(turn, place)
    if to_r != 0:
        r = add3(load3(at(context, S.r) + 24 * link), arm)
        if link > 0:
            r = add3(load3(at(context, S.origin_r) + 24 * vehicle), r)
        store3(context + to_r, r)
    if to_v != 0:
        v = add3(load3(at(context, S.velocity) + 24 * link), cross3(omega, arm))
        if link > 0:
            v = add3(load3(at(context, S.origin_v) + 24 * vehicle), v)
        store3(context + to_v, v)
    if to_sigma == 0 and to_omega == 0 and to_dcm == 0:
        return
    t = turn_product(turn, load9(frame + TURN_AT))
    if to_sigma != 0:
        quat = quat_from_turn(t)
        sign = -1.0 if quat[0] < 0.0 else 1.0
        scale = sign / (1.0 + sign * quat[0])
        store3(context + to_sigma, (quat[1] * scale, quat[2] * scale, quat[3] * scale))
    if to_omega != 0:
        store3(context + to_omega, turned_back(t, omega))
    if to_dcm != 0:
        store9(context + to_dcm, (t[0], t[3], t[6], t[1], t[4], t[7], t[2], t[5], t[8]))


FRAMES = Table(
    "frames",
    FrameRow,
    Stage.FRAMES,
    (each(publish_frame),),
    roles=frozenset({Role.MOTION, Role.MATRIX, Role.POSITIONS}),
    rows=frame_rows,
)
