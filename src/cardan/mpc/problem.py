"""The numbers of a quadratic program, Eq. (1) of `interior_point`, and the memory that solving it takes."""

from typing import Any, NamedTuple

import numpy as np


class Problem(NamedTuple):
    """The numbers of Eq. (1): N stages, nx states, ny rows of the mixer, nu inputs, m soft rows a stage.

    Attributes:
        A: (N, nx, nx) States to next states.
        B: (N, nx, ny) What the mixer gives to next states.
        c: (N, nx) What comes without inputs.
        M: (ny, nu) Mixer; (N ny, nu), one below the other, if it is another at every stage.
        Q: (N + 1, nx, nx) Weights of states, symmetric; the last is the terminal weight.
        q: (N + 1, nx) Their linear part.
        R: (nu,) Weights of inputs, positive.
        r: (N, nu) Their linear part.
        lower: (N, nu) Bounds of inputs. An input whose bounds coincide is fixed.
        upper: (N, nu) The others.
        G: (N + 1, m, nx) Soft rows. Those of stage 0 do not matter.
        h: (N + 1, m) Their limits.
        z: (m,) Linear penalty, positive.
        Z: (m,) Quadratic penalty, positive.
    """

    A: Any
    B: Any
    c: Any
    M: Any
    Q: Any
    q: Any
    R: Any
    r: Any
    lower: Any
    upper: Any
    G: Any
    h: Any
    z: Any
    Z: Any


def mixer_at(problem, k):
    """The mixer of stage k."""
    rows = problem.B.shape[2]
    first = k * rows if problem.M.shape[0] > rows else 0
    return problem.M[first : first + rows]


class Iterate(NamedTuple):
    """Where the method stands, or what a step adds to that.

    Attributes:
        x: (N + 1, nx) States.
        u: (N, nu) Inputs.
        low: (N, nu) Multipliers of lower bounds.
        high: (N, nu) Multipliers of upper bounds.
        s: (N + 1, m) How far soft rows may be exceeded.
        row: (N + 1, m) Multipliers of the rows.
        free: (N + 1, m) Multipliers of s >= 0.
    """

    x: Any
    u: Any
    low: Any
    high: Any
    s: Any
    row: Any
    free: Any


class Room(NamedTuple):
    """Memory of the method. What it holds on entry does not matter.

    Attributes:
        step: What a step adds.
        aim: Products of slacks and multipliers that a step aims at, as far as pairs go: low, high, row, free.
        gap: (N + 1, m) What soft rows leave, h + s - G x, as it has gone along with the steps.
        miss: (N + 1, m) What it really is, less that.
        slope: (N, nu) Gradient of the cost, and of soft rows, by each input.
        pulled: (N + 1, nx) Q x + q.
        P: (N + 1, nx, nx) Riccati's matrices.
        p: (N + 1, nx) Costates are P x + p.
        along: (N, nx, nx) A transposed.
        across: (N, ny, nx) B transposed.
        L: (N, ny, nx) Transposed: B times the factor of the inverse weight of what the mixer gives.
        H: (N, ny, ny) Cholesky factors of I + L' P L.
        V: (N, ny, nx) H^-1 L' P A.
        v: (N, ny) The same for the constant part.
        give: (N, nu) One over the weight of each input and its barriers.
        pull: (N, nu) Its linear part.
        hold: (N + 1, m) Weight of each soft row.
        push: (N + 1, m) Its linear part.
        alone: (N, ny) What the mixer gives if nothing is fed back.
        start: (free, free) Cholesky factor of the weight of states that are free at the beginning.
        F: (N, ny, ny) Cholesky factors of the inverse weight of what the mixer gives.
        mixed: (ny, nu) For products; the ones below too.
        wide: (ny, nx)
        tall: (nx, nx)
        begun: (free,)
        own: (nu,)
        a: (nx,)
        b: (nx,)
        y: (ny,)
        w: (ny,)
    """

    step: Iterate
    aim: Iterate
    gap: Any
    miss: Any
    slope: Any
    pulled: Any
    P: Any
    p: Any
    along: Any
    across: Any
    L: Any
    H: Any
    V: Any
    v: Any
    give: Any
    pull: Any
    hold: Any
    push: Any
    alone: Any
    start: Any
    F: Any
    mixed: Any
    wide: Any
    tall: Any
    begun: Any
    own: Any
    a: Any
    b: Any
    y: Any
    w: Any


def new_iterate(stages, states, inputs, rows):
    """An iterate with nothing in it."""
    return Iterate(
        np.zeros((stages + 1, states)),
        np.zeros((stages, inputs)),
        np.zeros((stages, inputs)),
        np.zeros((stages, inputs)),
        np.zeros((stages + 1, rows)),
        np.zeros((stages + 1, rows)),
        np.zeros((stages + 1, rows)),
    )


def new_room(stages, states, outputs, inputs, rows, free=0):
    """Memory for a problem of these sizes."""
    return Room(
        new_iterate(stages, states, inputs, rows),
        new_iterate(stages, states, inputs, rows),
        np.zeros((stages + 1, rows)),
        np.zeros((stages + 1, rows)),
        np.zeros((stages, inputs)),
        np.zeros((stages + 1, states)),
        np.zeros((stages + 1, states, states)),
        np.zeros((stages + 1, states)),
        np.zeros((stages, states, states)),
        np.zeros((stages, outputs, states)),
        np.zeros((stages, outputs, states)),
        np.zeros((stages, outputs, outputs)),
        np.zeros((stages, outputs, states)),
        np.zeros((stages, outputs)),
        np.zeros((stages, inputs)),
        np.zeros((stages, inputs)),
        np.zeros((stages + 1, rows)),
        np.zeros((stages + 1, rows)),
        np.zeros((stages, outputs)),
        np.zeros((free, free)),
        np.zeros((stages, outputs, outputs)),
        np.zeros((outputs, inputs)),
        np.zeros((outputs, states)),
        np.zeros((states, states)),
        np.zeros(free),
        np.zeros(inputs),
        np.zeros(states),
        np.zeros(states),
        np.zeros(outputs),
        np.zeros(outputs),
    )
