"""`Fault`: what goes wrong, and when."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan import task
from cardan.contracts import Constraint, NotNegative, Within
from cardan.maths import Mat, RandomKey, choose, clip, exp, normal_if, sin, uniform
from cardan.messages import FaultEffect

NEVER = 1.0e18
"""[s] Later than any run ends."""

FAR = 1.0e300
"""[-] Beyond any number: no limit."""


class Traits(NamedTuple):
    """How a fault behaves beside its gain and its bias: the columns of `Fault.traits`, in this order.

    Attributes:
        drift: [1/s] Added for each second.
        growth: [1/s] Rate at which the drift grows; 0 for a steady one.
        amplitude: [-] Of an oscillation.
        frequency: [Hz] Of the oscillation.
        noise: [-] Standard deviation, at every tick.
        outlier: [-] Added now and then, with either sign.
        outlier_chance: [-] That it is, at each tick.
        loss: [-] Chance, at each tick, that the message before is seen again.
        low: [-] No number is less.
        high: [-] No number is more.
        backlash: [-] How far a number must come back before that is seen.
        flip_chance: [-] That some bit of some number is inverted, at each tick.
    """

    drift: float = 0.0
    growth: float = 0.0
    amplitude: float = 0.0
    frequency: float = 0.0
    noise: float = 0.0
    outlier: float = 0.0
    outlier_chance: float = 0.0
    loss: float = 0.0
    low: float = -FAR
    high: float = FAR
    backlash: float = 0.0
    flip_chance: float = 0.0


_DRIFT, _GROWTH, _AMPLITUDE, _FREQUENCY, _NOISE, _OUTLIER, _OUTLIER_CHANCE, _LOSS, _LOW, _HIGH, _BACKLASH, _FLIP = (
    range(12)
)
_CHANCES = [_OUTLIER_CHANCE, _LOSS, _FLIP]

_AfterOnset = Constraint("after `onset`", lambda end, onset: end > onset or onset >= NEVER, of=("onset",))
_KnownKind = Constraint("the number of a kind, from 0", lambda kind, bias: 0 <= kind < len(bias), of=("bias",))
_InMessage = Constraint(
    "one of the numbers of the message, all that the fault acts on among them",
    lambda channel, bias, numbers: channel + bias.shape[1] <= numbers or numbers == 0,
    of=("bias", "numbers"),
)
_SquarePerKind = Constraint(
    "a square matrix for each kind, one below the other",
    lambda gain, bias: gain.shape == (bias.size, bias.shape[1]),
    of=("bias",),
)
_TraitsPerKind = Constraint(
    "a row of 12 traits for each kind",
    lambda traits, bias: traits.shape == (len(bias), len(Traits._fields)),
    of=("bias",),
)
_Chances = Constraint(
    "traits whose chances are between 0 and 1",
    lambda traits: bool(np.all((traits[:, _CHANCES] >= 0.0) & (traits[:, _CHANCES] <= 1.0))),
)
_CurvePerKind = Constraint(
    "the demanded numbers, and below them a row for each kind",
    lambda curves, bias: len(curves) == len(bias) + 1,
    of=("bias",),
)


class FaultOutputs(NamedTuple):
    effect: FaultEffect


@task
class Fault(NamedTuple):
    """A fault of one or several numbers u of a message: which kind, when, and how.

        g = clip(gain c(u) + bias + d(T) + amplitude sin(2 pi frequency T) + noise n + outlier, low, high)        (1)
        d = drift T, or drift (exp(growth T) - 1) / growth                                                        (2)
        y = u + w (g - u),   w = T / ramp, at most 1                                                              (3)

    T is the time since it struck, c a curve, n a normal number. All change at the ticks of this task and are held in
    between. It acts from the first tick at or after `onset` to the first at or after `end`; with `repeat`, for the
    share `duty` of every such period. It sends its effect as a message, which parts between a writer and its readers,
    such as `FaultyLink`, apply. Each row of the tables is a kind of fault, so studies can vary kind, channel and time
    as numbers. All are in the unit of what they act on.

    Attributes:
        onset: [s] When it strikes.
        end: [s] When it ends.
        ramp: [s] How long it takes to build up.
        repeat: [s] Period of recurrence; 0 for a fault that stays.
        duty: [-] Active share of that period.
        probability: [-] Of striking at all.
        kind: [-] Row of the tables.
        channel: [-] The first number of the message that it acts on, from 0.
        bias: [-] Added to each number, a row for each kind.
        gain: [-] Factor, or a matrix that mixes several numbers, for each kind.
        traits: [-] `Traits` of each kind, a row each.
        curves: [-] Demanded numbers, evenly spaced, and in the rows below what each kind gives; one column for none.
        numbers: [-] How many numbers the message has; 0 if unknown.
    """

    onset: Annotated[float, "s", NotNegative] = NEVER
    end: Annotated[float, "s", _AfterOnset] = NEVER
    ramp: Annotated[float, "s", NotNegative] = 0.0
    repeat: Annotated[float, "s", NotNegative] = 0.0
    duty: Annotated[float, "-", Within(0.0, 1.0)] = 1.0
    probability: Annotated[float, "-", Within(0.0, 1.0)] = 1.0
    kind: Annotated[int, "-", _KnownKind] = 0
    channel: Annotated[int, "-", NotNegative, _InMessage] = 0
    bias: Annotated[Mat, "-"] = np.zeros((1, 1))
    gain: Annotated[Mat, "-", _SquarePerKind] = np.ones((1, 1))
    traits: Annotated[Mat, "-", _TraitsPerKind, _Chances] = np.array([Traits()])
    curves: Annotated[Mat, "-", _CurvePerKind] = np.zeros((2, 1))
    numbers: Annotated[int, "-", NotNegative] = 0

    def step(self, t: float, rng: RandomKey) -> FaultOutputs:
        kind, width, traits = self.kind, self.bias.shape[1], self.traits[self.kind]
        repeats = self.repeat > 0.0
        turns = np.floor((t - self.onset) / self.repeat) if repeats else 0.0
        since = self.onset + turns * self.repeat if t >= self.onset else self.onset
        age = t - since
        lasts = not repeats or age < self.duty * self.repeat
        # whether it strikes is drawn from the key of the first tick, so that nothing has to be remembered
        strikes = uniform(RandomKey(rng.stream, 0), 1)[0] < self.probability
        is_active = t >= self.onset and t < self.end and lasts and strikes
        weight = clip(age / self.ramp, 0.0, 1.0) if self.ramp > 0.0 else 1.0

        chances = uniform(rng, 4 + width)
        offset = self.bias[kind] + _offset(traits, age) if is_active else self.bias[kind] + 0.0
        signs = choose(chances[4:] < 0.5, -1.0, 1.0) * choose(chances[0] < traits[_OUTLIER_CHANCE], 1.0, 0.0)
        noise = traits[_NOISE] * normal_if(is_active, rng, width)
        bit: Any = np.int64(np.floor(chances[3] * 64.0 * width))
        flipped: Any = bit if chances[2] < traits[_FLIP] else np.int64(-1)
        effect = FaultEffect(
            is_active,
            kind,
            self.channel,
            since,
            weight if is_active else 0.0,
            1.0 * self.gain[kind * width : (kind + 1) * width],
            offset + noise + traits[_OUTLIER] * signs,
            traits[_LOW],
            traits[_HIGH],
            chances[1] < traits[_LOSS],
            traits[_BACKLASH],
            flipped,
            np.stack((self.curves[0], self.curves[kind + 1])),
        )
        return FaultOutputs(effect)


def _offset(traits: Mat, age: float) -> float:
    """What has been added since the fault struck [s ago]: Eq. (2), and the oscillation of Eq. (1)."""
    growth = traits[_GROWTH]
    grown = age if growth == 0.0 else (exp(clip(growth * age, -700.0, 700.0)) - 1.0) / growth
    return traits[_DRIFT] * grown + traits[_AMPLITUDE] * sin(2.0 * np.pi * traits[_FREQUENCY] * age)  # type: ignore[no-any-return]
