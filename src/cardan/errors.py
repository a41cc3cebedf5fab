"""Every exception of Cardan: one class per cause.

A text says what is wrong (by full path), what was expected and what was got, and what to do.
"""

import difflib
from collections.abc import Iterable
from typing import Any

DEFINED_AT = "__cardan_defined_at__"
"""The attribute of a class that says where it was defined."""


class CardanError(Exception):
    """Any error that Cardan itself raises."""


class DeclarationError(CardanError):
    """A message, model or task class is not declared as its contract asks."""


class UnitError(DeclarationError):
    """A field declares no unit, or one that is not understood."""


class FrameNameError(DeclarationError):
    """A vector or matrix whose name does not say its frame."""


class DefinedAgain(DeclarationError):
    """A class was defined a second time, and something still speaks of the first."""


class ContractViolation(CardanError):
    """A part does not do what its contract promises; raised by `check_model` and `check_task`."""


class CompileError(CardanError):
    """A part cannot be turned into native code."""


class UntrustedCache(CardanError, PermissionError):
    """A folder for compiled code to which others can write."""


class ShapeError(CardanError, ValueError):
    """A value has a shape or kind that does not fit its declaration."""


class NotFinite(CardanError, ArithmeticError):
    """A number is nan or infinite."""


class ImpossibleValue(CardanError, ValueError):
    """A value that is not what its declaration says it must be: a negative mass, a quaternion of length 2."""


class SingularMechanism(CardanError, ArithmeticError):
    """Joints that can move together against no inertia, so that nothing says how they accelerate."""


class UnstableStep(NotFinite):
    """A fixed step that is too long for the damping or stiffness of joints, and a run that ended by it."""


class StepWarning(UserWarning):
    """A fixed step that is too long for the damping or stiffness of joints, before a run ends by it."""


class MassPropertiesError(CardanError, ArithmeticError):
    """Mass properties that no body can have."""


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


class MechanismWarning(UserWarning):
    """Something in the file of a mechanism that is not taken as it is written."""


class MassesChanged(MechanismWarning):
    """Compiler options of a file give its bodies other masses than it states."""


class UnsupportedByDynamics(CardanError):
    """A mechanism with elements that the chosen dynamics service does not know."""


class NotTraceable(CardanError):
    """A scenario with parts or settings that have no form for JAX."""


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


class EpochError(CardanError, ValueError):
    """A date or time that does not exist, or a time scale that is not known."""


class OutsideData(CardanError, ValueError):
    """A time, place, body or degree for which there are no data; nothing is extrapolated."""


class DamagedData(CardanError, OSError):
    """A data file that is not as it was made, or not of the kind that is expected."""


class SimulationBusy(CardanError, RuntimeError):
    """A simulation is to do something while it is doing something else."""


class RunTimeout(CardanError, TimeoutError):
    """A run that took more wall time than it was given."""


class CallLost(CardanError, RuntimeError):
    """A call of a part that an exception from outside has ended, and that no handler could catch."""


class LogFileError(CardanError, OSError):
    """A file that is not a complete log of Cardan."""


class OutOfMemory(CardanError, MemoryError):
    """There is no memory for what a run records."""


class SnapshotError(CardanError, ValueError):
    """A snapshot that does not belong to this scenario, or a file that is none."""


class MissingExtra(CardanError, ImportError):
    """An optional dependency that is needed here is not installed."""


class LooseEnds(UserWarning):
    """A scenario in which something looks forgotten: it runs, and perhaps not as it was meant."""


def did_you_mean(name: str, options: Iterable[str]) -> str:
    """` Did you mean ...?` for the nearest of `options`, or an empty string when none is near."""
    name, options = str(name), list(options)
    same = [option for option in options if option.lower() == name.lower()]
    near = same or difflib.get_close_matches(name, options, n=1, cutoff=0.5)
    return f" Did you mean `{near[0]}`?" if near else ""


def is_defined_again(first: Any, second: Any) -> bool:
    """Whether two classes are two definitions of one name, as a notebook makes them when a cell is run twice."""
    if not (isinstance(first, type) and isinstance(second, type)) or first is second:
        return False
    return (first.__module__, first.__qualname__) == (second.__module__, second.__qualname__)


def told_apart(first: type, second: type) -> tuple[str, str]:
    """The names of two classes, with as much of each as tells it from the other."""
    if first.__name__ != second.__name__:
        return first.__name__, second.__name__
    if not is_defined_again(first, second):
        return f"{first.__module__}.{first.__qualname__}", f"{second.__module__}.{second.__qualname__}"
    places = (getattr(cls, DEFINED_AT, "") for cls in (first, second))
    here, there = (f"{first.__name__} of {place}" if place else first.__name__ for place in places)
    return here, there


def advice_if_defined_again(first: Any, second: Any) -> str:
    """What to do about two definitions of one name, as a further line; empty for other classes."""
    if not is_defined_again(first, second):
        return ""
    name = first.__name__
    return f"\n  {name} was defined again. Define the parts that use it again too, then make the scenario again."


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
