"""Checks on the facets of a body, for drag and radiation."""

from typing import Any

import numpy as np

from cardan.contracts import Constraint


def _points_outwards(normal_B: np.ndarray, r_FB_B: np.ndarray) -> Any:
    """False for a facet that has all others in front of it, as no face of a body has."""
    if len(normal_B) != len(r_FB_B):
        return np.ones(len(normal_B), dtype=bool)  # which another constraint finds
    ahead = np.einsum("ijk,ik->ij", r_FB_B[None, :] - r_FB_B[:, None], normal_B)
    room = 1e-9 * (1.0 + np.abs(r_FB_B).max(initial=0.0))
    is_inward = (ahead >= -room).all(axis=1) & ((ahead > room).sum(axis=1) >= 3)
    return ~is_inward


Outward = Constraint(
    "turned outwards",
    lambda normal_B, r_FB_B: bool(np.all(_points_outwards(normal_B, r_FB_B))),
    of=("r_FB_B",),
    found=lambda normal_B, r_FB_B: "a facet that has all others in front of it; turn its normal round",
)
