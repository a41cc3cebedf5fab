"""From MJCF and URDF to specifications that mean what their formats say."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import mujoco

from cardan.errors import MechanismError
from cardan.mechanism.compiling import warnings_of
from cardan.mechanism.extent import check_extent

_ROOT = re.compile(r"<\s*(mujoco|robot)\b")
_REFERS = re.compile(r"file|<\s*plugin\b")  # to a mesh, a texture, another piece of itself; or to a library
_FORMATS = {"mujoco": ("an MJCF", "from_mjcf"), "robot": ("a URDF", "from_urdf")}
_AUTO = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_AUTO


def read_mjcf(source: str | Path) -> mujoco.MjSpec:
    """The specification of an MJCF file, or of the text of one."""
    known = _known.get(source) if isinstance(source, str) else None
    if known is not None:
        return known.copy()
    text, folder = _text_of(source, "mujoco")
    with _errors_of(source) as told:
        spec = _parse(text if folder is None else Path(source))
        # a body that is merged with its parent would have no ports; the dynamics are the same
        spec.compiler.fusestatic = False
        _name_everything(spec)
    if isinstance(source, str) and is_self_contained(source) and not told:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[source] = spec.copy()
    return spec


_MOST_KNOWN = 64
_known: dict[
    str, mujoco.MjSpec
] = {}  # what texts were read as, for scenarios that are built again; nobody writes to it


def is_self_contained(source: str | Path) -> bool:
    """Whether a source is a text that refers to no file, so that it means the same whenever it is read."""
    return isinstance(source, str) and _is_text(source) and not _REFERS.search(source)


def read_urdf(source: str | Path, *, free_base: bool) -> mujoco.MjSpec:
    """The specification of a URDF file, or of the text of one; its root link flies freely, or is fixed to the world."""
    text, folder = _text_of(source, "robot")
    renamed = _with_world_as_a_link(text, free_base)
    with _errors_of(source):
        if renamed is not None:
            spec = _parse(renamed)
            spec.modelfiledir = "" if folder is None else str(folder)
        else:
            spec = _parse(text if folder is None else Path(source))
        spec.compiler.fusestatic = False
        _take_mass_from_geometry(spec)
        if free_base:
            _free_root(spec, source)
        _name_everything(spec)
    return spec


def _free_root(spec: mujoco.MjSpec, source: str | Path) -> None:
    roots = spec.worldbody.bodies
    if not roots:
        raise MechanismError(f"`{source_name(source)}` has no link that could fly freely.")
    if len(roots) > 1:
        raise MechanismError(
            f"`{source_name(source)}` has several root links: {', '.join(root.name for root in roots)}.\n"
            "  Connect them by joints: with `free_base=True` one root flies, and all others with it."
        )
    roots[0].add_freejoint(name=f"{roots[0].name}_free")


def source_name(source: str | Path) -> str:
    """What errors call a source."""
    return "the given text" if _is_text(source) else str(source)


def _is_text(source: str | Path) -> bool:
    return isinstance(source, str) and source.lstrip().startswith("<")


def _text_of(source: str | Path, expected: str) -> tuple[str, Path | None]:
    """The text of a source, and the folder that its meshes are relative to."""
    if not isinstance(source, str | Path):
        raise MechanismError(f"A mechanism is read from a file or from its text, got {type(source).__name__}.")
    if _is_text(source):
        text, folder = str(source), None
    else:
        path = Path(source)
        if not path.is_file():
            raise MechanismError(f"There is no file {source}.")
        text, folder = path.read_text(encoding="utf-8", errors="replace"), path.parent
    root = _ROOT.search(text)
    if root is not None and root[1] != expected:
        kind, reader = _FORMATS[root[1]]
        raise MechanismError(f"`{source_name(source)}` is {kind} file.\n  Read it with `Mechanism.{reader}`.")
    check_extent(text, source_name(source), folder)
    return text, folder


def _parse(source: str | Path) -> mujoco.MjSpec:
    return mujoco.MjSpec.from_file(str(source)) if isinstance(source, Path) else mujoco.MjSpec.from_string(source)


@contextmanager
def _errors_of(source: str | Path) -> Iterator[list[str]]:
    """MuJoCo's complaints about a source, in our form; gives the list of those that are warnings."""
    try:
        with warnings_of(source_name(source)) as told:
            yield told
    except MechanismError:
        raise
    except ValueError as error:
        text = f"`{source_name(source)}` cannot be read.\n  MuJoCo: {str(error).strip()}"
        if "mujocoinclude" in str(error):
            text += "\n  It is a piece that other files include: read one of those."
        raise MechanismError(text) from error


def _with_world_as_a_link(text: str, free_base: bool) -> str | None:
    """The text of a URDF file whose link `world` is more than a name for the inertial frame, else None.

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
    if "world" not in links:
        return None
    is_root = all(_ends(joint)[1] != "world" for joint in joints)
    is_bare = links["world"].find("inertial") is None and links["world"].find("collision") is None
    is_mount = is_bare and len(below) == 1 and below[0].get("type") == "fixed"
    if is_root and (is_mount or not free_base):
        return None
    name = _unused("world_link", links)
    links["world"].set("name", name)
    for end in (end for joint in joints for end in (joint.find("parent"), joint.find("child"))):
        if end is not None and end.get("link") == "world":
            end.set("link", name)
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
