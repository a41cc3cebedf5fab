"""The ports of a mechanism: what each of its elements says and hears."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from cardan.contracts.fields import Declaration
from cardan.contracts.message import message_declaration
from cardan.errors import UnknownName, did_you_mean
from cardan.mechanism.plumbing.kinds import DYNAMIC as DYNAMIC
from cardan.mechanism.plumbing.kinds import HOLDING_INPUTS as HOLDING_INPUTS
from cardan.mechanism.plumbing.kinds import KINEMATIC_INPUTS as KINEMATIC_INPUTS
from cardan.mechanism.plumbing.kinds import SUMMED as SUMMED
from cardan.mechanism.roles import Role as Role
from cardan.mechanism.tree import BALL, HINGE, SLIDE
from cardan.messages import mechanism as messages
from cardan.messages.effort import BodyTorque, Force, InertialForce
from cardan.messages.environment import GravityField

if TYPE_CHECKING:
    from cardan.mechanism.mechanism import Mechanism


@dataclass(frozen=True)
class MechanismPort:
    """A port of an element of a mechanism.

    Attributes:
        mechanism: The mechanism.
        part: The element's name in paths.
        name: The port's name.
        message: The class of message it carries.
        is_output: Whether it sends.
        role: What it is for.
        elements: The names of bodies, sites, joints or actuators behind it.
    """

    mechanism: "Mechanism"
    part: str
    name: str
    message: Any
    is_output: bool
    role: Role
    elements: tuple[str, ...]

    @property
    def path(self) -> str:
        return f"{self.part}.{self.name}"

    @property
    def declaration(self) -> Declaration:
        return message_declaration(self.message)

    @property
    def is_summed(self) -> bool:
        return self.role in SUMMED

    def __repr__(self) -> str:
        return f"<{'output' if self.is_output else 'input'} {self.path}: {self.message.__name__}>"


@dataclass(frozen=True)
class Element:
    """A named thing in a mechanism."""

    mechanism: "Mechanism"
    name: str

    @property
    def part(self) -> str:
        """What it is called in paths."""
        return self.name

    def _port(self, role: Role, message: Any, is_output: bool) -> MechanismPort:
        return MechanismPort(self.mechanism, self.part, role.value, message, is_output, role, (self.part,))


class FrameElement(Element):
    """Something that has a frame: it moves, and forces act on it."""

    @property
    def motion(self) -> MechanismPort:
        """Position, velocity, attitude and rate."""
        return self._port(Role.MOTION, messages.FrameMotion, True)

    @property
    def matrix(self) -> MechanismPort:
        """Attitude as a matrix."""
        return self._port(Role.MATRIX, messages.FrameMatrix, True)

    @property
    def wrench(self) -> MechanismPort:
        """Force and torque at the origin, in the frame's own components; sums."""
        return self._port(Role.WRENCH, messages.BodyWrench, False)

    @property
    def wrench_N(self) -> MechanismPort:
        """Force and torque at the origin, in inertial components; sums."""
        return self._port(Role.WRENCH_N, messages.InertialWrench, False)

    @property
    def torque(self) -> MechanismPort:
        """Torque in the frame's own components, as attitude controllers send it; sums."""
        return self._port(Role.TORQUE, BodyTorque, False)

    @property
    def force_N(self) -> MechanismPort:
        """Force at the origin in inertial components, as position controllers send it; sums."""
        return self._port(Role.FORCE_N, InertialForce, False)


class Site(FrameElement):
    """A frame fixed to a body; in paths it is `<name>.site` where a body has its name too."""

    @property
    def part(self) -> str:
        return f"{self.name}.site" if self.name in self.mechanism.bodies else self.name


class CentreOfMass(FrameElement):
    """A body's centre of mass, with the body's axes."""


class Body(FrameElement):
    """A rigid body; its own frame is the one its file gives it."""

    @property
    def com(self) -> CentreOfMass:
        """Its centre of mass."""
        return CentreOfMass(self.mechanism, f"{self.name}.com")

    @property
    def momentum(self) -> MechanismPort:
        """Mass, centre of mass, inertia and momentum of the whole vehicle that this body belongs to."""
        return self._port(Role.MOMENTUM, messages.VehicleMomentum, True)

    @property
    def quaternion(self) -> MechanismPort:
        """Attitude of a body that flies freely as its unit quaternion, which is what is integrated."""
        if not self.mechanism.flies_freely(self.name):
            raise UnknownName(
                f"`{self.name}` does not fly freely, so it has no port `quaternion`.\n"
                f"  Use its `matrix`, or record its `motion` and ask for `log.quaternion({self.name!r})`."
            )
        return self._port(Role.QUATERNION, messages.FrameQuaternion, True)

    @property
    def mass_properties(self) -> MechanismPort:
        """Mass, centre of mass and inertia, instead of those of the file."""
        return self._port(Role.MASS_PROPERTIES, messages.MassProperties, False)

    @property
    def prescribed(self) -> MechanismPort:
        """The motion of a body on a carriage as a given function of time."""
        return self._carriage_port(Role.PRESCRIBED, messages.PrescribedMotion, False)

    @property
    def holding(self) -> MechanismPort:
        """Force and torque that the motors of a carriage deliver so that the body moves as prescribed."""
        return self._carriage_port(Role.HOLDING, messages.CarriageWrench, True)

    def _carriage_port(self, role: Role, message: Any, is_output: bool) -> MechanismPort:
        joints = self.mechanism.carriage(self.name)
        if not joints:
            raise UnknownName(
                f"`{self.name}` has no carriage, so it has no port `{role.value}`.\n"
                "  Add it with `joint=cd.Carriage()`, or give it slides along x, y and z and then a ball."
            )
        return MechanismPort(self.mechanism, self.name, role.value, message, is_output, role, joints)


class JointElement(Element):
    """A joint."""

    @property
    def kind(self) -> int:
        return self.mechanism.joint_kind(self.name)

    @property
    def state(self) -> MechanismPort:
        """Angle or displacement, and rate."""
        states = {HINGE: messages.HingeState, SLIDE: messages.SlideState, BALL: messages.BallState}
        return self._port(Role.STATE, self._choose(states, "state"), True)

    @property
    def effort(self) -> MechanismPort:
        """Torque or force on the child, along the joint's freedom; sums."""
        efforts = {HINGE: messages.HingeTorque, SLIDE: Force, BALL: BodyTorque}
        return self._port(Role.EFFORT, self._choose(efforts, "effort"), False)

    @property
    def lock(self) -> MechanismPort:
        """Whether the joint is held, and where."""
        locks = {HINGE: messages.HingeLock, SLIDE: messages.SlideLock}
        return self._port(Role.LOCK, self._choose(locks, "lock"), False)

    @property
    def prescribed(self) -> MechanismPort:
        """The joint's motion as a given function of time."""
        motions = {
            HINGE: messages.PrescribedAngle,
            SLIDE: messages.PrescribedDisplacement,
            BALL: messages.PrescribedTurn,
        }
        return self._port(Role.PRESCRIBED, self._choose(motions, "prescribed"), False)

    @property
    def reaction(self) -> MechanismPort:
        """Force and torque that the parent exerts on the child."""
        return self._port(Role.REACTION, messages.JointReaction, True)

    @property
    def holding(self) -> MechanismPort:
        """Torque or force that a lock or a prescribed motion needs, beside all other efforts."""
        efforts = {HINGE: messages.HingeTorque, SLIDE: Force, BALL: BodyTorque}
        return self._port(Role.HOLDING, self._choose(efforts, "holding"), True)

    def _choose(self, by_kind: dict[int, Any], port: str) -> Any:
        kind = self.kind
        if kind not in by_kind:
            names = {HINGE: "hinge", SLIDE: "slide", BALL: "ball joint", 0: "free joint"}
            fit = " and ".join(f"{names[k]}s" for k in by_kind)
            raise UnknownName(
                f"`{self.name}` is a {names[kind]}, which has no port `{port}`.\n  These have one: {fit}."
            )
        return by_kind[kind]


class Actuator(Element):
    """An actuator that the mechanism's file declares."""

    @property
    def target(self) -> str:
        """The name of the joint, site, tendon or body that it acts on."""
        return self.mechanism.actuator_target(self.name)

    @property
    def command(self) -> MechanismPort:
        """Its input; sums."""
        return self._port(Role.COMMAND, messages.ActuatorCommand, False)


class ContactPair(Element):
    """Two bodies or shapes whose contact is looked at."""

    @property
    def contact(self) -> MechanismPort:
        """What the first feels of the second: force, torque, place, depth."""
        return self._port(Role.CONTACT, messages.ContactLoad, True)


@dataclass(frozen=True)
class BodyGroup:
    """Several bodies whose centres of mass are read and pushed together, a row each."""

    mechanism: "Mechanism"
    name: str
    names: tuple[str, ...]

    @property
    def positions(self) -> MechanismPort:
        """Positions of the centres of mass."""
        return self._port(Role.POSITIONS, messages.FramePositions, True)

    @property
    def motions(self) -> MechanismPort:
        """Motions of the bodies' own frames, not of their centres of mass."""
        return self._port(Role.MOTIONS, messages.FrameMotions, True)

    @property
    def gravity(self) -> MechanismPort:
        """Accelerations at the centres of mass, and their gradients; they act on masses and inertias as they are."""
        return self._port(Role.GRAVITY, GravityField, False)

    @property
    def forces_N(self) -> MechanismPort:
        """Forces at the centres of mass, in inertial components; sums."""
        return self._port(Role.FORCES_N, messages.InertialForces, False)

    @property
    def mass(self) -> np.ndarray:
        """[kg] Mass of each body as the mechanism is compiled."""
        model = self.mechanism.model
        return np.array([float(model.body(name).mass[0]) for name in self.names])

    def _port(self, role: Role, message: Any, is_output: bool) -> MechanismPort:
        return MechanismPort(self.mechanism, self.name, role.value, message, is_output, role, self.names)


@dataclass(frozen=True)
class HingeGroup:
    """Several hinges that are read and driven together, an element each."""

    mechanism: "Mechanism"
    name: str
    names: tuple[str, ...]

    @property
    def states(self) -> MechanismPort:
        """Angles and rates."""
        return self._port(Role.STATES, messages.HingeStates, True)

    @property
    def efforts(self) -> MechanismPort:
        """Torques; sums."""
        return self._port(Role.EFFORTS, messages.HingeTorques, False)

    @property
    def locks(self) -> MechanismPort:
        """Holds each hinge while its lock is engaged."""
        return self._port(Role.LOCKS, messages.HingeLocks, False)

    @property
    def max_torque(self) -> np.ndarray:
        """[N m] The largest torque of each that the file allows its actuators, infinite where it says nothing."""
        model = self.mechanism.model
        joints = [model.joint(name).id for name in self.names]
        return np.where(model.jnt_actfrclimited[joints], np.abs(model.jnt_actfrcrange[joints]).min(axis=1), np.inf)

    @property
    def friction(self) -> np.ndarray:
        """[N m] Dry friction of each as it was read, also where it is left out."""
        return np.array([self.mechanism.friction_of(name) for name in self.names])

    def _port(self, role: Role, message: Any, is_output: bool) -> MechanismPort:
        return MechanismPort(self.mechanism, self.name, role.value, message, is_output, role, self.names)


@dataclass(frozen=True)
class SlideGroup:
    """Several slides that are read and driven together, an element each."""

    mechanism: "Mechanism"
    name: str
    names: tuple[str, ...]

    @property
    def states(self) -> MechanismPort:
        """Displacements and rates."""
        return self._port(Role.STATES, messages.SlideStates, True)

    @property
    def efforts(self) -> MechanismPort:
        """Forces; sums."""
        return self._port(Role.EFFORTS, messages.SlideForces, False)

    def _port(self, role: Role, message: Any, is_output: bool) -> MechanismPort:
        return MechanismPort(self.mechanism, self.name, role.value, message, is_output, role, self.names)


E = TypeVar("E", bound=Element)


class Elements(Mapping[str, E], Generic[E]):
    """The elements of one kind by name; a wrong name gets the nearest one."""

    def __init__(self, mechanism: "Mechanism", kind: type[E], word: str, names: list[str]) -> None:
        self._mechanism = mechanism
        self._kind = kind
        self._word = word
        self._names = names

    def __getitem__(self, name: str) -> E:
        if name not in self._names:
            raise UnknownName(
                f"`{self._mechanism.name}` has no {self._word} `{name}`.{did_you_mean(name, self._names)}\n"
                f"  There are: {', '.join(self._names) or 'none'}"
            )
        return self._kind(self._mechanism, name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<{self._word} names of {self._mechanism.name}: {', '.join(self._names) or 'none'}>"

    def _ipython_key_completions_(self) -> list[str]:
        return self._names
