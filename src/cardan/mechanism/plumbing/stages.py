"""Native code that all dynamics services share: what goes into them and what comes out.

Plain functions over the arrays of `arrays` and the tables of `kinds`, compiled together with the service that calls
them. A service's kinematics calls `begin`, fills the frames of the links, and calls `publish_frames`; its dynamics
calls `gather`, finds accelerations and reactions, and calls `finish`.
"""

from cardan.mechanism.plumbing.arrays import S, at, clear, size, unit4
from cardan.mechanism.plumbing.kinds import any_rows, work_off
from cardan.mechanism.plumbing.table import Stage
from cardan.mechanism.tree import BALL, FREE
from cardan.native.lanes import in_any_lane
from cardan.native.pointers import load_float, load_int, store_float
from cardan.native.status import NOT_FINITE, OK
from cardan.native.tuples import load3, load4, store3, store4
from cardan.native.vectors import load_apart, load_packed, store_packed, vector

_take_inputs, _add_loads = work_off(Stage.BEGIN), work_off(Stage.GATHER)
_publish_frames, _publish_reactions = work_off(Stage.FRAMES), work_off(Stage.REACTIONS)
_balance = work_off(Stage.BALANCE)
_may_hold = any_rows(lambda table: table.holds)
_acts_on_links = any_rows(lambda table: table.acts_on_links)


def begin(context):
    """Take over the state, put prescribed motion in, note which accelerations are known, and find the origins."""
    q_now, v_now = at(context, S.q_now), at(context, S.v_now)
    take_state(context)
    _take_inputs(context)

    origin_r, origin_v = at(context, S.origin_r), at(context, S.origin_v)
    for i in range(size(context, S.vehicles)):
        root = load_int(at(context, S.roots) + 8 * i)
        if load_int(at(context, S.kind) + 8 * root) == FREE:
            store_packed(origin_r + 24 * i, load_packed(q_now + 8 * load_int(at(context, S.q_at) + 8 * root)))
            store_packed(origin_v + 24 * i, load_packed(v_now + 8 * load_int(at(context, S.v_at) + 8 * root)))


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
            store_packed(q_now, load_apart(q))
            store_packed(v_now, load_apart(v))
            q, q_now, v, v_now = q + 24, q_now + 24, v + 24, v_now + 24
        # between stages a quaternion may have any length; attitude is its direction
        store4(q_now, unit4(load4(q)))
        store_packed(v_now, load_apart(v))


def is_held(context):
    """Whether any joint may be locked or prescribed."""
    return _may_hold(context)


def publish_frames(context):
    """Messages about frames, joints and vehicles."""
    _publish_frames(context)


def gather(context):
    """Sum what acts on links and joints through ports."""
    if _acts_on_links(context):
        clear_wrenches(context, S.wrench)
        if load_int(at(context, S.wants_reactions)) != 0:
            clear_wrenches(context, S.weight)
    clear(at(context, S.effort), size(context, S.nv))
    _add_loads(context)


def clear_wrenches(context, slot):
    """Zeros, written as they will be read: as vectors."""
    nothing = vector(0.0, 0.0, 0.0)
    for link in range(size(context, S.links)):
        store_packed(at(context, slot) + 48 * link, nothing)
        store_packed(at(context, slot) + 48 * link + 24, nothing)


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
        if in_any_lane(value - value != 0.0):
            status = NOT_FINITE
    _publish_reactions(context)
    return status


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
    """A kernel: messages that only tasks or the recorder want, after kinematics and dynamics."""
    _publish_frames(context)
    _publish_reactions(context)
    return OK


def balance(t, context):
    """A kernel: rates of what loads have given to each vehicle, for an audit."""
    _balance(context)
    return OK
