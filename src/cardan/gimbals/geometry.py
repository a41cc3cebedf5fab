"""The geometry of a gimbal that two cranks tip and tilt."""

from typing import Any, NamedTuple

import numpy as np


class CrankGimbal(NamedTuple):
    """A platform on two cranks, each turned by a motor with hard stops; docs/theory/gimbal_tables.md.

        lift(theta) = (1 + sin(crank_arc (theta / motor_max - 1/2)) / sin(crank_arc / 2)) / 2                     (1)
        tip         = tip_max  (1 - lift_1 - lift_2)                                                              (2)
        tilt        = tilt_max (lift_1 - lift_2)                                                                  (3)

    Both motors at zero are the stowed corner (tip_max, 0) of the diamond; motor 1 alone goes to (0, tilt_max), motor 2
    alone to (0, -tilt_max), both to (-tip_max, 0).

    Attributes:
        tip_max: [rad] Largest tip, at zero tilt.
        tilt_max: [rad] Largest tilt, at zero tip.
        motor_max: [rad] Hard stop of each motor; the other is at zero.
        crank_arc: [rad] Arc of a crank between the hard stops, less than pi. The smaller, the more linear.
    """

    tip_max: float = np.deg2rad(18.5)
    tilt_max: float = np.deg2rad(27.5)
    motor_max: float = np.deg2rad(160.0)
    crank_arc: float = np.deg2rad(90.0)

    def gimbal_angles(self, motor1: Any, motor2: Any) -> tuple[Any, Any]:
        """[rad] Tip and tilt at these motor angles [rad]; numbers or arrays."""
        first, second = self._lift(motor1), self._lift(motor2)
        return self.tip_max * (1.0 - first - second), self.tilt_max * (first - second)

    def motor_angles(self, tip: Any, tilt: Any) -> tuple[Any, Any]:
        """[rad] Motor angles for this tip and tilt [rad]; nan outside the diamond."""
        across, along = np.asarray(tip) / self.tip_max, np.asarray(tilt) / self.tilt_max
        return self._motor(0.5 * (1.0 - across + along)), self._motor(0.5 * (1.0 - across - along))

    def _lift(self, motor: Any) -> Any:
        # Eq. (1)
        turned = self.crank_arc * (np.asarray(motor) / self.motor_max - 0.5)
        return 0.5 * (1.0 + np.sin(turned) / np.sin(0.5 * self.crank_arc))

    def _motor(self, lift: Any) -> Any:
        # Eq. (1) solved for the motor angle; rounding must not push a point of the edge outside
        inside = np.where((lift > -1.0e-12) & (lift < 1.0 + 1.0e-12), np.clip(lift, 0.0, 1.0), np.nan)
        turned = np.arcsin((2.0 * inside - 1.0) * np.sin(0.5 * self.crank_arc))
        return self.motor_max * (turned / self.crank_arc + 0.5)
