"""`State`: a robot at one set of coordinates and rates, and all that follows from them."""

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cardan.maths import IDENTITY3, Mat3, Vec, Vec3, Vec6, tilde
from cardan.mechanism.ports import FrameElement
from cardan.robotics import calls, inertia, kinematics
from cardan.robotics.bases import check_base
from cardan.robotics.calls import native
from cardan.robotics.frames import RobotFrame
from cardan.robotics.kinematics import R_, TURN_, WIDTH
from cardan.robotics.packing import ANCHOR_PARENT, COM, INERTIA, MASS, PARENT, U_AT

if TYPE_CHECKING:
    from cardan.robotics.robot import Robot, Wrenches

WhichFrame = str | FrameElement | RobotFrame
Matrix = np.ndarray


class Pose(NamedTuple):
    """Where a frame is.

    Attributes:
        r_N: [m] Position, in inertial components.
        R: [-] Takes components of the frame to inertial ones.
    """

    r_N: Vec3
    R: Mat3


class Jacobians(NamedTuple):
    """Of one frame: its twist is J_0 u_0 + J_m u_m. Eq. (28) of the paper.

    Attributes:
        J_0: (6, n_0) Of the base.
        J_m: (6, n_m) Of the joints.
    """

    J_0: Matrix
    J_m: Matrix


class Blocks(NamedTuple):
    """A matrix of all rates in four pieces. Eq. (44) of the paper.

    Attributes:
        base: (n_0, n_0)
        coupling: (n_0, n_m)
        transposed: (n_m, n_0) The transpose of the coupling for H, not for C.
        joints: (n_m, n_m)
    """

    base: Matrix
    coupling: Matrix
    transposed: Matrix
    joints: Matrix


class State:
    """A robot at one set of coordinates and rates. Made by `Robot.at`; all else is computed when it is asked for.

    Twists and wrenches are (angular, linear) in inertial axes, at the origin of the frame in question. Symbols and
    numbers of equations are those of the paper: Virgili-Llop, Drew and Romano 2016. Index 0 is the base, m the
    manipulators. All equations as they are computed: docs/theory/robotics.md.

    Attributes:
        robot: The robot.
        q: (nq,) Coordinates.
        u: (nu,) Rates.
    """

    def __init__(self, robot: "Robot", q: Vec, u: Vec) -> None:
        self.robot, self.q, self.u = robot, q, u
        self._m = robot.numbers

    # ---- the base ----------------------------------------------------------------------------------------------------

    @property
    def r_0(self) -> Vec3:
        """[m] Position of the base, in inertial components."""
        return self.q[:3].copy() if self.robot.n_0 else np.zeros(3)

    @cached_property
    def R_0(self) -> Mat3:
        """[-] Takes components of the base to inertial ones."""
        return self._places[0][0, TURN_ : TURN_ + 9].reshape(3, 3).copy()

    @property
    def u_0(self) -> Vec:
        """(n_0,) Rates of the base."""
        return self.u[: self.robot.n_0]

    @property
    def u_m(self) -> Vec:
        """(n_m,) Rates of the joints."""
        return self.u[self.robot.n_0 :]

    # ---- kinematics --------------------------------------------------------------------------------------------------

    def pose(self, frame: WhichFrame) -> Pose:
        """Position and attitude of a frame."""
        r, R = np.empty(3), np.empty((3, 3))
        native(kinematics.frame_pose)(self._m, self.q, self._frame(frame), r, R)
        return Pose(self.r_0 + r, R)

    def jacobian(self, frame: WhichFrame) -> Matrix:
        """(6, nu) J of a frame: its twist is J u."""
        J = np.empty((6, self.robot.nu))
        native(kinematics.jacobian)(self._m, self.q, self._frame(frame), J)
        return J

    def jacobians(self, frame: WhichFrame) -> Jacobians:
        """J_0 and J_m of a frame."""
        return Jacobians(*np.split(self.jacobian(frame), [self.robot.n_0], axis=1))

    def jacobian_rate(self, frame: WhichFrame) -> Matrix:
        """(6, nu) The time derivative of J at these rates."""
        J = np.empty((6, self.robot.nu))
        native(kinematics.jacobian_rate)(self._m, self.q, self.u, self._frame(frame), J)
        return J

    def jacobian_rates(self, frame: WhichFrame) -> Jacobians:
        """The time derivatives of J_0 and J_m."""
        return Jacobians(*np.split(self.jacobian_rate(frame), [self.robot.n_0], axis=1))

    def twist(self, frame: WhichFrame) -> Vec6:
        """(6,) t = [omega; r'] of a frame, in inertial axes."""
        return np.asarray(self.jacobian(frame) @ self.u)

    def acceleration(self, frame: WhichFrame, u_dot: Any) -> Vec6:
        """(6,) t' = J u' + J' u of a frame, in inertial axes, for accelerations `u_dot` (nu,)."""
        taken = self.robot.take("u_dot", u_dot, self.robot.nu)
        return np.asarray(self.jacobian(frame) @ taken + self.jacobian_rate(frame) @ self.u)

    def joint_axis(self, joint: str) -> tuple[Vec3, Vec3]:
        """Direction e and a point r of the axis of a hinge or slide, in inertial components."""
        k = self.robot.freedom(joint)
        link = 1 + self.robot.joints.index(joint)
        turns, columns = self._places
        S = columns[k]
        if not S[:3].any():
            return S[3:].copy(), self.r_0 + turns[link, R_ : R_ + 3]
        above = int(self.robot.records[link, PARENT])
        place = turns[above]
        at = self.robot.records[link, ANCHOR_PARENT : ANCHOR_PARENT + 3]
        return S[:3].copy(), self.r_0 + place[R_ : R_ + 3] + place[TURN_ : TURN_ + 9].reshape(3, 3) @ at

    def centre_of_mass(self, beyond: WhichFrame | None = None) -> Vec3:
        """[m] Of the whole robot; or of the link that a frame is on, with all that hangs on that link. Eq. (7)."""
        r, mass = np.empty((self.robot.links, 3)), np.empty(self.robot.links)
        native(kinematics.centres_of_mass)(self._m, self.q, r, mass)
        return np.asarray(self.r_0 + r[0 if beyond is None else self.robot.link_of(beyond)])

    # ---- the decoupled natural orthogonal complement -----------------------------------------------------------------

    @cached_property
    def N_l(self) -> Matrix:
        """(6 links, 6 links) Of blocks B_ij, which carry the twist of link j's centre of mass to link i's. Eq. (18)."""
        centres, links = self._link_centres, self.robot.links
        out = np.zeros((6 * links, 6 * links))
        for i in range(links):
            j = i
            while True:
                block = np.eye(6)
                block[3:, :3] = tilde(centres[j] - centres[i])
                out[6 * i : 6 * i + 6, 6 * j : 6 * j + 6] = block
                if j == 0:
                    break
                j = int(self.robot.records[j, PARENT])
        return out

    @cached_property
    def N_d(self) -> Matrix:
        """(6 links, nu) Of blocks P_0 and p_i, what each link's own rates add to its twist. Eq. (19)."""
        centres, (_, columns) = self._link_centres, self._places
        out = np.zeros((6 * self.robot.links, self.robot.nu))
        for k, S in enumerate(columns):
            link = self._link_of_freedom(k)
            out[6 * link : 6 * link + 6, k] = [*S[:3], *(S[3:] + np.cross(S[:3], centres[link]))]
        return out

    @cached_property
    def N(self) -> Matrix:
        """(6 links, nu) N = N_l N_d; the twists of the links' centres of mass are N u. Eqs. (16) and (17)."""
        return np.asarray(self.N_l @ self.N_d)

    @cached_property
    def N_dot(self) -> Matrix:
        """(6 links, nu) The time derivative of N at these rates."""
        out = np.zeros((6 * self.robot.links, self.robot.nu))
        J = np.empty((6, self.robot.nu))
        for link, record in enumerate(self.robot.records):
            frame = np.concatenate([[float(link)], record[COM : COM + 3], np.eye(3).ravel()])
            native(kinematics.jacobian_rate)(self._m, self.q, self.u, frame, J)
            out[6 * link : 6 * link + 6] = J
        return out

    @cached_property
    def M(self) -> Matrix:
        """(6 links, 6 links) Inertia and mass of every link, in inertial axes: H = NT M N. Eq. (30)."""
        turns, _ = self._places
        out = np.zeros((6 * self.robot.links,) * 2)
        for i in range(self.robot.links):
            record = self.robot.records[i]
            R = turns[i, TURN_ : TURN_ + 9].reshape(3, 3)
            own = np.zeros((3, 3))
            own[np.triu_indices(3)] = record[INERTIA : INERTIA + 6]
            own = own + np.triu(own, 1).T
            out[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = R @ own @ R.T
            out[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = record[MASS] * IDENTITY3
        return out

    # ---- inertia -----------------------------------------------------------------------------------------------------

    @cached_property
    def H(self) -> Matrix:
        """(nu, nu) Generalized inertia, armature of drives included. Eq. (39)."""
        return self.robot.inertia(self.q)

    @property
    def H_0(self) -> Matrix:
        """(n_0, n_0) Inertia of the whole robot as if its joints were locked."""
        return self._blocks(self.H).base

    @property
    def H_0m(self) -> Matrix:
        """(n_0, n_m) What the joints do to the base."""
        return self._blocks(self.H).coupling

    @property
    def H_m(self) -> Matrix:
        """(n_m, n_m) Inertia that the joints feel if the base is held."""
        return self._blocks(self.H).joints

    @cached_property
    def H_star(self) -> Matrix:
        """(n_m, n_m) Inertia that the joints of a floating base feel: H_m - H_0mT H_0^-1 H_0m."""
        return np.asarray(self.H_m - self.H_0m.T @ self._H_0_solve(self.H_0m))

    @cached_property
    def C(self) -> Matrix:
        """(nu, nu) Convective inertia: H u' + C u = tau, with H' - 2 C skew. Eq. (40); see `convective`."""
        return self.convective()

    def convective(self, share: float = 0.0) -> Matrix:
        """(nu, nu) One of the matrices C with H' - 2 C skew and the same C u.

        Args:
            share: Of the trace of each body's inertia, taken out of its gyroscopic matrix. 0 gives the paper's C; 1/2
                that of Christoffel symbols, which does not depend on how a link is made of bodies.
        """
        C = np.empty((self.robot.nu, self.robot.nu))
        native(inertia.convective_matrix)(self._m, self.q, self.u, share, C)
        return C

    @property
    def C_blocks(self) -> Blocks:
        """C_0, C_0m, C_m0, C_m."""
        return self._blocks(self.C)

    @property
    def H_blocks(self) -> Blocks:
        """H_0, H_0m, its transpose, H_m."""
        return self._blocks(self.H)

    # ---- momentum ----------------------------------------------------------------------------------------------------

    @property
    def momentum_matrix(self) -> Matrix:
        """(6, nu) [H_0, H_0m]."""
        self.robot.need_free_base("a momentum that could be kept")
        return np.hstack([self.H_0, self.H_0m])

    @property
    def momentum(self) -> Vec6:
        """(6,) H_0 u_0 + H_0m u_m: angular about the base's origin, in its axes; linear, in inertial axes."""
        return np.asarray(self.momentum_matrix @ self.u)

    def momentum_about(self, r_N: Any) -> Vec6:
        """(6,) Angular momentum about a point at rest [N m s], and linear momentum [N s], in inertial axes."""
        angular, linear = self.R_0 @ self.momentum[:3], self.momentum[3:]
        point = self.robot.take("r_N", r_N, 3)
        return np.concatenate([angular + np.cross(self.r_0 - point, linear), linear])

    @property
    def kinetic_energy(self) -> float:
        """[J] 1/2 uT H u, of drives too."""
        return float(0.5 * self.u @ self.H @ self.u)

    # ---- dynamics ----------------------------------------------------------------------------------------------------

    def forward_dynamics(self, tau: Any, wrenches: "Wrenches | None" = None) -> Vec:
        """(nu,) Accelerations; see `Robot.forward_dynamics`."""
        return self.robot.forward_dynamics(self.q, self.u, tau, wrenches)

    def inverse_dynamics(self, u_dot: Any, wrenches: "Wrenches | None" = None) -> Vec:
        """(nu,) Efforts; see `Robot.inverse_dynamics`."""
        return self.robot.inverse_dynamics(self.q, self.u, u_dot, wrenches)

    def floating_dynamics(self, u_m_dot: Any, wrenches: "Wrenches | None" = None, tau_0: Any = None) -> tuple[Vec, Vec]:
        """Efforts of joints and acceleration of the base; see `Robot.floating_dynamics`."""
        return self.robot.floating_dynamics(self.q, self.u, u_m_dot, wrenches, tau_0)

    # ---- operational space -------------------------------------------------------------------------------------------

    def generalized_jacobian(self, frame: WhichFrame) -> Matrix:
        """(6, n_m) J* = J_m - J_0 H_0^-1 H_0m: twist of a frame of a floating base without momentum is J* u_m."""
        self.robot.need_free_base("a generalized Jacobian")
        J_0, J_m = self.jacobians(frame)
        return np.asarray(J_m - J_0 @ self._H_0_solve(self.H_0m))

    @property
    def reaction_matrix(self) -> Matrix:
        """(6, n_m) - H_0^-1 H_0m: rates of a floating base without momentum, per rate of the joints."""
        self.robot.need_free_base("a reaction")
        return np.asarray(-self._H_0_solve(self.H_0m))

    def floating_base_rate(self, u_m: Any, momentum: Any = None) -> Vec6:
        """(6,) u_0 = H_0^-1 (momentum - H_0m u_m) of a floating base whose momentum (6,) is kept, zero if left out."""
        taken = self.robot.take("u_m", u_m, self.robot.n_m)
        kept = np.zeros(6) if momentum is None else self.robot.take("momentum", momentum, 6)
        return np.asarray(self._H_0_solve(kept) + self.reaction_matrix @ taken)

    def operational_inertia(self, frame: WhichFrame, base: str = "flying") -> Matrix:
        """(6, 6) Inertia felt at a frame, the (pseudo-)inverse of `mobility`."""
        return np.linalg.pinv(self.mobility(frame, base), rcond=1e-12, hermitian=True)

    def mobility(self, frame: WhichFrame, base: str = "flying") -> Matrix:
        """(6, 6) Acceleration of a frame per wrench at it.

        Args:
            frame: The frame.
            base: "flying": J H^-1 JT, base and joints answer. "floating": J* H*^-1 J*T, what joints can answer without
                changing the momentum. "fixed": J_m H_m^-1 J_mT, the base is held.
        """
        check_base(base)
        if base == "flying":
            J, H = self.jacobian(frame), self.H
        elif base == "floating":
            J, H = self.generalized_jacobian(frame), self.H_star
        else:
            J, H = self.jacobians(frame).J_m, self.H_m
        return np.asarray(J @ np.linalg.solve(H, J.T))

    # ---- within ------------------------------------------------------------------------------------------------------

    def _frame(self, frame: WhichFrame) -> Vec:
        return np.array(self.robot.frame(frame).numbers)

    def _blocks(self, matrix: Matrix) -> Blocks:
        n = self.robot.n_0
        return Blocks(matrix[:n, :n], matrix[:n, n:], matrix[n:, :n], matrix[n:, n:])

    def _H_0_solve(self, right: Matrix) -> Matrix:
        return np.linalg.solve(self.H_0, right)

    @cached_property
    def _places(self) -> tuple[Matrix, Matrix]:
        w, s = np.empty((self.robot.links, WIDTH)), np.empty((self.robot.nu, 6))
        native(calls.all_places)(self._m, self.q, w, s)
        return w, s

    @cached_property
    def _link_centres(self) -> Matrix:
        """(links, 3) Centres of mass of the links, relative to the base's origin."""
        turns, _ = self._places
        coms = self.robot.records[:, COM : COM + 3]
        return np.array(
            [
                place[R_ : R_ + 3] + place[TURN_ : TURN_ + 9].reshape(3, 3) @ com
                for place, com in zip(turns, coms, strict=True)
            ]
        )

    def _link_of_freedom(self, k: int) -> int:
        if k < self.robot.n_0:
            return 0
        starts = self.robot.records[1:, U_AT]
        return int(np.searchsorted(starts, k, side="right"))
