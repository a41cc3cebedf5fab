"""One prescribed motion on top of another."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan.contracts import Unit, model, output
from cardan.maths import NO_ROTATION, ZERO3, Vec3, Vec4
from cardan.messages import PrescribedMotion
from cardan.native.tuples import add3, cross3, quat_product, scale3, turn_from_quat, turned, turned_back


@model
class ChainedMotion(NamedTuple):
    """The motion of a rider R relative to the mount M, when it is prescribed relative to a carrier F.

    L is where the rider is mounted on the carrier, fixed to F. With rho the position of R relative to F,

        rho  = r_LF + r_RL,   rho' = v_RL,   rho'' = a_RL   (seen from F)                                         (1)
        r_RM = r_FM + rho                                                                                         (2)
        v_RM = v_FM + omega_FM x rho + rho'                                                                       (3)
        a_RM = a_FM + omega'_FM x rho + omega_FM x (omega_FM x rho) + 2 omega_FM x rho' + rho''                   (4)
        omega_RM = omega_FM + omega_RL                                                                            (5)
        omega'_RM = omega'_FM + omega'_RL + omega_FM x omega_RL                                                   (6)

    Bodies that are chained in this way all hang on one body of the mechanism, so that branches and closed chains can be
    described.

    Attributes:
        r_LF_F: [m] Where the rider is mounted on the carrier.
        q_LF: [-] Unit quaternion of its mount relative to the carrier.
    """

    r_LF_F: Annotated[Vec3, "m"] = ZERO3
    q_LF: Annotated[Vec4, "-", Unit] = NO_ROTATION

    @output
    def motion(self, carrier: PrescribedMotion, rider: PrescribedMotion) -> PrescribedMotion:
        # on tuples, because an array in between costs more than what is computed with it
        to_M, to_F, to_L = turn_of(carrier.q_FM), turn_of(self.q_LF), turn_of(rider.q_FM)
        omega, omega_dot = three(carrier.omega_FM_F), three(carrier.omega_dot_FM_F)
        # Eq. (1), in components of F
        rho = add3(three(self.r_LF_F), turned(to_F, three(rider.r_FM_M)))
        rho_dot, rho_ddot = turned(to_F, three(rider.v_FM_M)), turned(to_F, three(rider.a_FM_M))
        # Eqs. (2) to (4)
        sweep = cross3(omega, rho)
        coriolis = scale3(cross3(omega, rho_dot), 2.0)
        swing = add3(add3(cross3(omega_dot, rho), cross3(omega, sweep)), add3(coriolis, rho_ddot))
        # Eqs. (5) and (6), in components of R
        spin = three(rider.omega_FM_F)
        carried = turned_back(to_L, turned_back(to_F, omega))
        carried_dot = turned_back(to_L, turned_back(to_F, omega_dot))
        own_dot = add3(three(rider.omega_dot_FM_F), cross3(carried, spin))
        q_FM = quat_product(quat_product(four(carrier.q_FM), four(self.q_LF)), four(rider.q_FM))
        return PrescribedMotion(
            r_FM_M=np.array(add3(three(carrier.r_FM_M), turned(to_M, rho))),
            v_FM_M=np.array(add3(three(carrier.v_FM_M), turned(to_M, add3(sweep, rho_dot)))),
            a_FM_M=np.array(add3(three(carrier.a_FM_M), turned(to_M, swing))),
            q_FM=np.array(q_FM),
            omega_FM_F=np.array(add3(spin, carried)),
            omega_dot_FM_F=np.array(add3(own_dot, carried_dot)),
        )


def three(a: Vec3) -> Any:
    return a[0], a[1], a[2]


def four(a: Vec4) -> Any:
    return a[0], a[1], a[2], a[3]


def turn_of(q: Vec4) -> Any:
    """What takes components of the turned frame to those of the frame it is turned against."""
    return turn_from_quat(four(q))
