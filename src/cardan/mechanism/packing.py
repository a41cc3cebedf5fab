"""Arrays as text, for descriptions that are kept as JSON."""

import base64
import zlib
from typing import Any

import numpy as np


def packed(array: np.ndarray) -> str:
    """An array as text."""
    return base64.b64encode(zlib.compress(np.ascontiguousarray(array).tobytes(), 6)).decode("ascii")


def unpacked(text: str, dtype: Any, columns: int = 3) -> np.ndarray:
    """(n, columns) What `packed` has made of an array.

    Raises:
        ValueError: The text is not what `packed` writes.
    """
    try:
        content = zlib.decompress(base64.b64decode(text, validate=True))
    except zlib.error as error:
        raise ValueError(str(error)) from None
    return np.frombuffer(content, dtype).reshape(-1, columns)
