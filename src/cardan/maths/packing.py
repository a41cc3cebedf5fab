"""A message as a list of numbers, whatever its fields are called, and back."""

from typing import Any

import numpy as np

from cardan.maths.arrays import Scalar, Vec


def numbers_of(message: Any) -> Vec:
    """All numbers of a NamedTuple, field by field and row by row; whole numbers and truths as floats."""
    return np.concatenate([np.asarray(field, dtype=np.float64).ravel() for field in message])


def with_numbers(message: Any, numbers: Vec) -> Any:
    """A NamedTuple like `message` with other numbers, in the order of `numbers_of`.

    Whole numbers are rounded, and a truth is what is above one half.
    """
    fields: list[Any] = []
    at = 0
    for field in message:
        old = np.asarray(field)
        own: Any = numbers[at : at + old.size]
        at += old.size
        if old.dtype.kind == "b":
            own = own > 0.5
        elif old.dtype.kind in "iu":
            own = np.floor(own + 0.5).astype(np.int64)
        fields.append(own.reshape(old.shape).copy() if old.ndim else own[0])
    return type(message)(*fields)


def with_flipped_bit(number: Scalar, bit: int) -> Scalar:
    """`number` with one bit of its 64 inverted, 0 the lowest of the fraction, 63 the sign.

    A number that this would make infinite, or none at all, stays as it is.
    """
    bits = np.array([number]).view(np.int64) ^ (np.int64(1) << np.int64(bit))
    flipped = bits.view(np.float64)[0]
    return flipped if np.isfinite(flipped) else number
