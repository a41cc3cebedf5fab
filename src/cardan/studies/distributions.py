"""Distributions of numbers about their nominal values in a scenario.

A distribution turns uniform numbers in (0, 1) into values. The design provides those numbers: random, a Latin
hypercube, a Sobol sequence, a grid.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import SettingError, shown
from cardan.maths import exp
from cardan.studies.quantiles import normal_probability, normal_quantile


class Percent(NamedTuple):
    """A share of the nominal value; "5%" in text."""

    value: float

    def __str__(self) -> str:
        return f"{self.value:g}%"


Amount = float | Percent | str


class Nominal(NamedTuple):
    """What a path is without dispersion.

    Attributes:
        path: The path.
        value: Its value.
        unit: Its unit, or "".
    """

    path: str
    value: Any
    unit: str = ""

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(self.value)

    @property
    def is_inertia(self) -> bool:
        """Whether it is a tensor of inertia."""
        return self.unit == "kg m^2" and self.shape == (3, 3)


@dataclass(frozen=True)
class Distribution:
    """What all distributions have."""

    def size(self, nominal: Nominal) -> int:
        """How many evenly spread numbers a value takes."""
        return int(np.prod(nominal.shape, dtype=int))

    def values(self, u: np.ndarray, nominal: Nominal) -> Any:
        """(n, ...) Values for `u`, (n, size), between 0 and 1."""
        raise NotImplementedError

    def levels(self, count: int, nominal: Nominal) -> np.ndarray:
        """(count,) Places in (0, 1) that a full factorial design visits along each dimension."""
        return (np.arange(count) + 0.5) / count

    def _numbers(self, nominal: Nominal) -> np.ndarray:
        value = np.asarray(nominal.value)
        if value.dtype.kind not in "iuf":
            raise SettingError(
                f"`{nominal.path}` is {shown(nominal.value)}, which no {type(self).__name__} can vary.\n"
                "  Use `Choice(...)` for what is no number."
            )
        return value.astype(float)


def absolute(amount: Amount, nominal: np.ndarray, what: str) -> np.ndarray:
    """An amount in the unit of the nominal value, of which it may be a share."""
    taken = taken_amount(amount, what)
    if isinstance(taken, Percent):
        return np.asarray(0.01 * taken.value * np.abs(nominal))
    return np.full(np.shape(nominal), taken)


def taken_amount(amount: Any, what: str) -> float | Percent:
    """A number or a percentage, from Python or from text."""
    if isinstance(amount, Percent):
        return amount
    if isinstance(amount, str) and amount.strip().endswith("%"):
        try:
            return Percent(float(amount.strip()[:-1]))
        except ValueError:
            amount = None
    if isinstance(amount, bool) or not isinstance(amount, int | float | np.number) or not np.isfinite(amount):
        raise SettingError(f"{what} is {shown(amount)}.\n  Use a number, or a share of the nominal value: `5%`.")
    return float(amount)


def _not_negative(amount: Any, what: str) -> None:
    taken = taken_amount(amount, what)
    if (taken.value if isinstance(taken, Percent) else taken) < 0.0:
        raise SettingError(f"{what} is {shown(amount)}.\n  Use a number that is not negative.")


@dataclass(frozen=True)
class Uniform(Distribution):
    """Uniform between two numbers. `Uniform("5%")`: the nominal value plus or minus up to 5 %.

    Attributes:
        low: The lower end; a percentage counts from the nominal value.
        high: The upper end; if left out, `low` is how far values go to both sides of the nominal value.
    """

    low: Amount
    high: Amount | None = None

    def __post_init__(self) -> None:
        low = taken_amount(self.low, "The lower end of a Uniform")
        if self.high is None:
            _not_negative(self.low, "The half width of a Uniform")
            return
        high = taken_amount(self.high, "The upper end of a Uniform")
        ends = [end.value if isinstance(end, Percent) else end for end in (low, high)]
        if isinstance(low, Percent) is isinstance(high, Percent) and not ends[0] <= ends[1]:
            raise SettingError(f"Uniform({self.low}, {self.high}) ends before it begins.\n  Give the lower end first.")

    def bounds(self, nominal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self.high is None:
            half = absolute(self.low, nominal, "The half width of a Uniform")
            return nominal - half, nominal + half
        return tuple(  # type: ignore[return-value]
            nominal + absolute(end, nominal, "An end of a Uniform")
            if isinstance(end, Percent)
            else np.full_like(nominal, end)
            for end in (taken_amount(self.low, "low"), taken_amount(self.high, "high"))
        )

    def values(self, u: np.ndarray, nominal: Nominal) -> np.ndarray:
        low, high = self.bounds(self._numbers(nominal))
        return np.asarray(low + u.reshape(len(u), *nominal.shape) * (high - low))

    def levels(self, count: int, nominal: Nominal) -> np.ndarray:
        return np.linspace(0.0, 1.0, count) if count > 1 else np.array([0.5])


@dataclass(frozen=True)
class Normal(Distribution):
    """Normal. `Normal("5%")`: about the nominal value, with a standard deviation of 5 % of it.

    Attributes:
        sigma: Standard deviation.
        mean: By default the nominal value.
        within: [sigma] How far from the mean values may be; `low` and `high` say it in their own unit.
        low: The least value.
        high: The largest value.
    """

    sigma: Amount
    mean: float | None = None
    within: float | None = None
    low: float = -np.inf
    high: float = np.inf

    def __post_init__(self) -> None:
        _not_negative(self.sigma, "The standard deviation of a Normal")
        if self.within is not None:
            _not_negative(self.within, "`within` of a Normal")
        if not self.low < self.high:
            raise SettingError(f"A Normal between {self.low:g} and {self.high:g} has no value.\n  Give low < high.")

    def values(self, u: np.ndarray, nominal: Nominal) -> np.ndarray:
        own = self._numbers(nominal)
        mean = own if self.mean is None else np.full(nominal.shape, float(self.mean))
        sigma = absolute(self.sigma, own, "The standard deviation of a Normal")
        z = np.empty((len(u), *nominal.shape))
        flat, mean_flat, sigma_flat = z.reshape(len(u), -1), mean.reshape(-1), sigma.reshape(-1)
        for i in range(flat.shape[1]):
            flat[:, i] = self._standard(u[:, i], float(mean_flat[i]), float(sigma_flat[i]), nominal.path)
        return np.asarray(mean + sigma * z)

    def _standard(self, u: np.ndarray, mean: float, sigma: float, path: str) -> np.ndarray:
        """Standard normal numbers between the bounds."""
        if sigma == 0.0:
            return np.zeros_like(u)
        low, high = (self.low - mean) / sigma, (self.high - mean) / sigma
        if self.within is not None:
            low, high = max(low, -self.within), min(high, self.within)
        if low == -np.inf and high == np.inf:
            return normal_quantile(u)
        # in the upper tail by its mirror image, where probabilities are small and exact
        sign = -1.0 if low > 0.0 else 1.0
        low, high = (low, high) if sign > 0.0 else (-high, -low)
        bottom, top = normal_probability(low), normal_probability(high)
        if not top > bottom:
            raise SettingError(
                f"The Normal of `{path}` is cut off so far from its mean that no value is left.\n"
                "  Move its bounds, or use a Uniform between them."
            )
        place = np.clip(bottom + u * (top - bottom), 1e-300, 1.0 - 2.0**-53)
        return np.asarray(sign * np.clip(normal_quantile(place), low, high))


@dataclass(frozen=True)
class LogNormal(Distribution):
    """A value whose logarithm is normally distributed: it always has the sign of its median.

    Attributes:
        sigma: [-] Standard deviation of the logarithm; "5%" is 0.05, about 5 % of the value.
        median: By default the nominal value.
    """

    sigma: Amount
    median: float | None = None

    def __post_init__(self) -> None:
        _not_negative(self.sigma, "The standard deviation of a LogNormal")

    def values(self, u: np.ndarray, nominal: Nominal) -> np.ndarray:
        own = self._numbers(nominal) if self.median is None else np.full(nominal.shape, float(self.median))
        return np.asarray(own * exp(log_sigma(self.sigma) * normal_quantile(u)).reshape(len(u), *nominal.shape))


def log_sigma(sigma: Amount) -> float:
    """[-] A standard deviation of a logarithm, of which 5 % are 0.05."""
    taken = taken_amount(sigma, "The standard deviation of a logarithm")
    return 0.01 * taken.value if isinstance(taken, Percent) else taken


@dataclass(frozen=True, init=False)
class Choice(Distribution):
    """One of several values: numbers, lists, strings, booleans.

    Attributes:
        options: The values.
        weights: How often each is taken, relative to the others.
    """

    options: tuple[Any, ...]
    weights: tuple[float, ...]

    def __init__(self, *options: Any, weights: Sequence[float] | None = None) -> None:
        if not options:
            raise SettingError("A Choice has nothing to choose from.\n  Give its options: `Choice(1.0, 2.0)`.")
        given = [1.0] * len(options) if weights is None else [float(weight) for weight in weights]
        if len(given) != len(options) or min(given) < 0.0 or sum(given) <= 0.0:
            raise SettingError(
                f"A Choice of {len(options)} has the weights {shown(weights)}.\n"
                "  Give one for each option, none negative, not all zero."
            )
        object.__setattr__(self, "options", tuple(options))
        object.__setattr__(self, "weights", tuple(given))

    def size(self, nominal: Nominal) -> int:
        return 1

    def values(self, u: np.ndarray, nominal: Nominal) -> Any:
        ends = np.cumsum(self.weights) / np.cumsum(self.weights)[-1]
        chosen = np.minimum(np.searchsorted(ends, u[:, 0], side="right"), len(self.options) - 1)
        taken = [self.options[i] for i in chosen]
        return taken if isinstance(self.options[0], str | bool) or self.options[0] is None else np.array(taken)

    def levels(self, count: int, nominal: Nominal) -> np.ndarray:
        return (np.arange(len(self.options)) + 0.5) / len(self.options)
