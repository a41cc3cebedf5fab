"""Diagrams made of characters, for a first look without leaving the terminal."""

from typing import NamedTuple

import numpy as np


class _Marks(NamedTuple):
    """The characters of a diagram.

    Attributes:
        dots: The bit of each dot of a character, by row and column.
        letters: The character for each set of bits.
        axis: What stands between label and diagram.
    """

    dots: tuple[tuple[int, ...], ...]
    letters: str
    axis: str


_BRAILLE = _Marks(
    dots=((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80)),
    letters="".join(chr(0x2800 + bits) for bits in range(256)),
    axis="┤",
)
_ASCII = _Marks(dots=((1,), (2,)), letters=" '.:", axis="|")


def chart(t: np.ndarray, values: np.ndarray, *, width: int = 60, height: int = 8, encoding: str = "utf-8") -> list[str]:
    """Lines of text that draw `values` over `t`, with the range written at the left and the times below.

    Args:
        t: (n,) Times; a single one is a dot, and none leaves nothing to draw.
        values: (n,) What to draw; what is not finite is left out.
        width: Characters across the diagram itself; one at the least.
        height: Lines of it.
        encoding: Of the terminal; ASCII is used where it has no Braille.
    """
    if not len(t):
        return ["nothing to draw yet"]
    drawn = np.isfinite(values)
    if not drawn.any():
        return ["nothing to draw: no value is finite"]
    marks = _BRAILLE if _has_letters(encoding, _BRAILLE) else _ASCII
    width = max(1, width)
    low, high = float(np.min(values[drawn])), float(np.max(values[drawn]))
    if 0.0 < low < 0.1 * high:
        low = 0.0  # a curve that decays is read against zero
    half = (0.5 * high - 0.5 * low) or 1.0  # the whole might be more than a number can be

    # a column of dots shows the range of its samples
    across, down = len(marks.dots[0]), len(marks.dots)
    columns, rows = across * width, down * height
    cells = np.zeros((height, width), dtype=int)
    column_of = np.minimum(((t - t[0]) / ((t[-1] - t[0]) or 1.0) * columns).astype(int), columns - 1)[drawn]
    row_of = rows - 1 - np.minimum(((0.5 * values[drawn] - 0.5 * low) / half * rows).astype(int), rows - 1)
    last = row_of[0]
    for column in range(columns if t[-1] > t[0] else 1):
        here = row_of[column_of == column]
        first, final = (min(here.min(), last), max(here.max(), last)) if len(here) else (last, last)
        last = here[-1] if len(here) else last
        for row in range(first, final + 1):
            cells[row // down, column // across] |= marks.dots[row % down][column % across]

    labels = [""] * height
    labels[0], labels[-1] = f"{high:.3g}", f"{low:.3g}"
    margin = max(map(len, labels))
    lines = [
        f"{label:>{margin}} {marks.axis}{''.join(marks.letters[cell] for cell in row)}"
        for label, row in zip(labels, cells, strict=True)
    ]
    first, final = f"{t[0]:g}", f"{t[-1]:g} s"
    between = " " * max(1, width - len(first) - len(final))
    return [*lines, f"{'':{margin}}  {first}{between}{final}"]


def _has_letters(encoding: str, marks: _Marks) -> bool:
    try:
        (marks.letters + marks.axis).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
