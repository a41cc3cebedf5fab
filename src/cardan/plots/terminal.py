"""Diagrams made of characters, for a first look without leaving the terminal."""

import numpy as np

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # of a Braille cell, by row and column


def chart(t: np.ndarray, values: np.ndarray, *, width: int = 60, height: int = 8) -> list[str]:
    """Lines of text that draw `values` over `t`, with the range written at the left and the times below.

    Args:
        t: (n,) Times; a single one is a dot, and none leaves nothing to draw.
        values: (n,) What to draw; it must be finite.
        width: Characters across the diagram itself.
        height: Lines of it.
    """
    if not len(t):
        return ["nothing to draw yet"]
    low, high = float(np.min(values)), float(np.max(values))
    if 0.0 < low < 0.1 * high:
        low = 0.0  # a curve that decays is read against zero
    span = (high - low) or 1.0

    # each character has two columns and four rows of dots; a column shows the range of its samples
    columns, rows = 2 * width, 4 * height
    cells = np.zeros((height, width), dtype=int)
    column_of = np.minimum(((t - t[0]) / ((t[-1] - t[0]) or 1.0) * columns).astype(int), columns - 1)
    row_of = rows - 1 - np.minimum(((values - low) / span * rows).astype(int), rows - 1)
    last = row_of[0]
    for column in range(columns if t[-1] > t[0] else 1):
        here = row_of[column_of == column]
        first, final = (min(here.min(), last), max(here.max(), last)) if len(here) else (last, last)
        last = here[-1] if len(here) else last
        for row in range(first, final + 1):
            cells[row // 4, column // 2] |= _DOTS[row % 4][column % 2]

    labels = [""] * height
    labels[0], labels[-1] = f"{high:.3g}", f"{low:.3g}"
    margin = max(map(len, labels))
    lines = [
        f"{label:>{margin}} ┤{''.join(chr(0x2800 + cell) for cell in row)}"
        for label, row in zip(labels, cells, strict=True)
    ]
    first, final = f"{t[0]:g}", f"{t[-1]:g} s"
    return [*lines, f"{'':{margin}}  {first}{final:>{width - len(first)}}"]
