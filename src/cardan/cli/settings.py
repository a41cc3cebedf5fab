"""`--set name=value`, and what a mission makes of it."""

import json
from typing import TYPE_CHECKING, Any

from cardan.cli.words import short
from cardan.errors import ImpossibleValue, NotFinite, SettingError, ShapeError, UnknownName, did_you_mean

if TYPE_CHECKING:  # takes a while to import
    from cardan.missions import Mission
    from cardan.scenario import Scenario
    from cardan.simulation import Integrator

_DEEPEST = 8  # brackets within brackets: arrays have two
_LARGEST_INTEGER = 18  # digits that fit a word for sure


def prepared(mission: "Mission", settings: list[str]) -> "tuple[Scenario, Integrator]":
    """The mission's scenario with every `name=value` applied, and its integrator."""
    values = {text: setting(text, mission) for text in settings}
    options = {name: value for name, value in values.values() if name in mission.options}
    scenario = mission.scenario(options)
    for text, (name, value) in values.items():
        if name in options:
            continue
        if mission.options and name.partition(".")[0] not in scenario.parts:
            advice = did_you_mean(name, mission.options)
            raise UnknownName(
                f"`{mission.name}` has neither an option nor a part for `{name}`.{advice}\n"
                f"  options: {', '.join(mission.options)}\n  parts: {', '.join(scenario.parts)}"
            )
        try:
            scenario.set(name, value)
        except (ShapeError, NotFinite, ImpossibleValue) as error:
            raise SettingError(f"`--set {short(text)}`: {error}") from None
    return scenario, mission.integrator_for(options)


def setting(setting: str, mission: "Mission") -> tuple[str, Any]:
    """Name and value of one `name=value`; the value of an option that is a text needs no quotes."""
    path, equals, text = setting.partition("=")
    if not equals:
        raise SettingError(f"`--set {short(setting)}` has no value.\n  Write `--set part.parameter=value`.")
    if isinstance(mission.defaults().get(path.strip()), str):
        return path.strip(), text.strip()
    try:
        value = json.loads(text, parse_int=_integer)
        is_read = _depth(value) <= _DEEPEST
    except (json.JSONDecodeError, RecursionError):
        is_read = False
    if not is_read:
        raise SettingError(
            f"`--set {short(setting)}`: `{short(text)}` is not a number, a list or true/false.\n"
            "  Write e.g. `ctl.K=5.0` or `ctl.inertia_B=[[900,0,0],[0,800,0],[0,0,600]]`."
        )
    return path.strip(), value


def pair(text: str, option: str) -> tuple[str, str]:
    """Name and value of `name=value`."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise SettingError(f"`{option} {short(text)}` has no value.\n  Write `{option} NAME=VALUE`.")
    return name.strip(), value.strip()


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LARGEST_INTEGER else float(digits)


def _depth(value: Any) -> int:
    """How many lists or tables lie within each other, up to one more than is of interest."""
    depth, inner = 0, [value]
    while depth <= _DEEPEST:
        inner = [
            element
            for outer in inner
            if isinstance(outer, list | dict)
            for element in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not inner:
            break
        depth += 1
    return depth
