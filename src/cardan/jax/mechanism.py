"""A mechanism between its ports and the recursion: what goes in, what comes out.

As `cardan.mechanism.plumbing` has it in native code, here over whole arrays: one expression for all ports of a kind.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from cardan.contracts.dynamics import Dynamics
from cardan.jax.loads import Loads
from cardan.jax.masses import BodyMass
from cardan.jax.numbers import MechanismNumbers
from cardan.jax.recursion import Found, Motion, Numbers, Recursion
from cardan.jax.rotors import Rotors
from cardan.jax.vectors import Array, cross, dot, product, quaternion_from_turn, transposed, turned, turned_back, unit
from cardan.mechanism import Mechanism
from cardan.mechanism.changing import Numbered
from cardan.mechanism.coordinates import LENGTH_TOLERANCE, Coordinates, Integrated, free_bodies
from cardan.mechanism.masses import ROUNDING
from cardan.mechanism.ports import MechanismPort, Role
from cardan.mechanism.support import connected_inputs
from cardan.mechanism.tree import BALL, FREE, Q_SIZE, V_SIZE
from cardan.messages.mechanism import PrescribedMotion
from cardan.scenario.placed import MechanismInput

Inputs = Mapping[str, Sequence[Any]]
"""For each input of a mechanism, by path, the messages that feed it."""


class Kinematics(NamedTuple):
    """All that follows from coordinates and velocities.

    Attributes:
        numbers: Of the mechanism, mass properties from messages among them.
        q: (nq,) Coordinates, prescribed ones among them.
        v: (nv,) Velocities.
        known: Which accelerations are known, and what they are; None if none can be.
        motion: Of the links.
        origin: (vehicles + 1, 6) Position and velocity of the vehicles' origins; the last is the world's.
        masses: Of those bodies whose mass properties a message gives.
        given: Numbers of the mechanism that are arguments.
    """

    numbers: Numbers
    q: Array
    v: Array
    known: tuple[Array, Array] | None
    motion: Motion
    origin: Array
    masses: dict[str, BodyMass]
    given: Mapping[str, Any]


class Moved(NamedTuple):
    """What follows from forces.

    Attributes:
        found: Accelerations, and what holds joints.
        wrench: (links, 6) What acts on each link: torque about the origin, and force.
    """

    found: Found
    wrench: Array


class JaxMechanism:
    """A mechanism with all that is connected to it.

    Args:
        mechanism: The mechanism.
        dynamics: Its service, of which the settings count.
        inputs: What acts on it, by path.
        integrated: Which coordinates the integrator moves.
        varied: Numbers of it that are arguments, by path.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        dynamics: Dynamics,
        inputs: Mapping[str, MechanismInput],
        integrated: Integrated,
        varied: Mapping[str, Numbered],
    ) -> None:
        self._mechanism, self._tree = mechanism, mechanism.tree
        self._lock_time = dynamics.lock_time_constant
        self._integrated = integrated
        connected = connected_inputs(inputs)
        self._ports = {path: fed.port for path, fed in inputs.items()}
        self._recursion = Recursion(mechanism.tree)
        self.numbers = MechanismNumbers(mechanism, self._recursion, connected.mass_properties, varied)
        self._rotors = Rotors(self._recursion, connected.mass_properties, varied)
        self._loads = Loads(mechanism, self._recursion, self.numbers, self._rotors.weight_on, connected.commanded)
        self._vehicle = np.where(self._recursion.order == 0, -1, self._tree.vehicle[self._recursion.order])
        self._find_quaternions()

    def _find_quaternions(self) -> None:
        """Where the quaternions of integrated joints lie among the integrated coordinates, and their velocities."""
        tree, q_at, v_at, q_from = self._tree, [], [], np.full(len(self._integrated.q), -1)
        for link, q, _ in self._integrated.links:
            kind, first = int(tree.kind[link]), 3 * int(tree.kind[link] == FREE)
            if kind in (FREE, BALL):
                q_at.append(q + first)
                v_at.append(tree.v_at[link] + first)
            straight = range({FREE: 3, BALL: 0}.get(kind, 1))
            q_from[[q + k for k in straight]] = [tree.v_at[link] + k for k in straight]
        four = np.arange(4)
        self._quaternions = np.array(q_at, np.int64).reshape(-1, 1) + four
        self._turn_rates = np.array(v_at, np.int64).reshape(-1, 1) + np.arange(3)
        # where the rate of each coordinate comes from: a velocity, or one of the rates of quaternions behind these
        q_from[self._quaternions.ravel()] = tree.nv + np.arange(self._quaternions.size)
        self._q_rate_from = q_from

    # ---- coordinates ---------------------------------------------------------------------------------------------

    def projected(self, coordinates: Coordinates) -> Coordinates:
        """With quaternions of unit length."""
        if not self._quaternions.size:
            return coordinates
        q = coordinates.q
        return Coordinates(q.at[self._quaternions].set(unit(q[self._quaternions])), coordinates.v)

    def rates(self, kinematics: Kinematics, moved: Moved) -> Coordinates:
        """Of the integrated coordinates."""
        q, v = kinematics.q, kinematics.v
        attitude = q[self._integrated.q][self._quaternions]
        a, b, c = jnp.moveaxis(v[self._turn_rates], -1, 0)
        w, x, y, z = jnp.moveaxis(attitude, -1, 0)
        turning = 0.5 * jnp.stack(
            (-x * a - y * b - z * c, w * a - z * b + y * c, z * a + w * b - x * c, -y * a + x * b + w * c), axis=-1
        )
        return Coordinates(
            jnp.concatenate((v, turning.ravel()))[self._q_rate_from], moved.found.v_dot[self._integrated.v]
        )

    # ---- the two services ----------------------------------------------------------------------------------------

    def kinematics(self, coordinates: Coordinates, inputs: Inputs, given: Mapping[str, Any]) -> Kinematics:
        """Frames of all links, from the integrated coordinates and what is prescribed."""
        tree = self._tree
        own = self.projected(coordinates)
        q = jnp.zeros(tree.nq).at[self._integrated.q].set(own.q)
        v = jnp.zeros(tree.nv).at[self._integrated.v].set(own.v)
        numbers, masses = self._with_mass_properties(self.numbers.numbers(given), inputs)
        q, v, known = self._held(q, v, inputs)
        motion = self._recursion.motion(numbers, q, v)
        origin = jnp.zeros((len(tree.roots) + 1, 6))
        for vehicle, root in enumerate(tree.roots):
            if tree.kind[root] == FREE:
                at, rate = int(tree.q_at[root]), int(tree.v_at[root])
                origin = origin.at[vehicle].set(jnp.concatenate((q[at : at + 3], v[rate : rate + 3])))
        return Kinematics(numbers, q, v, known, motion, origin, masses, given)

    def dynamics(self, kinematics: Kinematics, inputs: Inputs) -> Moved:
        """Accelerations from the loads at the ports."""
        numbers, q, v = kinematics.numbers, kinematics.q, kinematics.v
        wrench, felt, effort = self._loads.total(self._ports, inputs, kinematics)
        if self.numbers.has_dampers:
            effort = effort - numbers.damping * v
        if self.numbers.has_springs:
            scalar = [link for link in range(1, self._tree.links) if self._tree.kind[link] > BALL]
            q_at, v_at = self._tree.q_at[scalar], self._tree.v_at[scalar]
            effort = effort.at[v_at].add(-numbers.stiffness[v_at] * (q[q_at] - numbers.rest[q_at]))
        carried, motion = self._rotors.carried(numbers), kinematics.motion
        return Moved(self._recursion.accelerations(carried, motion, felt, effort, kinematics.known), wrench)

    def _held(self, q: Array, v: Array, inputs: Inputs) -> tuple[Array, Array, tuple[Array, Array] | None]:
        """Coordinates with prescribed motion put in, and which accelerations are known."""
        tree = self._tree
        is_known, known, holds = jnp.zeros(tree.nv, bool), jnp.zeros(tree.nv), False
        for path, messages in inputs.items():
            port = self._ports[path]
            if port.role is Role.PRESCRIBED:
                for joint, value, rate, acceleration in _prescribed(port, messages[0]):
                    link, holds = tree.joints.index(joint), True
                    kind, q_at, v_at = int(tree.kind[link]), int(tree.q_at[link]), int(tree.v_at[link])
                    freedoms = slice(v_at, v_at + V_SIZE[kind])
                    if kind == BALL:
                        value = _given_turn(value)
                    q = q.at[q_at : q_at + Q_SIZE[kind]].set(value)
                    v = v.at[freedoms].set(rate)
                    is_known, known = is_known.at[freedoms].set(True), known.at[freedoms].set(acceleration)
        for path, messages in inputs.items():
            port = self._ports[path]
            if port.role in (Role.LOCK, Role.LOCKS):
                holds = True
                links = [tree.joints.index(joint) for joint in port.elements]
                places, rates = tree.q_at[links], tree.v_at[links]
                flags, hold = (jnp.reshape(jnp.asarray(each), -1) for each in messages[0])
                tau, engaged = self._lock_time, flags != 0
                pulled = -(2.0 * v[rates] + (q[places] - hold) / tau) / tau
                is_known = is_known.at[rates].set(engaged)
                known = known.at[rates].set(jnp.where(engaged, pulled, 0.0))
        return q, v, (is_known, known) if holds else None

    def _with_mass_properties(self, numbers: Numbers, inputs: Inputs) -> tuple[Numbers, dict[str, BodyMass]]:
        """Links with the bodies whose mass properties are an input: two bodies become one."""
        masses: dict[str, BodyMass] = {}
        mass, com, inertia = numbers.mass, numbers.com, numbers.inertia
        for path, messages in inputs.items():
            port = self._ports[path]
            if port.role is not Role.MASS_PROPERTIES:
                continue
            added, r_CB_B, own = messages[0]
            body = port.elements[0]
            row, place, turn = self.numbers.frame(body, {}, {})
            mass, com, inertia = jnp.asarray(mass), jnp.asarray(com), jnp.asarray(inertia)
            # what no body has has no acceleration
            total = mass[row] + jnp.where((added >= 0.0) & _is_physical(own), added, jnp.nan)
            arm = place + turned(turn, r_CB_B) - com[row]
            spread = dot(arm, arm) * np.eye(3) - arm[:, None] * arm[None, :]
            joined = product(product(turn, own), transposed(turn)) + mass[row] * added / total * spread
            inertia, com = inertia.at[row].add(joined), com.at[row].add(added / total * arm)
            mass = mass.at[row].set(jnp.where(total > 0.0, total, jnp.nan))
            masses[body] = BodyMass(added, r_CB_B, own)
        return numbers._replace(mass=mass, com=com, inertia=inertia), masses

    # ---- output ports --------------------------------------------------------------------------------------------

    def publish(self, port: MechanismPort, kinematics: Kinematics, moved: Moved | None) -> Any:
        """The message of an output; `moved` is needed for those that follow from forces."""
        tree = self._tree
        if port.role in (Role.MOTION, Role.MATRIX):
            fields = self._frames([port.elements[0]], port, kinematics)
            return port.message(**{name: value[0] for name, value in fields.items()})
        if port.role in (Role.POSITIONS, Role.MOTIONS):
            suffix = ".com" if port.role is Role.POSITIONS else ""
            return port.message(**self._frames([f"{body}{suffix}" for body in port.elements], port, kinematics))
        if port.role is Role.QUATERNION:
            link = free_bodies(self._mechanism)[port.elements[0]]
            return port.message(kinematics.q[tree.q_at[link] + 3 :][:4])
        if port.role in (Role.STATE, Role.STATES):
            links = [tree.joints.index(joint) for joint in port.elements]
            q, v = kinematics.q[tree.q_at[links]], kinematics.v[tree.v_at[links]]
            if port.role is Role.STATES:
                return port.message(q, v)
            if tree.kind[links[0]] == BALL:
                return port.message(kinematics.q[tree.q_at[links[0]] :][:4], kinematics.v[tree.v_at[links[0]] :][:3])
            return port.message(q[0], v[0])
        if port.role is Role.MOMENTUM:
            return port.message(**self._momentum(int(tree.vehicle[tree.bodies[port.elements[0]].link]), kinematics))
        assert moved is not None
        if port.role is Role.HOLDING:
            return self._holding(port, moved.found)
        return self._reaction(port, kinematics, moved)

    def _frames(self, names: list[str], port: MechanismPort, kinematics: Kinematics) -> dict[str, Array]:
        """The fields of a message about frames, a row for each."""
        motion, wanted = kinematics.motion, port.message._fields
        poses = [self.numbers.frame(name, kinematics.given, kinematics.masses) for name in names]
        rows = np.array([pose.row for pose in poses])
        place = jnp.stack([jnp.asarray(pose.r) for pose in poses])
        turn, omega = motion.turn[rows], motion.omega[rows]
        arm, origin = turned(turn, place), kinematics.origin[self._vehicle[rows]]
        found = {}
        if "r_BN_N" in wanted:
            found["r_BN_N"] = origin[:, :3] + (motion.r[rows] + arm)
        if "v_BN_N" in wanted:
            found["v_BN_N"] = origin[:, 3:] + (motion.velocity[rows] + cross(omega, arm))
        if {"sigma_BN", "omega_BN_B", "dcm_BN"} & set(wanted):
            own = product(turn, jnp.stack([jnp.asarray(pose.turn) for pose in poses]))
        if "sigma_BN" in wanted:
            quat = quaternion_from_turn(own)
            sign = jnp.where(quat[:, :1] < 0.0, -1.0, 1.0)
            found["sigma_BN"] = quat[:, 1:] * (sign / (1.0 + sign * quat[:, :1]))
        if "omega_BN_B" in wanted:
            found["omega_BN_B"] = turned_back(own, omega)
        if "dcm_BN" in wanted:
            found["dcm_BN"] = transposed(own)
        return found

    def _momentum(self, vehicle: int, kinematics: Kinematics) -> dict[str, Array]:
        """A whole vehicle."""
        rows = np.flatnonzero(self._vehicle == vehicle)
        motion, numbers = kinematics.motion, kinematics.numbers
        T, w, mass = motion.turn[rows], motion.omega[rows], jnp.asarray(numbers.mass)[rows, None]
        arm = turned(T, jnp.asarray(numbers.com)[rows])
        place, moving = motion.r[rows] + arm, motion.velocity[rows] + cross(w, arm)
        total = jnp.sum(mass)
        centre, speed = jnp.sum(mass * place, axis=0) / total, jnp.sum(mass * moving, axis=0) / total
        arm, relative = place - centre, moving - speed
        own = product(product(T, jnp.asarray(numbers.inertia)[rows]), transposed(T))
        spin = turned(own, w)
        spread = dot(arm, arm)[:, None, None] * np.eye(3) - arm[:, :, None] * arm[:, None, :]
        origin = kinematics.origin[vehicle]
        return {
            "mass": total,
            "r_CN_N": origin[:3] + centre,
            "v_CN_N": origin[3:] + speed,
            "inertia_C_N": jnp.sum(own + mass[:, :, None] * spread, axis=0),
            "momentum_C_N": jnp.sum(spin + mass * cross(arm, relative), axis=0),
            "kinetic_energy": 0.5 * jnp.sum(w * spin + mass * relative * relative),
        }

    def _holding(self, port: MechanismPort, found: Found) -> Any:
        """What holds joints, in the order of their freedoms."""
        tree = self._tree
        links = [tree.joints.index(joint) for joint in port.elements]
        at = [int(tree.v_at[link]) + k for link in links for k in range(V_SIZE[int(tree.kind[link])])]
        efforts, values, start = found.holding[np.array(at)], [], 0
        for field in port.declaration.block.fields:
            words = field.words
            values.append(efforts[start : start + words].reshape(field.shape))
            start += words
        return port.message(*values)

    def _reaction(self, port: MechanismPort, kinematics: Kinematics, moved: Moved) -> Any:
        """Force and torque at the joint, in the components of the child."""
        link, row = self._tree.joints.index(port.elements[0]), self._recursion.row
        through = self._recursion.reactions(kinematics.numbers, kinematics.motion, moved.wrench, moved.found)[row[link]]
        turn = kinematics.motion.turn[row[self._tree.body_link[link]]]
        torque = through[:3] - cross(kinematics.motion.anchor[row[link]], through[3:])
        return port.message(force_B=turned_back(turn, through[3:]), torque_B=turned_back(turn, torque))


def _prescribed(port: MechanismPort, message: Any) -> list[tuple[str, Any, Any, Any]]:
    """Joints with value, rate and acceleration; a carriage has these for its slides, and then for its turn."""
    if port.message is not PrescribedMotion:
        return [(port.elements[0], *message)]
    slides = [(joint, *(message[k][i] for k in range(3))) for i, joint in enumerate(port.elements[:3])]
    return [*slides, (port.elements[3], *message[3:6])]


def _given_turn(q: Array) -> Array:
    """A quaternion of unit length but for rounding; any other is not a number."""
    length = jnp.sqrt(dot(q, q))
    return jnp.where(jnp.abs(length - 1.0) <= LENGTH_TOLERANCE, unit(q), jnp.nan)


def _is_physical(inertia: Array) -> Array:
    """Whether no principal moment exceeds the sum of the others (`plumbing.mass_properties.is_physical`)."""
    trace = jnp.trace(inertia)
    room, half = ROUNDING * trace, 0.5 * trace
    x, y, z = (half - inertia[i, i] for i in range(3))
    a, b, c = -inertia[0, 1], -inertia[0, 2], -inertia[1, 2]
    skew = jnp.max(jnp.abs(inertia - inertia.T))
    minors = jnp.min(jnp.stack((x * y - a * a, x * z - b * b, y * z - c * c)))
    determinant = x * (y * z - c * c) - a * (a * z - b * c) + b * (a * c - b * y)
    least = jnp.min(jnp.stack((x, y, z)))
    is_positive = (minors >= -room * trace) & (determinant >= -room * trace * trace)
    return (skew <= room) & (least >= -room) & is_positive
