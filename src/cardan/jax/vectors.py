"""Vectors and matrices as arrays whose last axes are the components.

Products are sums of products, written out, not calls of a matrix library nor reductions: XLA fuses these with what
surrounds them. A batch of small matrices is slower any other way; by reductions, three times.
"""

from typing import Any

import jax.numpy as jnp

Array = Any


def turned(matrix: Array, vector: Array) -> Array:
    """(..., n, m) times (..., m)."""
    return _summed([matrix[..., k] * vector[..., k, None] for k in range(matrix.shape[-1])])


def turned_back(matrix: Array, vector: Array) -> Array:
    """The transpose of (..., n, m) times (..., n)."""
    return _summed([matrix[..., k, :] * vector[..., k, None] for k in range(matrix.shape[-2])])


def product(a: Array, b: Array) -> Array:
    """(..., n, m) times (..., m, k)."""
    return _summed([a[..., :, k, None] * b[..., None, k, :] for k in range(a.shape[-1])])


def dot(a: Array, b: Array) -> Array:
    a, b = jnp.broadcast_arrays(a, b)
    return _summed([a[..., k] * b[..., k] for k in range(a.shape[-1])])


def _summed(terms: list[Array]) -> Array:
    """One after the other: a reduction over a short axis is a loop of its own for XLA."""
    found = jnp.asarray(terms[0])
    for term in terms[1:]:
        found = found + term
    return found


def cross(a: Array, b: Array) -> Array:
    a, b = jnp.broadcast_arrays(a, b)
    return jnp.stack(
        (
            a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1],
            a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2],
            a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0],
        ),
        axis=-1,
    )


def transposed(matrix: Array) -> Array:
    return jnp.swapaxes(matrix, -1, -2)


def cross_matrix(a: Array) -> Array:
    """The matrix that takes b to a x b."""
    zero = jnp.zeros_like(a[..., 0])
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    return jnp.stack(
        (jnp.stack((zero, -z, y), -1), jnp.stack((z, zero, -x), -1), jnp.stack((-y, x, zero), -1)), axis=-2
    )


def turn_from_quaternion(q: Array) -> Array:
    """Takes components of the frame that (..., 4) `q` is the attitude of to those of its reference."""
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    return jnp.stack(
        (
            jnp.stack((1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)), -1),
            jnp.stack((2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)), -1),
            jnp.stack((2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)), -1),
        ),
        axis=-2,
    )


def quaternion_from_turn(t: Array) -> Array:
    """The quaternion of a turn, from whichever of its components is large (Shepperd)."""
    xx, yy, zz = t[..., 0, 0], t[..., 1, 1], t[..., 2, 2]
    trace = xx + yy + zz
    x = t[..., 2, 1] - t[..., 1, 2]
    y = t[..., 0, 2] - t[..., 2, 0]
    z = t[..., 1, 0] - t[..., 0, 1]
    xy, xz, yz = t[..., 0, 1] + t[..., 1, 0], t[..., 0, 2] + t[..., 2, 0], t[..., 1, 2] + t[..., 2, 1]
    # four times the products of each component with the largest one
    by = jnp.stack(
        (
            jnp.stack((1.0 + trace, x, y, z), -1),
            jnp.stack((x, 1.0 + 2.0 * xx - trace, xy, xz), -1),
            jnp.stack((y, xy, 1.0 + 2.0 * yy - trace, yz), -1),
            jnp.stack((z, xz, yz, 1.0 + 2.0 * zz - trace), -1),
        ),
        axis=-2,
    )
    largest = jnp.argmax(jnp.stack((trace, xx, yy, zz), -1), axis=-1)
    chosen = jnp.take_along_axis(by, largest[..., None, None], axis=-2)[..., 0, :]
    square = jnp.take_along_axis(chosen, largest[..., None], axis=-1)
    return chosen * (0.5 / jnp.sqrt(square))


def unit(q: Array) -> Array:
    """Of unit length."""
    return q * (1.0 / jnp.sqrt(jnp.sum(q * q, axis=-1, keepdims=True)))
