"""Forward dynamics in rational numbers, without rounding, for trees whose hinges and slides stand as they are drawn."""

from fractions import Fraction

import numpy as np

from cardan.mechanism.tree import BALL, FREE, HINGE, Tree


def exact_accelerations(tree: Tree, q: np.ndarray, v: np.ndarray, effort: np.ndarray) -> np.ndarray:
    """Accelerations from M v_dot = effort - h, with M and h summed body by body as Newton and Euler wrote them."""
    nothing = rational(np.zeros(3))
    turns, places = [rational(np.eye(3))], [nothing]
    rates, drifts = [(nothing, nothing)], [(nothing, nothing)]  # velocity, and acceleration by velocities alone
    moved_by: list[list[int]] = [[]]
    columns: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    matrix, bias = rational(np.diag(tree.armature)), rational(np.zeros(tree.nv))
    for link in range(1, tree.links):
        kind, parent = int(tree.kind[link]), int(tree.parent[link])
        own, first = q[int(tree.q_at[link]) :], int(tree.v_at[link])
        turn, place = turns[parent], places[parent]
        if kind == FREE:
            turn, place = turned(own[3:7]), nothing
            made = [(nothing, axis) for axis in rational(np.eye(3))] + [(axis, nothing) for axis in turn.T]
        else:
            before = turn @ turned(tree.offset_quat[link])
            anchor = place + turn @ rational(tree.offset_pos[link]) + before @ rational(tree.anchor[link])
            turn = before @ turned(own[:4]) if kind == BALL else before
            axes = turn.T if kind == BALL else [before @ rational(tree.axis[link])]
            made = [(axis, cross(anchor, axis)) if kind in (BALL, HINGE) else (nothing, axis) for axis in axes]
            place = anchor - turn @ rational(tree.anchor[link])
        freedoms = range(first, first + len(made))
        columns |= dict(zip(freedoms, made, strict=True))
        # about the vehicle's origin, which moves with the root
        own_v = rational(v[first : first + len(made)]) * np.array([0, 0, 0, 1, 1, 1] if kind == FREE else 1)
        spin, sweep = (sum((column[k] * x for column, x in zip(made, own_v, strict=True)), nothing) for k in (0, 1))
        (w, u), (c, d) = rates[parent], drifts[parent]
        drifts.append((c + cross(w, spin), d + cross(w, sweep) + cross(u, spin)))
        rates.append((w + spin, u + sweep))
        turns.append(turn)
        places.append(place)
        moved_by.append([*moved_by[parent], *freedoms])

        # Newton and Euler at the centre of mass
        mass, tensor = Fraction(float(tree.mass[link])), turn @ rational(tree.inertia[link]) @ turn.T
        x, (w, u), (c, d) = place + turn @ rational(tree.com[link]), rates[link], drifts[link]
        force = mass * (d + cross(c, x) + cross(w, u + cross(w, x)))
        torque = tensor @ c + cross(w, tensor @ w)
        for j in moved_by[link]:
            e, s = columns[j]
            at_x = s + cross(e, x)
            bias[j] += e @ torque + at_x @ force
            for k in moved_by[link]:
                e_k, s_k = columns[k]
                matrix[j, k] += e @ tensor @ e_k + mass * (at_x @ (s_k + cross(e_k, x)))
    return exactly_solved(matrix, rational(effort) - bias)


def exactly_solved(matrix: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    """By Gauss and Jordan, in rational numbers."""
    rows = [[Fraction(x) for x in (*row, right)] for row, right in zip(matrix.tolist(), rhs.tolist(), strict=True)]
    for i in range(len(rows)):
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(len(rows)):
            if k != i:
                rows[k] = [x - rows[k][i] * y for x, y in zip(rows[k], rows[i], strict=True)]
    return np.array([float(row[-1]) for row in rows])


def rational(values: np.ndarray) -> np.ndarray:
    """The same numbers, without rounding from now on."""
    return np.array([Fraction(float(x)) for x in np.ravel(values)], dtype=object).reshape(np.shape(values))


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], dtype=object)


def turned(quaternion: np.ndarray) -> np.ndarray:
    """What takes components of the turned frame to those of the other, for a quaternion of about length 1."""
    w, x, y, z = rational(quaternion)
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return np.array(rows, dtype=object) / (w * w + x * x + y * y + z * z)
