"""Dense algebra of small sizes, in place; inner loops run along rows."""

import math


def dot(a, b):
    value = 0.0
    for i in range(len(a)):
        value += a[i] * b[i]
    return value


def add_scaled(a, scale, out):
    for i in range(len(out)):
        out[i] += scale * a[i]


def multiply(m, a, out):
    """Out = m a"""
    for i in range(len(out)):
        out[i] = dot(m[i], a)


def multiply_back(m, a, out):
    """Out = m' a"""
    for i in range(len(out)):
        out[i] = 0.0
    add_back(m, a, out)


def add_back(m, a, out):
    """Out += m' a"""
    for i in range(len(a)):
        add_scaled(m[i], a[i], out)


def subtract_back(m, a, out):
    """Out -= m' a"""
    for i in range(len(a)):
        add_scaled(m[i], -a[i], out)


def product(a, b, out):
    """Out = a b, four columns at a time, which the compiler keeps in one register"""
    n, whole = b.shape[0], b.shape[1] - b.shape[1] % 4
    for i in range(out.shape[0]):
        for j in range(0, whole, 4):
            c, d, e, f = 0.0, 0.0, 0.0, 0.0
            for k in range(n):
                x = a[i, k]
                c, d, e, f = c + x * b[k, j], d + x * b[k, j + 1], e + x * b[k, j + 2], f + x * b[k, j + 3]
            out[i, j], out[i, j + 1], out[i, j + 2], out[i, j + 3] = c, d, e, f
        for j in range(whole, b.shape[1]):
            c = 0.0
            for k in range(n):
                c += a[i, k] * b[k, j]
            out[i, j] = c


def product_with_lower(a, lower, out):
    """Out = (a lower)', with a lower triangular matrix"""
    for j in range(out.shape[0]):
        for i in range(out.shape[1]):
            value = 0.0
            for k in range(j, lower.shape[0]):
                value += a[i, k] * lower[k, j]
            out[j, i] = value


def add_product_back(a, b, v, out):
    """Out += a' b - v' v, which is symmetric: its lower half is computed, four columns at a time"""
    n, m, size = a.shape[0], v.shape[0], out.shape[0]
    for i in range(size):
        for j in range(0, i + 1, 4):
            if j + 4 <= size:
                c, d, e, f = out[i, j], out[i, j + 1], out[i, j + 2], out[i, j + 3]
                for k in range(n):
                    x = a[k, i]
                    c, d, e, f = c + x * b[k, j], d + x * b[k, j + 1], e + x * b[k, j + 2], f + x * b[k, j + 3]
                for k in range(m):
                    x = v[k, i]
                    c, d, e, f = c - x * v[k, j], d - x * v[k, j + 1], e - x * v[k, j + 2], f - x * v[k, j + 3]
                out[i, j], out[i, j + 1], out[i, j + 2], out[i, j + 3] = c, d, e, f
            else:
                for last in range(j, i + 1):
                    c = out[i, last]
                    for k in range(n):
                        c += a[k, i] * b[k, last]
                    for k in range(m):
                        c -= v[k, i] * v[k, last]
                    out[i, last] = c
    for i in range(size):
        for j in range(i):
            out[j, i] = out[i, j]


def mixed_weight(mixer, give, out):
    """Out = M diag(give) M'"""
    for i in range(out.shape[0]):
        for j in range(i + 1):
            value = 0.0
            for k in range(len(give)):
                value += mixer[i, k] * give[k] * mixer[j, k]
            out[i, j] = out[j, i] = value


def cholesky(m):
    """The lower triangular factor, in place. Directions without weight, to rounding, become zero columns."""
    n = m.shape[0]
    for j in range(n):
        whole = m[j, j]
        rest = whole
        for k in range(j):
            rest -= m[j, k] * m[j, k]
        pivot = math.sqrt(rest) if rest > 1.0e-14 * whole else 0.0
        part = 1.0 / pivot if pivot > 0.0 else 0.0
        m[j, j] = pivot
        for i in range(j + 1, n):
            value = m[i, j]
            for k in range(j):
                value -= m[i, k] * m[j, k]
            m[i, j] = value * part


def solve_lower(lower, out):
    """Out = lower^-1 out"""
    for i in range(len(out)):
        value = out[i]
        for k in range(i):
            value -= lower[i, k] * out[k]
        out[i] = value / lower[i, i]


def solve_lower_back(lower, out):
    """Out = lower'^-1 out"""
    for i in range(len(out) - 1, -1, -1):
        value = out[i]
        for k in range(i + 1, len(out)):
            value -= lower[k, i] * out[k]
        out[i] = value / lower[i, i]


def solve_lower_rows(lower, out):
    """Out = lower^-1 out, for a matrix"""
    for i in range(out.shape[0]):
        for k in range(i):
            add_scaled(out[k], -lower[i, k], out[i])
        part = 1.0 / lower[i, i]
        for j in range(out.shape[1]):
            out[i, j] *= part
