"""From MJCF and URDF to specifications that mean what their formats say."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import mujoco

from cardan.errors import MechanismError
from cardan.mechanism.compiling import warnings_of

_ROOT = re.compile(r"<\s*(mujoco|robot)\b")
_FORMATS = {"mujoco": ("an MJCF", "from_mjcf"), "robot": ("a URDF", "from_urdf")}
_AUTO = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_AUTO


def read_mjcf(source: str | Path) -> mujoco.MjSpec:
    """The specification of an MJCF file, or of the text of one."""
    text, folder = _text_of(source, "mujoco")
    spec = _parse(text if folder is None else Path(source), source)
    _name_everything(spec)
    return spec


def read_urdf(source: str | Path, *, free_base: bool) -> mujoco.MjSpec:
    """The specification of a URDF file, or of the text of one; its root link flies freely, or is fixed to the world."""
    text, folder = _text_of(source, "robot")
    freed = _with_world_as_a_link(text) if free_base else None
    if freed is not None:
        spec = _parse(freed, source)
        spec.modelfiledir = "" if folder is None else str(folder)
    else:
        spec = _parse(text if folder is None else Path(source), source)
    spec.compiler.fusestatic = False
    _take_mass_from_geometry(spec)
    if free_base:
        base = spec.worldbody.first_body()
        if base is None:
            raise MechanismError(f"`{source_name(source)}` has no link that could fly freely.")
        base.add_freejoint(name=f"{base.name}_free")
    _name_everything(spec)
    return spec


def source_name(source: str | Path) -> str:
    """What errors call a source."""
    return "the given text" if _is_text(source) else str(source)


def _is_text(source: str | Path) -> bool:
    return isinstance(source, str) and source.lstrip().startswith("<")


def _text_of(source: str | Path, expected: str) -> tuple[str, Path | None]:
    """The text of a source, and the folder that its meshes are relative to."""
    if _is_text(source):
        text, folder = str(source), None
    else:
        path = Path(source)
        if not path.exists():
            raise MechanismError(f"There is no file {source}.")
        text, folder = path.read_text(errors="replace"), path.parent
    root = _ROOT.search(text)
    if root is not None and root[1] != expected:
        kind, reader = _FORMATS[root[1]]
        raise MechanismError(f"`{source_name(source)}` is {kind} file.\n  Read it with `Mechanism.{reader}`.")
    return text, folder


def _parse(source: str | Path, told: str | Path) -> mujoco.MjSpec:
    try:
        with warnings_of(source_name(told)):
            if isinstance(source, Path):
                return mujoco.MjSpec.from_file(str(source))
            return mujoco.MjSpec.from_string(source)
    except ValueError as error:
        raise MechanismError(f"`{source_name(told)}` cannot be read.\n  MuJoCo: {error}") from error


def _with_world_as_a_link(text: str) -> str | None:
    """The text of a URDF file whose root link `world` is more than a name for the inertial frame, else None.

    MuJoCo takes a link `world` for the world itself, which does not fly. Where it is nothing but the place that one
    link is fixed to, that link flies; else it becomes a link like any other, under another name.
    """
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return None  # MuJoCo says what is wrong
    links = {link.get("name"): link for link in root.iter("link")}
    joints = [joint for joint in root.findall("joint") if joint.find("parent") is not None]
    below = [joint for joint in joints if _ends(joint)[0] == "world"]
    if "world" not in links or any(_ends(joint)[1] == "world" for joint in joints):
        return None
    is_bare = links["world"].find("inertial") is None and links["world"].find("collision") is None
    if is_bare and len(below) == 1 and below[0].get("type") == "fixed":
        return None
    name = _unused("world_link", links)
    links["world"].set("name", name)
    for joint in below:
        joint.find("parent").set("link", name)  # type: ignore[union-attr]
    return ElementTree.tostring(root, encoding="unicode")


def _ends(joint: ElementTree.Element) -> tuple[str | None, str | None]:
    parent, child = joint.find("parent"), joint.find("child")
    return (None if parent is None else parent.get("link"), None if child is None else child.get("link"))


def _take_mass_from_geometry(spec: mujoco.MjSpec) -> None:
    """In URDF, only `<inertial>` has mass; MuJoCo would give a density to the shapes of a link that has none."""
    for body in spec.bodies:
        if not body.explicitinertial and body.compiler.inertiafromgeom == _AUTO:
            for geom in body.geoms:
                geom.mass = 0.0


def _name_everything(spec: mujoco.MjSpec) -> None:
    """Give what has no name one, so that it has ports and can be spoken of."""
    for kind, elements in {
        "body": spec.bodies,
        "joint": spec.joints,
        "actuator": spec.actuators,
        "tendon": spec.tendons,
        "equality": spec.equalities,
        "pair": spec.pairs,
    }.items():
        taken = {element.name for element in elements}
        for i, element in enumerate(elements):
            if not element.name:
                element.name = _unused(f"{kind}{i}", taken)
                taken.add(element.name)


def _unused(name: str, taken: Iterable[Any]) -> str:
    while name in taken:
        name += "_"
    return name
