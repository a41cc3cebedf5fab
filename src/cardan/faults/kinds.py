"""What can go wrong, each as a line of data: the rows of the tables of `Fault`.

Numbers are in the unit of what they act on. A kind that needs a memory or another route says so; `inject` sees to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cardan.errors import SettingError, shown
from cardan.faults.fault import Traits

_NO_CURVE = np.zeros((2, 1))


@dataclass(frozen=True, eq=False)
class Kind:
    """A way in which numbers of a message can be wrong.

    Attributes:
        name: What it is called.
        gain: What is left of the numbers: a factor, or a square matrix that mixes them.
        bias: Added; one number for all, or one for each.
        traits: How it behaves besides.
        curve: Demanded numbers, evenly spaced, above what is given for them.
        delay: [s] How late the numbers are.
        jitter: [s] How late they are at most, each time anew.
        reach: [-] From how many messages the one that arrives is drawn; 1 for the last.
    """

    name: str
    gain: Any = 1.0
    bias: Any = 0.0
    traits: Traits = field(default_factory=Traits)
    curve: np.ndarray = field(default_factory=lambda: _NO_CURVE)
    delay: float = 0.0
    jitter: float = 0.0
    reach: int = 1

    @property
    def needs_memory(self) -> bool:
        """Whether it depends on earlier messages."""
        return self.traits.loss > 0.0 or self.traits.backlash > 0.0

    @property
    def is_rerouted(self) -> bool:
        """Whether it delays or reorders messages."""
        return self.delay > 0.0 or self.jitter > 0.0 or self.reach > 1


# ---- a number that no longer follows --------------------------------------------------------------------------------


def stuck_off() -> Kind:
    """Zero, whatever the command: a shut thruster, a dead motor, a free joint, a dead sensor."""
    return Kind("stuck off", gain=0.0)


def stuck_at(value: Any) -> Kind:
    """One value, whatever the command: a thruster stuck on, a runaway wheel, a lock that does not release."""
    return Kind("stuck at", gain=0.0, bias=value)


def frozen() -> Kind:
    """The last value before the fault, repeated: a stuck sensor, a missed tick, a stale message."""
    return Kind("frozen", traits=Traits(loss=1.0))


def lossy(chance: float) -> Kind:
    """Now and then the previous message: dropouts, lost packets, missed ticks and steps."""
    return Kind("lossy", traits=Traits(loss=_chance(chance, "loss")))


# ---- a number that is off -------------------------------------------------------------------------------------------


def biased(by: Any) -> Kind:
    """A constant offset: a sensor bias, a wrong time or ephemeris, a push, an impact."""
    return Kind("biased", bias=by)


def drifting(rate: float) -> Kind:
    """An offset that grows at a constant rate [1/s]."""
    return Kind("drifting", traits=Traits(drift=rate))


def diverging(rate: float, growth: float) -> Kind:
    """An offset that grows at `rate` [1/s] at first, then exponentially by `growth` [1/s]: a diverging filter."""
    return Kind("diverging", traits=Traits(drift=rate, growth=growth))


def decaying(start: float, time_constant: float) -> Kind:
    """An offset that starts at `start` and decays: a tank that blows down through a leak."""
    _number(start, "start")
    if not is_number(time_constant) or not time_constant > 0.0:
        raise SettingError(f"A time constant of {shown(time_constant)} s.\n  Use a positive one.")
    return Kind("decaying", bias=start, traits=Traits(drift=-start / time_constant, growth=-1.0 / time_constant))


def scaled(by: float) -> Kind:
    """A share of the command: a weak motor, lost cells, a wrong scale factor or sign."""
    return Kind("scaled", gain=by)


def noisy(deviation: float) -> Kind:
    """Added normal noise, new at every tick: a rough bearing, a bad sensor."""
    return Kind("noisy", traits=Traits(noise=_number(deviation, "deviation", least=0.0)))


def outliers(size: float, chance: float) -> Kind:
    """Now and then far off, with either sign."""
    return Kind("outliers", traits=Traits(outlier=size, outlier_chance=_chance(chance, "outlier")))


def oscillating(amplitude: float, frequency: float, noise: float = 0.0) -> Kind:
    """A sine over time [Hz], and noise: unsteady combustion."""
    _number(frequency, "frequency", least=0.0)
    _number(noise, "noise", least=0.0)
    return Kind("oscillating", traits=Traits(amplitude=amplitude, frequency=frequency, noise=noise))


def bit_flips(chance: float) -> Kind:
    """Now and then one bit of the 64 is inverted."""
    return Kind("bit flips", traits=Traits(flip_chance=_chance(chance, "flip")))


# ---- a number that is bent ------------------------------------------------------------------------------------------


def saturated(high: float, low: float | None = None) -> Kind:
    """Clipped to limits; from `-high` if `low` is omitted."""
    lowest = -_number(high, "limit") if low is None else _number(low, "limit")
    if lowest > high:
        raise SettingError(f"Saturated between {lowest:g} and {high:g}.\n  Let the first be the lower one.")
    return Kind("saturated", traits=Traits(low=lowest, high=high))


def leaking(least: float) -> Kind:
    """A lower bound: a valve that does not close."""
    return Kind("leaking", traits=Traits(low=least))


def curved(demanded: Any, given: Any) -> Kind:
    """Mapped by a curve, linear between evenly spaced points and constant beyond."""
    try:
        curve = np.array([demanded, given], dtype=np.float64)
    except (TypeError, ValueError):
        curve = np.zeros((2, 0))
    steps = np.diff(curve[0])
    if curve.ndim != 2 or curve.shape[1] < 2 or not np.allclose(steps, steps[0]) or not steps[0] > 0.0:
        raise SettingError("The demanded numbers of a curve ascend, evenly spaced, and there are at least two.")
    return Kind("curved", curve=curve)


def with_backlash(gap: float) -> Kind:
    """Backlash of total width `gap`: a reversal shows only after it has crossed the gap."""
    return Kind("backlash", traits=Traits(backlash=0.5 * _number(gap, "gap", least=0.0)))


# ---- numbers that are mixed up --------------------------------------------------------------------------------------


def mixed(matrix: Any) -> Kind:
    """Numbers times a square matrix: swapped or turned axes, signs, crosstalk."""
    return Kind("mixed", gain=matrix)


def swapped(first: int, second: int, count: int) -> Kind:
    """Two of `count` numbers trade places: swapped plumbing or cables."""
    if not all(isinstance(each, int) and 0 <= each < count for each in (first, second)):
        raise SettingError(f"The numbers {shown(first)} and {shown(second)} of {count} swapped.\n  They count from 0.")
    order = np.arange(count)
    order[[first, second]] = order[[second, first]]
    return Kind("swapped", gain=np.eye(count)[order])


def misaligned(dcm: Any) -> Kind:
    """Vectors in axes turned by a rotation matrix: a misaligned sensor."""
    try:
        gain = np.array(dcm, dtype=np.float64)
        is_rotation = np.allclose(gain @ gain.T, np.eye(3), atol=1e-9) and np.linalg.det(gain) > 0.0
    except (TypeError, ValueError):
        is_rotation = False
    if not is_rotation:
        raise SettingError(f"Misaligned by {shown(dcm)}.\n  Use a rotation matrix, 3 by 3; `mixed` takes any matrix.")
    return Kind("misaligned", gain=gain)


# ---- numbers that come late -----------------------------------------------------------------------------------------


def delayed(by: float) -> Kind:
    """Late by a fixed time [s], in whole ticks."""
    return Kind("delayed", delay=_number(by, "delay", above=0.0))


def jittered(longest: float) -> Kind:
    """Late by up to a time [s] that is less than the period, drawn anew for every message."""
    return Kind("jittered", jitter=_number(longest, "delay", above=0.0))


def reordered(reach: int = 4) -> Kind:
    """Drawn from the last messages, up to four: some arrive twice, some never, some out of order."""
    if reach not in (2, 3, 4):
        raise SettingError(f"Messages drawn from the last {shown(reach)}.\n  Use 2, 3 or 4.")
    return Kind("reordered", reach=reach)


def tables(kinds: Sequence[Kind], width: int, path: str) -> dict[str, Any]:
    """The tables of `Fault` for several kinds that act on `width` numbers."""
    gains, biases, places = [], [], {each.curve.shape[1] for each in kinds} - {1}
    for kind in kinds:
        _check_numbers(kind, path)
        gain = np.asarray(kind.gain, dtype=np.float64)
        gain = gain * np.eye(width) if gain.ndim == 0 else gain
        bias = np.asarray(kind.bias, dtype=np.float64)
        if gain.shape != (width, width) or bias.shape not in ((), (width,)):
            raise SettingError(
                f"The fault `{kind.name}` does not fit `{path}`, which is {width} number{'s' * (width > 1)}.\n"
                f"  Its bias has shape {bias.shape}, its gain {np.shape(kind.gain)}."
            )
        gains.append(gain)
        biases.append(np.broadcast_to(bias, (width,)))
    if len(places) > 1:
        raise SettingError(
            f"The curves of the faults of `{path}` have {sorted(places)} places.\n  Use as many for all."
        )
    grid = next((each.curve[0] for each in kinds if each.curve.shape[1] > 1), np.zeros(1))
    curves = [grid, *(each.curve[1] if each.curve.shape[1] > 1 else grid for each in kinds)]
    return {
        "gain": np.concatenate(gains),
        "bias": np.array(biases),
        "traits": np.array([each.traits for each in kinds]),
        "curves": np.array(curves),
    }


def _check_numbers(kind: Kind, path: str) -> None:
    """What a kind is made of must be numbers, and one for each trait."""
    own = {"gain": kind.gain, "bias": kind.bias, **kind.traits._asdict()}
    for name, value in own.items():
        is_numeric = np.asarray(value).dtype.kind in "biuf"
        if not is_numeric or (name in kind.traits._fields and np.ndim(value) > 0):
            raise SettingError(
                f"The fault `{kind.name}` of `{path}` has the {name.replace('_', ' ')} {shown(value)}.\n"
                f"  Use {'one number for all that it acts on' if is_numeric else 'numbers'}."
            )


def _number(value: float, what: str, *, least: float = -np.inf, above: float = -np.inf) -> float:
    """A number, or an error that says what is meant."""
    if not is_number(value) or not (value >= least and value > above):
        kind = "a positive number" if above == 0.0 else "zero or a positive number" if least == 0.0 else "a number"
        raise SettingError(f"The {what} of a fault is {shown(value)}.\n  Use {kind}.")
    return value


def is_number(value: Any) -> bool:
    """Whether it is one number."""
    return np.ndim(value) == 0 and np.asarray(value).dtype.kind in "biuf"


def _chance(chance: float, what: str) -> float:
    if not is_number(chance) or not 0.0 <= chance <= 1.0:
        raise SettingError(f"The chance of a {what} is {shown(chance)}.\n  Use a number from 0 to 1.")
    return chance
