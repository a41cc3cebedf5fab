"""Statistics with confidence intervals: rates, means, percentiles."""

import math
from typing import NamedTuple

import numpy as np

from cardan.errors import SettingError, shown
from cardan.studies.quantiles import normal_quantile

CONFIDENCE = 0.95


class Interval(NamedTuple):
    """An estimate with the bounds of its confidence interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.4g} ({self.low:.4g} to {self.high:.4g})"


class Summary(NamedTuple):
    """What is known of a scalar.

    Attributes:
        runs: How many have a value.
        mean: With bounds from its standard error.
        deviation: Standard deviation.
        least: The smallest value.
        most: The largest one.
        percentiles: By percent, each with bounds.
        passed: Share of all runs that keep the limits of this scalar; None without limits.
    """

    runs: int
    mean: Interval
    deviation: float
    least: float
    most: float
    percentiles: dict[float, Interval]
    passed: Interval | None


def wilson(successes: int, count: int, confidence: float = CONFIDENCE) -> Interval:
    """A rate of success with its score interval (Wilson, J. Am. Stat. Assoc. 22, 1927).

    Unlike the textbook's normal interval it stays within 0 and 1 and means something where no run has failed.
    """
    if count == 0:
        return Interval(math.nan, 0.0, 1.0)
    z, share = _z(confidence), successes / count
    shrink = 1.0 + z * z / count
    centre = (share + 0.5 * z * z / count) / shrink
    half = z * math.sqrt(share * (1.0 - share) / count + 0.25 * z * z / (count * count)) / shrink
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == count else centre + half
    return Interval(share, low, high)


def mean_interval(values: np.ndarray, confidence: float = CONFIDENCE) -> Interval:
    """The mean with bounds from Student's distribution."""
    from scipy.stats import t as student

    count = len(values)
    if count == 0:
        return Interval(math.nan, math.nan, math.nan)
    mean = float(np.mean(values))
    if count == 1:
        return Interval(mean, -math.inf, math.inf)
    half = float(student.ppf(0.5 + 0.5 * _checked(confidence), count - 1) * np.std(values, ddof=1) / math.sqrt(count))
    return Interval(mean, mean - half, mean + half)


def percentile(values: np.ndarray, percent: float, confidence: float = CONFIDENCE) -> Interval:
    """A percentile with bounds that are values themselves: order statistics, whatever the distribution.

    The number of values below the percentile is binomial; the bounds are the narrowest pair of order statistics with at
    most (1 - confidence) / 2 beyond each. Where too few values are there for such a pair, a bound is infinite.
    """
    from scipy.stats import binom

    ordered, count = np.sort(values), len(values)
    if count == 0:
        return Interval(math.nan, math.nan, math.nan)
    if not 0.0 <= percent <= 100.0:
        raise SettingError(f"percentile {shown(percent)}.\n  Use a number from 0 to 100.")
    beyond, share = 0.5 * (1.0 - _checked(confidence)), 0.01 * percent
    low = int(binom.ppf(beyond, count, share)) - 1  # P(fewer below than this order) <= beyond
    while low + 1 < count and binom.cdf(low + 1, count, share) <= beyond:
        low += 1
    high = int(binom.ppf(1.0 - beyond, count, share))
    return Interval(
        float(np.quantile(ordered, share)),
        float(ordered[low]) if low >= 0 else -math.inf,
        float(ordered[high]) if high < count else math.inf,
    )


def bootstrap_percentile(
    values: np.ndarray, percent: float, confidence: float = CONFIDENCE, resamples: int = 2000, seed: int = 0
) -> Interval:
    """A percentile with bounds by the bootstrap: narrower than those by order statistics, and approximate."""
    if not len(values):
        return Interval(math.nan, math.nan, math.nan)
    generator = np.random.Generator(np.random.Philox(seed))
    found = np.empty(resamples)
    for i in range(resamples):
        found[i] = np.quantile(values[generator.integers(0, len(values), len(values))], 0.01 * percent)
    beyond = 0.5 * (1.0 - _checked(confidence))
    low, high = np.quantile(found, [beyond, 1.0 - beyond])
    return Interval(float(np.quantile(values, 0.01 * percent)), float(low), float(high))


def summarised(
    values: np.ndarray,
    percents: tuple[float, ...] = (1.0, 5.0, 50.0, 95.0, 99.0),
    confidence: float = CONFIDENCE,
    passed: np.ndarray | None = None,
) -> Summary:
    """What is known of a scalar, without the runs that have none."""
    known = values[np.isfinite(values)]
    return Summary(
        len(known),
        mean_interval(known, confidence),
        float(np.std(known, ddof=1)) if len(known) > 1 else math.nan,
        float(known.min()) if len(known) else math.nan,
        float(known.max()) if len(known) else math.nan,
        {percent: percentile(known, percent, confidence) for percent in percents},
        None if passed is None else wilson(int(np.count_nonzero(passed)), len(passed), confidence),
    )


def _checked(confidence: float) -> float:
    if not 0.0 < confidence < 1.0:
        raise SettingError(f"confidence = {shown(confidence)}.\n  Use a share, e.g. 0.95.")
    return confidence


def _z(confidence: float) -> float:
    return float(normal_quantile(np.array(0.5 + 0.5 * _checked(confidence))))
