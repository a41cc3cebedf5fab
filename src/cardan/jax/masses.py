"""Mass properties of bodies, and of several bodies as one."""

from collections.abc import Sequence
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

from cardan.jax.vectors import Array


class BodyMass(NamedTuple):
    """Mass, centre of mass and inertia about it of a body, in its own components."""

    mass: Array
    r_CB_B: Array
    inertia_C_B: Array


def lumped(pieces: Sequence[BodyMass]) -> BodyMass:
    """Several bodies as one, all in components of one frame."""
    mass = sum(piece.mass for piece in pieces)
    com = sum(piece.mass * piece.r_CB_B for piece in pieces) / mass
    inertia = jnp.zeros((3, 3))
    for piece in pieces:
        arm = piece.r_CB_B - com
        spread = jnp.sum(arm * arm) * np.eye(3) - arm[:, None] * arm[None, :]
        inertia = inertia + piece.inertia_C_B + piece.mass * spread
    return BodyMass(mass, com, inertia)
