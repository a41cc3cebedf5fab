"""Allocation of a body torque to wheel motors."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import Constraint, Unit, task
from cardan.maths import Mat3, Rows3, Scalar, choose, cross, dot, inverse3, matvec
from cardan.messages import BodyTorque, FaultReport, HingeStates, HingeTorques

_FLAT = 1.0e-9  # [-] determinant of G G^T below which the axes of wheels lie in a plane
_Spanning = Constraint("axes that span space", lambda axes_B: np.linalg.matrix_rank(axes_B, tol=1e-6) == 3)


class WheelAllocationOutputs(NamedTuple):
    torques: HingeTorques


@task
class WheelAllocation(NamedTuple):
    """Motor torques that give the body the wanted torque, with the smallest sum of squares.

        torques = - G^T (G G^T)^-1 torque_B                                                                       (1)

    G has the wheels' axes as its columns. A motor's torque acts on its wheel, its reaction on the body: hence the sign.
    There may be any number of wheels whose axes span space. With more than three, some motor torques cancel each other
    and are free; they can bring the wheels towards the speeds that store the same momentum with the least energy.

        torques = ... - balance (1 - G^T (G G^T)^-1 G) rate                                                       (2)

    A wheel that `report` names is left out, and gets no torque, if the axes of the others span space.

    Schaub and Junkins, Analytical Mechanics of Space Systems, section 8.7.

    Attributes:
        axes_B: [-] Spin axis of each wheel, a unit vector in body components, a row each.
        balance: [N m s/rad] Gain of Eq. (2), where the wheels' states are connected.
    """

    axes_B: Annotated[Rows3, "-", Unit, _Spanning]
    balance: Annotated[float, "N m s/rad"] = 0.0

    def step(
        self,
        torque: BodyTorque,
        wheels: HingeStates = HingeStates(np.zeros(0), np.zeros(0)),
        report: FaultReport = FaultReport(),
    ) -> WheelAllocationOutputs:
        a = self.axes_B
        if len(wheels.rate) > 0 and len(wheels.rate) != len(a):
            raise ValueError("WheelAllocation: `wheels` has another number of wheels than `axes_B`.")
        # the axis of a wheel that is left out counts as zero
        left_out = choose(report.is_alarm, report.suspect, -1)
        left_out = choose(_determinant(_gram(a, left_out)) > _FLAT, left_out, -1)
        every = np.ones(len(a))
        used = choose(np.cumsum(every) - 1.0 == left_out, 0.0, every)
        # Eq. (2): what is left of the speeds when the part that stores momentum is taken out of them
        rate = self.balance * used * (wheels.rate if len(wheels.rate) > 0 else np.zeros(len(a)))
        x, y, z = 0.0, 0.0, 0.0
        for i in range(len(a)):
            x, y, z = x + rate[i] * a[i, 0], y + rate[i] * a[i, 1], z + rate[i] * a[i, 2]
        # Eq. (1), with the momentum-storing part of the speeds given back
        wanted_B = torque.torque_B - np.array([x, y, z])
        shared_B = matvec(inverse3(_gram(a, left_out)), wanted_B)
        each = used * (a[:, 0] * shared_B[0] + a[:, 1] * shared_B[1] + a[:, 2] * shared_B[2])
        return WheelAllocationOutputs(torques=HingeTorques(torque=-rate - each))


def _gram(a: Rows3, left_out: int) -> Mat3:
    """[-] G G^T of all wheels but one; -1 for none."""
    xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(len(a)):
        used = choose(left_out == i, 0.0, 1.0)
        ax, ay, az = used * a[i, 0], used * a[i, 1], used * a[i, 2]
        xx, xy, xz = xx + ax * ax, xy + ax * ay, xz + ax * az
        yy, yz, zz = yy + ay * ay, yz + ay * az, zz + az * az
    return np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))


def _determinant(m: Mat3) -> Scalar:
    return dot(m[0], cross(m[1], m[2]))
