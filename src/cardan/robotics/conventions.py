"""Base rates as others write them, and as we do: the one place where they meet.

Ours is the paper's: u_0 = [omega_0 in the base's axes; r_0' in inertial axes], with r_0 the origin of the base's body
frame, and u = [u_0; u_m]. Efforts go with it: tau_0 = [torque about r_0, base axes; force, inertial axes]. R_0 takes
components of the base to inertial ones.

| who | angular velocity | velocity | of which point | order |
|---|---|---|---|---|
| Cardan's robots, the paper | base axes | inertial axes | base frame | angular, linear, joints |
| mechanisms, `Calculator`, MuJoCo | base axes | inertial axes | base frame | linear, angular, joints |
| Pinocchio (free flyer) | base axes | base axes | base frame | linear, angular, joints |
| SPART's code | base axes | inertial axes | base's centre of mass | angular, linear, joints |
| twist t_0 | inertial axes | inertial axes | base frame | angular, linear |

Rates, their derivatives and efforts of joints are the same everywhere. A derivative differs where the axes turn:
Pinocchio's base acceleration is the derivative of body components.
"""

import numpy as np

from cardan.maths import Mat3, Vec, Vec3, cross


def u_from_v(v: Vec) -> Vec:
    """Rates, accelerations or efforts of a robot with a free base from those of a mechanism (MuJoCo)."""
    return np.concatenate([v[3:6], v[0:3], v[6:]])


def v_from_u(u: Vec) -> Vec:
    """Rates, accelerations or efforts of a mechanism (MuJoCo) from those of a robot with a free base."""
    return np.concatenate([u[3:6], u[0:3], u[6:]])


def u_from_pinocchio(v: Vec, R_0: Mat3) -> Vec:
    """Rates, or efforts, from those of a Pinocchio model whose first joint is a free flyer."""
    return np.concatenate([v[3:6], R_0 @ v[0:3], v[6:]])


def pinocchio_from_u(u: Vec, R_0: Mat3) -> Vec:
    """Rates, or efforts, of a Pinocchio model whose first joint is a free flyer."""
    return np.concatenate([R_0.T @ u[3:6], u[0:3], u[6:]])


def u_dot_from_pinocchio(a: Vec, v: Vec, R_0: Mat3) -> Vec:
    """Accelerations from those of Pinocchio, with its rates `v`: r_0'' = R_0 (a + omega x v)."""
    return np.concatenate([a[3:6], R_0 @ (a[0:3] + cross(v[3:6], v[0:3])), a[6:]])


def pinocchio_from_u_dot(u_dot: Vec, u: Vec, R_0: Mat3) -> Vec:
    """Accelerations of Pinocchio: a = RT r_0'' - omega x RT r_0'."""
    return np.concatenate([R_0.T @ u_dot[3:6] - cross(u[0:3], R_0.T @ u[3:6]), u_dot[0:3], u_dot[6:]])


def twist_from_u(u: Vec, R_0: Mat3) -> Vec:
    """t_0 = [omega_0; r_0'], both in inertial axes, of the base's frame."""
    return np.concatenate([R_0 @ u[0:3], u[3:6]])


def u_at_point(u: Vec, R_0: Mat3, r_PB_B: Vec3) -> Vec:
    """Rates whose base velocity is that of another point of the base, such as its centre of mass (SPART).

    Args:
        u: Rates with the velocity of the base's frame.
        R_0: Takes components of the base to inertial ones.
        r_PB_B: [m] The point relative to the base's frame, in components of the base.
    """
    return np.concatenate([u[0:3], u[3:6] + R_0 @ cross(u[0:3], r_PB_B), u[6:]])


def u_dot_at_point(u_dot: Vec, u: Vec, R_0: Mat3, r_PB_B: Vec3) -> Vec:
    """Accelerations whose base part is that of another point of the base; `u` are the rates."""
    swing_B = cross(u_dot[0:3], r_PB_B) + cross(u[0:3], cross(u[0:3], r_PB_B))
    return np.concatenate([u_dot[0:3], u_dot[3:6] + R_0 @ swing_B, u_dot[6:]])


def effort_at_point(tau: Vec, R_0: Mat3, r_PB_B: Vec3) -> Vec:
    """Efforts whose base torque is about another point of the base, in place of the base's frame."""
    return np.concatenate([tau[0:3] - cross(r_PB_B, R_0.T @ tau[3:6]), tau[3:6], tau[6:]])
