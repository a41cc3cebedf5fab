"""Solver parameters of contacts that a `Mujoco` service may be given in place of those of the file."""

from typing import Any

import mujoco
import numpy as np

from cardan.contracts.dynamics import Dynamics
from cardan.errors import SettingError

_CONES = {"pyramidal": mujoco.mjtCone.mjCONE_PYRAMIDAL, "elliptic": mujoco.mjtCone.mjCONE_ELLIPTIC}


def check_contact(service: Dynamics, solref: Any, solimp: Any, friction: Any, cone: Any) -> None:
    """Refuse what MuJoCo would replace by something else without a word."""
    given = {"solref": (solref, 2), "solimp": (solimp, 5), "friction": (friction, 3)}
    for name, (values, count) in given.items():
        if values is not None and (np.shape(values) != (count,) or not np.all(np.isfinite(values))):
            raise SettingError(f"{service}: {name} must be {count} finite numbers; got {values!r}.")
    if solref is not None and not (min(solref) > 0.0 or max(solref) <= 0.0):
        raise SettingError(
            f"{service}: solref must be a time constant [s] and a damping ratio, both positive,\n"
            f"  or stiffness and damping for a unit mass, both with a minus sign; got {solref!r}."
        )
    if solimp is not None and not (
        0.0 < solimp[0] <= solimp[1] < 1.0 and solimp[2] > 0.0 and 0.0 < solimp[3] < 1.0 and solimp[4] >= 1.0
    ):
        raise SettingError(
            f"{service}: solimp must be two impedances with 0 < first <= second < 1, a width above 0 [m],\n"
            f"  a midpoint between 0 and 1 and a power of at least 1; got {solimp!r}."
        )
    if friction is not None and min(friction) < 0.0:
        raise SettingError(f"{service}: no coefficient of friction may be negative; got {friction!r}.")
    if cone is not None and cone not in _CONES:
        raise SettingError(f"{service}: cone must be one of {', '.join(_CONES)}; got {cone!r}.")


def set_contact(model: Any, solref: Any, solimp: Any, friction: Any, cone: Any) -> None:
    """Give these to all contacts of a model; None leaves those of the file.

    Geoms that touch share their parameters by priority and weight, which gives the common value if all have it.
    Pairs that the file declares have their own.
    """
    for values, of_geoms, of_pairs in (
        (solref, model.geom_solref, model.pair_solref),
        (solimp, model.geom_solimp, model.pair_solimp),
    ):
        if values is not None:
            of_geoms[:] = values
            of_pairs[:] = values
    if friction is not None:
        sliding, torsion, rolling = friction
        model.geom_friction[:] = friction
        model.pair_friction[:] = (sliding, sliding, torsion, rolling, rolling)
    if cone is not None:
        model.opt.cone = _CONES[cone]
