"""Spaces of Gymnasium, from columns and their limits."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.errors import MissingExtra
from cardan.learning.columns import Column

try:
    import gymnasium
except ImportError as error:
    raise MissingExtra("Environments need Gymnasium.\n  Install it with `pip install cardan[learn]`.") from error


def box(columns: Sequence[Column], dtype: Any) -> Any:
    """The space of what columns hold, side by side."""
    low, high = (np.concatenate([getattr(each, bound) for each in columns]).astype(dtype) for bound in ("low", "high"))
    return gymnasium.spaces.Box(low, high, dtype=dtype)
