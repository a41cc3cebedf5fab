"""Distributions of directions, attitudes and inertia tensors, and groups of correlated numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.errors import SettingError, shown
from cardan.maths import (
    dcm_from_quaternion,
    exp,
    matmul,
    matvec_transposed,
    mrp_from_quaternion,
    quaternion_from_dcm,
    quaternion_from_mrp,
    quaternion_product,
    sin_cos,
)
from cardan.studies.distributions import Amount, Distribution, LogNormal, Nominal, Normal, Uniform, log_sigma
from cardan.studies.quantiles import normal_quantile


def on_sphere(u: np.ndarray) -> np.ndarray:
    """(n, 3) Unit vectors evenly spread over the sphere, from (n, 2): by Archimedes, heights are evenly spread."""
    height = 2.0 * u[:, 0] - 1.0
    sine, cosine = sin_cos(2.0 * np.pi * u[:, 1])
    across = np.sqrt(np.maximum(0.0, 1.0 - height * height))
    return np.stack([across * cosine, across * sine, height], axis=1)


@dataclass(frozen=True)
class UnitVector(Distribution):
    """A direction, uniform over the sphere.

    Attributes:
        length: Of the vector; a number, or how it varies: `UnitVector(length=Uniform(0.0, 0.03))` is a tumble rate.
    """

    length: float | Distribution = 1.0

    def size(self, nominal: Nominal) -> int:
        return 2 if not isinstance(self.length, Distribution) else 2 + self.length.size(self._length(nominal))

    def values(self, u: np.ndarray, nominal: Nominal) -> np.ndarray:
        if nominal.shape != (3,):
            raise SettingError(f"`{nominal.path}` has shape {nominal.shape}, and a UnitVector has (3,).")
        directions = on_sphere(u)
        if not isinstance(self.length, Distribution):
            return np.asarray(float(self.length) * directions)
        return np.asarray(self.length.values(u[:, 2:], self._length(nominal))[:, None] * directions)

    def _length(self, nominal: Nominal) -> Nominal:
        # of an array that does not fit, `values` speaks
        value = np.ravel(np.asarray(nominal.value, float))
        return Nominal(nominal.path, float(np.sqrt(np.sum(value * value))), nominal.unit)


@dataclass(frozen=True)
class Attitude(Distribution):
    """An attitude, uniform over all rotations (Shoemake, Graphics Gems III, 1992)."""

    def size(self, nominal: Nominal) -> int:
        return 3

    def values(self, u: np.ndarray, nominal: Nominal) -> np.ndarray:
        first, second = np.sqrt(1.0 - u[:, 0]), np.sqrt(u[:, 0])
        sine_1, cosine_1 = sin_cos(2.0 * np.pi * u[:, 1])
        sine_2, cosine_2 = sin_cos(2.0 * np.pi * u[:, 2])
        q = np.stack([first * sine_1, first * cosine_1, second * sine_2, second * cosine_2], axis=1)
        return _as_attitude(q, nominal, "An Attitude")


@dataclass(frozen=True)
class SmallRotation(Distribution):
    """The nominal attitude or direction, turned about an axis uniform over the sphere.

    Attributes:
        angle: [rad] Standard deviation of the angle of rotation, or its distribution.
    """

    angle: float | Distribution

    def _angle(self) -> Distribution:
        return self.angle if isinstance(self.angle, Distribution) else Normal(self.angle, mean=0.0)

    def size(self, nominal: Nominal) -> int:
        return 3

    def values(self, u: np.ndarray, nominal: Nominal) -> np.ndarray:
        angle = self._angle().values(u[:, 2:], Nominal(nominal.path, 0.0, "rad"))
        turn = _quaternion(on_sphere(u), angle)
        kind = _kind(nominal)
        own = np.asarray(nominal.value, float)
        if kind == "direction":
            return np.asarray(matvec_transposed(dcm_from_quaternion(turn), np.broadcast_to(own, (len(u), 3))))
        start = quaternion_from_mrp(own) if kind == "mrp" else quaternion_from_dcm(own) if kind == "dcm" else own
        return _as_attitude(quaternion_product(np.broadcast_to(start, (len(u), 4)), turn), nominal, "A SmallRotation")


@dataclass(frozen=True)
class Inertia(Distribution):
    """The nominal tensor of inertia, its principal second moments of mass scaled and its axes turned; always physical.

    With J the tensor, S = tr(J)/2 - J has the second moments of mass about its planes, which are not negative in any
    body; and whatever S is made of such moments, J = tr(S) - S is a tensor that some body has.

    Attributes:
        spread: [-] Of the principal second moments: standard deviation of their logarithms, or "5%".
        tilt: [rad] Standard deviation of the angle by which the principal axes are turned.
        scale: How the moments are scaled, if not so: a distribution about 1.
    """

    spread: Amount = 0.0
    tilt: float = 0.0
    scale: Distribution | None = None

    def size(self, nominal: Nominal) -> int:
        return 9

    def values(self, u: np.ndarray, nominal: Nominal) -> np.ndarray:
        if nominal.shape != (3, 3):
            raise SettingError(f"`{nominal.path}` has shape {nominal.shape}, and a tensor of inertia has (3, 3).")
        moments, axes = _principal_moments(np.asarray(nominal.value, float))
        factors = self._factors(u[:, :3], nominal)
        if self.tilt:
            turned = _quaternion(on_sphere(u[:, 3:5]), self.tilt * normal_quantile(u[:, 5]))
            axes = matmul(dcm_from_quaternion(turned), np.broadcast_to(axes, (len(u), 3, 3)))
        scaled = np.broadcast_to(moments, (len(u), 3)) * factors
        seconds = np.zeros((len(u), 3, 3))
        axes = np.broadcast_to(axes, (len(u), 3, 3))
        for i in range(3):
            seconds += scaled[:, i, None, None] * (axes[:, i, :, None] * axes[:, i, None, :])
        trace = (seconds[:, 0, 0] + seconds[:, 1, 1]) + seconds[:, 2, 2]
        return np.asarray(trace[:, None, None] * np.eye(3) - seconds)

    def _factors(self, u: np.ndarray, nominal: Nominal) -> np.ndarray:
        how = LogNormal(self.spread) if self.scale is None else self.scale
        factors = how.values(u, Nominal(nominal.path, np.ones(3)))
        if np.min(factors, initial=np.inf) < 0.0:
            raise SettingError(
                f"`{nominal.path}` would have negative moments of mass: {how} reaches below zero.\n"
                "  Use a smaller width, or a LogNormal, which keeps its sign."
            )
        return np.asarray(factors)


@dataclass(frozen=True)
class _ExpOf(Distribution):
    """The exponential of another distribution."""

    logarithm: Distribution

    def values(self, u: np.ndarray, nominal: Nominal) -> np.ndarray:
        return np.asarray(exp(self.logarithm.values(u, nominal)))


def fitting(how: Distribution, nominal: Nominal) -> Distribution:
    """A distribution of numbers as one of a tensor, where the nominal value is one: of its second moments of mass."""
    if not nominal.is_inertia:
        return how
    if isinstance(how, LogNormal) and how.median is None:
        return Inertia(how.sigma)
    if isinstance(how, Normal):
        _check_relative(how.sigma)
        if how.within is None:
            return Inertia(how.sigma)
        return Inertia(scale=_ExpOf(Normal(log_sigma(how.sigma), mean=0.0, within=how.within)))
    if isinstance(how, Uniform):
        for end in (how.low, how.high):
            if end is not None:
                _check_relative(end)
        return Inertia(scale=how)
    return how


def _check_relative(amount: Amount) -> None:
    if not isinstance(amount, str) and not hasattr(amount, "value"):
        raise SettingError(
            f"A tensor of inertia varies by a share of itself, got {shown(amount)}.\n"
            '  Use e.g. `Normal("5%")`, or `Inertia(...)`.'
        )


@dataclass(frozen=True, init=False)
class Correlated(Distribution):
    """Several correlated numbers, normally distributed with a covariance.

    Attributes:
        paths: Of the numbers, in the order of the covariance; elements of arrays as `limit.max_torque[0]`.
        covariance: (n, n) In the units of the numbers.
        mean: (n,) By default the nominal values.
    """

    paths: tuple[str, ...]
    covariance: tuple[tuple[float, ...], ...]
    mean: tuple[float, ...] | None

    def __init__(self, paths: Sequence[str], covariance: Any, mean: Sequence[float] | None = None) -> None:
        try:
            matrix = np.array(covariance, float)
        except (TypeError, ValueError):
            matrix = np.empty(0)
        count = len(paths)
        if matrix.shape != (count, count) or not np.isfinite(matrix).all() or not np.array_equal(matrix, matrix.T):
            raise SettingError(
                f"The covariance of {', '.join(f'`{path}`' for path in paths)} is {shown(covariance)}.\n"
                f"  Give a symmetric matrix of {count} rows and columns."
            )
        if mean is not None and len(mean) != count:
            raise SettingError(f"Correlated has {count} paths and {len(mean)} means.\n  Give one for each path.")
        object.__setattr__(self, "paths", tuple(paths))
        object.__setattr__(self, "covariance", tuple(map(tuple, matrix.tolist())))
        object.__setattr__(self, "mean", None if mean is None else tuple(float(each) for each in mean))
        self._factor()

    def size(self, nominal: Nominal) -> int:
        return len(self.paths)

    def values(self, u: np.ndarray, nominal: Nominal) -> np.ndarray:
        """(n, paths); `nominal` has the values of all of them."""
        mean, factor = np.asarray(nominal.value if self.mean is None else self.mean, float), self._factor()
        z = normal_quantile(u)
        found = np.broadcast_to(mean, z.shape).copy()
        for i in range(len(self.paths)):
            for j in range(i + 1):
                found[:, i] += factor[i, j] * z[:, j]
        return found

    def _factor(self) -> np.ndarray:
        """Lower factor of the covariance by Cholesky's method, in an order that does not depend on a library."""
        matrix = np.array(self.covariance)
        factor = np.zeros_like(matrix)
        for i in range(len(matrix)):
            for j in range(i + 1):
                rest = matrix[i, j]
                for k in range(j):
                    rest -= factor[i, k] * factor[j, k]
                if i != j:
                    factor[i, j] = rest / factor[j, j] if factor[j, j] > 0.0 else 0.0
                elif rest < -1e-12 * matrix[i, i]:
                    raise SettingError(
                        f"The covariance of {', '.join(f'`{path}`' for path in self.paths)} is none: "
                        f"`{self.paths[i]}` would vary by less than the others make it vary.\n"
                        "  A covariance has no negative eigenvalue."
                    )
                else:
                    factor[i, i] = np.sqrt(max(rest, 0.0))
        return factor


# ---- details -------------------------------------------------------------------------------------------------------


def _quaternion(axis: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """(n, 4) Rotations about axes."""
    sine, cosine = sin_cos(0.5 * angle)
    return np.concatenate([cosine[:, None], sine[:, None] * axis], axis=1)


def _kind(nominal: Nominal) -> str:
    """How a value describes a rotation, by its name and shape; three numbers of any other name are a direction."""
    name = nominal.path.rpartition(".")[2]
    if nominal.shape == (4,):
        return "quaternion"
    if nominal.shape == (3, 3):
        return "dcm"
    if nominal.shape == (3,):
        return "mrp" if name.startswith("sigma") else "direction"
    raise SettingError(
        f"`{nominal.path}` has shape {nominal.shape}, which is neither an attitude nor a direction.\n"
        "  Quaternions have (4,), modified Rodrigues parameters and directions (3,), matrices (3, 3)."
    )


def _as_attitude(q: np.ndarray, nominal: Nominal, what: str) -> np.ndarray:
    kind = _kind(nominal)
    if kind == "direction":
        raise SettingError(
            f"`{nominal.path}` is no attitude by its name, which begins with `sigma`, `q` or `dcm`.\n"
            f"  {what} needs one; a direction varies by `UnitVector()` or `SmallRotation(...)`."
        )
    return np.asarray(mrp_from_quaternion(q) if kind == "mrp" else dcm_from_quaternion(q) if kind == "dcm" else q)


def _principal_moments(J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Principal second moments of mass, and their axes as rows; by Jacobi's rotations, the same on every machine."""
    S = 0.5 * np.trace(J) * np.eye(3) - J
    axes = np.eye(3)
    for _ in range(60):
        p, q = max(((0, 1), (0, 2), (1, 2)), key=lambda place: abs(S[place]))
        if abs(S[p, q]) <= 1e-16 * np.trace(S):
            break
        theta = 0.5 * (S[q, q] - S[p, p]) / S[p, q]
        tangent = (1.0 if theta >= 0.0 else -1.0) / (abs(theta) + np.sqrt(theta * theta + 1.0))
        cosine = 1.0 / np.sqrt(tangent * tangent + 1.0)
        turn = np.eye(3)
        turn[p, p] = turn[q, q] = cosine
        turn[p, q], turn[q, p] = tangent * cosine, -tangent * cosine
        S = matmul(matmul(turn.T, S), turn)
        S = 0.5 * (S + S.T)
        axes = matmul(turn.T, axes)
    return np.maximum(np.diag(S), 0.0), axes
