"""The program about a plan has the slopes of the cost of that plan, found by differences, in plain Python."""

import numpy as np
import pytest

import cardan as cd
from cardan.missions.vehicles import add_flyer
from cardan.mpc import flyer_contouring, flyer_tracking
from cardan.mpc.artificial_reference import free_of, move_target
from cardan.mpc.flyer_limits import rows_of
from cardan.mpc.flyer_prediction import DV, DW, NEAR, NODE, Body, V, W, inverse_of, new_step_room
from cardan.mpc.gaussian_process import Posterior
from cardan.mpc.learnt_drive import Learnt
from cardan.mpc.problem import new_iterate

BEE = add_flyer(cd.Mechanism("bee"), "astrobee", name="bee")
STAGES = 3
BODY = Body(BEE.mass, np.array(BEE.inertia_C_B), inverse_of(np.array(BEE.inertia_C_B)), np.zeros((3, 3)))
LIMITS = (
    np.zeros(12),
    np.array(BEE.thrusters.max_thrust),
    np.array([[0.5, 0.2, 0.1, 0.9]]),
    np.array([[1.0, 0, 0, 0.3]]),
)


NOTHING = Learnt(0, np.zeros(12), Posterior(np.zeros(0), np.zeros((0, 0))), 0.0, 0.0)


def unit(*q):
    return np.array(q) / np.linalg.norm(q)


NOW = np.r_[0.4, -0.3, 0.5, unit(0.9, 0.3, -0.2, 0.1), 0.3, -0.1, 0.2, 0.2, -0.1, 0.3]


def tracking(offset):
    settings = flyer_tracking.Settings(
        BEE.mass, 0.5, 1.0, 1.3, 2.0, 0.5, 20.0, 10.0, 50.0, 3.0, 0.25, 0.3, 7.0, 3.0, 1e-6, *offset
    )
    reference = np.r_[0.1, 0.2, 0.0, unit(0.7, -0.3, 0.5, 0.1), 0.05, 0.0, -0.02, 0.1, 0.2, 0.0]
    target = np.r_[0.2, -0.1, 0.3, unit(0.8, 0.1, 0.1, -0.4)]
    margins = np.zeros((STAGES + 1, 4))
    return flyer_tracking.Case(
        BODY, settings, np.array(BEE.mixer), np.full(12, 0.1), *LIMITS, reference, target, target.copy(), NOTHING,
        margins,
    )  # fmt: skip


def contouring(is_closed):
    """A path of three lines, the flyer near the end of the second."""
    corners = np.array([[0.0, 0, 0], [1.0, 0, 0], [1.0, -1.0, 0.5], [0.0, 0, 0]])
    turns = np.array([unit(1, 0, 0, 0), unit(0.8, 0.1, 0, 0.6), unit(0.5, 0.5, 0.1, 0), unit(1, 0, 0, 0)])
    settings = flyer_contouring.Settings(
        BEE.mass, 0.5, 1.1, 1.7, 0.6, 0.3, 0.02, 1.0, 0.2, 0.3, 0.25, 0.3, 7.0, 3.0, 1e-6
    )
    mixer = np.zeros((7, 13))
    mixer[:6, :12], mixer[6, 12] = BEE.mixer, 1.0
    lower, upper, spheres, planes = LIMITS
    return flyer_contouring.Case(
        BODY, settings, mixer, np.r_[np.full(12, 0.02), 1.0], np.r_[lower, 0.0], np.r_[upper, 0.2], spheres, planes,
        corners, turns, flyer_contouring.arc_lengths(corners), is_closed, NOTHING, np.zeros((STAGES + 1, 5)),
    )  # fmt: skip


def rows_exceeded(problem):
    """Slopes of the penalties: linear and quadratic, of rows that the plan exceeds."""
    over = np.maximum(0.0, -problem.h)
    return np.where(over > 0.0, problem.z + problem.Z * over, 0.0)


def slopes(problem, plan):
    """What a little more of each input, and of what is free at the beginning, costs by the program."""
    g = problem.q + np.einsum("kri,kr->ki", problem.G, rows_exceeded(problem) * (np.arange(STAGES + 1) > 0)[:, None])
    costate, out = g[STAGES], np.zeros(plan.shape)
    for k in range(STAGES - 1, -1, -1):
        out[k] = problem.R * plan[k] + problem.r[k] + problem.M.T @ (problem.B[k].T @ costate)
        costate = g[k] + problem.A[k].T @ costate
    return out, costate


def differences(f, x, step=1e-6):
    out = np.zeros(x.shape)
    for i in np.ndindex(*x.shape):
        was = x[i]
        x[i] = was + step
        up = f()
        x[i] = was - step
        out[i] = (up - f()) / (2.0 * step)
        x[i] = was
    return out


@pytest.mark.parametrize("offset", [(0.0, 0.0), (0.3, 0.2)])
def test_tracking(offset):
    case, rng = tracking(offset), np.random.default_rng(1)
    plan, free = 0.3 * rng.random((STAGES, 12)), free_of(case)
    nodes, room = np.zeros((STAGES + 1, NODE)), (new_step_room(), np.zeros(6))
    problem = flyer_tracking.new_problem(case, STAGES, 12)
    iterate = new_iterate(STAGES, NEAR + free, 12, problem.h.shape[1])

    def cost():
        return flyer_tracking.cost_of(case, plan, NOW, nodes, room)

    cost()
    flyer_tracking.linearise(case, problem, iterate, plan, nodes, room)
    by_inputs, by_start = slopes(problem, plan)
    assert by_inputs == pytest.approx(differences(cost, plan), abs=1e-6)
    if free > 0:

        def moved():
            move_target(case, iterate, 1.0)
            return cost()

        expected = differences(moved, iterate.x[0])[NEAR:]
        assert by_start[NEAR:] == pytest.approx(expected, abs=1e-6) and np.abs(expected).min() > 1e-3


def test_round_limits_weigh_what_their_multipliers_say_they_bend_by():
    """By differences of the direction of the velocity, and of the angular velocity: Eq. (17)."""
    case, rng = tracking((0.0, 0.0)), np.random.default_rng(3)
    plan, nodes, room = rng.random((STAGES, 12)), np.zeros((STAGES + 1, NODE)), (new_step_room(), np.zeros(6))
    problem = flyer_tracking.new_problem(case, STAGES, 12)
    iterate = new_iterate(STAGES, NEAR, 12, problem.h.shape[1])
    flyer_tracking.cost_of(case, plan, NOW, nodes, room)
    flyer_tracking.linearise(case, problem, iterate, plan, nodes, room)
    flat = problem.Q.copy()
    iterate.row[:] = [3.0, 2.0, 0.0, 0.0]
    flyer_tracking.linearise(case, problem, iterate, plan, nodes, room)
    for k in range(1, STAGES + 1):
        expected = np.zeros((NEAR, NEAR))
        for at, near, multiplier in ((V, DV, 3.0), (W, DW, 2.0)):
            vector = nodes[k, at : at + 3]
            ahead, back = ((vector + s * 1e-5 * np.eye(3)) for s in (1.0, -1.0))
            turn = (
                ahead / np.linalg.norm(ahead, axis=1)[:, None] - back / np.linalg.norm(back, axis=1)[:, None]
            ) / 2e-5
            expected[near : near + 3, near : near + 3] = multiplier * turn
        assert problem.Q[k] - flat[k] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("is_closed", "arc"), [(False, 2.2), (True, 2.2), (True, 7.0), (False, 3.9)])
def test_contouring(is_closed, arc):
    case, rng = contouring(is_closed), np.random.default_rng(2)
    plan = 0.15 * rng.random((STAGES, 13))
    nodes, room = np.zeros((STAGES + 1, NODE + 1)), (new_step_room(), np.zeros(7))
    problem = flyer_contouring.new_problem(case, STAGES, 13, rows_of(case) + flyer_contouring.OWN_ROWS)
    iterate = new_iterate(STAGES, NEAR + 1, 13, problem.h.shape[1])

    def cost():
        return flyer_contouring.cost_of(case, plan, np.r_[NOW, arc], nodes, room)

    cost()
    flyer_contouring.linearise(case, problem, iterate, plan, nodes, room)
    by_inputs, _ = slopes(problem, plan)
    assert by_inputs == pytest.approx(differences(cost, plan), abs=1e-6)
    assert np.abs(by_inputs[:, 12]).min() > 1e-3
