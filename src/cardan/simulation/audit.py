"""`Audit`: does a run keep what physics says it must, as far as its integrator can?

The run is done twice more from where it began, with the impulse, the angular impulse and the work of all loads
integrated along: once as it was, once with a finer integrator. What a vehicle has, less what it was given, must not
change. What changes nevertheless is the integrator's error if the finer one makes it smaller, and a fault of a part or
of a service if it does not.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from cardan.simulation.integrators import AdaptiveStep, Integrator
from cardan.simulation.log import Log

# rounding of sums over all links, which are larger than what they add up to: some fifty units in the last place per
# step, in random directions
_ROUNDING = 1.0e-14
_TINY = float(np.finfo(float).tiny)


class AuditRow(NamedTuple):
    """One quantity of one vehicle.

    Attributes:
        vehicle: The name of its first body.
        quantity: What must not change.
        unit: Its unit.
        size: How large it is, or what goes through it, or what its bodies have and exchange.
        drift: The largest change over the run.
        finer: The largest change with the finer integrator.
        is_explained: Whether rounding or the integrator explains the drift.
    """

    vehicle: str
    quantity: str
    unit: str
    size: float
    drift: float
    finer: float
    is_explained: bool


@dataclass(frozen=True)
class Audit:
    """What an audit has found.

    Attributes:
        start: [s] Where the audited run began.
        end: [s] Where it ended.
        rows: One for each quantity of each vehicle.
    """

    start: float
    end: float
    rows: tuple[AuditRow, ...]

    @property
    def is_explained(self) -> bool:
        """Whether everything is."""
        return all(row.is_explained for row in self.rows)

    def __str__(self) -> str:
        lines = [f"audit from {self.start:g} s to {self.end:g} s: what vehicles have, less what loads gave them", ""]
        lines.append(f"{'vehicle':12} {'quantity':34} {'size':>10} {'drift':>10} {'finer':>10}  verdict")
        for row in self.rows:
            verdict = "explained by the integrator" if row.is_explained else "NOT explained"
            name = f"{row.quantity} [{row.unit}]"
            lines.append(f"{row.vehicle:12} {name:34} {row.size:10.3g} {row.drift:10.2g} {row.finer:10.2g}  {verdict}")
        return "\n".join(lines)


def finer_integrator(integrator: Integrator) -> Integrator:
    """Half the step, or tolerances a hundred times tighter."""
    if isinstance(integrator, AdaptiveStep):
        tolerances = {
            path: tolerance._replace(
                absolute=tolerance.absolute / 100.0, relative=max(tolerance.relative / 100.0, 1e-15)
            )
            for path, tolerance in integrator.tolerances.items()
        }
        rtol = max(integrator.rtol / 100.0, 1e-15)
        return replace(integrator, rtol=rtol, atol=integrator.atol / 100.0, tolerances=tolerances)
    return replace(integrator, step=0.5 * integrator.step)


def compare(vehicles: list[str], run: Log, finer: Log, steps: int, integrator: Integrator) -> tuple[AuditRow, ...]:
    """The rows of an audit from the logs of its two runs; `steps` and `integrator` are those of the first."""
    rows = []
    for vehicle in vehicles:
        for name, unit, ours, size in _balances(vehicle, run):
            theirs = next(values for other, _, values, _ in _balances(vehicle, finer) if other == name)
            drift, fine = (float(np.abs(values - values[0]).max()) for values in (ours, theirs))
            floor = _ROUNDING * size * (10.0 + np.sqrt(steps))
            if isinstance(integrator, AdaptiveStep):
                # an error of the size of the tolerances is what was asked for
                floor = max(floor, 10.0 * (integrator.atol + integrator.rtol * size))
                factor = 2.0
            else:
                # halving the step should divide the error by 2^order; a quarter of that is asked for
                factor = max(1.5, 2.0 ** (integrator.order - 2))
            is_explained = drift <= floor or fine <= max(floor, drift / factor)
            rows.append(AuditRow(vehicle, name, unit, size, drift, fine, bool(is_explained)))
    return tuple(rows)


def _balances(vehicle: str, log: Log) -> list[tuple[str, str, np.ndarray, float]]:
    """Name, unit, values that must be constant, and how large what they are made of is."""
    has: Any = log[f"{vehicle}.momentum"]
    given: Any = log[f"{vehicle}.balance"]
    momentum = has.mass[:, None] * has.v_CN_N
    energy = 0.5 * has.mass * np.sum(has.v_CN_N**2, axis=1)
    # momenta of bodies may add up to nothing; what they are at the most follows from the energy of their motion
    moved = np.sqrt(2.0 * has.mass * has.kinetic_energy)
    spun = np.sqrt(2.0 * np.trace(has.inertia_C_N, axis1=1, axis2=2) * has.kinetic_energy)
    pairs = [
        ("linear momentum", "N s", momentum, given.impulse_N, moved),
        ("angular momentum about C", "N m s", has.momentum_C_N, given.angular_impulse_C_N, spun),
        ("orbital energy", "J", energy, given.own_work, 0.0),
        ("rotational energy", "J", has.kinetic_energy, given.work, 0.0),
    ]
    return [
        (name, unit, own - gained, float(max(np.abs(own).max(), np.abs(gained).max(), np.max(most), _TINY)))
        for name, unit, own, gained, most in pairs
    ]
