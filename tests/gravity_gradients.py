"""Whether the gradient that a part of gravity sends is that of its accelerations."""

from collections.abc import Callable

import numpy as np

from cardan.messages import GravityField

PLACES = np.array([[7.0e6, 1.0e5, -2.0e6], [-3.0e6, 6.0e6, 2.5e6], [1.0e6, -2.0e6, 8.0e6]])


def assert_gradient(field: Callable[[np.ndarray], GravityField], places: np.ndarray = PLACES) -> None:
    """By central differences over 2 km, with an error of 1e-7 by their step and of 1e-9 by rounding."""
    given = field(places).gradient_N
    for k, step in enumerate(1000.0 * np.eye(3)):
        slope = (field(places + step).g_N - field(places - step).g_N) / 2000.0
        rows = given[:, [[0, 1, 2], [1, 3, 4], [2, 4, 5]][k]]
        assert np.abs(rows - slope).max() < 3e-7 * np.abs(given).max()
