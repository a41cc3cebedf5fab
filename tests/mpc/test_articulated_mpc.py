"""Base and joints planned together: the prediction, its optimum, its limits."""

import numpy as np
import pytest
from test_derivatives import moved

import cardan as cd
from cardan.errors import CardanError
from cardan.messages import (
    BodyWrench,
    FlyerReference,
    FrameMotion,
    HingeReferences,
    HingeStates,
    HingeTorques,
    SlideForces,
    SlideStates,
    ThrusterLimits,
    TipReference,
)
from cardan.mpc import articulated_mpc
from cardan.mpc.tree_costs import Limits, count_rows, errors_near, limit_rows, look, margins, see
from cardan.mpc.tree_plans import aims_of
from cardan.mpc.tree_prediction import new_tree_room, predict, predict_near
from cardan.robotics import Robot

STEP = 0.25


def two_armed():
    """A free base with a hinge and a slide on one side and a hinge on the other."""
    m = cd.Mechanism("craft")
    bus = m.add_body("bus", joint=cd.Free(), mass=12.0, inertia_B=np.diag([0.3, 0.25, 0.2]), r_CB_B=(0.01, 0.0, 0.02))
    upper = m.add_body(
        "upper", parent=bus, joints={"shoulder": cd.Hinge((0, 1, 0), armature=1e-3)}, mass=1.0,
        inertia_B=np.diag([1e-3, 8e-3, 8e-3]), r_CB_B=(0.15, 0, 0), r_BP_P=(0.2, 0, 0),
    )  # fmt: skip
    lower = m.add_body(
        "lower", parent=upper, joints={"boom": cd.Slide((1, 0, 0))}, mass=0.6, inertia_B=np.diag([1e-3, 4e-3, 4e-3]),
        r_CB_B=(0.1, 0, 0.01), r_BP_P=(0.3, 0, 0),
    )  # fmt: skip
    m.add_site("tip", lower, r_SB_B=(0.25, 0.0, 0.0))
    m.add_body(
        "panel", parent=bus, joints={"panel": cd.Hinge((1, 0, 0))}, mass=0.8, inertia_B=np.diag([5e-3, 5e-3, 9e-3]),
        r_CB_B=(0, -0.3, 0), r_BP_P=(0, -0.2, 0),
    )  # fmt: skip
    return m


CRAFT = two_armed()
ROBOT = Robot(CRAFT)
HINGES, SLIDES = HingeStates(np.array([0.4, -0.3]), np.zeros(2)), SlideStates(np.array([0.05]), np.zeros(1))
START = FrameMotion(r_BN_N=[0.3, -0.2, 0.1], sigma_BN=[0.1, -0.05, 0.2], v_BN_N=[0.02, 0.0, -0.01])
GOAL = TipReference(r_TN_N=np.array([0.9, 0.2, -0.1]), sigma_TN=np.array([0.0, 0.1, 0.0]))


def controller(**options):
    given = {"horizon": 8, "max_force": 2.0, "max_torque": 0.5, "max_effort": [0.5, 2.0, 0.2], **options}
    return articulated_mpc(ROBOT, tip="tip", **given)


def first_plan(part, **inputs):
    """What it does at its first tick."""
    given = {"base": START, "joints": HINGES, "slides": SLIDES, "tip_reference": GOAL, **inputs}
    return part.step(STEP, part.initial(), **given)[1]


def random_node(seed):
    rng = np.random.default_rng(seed)
    q = rng.normal(size=ROBOT.nq)
    q[3:7] /= np.linalg.norm(q[3:7])
    return q, rng.normal(size=ROBOT.nu), rng.normal(size=ROBOT.nu)


def off(node, other):
    """The neighbourhood of `other` in which `node` lies."""
    q = other[3:7] * [1, -1, -1, -1]
    w, e = q[0] * node[3] - q[1:] @ node[4:7], q[0] * node[4:7] + node[3] * q[1:] + np.cross(q[1:], node[4:7])
    return np.r_[2.0 * np.sign(w) * e, node[:3] - other[:3], node[7:] - other[7:]]


# ---- the prediction --------------------------------------------------------------------------------------------------


def test_derivatives_of_a_step_are_what_differences_say():
    q, u, y = random_node(1)
    nu, room = ROBOT.nu, new_tree_room(ROBOT.numbers)
    there, A, B = np.zeros(ROBOT.nq + nu), np.zeros((2 * nu, 2 * nu)), np.zeros((2 * nu, nu))
    predict_near(room, np.r_[q, u], y, 0.3, there, A, B)

    def after(change):
        out = np.zeros_like(there)
        predict(room, np.r_[moved(ROBOT, q, change[:nu]), u + change[nu : 2 * nu]], y + change[2 * nu :], 0.3, out)
        return off(out, there)

    steps = 1e-5 * np.eye(3 * nu)
    differences = np.array([(after(step) - after(-step)) / 2e-5 for step in steps]).T
    assert np.hstack([A, B]) == pytest.approx(differences, abs=1e-6 * np.abs(differences).max())


def test_derivatives_of_the_errors_of_a_tip_are_what_differences_say():
    q, u, _ = random_node(2)
    nu, room, E = ROBOT.nu, new_tree_room(ROBOT.numbers), np.zeros((12, 2 * ROBOT.nu))
    goal = TipReference(GOAL.r_TN_N, np.array([0.1, 0.2, 0.3]), GOAL.sigma_TN, np.array([0.2, -0.1, 0.3]))
    nothing = np.zeros((2, 4))
    frames, references, weights = aims_of(ROBOT.frame("tip").numbers, FlyerReference(), goal, nothing, nothing)

    class Frames:
        pass

    aims = Frames()
    aims.frames, aims.references, aims.weights = frames, references, weights

    def errors(change):
        node = np.r_[moved(ROBOT, q, change[:nu]), u + change[nu:]]
        look(room, node)
        seen = see(room, node, frames[1], references[1], 0.7)
        return np.r_[seen.e_r, seen.e_theta, seen.e_v, seen.e_omega], seen

    _, seen = errors(np.zeros(2 * nu))
    errors_near(room, aims, 1, seen, E)
    steps = 1e-5 * np.eye(2 * nu)
    differences = np.array([(errors(step)[0] - errors(-step)[0]) / 2e-5 for step in steps]).T
    assert pytest.approx(differences, abs=1e-6) == E


def test_soft_limits_of_a_node_change_as_differences_say():
    q, u, _ = random_node(2)
    nu, room, free = ROBOT.nu, new_tree_room(ROBOT.numbers), np.full(3, np.inf)
    points = np.array([ROBOT.frame("tip").numbers, ROBOT.frame("bus").numbers])
    sphere, wall = np.array([[0.5, 0.2, 0.1, 0.3]]), np.array([[1.0, 0.0, 0.0, 1.0]])
    limits = Limits(0.5, 10.0, 10.0, -free, free, free, points, np.array([0.1, 0.2]), sphere, wall)

    def left(change):
        node, out = np.r_[moved(ROBOT, q, change[:nu]), u + change[nu:]], np.zeros(count_rows(limits))
        look(room, node)
        margins(room, limits, node, out)
        return out, node

    steps = 1e-5 * np.eye(2 * nu)
    differences = np.array([(left(step)[0] - left(-step)[0]) / 2e-5 for step in steps]).T
    G, (_, node) = np.zeros((count_rows(limits), 2 * nu)), left(np.zeros(2 * nu))
    limit_rows(room, limits, node, G)
    assert pytest.approx(-differences, abs=1e-6) == G


def test_a_plan_that_is_flown_ends_where_it_was_said_to_end():
    plan = first_plan(controller()).prediction
    m = two_armed()
    scn = cd.Scenario("flown", mechanism=m)
    bus, hinges, slides = m.bodies["bus"], m.group_of_hinges("hinges"), m.group_of_slides("slides")
    wrench = scn.input("wrench", BodyWrench())
    torque, force = scn.input("torque", HingeTorques(np.zeros(2))), scn.input("force", SlideForces(np.zeros(1)))
    scn.connect(wrench, bus.wrench)
    scn.connect(torque, hinges.efforts)
    scn.connect(force, slides.efforts)
    scn.start({bus: START, "shoulder": cd.messages.HingeState(0.4), "panel": cd.messages.HingeState(-0.3)})
    scn.start({"boom": cd.messages.SlideState(0.05)})
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.05))
    for k in range(8):
        six, effort = plan.thrust[k], plan.effort[k]
        sim.give(
            wrench=BodyWrench(six[:3], six[3:]),
            torque=HingeTorques(effort[[0, 2]]),
            force=SlideForces(effort[[1]]),
        )
        sim.advance_to(STEP * (k + 1))
    # the midpoint rule is of second order, with steps of 0.25 s; the tip goes 0.4 m in 2 s
    assert sim["tip.motion"].r_BN_N == pytest.approx(plan.r_TN_N[-1], abs=1e-2)
    assert sim["bus.motion"].r_BN_N == pytest.approx(plan.r_BN_N[-1], abs=1e-2)
    found = sim["shoulder.state"].angle, sim["boom.state"].displacement, sim["panel.state"].angle
    assert found == pytest.approx(tuple(plan.joint[-1]), abs=2e-2)


# ---- the optimum -----------------------------------------------------------------------------------------------------


def test_more_programs_find_the_optimum_that_ipopt_finds():
    casadi = pytest.importorskip("casadi")
    part = controller(horizon=3, first_programs=60, tolerance=1e-10, iterations=60)
    found = first_plan(part)
    assert found.status.cost == pytest.approx(ipopt_cost(casadi, part), rel=1e-6)


def ipopt_cost(ca, part):
    """The same problem with dynamics written again: kinetic energy of every body, and Lagrange's equations."""
    n, nu = part.horizon, ROBOT.nu
    opti, q0 = ca.Opti(), ROBOT.drawn
    q0[:3] = START.r_BN_N
    s2 = float(np.dot(START.sigma_BN, START.sigma_BN))
    q0[3:7] = np.r_[1.0 - s2, 2.0 * np.asarray(START.sigma_BN)] / (1.0 + s2)
    q0[7:] = [HINGES.angle[0], SLIDES.displacement[0], HINGES.angle[1]]
    u0 = np.r_[START.omega_BN_B, START.v_BN_N, 0.0, 0.0, 0.0]
    lacking, place = lagrange(ca)
    y, a, b = opti.variable(nu, n), opti.variable(nu, n), opti.variable(nu, n)
    bounds = ca.DM(np.r_[part.thrust_range[:, 1], part.max_effort])
    opti.subject_to(opti.bounded(-ca.repmat(bounds, n, 1), ca.vec(y), ca.repmat(bounds, n, 1)))
    q, u, total = ca.DM(q0), ca.DM(u0), 0.0
    h, weights = part.prediction_step, np.r_[np.full(6, part.thrust_weight), np.full(nu - 6, part.effort_weight)]
    for k in range(n):
        # accelerations at the beginning of the step, and half way
        half, middle = u + 0.5 * h * a[:, k], shifted(ca, q, u, 0.5 * h)
        opti.subject_to(lacking(q, u, y[:, k], a[:, k]) == 0)
        opti.subject_to(lacking(middle, half, y[:, k], b[:, k]) == 0)
        u, q = u + h * b[:, k], shifted(ca, q, half, h)
        last = k == n - 1
        total += 0.5 * ca.sum1(ca.DM(weights) * y[:, k] ** 2)
        base = part.base_weights[1 * last]
        tip = part.tip_weights[1 * last]
        joint = part.joint_weights[1 * last]
        R, p, v, omega = place(q, u)
        total += 0.5 * (base[2] * ca.sumsqr(u[3:6]) + base[3] * ca.sumsqr(u[:3]))
        goal = cd.maths.dcm_from_mrp(GOAL.sigma_TN)
        C = ca.DM(goal) @ R
        axis = ca.vertcat(C[2, 1] - C[1, 2], C[0, 2] - C[2, 0], C[1, 0] - C[0, 1])
        angle = ca.atan2(ca.norm_2(axis), ca.trace(C) - 1.0)
        total += 0.5 * (tip[0] * ca.sumsqr(p - ca.DM(GOAL.r_TN_N)) + tip[1] * angle**2)
        total += 0.5 * (tip[2] * ca.sumsqr(v) + tip[3] * ca.sumsqr(omega))
        total += 0.5 * (joint[0] * ca.sumsqr(q[7:] - ca.DM(part.posture)) + joint[1] * ca.sumsqr(u[6:]))
    opti.minimize(total)
    opti.solver(
        "ipopt",
        {"print_time": False},
        {"print_level": 0, "sb": "yes", "tol": 1e-10, "hessian_approximation": "limited-memory"},
    )
    return float(opti.solve().value(total))


def shifted(ca, q, u, h):
    turn = h * u[:3]
    angle = ca.sqrt(ca.sumsqr(turn) + 1e-30)
    w, e = ca.cos(0.5 * angle), ca.sin(0.5 * angle) / angle * turn
    a, b = q[3], q[4:7]
    quaternion = ca.vertcat(a * w - ca.dot(b, e), a * e + w * b + ca.cross(b, e))
    return ca.vertcat(q[:3] + h * u[3:6], quaternion, q[7:] + h * u[6:])


def lagrange(ca):
    """What efforts lack for accelerations, from kinetic energy: Boltzmann and Hamel for the turn, else Lagrange.

    And a function for the tip: attitude, position, velocity, angular velocity.
    """
    q, (u, y, a) = ca.SX.sym("q", ROBOT.nq), (ca.SX.sym(name, ROBOT.nu) for name in "uya")
    tree = CRAFT.tree
    w, x, yy, z = q[3], q[4], q[5], q[6]
    R0 = ca.vertcat(
        ca.horzcat(1 - 2 * (yy**2 + z**2), 2 * (x * yy - w * z), 2 * (x * z + w * yy)),
        ca.horzcat(2 * (x * yy + w * z), 1 - 2 * (x**2 + z**2), 2 * (yy * z - w * x)),
        ca.horzcat(2 * (x * z - w * yy), 2 * (yy * z + w * x), 1 - 2 * (x**2 + yy**2)),
    )
    frames = {1: (R0, q[:3], R0 @ u[:3], u[3:6])}
    energy = 0.0
    for link in range(1, tree.links):
        if link > 1:
            R, r, omega, v = frames[int(tree.parent[link])]
            j = int(tree.q_at[link])
            axis, offset = R @ ca.DM(tree.axis[link]), R @ ca.DM(tree.offset_pos[link])
            if int(tree.kind[link]) == cd.mechanism.tree.HINGE:
                K = ca.skew(ca.DM(tree.axis[link]))
                own = ca.DM.eye(3) + ca.sin(q[j]) * K + (1 - ca.cos(q[j])) * K @ K
                frames[link] = (R @ own, r + offset, omega + axis * u[j - 1], v + ca.cross(omega, offset))
            else:
                out = offset + axis * q[j]
                frames[link] = (R, r + out, omega, v + ca.cross(omega, out) + axis * u[j - 1])
            energy += 0.5 * float(tree.armature[tree.v_at[link]]) * u[j - 1] ** 2
        R, r, omega, v = frames[link]
        centre, spin = v + ca.cross(omega, R @ ca.DM(tree.com[link])), R.T @ omega
        energy += 0.5 * float(tree.mass[link]) * ca.sumsqr(centre)
        energy += 0.5 * ca.dot(spin, ca.DM(tree.inertia[link]) @ spin)
    p = ca.gradient(energy, u)
    # rate of q: of the quaternion by omega in body axes
    e = q[4:7]
    q_dot = ca.vertcat(u[3:6], -0.5 * ca.dot(e, u[:3]), 0.5 * (q[3] * u[:3] + ca.cross(e, u[:3])), u[6:])
    # dT by a small turn about body axes
    by_q = ca.gradient(energy, q)
    by_turn = 0.5 * (-e * by_q[3] + q[3] * by_q[4:7] - ca.cross(e, by_q[4:7]))
    force = ca.vertcat(y[3:6] + by_turn - ca.cross(u[:3], p[:3]), R0 @ y[:3] + by_q[:3], y[6:] + by_q[7:])
    lacks = ca.jtimes(p, u, a) + ca.jtimes(p, q, q_dot) - force
    tip = CRAFT.tree.sites["tip"]
    R, r, omega, v = frames[tip.link]
    arm = R @ ca.DM(tip.pos)
    place = ca.Function("place", [q, u], [R, r + arm, v + ca.cross(omega, arm), omega])
    return ca.Function("lacks", [q, u, y, a], [lacks]), place


# ---- limits ----------------------------------------------------------------------------------------------------------


def test_bounds_are_kept_and_soft_limits_too_where_they_can_be():
    part = controller(
        horizon=16, joint_range=[[-0.5, 0.5], [0.0, 0.2], [-0.6, 0.6]], max_joint_rate=[0.3, 0.1, 0.2],
        max_speed=0.2, points={"tip": 0.05, "bus": 0.2}, keep_out_N=[[0.75, 0.0, 0.05]], keep_out_radius=[0.1],
        wall_normals_N=[[1.0, 0.0, 0.0]], wall_offsets=[1.2], first_programs=20,
    )  # fmt: skip
    found = first_plan(part)
    plan = found.prediction
    assert found.status.is_converged and found.status.excess < 1e-3
    assert np.all(np.abs(plan.thrust) <= part.thrust_range[:, 1]) and np.all(np.abs(plan.effort) <= part.max_effort)
    assert plan.joint.min(axis=0) == pytest.approx(np.maximum(plan.joint.min(axis=0), part.joint_range[:, 0]), abs=1e-3)
    assert plan.joint.max(axis=0) == pytest.approx(np.minimum(plan.joint.max(axis=0), part.joint_range[:, 1]), abs=1e-3)
    assert np.all(np.abs(plan.joint_rate) <= part.max_joint_rate + 1e-3)
    away = np.linalg.norm(plan.r_TN_N[1:] - [0.75, 0.0, 0.05], axis=1)
    assert away.min() > 0.15 - 1e-3


def test_a_column_whose_limits_coincide_is_left_alone():
    part = controller()
    largest = part.thrust_range[:, 1].copy()
    largest[0] = 0.0
    found = first_plan(part, limits=ThrusterLimits(np.zeros(6), largest))
    assert np.all(found.prediction.thrust[:, 0] == 0.0) and found.prediction.thrust.min() >= 0.0


def test_joints_follow_a_reference_of_their_own():
    part = controller(
        tip_weights=np.zeros((2, 4)), joint_weights=[[5.0, 0.1], [20.0, 1.0]],
        horizon=16,
    )  # fmt: skip
    told = HingeReferences(np.array([0.6, -0.1]), np.zeros(2), np.zeros(2))
    found = first_plan(part, joint_reference=told)
    assert found.prediction.joint[-1, [0, 2]] == pytest.approx([0.6, -0.1], abs=0.05)


def test_out_of_iterations_the_best_plan_is_flown_and_flagged():
    found = first_plan(controller(iterations=1, first_programs=1))
    assert not found.status.is_converged and not found.status.is_fallback
    assert np.all(np.abs(found.prediction.thrust) <= controller().thrust_range[:, 1])


def test_a_solver_that_breaks_down_leaves_the_plan_of_before_and_says_so():
    part, overflowing = controller(), controller(tip_weights=np.full((2, 4), 1e307))
    memory, _ = part.step(STEP, part.initial(), START, HINGES, SLIDES, tip_reference=GOAL)
    _, found = overflowing.step(STEP, memory, START, HINGES, SLIDES, tip_reference=GOAL)
    assert found.status.is_fallback and not found.status.is_converged
    assert found.status.mu == found.status.residual == -1.0
    assert found.torque.torque == pytest.approx(memory.plan[1, [6, 8]])


# ---- as a task -------------------------------------------------------------------------------------------------------


def closed_loop(jit=True):
    m = two_armed()
    scn = cd.Scenario("loop", mechanism=m)
    hinges, slides = m.group_of_hinges("hinges"), m.group_of_slides("slides")
    ctl = scn.add(
        controller(), name="ctl", every=STEP, base=m.bodies["bus"].motion, joints=hinges.states, slides=slides.states,
        tip_reference=GOAL,
    )  # fmt: skip
    scn.connect(ctl.wrench, m.bodies["bus"].wrench)
    scn.connect(ctl.torque, hinges.efforts)
    scn.connect(ctl.force, slides.efforts)
    scn.start({"bus": START})
    return cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.05), jit=jit)


def test_the_tip_comes_to_its_reference_the_same_in_plain_python_and_again_after_a_snapshot():
    sim = closed_loop()
    sim.run(until=2.0, progress=False)
    snapshot = sim.snapshot()
    log = sim.run(until=20.0, progress=False)
    assert log["ctl.status"].is_converged.all()
    assert np.linalg.norm(log["ctl.prediction"].r_TN_N[-1, 0] - GOAL.r_TN_N) < 0.02
    # to the same bits from a snapshot, and as Python
    again = closed_loop()
    again.restore(snapshot)
    going_on = again.run(until=4.0, progress=False)["ctl.torque"].torque
    assert np.array_equal(going_on, log["ctl.torque"].torque[: len(going_on)]) and len(going_on) >= 8
    plain, native = (closed_loop(jit=jit).run(until=1.0, progress=False) for jit in (False, True))
    assert np.array_equal(plain["ctl.wrench"].force_B, native["ctl.wrench"].force_B)
    assert np.array_equal(plain["ctl.prediction"].joint, native["ctl.prediction"].joint)


def test_members_of_a_batch_are_controlled_as_each_alone_to_the_bit():
    """Four in two threads; compiled code has no way back to the interpreter."""
    places = START.r_BN_N + np.outer(np.linspace(0.0, 0.3, 4), [1.0, -0.5, 0.2])
    batch = cd.Batch(
        closed_loop().scenario, 4, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.05), threads=2,
        outputs=["ctl.torque"],
    )  # fmt: skip
    batch.reset({"bus": START._replace(r_BN_N=places)})
    assert not batch.advance(1.0).any()
    for member in (0, 3):
        alone = batch.simulation(member)
        alone.reset({"bus": START._replace(r_BN_N=places[member])})
        alone.run(until=1.0, progress=False)
        assert np.array_equal(alone.snapshot().words, batch.snapshot(member).words)


def test_its_checker_finds_the_same_bits_too():
    told = HingeReferences(np.array([0.1, 0.2]), np.zeros(2), np.zeros(2))
    limits = ThrusterLimits(np.zeros(6), controller().thrust_range[:, 1])
    given = {"joints": HINGES, "slides": SLIDES, "limits": limits, "joint_reference": told}
    assert cd.check_task(controller(horizon=4), inputs=given).targets["native"] == "the same bits"


# ---- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"horizon": 0}, "`ArticulatedMpc.horizon` must be positive"),
        ({"base_weights": -np.ones((2, 4))}, "`ArticulatedMpc.base_weights` must be zero or positive"),
        ({"max_effort": [0.5, 0.0, 0.2]}, "`ArticulatedMpc.max_effort` must be positive"),
        ({"posture": [0.0]}, "`ArticulatedMpc.posture` must be one per joint of `robot`"),
        ({"joint_range": [[-9.0, 1.0], [0.0, 1.0], [1.0, 0.0]]}, "got the row [1. 0.]"),
        ({"points": {"tip": -0.1}}, "`ArticulatedMpc.point_radius` must be"),
        ({"max_torque": None}, "The base is driven by thrusters or by a wrench."),
        ({"points": {"tap": 0.1}}, "There is no body or site `tap`."),
    ],
)
def test_impossible_numbers_are_refused(options, text):
    with pytest.raises(CardanError) as caught:
        controller(**options)
    assert text in str(caught.value)


def test_a_ball_joint_and_a_base_on_the_world_are_refused():
    m = cd.Mechanism("ball")
    bus = m.add_body("bus", joint=cd.Free(), mass=1.0, inertia_B=np.eye(3))
    m.add_body("head", parent=bus, joint=cd.Ball(), mass=1.0, inertia_B=np.eye(3))
    with pytest.raises(CardanError, match="three hinges"):
        articulated_mpc(Robot(m), tip="head", max_force=1.0, max_torque=1.0, max_effort=np.ones(3))
    m = cd.Mechanism("arm")
    m.add_body("link", joint=cd.Hinge((0, 0, 1)), mass=1.0, inertia_B=np.eye(3))
    with pytest.raises(CardanError, match="hangs on the world"):
        articulated_mpc(Robot(m), tip="link", max_force=1.0, max_torque=1.0, max_effort=1.0)


@pytest.mark.parametrize(
    "inputs",
    [{"joints": HingeStates(np.zeros(3), np.zeros(3))}, {"joint_reference": HingeReferences(*np.zeros((3, 1)))}],
)
def test_messages_of_other_sizes_are_refused(inputs):
    with pytest.raises(CardanError, match="not as many elements as the robot has"):
        first_plan(controller(), **inputs)
