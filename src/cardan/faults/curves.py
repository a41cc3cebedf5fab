"""Curves of thrusters that no longer give what is demanded, `u_act = g(u_dem)`, drawn at random where they are random.

The curves, and the Gaussian processes that roughen them, are those of SmallSatSim (Schwartz et al., Eq. (7), and its
published configuration): a curve is known at 40 of 100 points, and a process with a Matern-3/2 kernel joins them.
"""

from dataclasses import replace

import numpy as np

from cardan.errors import SettingError, shown
from cardan.faults.kinds import Kind, curved, is_number, stuck_at, stuck_off

POINTS = 100
"""[-] Of a curve."""

_KNOWN = 40
_NOISE = 1.0e-4


def limited_thrust(max_thrust: float, share: float = 0.2) -> Kind:
    """Follows the demand up to a share of the maximum [N] and saturates there."""
    demanded = _grid(max_thrust)
    return replace(curved(demanded, np.minimum(demanded, share * max_thrust)), name="limited thrust")


def faulty_valve(max_thrust: float, low: float = 0.15, high: float = 0.8) -> Kind:
    """Gives `low` of the maximum [N] up to 67 % of the demand, `high` from 73 % on, and a line in between."""
    demanded = _grid(max_thrust)
    given = np.interp(demanded / max_thrust, [0.67, 0.73], [low * max_thrust, high * max_thrust])
    return replace(curved(demanded, given), name="faulty valve")


def unstable_thrust(max_thrust: float, seed: int | None = None) -> Kind:
    """Swings about the demand as that changes: u - 0.1 u_max sin(10 u), u in N; with 5 % noise if there is a seed."""
    demanded = _grid(max_thrust)
    given = demanded - 0.1 * max_thrust * np.sin(10.0 * demanded)
    if seed is not None:
        given = given + 0.05 * max_thrust * np.random.default_rng(seed).normal(size=POINTS)
    return replace(curved(demanded, np.clip(given, 0.0, max_thrust)), name="unstable thrust")


def sampled(kind: Kind, length: float, variance: float, seed: int, mean: bool = False) -> Kind:
    """A curve drawn from a Gaussian process that goes through points of the curve of another kind.

    Args:
        kind: Whose curve is known at 40 of its points, both ends among them.
        length: [N] Over which the process varies, by a Matern-3/2 kernel.
        variance: [N^2] Of the process.
        seed: Of the draw.
        mean: Whether the expected curve is meant, instead of one that is drawn.
    """
    demanded, given = kind.curve
    if len(demanded) < 2 or not (length > 0.0 and variance > 0.0):
        raise SettingError(
            f"A curve of `{kind.name}` with length {shown(length)} and variance {shown(variance)}.\n"
            "  Give a kind with a curve, such as `faulty_valve(0.3)`, and positive numbers."
        )
    rng = np.random.default_rng(seed)
    inner = rng.choice(np.arange(1, len(demanded) - 1), size=min(_KNOWN, len(demanded)) - 2, replace=False)
    known = np.sort(np.concatenate(([0], inner, [len(demanded) - 1])))
    covariance = _matern(demanded[known], demanded[known], length, variance) + _NOISE * np.eye(len(known))
    across = _matern(demanded, demanded[known], length, variance)
    solved = np.linalg.solve(covariance, np.column_stack((given[known], across.T)))
    drawn = across @ solved[:, 0]
    if not mean:
        left = _matern(demanded, demanded, length, variance) - across @ solved[:, 1:]
        values, vectors = np.linalg.eigh(0.5 * (left + left.T))
        drawn = drawn + vectors @ (np.sqrt(np.maximum(values, 0.0)) * rng.normal(size=len(demanded)))
    return replace(kind, name=f"{kind.name}, sampled", curve=np.array([demanded, np.clip(drawn, 0.0, demanded[-1])]))


def sampled_faults(max_thrust: float, seed: int) -> dict[str, Kind]:
    """SmallSatSim's stuck-off, stuck-on, saturated, faulty-valve and unstable thruster, by name, drawn by a seed."""
    return {
        "stuck off": stuck_off(),
        "stuck on": stuck_at(max_thrust),
        "saturated": sampled(limited_thrust(max_thrust), 0.1, 0.01, seed, mean=True),
        "faulty valve": sampled(faulty_valve(max_thrust), 0.3, 0.4, seed + 1),
        "unstable thrust": sampled(unstable_thrust(max_thrust, seed), 0.15, 0.5, seed + 2),
    }


def _grid(max_thrust: float) -> np.ndarray:
    if not is_number(max_thrust) or not max_thrust > 0.0:
        raise SettingError(f"A thruster of at most {shown(max_thrust)} N.\n  Use a positive thrust.")
    return np.linspace(0.0, max_thrust, POINTS)


def _matern(a: np.ndarray, b: np.ndarray, length: float, variance: float) -> np.ndarray:
    distance = np.sqrt(3.0) * np.abs(a[:, None] - b[None, :]) / length
    covariance: np.ndarray = variance * (1.0 + distance) * np.exp(-distance)
    return covariance
