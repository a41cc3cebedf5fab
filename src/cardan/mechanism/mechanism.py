"""`Mechanism`: bodies, joints and sites; what the vehicles are.

A mechanism is a MuJoCo specification (`MjSpec`) and is compiled by MuJoCo, so that inertia from geometry, defaults,
includes, meshes and frames mean what MuJoCo's users know. Its own gravity option is not used: gravity is a part.
"""

import warnings
from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from cardan.contracts.constraints import AnyInertia, NotNegative, OfShape, require
from cardan.errors import (
    DuplicateName,
    ImpossibleValue,
    MassesChanged,
    MechanismError,
    SettingError,
    UnknownName,
    did_you_mean,
)
from cardan.mechanism.building import add_joint, dry_frictions, placed_at
from cardan.mechanism.changing import Numbered, all_numbers, changed_tree, check_put, number_at, put, why_not
from cardan.mechanism.compile_errors import compile_error
from cardan.mechanism.compiling import (
    Compiled,
    changed_bodies,
    compile_again,
    compile_spec,
    has_bounds,
    mjcf_of,
    warnings_of,
)
from cardan.mechanism.compliant_contact import CompliantContact, check_compliant
from cardan.mechanism.contact_sides import Side, side_of
from cardan.mechanism.drawing import drawing_of
from cardan.mechanism.joints import Joint
from cardan.mechanism.leaving_out import LeftOut, leave_out, leave_out_disabled, some
from cardan.mechanism.ports import (
    Actuator,
    Body,
    BodyGroup,
    ContactPair,
    Elements,
    HingeGroup,
    JointElement,
    Site,
    SlideGroup,
)
from cardan.mechanism.reading import is_self_contained, read_mjcf, read_urdf, source_name
from cardan.mechanism.shapes import Shape, geom_of
from cardan.mechanism.tree import BALL, FREE, HINGE, SLIDE, Tree, read_tree


class Mechanism:
    """Bodies connected by joints; built up, then frozen when it is first compiled.

    Args:
        name: What it is called.
    """

    def __init__(self, name: str = "mechanism") -> None:
        spec = mujoco.MjSpec()
        spec.modelname = name
        spec.compiler.degree = False
        self._begin(name, spec, name)

    def _begin(self, name: str, spec: mujoco.MjSpec, source: str) -> None:
        self.name = name
        self._spec = spec
        self._source = source
        self._is_frozen = False
        self._known_names: dict[str, list[str]] = {}
        self._text: str | None = None  # all that it is made from, as long as that is one text
        self._left_out = LeftOut()
        self._friction_left_out: dict[str, float] = {}
        self._pairs: dict[str, tuple[Side, Side]] = {}
        self._compliant: tuple[CompliantContact, ...] = ()

    # ---- making one ----------------------------------------------------------------------------------------------

    @classmethod
    def from_mjcf(
        cls,
        source: str | Path,
        *,
        name: str | None = None,
        geometry: bool = True,
        contact: bool = True,
        limits: bool = True,
        friction: bool = True,
        actuators: bool = True,
        tendons: bool = True,
        equalities: bool = True,
    ) -> "Mechanism":
        """A mechanism from an MJCF file, or from the text of one.

        Args:
            source: The file.
            name: What it is called.
            geometry: Whether it keeps its shapes; without them, bodies keep the inertia that follows from them.
            contact: Whether its shapes may touch.
            limits: Whether its joints and tendons keep their limits.
            friction: Whether its joints and tendons keep their dry friction.
            actuators: Whether it keeps its actuators.
            tendons: Whether it keeps its tendons, and the actuators on them.
            equalities: Whether it keeps its equality constraints.
        """
        made = cls.__new__(cls)
        spec = read_mjcf(source)
        made._begin(name or spec.modelname or "mechanism", spec, source_name(source))
        kept = geometry, contact, limits, friction, actuators, tendons, equalities
        made._keep(*kept)
        if all(kept) and is_self_contained(source):
            made._text = str(source)
        return made

    @classmethod
    def from_urdf(
        cls,
        source: str | Path,
        *,
        free_base: bool = False,
        name: str | None = None,
        geometry: bool = True,
        contact: bool = True,
        limits: bool = True,
        friction: bool = True,
        equalities: bool = True,
    ) -> "Mechanism":
        """A mechanism from a URDF file, or from the text of one; only `<inertial>` gives a link mass.

        Args:
            source: The file.
            free_base: Whether its root link flies freely; else it is fixed to the world.
            name: What it is called.
            geometry: Whether it keeps its shapes.
            contact: Whether its shapes may touch.
            limits: Whether its joints keep their limits.
            friction: Whether its joints keep their dry friction.
            equalities: Whether joints that mimic others do so, as equality constraints.
        """
        made = cls.__new__(cls)
        spec = read_urdf(source, free_base=free_base)
        made._begin(name or spec.modelname or "mechanism", spec, source_name(source))
        made._keep(geometry, contact, limits, friction, equalities=equalities)
        return made

    def _keep(
        self,
        geometry: bool,
        contact: bool,
        limits: bool,
        friction: bool,
        actuators: bool = True,
        tendons: bool = True,
        equalities: bool = True,
    ) -> None:
        # constraints go before shapes, so that shapes are not reported as contact too
        kept = {
            "geometry": geometry, "contact": contact or not geometry, "limits": limits, "friction": friction,
            "tendons": tendons, "actuators": actuators, "equalities": equalities,
        }  # fmt: skip
        self.leave_out(*(kind for kind, is_kept in kept.items() if not is_kept))

    def leave_out(self, *kinds: str, only: Collection[str] | None = None) -> None:
        """Take elements of some kinds out of what was built or read so far; `left_out` says what they were.

        Args:
            kinds: "geometry", "contact", "limits", "friction", "actuators", "tendons", "equalities", "springs",
                "dampers", "medium".
            only: The names of the elements that are meant; all if left out.
        """
        self._check_open(f"leave out {', '.join(kinds)}")
        self._friction_left_out |= dry_frictions(self._spec)
        for kind in kinds:
            try:
                self._left_out |= leave_out(self._spec, kind, self._source, only)
            except ValueError as error:
                raise compile_error(self._spec, self._source, error) from error

    @property
    def left_out(self) -> LeftOut:
        """The names of what was left out, by kind; also of what was attached."""
        return self._left_out

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
        pos, quat = placed_at(name, r_BP_P=r_BP_P, q_BP=q_BP)
        weight = float(require(f"{name}.mass", mass, "kg", OfShape(), NotNegative))
        tensor = np.zeros((3, 3)) if inertia_B is None else inertia_B
        tensor = require(f"{name}.inertia_B", tensor, "kg m^2", OfShape(3, 3), AnyInertia)
        centre = require(f"{name}.r_CB_B", r_CB_B, "m", OfShape(3))
        if weight == 0.0 and tensor.any():
            raise ImpossibleValue(f"`{name}` has an inertia and no mass.\n  Give it a `mass` [kg].")
        body = above.add_body(name=name, pos=pos, quat=quat)
        if weight > 0.0:
            body.explicitinertial = True
            body.mass = weight
            body.ipos = centre
            body.fullinertia = [tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2]]
        named = dict(joints or {})
        if joint is not None:
            named[f"{name}_joint"] = joint
        for joint_name, described in named.items():
            add_joint(self._spec, body, joint_name, described)
        return Body(self, name)

    def add_site(
        self, name: str, body: Body, *, r_SB_B: Any = (0.0, 0.0, 0.0), q_SB: Any = (1.0, 0.0, 0.0, 0.0)
    ) -> Site:
        """Add a frame that is fixed to a body, at `r_SB_B` [m] and turned by the unit quaternion `q_SB`."""
        self._check_open(f"add the site `{name}`")
        if self._spec.site(name) is not None:
            raise DuplicateName(f"`{self.name}` has a site `{name}` already.\n  Name one otherwise.")
        pos, quat = placed_at(name, r_SB_B=r_SB_B, q_SB=q_SB)
        self._spec.body(body.name).add_site(name=name, pos=pos, quat=quat)
        return Site(self, name)

    def add_shape(
        self,
        body: Body,
        shape: Shape,
        *,
        r_SB_B: Any = (0.0, 0.0, 0.0),
        q_SB: Any = (1.0, 0.0, 0.0, 0.0),
        color: Any = (0.6, 0.62, 0.66, 1.0),
    ) -> None:
        """Add a shape to a body, to be seen: it has no mass, and nothing touches it.

        Args:
            body: The body.
            shape: E.g. `cardan.mechanism.Box([0.5, 0.5, 0.5])`.
            r_SB_B: [m] Its centre, in the body's components.
            q_SB: [-] Its unit quaternion relative to the body.
            color: [-] Red, green, blue and opacity, each from 0 to 1.
        """
        self._check_open(f"add a shape to `{body.name}`")
        pos, quat = placed_at(body.name, r_SB_B=r_SB_B, q_SB=q_SB)
        rgba = require(f"{body.name}.color", color, "-", OfShape(4), NotNegative)
        geom = geom_of(self._spec, body.name, shape)
        self._spec.body(body.name).add_geom(
            **geom, pos=pos, quat=quat, rgba=rgba, mass=0.0, contype=0, conaffinity=0, group=1
        )

    def add_contact_pair(self, name: str, first: str, second: str = "") -> ContactPair:
        """Look at the contact between two bodies or shapes, under a name: `contact_pairs[name].contact` is a port.

        Whether they touch is for the dynamics service to say.

        Args:
            name: What the pair is called.
            first: The name of a body, or of a shape; a shape is `<name>.geom` where a body has its name too.
            second: The same of the other side; whatever touches the first if left out.
        """
        self._check_open(f"add the contact pair `{name}`")
        if name in self._pairs:
            raise DuplicateName(f"`{self.name}` has a contact pair `{name}` already.\n  Name one otherwise.")
        self._check_group_name(name)
        self._pairs[name] = side_of(self._spec, self.name, first), side_of(self._spec, self.name, second)
        return ContactPair(self, name)

    def add_compliant_contact(
        self,
        first: str,
        second: str,
        *,
        stiffness: float,
        damping: float = 0.0,
        dissipation: float = 0.0,
        friction: float = 0.0,
        slip_speed: float = 1.0e-3,
    ) -> None:
        """Let shapes push each other back where they touch, with services that have no contact of their own.

        Spheres, boxes, planes and cylinders touch (docs/theory/compliant_contact.md). `Mujoco` has its own contact.

        Args:
            first: The name of a body, or of a shape; a shape is `<name>.geom` where a body has its name too.
            second: The same of the other side.
            stiffness: [N/m] At each place where they touch.
            damping: [N s/m] Of Kelvin and Voigt: it begins with a jump.
            dissipation: [s/m] Of Hunt and Crossley: it begins with zero.
            friction: [-] Coefficient of dry friction.
            slip_speed: [m/s] Speed at which friction has seven tenths of its size.
        """
        self._check_open(f"add a contact of `{first}`")
        for name in (first, second):
            side_of(self._spec, self.name, name)
        contact = CompliantContact(first, second, stiffness, damping, dissipation, friction, slip_speed)
        check_compliant(contact)
        self._compliant += (contact,)

    def set_contact(self, *, time_constant: float, damping_ratio: float = 1.0) -> None:
        """Give all shapes of what was built or read so far this contact of MuJoCo (its `solref`).

        Args:
            time_constant: [s] With which two shapes are pushed apart.
            damping_ratio: [-] 1 is critical.
        """
        self._check_open("set the contact of shapes")
        for name, value in (("time_constant", time_constant), ("damping_ratio", damping_ratio)):
            if not 0.0 < value < np.inf:
                raise SettingError(f"`{self.name}`: {name} of contact must be positive and finite; got {value!r}.")
        for geom in self._spec.geoms:
            geom.solref = [time_constant, damping_ratio]

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
        pos, quat = placed_at(name, r_BP_P=r_BP_P, q_BP=q_BP)
        copy = part._spec.copy()
        frictions = dry_frictions(copy) | part._friction_left_out
        self._friction_left_out |= {prefix + joint: friction for joint, friction in frictions.items()}
        # options count in the host alone: what those of the part switch off must not come to life in it
        left = part.left_out | leave_out_disabled(copy, self._spec, part._source)
        self._left_out |= left.scoped(prefix)
        self._compliant += tuple(contact.scoped(prefix) for contact in part._compliant)
        self._pairs |= {
            prefix + pair: (one.scoped(prefix), two.scoped(prefix)) for pair, (one, two) in part._pairs.items()
        }
        with warnings_of(part._source):
            if isinstance(to, Site):
                self._spec.attach(copy, site=self._spec.site(to.name), prefix=prefix)
                return
            owner = self._spec.worldbody if to is None else self._spec.body(to.name)
            frame = owner.add_frame(pos=pos, quat=quat)
            self._spec.attach(copy, frame=frame, prefix=prefix)

    # ---- looking -------------------------------------------------------------------------------------------------

    @property
    def bodies(self) -> Elements[Body]:
        """The bodies by name."""
        return Elements(self, Body, "body", self._names("bodies"))

    @property
    def joints(self) -> Elements[JointElement]:
        """The joints by name."""
        return Elements(self, JointElement, "joint", self._names("joints"))

    @property
    def sites(self) -> Elements[Site]:
        """The sites by name."""
        return Elements(self, Site, "site", self._names("sites"))

    @property
    def actuators(self) -> Elements[Actuator]:
        """The actuators by name."""
        return Elements(self, Actuator, "actuator", self._names("actuators"))

    @property
    def contact_pairs(self) -> Elements[ContactPair]:
        """The pairs whose contact is looked at, by name."""
        return Elements(self, ContactPair, "contact pair", list(self._pairs))

    @property
    def compliant_contacts(self) -> tuple[CompliantContact, ...]:
        """What `add_compliant_contact` was given."""
        return self._compliant

    def pair_sides(self, name: str) -> tuple[Side, Side]:
        """The two sides of a contact pair."""
        return self._pairs[name]

    def _names(self, kind: str) -> list[str]:
        """The names of the elements of a kind; they are found once, until something changes."""
        known = self._known_names.get(kind)
        if known is None:
            nameless = ("", "world") if kind == "bodies" else ("",)
            known = [element.name for element in getattr(self._spec, kind) if element.name not in nameless]
            self._known_names[kind] = known
        return known

    def group_of_bodies(self, name: str, *names: str) -> BodyGroup:
        """Several bodies under one name, all of them if none are named; each centre of mass is a row of one message."""
        self._check_group_name(name)
        return BodyGroup(self, name, tuple(self.bodies[body].name for body in names or self.bodies))

    def group_of_hinges(self, name: str, *names: str) -> HingeGroup:
        """Several hinges under one name, all of them if none are named; each is an element of one message."""
        return HingeGroup(self, name, self._group_of(HINGE, "hinge", name, names))

    def group_of_slides(self, name: str, *names: str) -> SlideGroup:
        """Several slides under one name, all of them if none are named; each is an element of one message."""
        return SlideGroup(self, name, self._group_of(SLIDE, "slide", name, names))

    def _group_of(self, kind: int, word: str, name: str, names: tuple[str, ...]) -> tuple[str, ...]:
        if not names:
            names = tuple(joint for joint in self.joints if self.joint_kind(joint) == kind)
        for joint in names:
            if self.joints[joint].kind != kind:
                raise UnknownName(f"`{joint}` is not a {word}, so it cannot be in a group of {word}s.")
        self._check_group_name(name)
        return names

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

    def flies_freely(self, body: str) -> bool:
        """Whether a body has a free joint of its own."""
        return [int(joint.type) for joint in self._spec.body(body).joints] == [FREE]

    def joint_kind(self, name: str) -> int:
        return int(self._spec.joint(name).type)

    def friction_of(self, joint: str) -> float:
        """[N m] or [N] The dry friction that a joint was read with, also where it is left out."""
        return self._friction_left_out.get(joint, float(self._spec.joint(joint).frictionloss))

    def actuator_target(self, name: str) -> str:
        return str(self._spec.actuator(name).target)

    # ---- compiled ------------------------------------------------------------------------------------------------

    @cached_property
    def _compiled(self) -> Compiled:
        self._is_frozen = True
        try:
            compiled = compile_spec(self._spec, self._source, self._text)
            changed = changed_bodies(self._spec, compiled.model, self._source) if has_bounds(self._spec) else []
        except ValueError as error:
            raise compile_error(self._spec, self._source, error) from error
        if changed:
            warnings.warn(
                f"`{self._source}` has compiler options that change the mass or inertia of {some(changed)}.\n"
                "  Remove boundmass, boundinertia, balanceinertia or settotalmass to keep what it states.",
                MassesChanged,
                stacklevel=2,
            )
        return compiled

    @property
    def model(self) -> mujoco.MjModel:
        """The model that MuJoCo compiles; from here on the mechanism is frozen."""
        return self._compiled.model

    @cached_property
    def tree(self) -> Tree:
        """The arrays that dynamics services work with."""
        return read_tree(self.model)

    @cached_property
    def mjcf(self) -> str:
        """The mechanism as the text of an MJCF file."""
        return mjcf_of(self._compiled)

    @cached_property
    def drawing(self) -> dict[str, Any]:
        """All that it takes to draw it, as plain data: frames, joints, shapes, meshes, with all their digits."""
        return drawing_of(self.model)

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
            # the file may have given principal moments and the attitude of their axes
            body.inertia, body.iquat = [0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]
            body.ialt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
            body.fullinertia = [1.0, 1.1, 1.2, 0.01, 0.02, 0.03]
        return compile_spec(spec, self._source).model

    def number_at(self, path: str) -> Numbered | None:
        """The number that a path such as `bus.mass` or `elbow.damping` names; None if it names none."""
        return number_at(self.model, self.tree, path)

    @property
    def numbers(self) -> dict[str, str]:
        """The unit of every number that `changed` takes, by path: `bus.mass`, `elbow.damping`, `nozzle.q_SB`."""
        return {f"{each.element}.{each.number.name}": each.number.unit for each in all_numbers(self.model, self.tree)}

    def number(self, path: str) -> Any:
        """The value of a number, by its path."""
        numbered = self.number_at(path)
        if numbered is None:
            known = self.numbers
            raise UnknownName(f"`{self.name}` has no number `{path}`.{did_you_mean(path, known)}")
        return np.array(numbered.number.own(self.model, numbered.row))[()]

    def changed(self, values: Mapping[str, Any]) -> "Mechanism":
        """The mechanism as if it had been built with other numbers; this one stays as it is.

        Args:
            values: By path: `bus.mass`, `bus.r_CB_B`, `bus.inertia_B`; of a body on a joint its pose `arm.r_BP_P`,
                `arm.q_BP`; `elbow.damping`, `stiffness`, `rest`, `armature`, `friction`; `nozzle.r_SB_B`, `q_SB`.
        """
        taken: dict[Numbered, np.ndarray] = {}
        for path, value in values.items():
            numbered = self.number_at(path)
            if numbered is None:
                raise UnknownName(
                    f"`{self.name}` has no number `{path}`.\n  Bodies have mass, r_CB_B, inertia_B, and on a "
                    "joint r_BP_P, q_BP;\n  joints damping, stiffness, rest, armature, friction; sites r_SB_B, q_SB."
                )
            refusal = why_not(self.model, numbered)
            if refusal:
                raise ImpossibleValue(f"`{path}` cannot be changed: {refusal}.")
            taken[numbered] = numbered.number.take(path, value)
        other = type(self).__new__(type(self))
        other._begin(self.name, self._spec.copy(), self._source)
        other._left_out, other._friction_left_out = self._left_out, self._friction_left_out
        other._pairs, other._compliant = self._pairs, self._compliant
        put(other._spec, self.model, taken)
        other._is_frozen = True
        try:
            other._compiled = compile_again(other._spec, self._source)
        except ValueError as error:
            raise compile_error(self._spec, self._source, error) from error
        check_put(other.model, taken)
        other.tree = changed_tree(self.tree, self.model, other.model, taken)
        return other

    @property
    def census(self) -> str:
        """How many bodies and joints it has, in words."""
        bodies, joints = len(self.bodies), len(self.joints)
        return f"{bodies} {'body' if bodies == 1 else 'bodies'}, {joints} {'joint' if joints == 1 else 'joints'}"

    def _check_open(self, what: str) -> None:
        """Everything that changes the mechanism begins with this; what was found out before does not count any more."""
        if self._is_frozen:
            raise MechanismError(f"Cannot {what}: `{self.name}` is compiled already.\n  Build it up before it is used.")
        self._known_names.clear()
        self._text = None

    def __repr__(self) -> str:
        left = f"; left out: {self.left_out.summary}" if self.left_out else ""
        return f"<mechanism {self.name}: {self.census}{left}>"
