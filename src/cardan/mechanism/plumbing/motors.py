"""Input port `command` of actuators, and the motors among them that become efforts and wrenches.

    force = gain command + bias + bias_length length + bias_rate rate

with limits of the command before it and of the force after it. Length and rate are those of the joint times the gear.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import mujoco
import numpy as np

from cardan.maths import choose
from cardan.mechanism.motors import command_range, force_range, is_on_joint, is_switched_off, moves_without_command
from cardan.mechanism.plumbing.arrays import S, at, clear, size
from cardan.mechanism.plumbing.fixed_frames import TURN_AT
from cardan.mechanism.plumbing.links import push_at
from cardan.mechanism.plumbing.lookup import Lookup
from cardan.mechanism.plumbing.table import Address, Stage, Table, each, offsets, once
from cardan.mechanism.roles import Role
from cardan.native.pointers import load_float, load_int, store_float
from cardan.native.vectors import load_packed, load_turn

if TYPE_CHECKING:
    from cardan.mechanism.mechanism import Mechanism
    from cardan.mechanism.ports import MechanismPort

# ---- commands ------------------------------------------------------------------------------------------------------


class CommandRow(NamedTuple):
    """A place among `command`, and where what is added to it lies."""

    number: int
    command: Address


COMMAND = offsets(CommandRow)


def command_rows(lookup: Lookup, port: "MechanismPort", place: Any) -> Iterator[CommandRow]:
    model = lookup.mechanism.model
    actuator = model.actuator(port.elements[0]).id
    index = int(model.actuator_ctrladr[actuator]) if lookup.takes_commands else lookup.motors.index(actuator)
    yield CommandRow(index, place.at)


def clear_commands(context):
    clear(at(context, S.command), size(context, S.commands))


def add_command(context, row):
    target = at(context, S.command) + 8 * load_int(row + COMMAND.number)
    store_float(target, load_float(target) + load_float(context + load_int(row + COMMAND.command)))


COMMANDS = Table(
    "commands",
    CommandRow,
    Stage.GATHER,
    (once(clear_commands), each(add_command)),
    roles=frozenset({Role.COMMAND}),
    rows=command_rows,
    told="commanded",
)


# ---- motors --------------------------------------------------------------------------------------------------------


class MotorRow(NamedTuple):
    """A motor or servo at a joint or a site.

    Attributes:
        number: Of its command.
        is_on_site: Whether it acts at a site; else along a joint.
        place: The coordinate of its joint, or the link of its site.
        velocity: The first one of its joint.
        freedoms: How many the joint has.
        gain: Force per command.
        bias: Force without a command.
        bias_length: Force per length.
        bias_rate: Force per rate.
        least_command: Limit of the command; the next is the other one.
        largest_command: Limit of the command.
        least_force: Limit of the force; the next is the other one.
        largest_force: Limit of the force.
        gear: What the force is multiplied by: along each freedom, or force and torque at the site.
        frame: Where position and turn of the site in its link lie, or nowhere.
    """

    number: int
    is_on_site: int
    place: int
    velocity: int
    freedoms: int
    gain: float
    bias: float
    bias_length: float
    bias_rate: float
    least_command: float
    largest_command: float
    least_force: float
    largest_force: float
    gear: Annotated[np.ndarray, 6]
    frame: Address


MOTOR = offsets(MotorRow)


def driven_actuators(mechanism: "Mechanism", commanded: frozenset[str]) -> list[int]:
    """The actuators that become efforts and wrenches: those with a command, and those that act without one."""
    model = mechanism.model
    names = [model.actuator(i).name for i in range(model.nactuator)]
    return [i for i, name in enumerate(names) if name in commanded or moves_without_command(model, i)]


def motor_rows(lookup: Lookup) -> Iterator[MotorRow]:
    model, tree = lookup.mechanism.model, lookup.tree
    for index, i in enumerate(lookup.motors):
        target = int(model.actuator_trnid[i, 0])
        gear = np.array(model.actuator_gear[model.actuator_outadr[i]]) * (not is_switched_off(model, i))
        is_affine = model.actuator_biastype[i] == mujoco.mjtBias.mjBIAS_AFFINE
        bias = model.actuator_biasprm[i, :3] if is_affine else np.zeros(3)
        law = [model.actuator_gainprm[i, 0], *bias, *command_range(model, i), *force_range(model, i), gear]
        if is_on_joint(model, i):
            joint = tree.joints[target + 1]
            freedoms = lookup.velocities(joint)
            place = [False, lookup.coordinate(joint), freedoms[0], len(freedoms)]
            yield MotorRow._make([index, *place, *law, 0])
        else:
            link, frame = lookup.site(target)
            yield MotorRow._make([index, True, link, 0, 0, *law, frame])


def clear_motors(context):
    clear(at(context, S.motor_effort), size(context, S.nv))


def drive(context, row):
    """One motor."""
    place, v_at, freedoms = load_int(row + MOTOR.place), load_int(row + MOTOR.velocity), load_int(row + MOTOR.freedoms)
    command = load_float(at(context, S.command) + 8 * load_int(row + MOTOR.number))
    command = within(command, load_float(row + MOTOR.least_command), load_float(row + MOTOR.largest_command))
    force = load_float(row + MOTOR.gain) * command + load_float(row + MOTOR.bias)
    least, largest, gear = load_float(row + MOTOR.least_force), load_float(row + MOTOR.largest_force), row + MOTOR.gear
    if load_int(row + MOTOR.is_on_site) != 0:
        force = within(force, least, largest)
        push, turn = load_packed(gear) * force, load_packed(gear + 24) * force
        frame = context + load_int(row + MOTOR.frame)
        push_at(context, place, load_packed(frame), load_turn(frame + TURN_AT), push, turn)
        return
    if freedoms == 1:
        length = load_float(gear) * load_float(at(context, S.q_now) + 8 * place)
        rate = load_float(gear) * load_float(at(context, S.v_now) + 8 * v_at)
        force += load_float(row + MOTOR.bias_length) * length + load_float(row + MOTOR.bias_rate) * rate
    force = within(force, least, largest)
    for k in range(freedoms):
        target = at(context, S.motor_effort) + 8 * (v_at + k)
        store_float(target, load_float(target) + load_float(gear + 8 * k) * force)


def limit_motors(context):
    """What motors of a joint exert together, within its limits, along its freedoms."""
    total, limits, effort = at(context, S.motor_effort), at(context, S.motor_range), at(context, S.effort)
    for i in range(size(context, S.nv)):
        limited = within(load_float(total + 8 * i), load_float(limits + 16 * i), load_float(limits + 16 * i + 8))
        store_float(effort + 8 * i, load_float(effort + 8 * i) + limited)


def within(value, low, high):
    """`value`, between `low` and `high`; what is no number stays none."""
    return choose(value < low, low, choose(value > high, high, value))


MOTORS = Table(
    "motors",
    MotorRow,
    Stage.GATHER,
    (once(clear_motors), each(drive), once(limit_motors)),
    standing=motor_rows,
    acts_on_links=True,
)
