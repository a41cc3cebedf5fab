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
        """Whether it depends on messages before."""
        return self.traits.loss > 0.0 or self.traits.backlash > 0.0

    @property
    def is_rerouted(self) -> bool:
        """Whether it brings messages later, or in another order."""
        return self.delay > 0.0 or self.jitter > 0.0 or self.reach > 1


# ---- a number that no longer follows --------------------------------------------------------------------------------


def stuck_off() -> Kind:
    """Zero, whatever is asked for: a thruster that is shut, a dead motor, a free joint, a dead sensor."""
    return Kind("stuck off", gain=0.0)


def stuck_at(value: Any) -> Kind:
    """One value, whatever is asked for: a thruster that is stuck on, a runaway wheel, a lock that does not release."""
    return Kind("stuck at", gain=0.0, bias=value)


def frozen() -> Kind:
    """The last value before it, again and again: a sensor that is stuck, a tick that is missed, a stale message."""
    return Kind("frozen", traits=Traits(loss=1.0))


def lossy(chance: float) -> Kind:
    """Now and then the message before: dropouts, lost packets, missed ticks and steps."""
    return Kind("lossy", traits=Traits(loss=_chance(chance, "loss")))


# ---- a number that is off -------------------------------------------------------------------------------------------


def biased(by: Any) -> Kind:
    """A step: a bias of a sensor, a wrong time or ephemeris, a push, an impact."""
    return Kind("biased", bias=by)


def drifting(rate: float) -> Kind:
    """More and more, at a steady rate [1/s]."""
    return Kind("drifting", traits=Traits(drift=rate))


def diverging(rate: float, growth: float) -> Kind:
    """More and more, at a rate that itself grows [1/s]: a filter that diverges."""
    return Kind("diverging", traits=Traits(drift=rate, growth=growth))


def decaying(start: float, time_constant: float) -> Kind:
    """`start` at first, and less and less of it: a tank that blows down through a leak."""
    if not time_constant > 0.0:
        raise SettingError(f"A time constant of {shown(time_constant)} s.\n  Use a positive one.")
    return Kind("decaying", bias=start, traits=Traits(drift=-start / time_constant, growth=-1.0 / time_constant))


def scaled(by: float) -> Kind:
    """A share of what is asked for: a weak motor, lost cells, a wrong scale factor, a sign."""
    return Kind("scaled", gain=by)


def noisy(deviation: float) -> Kind:
    """Normal noise on top, new at every tick: a rough bearing, a bad sensor."""
    return Kind("noisy", traits=Traits(noise=deviation))


def outliers(size: float, chance: float) -> Kind:
    """Now and then far off, with either sign."""
    return Kind("outliers", traits=Traits(outlier=size, outlier_chance=_chance(chance, "outlier")))


def oscillating(amplitude: float, frequency: float, noise: float = 0.0) -> Kind:
    """A sine over time [Hz], and noise: unsteady combustion."""
    return Kind("oscillating", traits=Traits(amplitude=amplitude, frequency=frequency, noise=noise))


def bit_flips(chance: float) -> Kind:
    """Now and then one bit of the 64 is inverted."""
    return Kind("bit flips", traits=Traits(flip_chance=_chance(chance, "flip")))


# ---- a number that is bent ------------------------------------------------------------------------------------------


def saturated(high: float, low: float | None = None) -> Kind:
    """Not beyond limits; from `-high` where `low` is left out."""
    lowest = -high if low is None else low
    if lowest > high:
        raise SettingError(f"Saturated between {lowest:g} and {high:g}.\n  Let the first be the lower one.")
    return Kind("saturated", traits=Traits(low=lowest, high=high))


def leaking(least: float) -> Kind:
    """Never less than this: a valve that does not close."""
    return Kind("leaking", traits=Traits(low=least))


def curved(demanded: Any, given: Any) -> Kind:
    """By a curve, linear between evenly spaced places and level beyond."""
    curve = np.array([demanded, given], dtype=np.float64)
    steps = np.diff(curve[0])
    if curve.ndim != 2 or curve.shape[1] < 2 or not np.allclose(steps, steps[0]) or not steps[0] > 0.0:
        raise SettingError("The demanded numbers of a curve ascend, evenly spaced, and there are at least two.")
    return Kind("curved", curve=curve)


def with_backlash(gap: float) -> Kind:
    """Play of `gap` in all: a number that comes back is seen only when it has crossed the play."""
    return Kind("backlash", traits=Traits(backlash=0.5 * gap))


# ---- numbers that are mixed up --------------------------------------------------------------------------------------


def mixed(matrix: Any) -> Kind:
    """Numbers by a square matrix: axes that are swapped or turned, signs, crosstalk."""
    return Kind("mixed", gain=np.array(matrix, dtype=np.float64))


def swapped(first: int, second: int, count: int) -> Kind:
    """Two of `count` numbers take each other's place: plumbing or cables that are swapped."""
    order = np.arange(count)
    order[[first, second]] = order[[second, first]]
    return Kind("swapped", gain=np.eye(count)[order])


def misaligned(dcm: Any) -> Kind:
    """Vectors in components of axes that are turned by a rotation matrix: a sensor that is mounted askew."""
    return Kind("misaligned", gain=np.array(dcm, dtype=np.float64))


# ---- numbers that come late -----------------------------------------------------------------------------------------


def delayed(by: float) -> Kind:
    """Late by a fixed time [s], in whole ticks."""
    return Kind("delayed", delay=by)


def jittered(longest: float) -> Kind:
    """Late by up to a time [s] that is less than the period, drawn anew for every message."""
    return Kind("jittered", jitter=longest)


def reordered(reach: int = 4) -> Kind:
    """Drawn from the last messages, up to four: some come twice, some never, some after later ones."""
    if reach not in (2, 3, 4):
        raise SettingError(f"Messages drawn from the last {shown(reach)}.\n  Use 2, 3 or 4.")
    return Kind("reordered", reach=reach)


def tables(kinds: Sequence[Kind], width: int, path: str) -> dict[str, Any]:
    """The tables of `Fault` for several kinds that act on `width` numbers."""
    gains, biases, places = [], [], {each.curve.shape[1] for each in kinds} - {1}
    for kind in kinds:
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


def _chance(chance: float, what: str) -> float:
    if not 0.0 <= chance <= 1.0:
        raise SettingError(f"The chance of a {what} is {shown(chance)}.\n  Use a number from 0 to 1.")
    return chance
