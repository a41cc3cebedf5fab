"""A thruster that ignores its command."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, model, output
from cardan.maths import Vec, choose
from cardan.messages import ThrusterForces


@model
class StuckThruster(NamedTuple):
    """Holds one thruster of a bank at a thrust from a given time on: 0 for stuck off.

        thrust_number = thrust from `after` on; all others as they are                                            (1)

    It stands between what a bank gives and what the body feels: `scn.intercept(bank.forces, StuckThruster(...))`.

    Attributes:
        number: [-] Of the thruster, from 0.
        thrust: [N] At which it is stuck.
        after: [s] When it fails.
    """

    number: Annotated[int, "-", NotNegative]
    thrust: Annotated[float, "N", NotNegative] = 0.0
    after: Annotated[float, "s", NotNegative] = 0.0

    def breaks(self) -> Vec:
        """[s] When it fails."""
        return np.array([self.after])

    @output
    def given(self, t: float, forces: ThrusterForces) -> ThrusterForces:
        if self.number >= len(forces.thrust):
            raise ValueError("StuckThruster: `number` is larger than that of the last thruster.")
        # Eq. (1)
        numbers = np.cumsum(0.0 * forces.thrust + 1.0) - 1.0
        is_it = (numbers == self.number) & (t >= self.after)
        return ThrusterForces(thrust=choose(is_it, self.thrust, forces.thrust))
