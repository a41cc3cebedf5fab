"""What the name of a field says: the frame of what lives in space, then a unit outside SI.

    quantity, _frame, _unit:   omega_BN_B   altitude_km   bias_B_deg_per_h

The unit is declared beside the name, so that its words cannot be mistaken for a frame.
"""

import re

from cardan.contracts.units import spelled
from cardan.errors import FrameNameError, UnitError
from cardan.maths.arrays import Size

_FRAME = re.compile(r"_([A-Z][A-Za-z0-9]*)$")
_FRAME_WORD = re.compile(r"[A-Z][A-Za-z0-9]*")


def frame_of(name: str, unit: str) -> str:
    """The frame that a name says, or an empty text."""
    match = _FRAME.search(name.removesuffix(f"_{spelled(unit)}") if spelled(unit) else name)
    return match[1] if match else ""


def check_name(name: str, unit: str, size: Size, path: str, *, needs_frames: bool) -> None:
    """Raise unless `name` says its unit if that is not SI, and its frame if it needs one."""
    needs_frame = size.in_space and needs_frames
    suffix = spelled(unit)
    if suffix and not name.endswith(f"_{suffix}"):
        raise UnitError(
            f"`{path}` has the unit `{unit}`, which is not SI, and its name does not say so.\n"
            f"  Use SI, or call it `{proposed_name(name, unit, 'B' if needs_frame else '')}`."
        )
    if needs_frame and not frame_of(name, unit):
        where = "Put the frame the components are in before the unit" if suffix else "End the name with the frame"
        examples = " or ".join(f"`{proposed_name(name, unit, frame)}`" for frame in ("B", "BN_N"))
        raise FrameNameError(
            f"`{path}` is a {'vector' if len(size.shape) == 1 else 'matrix'}, but its name does not say its frame.\n"
            f"  {where}{'' if suffix else ' the components are in'}, e.g. {examples}."
        )


def proposed_name(name: str, unit: str, frame: str) -> str:
    """A name like `name` that says `unit` and, where the name has none of its own and one is given, `frame`."""
    suffix = spelled(unit)
    words, frames = name.split("_"), list[str]()
    # what stands at the end, in whichever order: words of the unit, and frames
    while len(words) > 1 and (words[-1] in suffix.split("_") or _FRAME_WORD.fullmatch(words[-1])):
        word = words.pop()
        if word not in suffix.split("_"):
            frames.insert(0, word)
    return "_".join([*words, *(frames or [frame] * bool(frame)), *[suffix] * bool(suffix)])
