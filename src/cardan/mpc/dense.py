"""Dense algebra of small sizes, in place.

Sums run in one order, which plain Python and compiled code share. Four of them go side by side: the compiler keeps them
in one register, and none waits for another. Rows are not taken out of matrices, which would cost more than their use.
"""

import math


def dot(a, b):
    value = 0.0
    for i in range(len(a)):
        value += a[i] * b[i]
    return value


def row_dot(m, k, i, a):
    """The product of row i of matrix k, of many, with a vector."""
    value = 0.0
    for j in range(m.shape[2]):
        value += m[k, i, j] * a[k, j]
    return value


def add_scaled(a, scale, out):
    for i in range(len(out)):
        out[i] += scale * a[i]


def multiply(m, a, out):
    """Out = m a, by four sums for every row."""
    rows, n = m.shape
    whole = n - n % 4
    for i in range(rows):
        c, d, e, f = 0.0, 0.0, 0.0, 0.0
        for j in range(0, whole, 4):
            c, d = c + m[i, j] * a[j], d + m[i, j + 1] * a[j + 1]
            e, f = e + m[i, j + 2] * a[j + 2], f + m[i, j + 3] * a[j + 3]
        value = (c + d) + (e + f)
        for j in range(whole, n):
            value += m[i, j] * a[j]
        out[i] = value


def transpose(m, out):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = m[j, i]


def multiply_back(m, a, out):
    """Out = m' a"""
    for i in range(len(out)):
        out[i] = 0.0
    add_back(m, a, out)


def add_back(m, a, out):
    """Out += m' a"""
    rows, n = m.shape
    whole = n - n % 4
    for j in range(0, whole, 4):
        c, d, e, f = out[j], out[j + 1], out[j + 2], out[j + 3]
        for i in range(rows):
            x = a[i]
            c, d, e, f = c + m[i, j] * x, d + m[i, j + 1] * x, e + m[i, j + 2] * x, f + m[i, j + 3] * x
        out[j], out[j + 1], out[j + 2], out[j + 3] = c, d, e, f
    for j in range(whole, n):
        c = out[j]
        for i in range(rows):
            c += m[i, j] * a[i]
        out[j] = c


def subtract_back(m, a, out):
    """Out -= m' a"""
    rows, n = m.shape
    whole = n - n % 4
    for j in range(0, whole, 4):
        c, d, e, f = out[j], out[j + 1], out[j + 2], out[j + 3]
        for i in range(rows):
            x = a[i]
            c, d, e, f = c - m[i, j] * x, d - m[i, j + 1] * x, e - m[i, j + 2] * x, f - m[i, j + 3] * x
        out[j], out[j + 1], out[j + 2], out[j + 3] = c, d, e, f
    for j in range(whole, n):
        c = out[j]
        for i in range(rows):
            c -= m[i, j] * a[i]
        out[j] = c


def product(a, b, out):
    """Out = a b, two rows and four columns at a time"""
    n, columns, rows = b.shape[0], b.shape[1], out.shape[0]
    whole = columns - columns % 4
    for i in range(0, rows, 2):
        other = min(i + 1, rows - 1)  # of an odd number of rows the last is found twice
        for j in range(0, whole, 4):
            c, d, e, f = 0.0, 0.0, 0.0, 0.0
            p, q, r, s = 0.0, 0.0, 0.0, 0.0
            for k in range(n):
                x, y = a[i, k], a[other, k]
                c, d, e, f = c + x * b[k, j], d + x * b[k, j + 1], e + x * b[k, j + 2], f + x * b[k, j + 3]
                p, q, r, s = p + y * b[k, j], q + y * b[k, j + 1], r + y * b[k, j + 2], s + y * b[k, j + 3]
            out[i, j], out[i, j + 1], out[i, j + 2], out[i, j + 3] = c, d, e, f
            out[other, j], out[other, j + 1], out[other, j + 2], out[other, j + 3] = p, q, r, s
        for j in range(whole, columns):
            c, p = 0.0, 0.0
            for k in range(n):
                c, p = c + a[i, k] * b[k, j], p + a[other, k] * b[k, j]
            out[i, j], out[other, j] = c, p


def lower_back_product(lower, b, out):
    """Out = lower' b, with a lower triangular matrix"""
    n, columns = b.shape
    whole = columns - columns % 4
    for i in range(n):
        for j in range(0, whole, 4):
            c, d, e, f = 0.0, 0.0, 0.0, 0.0
            for k in range(i, n):
                x = lower[k, i]
                c, d, e, f = c + x * b[k, j], d + x * b[k, j + 1], e + x * b[k, j + 2], f + x * b[k, j + 3]
            out[i, j], out[i, j + 1], out[i, j + 2], out[i, j + 3] = c, d, e, f
        for j in range(whole, columns):
            c = 0.0
            for k in range(i, n):
                c += lower[k, i] * b[k, j]
            out[i, j] = c


def lower_of_product(a, b, out):
    """Out = a b', which is symmetric: its lower half, two rows at a time"""
    size, n = a.shape
    for i in range(0, size, 2):
        other = min(i + 1, size - 1)
        for j in range(0, other + 1, 2):
            next_to = min(j + 1, size - 1)
            c, d, e, f = 0.0, 0.0, 0.0, 0.0
            for k in range(n):
                x, y, z, w = a[i, k], a[other, k], b[j, k], b[next_to, k]
                c, d, e, f = c + x * z, d + x * w, e + y * z, f + y * w
            out[i, j], out[i, next_to], out[other, j], out[other, next_to] = c, d, e, f


def add_product_back(a, b, v, out):
    """Out += a' b - v' v, which is symmetric: its lower half is computed, two rows and four columns at a time"""
    n, m, size = a.shape[0], v.shape[0], out.shape[0]
    whole = size - size % 4
    for i in range(0, size, 2):
        other = min(i + 1, size - 1)
        for j in range(0, whole, 4):
            if j > other:
                break
            c, d, e, f = out[i, j], out[i, j + 1], out[i, j + 2], out[i, j + 3]
            p, q, r, s = out[other, j], out[other, j + 1], out[other, j + 2], out[other, j + 3]
            for k in range(n):
                x, y = a[k, i], a[k, other]
                c, d, e, f = c + x * b[k, j], d + x * b[k, j + 1], e + x * b[k, j + 2], f + x * b[k, j + 3]
                p, q, r, s = p + y * b[k, j], q + y * b[k, j + 1], r + y * b[k, j + 2], s + y * b[k, j + 3]
            for k in range(m):
                x, y = v[k, i], v[k, other]
                c, d, e, f = c - x * v[k, j], d - x * v[k, j + 1], e - x * v[k, j + 2], f - x * v[k, j + 3]
                p, q, r, s = p - y * v[k, j], q - y * v[k, j + 1], r - y * v[k, j + 2], s - y * v[k, j + 3]
            out[i, j], out[i, j + 1], out[i, j + 2], out[i, j + 3] = c, d, e, f
            out[other, j], out[other, j + 1], out[other, j + 2], out[other, j + 3] = p, q, r, s
        for j in range(whole, other + 1):
            c, p = out[i, j], out[other, j]
            for k in range(n):
                c, p = c + a[k, i] * b[k, j], p + a[k, other] * b[k, j]
            for k in range(m):
                c, p = c - v[k, i] * v[k, j], p - v[k, other] * v[k, j]
            out[i, j], out[other, j] = c, p
    for i in range(size):
        for j in range(i):
            out[j, i] = out[i, j]


def scale_columns(m, scales, k, out):
    """Out = m diag(scales[k])"""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = m[i, j] * scales[k, j]


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
    """Out = lower'^-1 out; nothing along zero columns"""
    for i in range(len(out) - 1, -1, -1):
        x = out[i] / lower[i, i] if lower[i, i] > 0.0 else 0.0
        out[i] = x
        for k in range(i):
            out[k] -= lower[i, k] * x


def solve_lower_rows(lower, out):
    """Out = lower^-1 out, for a matrix, four columns at a time"""
    size, columns = out.shape
    whole = columns - columns % 4
    for i in range(size):
        part = 1.0 / lower[i, i]
        for j in range(0, whole, 4):
            c, d, e, f = out[i, j], out[i, j + 1], out[i, j + 2], out[i, j + 3]
            for k in range(i):
                x = lower[i, k]
                c, d, e, f = c - x * out[k, j], d - x * out[k, j + 1], e - x * out[k, j + 2], f - x * out[k, j + 3]
            out[i, j], out[i, j + 1], out[i, j + 2], out[i, j + 3] = c * part, d * part, e * part, f * part
        for j in range(whole, columns):
            c = out[i, j]
            for k in range(i):
                c -= lower[i, k] * out[k, j]
            out[i, j] = c * part
