"""What loads give to a vehicle, for an audit; no port, but a table like those of ports."""

from collections.abc import Iterator
from typing import NamedTuple

from cardan.mechanism.plumbing.arrays import S, at, size
from cardan.mechanism.plumbing.links import centre_of_link, spatial_velocity
from cardan.mechanism.plumbing.lookup import Lookup
from cardan.mechanism.plumbing.table import Address, Stage, Table, each, field_offsets, offsets
from cardan.mechanism.tree import FREE
from cardan.messages.mechanism import VehicleBalance
from cardan.native.pointers import load_float, load_int, store_float
from cardan.native.tuples import add3, cross3, dot3, load3, scale3, store3, subtract3


class BalanceRow(NamedTuple):
    """A vehicle, and where the rates of its balance begin."""

    vehicle: int
    to: Address


AT = offsets(BalanceRow)
OUT = field_offsets(VehicleBalance)


def balance_rows(lookup: Lookup) -> Iterator[BalanceRow]:
    yield from (BalanceRow(vehicle, to) for vehicle, to in enumerate(lookup.balances))


def publish_balance(context, row):
    """Force, torque about the centre of mass, power of the motion about it, power of its own motion.

    Joints give the power that they transmit times how fast they move.
    """
    vehicle, out = load_int(row + AT.vehicle), context + load_int(row + AT.to)
    total, centre, speed = 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    force, torque, power = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
    for link in range(1, size(context, S.links)):
        if load_int(at(context, S.vehicle) + 8 * link) != vehicle:
            continue
        place, moving = centre_of_link(context, link)
        mass = load_float(at(context, S.mass) + 8 * link)
        total += mass
        centre = add3(centre, scale3(place, mass))
        speed = add3(speed, scale3(moving, mass))
        omega, swept = spatial_velocity(context, link)
        pull, push = load3(at(context, S.wrench) + 48 * link), load3(at(context, S.wrench) + 48 * link + 24)
        power += dot3(pull, omega) + dot3(push, swept)
        force, torque = add3(force, push), add3(torque, pull)

        # what comes through the joint: from the world it is a load like any other
        parent = load_int(at(context, S.parent) + 8 * link)
        if load_int(at(context, S.kind) + 8 * link) != FREE:
            pull, push = load3(at(context, S.reaction) + 48 * link), load3(at(context, S.reaction) + 48 * link + 24)
            if parent > 0:
                before, carried = spatial_velocity(context, parent)
                omega, swept = subtract3(omega, before), subtract3(swept, carried)
            else:
                force, torque = add3(force, push), add3(torque, pull)
            power += dot3(pull, omega) + dot3(push, swept)
    centre, speed = scale3(centre, 1.0 / total), scale3(speed, 1.0 / total)
    own = add3(load3(at(context, S.origin_v) + 24 * vehicle), speed)
    store3(out + OUT.impulse_N, force)
    store3(out + OUT.angular_impulse_C_N, subtract3(torque, cross3(centre, force)))
    store_float(out + OUT.work, power - dot3(force, speed))
    store_float(out + OUT.own_work, dot3(force, own))


BALANCES = Table("balances", BalanceRow, Stage.BALANCE, (each(publish_balance),), standing=balance_rows)
