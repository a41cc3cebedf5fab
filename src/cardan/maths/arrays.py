"""The kinds of array that parts are written with.

To a type checker they are NumPy arrays; to Cardan they carry the shape that a declaration asks for. A size of None is
fixed by each instance, such as one value per wheel.
"""

from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray


class Size(NamedTuple):
    """The shape of an array in a declaration.

    Attributes:
        shape: The sizes; None where each instance fixes its own.
        in_space: Whether the numbers are components along axes, so that the name must say of which frame.
    """

    shape: tuple[int | None, ...]
    in_space: bool = False


Scalar: TypeAlias = Any
"""A float, or the 0-d form of it that a target has."""

Vec = Annotated[NDArray[np.float64], Size((None,))]
"""A list of numbers, as many as the instance has (wheels, joints)."""

Vec3 = Annotated[NDArray[np.float64], Size((3,), in_space=True)]
"""A vector in space, or an MRP."""

Vec4 = Annotated[NDArray[np.float64], Size((4,), in_space=True)]
"""A unit quaternion, scalar first."""

Vec6 = Annotated[NDArray[np.float64], Size((6,), in_space=True)]
"""A spatial vector: angular part, then linear part."""

Mat = Annotated[NDArray[np.float64], Size((None, None))]
"""A table of numbers, as large as the instance has it."""

Mat3 = Annotated[NDArray[np.float64], Size((3, 3), in_space=True)]
"""A rotation matrix or a tensor in space."""

Mat6 = Annotated[NDArray[np.float64], Size((6, 6), in_space=True)]
"""A spatial inertia."""

Rows3 = Annotated[NDArray[np.float64], Size((None, 3), in_space=True)]
"""Vectors in space, one per row, as many as the instance has."""
