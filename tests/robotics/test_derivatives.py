"""How accelerations change with coordinates, rates and efforts, on random trees with every joint kind."""

import numpy as np
import pytest
from mechanisms import random_mechanism, random_state

import cardan as cd
from cardan.errors import CardanError
from cardan.mechanism.tree import BALL
from cardan.robotics import Robot
from cardan.robotics.conventions import u_from_v
from cardan.robotics.packing import KIND, Q_AT, U_AT

STEP = 1.0e-5  # of central differences, which then are good to 1e-9


def turned(quaternion, turn):
    """After a turn (3,) about its own axes."""
    angle = np.linalg.norm(turn)
    w, v = np.cos(0.5 * angle), turn * (np.sin(0.5 * angle) / angle if angle > 0.0 else 0.5)
    q, e = quaternion[0], quaternion[1:]
    return np.array([q * w - e @ v, *(q * v + w * e + np.cross(e, v))])


def moved(robot, q, change):
    """Coordinates after a change that has as many numbers as there are rates."""
    out = q.copy()
    if robot.n_0:
        out[3:7] = turned(q[3:7], change[:3])
        out[:3] += change[3:6]
    for record in robot.records[1:]:
        q_at, u_at = int(record[Q_AT]), int(record[U_AT])
        if int(record[KIND]) == BALL:
            out[q_at : q_at + 4] = turned(q[q_at : q_at + 4], change[u_at : u_at + 3])
        else:
            out[q_at] += change[u_at]
    return out


def differences(function, size):
    steps = STEP * np.eye(size)
    return np.array([(function(step) - function(-step)) / (2.0 * STEP) for step in steps]).T


def random_robot(seed):
    mechanism = random_mechanism(seed)
    robot = Robot(mechanism, base="b0")
    q, v = random_state(mechanism, seed)
    return robot, q[robot.q_slice], u_from_v(v[robot.v_slice]), np.random.default_rng(seed).normal(size=robot.nu)


def agree(ours, theirs):
    assert np.abs(ours - theirs).max() < 1e-6 * max(1.0, np.abs(theirs).max())


@pytest.mark.parametrize("seed", range(12))
def test_derivatives_are_what_differences_say(seed):
    robot, q, u, tau = random_robot(seed)
    found = robot.dynamics_derivatives(q, u, tau)
    assert found.u_dot == pytest.approx(robot.forward_dynamics(q, u, tau), rel=1e-14, abs=0.0)
    agree(found.by_q, differences(lambda d: robot.forward_dynamics(moved(robot, q, d), u, tau), robot.nu))
    agree(found.by_u, differences(lambda d: robot.forward_dynamics(q, u + d, tau), robot.nu))
    assert found.by_tau @ robot.inertia(q) == pytest.approx(np.eye(robot.nu), abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_so_are_those_of_inverse_dynamics(seed):
    robot, q, u, u_dot = random_robot(seed)
    by_q, by_u = robot.inverse_dynamics_derivatives(q, u, u_dot)
    agree(by_q, differences(lambda d: robot.inverse_dynamics(moved(robot, q, d), u, u_dot), robot.nu))
    agree(by_u, differences(lambda d: robot.inverse_dynamics(q, u + d, u_dot), robot.nu))


def test_nothing_depends_on_where_the_base_is_or_on_how_fast_it_goes():
    robot, q, u, tau = random_robot(3)
    found = robot.dynamics_derivatives(q, u, tau)
    assert not found.by_q[:, 3:6].any() and not found.by_u[:, 3:6].any()
    q[:3] += 7.0e6
    u[3:6] += 7.5e3
    assert np.array_equal(robot.dynamics_derivatives(q, u, tau).by_u, found.by_u)


def test_an_arm_on_the_world_has_them_too():
    m = cd.Mechanism("arm")
    upper = m.add_body("upper", joint=cd.Hinge((0, 1, 0)), mass=2.0, inertia_B=np.diag([0.1, 0.2, 0.3]))
    m.add_body(
        "lower", parent=upper, joint=cd.Slide((1, 0.3, 0)), r_BP_P=(0.5, 0, 0), r_CB_B=(0.1, 0.2, 0.0), mass=1.0,
        inertia_B=np.eye(3),
    )  # fmt: skip
    robot = Robot(m)
    q, u, tau = np.array([0.3, 0.2]), np.array([0.7, -0.4]), np.array([1.0, 2.0])
    found = robot.dynamics_derivatives(q, u, tau)
    agree(found.by_q, differences(lambda d: robot.forward_dynamics(q + d, u, tau), 2))
    agree(found.by_u, differences(lambda d: robot.forward_dynamics(q, u + d, tau), 2))


def test_a_state_that_does_not_fit_is_refused():
    robot, q, u, tau = random_robot(0)
    with pytest.raises(CardanError, match="`u` has shape"):
        robot.dynamics_derivatives(q, u[1:], tau)
    q[3:7] = 0.0
    with pytest.raises(CardanError, match="quaternion"):
        robot.inverse_dynamics_derivatives(q, u, tau)
