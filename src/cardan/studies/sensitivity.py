"""Which inputs matter: rank correlation, standardised regression, Sobol indices."""

import math
from typing import NamedTuple

import numpy as np

from cardan.errors import SettingError
from cardan.studies.quantiles import normal_quantile
from cardan.studies.statistics import CONFIDENCE, Interval


class Effect(NamedTuple):
    """How a scalar follows an input.

    Attributes:
        input: The input, or an element of it.
        rank_correlation: [-] Spearman's, with bounds: -1 to 1, and 0 where nothing monotonous is seen.
        regression: [-] Standardised coefficient of a linear regression on all inputs: by how many standard deviations
            the scalar moves for one of the input.
    """

    input: str
    rank_correlation: Interval
    regression: float


class Regression(NamedTuple):
    """A linear regression on all inputs.

    Attributes:
        effects: Of each input, the strongest first.
        explained: [-] Share of the variance that it explains: where it is small, effects are not linear.
        runs: How many have a value.
    """

    effects: tuple[Effect, ...]
    explained: float
    runs: int


class SobolIndex(NamedTuple):
    """Shares of a scalar's variance.

    Attributes:
        input: The input.
        first: [-] What this input explains alone.
        total: [-] What it explains alone or together with others.
    """

    input: str
    first: Interval
    total: Interval


def rank_correlation(x: np.ndarray, y: np.ndarray, confidence: float = CONFIDENCE) -> Interval:
    """Spearman's coefficient, with bounds by Fisher's transformation (Bonett and Wright, Psychometrika 65, 2000)."""
    from scipy.stats import rankdata

    count = len(x)
    if count < 4 or np.ptp(x) == 0.0 or np.ptp(y) == 0.0:
        return Interval(math.nan, -1.0, 1.0)
    rho = float(np.corrcoef(rankdata(x), rankdata(y))[0, 1])
    centre = math.atanh(max(-1.0 + 1e-12, min(1.0 - 1e-12, rho)))
    z = float(normal_quantile(np.array(0.5 + 0.5 * confidence)))
    half = z * math.sqrt((1.0 + 0.5 * rho * rho) / (count - 3))
    return Interval(rho, math.tanh(centre - half), math.tanh(centre + half))


def effects(inputs: dict[str, np.ndarray], values: np.ndarray, confidence: float = CONFIDENCE) -> Regression:
    """How a scalar follows the inputs, (n,) each; runs without a value do not count."""
    is_known = np.isfinite(values)
    y = values[is_known]
    columns = {name: np.asarray(column, float)[is_known] for name, column in inputs.items()}
    columns = {name: column for name, column in columns.items() if len(column) and np.ptp(column) > 0.0}
    if len(y) < len(columns) + 2 or not columns or np.ptp(y) == 0.0:
        found = [Effect(name, rank_correlation(column, y, confidence), math.nan) for name, column in columns.items()]
        return Regression(tuple(found), math.nan, len(y))
    X = np.stack([(column - column.mean()) / column.std() for column in columns.values()], axis=1)
    target = (y - y.mean()) / y.std()
    coefficients = np.linalg.lstsq(X, target, rcond=None)[0]
    explained = 1.0 - float(np.sum((target - X @ coefficients) ** 2) / np.sum(target**2))
    found = [
        Effect(name, rank_correlation(column, y, confidence), float(coefficient))
        for (name, column), coefficient in zip(columns.items(), coefficients, strict=True)
    ]
    strength = sorted(found, key=lambda effect: -abs(_known(effect.rank_correlation.value)))
    return Regression(tuple(strength), explained, len(y))


def sobol_indices(
    names: list[str], values: np.ndarray, confidence: float = CONFIDENCE, resamples: int = 500, seed: int = 0
) -> tuple[SobolIndex, ...]:
    """Sobol indices from the runs of a `Saltelli` design, in their order.

    First order by Saltelli et al. (Comput. Phys. Commun. 181, 2010), total by Jansen (Comput. Phys. Commun. 117, 1999);
    bounds by the bootstrap over groups of runs. A group with a run that has no value does not count.
    """
    width = len(names) + 2
    if len(values) % width or not len(values):
        raise SettingError(
            f"{len(values)} runs are no `Saltelli` design of {len(names)} inputs, which has groups of {width}.\n"
            "  Run the study with `design=Saltelli(...)`, and to its end."
        )
    groups = values.reshape(-1, width)
    groups = groups[np.isfinite(groups).all(axis=1)]
    if len(groups) < 2:
        raise SettingError("Fewer than two groups of the `Saltelli` design have values in all their runs.")
    first, total = _indices(groups)
    generator = np.random.Generator(np.random.Philox(seed))
    again = np.empty((resamples, 2, len(names)))
    for i in range(resamples):
        again[i] = _indices(groups[generator.integers(0, len(groups), len(groups))])
    beyond = 0.5 * (1.0 - confidence)
    low, high = np.nanquantile(again, [beyond, 1.0 - beyond], axis=0)
    return tuple(
        SobolIndex(
            name,
            Interval(float(first[i]), float(low[0, i]), float(high[0, i])),
            Interval(float(total[i]), float(low[1, i]), float(high[1, i])),
        )
        for i, name in enumerate(names)
    )


def _indices(groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First and total indices of all inputs, from columns A, B, A with input i of B."""
    A, B, mixed = groups[:, 0], groups[:, 1], groups[:, 2:]
    both = np.concatenate([A, B])
    variance = np.var(both)
    if variance == 0.0:
        return np.full(mixed.shape[1], np.nan), np.full(mixed.shape[1], np.nan)
    # about the mean, where products lose no digits
    mean = both.mean()
    first = np.mean((B - mean)[:, None] * (mixed - A[:, None]), axis=0) / variance
    total = 0.5 * np.mean((A[:, None] - mixed) ** 2, axis=0) / variance
    return first, total


def _known(value: float) -> float:
    return value if math.isfinite(value) else 0.0
