"""`Robot`: one vehicle of a mechanism as space robotics sees it, a base and manipulators."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import MechanismError, ShapeError, UnknownName, did_you_mean
from cardan.maths import Vec
from cardan.mechanism import Mechanism
from cardan.mechanism.coordinates import check_quaternions, quaternions_in
from cardan.mechanism.ports import FrameElement, HingeGroup
from cardan.mechanism.tree import FREE, HINGE, V_SIZE
from cardan.robotics import calls, derivatives, recursion
from cardan.robotics.calls import native, short
from cardan.robotics.frames import RobotFrame, find_frame
from cardan.robotics.packing import HEADER, IS_FREE, MASS, NQ, NU, Q_AT, RECORD, pack
from cardan.robotics.state import State


class DynamicsDerivatives(NamedTuple):
    """Accelerations of a robot, and how they change.

    Attributes:
        u_dot: (nu,) Accelerations.
        by_q: (nu, nu) Per change of the coordinates, in the order of the rates.
        by_u: (nu, nu) Per change of the rates.
        by_tau: (nu, nu) Per change of the efforts: the inverse of H.
    """

    u_dot: Vec
    by_q: np.ndarray
    by_u: np.ndarray
    by_tau: np.ndarray


Wrenches = Mapping[str | FrameElement, Any]


class Robot:
    """A base and the tree of links that hangs on it.

    Coordinates `q` are those of the mechanism: r_0 and the quaternion of a free base, then the joints. Rates `u` are
    the paper's: omega_0 in the base's axes, r_0' in inertial axes, then the joints. `cardan.robotics.conventions` says
    how both relate to what others use.

    Args:
        mechanism: The mechanism; compiled here, so that it cannot be built further.
        base: A body of the vehicle, where the mechanism has several.

    Attributes:
        numbers: All of it as one row of numbers, as tasks take it.
        nq: How many coordinates there are.
        nu: How many rates there are.
        n_0: How many of them are the base's: 6, or 0 where the vehicle hangs on the world.
        n_m: How many are those of joints.
        joints: The names of the joints, in the order of their rates.
        mass: [kg] Of all that moves.
    """

    def __init__(self, mechanism: Mechanism, *, base: str | FrameElement | None = None) -> None:
        self.mechanism = mechanism
        tree = mechanism.tree
        vehicle = self._find_vehicle(base)
        links = [int(link) for link in range(1, tree.links) if tree.vehicle[link] == vehicle]
        if tree.kind[links[0]] != FREE:
            links.insert(0, 0)
        elif tree.armature[tree.v_at[links[0]] :][:6].any():
            raise MechanismError(
                f"`{tree.joints[links[0]]}` is a free joint with armature, which no body has.\n  Leave it out."
            )
        self._number = {link: i for i, link in enumerate(links)}
        memory = calls.with_room(pack(tree, links))
        self.numbers: Vec = calls.numbers_in(memory)
        self.nq, self.nu = int(self.numbers[NQ]), int(self.numbers[NU])
        self.n_0 = 6 if self.numbers[IS_FREE] else 0
        self.n_m = self.nu - self.n_0
        self._square = (self.nu, self.nu)
        self._address = int(memory.ctypes.data)  # the shortest way to say where it is
        self.links = len(links)
        self.records = self.numbers[HEADER : HEADER + RECORD * self.links].reshape(-1, RECORD)
        self.joints = tuple(tree.joints[link] for link in links[1:])
        self.mass = float(self.records[:, MASS].sum())
        self.q_slice = slice(int(tree.q_at[links[self.n_0 == 0]]), int(tree.q_at[links[self.n_0 == 0]]) + self.nq)
        self.v_slice = slice(int(tree.v_at[links[self.n_0 == 0]]), int(tree.v_at[links[self.n_0 == 0]]) + self.nu)
        self._quaternions = quaternions_in(tree, self.q_slice)
        # the names of single freedoms: a ball joint has three
        kinds = [int(tree.kind[link]) for link in links[1:]]
        self.freedom_of = tuple(
            name for name, kind in zip(self.joints, kinds, strict=True) for _ in range(V_SIZE[kind])
        )

    def _find_vehicle(self, base: str | FrameElement | None) -> int:
        tree = self.mechanism.tree
        roots = [tree.joints[root] for root in tree.roots]
        if not roots:
            raise MechanismError(
                f"`{self.mechanism.name}` has no joints.\n  A robot needs a base that moves, or an arm."
            )
        if base is None:
            if len(roots) > 1:
                raise MechanismError(
                    f"`{self.mechanism.name}` has several vehicles, at the joints {', '.join(roots)}.\n"
                    "  Name a body of the one that is meant: Robot(mechanism, base=...)."
                )
            return 0
        name = base if isinstance(base, str) else base.name
        if name not in tree.bodies:
            raise UnknownName(f"There is no body `{name}`.{did_you_mean(name, tree.bodies)}")
        link = tree.bodies[name].link
        if link == 0:
            raise MechanismError(f"`{name}` is fixed to the world.\n  Name a body that moves.")
        return int(tree.vehicle[link])

    def __repr__(self) -> str:
        kind = "a free base" if self.n_0 else "a fixed base"
        return f"<robot {self.mechanism.name}: {kind}, {self.n_m} joint freedoms, {self.mass:g} kg>"

    # ---- states and frames -------------------------------------------------------------------------------------------

    def at(self, q: Any, u: Any = None) -> State:
        """The robot at coordinates `q` (nq,) and rates `u` (nu,), at rest if they are left out."""
        return State(self, self._coordinates(q), self.take("u", np.zeros(self.nu) if u is None else u, self.nu))

    @property
    def drawn(self) -> Vec:
        """(nq,) Coordinates at which the file draws the robot."""
        return np.array(self.mechanism.tree.reference[self.q_slice])

    def frame(self, frame: "str | FrameElement | RobotFrame") -> RobotFrame:
        """A frame by name: a body, its centre of mass (`name.com`), or a site."""
        if isinstance(frame, RobotFrame):
            return frame
        name = frame if isinstance(frame, str) else frame.part
        if name not in self._frames:
            self._frames[name] = find_frame(self.mechanism.tree, self._number, name)
        return self._frames[name]

    @cached_property
    def _frames(self) -> dict[str, RobotFrame]:
        return {}

    def link_of(self, frame: "str | FrameElement | RobotFrame") -> int:
        """The number of the link that a frame is on; the base is 0."""
        return int(self.frame(frame).numbers[0])

    def freedom(self, joint: str) -> int:
        """The index of a joint's (first) rate in `u`."""
        if joint not in self.freedom_of:
            raise UnknownName(
                f"The robot has no joint `{joint}`.{did_you_mean(joint, self.joints)}\n"
                f"  joints: {', '.join(self.joints)}"
            )
        return self.n_0 + self.freedom_of.index(joint)

    def coordinate(self, joint: str) -> int:
        """The index of a joint's (first) coordinate in `q`."""
        self.freedom(joint)
        return int(self.records[1 + self.joints.index(joint), Q_AT])

    def hinges(self, name: str) -> HingeGroup:
        """All joints as one group of a scenario, as tasks read and drive them; every joint has to be a hinge."""
        others = [joint for joint in self.joints if self.mechanism.joints[joint].kind != HINGE]
        if others:
            raise MechanismError(
                f"`{others[0]}` is not a hinge, so the robot's joints are no group of hinges.\n"
                "  Tasks of robots know hinges only; the functions of `cardan.robotics.control` know all."
            )
        return self.mechanism.group_of_hinges(name, *self.joints)

    def take(self, name: str, value: Any, size: int) -> Vec:
        """`value` as a row of `size` numbers, or an error that names it."""
        array: Vec = np.array(value, dtype=np.float64, order="C")
        if array.shape != (size,):
            raise ShapeError(f"`{name}` has shape {array.shape}.\n  expected ({size},)")
        return array

    def _coordinates(self, q: Any) -> Vec:
        """`q` as a row of coordinates, of which quaternions are of unit length."""
        taken = self.take("q", q, self.nq)
        check_quaternions(self._quaternions, taken)
        return taken

    # ---- dynamics, in one native call each ---------------------------------------------------------------------------

    def inertia(self, q: Vec, out: np.ndarray | None = None) -> np.ndarray:
        """(nu, nu) The generalized inertia H at coordinates `q`, armature of drives included.

        Args:
            q: (nq,) Coordinates.
            out: (nu, nu) Where to write it; a new array if left out.
        """
        H = np.empty(self._square) if out is None else out
        if self._native_inertia(self._address, q, H) == 0:
            return H
        # not rows of floats: made such, or said below
        self._check_out(H, self._square)
        self._native_inertia(self._address, self._coordinates(q), H)
        return H

    def forward_dynamics(
        self, q: Vec, u: Vec, tau: Vec, wrenches: Wrenches | None = None, out: Vec | None = None
    ) -> Vec:
        """(nu,) Accelerations of a base and joints that efforts act on (flying base).

        Args:
            q: (nq,) Coordinates.
            u: (nu,) Rates.
            tau: (nu,) Efforts: torque on the base in its own axes and force in inertial axes, then along the joints.
            wrenches: Torque and force (6,) in inertial axes, at frames by name.
            out: (nu,) Where to write them; a new array if left out.
        """
        u_dot = np.empty(self.nu) if out is None else out
        if wrenches is None and self._native_forward(self._address, q, u, tau, u_dot) == 0:
            return u_dot
        self._check_out(u_dot, (self.nu,))
        q, u, tau = self._coordinates(q), self.take("u", u, self.nu), self.take("tau", tau, self.nu)
        native(recursion.forward_dynamics)(self.numbers, q, u, tau, self.link_wrenches(q, wrenches), u_dot)
        return u_dot

    def inverse_dynamics(
        self, q: Vec, u: Vec, u_dot: Vec, wrenches: Wrenches | None = None, out: Vec | None = None
    ) -> Vec:
        """(nu,) Efforts on base and joints that the accelerations `u_dot` (nu,) need beside `wrenches`."""
        tau = np.empty(self.nu) if out is None else out
        if wrenches is None and self._native_inverse(self._address, q, u, u_dot, tau) == 0:
            return tau
        self._check_out(tau, (self.nu,))
        q, u, u_dot = self._coordinates(q), self.take("u", u, self.nu), self.take("u_dot", u_dot, self.nu)
        native(recursion.inverse_dynamics)(self.numbers, q, u, u_dot, self.link_wrenches(q, wrenches), tau)
        return tau

    def dynamics_derivatives(self, q: Vec, u: Vec, tau: Vec) -> DynamicsDerivatives:
        """Accelerations of base and joints, and how they change with coordinates, rates and efforts.

        A change of q has as many numbers as u, in its order: a small turn about the base's axes [rad], a displacement
        in inertial axes [m], then the joints. docs/theory/robotics.md, Eq. (40).

        Args:
            q: (nq,) Coordinates.
            u: (nu,) Rates.
            tau: (nu,) Efforts, as for `forward_dynamics`.
        """
        q, u, tau = self._coordinates(q), self.take("u", u, self.nu), self.take("tau", tau, self.nu)
        found = DynamicsDerivatives(np.empty(self.nu), *(np.empty(self._square) for _ in range(3)))
        native(derivatives.forward_derivatives)(self.numbers, q, u, tau, *found)
        return found

    def inverse_dynamics_derivatives(self, q: Vec, u: Vec, u_dot: Vec) -> tuple[np.ndarray, np.ndarray]:
        """(nu, nu) twice: how the efforts of `inverse_dynamics` change with coordinates and with rates.

        With accelerations they change by H. What a change of q is, `dynamics_derivatives` says.
        """
        q, u, u_dot = self._coordinates(q), self.take("u", u, self.nu), self.take("u_dot", u_dot, self.nu)
        by_q, by_u = np.empty(self._square), np.empty(self._square)
        native(derivatives.inverse_derivatives)(self.numbers, q, u, u_dot, by_q, by_u)
        return by_q, by_u

    def _check_out(self, out: Any, shape: tuple[int, ...]) -> None:
        if not isinstance(out, np.ndarray):
            raise ShapeError(f"`out` is a {type(out).__name__}.\n  expected an array of float64 and of shape {shape}")
        if out.shape != shape or out.dtype != np.float64 or not out.flags.c_contiguous or not out.flags.writeable:
            raise ShapeError(
                f"`out` is an array of {out.dtype} and of shape {out.shape}.\n"
                f"  expected one of float64 and of shape {shape}, in one piece, that can be written to"
            )

    def floating_dynamics(
        self, q: Vec, u: Vec, u_m_dot: Vec, wrenches: Wrenches | None = None, tau_0: Any = None
    ) -> tuple[Vec, Vec]:
        """Efforts of joints and acceleration of a base that nothing pushes but the joints (floating base).

        Args:
            q: (nq,) Coordinates.
            u: (nu,) Rates.
            u_m_dot: (n_m,) Accelerations of the joints.
            wrenches: Torque and force (6,) in inertial axes, at frames by name.
            tau_0: (6,) What acts on the base; nothing if left out.

        Returns:
            tau_m (n_m,) and u_0_dot (6,).
        """
        self.need_free_base("a floating base")
        q, u = self._coordinates(q), self.take("u", u, self.nu)
        u_dot = np.concatenate([np.zeros(6), self.take("u_m_dot", u_m_dot, self.n_m)])
        tau = np.zeros(self.nu)
        tau[:6] = 0.0 if tau_0 is None else self.take("tau_0", tau_0, 6)
        native(recursion.floating_dynamics)(self.numbers, q, u, u_dot, self.link_wrenches(q, wrenches), tau)
        return tau[6:], u_dot[:6]

    def link_wrenches(self, q: Vec, wrenches: Wrenches | None) -> np.ndarray:
        """(links, 6) Torque about the base's origin and force on every link, in inertial axes; no rows without any."""
        if wrenches is None:
            return np.zeros((0, 6))
        total = np.zeros((self.links, 6))
        state = self.at(q)
        for where, wrench in wrenches.items():
            taken = self.take("wrench", wrench, 6)
            arm = state.pose(where).r_N - state.r_0
            total[self.link_of(where)] += [*(taken[:3] + np.cross(arm, taken[3:])), *taken[3:]]
        return total

    def need_free_base(self, what: str) -> None:
        """Refuse a robot on the world, for `what` only a base that flies has."""
        if not self.n_0:
            raise MechanismError(
                f"`{self.mechanism.name}` hangs on the world, so it has no {what.removeprefix('a ')}.\n"
                "  Give its root body a free joint."
            )

    @cached_property
    def _native_inertia(self) -> Any:
        return short(calls.call_inertia)

    @cached_property
    def _native_forward(self) -> Any:
        return short(calls.call_forward)

    @cached_property
    def _native_inverse(self) -> Any:
        return short(calls.call_inverse)
