"""What acts on the links and joints of a mechanism: the inputs that sum, and the motors of its file."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from cardan.jax.numbers import MechanismNumbers, Pose
from cardan.jax.recursion import Recursion
from cardan.jax.vectors import Array, cross, product, transposed, turned
from cardan.mechanism import Mechanism
from cardan.mechanism.motors import effort_range
from cardan.mechanism.plumbing.lookup import Lookup
from cardan.mechanism.plumbing.motors import MotorRow, driven_actuators, motor_rows
from cardan.mechanism.ports import MechanismPort, Role
from cardan.mechanism.tree import V_SIZE

if TYPE_CHECKING:
    from cardan.jax.mechanism import Inputs, Kinematics


_SYMMETRIC = np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])


class Acting(NamedTuple):
    """Forces at places in links, and torques.

    Attributes:
        rows: (n,) The links.
        place: (n, 3) [m] In the link's components.
        force: (n, 3) [N] In inertial components.
        torque: (n, 3) [N m] In inertial components.
        is_weight: Whether it is gravity.
    """

    rows: np.ndarray
    place: Array
    force: Array
    torque: Array
    is_weight: bool = False


class Loading(NamedTuple):
    """The sums of all that acts.

    Attributes:
        wrench: (links, 6) Torque about the origin and force on each link.
        felt: (links, 6) The same with the weight of rotors on what carries them.
        effort: (nv,) Along the freedoms.
    """

    wrench: Array
    felt: Array
    effort: Array


class Loads:
    """The sums of all that acts.

    Args:
        mechanism: The mechanism.
        recursion: Over its tree.
        numbers: Of the mechanism.
        weight_on: (links,) The row on which the weight of each row acts.
        commanded: The actuators that have a command.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        recursion: Recursion,
        numbers: MechanismNumbers,
        weight_on: np.ndarray,
        commanded: frozenset[str],
    ) -> None:
        self._mechanism, self._tree = mechanism, mechanism.tree
        self._recursion, self._numbers, self._weight_on = recursion, numbers, weight_on
        self._driven = driven_actuators(mechanism, commanded)
        self._motors: list[MotorRow] = list(motor_rows(Lookup(mechanism, motors=self._driven)))
        self._ranges = effort_range(mechanism.model)

    def total(self, ports: Mapping[str, MechanismPort], inputs: "Inputs", kinematics: "Kinematics") -> Loading:
        """The sums of what comes in through ports."""
        effort = jnp.zeros(self._tree.nv)
        acting: list[Acting] = []
        commands: list[Any] = [0.0] * len(self._driven)
        for path, messages in inputs.items():
            port = ports[path]
            for message in messages:
                if port.role in (Role.EFFORT, Role.EFFORTS):
                    at = np.array([v for joint in port.elements for v in self._velocities(joint)])
                    effort = effort.at[at].add(jnp.reshape(jnp.asarray(message[0]), -1))
                elif port.role in (Role.WRENCH, Role.WRENCH_N, Role.TORQUE, Role.FORCE_N):
                    acting.append(self._wrench(port, message, kinematics))
                elif port.role is Role.FORCES_N:
                    poses = [self._pose(f"{body}.com", kinematics) for body in port.elements]
                    rows, places = np.array([pose.row for pose in poses]), _stacked([pose.r for pose in poses])
                    acting.append(Acting(rows, places, message[0], jnp.zeros_like(message[0])))
                elif port.role is Role.GRAVITY:
                    acting += self._gravity(port, message, kinematics)
                elif port.role is Role.COMMAND:
                    number = self._driven.index(self._mechanism.model.actuator(port.elements[0]).id)
                    commands[number] = commands[number] + message[0]
        if self._motors:
            effort, pushing = self._drive(effort, commands, kinematics)
            acting += pushing
        return Loading(*self._wrenches(acting, kinematics), effort)

    def _wrenches(self, acting: list[Acting], kinematics: "Kinematics") -> tuple[Array, Array]:
        """(links, 6) The wrenches of all that acts, summed: on each link, and as they are felt."""
        none, motion = jnp.zeros((self._tree.links, 6)), kinematics.motion
        if not acting:
            return none, none
        rows = np.concatenate([each.rows for each in acting])
        onto = np.concatenate([self._weight_on[each.rows] if each.is_weight else each.rows for each in acting])
        place, force, torque = (jnp.concatenate([each[k] for each in acting]) for k in (1, 2, 3))
        arm = motion.r[rows] + turned(motion.turn[rows], place)
        wrenches = jnp.concatenate((torque + cross(arm, force), force), axis=-1)
        own, felt = (none.at[which].add(wrenches).at[0].set(0.0) for which in (rows, onto))
        return own, felt

    def _pose(self, name: str, kinematics: "Kinematics") -> Pose:
        return self._numbers.frame(name, kinematics.given, kinematics.masses)

    def _wrench(self, port: MechanismPort, message: Any, kinematics: "Kinematics") -> Acting:
        pose = self._pose(port.elements[0], kinematics)
        first, last = jnp.asarray(message[0]), jnp.asarray(message[-1])
        force = jnp.zeros(3) if port.role is Role.TORQUE else first
        torque = jnp.zeros(3) if port.role is Role.FORCE_N else last
        if port.role in (Role.WRENCH, Role.TORQUE):
            return _in_frame(pose, force, torque, kinematics)
        return Acting(np.array([pose.row]), jnp.asarray(pose.r)[None], force[None], torque[None])

    def _gravity(self, port: MechanismPort, message: Any, kinematics: "Kinematics") -> list[Acting]:
        """Forces at centres of mass, and the torques of gradients (`plumbing.gravity`, Eqs. (1))."""
        which = [i for i, body in enumerate(port.elements) if body in self._tree.body_mass]
        if not which:
            return []
        bodies = [port.elements[i] for i in which]
        own = [kinematics.masses.get(b) or self._numbers.body(b, kinematics.given) for b in bodies]
        poses = [self._pose(f"{body}.com", kinematics) for body in bodies]
        rows = np.array([pose.row for pose in poses])
        turn = product(kinematics.motion.turn[rows], np.stack([self._numbers.frame(b, {}, {}).turn for b in bodies]))
        inertia = product(product(turn, _stacked([each.inertia_C_B for each in own])), transposed(turn))
        G = message.gradient_N[np.array(which)][:, _SYMMETRIC]
        H = product(G, inertia)
        torque = jnp.stack((H[:, 1, 2] - H[:, 2, 1], H[:, 2, 0] - H[:, 0, 2], H[:, 0, 1] - H[:, 1, 0]), axis=-1)
        force = _stacked([each.mass for each in own])[:, None] * message.g_N[np.array(which)]
        return [Acting(rows, _stacked([pose.r for pose in poses]), force, torque, is_weight=True)]

    def _drive(self, effort: Array, commands: list[Any], kinematics: "Kinematics") -> tuple[Array, list[Acting]]:
        """Motors and servos of the file: along joints, within their limits, and at sites."""
        along, pushing = jnp.zeros(self._tree.nv), []
        model = self._mechanism.model
        for motor in self._motors:
            command = jnp.clip(commands[motor.number], motor.least_command, motor.largest_command)
            force = motor.gain * command + motor.bias
            if motor.is_on_site:
                force = jnp.clip(force, motor.least_force, motor.largest_force)
                pose = self._numbers.site(int(model.actuator_trnid[self._driven[motor.number], 0]), kinematics.given)
                pushing.append(_in_frame(pose, motor.gear[:3] * force, motor.gear[3:] * force, kinematics))
                continue
            if motor.freedoms == 1:
                length, rate = motor.gear[0] * kinematics.q[motor.place], motor.gear[0] * kinematics.v[motor.velocity]
                force = force + motor.bias_length * length + motor.bias_rate * rate
            force = jnp.clip(force, motor.least_force, motor.largest_force)
            freedoms = slice(motor.velocity, motor.velocity + motor.freedoms)
            along = along.at[freedoms].add(motor.gear[: motor.freedoms] * force)
        return effort + jnp.clip(along, self._ranges[:, 0], self._ranges[:, 1]), pushing

    def _velocities(self, joint: str) -> range:
        link = self._tree.joints.index(joint)
        first = int(self._tree.v_at[link])
        return range(first, first + V_SIZE[int(self._tree.kind[link])])


def _in_frame(pose: Pose, force: Array, torque: Array, kinematics: "Kinematics") -> Acting:
    """What acts at a frame in its own components."""
    turn = product(kinematics.motion.turn[pose.row], jnp.asarray(pose.turn))
    return Acting(
        np.array([pose.row]), jnp.asarray(pose.r)[None], turned(turn, force)[None], turned(turn, torque)[None]
    )


def _stacked(rows: list[Any]) -> Array:
    return jnp.stack([jnp.asarray(row) for row in rows])
