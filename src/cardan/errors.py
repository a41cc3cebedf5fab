"""Every exception of Cardan: one class per cause.

A text says what is wrong (by full path), what was expected and what was got, and what to do.
"""

import difflib
from collections.abc import Iterable


class CardanError(Exception):
    """Any error that Cardan itself raises."""


class DeclarationError(CardanError):
    """A message, model or task class is not declared as its contract asks."""


class UnitError(DeclarationError):
    """A field declares no unit, or one that is not understood."""


class FrameNameError(DeclarationError):
    """A vector or matrix whose name does not say its frame."""


class ContractViolation(CardanError):
    """A part does not do what its contract promises; raised by `check_model` and `check_task`."""


class CompileError(CardanError):
    """A part cannot be turned into native code."""


class ShapeError(CardanError, ValueError):
    """A value has a shape or kind that does not fit its declaration."""


class NotFinite(CardanError, ArithmeticError):
    """A number is nan or infinite."""


class WiringError(CardanError):
    """Parts are connected wrongly, or not at all."""


class UnknownPort(WiringError, AttributeError):
    """A port that the part does not have."""


class MessageTypeError(WiringError):
    """Two ports that carry different messages."""


class DuplicateName(WiringError):
    """Two things of one scenario with the same name."""


class AlgebraicLoopError(WiringError):
    """Outputs that need each other at the same instant."""


class MechanismError(CardanError, ValueError):
    """A mechanism that cannot be read, built or compiled."""


class UnsupportedByDynamics(CardanError):
    """A mechanism with elements that the chosen dynamics service does not know."""


class PeriodError(CardanError, ValueError):
    """A period, offset or time that the clock cannot keep."""


class FrozenScenario(CardanError):
    """A scenario that is already running is changed."""


class IntegratorError(CardanError, ValueError):
    """An integrator with settings that make no sense."""


class StepCollapsed(CardanError, ArithmeticError):
    """An adaptive integrator cannot meet its tolerances at its smallest step."""


class UnknownName(CardanError, KeyError):
    """A path, mission or setting that does not exist."""

    __str__ = Exception.__str__  # a KeyError would show the text in quotes


class SettingError(CardanError, ValueError):
    """A setting whose value cannot be used."""


class SimulationBusy(CardanError, RuntimeError):
    """A simulation is to do something while it is doing something else."""


class CallLost(CardanError, RuntimeError):
    """A call of a part that an exception from outside has ended, and that no handler could catch."""


class LogFileError(CardanError, OSError):
    """A file that is not a complete log of Cardan."""


class SnapshotError(CardanError, ValueError):
    """A snapshot that does not belong to this scenario, or a file that is none."""


class MissingExtra(CardanError, ImportError):
    """An optional dependency that is needed here is not installed."""


def did_you_mean(name: str, options: Iterable[str]) -> str:
    """` Did you mean ...?` for the nearest of `options`, or an empty string when none is near."""
    name, options = str(name), list(options)
    same = [option for option in options if option.lower() == name.lower()]
    near = same or difflib.get_close_matches(name, options, n=1, cutoff=0.5)
    return f" Did you mean `{near[0]}`?" if near else ""


def shown(value: object) -> str:
    """What a user gave, as `repr` has it, but in one line and no longer than that can take."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # Python refuses to write out an integer of 5,000 digits
        return f"<{type(value).__name__}>"
    return text if len(text) <= 80 else f"{text[:60]}... ({len(text)} characters)"


def with_article(noun: str) -> str:
    """`a Force`, `an Attitude`."""
    return f"{'an' if noun[0] in 'AEIOU' else 'a'} {noun}"
