"""Spaces of Gymnasium, from columns and their limits."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np

from cardan.learning.columns import Column


def box(columns: Sequence[Column], dtype: Any) -> Any:
    """The space of what columns hold, side by side."""
    low, high = (np.concatenate([getattr(each, bound) for each in columns]).astype(dtype) for bound in ("low", "high"))
    return gymnasium.spaces.Box(low, high, dtype=dtype)
