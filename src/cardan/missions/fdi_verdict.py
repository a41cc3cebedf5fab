"""What the benchmarks of detectors share: a detector by its name, and how a run is judged."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np

from cardan.errors import SettingError, UnknownName, did_you_mean, shown
from cardan.missions.mission import Curve, Result
from cardan.plots import Panel
from cardan.simulation import Log


def detector_of(name: str, known: Mapping[str, Callable[..., Any]]) -> Callable[..., Any]:
    """A function that makes a detector, by its name, or of a module as `package.module:function`."""
    module, colon, function = name.partition(":")
    if not colon:
        if name not in known:
            raise UnknownName(
                f"There is no detector `{name}`.{did_you_mean(name, known)}\n"
                f"  There are: {', '.join(known)}; or give a function as `package.module:function`."
            )
        return known[name]
    try:
        found = getattr(import_module(module), function)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise SettingError(f"The detector `{name}` cannot be imported: {error}.") from None
    if not callable(found):
        raise SettingError(f"The detector `{name}` is {shown(found)}.\n  Give a function that makes one.")
    make: Callable[..., Any] = found
    return make


def verdict(log: Log, unit: str, failed: int, went_on: bool) -> list[Result]:
    """How well a detector did, and what became of the vehicle.

    Args:
        log: With `fault.effect` and `monitor.report`.
        unit: What a unit is called.
        failed: Which one failed.
        went_on: Whether the vehicle did its task in spite of it.
    """
    effect, report = log["fault.effect"], log["monitor.report"]
    onset, raised = float(effect.since[-1]), float(report.since[-1])
    is_alarm, is_faulty = bool(report.is_alarm[-1]), int(effect.kind[-1]) > 0
    is_false = is_alarm and (not is_faulty or raised < onset)
    is_found = is_alarm and is_faulty and not is_false
    named = int(report.suspect[-1])
    nothing = "" if is_faulty else "nothing fails"
    missed = nothing or ("" if is_found else "not detected")
    return [
        Result("false alarm", float(is_false), "-"),
        Result("detected", float(is_found) if is_faulty else None, "-", nothing),
        Result("detection delay", raised - onset if is_found else None, "s", missed),
        Result("isolated", float(is_found and named == failed) if is_faulty else None, "-", nothing),
        Result(f"wrong {unit}", float(named not in (-1, failed)) if is_faulty else float(named >= 0), "-"),
        Result("went on", float(went_on), "-"),
    ]


def evidence(log: Log) -> Curve:
    return Curve("evidence [-]", log.t, log["monitor.report"].statistic)


def belief_panels(log: Log, unit: str, failed: int) -> list[Panel]:
    """What was wrong, and what was believed."""
    effect, report = log["fault.effect"], log["monitor.report"]
    acts = np.where(effect.is_active & (effect.kind > 0), failed, -1)
    believed = {"fails": (log.t, acts), "believed to fail": (log.t, report.suspect)}
    return [
        Panel(f"{unit} [-]", believed, is_stepped=True),
        Panel("evidence [-]", {"": (log.t, report.statistic)}, is_stepped=True),
    ]
