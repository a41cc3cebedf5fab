"""Programs of random sizes and numbers, judged by conditions of optimality that are written out again, densely."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardan.errors import ImpossibleValue, ShapeError
from cardan.mpc import Problem, quadratic_program


def random_program(seed, stages=None, rows=None):
    """Weights, ranges and penalties over three decades; a tenth of the inputs fixed."""
    rng = np.random.default_rng(seed)
    n, x, y = stages or int(rng.integers(2, 20)), int(rng.integers(2, 13)), int(rng.integers(1, 7))
    u, m = y + int(rng.integers(0, 7)), int(rng.integers(0, 4)) if rows is None else rows
    half = rng.normal(size=(n + 1, x, x))
    lower = -(10 ** rng.uniform(-2, 1, size=(n, u))) * (rng.random((n, u)) < 0.7)
    spread = 10 ** rng.uniform(-2, 1, size=(n, u)) * (rng.random((n, u)) > 0.1)
    return (
        Problem(
            A=np.eye(x) + 0.1 * rng.normal(size=(n, x, x)), B=0.3 * rng.normal(size=(n, x, y)),
            c=0.05 * rng.normal(size=(n, x)), M=rng.normal(size=(y, u)),
            Q=np.einsum("kij,kil->kjl", half, half) / x, q=rng.normal(size=(n + 1, x)),
            R=10 ** rng.uniform(-2, 1, size=u), r=0.3 * rng.normal(size=(n, u)), lower=lower, upper=lower + spread,
            G=rng.normal(size=(n + 1, m, x)), h=rng.uniform(-0.2, 2, size=(n + 1, m)),
            z=10 ** rng.uniform(0, 3, size=m), Z=10 ** rng.uniform(0, 3, size=m),
        ),
        rng.normal(size=x),
    )  # fmt: skip


def states(p, x0, u):
    x = [x0]
    for k in range(len(u)):
        x.append(p.A[k] @ x[-1] + p.B[k] @ (p.M @ u[k]) + p.c[k])
    return np.array(x)


def cost(p, x0, u):
    """With the best slacks for these inputs: what a soft row is exceeded by."""
    x = states(p, x0, u)
    total = sum(0.5 * x[k] @ p.Q[k] @ x[k] + p.q[k] @ x[k] for k in range(1, len(x)))
    total += sum(0.5 * u[k] @ (p.R * u[k]) + p.r[k] @ u[k] for k in range(len(u)))
    for k in range(1, len(x)):
        over = np.maximum(0.0, p.G[k] @ x[k] - p.h[k])
        total += p.z @ over + 0.5 * over @ (p.Z * over)
    return total


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_solutions_are_optimal_and_within_bounds(seed):
    p, x0 = random_program(seed)
    found, outcome = quadratic_program(p, x0, tolerance=1e-7, iterations=25)
    assert outcome.status == 0 and outcome.iterations <= 25
    assert np.all(found.u >= p.lower) and np.all(found.u <= p.upper)
    assert found.x == pytest.approx(states(p, x0, found.u), rel=1e-9, abs=1e-9)

    # the program is convex: no input can be moved, alone or with all others, so that the cost falls
    best = cost(p, x0, found.u)
    rng = np.random.default_rng(seed + 1)
    for size in (1e-1, 1e-3):
        for _ in range(10):
            other = np.clip(found.u + size * rng.normal(size=found.u.shape), p.lower, p.upper)
            assert cost(p, x0, other) >= best - 1e-5 * (1.0 + abs(best))


def test_without_bounds_that_matter_it_is_the_regulator_of_riccati():
    """One iteration finds what a dense least-squares solution of the whole horizon gives."""
    p, x0 = random_program(3, stages=6, rows=0)
    p = p._replace(lower=np.full_like(p.lower, -1e6), upper=np.full_like(p.upper, 1e6))
    found, _ = quadratic_program(p, x0, tolerance=1e-9)
    n, u = p.r.shape
    columns, free = [], states(p, x0, np.zeros((n, u)))
    for i in range(n * u):
        unit = np.zeros(n * u)
        unit[i] = 1.0
        columns.append((states(p, x0, unit.reshape(n, u)) - free).ravel())
    S, Q = np.array(columns).T, np.zeros((free.size, free.size))
    for k in range(1, n + 1):
        at = slice(k * free.shape[1], (k + 1) * free.shape[1])
        Q[at, at] = p.Q[k]
    q = np.concatenate([np.zeros(free.shape[1]), p.q[1:].ravel()])
    hessian = S.T @ Q @ S + np.diag(np.tile(p.R, n))
    dense = np.linalg.solve(hessian, -(S.T @ (Q @ free.ravel() + q) + p.r.ravel()))
    assert found.u.ravel() == pytest.approx(dense, rel=1e-5, abs=1e-6)


def test_mixers_may_differ_from_stage_to_stage():
    """The same as with each stage's mixer taken into its B, and none left."""
    p, x0 = random_program(5, stages=6)
    y, u = p.M.shape
    mixers = p.M * (1.0 + 0.5 * np.random.default_rng(6).normal(size=(6, 1, u)))
    found, outcome = quadratic_program(p._replace(M=mixers.reshape(6 * y, u)), x0, tolerance=1e-7)
    inside = p._replace(B=np.einsum("kxy,kyu->kxu", p.B, mixers), M=np.eye(u))
    expected, _ = quadratic_program(inside, x0, tolerance=1e-7)
    assert outcome.status == 0
    assert found.u == pytest.approx(expected.u, abs=1e-5)


def test_a_soft_row_is_exceeded_only_where_inputs_cannot_help():
    """A mass on a line, pushed, below a speed limit that it starts above."""
    n, h = 20, 0.1
    A = np.tile([[1.0, h], [0.0, 1.0]], (n, 1, 1))
    p = Problem(
        A, np.tile([[0.5 * h * h], [h]], (n, 1, 1)), np.zeros((n, 2)), np.eye(1),
        np.tile(np.diag([1.0, 0.0]), (n + 1, 1, 1)), np.tile([-10.0, 0.0], (n + 1, 1)), np.array([1e-3]),
        np.zeros((n, 1)), np.full((n, 1), -2.0), np.full((n, 1), 2.0),
        np.tile([[0.0, 1.0]], (n + 1, 1, 1)), np.full((n + 1, 1), 1.0), np.array([1e3]), np.array([1e2]),
    )  # fmt: skip
    found, _ = quadratic_program(p, [0.0, 1.5], tolerance=1e-9)
    # 2 m/s^2 takes 0.25 s to bring 1.5 m/s down to 1 m/s
    assert found.u[:2, 0] == pytest.approx([-2.0, -2.0], abs=1e-4)
    assert found.x[3:, 1].max() == pytest.approx(1.0, abs=1e-4)
    assert found.x[1:3, 1] == pytest.approx([1.3, 1.1], abs=1e-4)


def test_a_budget_that_is_too_small_leaves_something_that_can_be_flown():
    p, x0 = random_program(8)
    found, outcome = quadratic_program(p, x0, tolerance=1e-9, iterations=2)
    assert outcome.status == 1 and outcome.iterations == 2
    assert np.all(found.u >= p.lower) and np.all(found.u <= p.upper)
    assert found.x == pytest.approx(states(p, x0, found.u), rel=1e-9, abs=1e-9)


def test_wrong_arrays_are_refused_by_name():
    p, x0 = random_program(1)
    with pytest.raises(ShapeError, match=r"do not fit each other.\n  q: expected \(\d+, \d+\), got \(\d+,\)"):
        quadratic_program(p._replace(q=p.q[0]), x0)
    with pytest.raises(ShapeError, match=r"do not fit each other.\n  M: expected \(\d+, \d+\), got"):
        quadratic_program(p._replace(M=np.tile(p.M, (len(p.c) + 1, 1))), x0)
    with pytest.raises(ImpossibleValue, match=r"Input 0 of stage 1 has a lower bound above its upper one."):
        lower = p.lower.copy()
        lower[1, 0] = p.upper[1, 0] + 1.0
        quadratic_program(p._replace(lower=lower), x0)
    with pytest.raises(ShapeError, match=r"`x0` of this program has shape \(\d+,\); got \(2, 2\)"):
        quadratic_program(p, np.zeros((2, 2)))
    with pytest.raises(ImpossibleValue, match=r"cannot leave -1 of them free"):
        quadratic_program(p, x0, free=-1)
    with pytest.raises(ImpossibleValue, match=r"`q` of a quadratic program has a number that is not finite"):
        quadratic_program(p._replace(q=p.q * np.nan), x0)
    with pytest.raises(
        ImpossibleValue, match=r"`Q` of stage 0 must be positive semi-definite; its least eigenvalue is -"
    ):
        quadratic_program(p._replace(Q=-p.Q), x0)
    with pytest.raises(ImpossibleValue, match=r"`Q` of stage 0 is not symmetric"):
        quadratic_program(p._replace(Q=p.Q + np.triu(np.ones(p.Q.shape[1:]), 1)), x0)
    with pytest.raises(ShapeError, match=r"one stage or more"):
        quadratic_program(
            Problem(
                *(
                    v[:0] if f in "ABcrG" or f in ("lower", "upper") else v[:1] if f in "Qqh" else v
                    for f, v in zip(p._fields, p, strict=True)
                )
            )._replace(G=p.G[:1]),
            x0,
        )
    with pytest.raises(ImpossibleValue, match=r"`R` of a quadratic program must be positive, got 0."):
        quadratic_program(p._replace(R=0.0 * p.R), x0)


def test_states_that_are_free_begin_where_the_whole_costs_least():
    """Against the same program with those states given: no other beginning costs less, whatever bounds are met."""
    p, x0 = random_program(11, stages=8, rows=0)
    free = 1
    found, outcome = quadratic_program(p, x0, free=free, tolerance=1e-7)
    assert outcome.status == 0 and np.array_equal(found.x[0, :-free], x0[:-free])

    def best(start):
        x = np.r_[x0[:-free], start]
        solved, _ = quadratic_program(p, x, tolerance=1e-7)
        return cost(p, x, solved.u) + 0.5 * x @ p.Q[0] @ x + p.q[0] @ x

    at = found.x[0, -free:]
    left, right = best(at - 0.1) - best(at), best(at + 0.1) - best(at)
    # a parabola about its lowest point, as far as bounds that are met on one side alone allow
    assert min(left, right) > 1e-4 and abs(best(at + 1e-3) - best(at - 1e-3)) < 0.01 * min(left, right)


def test_a_mixer_of_every_stage_is_used_at_its_stage():
    p, x0 = random_program(12, stages=5)
    mixers = np.array([p.M * (1.0 + 0.1 * k) for k in range(5)])
    each, _ = quadratic_program(p._replace(M=mixers.reshape(-1, p.M.shape[1])), x0, tolerance=1e-7)
    # the same, with what is different of the mixers in B
    whole = p._replace(B=p.B * (1.0 + 0.1 * np.arange(5))[:, None, None])
    assert each.u == pytest.approx(quadratic_program(whole, x0, tolerance=1e-7)[0].u, abs=1e-5)


def kkt_residual(p, found):
    """Eq. (13), found again with dense matrices of the whole horizon: x = S u + f."""
    n, u = p.r.shape
    f = states(p, found.x[0], np.zeros((n, u)))
    units = np.eye(n * u).reshape(n * u, n, u)
    S = np.array([(states(p, found.x[0], unit) - f)[1:].ravel() for unit in units]).T
    x = (S @ found.u.ravel()).reshape(n, -1) + f[1:]
    rows, s, n_, open_ = (np.einsum("kmi,ki->km", p.G[1:], x), found.s[1:], found.row[1:], found.free[1:])
    gap = p.h[1:] + s - rows

    by_x = np.einsum("kij,kj->ki", p.Q[1:], x) + p.q[1:] + np.einsum("kmi,km->ki", p.G[1:], n_)
    summands = np.array([p.R * found.u, p.r, (S.T @ by_x.ravel()).reshape(n, u), -found.low, found.high])
    is_free = p.upper > p.lower
    size = np.maximum(np.abs(summands).max(axis=0), 1e-3)
    stationarity = np.abs(summands.sum(axis=0))[is_free].max(initial=0.0) / size[is_free].max(initial=1e-3)
    asked = p.z + p.Z * s
    of_rows = np.abs((asked - n_ - open_) / asked).max(initial=0.0)
    products = (found.low * (found.u - p.lower), found.high * (p.upper - found.u), n_ * gap, open_ * s)
    worth = (size * (p.upper - p.lower)).max(initial=1e-3)
    return max(stationarity, of_rows, *(np.abs(each).max(initial=0.0) / worth for each in products))


def test_many_random_programs_are_solved_to_what_is_reported():
    """The short form of what `benchmarks/mpc.py` does with ten thousand."""
    for seed in range(200):
        p, x0 = random_program(10_000 + seed)
        found, outcome = quadratic_program(p, x0, tolerance=1e-6, iterations=25)
        assert outcome.status == 0 and outcome.residual <= 1e-6
        assert np.all(found.u >= p.lower) and np.all(found.u <= p.upper)
        # rounding of dense sums over the horizon, whose states can be 1e4 before they cancel
        assert kkt_residual(p, found) == pytest.approx(outcome.residual, rel=1e-2, abs=1e-9)


def test_a_solution_as_the_guess_is_as_good_as_any_other():
    """Scales are those of the iterate, not of a start at which nearly nothing is to be gained."""
    p, x0 = random_program(12)
    found, _ = quadratic_program(p, x0, tolerance=1e-9)
    again, outcome = quadratic_program(p, x0, guess=found.u, tolerance=1e-6, iterations=25)
    assert outcome.status == 0 and outcome.residual <= 1e-6
    # inputs that matter little are loose at this tolerance; what they cost is not
    assert cost(p, x0, again.u) == pytest.approx(cost(p, x0, found.u), rel=1e-5)
