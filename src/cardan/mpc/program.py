"""Quadratic programs as compiled code and Python solve them: the interior point as a module of its own.

What it is given lies in a row of words: sizes, then the addresses of arrays, in the order of `Problem` and `Iterate`.
"""

from typing import Any

import numpy as np
from numba import carray

from cardan.errors import ImpossibleValue, ShapeError
from cardan.mpc.interior_point import COLD, Outcome, solve
from cardan.mpc.problem import Iterate, Problem, new_iterate, new_room
from cardan.native.linking import address, hold, linked
from cardan.native.pointers import as_voidptr, load_int, store_float
from cardan.native.storage import float_matrix, float_vector

SIZES = 8  # stages, states, outputs of the mixer, inputs, rows, most iterations, rows of all mixers, free states
WORDS = SIZES + len(Problem._fields) + len(Iterate._fields) + 2  # and tolerance and `inward`, and the outcome


def program_at(t, context):
    """Native code: solve the program whose numbers lie where the context says."""
    n, x, y, u = load_int(context), load_int(context + 8), load_int(context + 16), load_int(context + 24)
    m, most, mixers = load_int(context + 32), load_int(context + 40), load_int(context + 48)
    free, at = load_int(context + 56), context + 8 * SIZES
    problem = Problem(
        matrices(load_int(at), n, x, x),
        matrices(load_int(at + 8), n, x, y),
        float_matrix(load_int(at + 16), n, x),
        float_matrix(load_int(at + 24), mixers, u),
        matrices(load_int(at + 32), n + 1, x, x),
        float_matrix(load_int(at + 40), n + 1, x),
        float_vector(load_int(at + 48), u),
        float_matrix(load_int(at + 56), n, u),
        float_matrix(load_int(at + 64), n, u),
        float_matrix(load_int(at + 72), n, u),
        matrices(load_int(at + 80), n + 1, m, x),
        float_matrix(load_int(at + 88), n + 1, m),
        float_vector(load_int(at + 96), m),
        float_vector(load_int(at + 104), m),
    )
    at += 8 * 14
    iterate = Iterate(
        float_matrix(load_int(at), n + 1, x),
        float_matrix(load_int(at + 8), n, u),
        float_matrix(load_int(at + 16), n, u),
        float_matrix(load_int(at + 24), n, u),
        float_matrix(load_int(at + 32), n + 1, m),
        float_matrix(load_int(at + 40), n + 1, m),
        float_matrix(load_int(at + 48), n + 1, m),
    )
    at += 8 * 7
    accuracy, room = float_vector(load_int(at), 2), new_room(n, x, y, u, m, free)
    outcome = solve(problem, iterate, room, accuracy[0], most, free, accuracy[1])
    to = load_int(at + 8)
    store_float(to, float(outcome.status))
    store_float(to + 8, float(outcome.iterations))
    store_float(to + 16, outcome.mu)
    store_float(to + 24, outcome.residual)
    return 0


def matrices(address: int, n: int, rows: int, columns: int) -> Any:
    """A row of matrices at an address."""
    return carray(as_voidptr(address), (n, rows, columns), dtype=np.float64)


run_program = linked("mpc.interior_point", program_at)


def solve_program(
    problem: Problem, iterate: Iterate, tolerance: float, most: int, free: int = 0, inward: float = COLD
) -> Outcome:
    """Solve a program (`cardan.mpc.interior_point`): from a guess `iterate.u` and `iterate.x[0]`, in place.

    Arrays have the shapes that `Problem` and `Iterate` say, in rows. Plain Python should call `quadratic_program`,
    which checks them.
    """
    p, i = problem, iterate
    accuracy, found = np.array([tolerance, inward]), np.zeros(4)
    context = np.array(
        [
            p.c.shape[0], p.c.shape[1], p.B.shape[2], p.M.shape[1], p.h.shape[1], most, p.M.shape[0], free,
            address(p.A), address(p.B), address(p.c), address(p.M), address(p.Q), address(p.q),
            address(p.R), address(p.r), address(p.lower), address(p.upper), address(p.G),
            address(p.h), address(p.z), address(p.Z),
            address(i.x), address(i.u), address(i.low), address(i.high), address(i.s),
            address(i.row), address(i.free), address(accuracy), address(found),
        ]
    )  # fmt: skip
    run_program(address(context))
    hold((context, accuracy, problem, iterate))
    return Outcome(int(found[0]), int(found[1]), found[2], found[3])


def quadratic_program(
    problem: Problem, x0: Any, *, guess: Any = None, free: int = 0, tolerance: float = 1e-8, iterations: int = 50
) -> tuple[Iterate, Outcome]:
    """Solve Eq. (1) of `cardan.mpc.interior_point` from plain Python.

    Args:
        problem: Its numbers; anything that NumPy makes arrays of the right shapes of.
        x0: (nx,) Where it begins.
        guess: (N, nu) Inputs to begin with; zero, as far as bounds allow, without it.
        free: How many states, the last ones, are decided at the beginning too; Q[0] must weigh them.
        tolerance: [-] Of the residual, Eq. (13) of docs/theory/interior_point.md.
        iterations: Most of them.

    Returns:
        The solution with its multipliers, and how it went.
    """
    taken = Problem(*(np.ascontiguousarray(value, dtype=np.float64) for value in problem))
    stages, states = taken.c.shape
    outputs, inputs = taken.B.shape[2], taken.M.shape[1]
    rows = taken.h.shape[1]
    _check_shapes(taken, stages, states, outputs, inputs, rows)
    if not 0 <= free <= states:
        raise ImpossibleValue(f"A program of {states} states cannot leave {free} of them free at the beginning.")
    iterate = new_iterate(stages, states, inputs, rows)
    for name, into, values in (("x0", iterate.x[0], x0), ("guess", iterate.u, guess)):
        if values is not None:
            if np.shape(values) != into.shape:
                raise ShapeError(f"`{name}` of this program has shape {into.shape}; got {np.shape(values)}.")
            into[:] = values
    return iterate, solve_program(taken, iterate, tolerance, iterations, free)


def _check_shapes(p: Problem, n: int, x: int, y: int, u: int, m: int) -> None:
    """Native code trusts what it is given."""
    mixers = n * y if p.M.shape[0] > y else y
    expected = Problem(
        (n, x, x), (n, x, y), (n, x), (mixers, u), (n + 1, x, x), (n + 1, x), (u,), (n, u), (n, u), (n, u),
        (n + 1, m, x), (n + 1, m), (m,), (m,),
    )  # fmt: skip
    wrong = [
        f"  {name}: expected {shape}, got {value.shape}"
        for name, shape, value in zip(Problem._fields, expected, p, strict=True)
        if value.shape != shape
    ]
    if wrong:
        raise ShapeError("The arrays of a quadratic program do not fit each other.\n" + "\n".join(wrong))
    if (p.lower > p.upper).any():
        stage, number = np.argwhere(p.lower > p.upper)[0]
        raise ImpossibleValue(f"Input {number} of stage {stage} has a lower bound above its upper one.")
    if n == 0:
        raise ShapeError("A quadratic program has one stage or more; `c` has none.")
    for name, values in zip(Problem._fields, p, strict=True):
        if not np.isfinite(values).all():
            raise ImpossibleValue(f"`{name}` of a quadratic program has a number that is not finite.")
    _check_weights(p.Q)
    for name, values in (("R", p.R), ("z", p.z), ("Z", p.Z)):
        if not (values > 0.0).all():
            raise ImpossibleValue(f"`{name}` of a quadratic program must be positive, got {values.min():g}.")


def _check_weights(Q: Any) -> None:
    """An indefinite weight has no minimum that the method would find."""
    sizes = np.abs(Q).max(axis=(1, 2), initial=0.0)
    skew = np.abs(Q - Q.transpose(0, 2, 1)).max(axis=(1, 2), initial=0.0) > ROUNDING * sizes
    if skew.any():
        raise ImpossibleValue(f"`Q` of stage {np.argmax(skew)} is not symmetric.")
    least = np.linalg.eigvalsh(Q)[:, 0]
    below = least < -ROUNDING * sizes
    if below.any():
        k = int(np.argmax(below))
        raise ImpossibleValue(f"`Q` of stage {k} must be positive semi-definite; its least eigenvalue is {least[k]:g}.")


ROUNDING = 1.0e-10  # [-] of the largest number of a weight
