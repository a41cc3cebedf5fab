"""Native code that all dynamics services share: what goes into them and what comes out, port by port.

Plain functions over the arrays of `memory`, compiled together with the service that calls them. A service's
kinematics calls `begin`, fills the frames of the links, and calls `publish_frames`; its dynamics calls `gather`, finds
accelerations and reactions, and calls `finish`.
"""

import math

import numpy as np

from cardan.mechanism.masses import ROUNDING
from cardan.mechanism.memory import S, at, floats, ints, size
from cardan.mechanism.tree import BALL, FREE, SLIDE
from cardan.native.pointers import load_float, load_int, store_float, store_int
from cardan.native.status import NOT_FINITE, OK, SINGULAR
from cardan.native.tuples import (
    add3,
    cross3,
    dot3,
    load3,
    load4,
    load9,
    quat_from_turn,
    scale3,
    store3,
    store4,
    store9,
    subtract3,
    turn_from_quat,
    turn_product,
    turned,
    turned_back,
)

# [-] less than this of the inertia that a freedom moves is not left to it by rounding (recursive_tree.md, Eq. (18))
LEAST = 1.0e-12
LENGTH_TOLERANCE = 1.0e-6  # [-] how far from 1 the length of a quaternion may be that is given
OWN, INERTIAL = 0, 1  # the components of a wrench input
ON_JOINT, ON_SITE = 0, 1  # where a motor acts


def begin(context):
    """Take over the state, put prescribed motion in, note which accelerations are known, and find the origins."""
    q_now, v_now = at(context, S.q_now), at(context, S.v_now)
    take_state(context)
    if is_held(context):
        prescribe(context)
        lock(context)
    if size(context, S.mass_inputs) > 0:
        update_masses(context)

    origin_r, origin_v = at(context, S.origin_r), at(context, S.origin_v)
    for i in range(size(context, S.vehicles)):
        root = load_int(at(context, S.roots) + 8 * i)
        if load_int(at(context, S.kind) + 8 * root) == FREE:
            store3(origin_r + 24 * i, load3(q_now + 8 * load_int(at(context, S.q_at) + 8 * root)))
            store3(origin_v + 24 * i, load3(v_now + 8 * load_int(at(context, S.v_at) + 8 * root)))


def take_state(context):
    """Columns of `integrated`: link, where its coordinates and velocities are among those of the integrator."""
    rows, kinds = at(context, S.integrated), at(context, S.kind)
    for i in range(size(context, S.integrated_links)):
        link = load_int(rows + 24 * i)
        kind = load_int(kinds + 8 * link)
        q, v = at(context, S.q) + 8 * load_int(rows + 24 * i + 8), at(context, S.v) + 8 * load_int(rows + 24 * i + 16)
        q_now = at(context, S.q_now) + 8 * load_int(at(context, S.q_at) + 8 * link)
        v_now = at(context, S.v_now) + 8 * load_int(at(context, S.v_at) + 8 * link)
        if kind > BALL:
            store_float(q_now, load_float(q))
            store_float(v_now, load_float(v))
            continue
        if kind == FREE:
            store3(q_now, load3(q))
            store3(v_now, load3(v))
            q, q_now, v, v_now = q + 24, q_now + 24, v + 24, v_now + 24
        # between stages a quaternion may have any length; attitude is its direction
        store4(q_now, unit4(load4(q)))
        store3(v_now, load3(v))


def is_held(context):
    """Whether any joint may be locked or prescribed."""
    return size(context, S.lock_inputs) + size(context, S.prescribed_inputs) + size(context, S.turn_inputs) > 0


def prescribe(context):
    """Columns of `prescribed_in`: coordinate, velocity, where value, rate and acceleration are; `turn_in` the same."""
    rows = size(context, S.prescribed_inputs)
    inputs = ints(context, S.prescribed_in, rows, 5)
    for i in range(rows):
        index = 8 * inputs[i, 1]
        store_float(at(context, S.q_now) + 8 * inputs[i, 0], load_float(context + inputs[i, 2]))
        store_float(at(context, S.v_now) + index, load_float(context + inputs[i, 3]))
        set_known(context, index, load_float(context + inputs[i, 4]))
    turns = size(context, S.turn_inputs)
    inputs = ints(context, S.turn_in, turns, 5)
    for i in range(turns):
        index = 8 * inputs[i, 1]
        store4(at(context, S.q_now) + 8 * inputs[i, 0], given4(load4(context + inputs[i, 2])))
        store3(at(context, S.v_now) + index, load3(context + inputs[i, 3]))
        for k in range(3):
            set_known(context, index + 8 * k, load_float(context + inputs[i, 4] + 8 * k))


def lock(context):
    """Columns of `lock_in`: coordinate, velocity, where the flag and the value are.

    A lock pulls its joint to where it holds, critically damped; at rest there, it holds exactly.
    """
    rows = size(context, S.lock_inputs)
    inputs = ints(context, S.lock_in, rows, 4)
    tau = load_float(at(context, S.lock_time))
    for i in range(rows):
        index = 8 * inputs[i, 1]
        store_int(at(context, S.is_known) + index, 0)
        store_float(at(context, S.known_acceleration) + index, 0.0)
        if load_int(context + inputs[i, 2]) != 0:
            off = load_float(at(context, S.q_now) + 8 * inputs[i, 0]) - load_float(context + inputs[i, 3])
            rate = load_float(at(context, S.v_now) + index)
            set_known(context, index, -(2.0 * rate + off / tau) / tau)


def set_known(context, index, acceleration):
    store_int(at(context, S.is_known) + index, 1)
    store_float(at(context, S.known_acceleration) + index, acceleration)


def update_masses(context):
    """Mass properties of links whose bodies have a `mass_properties` input."""
    rows, links = size(context, S.mass_inputs), size(context, S.links)
    inputs = ints(context, S.mass_in, rows, 4)
    mass, com, inertia = masses(context, S.mass, S.com, S.inertia, links)
    fixed_mass, fixed_com, fixed_inertia = masses(context, S.fixed_mass, S.fixed_com, S.fixed_inertia, links)
    for i in range(rows):
        link = inputs[i, 0]
        mass[link] = fixed_mass[link]
        com[link] = fixed_com[link]
        inertia[link] = fixed_inertia[link]
    for i in range(rows):
        add_mass(context, i, inputs[i, 0], mass, com, inertia)


def masses(context, mass, com, inertia, links):
    return floats(context, mass, links, 1)[:, 0], floats(context, com, links, 3), floats(context, inertia, links, 9)


def weighs(context, link):
    """Whether a link has mass or inertia: the links of a chain of joints before its body have none."""
    tensor = at(context, S.inertia) + 72 * link
    return load_float(at(context, S.mass) + 8 * link) != 0.0 or (
        load_float(tensor) + load_float(tensor + 32) + load_float(tensor + 64) != 0.0
    )


def add_mass(context, i, link, mass, com, inertia):
    """Columns of `mass_in`: link, where mass, centre of mass and inertia are. Two bodies become one."""
    inputs = ints(context, S.mass_in, i + 1, 4)
    pose = at(context, S.mass_in_pose) + 56 * i
    turn = turn_from_quat(load4(pose + 24))
    added = load_float(context + inputs[i, 1])
    centre = add3(load3(pose), turned(turn, load3(context + inputs[i, 2])))
    own = load9(context + inputs[i, 3])
    # what no body has has no acceleration: the run stops there, and the interpreter says why
    total = mass[link] + (added if added >= 0.0 and is_physical(own) else np.nan)
    arm = subtract3(centre, (com[link, 0], com[link, 1], com[link, 2]))
    square = arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2]
    reduced = mass[link] * added / total
    for a in range(3):
        for b in range(3):
            turned_own = 0.0
            for c in range(3):
                for d in range(3):
                    turned_own += turn[3 * a + c] * own[3 * c + d] * turn[3 * b + d]
            inertia[link, 3 * a + b] += turned_own + reduced * ((square if a == b else 0.0) - arm[a] * arm[b])
    for a in range(3):
        com[link, a] += added / total * arm[a]
    # nor has a body without mass
    mass[link] = total if total > 0.0 else np.nan


def is_physical(inertia):
    """Whether no principal moment exceeds the sum of the others: half the trace less the inertia is not negative."""
    trace = inertia[0] + inertia[4] + inertia[8]
    room, half = ROUNDING * trace, 0.5 * trace
    x, y, z = half - inertia[0], half - inertia[4], half - inertia[8]
    a, b, c = -inertia[1], -inertia[2], -inertia[5]
    skew = max(abs(inertia[1] - inertia[3]), abs(inertia[2] - inertia[6]), abs(inertia[5] - inertia[7]))
    minors = min(x * y - a * a, x * z - b * b, y * z - c * c)
    determinant = x * (y * z - c * c) - a * (a * z - b * c) + b * (a * c - b * y)
    return skew <= room and min(x, y, z) >= -room and minors >= -room * trace and determinant >= -room * trace * trace


def publish_frames(context):
    """Messages about frames, joints and vehicles."""
    for i in range(size(context, S.frame_outputs)):
        publish_frame(context, i)
    outputs = at(context, S.scalar_out)
    for i in range(size(context, S.scalar_outputs)):
        # columns: 0 coordinate or 1 velocity, which one, where it goes
        row = outputs + 24 * i
        source = at(context, S.q_now) if load_int(row) == 0 else at(context, S.v_now)
        store_float(context + load_int(row + 16), load_float(source + 8 * load_int(row + 8)))
    for i in range(size(context, S.momentum_outputs)):
        publish_momentum(context, i)


def publish_frame(context, i):
    """Motion of one frame.

    Columns of `frame_out`: link, then where r, v, sigma, omega and dcm go (0: nowhere), then where the centre of mass
    lies that the frame follows (0: none). Columns of its pose: position and turn in the link, or in the body of that
    centre.
    """
    row, pose = at(context, S.frame_out) + 56 * i, at(context, S.frame_out_pose) + 96 * i
    link = load_int(row)
    vehicle = load_int(at(context, S.vehicle) + 8 * link)
    to_r, to_v, to_sigma = load_int(row + 8), load_int(row + 16), load_int(row + 24)
    to_omega, to_dcm, centre = load_int(row + 32), load_int(row + 40), load_int(row + 48)
    omega, turn = load3(at(context, S.omega) + 24 * link), load9(at(context, S.turn) + 72 * link)
    place = load3(pose)
    if centre != 0:
        place = add3(place, turned(load9(pose + 24), load3(context + centre)))
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
    t = turn_product(turn, load9(pose + 24))
    if to_sigma != 0:
        quat = quat_from_turn(t)
        sign = -1.0 if quat[0] < 0.0 else 1.0
        scale = sign / (1.0 + sign * quat[0])
        store3(context + to_sigma, (quat[1] * scale, quat[2] * scale, quat[3] * scale))
    if to_omega != 0:
        store3(context + to_omega, turned_back(t, omega))
    if to_dcm != 0:
        store9(context + to_dcm, (t[0], t[3], t[6], t[1], t[4], t[7], t[2], t[5], t[8]))


def publish_momentum(context, i):
    """A whole vehicle; columns of `momentum_out`: vehicle, where the message begins."""
    row = at(context, S.momentum_out) + 16 * i
    vehicle, out = load_int(row), context + load_int(row + 8)
    links = size(context, S.links)
    mass, com, inertia = masses(context, S.mass, S.com, S.inertia, links)
    total, centre, speed = 0.0, np.zeros(3), np.zeros(3)
    for link in range(1, links):
        if load_int(at(context, S.vehicle) + 8 * link) == vehicle:
            place, moving = centre_of_link(context, link, com)
            total += mass[link]
            for k in range(3):
                centre[k] += mass[link] * place[k]
                speed[k] += mass[link] * moving[k]
    centre /= total
    speed /= total

    tensor, momentum, energy = np.zeros((3, 3)), np.zeros(3), 0.0
    for link in range(1, links):
        if load_int(at(context, S.vehicle) + 8 * link) != vehicle:
            continue
        place, moving = centre_of_link(context, link, com)
        turn, w = load9(at(context, S.turn) + 72 * link), load3(at(context, S.omega) + 24 * link)
        arm = subtract3(place, (centre[0], centre[1], centre[2]))
        relative = subtract3(moving, (speed[0], speed[1], speed[2]))
        orbital = cross3(arm, relative)
        square = arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2]
        for a in range(3):
            spin = 0.0
            for b in range(3):
                own = 0.0
                for c in range(3):
                    for d in range(3):
                        own += turn[3 * a + c] * inertia[link, 3 * c + d] * turn[3 * b + d]
                spin += own * w[b]
                tensor[a, b] += own + mass[link] * ((square if a == b else 0.0) - arm[a] * arm[b])
            momentum[a] += spin + mass[link] * orbital[a]
            energy += 0.5 * (w[a] * spin + mass[link] * relative[a] * relative[a])

    store_float(out, total)
    for a in range(3):
        store_float(out + 8 * (1 + a), load_float(at(context, S.origin_r) + 24 * vehicle + 8 * a) + centre[a])
        store_float(out + 8 * (4 + a), load_float(at(context, S.origin_v) + 24 * vehicle + 8 * a) + speed[a])
        for b in range(3):
            store_float(out + 8 * (7 + 3 * a + b), tensor[a, b])
        store_float(out + 8 * (16 + a), momentum[a])
    store_float(out + 8 * 19, energy)


def centre_of_link(context, link, com):
    """Position and velocity of a link's centre of mass relative to its vehicle's origin."""
    arm = turned(load9(at(context, S.turn) + 72 * link), (com[link, 0], com[link, 1], com[link, 2]))
    swing = cross3(load3(at(context, S.omega) + 24 * link), arm)
    return add3(load3(at(context, S.r) + 24 * link), arm), add3(load3(at(context, S.velocity) + 24 * link), swing)


def gather(context):
    """Sum what acts on links and joints through ports."""
    wrench, effort = at(context, S.wrench), at(context, S.effort)
    if size(context, S.wrench_inputs) + size(context, S.motors) > 0:
        for i in range(6 * size(context, S.links)):
            store_float(wrench + 8 * i, 0.0)
    for i in range(size(context, S.nv)):
        store_float(effort + 8 * i, 0.0)
    for i in range(size(context, S.effort_inputs)):
        # columns: velocity, where the effort is
        row = at(context, S.effort_in) + 16 * i
        target = effort + 8 * load_int(row)
        store_float(target, load_float(target) + load_float(context + load_int(row + 8)))
    for i in range(size(context, S.wrench_inputs)):
        add_wrench(context, i)
    if size(context, S.motors) > 0:
        drive(context)


def drive(context):
    """Actuators of the file: commands that are summed and limited, forces that follow from them and are limited too."""
    command, total, limits = at(context, S.command), at(context, S.motor_effort), at(context, S.motor_range)
    for i in range(size(context, S.motors)):
        store_float(command + 8 * i, 0.0)
    for i in range(size(context, S.command_inputs)):
        # columns: motor, where the command is
        row = at(context, S.command_in) + 16 * i
        target = command + 8 * load_int(row)
        store_float(target, load_float(target) + load_float(context + load_int(row + 8)))
    for i in range(size(context, S.nv)):
        store_float(total + 8 * i, 0.0)
    for i in range(size(context, S.motors)):
        drive_motor(context, i)
    for i in range(size(context, S.nv)):
        limited = within(load_float(total + 8 * i), load_float(limits + 16 * i), load_float(limits + 16 * i + 8))
        store_float(at(context, S.effort) + 8 * i, load_float(at(context, S.effort) + 8 * i) + limited)


def drive_motor(context, i):
    """One motor.

        force = gain command + bias + bias_length length + bias_rate rate

    Columns of `motor`: on a joint or on a site; its coordinate, or the link of the site; its first velocity; how many
    velocities. Columns of `motor_law`: gain, the three of the bias, limits of the command, limits of the force, gear
    (6), position and turn of the site in the link. Length and rate are those of the joint times the gear.
    """
    row, law = at(context, S.motor) + 32 * i, at(context, S.motor_law) + 208 * i
    place, v_at, freedoms = load_int(row + 8), load_int(row + 16), load_int(row + 24)
    command = within(load_float(at(context, S.command) + 8 * i), load_float(law + 32), load_float(law + 40))
    force = load_float(law) * command + load_float(law + 8)
    gear = law + 64
    if load_int(row) == ON_SITE:
        force = within(force, load_float(law + 48), load_float(law + 56))
        push, turn = scale3(load3(gear), force), scale3(load3(gear + 24), force)
        push_at(context, place, load3(law + 112), load9(law + 136), push, turn)
        return
    if freedoms == 1:
        length = load_float(gear) * load_float(at(context, S.q_now) + 8 * place)
        rate = load_float(gear) * load_float(at(context, S.v_now) + 8 * v_at)
        force += load_float(law + 16) * length + load_float(law + 24) * rate
    force = within(force, load_float(law + 48), load_float(law + 56))
    for k in range(freedoms):
        target = at(context, S.motor_effort) + 8 * (v_at + k)
        store_float(target, load_float(target) + load_float(gear + 8 * k) * force)


def within(value, low, high):
    """`value`, between `low` and `high`; what is no number stays none."""
    if value < low:
        return low
    if value > high:
        return high
    return value


def add_springs_and_dampers(context):
    """Efforts of joints that follow from their own state."""
    effort, damping, v_now = at(context, S.effort), at(context, S.damping), at(context, S.v_now)
    if load_int(at(context, S.has_dampers)) != 0:
        for i in range(size(context, S.nv)):
            dragged = load_float(damping + 8 * i) * load_float(v_now + 8 * i)
            store_float(effort + 8 * i, load_float(effort + 8 * i) - dragged)
    if load_int(at(context, S.has_springs)) == 0:
        return
    for link in range(1, size(context, S.links)):
        if load_int(at(context, S.kind) + 8 * link) > BALL:
            q_at, v_at = load_int(at(context, S.q_at) + 8 * link), load_int(at(context, S.v_at) + 8 * link)
            stretch = load_float(at(context, S.q_now) + 8 * q_at) - load_float(at(context, S.rest) + 8 * q_at)
            target = effort + 8 * v_at
            store_float(target, load_float(target) - load_float(at(context, S.stiffness) + 8 * v_at) * stretch)


def add_wrench(context, i):
    """One wrench.

    Columns of `wrench_in`: link, where force and torque are (0: none), in which components, and where the centre of
    mass lies that the wrench acts at (0: none). Columns of its pose: position and turn in the link, or in the body of
    that centre.
    """
    row, pose = at(context, S.wrench_in) + 40 * i, at(context, S.wrench_in_pose) + 96 * i
    link, from_force, from_torque = load_int(row), load_int(row + 8), load_int(row + 16)
    components, centre = load_int(row + 24), load_int(row + 32)
    if link == 0:
        return
    force, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if from_force != 0:
        force = load3(context + from_force)
    if from_torque != 0:
        torque = load3(context + from_torque)
    place, frame = load3(pose), load9(pose + 24)
    if centre != 0:
        place = add3(place, turned(frame, load3(context + centre)))
    if components == INERTIAL:
        add_force(context, link, place, force, torque)
    else:
        push_at(context, link, place, frame, force, torque)


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


def finish(context):
    """Rates of the coordinates, messages about reactions, and whether all accelerations are numbers."""
    status = OK
    v_dot, rows = at(context, S.v_dot), at(context, S.integrated)
    for i in range(size(context, S.integrated_links)):
        link = load_int(rows + 24 * i)
        kind = load_int(at(context, S.kind) + 8 * link)
        q, v = 8 * load_int(at(context, S.q_at) + 8 * link), 8 * load_int(at(context, S.v_at) + 8 * link)
        q_rate = at(context, S.q_rate) + 8 * load_int(rows + 24 * i + 8)
        v_rate = at(context, S.v_rate) + 8 * load_int(rows + 24 * i + 16)
        if kind > BALL:
            store_float(q_rate, load_float(at(context, S.v_now) + v))
            store_float(v_rate, load_float(v_dot + v))
            continue
        if kind == FREE:
            store3(q_rate, load3(at(context, S.v_now) + v))
            store3(v_rate, load3(v_dot + v))
            q, v, q_rate, v_rate = q + 24, v + 24, q_rate + 24, v_rate + 24
        w, x, y, z = load4(at(context, S.q_now) + q)
        a, b, c = load3(at(context, S.v_now) + v)
        store_float(q_rate, 0.5 * (-x * a - y * b - z * c))
        store3(
            q_rate + 8,
            (0.5 * (w * a - z * b + y * c), 0.5 * (z * a + w * b - x * c), 0.5 * (-y * a + x * b + w * c)),
        )
        store3(v_rate, load3(v_dot + v))
    for i in range(size(context, S.nv_integrated)):
        value = load_float(at(context, S.v_rate) + 8 * i)
        if value - value != 0.0:
            status = NOT_FINITE
    publish_reactions(context)
    return status


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
            is_regular &= load_float(divisors + index + k) > least or load_int(is_known + index + k) != 0
    return OK if is_regular else SINGULAR


def weigh_links(context):
    """Mass of each link, and the trace of its inertia about the vehicle's origin."""
    carried, masses, tensors = at(context, S.carried), at(context, S.mass), at(context, S.inertia)
    rs, turns, coms = at(context, S.r), at(context, S.turn), at(context, S.com)
    for link in range(1, size(context, S.links)):
        mass, tensor = load_float(masses + 8 * link), tensors + 72 * link
        spread = 0.0
        if weighs(context, link):
            place = add3(load3(rs + 24 * link), turned(load9(turns + 72 * link), load3(coms + 24 * link)))
            own = load_float(tensor) + load_float(tensor + 32) + load_float(tensor + 64)
            spread = own + 2.0 * mass * dot3(place, place)
        store_float(carried + 16 * link, mass)
        store_float(carried + 16 * link + 8, spread)


def publish_reactions(context):
    """Messages about what joints transmit and what holds them."""
    for i in range(size(context, S.reaction_outputs)):
        publish_reaction(context, i)


def publish_reaction(context, i):
    """Columns: 0 reaction or 1 holding effort; link or velocity; where force or effort, and torque, go."""
    row = at(context, S.reaction_out) + 32 * i
    which, to_first, to_torque = load_int(row + 8), load_int(row + 16), load_int(row + 24)
    if load_int(row) == 1:
        store_float(context + to_first, load_float(at(context, S.holding) + 8 * which))
        return
    turn = load9(at(context, S.turn) + 72 * load_int(at(context, S.body_link) + 8 * which))
    anchor = load3(at(context, S.anchor_now) + 24 * which)
    torque, force = load3(at(context, S.reaction) + 48 * which), load3(at(context, S.reaction) + 48 * which + 24)
    store3(context + to_first, turned_back(turn, force))
    store3(context + to_torque, turned_back(turn, subtract3(torque, cross3(anchor, force))))


def project(t, context):
    """A kernel: quaternions back to unit length, after an accepted step."""
    rows = at(context, S.integrated)
    for i in range(size(context, S.integrated_links)):
        kind = load_int(at(context, S.kind) + 8 * load_int(rows + 24 * i))
        if kind <= BALL:
            q = at(context, S.q) + 8 * (load_int(rows + 24 * i + 8) + (3 if kind == FREE else 0))
            store4(q, unit4(load4(q)))
    return OK


def publish(t, context):
    """A kernel: messages that only the recorder wants, after kinematics and dynamics."""
    publish_frames(context)
    publish_reactions(context)
    return OK


def balance(t, context):
    """A kernel: rates of what loads have given to each vehicle; columns of `balance_out`: vehicle, where they go.

    Force, torque about the centre of mass, power of the motion about it, power of its own motion. Joints give the
    power that they transmit times how fast they move.
    """
    for i in range(size(context, S.balance_outputs)):
        row = at(context, S.balance_out) + 16 * i
        vehicle, out = load_int(row), context + load_int(row + 8)
        links = size(context, S.links)
        mass, com, _ = masses(context, S.mass, S.com, S.inertia, links)
        total, centre, speed = 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        force, torque, power = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0
        for link in range(1, links):
            if load_int(at(context, S.vehicle) + 8 * link) != vehicle:
                continue
            place, moving = centre_of_link(context, link, com)
            total += mass[link]
            centre = add3(centre, scale3(place, mass[link]))
            speed = add3(speed, scale3(moving, mass[link]))
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
        store3(out, force)
        store3(out + 24, subtract3(torque, cross3(centre, force)))
        store_float(out + 48, power - dot3(force, speed))
        store_float(out + 56, dot3(force, own))
    return OK


def spatial_velocity(context, link):
    """Angular velocity of a link, and the velocity of its point at the vehicle's origin."""
    omega = load3(at(context, S.omega) + 24 * link)
    return omega, subtract3(
        load3(at(context, S.velocity) + 24 * link), cross3(omega, load3(at(context, S.r) + 24 * link))
    )


def given4(q):
    """A quaternion that a part gives, of unit length but for rounding; any other is not a number."""
    w, x, y, z = q
    off = abs(math.sqrt(w * w + x * x + y * y + z * z) - 1.0)
    return unit4(q) if off <= LENGTH_TOLERANCE else (np.nan, np.nan, np.nan, np.nan)


def unit4(q):
    """A quaternion of unit length."""
    w, x, y, z = q
    scale = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    return w * scale, x * scale, y * scale, z * scale
