"""Units as text: `N m s/rad`, `kg m^2`, `-` for a pure number.

SI inside. A unit outside SI is allowed only where the field's name says so, as in `altitude_km`.
"""

import re
from itertools import pairwise

from cardan.errors import UnitError, did_you_mean

_SI = frozenset(
    [
        "m",
        "kg",
        "s",
        "A",
        "K",
        "mol",
        "cd",
        "rad",
        "sr",
        "Hz",
        "N",
        "Pa",
        "J",
        "W",
        "C",
        "V",
        "F",
        "Ohm",
        "S",
        "Wb",
        "T",
        "H",
        "lm",
        "lx",
        "Bq",
        "Gy",
    ]
)
_NAMED = frozenset(
    ["deg", "arcsec", "km", "mm", "cm", "au", "g", "h", "min", "d", "rpm", "kHz", "MHz", "kW", "kN", "bar", "MPa"]
)
_GRAMMAR = "  Write units as factors with blanks between them, e.g. `N m s/rad` or `kg m^2`; `-` is a pure number."
_FACTOR = re.compile(r"^([A-Za-z]+)(\^-?[0-9]+)?$")


def check_unit(unit: str, name: str, path: str) -> None:
    """Raise unless `unit` is one that the field `name` may have."""
    if unit == "-":
        return
    factors = unit.replace("/", " / ").split()
    # something stands before and after every `/`, and at all
    if any(pair in (("", "/"), ("", ""), ("/", "/"), ("/", "")) for pair in pairwise(["", *factors, ""])):
        raise UnitError(f"`{path}` has the unit `{unit}`, which is incomplete.\n{_GRAMMAR}")
    for factor in factors:
        if factor in ("1", "/"):
            continue
        match = _FACTOR.match(factor)
        symbol = match[1] if match else factor
        if symbol in _SI:
            continue
        if symbol not in _NAMED:
            raise UnitError(
                f"`{path}` has the unit `{unit}`, in which `{factor}` is not known.{_advice(symbol)}\n{_GRAMMAR}"
            )
        if not name.endswith(f"_{symbol}"):
            raise UnitError(
                f"`{path}` has the unit `{unit}`, which is not SI, and its name does not say so.\n"
                f"  Use SI, or call it `{name}_{symbol}`."
            )


def _advice(symbol: str) -> str:
    for cut in range(1, len(symbol)):
        if symbol[:cut] in _SI and symbol[cut:] in _SI:
            return f" Did you mean `{symbol[:cut]} {symbol[cut:]}`?"
    return did_you_mean(symbol, _SI)
