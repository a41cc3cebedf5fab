"""Distributions as text, as the command line and study files have them: `normal(5%)`, `uniform(0.9, 1.1)`."""

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cardan.errors import CardanError, SettingError, UnknownName, did_you_mean
from cardan.studies.distributions import Choice, Distribution, LogNormal, Normal, Percent, Uniform
from cardan.studies.tensors import Attitude, Correlated, Inertia, SmallRotation, UnitVector

DISTRIBUTIONS: Mapping[str, Callable[..., Distribution]] = {
    "uniform": Uniform,
    "normal": Normal,
    "lognormal": LogNormal,
    "choice": Choice,
    "unit_vector": UnitVector,
    "attitude": Attitude,
    "small_rotation": SmallRotation,
    "inertia": Inertia,
    "correlated": Correlated,
}
_EXAMPLE = "Write e.g. `normal(5%)`, `uniform(0.9, 1.1)`, `choice(1, 2)` or `small_rotation(2 deg)`."
_MEASURES: Mapping[str, Callable[[float], Any]] = {"%": Percent, "deg": lambda degrees: float(np.deg2rad(degrees))}
# nothing is taken back: a number of a thousand digits would be tried in a thousand million ways
_WITH_MEASURE = re.compile(r"([-+]?(?:\d++\.?+\d*+|\.\d++)(?:[eE][-+]?\d++)?+)\s*+(%|deg\b)")
_LONGEST = 2000  # letters; more is no distribution


def read_distribution(text: Any, path: str) -> Distribution:
    """The distribution that a text describes; one that is a distribution already stays what it is."""
    if isinstance(text, Distribution):
        return text
    if not isinstance(text, str):
        raise SettingError(f"`{path}` varies by {text!r}, which is no distribution.\n  {_EXAMPLE}")
    marked = _WITH_MEASURE.sub(lambda found: f"_measured({found[1]}, '{found[2]}')", text[:_LONGEST])
    try:
        made = _value(ast.parse(marked.strip(), mode="eval").body, path, text)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        if isinstance(error, CardanError):
            raise
        raise SettingError(f"`{path}`: `{text[:80]}` is not understood.\n  {_EXAMPLE}") from None
    if not isinstance(made, Distribution):
        raise SettingError(f"`{path}`: `{text[:80]}` is no distribution.\n  {_EXAMPLE}")
    return made


def _value(node: ast.expr, path: str, text: str) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float | str | bool):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, path, text)
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(each, path, text) for each in node.elts]
    if isinstance(node, ast.Name):
        if node.id in ("inf", "true", "false"):
            return {"inf": np.inf, "true": True, "false": False}[node.id]
        return node.id if node.id not in DISTRIBUTIONS else DISTRIBUTIONS[node.id]()
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _made(node.func.id, node, path, text)
    raise ValueError


def _made(name: str, node: ast.Call, path: str, text: str) -> Any:
    given = [_value(each, path, text) for each in node.args]
    named = {each.arg: _value(each.value, path, text) for each in node.keywords if each.arg}
    if name == "_measured":
        return _MEASURES[given[1]](given[0])
    if name not in DISTRIBUTIONS:
        raise UnknownName(
            f"`{path}`: there is no distribution `{name}`.{did_you_mean(name, DISTRIBUTIONS)}\n"
            f"  distributions: {', '.join(DISTRIBUTIONS)}"
        )
    try:
        return DISTRIBUTIONS[name](*given, **named)
    except TypeError as error:
        told = str(error).replace(f"{DISTRIBUTIONS[name].__name__}.__init__()", f"`{name}`")
        raise SettingError(f"`{path}`: `{text[:80]}` does not fit: {told}.\n  {_EXAMPLE}") from None
