"""`Mechanism`: bodies, joints and sites; what the vehicles are.

A mechanism is a MuJoCo specification (`MjSpec`) and is compiled by MuJoCo, so that inertia from geometry, defaults,
includes, meshes and frames mean what MuJoCo's users know. Its own gravity option is not used: gravity is a part.
"""

import re
from functools import cached_property
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from cardan.errors import DuplicateName, MechanismError, QuaternionError, ShapeError, UnknownName
from cardan.mechanism.joints import Ball, Carriage, Free, Hinge, Joint, Slide
from cardan.mechanism.plumbing import LENGTH_TOLERANCE
from cardan.mechanism.ports import Actuator, Body, BodyGroup, Elements, HingeGroup, JointElement, Site
from cardan.mechanism.tree import BALL, HINGE, SLIDE, Tree, read_tree

_KINDS = {
    Free: mujoco.mjtJoint.mjJNT_FREE,
    Ball: mujoco.mjtJoint.mjJNT_BALL,
    Slide: mujoco.mjtJoint.mjJNT_SLIDE,
    Hinge: mujoco.mjtJoint.mjJNT_HINGE,
}


class Mechanism:
    """Bodies connected by joints; built up, then frozen when it is first compiled.

    Args:
        name: What it is called.
    """

    def __init__(self, name: str = "mechanism") -> None:
        self.name = name
        self._spec = mujoco.MjSpec()
        self._spec.modelname = name
        self._spec.compiler.degree = False
        self._is_frozen = False
        self._source = name

    # ---- making one ----------------------------------------------------------------------------------------------

    @classmethod
    def from_mjcf(cls, source: str | Path, *, name: str | None = None) -> "Mechanism":
        """A mechanism from an MJCF file, or from the text of one."""
        return cls._read(source, name)

    @classmethod
    def from_urdf(cls, source: str | Path, *, free_base: bool = False, name: str | None = None) -> "Mechanism":
        """A mechanism from a URDF file, or from the text of one.

        Args:
            source: The file.
            free_base: Whether its root link flies freely; else it is fixed to the world.
            name: What it is called.
        """
        made = cls._read(source, name)
        made._spec.compiler.fusestatic = False
        if free_base:
            base = made._spec.worldbody.first_body()
            if base is None:
                raise MechanismError(f"`{made._source}` has no link that could fly freely.")
            if not list(base.joints):
                base.add_freejoint(name=f"{base.name}_free")
        return made

    @classmethod
    def _read(cls, source: str | Path, name: str | None) -> "Mechanism":
        text = str(source)
        is_text = text.lstrip().startswith("<")
        made = cls.__new__(cls)
        made._source = "the given text" if is_text else text
        if not is_text and not Path(text).exists():
            raise MechanismError(f"There is no file {text}.")
        try:
            made._spec = mujoco.MjSpec.from_string(text) if is_text else mujoco.MjSpec.from_file(text)
        except ValueError as error:
            raise MechanismError(f"`{made._source}` cannot be read.\n  MuJoCo: {error}") from error
        made.name = name or made._spec.modelname or "mechanism"
        made._is_frozen = False
        return made

    def add_body(
        self,
        name: str,
        *,
        parent: Body | None = None,
        joint: Joint | None = None,
        joints: dict[str, Joint] | None = None,
        mass: float = 0.0,
        inertia_B: Any = None,
        r_CB_B: Any = (0.0, 0.0, 0.0),
        r_BP_P: Any = (0.0, 0.0, 0.0),
        q_BP: Any = (1.0, 0.0, 0.0, 0.0),
    ) -> Body:
        """Add a body.

        Args:
            name: What it is called.
            parent: The body it hangs on; the world if left out.
            joint: How it moves relative to its parent, under the name `<name>_joint`; it is fixed if left out.
            joints: Several joints by name instead, the first next to the parent.
            mass: [kg]
            inertia_B: [kg m^2] (3, 3) about the centre of mass, in body components.
            r_CB_B: [m] Centre of mass relative to the body's origin, in body components.
            r_BP_P: [m] Origin relative to the parent's, in the parent's components.
            q_BP: [-] Unit quaternion of the body relative to its parent.
        """
        self._check_open(f"add the body `{name}`")
        if self._spec.body(name) is not None:
            raise DuplicateName(f"`{self.name}` has a body `{name}` already.\n  Name one otherwise.")
        above = self._spec.worldbody if parent is None else self._spec.body(parent.name)
        body = above.add_body(name=name, pos=np.asarray(r_BP_P, float), quat=unit_quaternion(q_BP, f"{name}: q_BP"))
        if mass > 0.0:
            tensor = np.zeros((3, 3)) if inertia_B is None else np.asarray(inertia_B, float)
            body.explicitinertial = True
            body.mass = mass
            body.ipos = np.asarray(r_CB_B, float)
            body.fullinertia = [tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2]]
        named = dict(joints or {})
        if joint is not None:
            named[f"{name}_joint"] = joint
        for joint_name, described in named.items():
            self._add_joint(body, joint_name, described)
        return Body(self, name)

    def add_site(
        self, name: str, body: Body, *, r_SB_B: Any = (0.0, 0.0, 0.0), q_SB: Any = (1.0, 0.0, 0.0, 0.0)
    ) -> Site:
        """Add a frame that is fixed to a body, at `r_SB_B` [m] and turned by the unit quaternion `q_SB`."""
        self._check_open(f"add the site `{name}`")
        if self._spec.site(name) is not None:
            raise DuplicateName(f"`{self.name}` has a site `{name}` already.\n  Name one otherwise.")
        owner = self._spec.body(body.name)
        owner.add_site(name=name, pos=np.asarray(r_SB_B, float), quat=unit_quaternion(q_SB, f"{name}: q_SB"))
        return Site(self, name)

    def attach(
        self,
        part: "Mechanism",
        *,
        name: str,
        to: Body | Site | None = None,
        r_BP_P: Any = (0.0, 0.0, 0.0),
        q_BP: Any = (1.0, 0.0, 0.0, 0.0),
    ) -> None:
        """Attach a copy of another mechanism; its elements are found under `name/`.

        Args:
            part: What to attach.
            name: The scope of its names: `elbow` becomes `name/elbow`.
            to: The body or site it is fixed to; the world if left out.
            r_BP_P: [m] Where, in the components of what it is fixed to.
            q_BP: [-] Its unit quaternion relative to what it is fixed to.
        """
        self._check_open(f"attach `{name}`")
        prefix = f"{name}/"
        if any(body.name.startswith(prefix) for body in self._spec.bodies):
            raise DuplicateName(f"`{self.name}` has something attached as `{name}` already.\n  Name one otherwise.")
        turn = unit_quaternion(q_BP, f"{name}: q_BP")
        copy = part._spec.copy()
        if isinstance(to, Site):
            self._spec.attach(copy, site=self._spec.site(to.name), prefix=prefix)
            return
        owner = self._spec.worldbody if to is None else self._spec.body(to.name)
        frame = owner.add_frame(pos=np.asarray(r_BP_P, float), quat=turn)
        self._spec.attach(copy, frame=frame, prefix=prefix)

    def _add_joint(self, body: Any, name: str, joint: Joint) -> None:
        if isinstance(joint, Free):
            body.add_freejoint(name=name)
            return
        if isinstance(joint, Carriage):
            for axis, unit in zip("xyz", np.eye(3), strict=True):
                self._add_joint(body, f"{name}/{axis}", Slide(unit))
            self._add_joint(body, f"{name}/turn", Ball())
            return
        options: dict[str, Any] = {"damping": [joint.damping, 0.0, 0.0], "armature": joint.armature}
        if not isinstance(joint, Slide):
            options["pos"] = np.asarray(joint.r_JB_B, float)
        if not isinstance(joint, Ball):
            options |= {
                "axis": np.asarray(joint.axis_B, float),
                "stiffness": [joint.stiffness, 0.0, 0.0],
                "springref": joint.rest,
            }
        if isinstance(joint, Hinge) and self._spec.compiler.degree:
            options["springref"] = float(np.rad2deg(joint.rest))  # the unit of the file that was read
        body.add_joint(name=name, type=_KINDS[type(joint)], **options)

    # ---- looking -------------------------------------------------------------------------------------------------

    @property
    def bodies(self) -> Elements[Body]:
        """The bodies by name."""
        return Elements(self, Body, "body", [body.name for body in self._spec.bodies if body.name not in ("", "world")])

    @property
    def joints(self) -> Elements[JointElement]:
        """The joints by name."""
        return Elements(self, JointElement, "joint", [joint.name for joint in self._spec.joints if joint.name])

    @property
    def sites(self) -> Elements[Site]:
        """The sites by name."""
        return Elements(self, Site, "site", [site.name for site in self._spec.sites if site.name])

    @property
    def actuators(self) -> Elements[Actuator]:
        """The actuators by name."""
        return Elements(
            self, Actuator, "actuator", [actuator.name for actuator in self._spec.actuators if actuator.name]
        )

    def group_of_bodies(self, name: str, *names: str) -> BodyGroup:
        """Several bodies under one name, all of them if none are named; each centre of mass is a row of one message."""
        self._check_group_name(name)
        return BodyGroup(self, name, tuple(self.bodies[body].name for body in names or self.bodies))

    def group_of_hinges(self, name: str, *names: str) -> HingeGroup:
        """Several hinges under one name, all of them if none are named; each is an element of one message."""
        if not names:
            names = tuple(joint for joint in self.joints if self.joint_kind(joint) == HINGE)
        for joint in names:
            if self.joints[joint].kind != HINGE:
                raise UnknownName(f"`{joint}` is not a hinge, so it cannot be in a group of hinges.")
        self._check_group_name(name)
        return HingeGroup(self, name, names)

    def _check_group_name(self, name: str) -> None:
        if any(name in elements for elements in (self.bodies, self.joints, self.sites, self.actuators)):
            raise DuplicateName(f"`{self.name}` has an element `{name}` already.\n  Name the group otherwise.")

    def carriage(self, body: str) -> tuple[str, ...]:
        """The joints of a body that is on a carriage: slides along its own x, y and z, then a ball at its origin.

        Empty for any other body; it does not matter whether a file or Python describes it.
        """
        joints = list(self._spec.body(body).joints)
        kinds = [int(joint.type) for joint in joints]
        if kinds != [SLIDE, SLIDE, SLIDE, BALL] or np.any(joints[3].pos):
            return ()
        axes = np.array([joint.axis / np.linalg.norm(joint.axis) for joint in joints[:3]])
        return tuple(str(joint.name) for joint in joints) if np.array_equal(axes, np.eye(3)) else ()

    def joint_kind(self, name: str) -> int:
        return int(self._spec.joint(name).type)

    # ---- compiled ------------------------------------------------------------------------------------------------

    @cached_property
    def model(self) -> mujoco.MjModel:
        """The model that MuJoCo compiles; from here on the mechanism is frozen."""
        self._is_frozen = True
        try:
            return self._spec.compile()
        except ValueError as error:
            raise MechanismError(f"`{self._source}` cannot be compiled.\n  MuJoCo: {_one_line(str(error))}") from error

    @cached_property
    def tree(self) -> Tree:
        """The arrays that dynamics services work with."""
        model = self.model
        both = sorted(set(self.bodies) & set(self.sites))
        if both:
            raise MechanismError(
                f"`{both[0]}` is the name of a body and of a site.\n  Their ports have the same paths."
            )
        return read_tree(model)

    @cached_property
    def mjcf(self) -> str:
        """The mechanism as the text of an MJCF file."""
        _ = self.model  # MuJoCo writes only what it has compiled
        return str(self._spec.to_xml())

    def compile_with_general_inertia(self, bodies: list[str]) -> mujoco.MjModel:
        """Another model of the same mechanism in which nothing is simplified for the inertia of some bodies.

        MuJoCo leaves out entries of the mass matrix that the inertia it compiles makes zero. A body whose mass
        properties change must not profit from that.
        """
        spec = self._spec.copy()
        for name in bodies:
            body = spec.body(name)
            body.explicitinertial = True
            body.mass = max(float(self.model.body(name).mass[0]), 1.0)
            body.ipos = [0.1, 0.2, 0.3]
            body.fullinertia = [1.0, 1.1, 1.2, 0.01, 0.02, 0.03]
        return spec.compile()

    @property
    def census(self) -> str:
        """How many bodies and joints it has, in words."""
        bodies, joints = len(self.bodies), len(self.joints)
        return f"{bodies} {'body' if bodies == 1 else 'bodies'}, {joints} {'joint' if joints == 1 else 'joints'}"

    def _check_open(self, what: str) -> None:
        if self._is_frozen:
            raise MechanismError(f"Cannot {what}: `{self.name}` is compiled already.\n  Build it up before it is used.")

    def __repr__(self) -> str:
        return f"<mechanism {self.name}: {self.census}>"


def unit_quaternion(value: Any, path: str) -> np.ndarray:
    """The quaternion `value` without the rounding in its length; any other length than 1 is refused."""
    q = np.asarray(value, float)
    if q.shape != (4,):
        raise ShapeError(f"`{path}` has the wrong shape.\n  expected (4,)\n  got      {q.shape}")
    length = float(np.linalg.norm(q))
    if not abs(length - 1.0) <= LENGTH_TOLERANCE:
        raise QuaternionError(
            f"`{path}` is a quaternion of length {length:.9g}.\n"
            f"  expected length 1, within {LENGTH_TOLERANCE:g}\n  Divide it by its length."
        )
    return q / length


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
