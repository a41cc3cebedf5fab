"""Whether a fixed step is too long for the springs and dampers of a mechanism's joints, and for servos on them.

Linearised about rest, joints with stiffness K and damping C obey v' = -W (C v + K x), where W is what the inverse of
the mass matrix has between them: all else gives way. In coordinates in which W is 1, K and C are symmetric, and the
rates are the eigenvalues of [0 1; -K -C] (docs/theory/integrators/README.md, Eqs. (3) to (5)).
"""

import math
from typing import NamedTuple

import numpy as np

from cardan.mechanism.inertia import SHARE, joint_of, listed
from cardan.mechanism.mechanism import Mechanism
from cardan.mechanism.motors import servo_gains
from cardan.mechanism.plumbing.memory import MechanismMemory
from cardan.simulation.integrators import FixedStep, Integrator
from cardan.simulation.integrators.stability import growth, stability_polynomial, stable_reach, stable_step

# [-] growth per step that ends a run; less is a matter of accuracy, as with undamped oscillations and Heun's rule
_GROWTH = 1.01
# [-] regions of stability contain the half disc of this radius to the left, up to the growth above
_SAFE = 0.1

# [-] of the step: with less than this, there is no step that the damping of an oscillation makes stable
_DAMPED = 1.0e-3

Springs = tuple[np.ndarray, np.ndarray]
"""(nv,) Stiffness and (nv,) damping of the joints."""


class TooLong(NamedTuple):
    """Why a step is too long.

    Attributes:
        integrator: What takes it.
        stable: [s] The longest one with which nothing grows that should not; 0 where there is none.
        joints: The joints that take part.
        cause: "damping" or "stiffness" of these.
    """

    integrator: FixedStep
    stable: float
    joints: tuple[str, ...]
    cause: str

    def __str__(self) -> str:
        name, step = type(self.integrator).__name__, self.integrator.step
        return f"The step of {name}, {step:g} s, is too long for the {self.cause} of {listed(self.joints)}.\n" + (
            f"  With the inertia that moves, steps up to {_below(self.stable)} s are stable: use one of these, "
            "or an adaptive integrator."
            if self.stable > 0.0
            else f"  {name} lets this grow with any step: use Rk4, or an adaptive integrator."
        )


def has_springs(mechanism: Mechanism) -> bool:
    """Whether a joint has stiffness or damping, of its own or from a servo."""
    return any(values.any() for values in _springs(mechanism))


def _springs(mechanism: Mechanism) -> Springs:
    """Stiffness and damping of the joints, with what servos add."""
    return _with_servos(mechanism, mechanism.tree.stiffness, mechanism.tree.damping)


def _with_servos(mechanism: Mechanism, own_stiffness: np.ndarray, own_damping: np.ndarray) -> Springs:
    stiffness, damping = servo_gains(mechanism.model)
    return own_stiffness + np.maximum(stiffness, 0.0), own_damping + np.maximum(damping, 0.0)


def springs_in(mechanism: Mechanism, memory: MechanismMemory, arena: np.ndarray) -> Springs:
    """The same with the stiffness and damping that the joints have in an arena."""
    return _with_servos(mechanism, memory.array(arena, "stiffness"), memory.array(arena, "damping"))


def too_long(
    integrator: Integrator,
    mechanism: Mechanism,
    matrix: np.ndarray,
    is_known: np.ndarray,
    springs: Springs | None = None,
) -> TooLong | None:
    """Why the step of `integrator` is too long for the joints, or None if it is not.

    Args:
        integrator: The integrator; an adaptive one finds its step itself, an implicit one has no limit.
        mechanism: The mechanism.
        matrix: (nv, nv) Its mass matrix.
        is_known: (nv,) Which accelerations are known: of locked and prescribed joints.
        springs: (nv,) Stiffness and (nv,) damping of the joints, if they are not the mechanism's own.
    """
    if not isinstance(integrator, FixedStep) or integrator.tableau.is_implicit:
        return None
    tree, (stiffness, damping) = mechanism.tree, springs or _springs(mechanism)
    unknown = np.flatnonzero(~is_known)
    own = (damping[unknown] > 0.0) | (stiffness[unknown] > 0.0)
    if not own.any() or not np.isfinite(matrix).all():
        return None
    try:
        W = np.linalg.inv(matrix[np.ix_(unknown, unknown)])[np.ix_(own, own)]
        root = np.linalg.cholesky(W)
    except np.linalg.LinAlgError:
        return None  # a singular mechanism is another matter
    freedoms = unknown[own]
    C = root.T @ (damping[freedoms, None] * root)
    K = root.T @ (stiffness[freedoms, None] * root)
    h = integrator.step
    # no rate is larger than this; a spring may push, so that its trace would be no bound
    if h * (np.linalg.norm(C) + math.sqrt(np.linalg.norm(K))) < _SAFE:
        return None
    find = _semi_implicit if integrator.is_semi_implicit else _runge_kutta
    found = find(integrator, C, K)
    if found is None:
        return None
    stable, shapes, is_oscillation = found
    # by the energy in each
    shares = np.abs(root @ shapes) / np.sqrt(np.diag(W))[:, None]
    taking = (shares > SHARE * shares.max(axis=0)).any(axis=1)
    joints = tuple(dict.fromkeys(joint_of(tree, index) for index in freedoms[taking]))
    return TooLong(integrator, stable, joints, "stiffness" if is_oscillation else "damping")


def _runge_kutta(integrator: FixedStep, C: np.ndarray, K: np.ndarray) -> tuple[float, np.ndarray, bool] | None:
    """Largest stable step, what the growing modes look like, and whether the worst oscillates: Eq. (3)."""
    n, coefficients = len(C), stability_polynomial(integrator.tableau)
    rates, modes = np.linalg.eig(np.block([[np.zeros((n, n)), np.eye(n)], [-K, -C]]))
    # what rounding makes of rates that vanish, or that are on an axis
    rates = np.minimum(rates.real, 0.0) + 1j * rates.imag
    factors = growth(coefficients, integrator.step * rates)
    growing = factors > _GROWTH
    if not growing.any():
        return None
    worst = rates[np.argmax(factors)]
    is_oscillation, stable = abs(worst.imag) > abs(worst.real), stable_step(coefficients, rates)
    # what an integrator lets grow at once, rounding may seem to damp
    if is_oscillation and stable < _DAMPED * integrator.step and stable_reach(coefficients, 1j) == 0.0:
        stable = 0.0
    return stable, modes[n:, growing], is_oscillation


def _semi_implicit(integrator: FixedStep, C: np.ndarray, K: np.ndarray) -> tuple[float, np.ndarray, bool] | None:
    """The same for velocities first, then positions: 4 - 2 h C - h^2 K must stay positive definite, Eq. (5)."""

    def left(h: float) -> np.ndarray:
        return 4.0 * np.eye(len(C)) - 2.0 * h * C - h * h * K

    values, shapes = np.linalg.eigh(left(integrator.step))
    if values[0] > 4.0 * (1.0 - _GROWTH):
        return None
    low, high = 0.0, integrator.step
    while high - low > 1.0e-6 * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if np.linalg.eigvalsh(left(middle))[0] < 0.0 else (middle, high)
    worst, h = shapes[:, 0], integrator.step
    return low, shapes[:, values < 0.0], bool(h * worst @ K @ worst > 2.0 * worst @ C @ worst)


def _below(number: float) -> str:
    """Two digits, rounded down."""
    unit = 10.0 ** (math.floor(math.log10(number)) - 1)
    return f"{math.floor(number / unit) * unit:.2g}"
