"""What a bank of thrusters must be able to give, checked when a part is made."""

from typing import Any

import numpy as np

from cardan.contracts import Constraint
from cardan.fsw.allocation.bounded_least_squares import bounded_least_squares, scaled_mixer

AXES = ("force x", "force y", "force z", "torque x", "torque y", "torque z")
_NOTHING = 1.0e-5  # of a unit wrench: what is missing of it where it can be given


def missing_axes(mixer: Any, weights: Any) -> list[str]:
    """The wrenches along single axes that no thrusts of any size give, by name: `force +x`, `torque -z`."""
    a, _ = scaled_mixer(mixer, np.ones(mixer.shape[1]), (weights > 0.0) * 1.0)
    rows, n = a.shape
    sizes = np.linalg.norm(a, axis=0)
    a = a / np.where(sizes > 0.0, sizes, 1.0)
    missing = []
    for i in np.flatnonzero(weights > 0.0):
        for sign, text in ((1.0, "+"), (-1.0, "-")):
            asked = sign * np.eye(rows)[i]
            s, _ = bounded_least_squares(a, asked, np.zeros(n), np.full(n, 1e6), 1e-12)
            if np.linalg.norm(a @ s - asked) > _NOTHING:
                kind, axis = AXES[i].split()
                missing.append(f"{kind} {text}{axis}")
    return missing


def _found(mixer: Any, weights: Any) -> str:
    idle = [str(j) for j in range(mixer.shape[1]) if not np.any(mixer[:, j])]
    text = f"{mixer.shape[1]} thrusters that cannot give {', '.join(missing_axes(mixer, weights))}"
    return text + (f"; thruster {', '.join(idle)} gives nothing" if idle else "")


SixRows = Constraint(
    "a matrix of six rows, force and torque",
    lambda mixer: mixer.shape[0] == 6 and mixer.shape[1] > 0,
    found=lambda mixer: f"size {mixer.shape[0]} x {mixer.shape[1]}",
)

AnyWrench = Constraint(
    "that of thrusters which push along every axis with a weight, either way",
    lambda mixer, weights: mixer.shape[0] != 6 or len(weights) != 6 or not missing_axes(mixer, weights),
    of=("weights",),
    found=_found,
    advice="Add thrusters, or give the axes that are not needed a weight of 0.",
)

OnePerColumn = Constraint(
    "one per column of `mixer`",
    lambda value, mixer: len(value) == mixer.shape[1],
    of=("mixer",),
    found=lambda value, mixer: f"{len(value)} for {mixer.shape[1]}",
)
