"""Matrices of any size, written out: the same bits in plain Python and in native code, and no LAPACK.

Small systems of tasks and of robots are solved here. For large ones, NumPy is faster.
"""

import numpy as np

from cardan.maths.arrays import Mat, Scalar, Vec

_SWEEPS = 60
_ROUNDING = 1.0e-15


def times(a: Mat, x: Vec) -> Vec:
    """A x"""
    y = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            y[i] += a[i, j] * x[j]
    return y


def times_transposed(a: Mat, x: Vec) -> Vec:
    """AT x"""
    y = np.zeros(a.shape[1])
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            y[j] += a[i, j] * x[i]
    return y


def product(a: Mat, b: Mat) -> Mat:
    """A B"""
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return c


def cholesky(a: Mat) -> Mat:
    """L with L LT = A, for a symmetric positive definite A; its numbers are not finite where A is not that."""
    n = a.shape[0]
    low = np.zeros((n, n))
    for j in range(n):
        total = a[j, j]
        for k in range(j):
            total -= low[j, k] * low[j, k]
        low[j, j] = np.sqrt(total)
        for i in range(j + 1, n):
            total = a[i, j]
            for k in range(j):
                total -= low[i, k] * low[j, k]
            low[i, j] = total / low[j, j]
    return low


def solve_positive(a: Mat, b: Mat) -> Mat:
    """A^-1 B, for a symmetric positive definite A."""
    low = cholesky(a)
    n, columns = b.shape
    x = np.zeros((n, columns))
    for c in range(columns):
        for i in range(n):
            total = b[i, c]
            for k in range(i):
                total -= low[i, k] * x[k, c]
            x[i, c] = total / low[i, i]
        for i in range(n - 1, -1, -1):
            total = x[i, c]
            for k in range(i + 1, n):
                total -= low[k, i] * x[k, c]
            x[i, c] = total / low[i, i]
    return x


def singular_values(a: Mat) -> tuple[Mat, Vec, Mat]:
    """U, s, V with A = U diag(s) VT, the smaller of both sizes; s is not sorted.

    One-sided Jacobi rotations (Hestenes): the columns of A, or of AT, are turned until they are orthogonal. A singular
    value of zero has a column of zeros in U (or in V, where A is wide).
    """
    is_wide = a.shape[1] > a.shape[0]
    rows, columns = (a.shape[1], a.shape[0]) if is_wide else (a.shape[0], a.shape[1])
    u = np.zeros((rows, columns))
    v = np.zeros((columns, columns))
    for i in range(rows):
        for j in range(columns):
            u[i, j] = a[j, i] if is_wide else a[i, j]
    for j in range(columns):
        v[j, j] = 1.0
    for _ in range(_SWEEPS):
        turned = False
        for p in range(columns - 1):
            for q in range(p + 1, columns):
                alpha, beta, gamma = 0.0, 0.0, 0.0
                for i in range(rows):
                    alpha += u[i, p] * u[i, p]
                    beta += u[i, q] * u[i, q]
                    gamma += u[i, p] * u[i, q]
                if abs(gamma) <= _ROUNDING * np.sqrt(alpha * beta):
                    continue
                turned = True
                zeta = (beta - alpha) / (2.0 * gamma)
                slope = 1.0 / (abs(zeta) + np.sqrt(1.0 + zeta * zeta))
                slope = slope if zeta >= 0.0 else -slope
                cosine = 1.0 / np.sqrt(1.0 + slope * slope)
                sine = cosine * slope
                for i in range(rows):
                    left, right = u[i, p], u[i, q]
                    u[i, p], u[i, q] = cosine * left - sine * right, sine * left + cosine * right
                for i in range(columns):
                    left, right = v[i, p], v[i, q]
                    v[i, p], v[i, q] = cosine * left - sine * right, sine * left + cosine * right
        if not turned:
            break
    s = np.zeros(columns)
    for j in range(columns):
        total = 0.0
        for i in range(rows):
            total += u[i, j] * u[i, j]
        s[j] = np.sqrt(total)
        for i in range(rows):
            u[i, j] = u[i, j] / s[j] if s[j] > 0.0 else 0.0
    if is_wide:
        return v, s, u
    return u, s, v


def pseudo_inverse(a: Mat, damping: float = 0.0, tolerance: float = 1.0e-12) -> Mat:
    """The pseudo-inverse A+ of Moore and Penrose, or its damped form.

    A+ = V diag( s / (s^2 + damping^2) ) UT

    Args:
        a: (m, n)
        damping: In the unit of A's numbers. Above zero, the inverse stays below 1 / (2 damping).
        tolerance: Without damping, singular values below this share of the largest count as zero.
    """
    u, s, v = singular_values(a)
    largest = 0.0
    for value in s:
        largest = max(largest, value)
    out = np.zeros((a.shape[1], a.shape[0]))
    for k in range(len(s)):
        if (s[k] <= tolerance * largest and damping == 0.0) or s[k] == 0.0:
            continue
        gain = s[k] / (s[k] * s[k] + damping * damping)
        for i in range(a.shape[1]):
            for j in range(a.shape[0]):
                out[i, j] += gain * v[i, k] * u[j, k]
    return out


def null_space(a: Mat, tolerance: float = 1.0e-12) -> Mat:
    """The projector 1 - A+ A onto what A takes to zero."""
    _, s, v = singular_values(a)
    largest = 0.0
    for value in s:
        largest = max(largest, value)
    n = a.shape[1]
    out = np.zeros((n, n))
    for i in range(n):
        out[i, i] = 1.0
    for k in range(len(s)):
        if s[k] > tolerance * largest:
            for i in range(n):
                for j in range(n):
                    out[i, j] -= v[i, k] * v[j, k]
    return out


def adjugate(a: Mat) -> tuple[Mat, Scalar]:
    """The adjugate of a square matrix and its determinant: A adj(A) = det(A) 1. No pivot is divided by if it is last.

    With both orders of pivoting P A Q = L U. The adjugate of U grows with its leading blocks, without a division:

        adj [U1 b; 0 d] = [d adj(U1), -adj(U1) b; 0, det(U1)]

    so that a matrix whose rank is short by one has its adjugate to full accuracy.
    """
    n = a.shape[0]
    lu = a.copy()
    rows, columns = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for k in range(n):
        rows[k], columns[k] = k, k
    sign = 1.0
    for k in range(n):
        # the largest of what is left comes first
        at_row, at_column, largest = k, k, 0.0
        for i in range(k, n):
            for j in range(k, n):
                if abs(lu[i, j]) > largest:
                    at_row, at_column, largest = i, j, abs(lu[i, j])
        if largest == 0.0:
            break
        if at_row != k:
            sign = -sign
            rows[k], rows[at_row] = rows[at_row], rows[k]
            for j in range(n):
                lu[k, j], lu[at_row, j] = lu[at_row, j], lu[k, j]
        if at_column != k:
            sign = -sign
            columns[k], columns[at_column] = columns[at_column], columns[k]
            for i in range(n):
                lu[i, k], lu[i, at_column] = lu[i, at_column], lu[i, k]
        for i in range(k + 1, n):
            lu[i, k] /= lu[k, k]
            for j in range(k + 1, n):
                lu[i, j] -= lu[i, k] * lu[k, j]

    # adj(U), block by block
    upper = np.zeros((n, n))
    determinant = 1.0
    for k in range(n):
        d = lu[k, k]
        for i in range(k):
            total = 0.0
            for j in range(k):
                total += upper[i, j] * lu[j, k]
            upper[i, k] = -total
        for i in range(k):
            for j in range(k):
                upper[i, j] *= d
        upper[k, k] = determinant
        determinant *= d

    # adj(U) L^-1, then the orders undone
    for j in range(n - 1, -1, -1):
        for k in range(j + 1, n):
            for i in range(n):
                upper[i, j] -= upper[i, k] * lu[k, j]
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            out[columns[i], rows[j]] = sign * upper[i, j]
    return out, sign * determinant
