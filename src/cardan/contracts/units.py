"""Units as text: `N m s/rad`, `kg m^2`, `-` for a pure number.

SI inside. A unit outside SI is allowed only where the field's name says so; see `cardan.contracts.names`.
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
_GRAMMAR = "  Write units as factors with blanks between them, e.g. `N m s/rad` or `m/s/Hz^0.5`; `-` is a pure number."
_FACTOR = re.compile(r"^([A-Za-z]+)(?:\^(-?)([0-9]+(?:\.[0-9]+)?))?$")


def check_unit(unit: str, path: str) -> None:
    """Raise unless `unit` is one that is known."""
    if unit == "-":
        return
    factors = _factors(unit)
    # something stands before and after every `/`, and at all
    if any(pair in (("", "/"), ("", ""), ("/", "/"), ("/", "")) for pair in pairwise(["", *factors, ""])):
        raise UnitError(f"`{path}` has the unit `{unit}`, which is incomplete.\n{_GRAMMAR}")
    for factor in factors:
        if factor in ("1", "/"):
            continue
        match = _FACTOR.match(factor)
        symbol = match[1] if match else factor
        if symbol not in _SI and symbol not in _NAMED:
            raise UnitError(
                f"`{path}` has the unit `{unit}`, in which `{factor}` is not known.{_advice(symbol)}\n{_GRAMMAR}"
            )


def spelled(unit: str) -> str:
    """How a name says a unit outside SI: `deg_per_s` for `deg/s`, `deg_per_sqrt_h` for `deg/h^0.5`; "" for SI."""
    words: list[str] = []
    is_si, is_divisor = True, False
    for factor in _factors(unit):
        match = _FACTOR.match(factor)
        if match:
            symbol, sign, power = match.groups()
            is_si = is_si and symbol in _SI
            words += ["per"] * (is_divisor != (sign == "-"))
            exponent = (power or "1").replace(".", "_")
            words += {"1": [symbol], "0_5": ["sqrt", symbol]}.get(exponent, [symbol + exponent])
        is_divisor = factor == "/"
    return "" if is_si else "_".join(words)


def _factors(unit: str) -> list[str]:
    return unit.replace("/", " / ").split()


def _advice(symbol: str) -> str:
    for cut in range(1, len(symbol)):
        if symbol[:cut] in _SI and symbol[cut:] in _SI:
            return f" Did you mean `{symbol[:cut]} {symbol[cut:]}`?"
    return did_you_mean(symbol, _SI)
