"""What a service or a user does without: constraints, actuators and shapes, taken out of a specification."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import mujoco
import numpy as np

from cardan.errors import MechanismError, did_you_mean
from cardan.mechanism.compiling import compile_spec

Only = Collection[str] | None
"""The names of the elements that are meant, or None for all."""

_LIMITED = mujoco.mjtLimited
_INERTIA = mujoco.mjtInertiaFromGeom
_AROUND = (mujoco.mjtWrap.mjWRAP_SPHERE, mujoco.mjtWrap.mjWRAP_CYLINDER)
_MOST_NAMES = 8


class LeftOut(Mapping[str, tuple[str, ...]]):
    """What was left out of a mechanism: the names of elements by kind. `print` shows it."""

    def __init__(self, names: Mapping[str, Iterable[str]] | None = None) -> None:
        given = {kind: tuple(elements) for kind, elements in (names or {}).items()}
        self._names = {kind: elements for kind, elements in given.items() if elements}

    def __getitem__(self, kind: str) -> tuple[str, ...]:
        return self._names[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __or__(self, other: Mapping[str, Iterable[str]]) -> "LeftOut":
        kinds = dict.fromkeys([*self, *other])
        return LeftOut({kind: (*self.get(kind, ()), *other.get(kind, ())) for kind in kinds})

    def scoped(self, prefix: str) -> "LeftOut":
        """The same elements under the name that their mechanism is attached by."""
        return LeftOut({kind: [prefix + name for name in names] for kind, names in self.items()})

    @property
    def summary(self) -> str:
        """Kinds and numbers, in one line."""
        return ", ".join(f"{kind} ({len(names)})" for kind, names in self.items())

    def __str__(self) -> str:
        if not self:
            return "nothing was left out"
        width = max(map(len, self))
        return "left out:\n" + "\n".join(f"  {kind:{width}}  {some(names)}" for kind, names in self.items())

    def __repr__(self) -> str:
        return f"LeftOut({self._names!r})"


def some(names: Iterable[str]) -> str:
    """A few names, and how many more there are."""
    given = list(names)
    more = len(given) - _MOST_NAMES
    return ", ".join(given[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def leave_out(spec: mujoco.MjSpec, kind: str, source: str, only: Only = None) -> LeftOut:
    """Take everything of one kind out of a specification, or only some elements; returns what it was."""
    if kind not in _WAYS:
        raise MechanismError(f"`{kind}` cannot be left out.\n  These can: {', '.join(_WAYS)}")
    if only is not None and kind in _WHOLE:
        raise MechanismError(f"`{kind}` is left out as a whole, or not at all.\n  Leave `only` away.")
    if only is not None:
        there = _WAYS[kind](spec.copy(), source, None).get(kind, ())
        unknown = [name for name in only if name not in there]
        if unknown:
            raise MechanismError(
                f"`{source}` has no {kind} of {some(f'`{name}`' for name in unknown)}."
                f"{did_you_mean(unknown[0], there)}\n  There is: {some(there) or 'none'}"
            )
    return _WAYS[kind](spec, source, only)


def leave_out_disabled(spec: mujoco.MjSpec, host: mujoco.MjSpec, source: str) -> LeftOut:
    """Take out what the options of a specification switch off, where those of its host would switch it on again.

    Other options count in the host alone; those that matter are reported.
    """
    left = LeftOut()
    flags = int(spec.option.disableflags) & ~int(host.option.disableflags)
    for bit, kinds in _FLAGS.items():
        if flags & int(bit):
            for kind in kinds:
                left |= leave_out(spec, kind, source)
    groups = int(spec.option.disableactuator)
    idle = [actuator for actuator in spec.actuators if 0 <= actuator.group < 31 and groups >> actuator.group & 1]
    if idle:
        left |= _delete(spec, actuators=idle)
    unlike = [name for name in _OPTIONS if getattr(spec.option, name) != getattr(host.option, name)]
    return left | _medium(spec, source) | {"options": unlike}


def _contact(spec: mujoco.MjSpec, source: str, only: Only = None) -> LeftOut:
    touching = [geom for geom in _meant(spec.geoms, only) if geom.contype or geom.conaffinity]
    for geom in touching:
        geom.contype = geom.conaffinity = 0
    pairs = _meant(spec.pairs, only)
    left = {"contact": [*map(_geom_name, touching), *(pair.name for pair in pairs)]}
    _delete_all(spec, pairs)
    return LeftOut(left)


def _limits(spec: mujoco.MjSpec, source: str, only: Only = None) -> LeftOut:
    left = []
    for element in _meant([*spec.joints, *spec.tendons], only):
        is_auto = element.limited == _LIMITED.mjLIMITED_AUTO and element.range[0] < element.range[1]
        if element.limited == _LIMITED.mjLIMITED_TRUE or is_auto:
            element.limited = _LIMITED.mjLIMITED_FALSE
            left.append(element.name)
    return LeftOut({"limits": left})


def _friction(spec: mujoco.MjSpec, source: str, only: Only = None) -> LeftOut:
    rubbing = [element for element in _meant([*spec.joints, *spec.tendons], only) if element.frictionloss]
    for element in rubbing:
        element.frictionloss = 0.0
    return LeftOut({"friction": [element.name for element in rubbing]})


def _springs(spec: mujoco.MjSpec, source: str, only: Only = None) -> LeftOut:
    return _without(spec, "springs", "stiffness", only)


def _dampers(spec: mujoco.MjSpec, source: str, only: Only = None) -> LeftOut:
    return _without(spec, "dampers", "damping", only)


def _without(spec: mujoco.MjSpec, kind: str, coefficient: str, only: Only) -> LeftOut:
    joints, tendons = _meant(spec.joints, only), _meant(spec.tendons, only)
    # time constant and damping ratio stand for a spring and a damper: one does not go without the other
    tuned = [joint for joint in joints if np.any(joint.springdamper)]
    for joint in tuned:
        joint.springdamper = np.zeros(2)
    having = [element for element in [*joints, *tendons] if np.any(getattr(element, coefficient))]
    for element in having:
        setattr(element, coefficient, np.zeros(3))
    left = LeftOut({"springs": [joint.name for joint in tuned], "dampers": [joint.name for joint in tuned]})
    return left | {kind: [element.name for element in having if element not in tuned]}


def _actuators(spec: mujoco.MjSpec, source: str, only: Only = None) -> LeftOut:
    return _delete(spec, actuators=_meant(spec.actuators, only))


def _equalities(spec: mujoco.MjSpec, source: str, only: Only = None) -> LeftOut:
    return _delete(spec, equalities=_meant(spec.equalities, only))


def _tendons(spec: mujoco.MjSpec, source: str, only: Only = None) -> LeftOut:
    tendons = _meant(spec.tendons, only)
    names = {tendon.name for tendon in tendons}
    on_tendons = [a for a in spec.actuators if a.trntype == mujoco.mjtTrn.mjTRN_TENDON and a.target in names]
    of_tendons = [e for e in spec.equalities if e.type == mujoco.mjtEq.mjEQ_TENDON and {e.name1, e.name2} & names]
    return _delete(spec, tendons=tendons, actuators=on_tendons, equalities=of_tendons)


def _medium(spec: mujoco.MjSpec, source: str, only: Only = None) -> LeftOut:
    left = [name for name in ("density", "viscosity") if getattr(spec.option, name)]
    spec.option.density = spec.option.viscosity = 0.0
    return LeftOut({"medium": left})


def _geometry(spec: mujoco.MjSpec, source: str, only: Only = None) -> LeftOut:
    """Shapes go, and with them all that refers to them; mass properties that follow from them are kept."""
    _keep_inertia(spec, source)
    left = LeftOut({"geometry": map(_geom_name, spec.geoms)})
    left |= {"contact": [pair.name for pair in spec.pairs]}
    if any(wrap.type in _AROUND for tendon in spec.tendons for wrap in tendon.path):
        left |= _tendons(spec, source)
    left |= _delete(spec, sensors=spec.sensors)
    for items in (spec.skins, spec.pairs, spec.geoms, spec.meshes, spec.hfields):
        _delete_all(spec, items)
    for element in [*spec.sites, *spec.tendons]:
        element.material = ""
    for items in (spec.materials, spec.textures):
        _delete_all(spec, items)
    return left


_WHOLE = ("geometry", "medium")
_WAYS: dict[str, Callable[[mujoco.MjSpec, str, Only], LeftOut]] = {
    "geometry": _geometry,
    "contact": _contact,
    "limits": _limits,
    "friction": _friction,
    "actuators": _actuators,
    "tendons": _tendons,
    "equalities": _equalities,
    "springs": _springs,
    "dampers": _dampers,
    "medium": _medium,
}

# options that would change what a service computes, and that a mechanism has only once
_OPTIONS = ("cone", "impratio", "solver", "noslip_iterations")

_BIT = mujoco.mjtDisableBit
_FLAGS = {
    _BIT.mjDSBL_CONSTRAINT: ("contact", "limits", "friction", "equalities"),
    _BIT.mjDSBL_CONTACT: ("contact",),
    _BIT.mjDSBL_LIMIT: ("limits",),
    _BIT.mjDSBL_FRICTIONLOSS: ("friction",),
    _BIT.mjDSBL_EQUALITY: ("equalities",),
    _BIT.mjDSBL_SPRING: ("springs",),
    _BIT.mjDSBL_DAMPER: ("dampers",),
    _BIT.mjDSBL_ACTUATION: ("actuators",),
}


def _delete(spec: mujoco.MjSpec, **items: Iterable[Any]) -> LeftOut:
    """Delete elements, and the sensors and keyframes of the file, which may refer to them and which nothing uses."""
    chosen = {kind: list(elements) for kind, elements in items.items()}
    if any(chosen.values()):
        chosen |= {"sensors": list(spec.sensors), "keyframes": list(spec.keys)}
    left = {kind: [item.name or kind.removesuffix("s") for item in elements] for kind, elements in chosen.items()}
    for elements in chosen.values():
        _delete_all(spec, elements)
    return LeftOut(left)


def _meant(elements: Iterable[Any], only: Only) -> list[Any]:
    return [element for element in elements if only is None or element.name in only]


def _delete_all(spec: mujoco.MjSpec, elements: Iterable[Any]) -> None:
    for element in list(elements):
        spec.delete(element)


def _geom_name(geom: Any) -> str:
    return geom.name or f"a geom of {geom.parent.name}"


def _keep_inertia(spec: mujoco.MjSpec, source: str) -> None:
    """Write down mass, centre of mass and inertia of the bodies that have them from their shapes."""
    shaped = [body.name for body in spec.bodies[1:] if any(_counts(geom, body) for geom in body.geoms)]
    if not shaped:
        return
    bare = spec.copy()
    unseen = [geom for body in bare.bodies for geom in body.geoms if not _counts(geom, body)]
    _delete(bare, actuators=bare.actuators, tendons=bare.tendons, equalities=bare.equalities, sensors=bare.sensors)
    for items in (bare.skins, bare.pairs, unseen):
        _delete_all(bare, items)
    for geom in bare.geoms:
        geom.material = ""
    used = {name for geom in bare.geoms for name in (geom.meshname, geom.hfieldname)}
    for items in (bare.meshes, bare.hfields):
        _delete_all(bare, [item for item in items if item.name not in used])
    for element in bare.sites:
        element.material = ""
    for items in (bare.materials, bare.textures):
        _delete_all(bare, items)
    try:
        model = compile_spec(bare, source).model
    except ValueError as error:
        bodies = [spec.body(name) for name in shaped]
        from_meshes = [b.name for b in bodies if any(geom.meshname and _counts(geom, b) for geom in b.geoms)]
        if not from_meshes or "opening file" not in str(error):
            raise
        raise MechanismError(
            f"`{source}` cannot be read without its geometry: the inertia of {some(f'`{n}`' for n in from_meshes)}\n"
            "  follows from meshes, and they cannot be read either. Give these bodies an `<inertial>`.\n"
            f"  MuJoCo: {' '.join(str(error).split())}"
        ) from error
    for name in shaped:
        body, numbers = spec.body(name), model.body(name)
        body.explicitinertial = True
        body.mass = float(numbers.mass[0])
        body.ipos, body.iquat, body.inertia = numbers.ipos, numbers.iquat, numbers.inertia
        body.fullinertia = [np.nan, 0.0, 0.0, 0.0, 0.0, 0.0]
        body.compiler.inertiafromgeom = _INERTIA.mjINERTIAFROMGEOM_AUTO


def _counts(geom: Any, body: Any) -> bool:
    """Whether the mass of a body has a share from this geom."""
    way = body.compiler.inertiafromgeom
    if way == _INERTIA.mjINERTIAFROMGEOM_FALSE or (body.explicitinertial and way != _INERTIA.mjINERTIAFROMGEOM_TRUE):
        return False
    low, high = body.compiler.inertiagrouprange
    has_mass = geom.density > 0.0 if np.isnan(geom.mass) else geom.mass > 0.0
    return bool(has_mass and low <= geom.group <= high)
