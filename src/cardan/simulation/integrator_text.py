"""Integrators as text, as the command line and study files have them."""

from dataclasses import fields
from typing import Any

from cardan.errors import SettingError, UnknownName, did_you_mean
from cardan.simulation.integrators import INTEGRATORS, Integrator


def read_integrator(text: str) -> Integrator:
    """An integrator from text: `name` or `name:argument=value,...`, e.g. `rk4:step=0.05`."""
    name, _, arguments = text.partition(":")
    classes = {cls.__name__.lower(): cls for cls in INTEGRATORS}
    cls = classes.get(name.replace("-", "").replace("_", "").lower())
    if cls is None:
        names = [integrator.__name__ for integrator in INTEGRATORS]
        raise UnknownName(
            f"There is no integrator `{name}`.{did_you_mean(name, names)}\n  integrators: {', '.join(names)}"
        )
    known = [field.name for field in fields(cls) if field.name != "tolerances"]
    given: dict[str, Any] = {}
    for argument in filter(None, arguments.split(",")):
        key, _, value = argument.partition("=")
        if key not in known:
            raise UnknownName(
                f"{cls.__name__} has no argument `{key}`.{did_you_mean(key, known)}\n  arguments: {', '.join(known)}"
            )
        try:
            given[key] = float(value)
        except ValueError:
            raise SettingError(f"`--integrator {text}`: `{value}` is not a number.") from None
    if "step" in known and "step" not in given:
        raise SettingError(f"{cls.__name__} needs a step.\n  Write e.g. `--integrator {name}:step=0.1`.")
    return cls(**given)
