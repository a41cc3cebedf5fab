"""A gripper that holds on to a fixed object."""

from typing import Annotated, NamedTuple

from cardan.contracts import NotNegative, Positive, model, output
from cardan.maths import dcm_from_mrp, matvec, mrp_relative
from cardan.messages import BodyWrench, FrameMotion, GripCommand


@model
class Gripper(NamedTuple):
    """While it is closed, a gripper holds its tip T where its command says, with springs and dampers.

        force_T  = dcm_TN (k (r_hold - r) - d v)                                                                  (1)
        torque_T = -(k_a 4 sigma_T/hold + d_a omega)                                                              (2)

    What it holds does not move. Open it does nothing.

    Attributes:
        stiffness: [N/m] k
        damping: [N s/m] d
        angular_stiffness: [N m/rad] k_a
        angular_damping: [N m s/rad] d_a
    """

    stiffness: Annotated[float, "N/m", Positive] = 300.0
    damping: Annotated[float, "N s/m", NotNegative] = 100.0
    angular_stiffness: Annotated[float, "N m/rad", Positive] = 60.0
    angular_damping: Annotated[float, "N m s/rad", NotNegative] = 20.0

    @output
    def wrench(self, command: GripCommand, tip: FrameMotion) -> BodyWrench:
        on = 1.0 * command.is_closed
        pull_N = self.stiffness * (command.r_TN_N - tip.r_BN_N) - self.damping * tip.v_BN_N
        turned = mrp_relative(tip.sigma_BN, command.sigma_TN)
        torque_T = -(4.0 * self.angular_stiffness * turned + self.angular_damping * tip.omega_BN_B)
        return BodyWrench(force_B=on * matvec(dcm_from_mrp(tip.sigma_BN), pull_N), torque_B=on * torque_T)
