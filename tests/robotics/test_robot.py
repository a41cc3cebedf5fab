"""Robots of any mechanism: agreement with the dynamics service, identities of the paper, errors that help."""

import numpy as np
import pytest
from mechanisms import random_mechanism, random_state
from sc3dof import spacecraft

import cardan as cd
from cardan.dynamics import Calculator
from cardan.errors import MechanismError, SettingError, ShapeError, UnknownName
from cardan.robotics import Robot
from cardan.robotics import conventions as conv

SEEDS = range(40)


def one_vehicle(seeds):
    """Random mechanisms of a single vehicle, with a state each."""
    for seed in seeds:
        mechanism = random_mechanism(seed)
        if len(mechanism.tree.roots) == 1:
            yield seed, mechanism, Robot(mechanism), *random_state(mechanism, seed)


@pytest.fixture(scope="module")
def arm():
    """The spacecraft of SPART, turning and with its arm bent."""
    q = np.array([0.1, -0.2, 0.3, 0.8, 0.2, -0.4, 0.4, 0.5, -0.7, 1.1])
    return Robot(spacecraft()).at(q, np.array([0.1, -0.3, 0.2, 0.5, -0.1, 0.4, 0.6, -0.2, 0.3]))


# ---- agreement with the dynamics service -----------------------------------------------------------------------------


def test_inertia_and_dynamics_agree_with_the_recursive_tree():
    """Relative to the largest of their kind; two arrangements of the same recursion."""
    for seed, mechanism, robot, q, v in one_vehicle(SEEDS):
        calculator, u = Calculator(mechanism), conv.u_from_v(v)
        tau = np.random.default_rng(seed).normal(size=robot.nu)
        matrix = calculator.mass_matrix(q)
        order = conv.u_from_v(np.arange(robot.nu)).astype(int)
        assert np.abs(robot.inertia(q) - matrix[np.ix_(order, order)]).max() < 1e-13 * np.abs(matrix).max(), seed
        theirs = calculator.forward(q, v, conv.v_from_u(tau))
        ours = robot.forward_dynamics(q, u, tau)
        assert np.abs(conv.v_from_u(ours) - theirs).max() < 1e-11 * np.abs(theirs).max(), seed
        efforts = calculator.inverse(q, v, theirs)
        back = robot.inverse_dynamics(q, u, conv.u_from_v(theirs))
        scale = np.abs(matrix).max() * np.abs(theirs).max()
        assert np.abs(conv.v_from_u(back) - efforts).max() < 1e-12 * scale, seed


def test_frames_agree_with_the_ports_of_a_simulation():
    mechanism = spacecraft()
    scn = cd.Scenario(mechanism=mechanism)
    scn.start({"Joint_2": cd.messages.HingeState(0.4, 0.3), "Joint_3": cd.messages.HingeState(-0.9, 0.1)})
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.01))
    robot = Robot(mechanism)
    state = robot.at([0, 0, 0, 1, 0, 0, 0, 0, 0.4, -0.9], [0, 0, 0, 0, 0, 0, 0, 0.3, 0.1])
    motion = sim["Link_3.com.motion"]
    assert np.allclose(state.pose(mechanism.bodies["Link_3"].com).r_N, motion.r_BN_N, rtol=0.0, atol=1e-14)
    assert np.allclose(state.twist("Link_3.com")[3:], motion.v_BN_N, rtol=0.0, atol=1e-14)


def test_distance_and_speed_cost_no_digits():
    """7000 km away at 7.5 km/s, everything but the position itself has the same bits."""
    for seed in (1, 3, 5):
        mechanism = random_mechanism(seed, most=12)
        robot = Robot(mechanism, base="b0")
        states = []
        for far in (False, True):
            q, v = random_state(mechanism, seed, far=far)
            states.append(robot.at(q[robot.q_slice], conv.u_from_v(v[robot.v_slice])))
        near, far = states
        tau = np.ones(robot.nu)
        assert np.array_equal(near.H, far.H) and np.array_equal(near.C, far.C)
        assert np.array_equal(near.forward_dynamics(tau), far.forward_dynamics(tau))


def test_a_robot_from_urdf_is_the_one_built_in_python():
    """Joints in their own frames, a link that is fixed to another, and a base that flies."""
    links = ""
    for name, mass, com, inertia in (
        ("Spacecraft", 100.0, 0.0, 9.3), ("Link_0", 5.0, 0.125, 0.05), ("Link_1", 5.0, 0.1, 0.05),
        ("Link_2", 10.0, 0.375, 0.1), ("Link_3", 10.0, 0.375, 0.1),
    ):  # fmt: skip
        links += (
            f'<link name="{name}"><inertial><origin xyz="0 0 {com}"/><mass value="{mass}"/>'
            f'<inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        )
    for i, (kind, height, axis) in enumerate(
        (
            ("fixed", 0.375, "0 0 1"),
            ("continuous", 0.25, "0 0 1"),
            ("continuous", 0.2, "1 0 0"),
            ("continuous", 0.75, "1 0 0"),
        )
    ):
        parent = "Spacecraft" if i == 0 else f"Link_{i - 1}"
        links += (
            f'<joint name="Joint_{i}" type="{kind}"><parent link="{parent}"/><child link="Link_{i}"/>'
            f'<origin xyz="0 0 {height}"/><axis xyz="{axis}"/></joint>'
        )
    robot = Robot(cd.Mechanism.from_urdf(f'<robot name="arm">{links}</robot>', free_base=True))
    q = np.array([0.1, -0.2, 0.3, 0.8, 0.2, -0.4, 0.4, 0.5, -0.7, 1.1])
    assert robot.joints == ("Joint_1", "Joint_2", "Joint_3")
    assert np.allclose(robot.inertia(q), Robot(spacecraft()).inertia(q), rtol=0.0, atol=1e-12)


def test_two_vehicles_are_two_robots():
    mechanism = cd.Mechanism("pair")
    mechanism.attach(spacecraft(), name="chief")
    mechanism.attach(spacecraft(), name="deputy", r_BP_P=[0.0, 5.0, 0.0])
    alone, deputy = Robot(spacecraft()), Robot(mechanism, base="deputy/Spacecraft")
    assert deputy.q_slice == slice(10, 20) and deputy.v_slice == slice(9, 18)
    q = np.array([0.1, -0.2, 0.3, 1.0, 0.0, 0.0, 0.0, 0.5, -0.7, 1.1])
    assert np.array_equal(deputy.inertia(q), alone.inertia(q))


# ---- identities ------------------------------------------------------------------------------------------------------


def test_the_natural_orthogonal_complement_gives_twists_and_inertia():
    for seed, mechanism, robot, q, v in one_vehicle(SEEDS[:10]):
        state = robot.at(q, conv.u_from_v(v))
        armature = np.diag(np.concatenate([np.zeros(6), mechanism.tree.armature[6:]]))
        expected = state.N.T @ state.M @ state.N + armature
        assert np.abs(expected - state.H).max() < 1e-13 * np.abs(state.H).max(), seed
        assert np.allclose(np.triu(np.ones_like(state.N_l), 6) * state.N_l, 0.0), seed
        last = (state.N @ state.u)[-6:]
        link = max(robot._number, key=robot._number.get)
        names = [name for name, frame in mechanism.tree.bodies.items() if frame.link == link]
        if len(names) == 1:
            assert np.allclose(state.twist(f"{names[0]}.com"), last, rtol=0.0, atol=1e-12), seed


def test_the_convective_inertia_is_that_of_the_natural_orthogonal_complement():
    """Eq. (40) with the rate of M as diag([w~] I, 0)."""
    for seed, mechanism, robot, q, v in one_vehicle(SEEDS[:10]):
        if len(mechanism.bodies) != len({frame.link for frame in mechanism.tree.bodies.values()} - {0}):
            continue  # bodies that are fixed to each other are one link here, and two in the equation
        state = robot.at(q, conv.u_from_v(v))
        t, M_dot = state.N @ state.u, np.zeros_like(state.M)
        for i in range(robot.links):
            at = slice(6 * i, 6 * i + 3)
            M_dot[at, at] = cd.maths.tilde(t[at]) @ state.M[at, at]
        expected = state.N.T @ (state.M @ state.N_dot + M_dot @ state.N)
        assert np.abs(state.C - expected).max() < 1e-12 * np.abs(expected).max(), seed


def test_the_rate_of_the_inertia_less_twice_the_convective_inertia_is_skew():
    """Central differences of H along the motion: second order in the step, then rounding of H over the step."""
    step = 1e-5
    for seed, _, robot, q, v in one_vehicle(SEEDS[:15]):
        u = conv.u_from_v(v)
        H_dot = (robot.inertia(moved(robot, q, v, step)) - robot.inertia(moved(robot, q, v, -step))) / (2.0 * step)
        for share in (0.0, 0.5):
            skew = H_dot - 2.0 * robot.at(q, u).convective(share)
            assert np.abs(skew + skew.T).max() < 1e-8 * np.abs(H_dot).max(), seed


def moved(robot, q, v, dt):
    """Coordinates a moment later, by MuJoCo's own rule."""
    import mujoco

    out = np.array(q)
    mujoco.mj_integratePos(robot.mechanism.model, out, np.array(v), dt)
    return out


def test_the_literal_rate_of_the_mass_matrix_is_not_skew(arm):
    """Why the paper's M' has to be read as diag([w~] I, 0): its derivative [w~] I - I [w~] gives no skew matrix."""
    mechanism = cd.Mechanism("plate")
    mechanism.add_body("plate", joint=cd.Free(), mass=1.0, inertia_B=np.diag([1.0, 2.0, 3.0]))
    state = Robot(mechanism).at([0, 0, 0, 1, 0, 0, 0], [0.3, -0.5, 0.7, 0, 0, 0])
    I, W = np.diag([1.0, 2.0, 3.0]), cd.maths.tilde(np.array([0.3, -0.5, 0.7]))  # noqa: E741
    # of a body alone, in its own axes H is constant
    assert np.allclose(state.C[:3, :3] + state.C[:3, :3].T, 0.0, atol=1e-15)
    literal = state.C[:3, :3] - I @ W
    assert np.abs(literal + literal.T).max() > 0.5


def test_a_floating_base_keeps_its_momentum(arm):
    """Efforts of `floating_dynamics` on a base that nothing pushes: forward dynamics gives the accelerations back."""
    robot, u_m_dot = arm.robot, np.array([0.2, -0.4, 0.1])
    tau_m, u_0_dot = arm.floating_dynamics(u_m_dot)
    u_dot = arm.forward_dynamics(np.concatenate([np.zeros(6), tau_m]))
    assert np.allclose(u_dot, np.concatenate([u_0_dot, u_m_dot]), rtol=0.0, atol=1e-13)
    # H_0 u_0' + H_0m u_m' + (C u)_0 = 0: the rate of momentum as the base's equation has it
    assert np.allclose((arm.H @ u_dot + arm.C @ arm.u)[:6], 0.0, atol=1e-12)
    assert np.allclose(
        robot.floating_dynamics(arm.q, arm.u, u_m_dot, tau_0=arm.inverse_dynamics(u_dot)[:6])[1], u_0_dot
    )


def test_the_generalized_jacobian_gives_the_tip_of_a_floating_base(arm):
    u_m = np.array([0.3, -0.2, 0.5])
    u_0 = arm.floating_base_rate(u_m)
    floating = arm.robot.at(arm.q, np.concatenate([u_0, u_m]))
    assert np.abs(floating.momentum).max() < 1e-14
    assert np.allclose(arm.generalized_jacobian("Link_EE") @ u_m, floating.twist("Link_EE"), rtol=0.0, atol=1e-14)
    kept = arm.momentum
    again = arm.robot.at(arm.q, np.concatenate([arm.floating_base_rate(arm.u_m, kept), arm.u_m]))
    assert np.allclose(again.u, arm.u, rtol=0.0, atol=1e-13)


def test_momentum_about_the_centre_of_mass_does_not_depend_on_the_base_point(arm):
    about = arm.momentum_about(arm.centre_of_mass())
    v_com = arm.momentum[3:] / arm.robot.mass
    assert np.allclose(about[3:], arm.robot.mass * v_com)
    # sum over links of I w + m (r - r_c) x r'
    t, M = arm.N @ arm.u, arm.M
    total = np.zeros(3)
    for i, centre in enumerate(arm._link_centres):
        momentum = M[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] @ t[6 * i : 6 * i + 6]
        total += momentum[:3] + np.cross(centre + arm.r_0 - arm.centre_of_mass(), momentum[3:])
    assert np.allclose(about[:3], total, rtol=0.0, atol=1e-13)


def test_what_a_tip_feels_of_a_flying_floating_and_fixed_base(arm):
    """A wrench at the tip, and what the tip does at rest."""
    rest, wrench = arm.robot.at(arm.q), np.array([0.1, 0.2, -0.3, 1.0, -2.0, 0.5])
    u_dot = rest.forward_dynamics(np.zeros(9), {"Link_EE": wrench})
    assert np.allclose(rest.mobility("Link_EE") @ wrench, rest.acceleration("Link_EE", u_dot), rtol=0.0, atol=1e-12)
    # the same wrench through the joints alone: tau_m = J*T wrench
    tau_m = rest.generalized_jacobian("Link_EE").T @ wrench
    u_dot = rest.forward_dynamics(np.concatenate([np.zeros(6), tau_m]))
    floating = rest.mobility("Link_EE", "floating") @ wrench
    assert np.allclose(floating, rest.acceleration("Link_EE", u_dot), rtol=0.0, atol=1e-12)
    J_m = rest.jacobians("Link_EE").J_m
    assert np.allclose(rest.mobility("Link_EE", "fixed"), J_m @ np.linalg.inv(rest.H_m) @ J_m.T, rtol=1e-12)
    inertia = rest.operational_inertia("Link_EE")
    assert np.allclose(inertia @ rest.mobility("Link_EE"), np.eye(6), atol=1e-9)


def test_energy_and_blocks_belong_to_the_matrices(arm):
    assert np.isclose(arm.kinetic_energy, 0.5 * arm.u @ arm.H @ arm.u)
    blocks = arm.C_blocks
    assert np.array_equal(np.block([[blocks.base, blocks.coupling], [blocks.transposed, blocks.joints]]), arm.C)
    assert np.array_equal(arm.H_blocks.transposed, arm.H_0m.T)


def test_the_centre_of_mass_of_what_hangs_on_a_joint(arm):
    parts = [(10.0, arm.pose("Link_2.com").r_N), (10.0, arm.pose("Link_3.com").r_N)]
    expected = sum(mass * r for mass, r in parts) / 20.0
    assert np.allclose(arm.centre_of_mass("Link_2"), expected, rtol=0.0, atol=1e-15)


# ---- conventions -----------------------------------------------------------------------------------------------------


def test_conversions_of_base_rates_undo_each_other(arm):
    u, R_0 = arm.u, arm.R_0
    assert np.array_equal(conv.u_from_v(conv.v_from_u(u)), u)
    assert np.allclose(conv.u_from_pinocchio(conv.pinocchio_from_u(u, R_0), R_0), u, rtol=0.0, atol=1e-15)
    v, a = conv.pinocchio_from_u(u, R_0), conv.pinocchio_from_u_dot(0.5 * u, u, R_0)
    assert np.allclose(conv.u_dot_from_pinocchio(a, v, R_0), 0.5 * u, rtol=0.0, atol=1e-15)
    assert np.allclose(conv.twist_from_u(u, R_0), arm.twist("Spacecraft"), rtol=0.0, atol=1e-15)


def test_rates_at_another_point_of_the_base():
    """The same base with its frame moved to a corner: power, accelerations and twists are those of the same motion."""
    corner = np.array([0.3, -0.2, 0.5])
    inertia_B = np.diag([2.0, 3.0, 4.0])

    def robot(r_CB_B):
        m = cd.Mechanism("base")
        m.add_body("base", joint=cd.Free(), mass=5.0, inertia_B=inertia_B, r_CB_B=r_CB_B)
        return Robot(m)

    q = np.array([0.0, 0.0, 0.0, 0.8, 0.2, -0.4, 0.4])
    centred, cornered = robot([0, 0, 0]), robot(-corner)
    u = np.array([0.3, -0.5, 0.2, 1.0, 2.0, -1.0])
    tau = np.array([0.1, 0.2, 0.4, 1.0, -2.0, 3.0])
    state = centred.at(q, u)
    there = q.copy()
    there[:3] += state.R_0 @ corner
    moved_u, moved_tau = conv.u_at_point(u, state.R_0, corner), conv.effort_at_point(tau, state.R_0, corner)
    assert np.isclose(tau @ u, moved_tau @ moved_u)
    u_dot = state.forward_dynamics(tau)
    expected = conv.u_dot_at_point(u_dot, u, state.R_0, corner)
    assert np.allclose(cornered.at(there, moved_u).forward_dynamics(moved_tau), expected, rtol=0.0, atol=1e-14)


# ---- arguments -------------------------------------------------------------------------------------------------------


def test_lists_whole_numbers_and_strided_rows_are_taken(arm):
    robot = arm.robot
    H = robot.inertia(arm.q)
    assert np.array_equal(robot.inertia(arm.q.tolist()), H)
    wide = np.repeat(arm.q, 2)
    assert np.array_equal(robot.inertia(wide[::2]), H)
    tau = [1, 0, 0, 0, 0, 0, 0, 2, 0]
    assert np.array_equal(arm.forward_dynamics(tau), arm.forward_dynamics(np.array(tau, float)))
    assert np.array_equal(robot.inverse_dynamics(list(arm.q), arm.u, tau), arm.inverse_dynamics(np.array(tau, float)))


@pytest.mark.parametrize("call", ["inertia", "forward_dynamics", "inverse_dynamics", "floating_dynamics", "at"])
def test_a_row_of_another_length_is_named(arm, call):
    arguments = {"inertia": [np.zeros(9)], "at": [np.zeros(9)]}.get(call, [np.zeros(9), np.zeros(9), np.zeros(9)])
    with pytest.raises(ShapeError, match=r"`q` has shape \(9,\).\n  expected \(10,\)"):
        getattr(arm.robot, call)(*arguments)
    if call not in ("inertia", "at"):
        with pytest.raises(ShapeError, match=r"`u` has shape \(3,\).\n  expected \(9,\)"):
            getattr(arm.robot, call)(arm.q, np.zeros(3), np.zeros(9))


def test_results_go_where_they_are_told_to(arm):
    robot, tau = arm.robot, np.ones(9)
    H, row = np.empty((9, 9)), np.empty(9)
    assert robot.inertia(arm.q, out=H) is H and np.array_equal(H, arm.H)
    assert robot.forward_dynamics(arm.q, arm.u, tau, out=row) is row
    assert np.array_equal(row, arm.forward_dynamics(tau))
    assert robot.inverse_dynamics(arm.q, arm.u, tau, out=row) is row
    assert np.array_equal(row, arm.inverse_dynamics(tau))
    for call in (robot.forward_dynamics, robot.inverse_dynamics):
        with pytest.raises(
            ShapeError, match=r"`out` is an array of float64 and of shape \(8,\).\n  expected one of floa"
        ):
            call(arm.q, arm.u, tau, out=np.empty(8))
    with pytest.raises(
        ShapeError, match=r"`out` is an array of float32 and of shape \(9, 9\).\n  expected one of float64"
    ):
        robot.inertia(arm.q, out=np.empty((9, 9), dtype=np.float32))


class Labelled(np.ndarray):
    """An array of another class."""


ROWS = {
    "a list": np.ndarray.tolist,
    "single precision": lambda row: row.astype(np.float32).astype(np.float64).astype(np.float32),
    "every other of more": lambda row: np.repeat(row, 2)[::2],
    "backwards": lambda row: row[::-1].copy()[::-1],
    "another byte order": lambda row: row.astype(">f8"),
    "of another class": lambda row: row.view(Labelled),
    "read-only": lambda row: np.frombuffer(row.tobytes()),
}


@pytest.mark.parametrize("kind", ROWS)
def test_rows_of_any_kind_give_the_same(arm, kind):
    robot, made = arm.robot, ROWS[kind]
    plain = [np.array(made(row), dtype=np.float64) for row in (arm.q, arm.u, np.ones(9))]
    given = [made(row) for row in plain]
    assert np.array_equal(robot.inertia(given[0]), robot.inertia(plain[0]))
    assert np.array_equal(robot.forward_dynamics(*given), robot.forward_dynamics(*plain))
    assert np.array_equal(robot.inverse_dynamics(*given), robot.inverse_dynamics(*plain))


def test_what_cannot_be_written_to_is_refused(arm):
    closed = np.empty((9, 9))
    closed.flags.writeable = False
    for out in (closed, np.empty((9, 18))[:, ::2], np.empty((9, 9), order="F"), np.empty(81)):
        with pytest.raises(ShapeError, match="in one piece, that can be written to"):
            arm.robot.inertia(arm.q, out=out)
    with pytest.raises(ShapeError) as caught:
        arm.robot.inertia(arm.q, out=[[0.0] * 9] * 9)
    assert str(caught.value) == "`out` is a list.\n  expected an array of float64 and of shape (9, 9)"


def test_an_unknown_frame_has_the_nearest_name(arm):
    with pytest.raises(UnknownName, match=r"There is no body or site `Link_9`. Did you mean `Link_"):
        arm.pose("Link_9")


def test_an_unknown_joint_has_the_nearest_name(arm):
    with pytest.raises(UnknownName, match=r"The robot has no joint `Joint_9`. Did you mean `Joint_"):
        arm.joint_axis("Joint_9")


def test_a_frame_of_another_vehicle_is_refused():
    mechanism = cd.Mechanism("pair")
    mechanism.attach(spacecraft(), name="chief")
    mechanism.attach(spacecraft(), name="deputy")
    robot = Robot(mechanism, base="chief/Spacecraft")
    with pytest.raises(UnknownName, match=r"`deputy/Link_1` belongs to another vehicle.\n  Make a robot of that one"):
        robot.frame("deputy/Link_1")
    with pytest.raises(MechanismError, match=r"`pair` has several vehicles, at the joints chief/Spacecraft_joint, dep"):
        Robot(mechanism)
    with pytest.raises(UnknownName, match=r"There is no body `chief/Spacecaft`. Did you mean `chief/Spacecraft`"):
        Robot(mechanism, base="chief/Spacecaft")


def test_what_cannot_be_a_robot_is_refused():
    fixed = cd.Mechanism("rock")
    fixed.add_body("rock", mass=1.0, inertia_B=np.eye(3))
    with pytest.raises(MechanismError, match=r"`rock` has no joints.\n  A robot needs a base that moves, or an arm"):
        Robot(fixed)
    both = cd.Mechanism("both")
    both.add_body("rock", mass=1.0, inertia_B=np.eye(3))
    both.add_body("door", joint=cd.Hinge(), mass=1.0, inertia_B=np.eye(3))
    with pytest.raises(MechanismError, match=r"`rock` is fixed to the world.\n  Name a body that moves"):
        Robot(both, base="rock")
    heavy = cd.Mechanism.from_mjcf(
        '<mujoco><worldbody><body name="a"><joint name="f" type="free" armature="1"/>'
        '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>'
    )
    with pytest.raises(MechanismError, match=r"`f` is a free joint with armature, which no body has.\n  Leave it out"):
        Robot(heavy)


def test_a_robot_on_the_world_does_not_float():
    door = cd.Mechanism("door")
    door.add_body("door", joint=cd.Hinge(), mass=1.0, inertia_B=np.eye(3))
    robot = Robot(door)
    for call in (lambda s: s.momentum, lambda s: s.generalized_jacobian("door"), lambda s: s.floating_dynamics([1.0])):
        with pytest.raises(
            MechanismError, match=r"`door` hangs on the world, so it has no .*\n  Give its root body a fr"
        ):
            call(robot.at([0.3]))


def test_joints_that_are_no_hinges_are_no_group_of_hinges():
    m = cd.Mechanism("ram")
    m.add_body("ram", joint=cd.Slide([1.0, 0.0, 0.0]), mass=1.0, inertia_B=np.eye(3))
    with pytest.raises(
        MechanismError, match=r"`ram_joint` is not a hinge, so the robot's joints are no group of hinges"
    ):
        Robot(m).hinges("joints")
    assert Robot(spacecraft()).hinges("arm").names == ("Joint_1", "Joint_2", "Joint_3")


def test_an_unknown_kind_of_base_is_refused(arm):
    with pytest.raises(
        SettingError, match=r"base = 'flouting'. Did you mean `floating`.*\n  Use one of: fixed, floatin"
    ):
        arm.mobility("Link_EE", "flouting")


def test_a_robot_says_what_it_is(arm):
    assert repr(arm.robot) == "<robot SC_3DoF: a free base, 3 joint freedoms, 130 kg>"
