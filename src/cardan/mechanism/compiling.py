"""From a specification to a compiled model whose bodies have the inertia that is written there, however small.

MuJoCo refuses a joint that moves a body without mass or inertia, although the mechanism can be regular: a massless link
between others, a point mass on a lever, a planar vehicle. Such bodies are compiled with placeholders, and their true
values are put into the compiled model.
"""

import copy
import math
import os
import re
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from xml.etree import ElementTree

import mujoco
import numpy as np

from cardan.errors import MechanismError, MechanismWarning
from cardan.maths import quaternion_from_dcm

_PLACEHOLDER = 2.0e-15  # [kg], [kg m^2] barely more than MuJoCo refuses
_PLANAR = 1.0e-12  # two principal moments below this share of the third are rounding
_IS_TOO_SMALL = re.compile("larger than mjMINVAL|A \\+ B >= C|positive eigenvalues")
_DOES_NOT_MATTER = (
    r"(?s)Attach conflict|Inertia matrix is too close to singular|.*\b(deprecated|textures?|cameras?|lights?|skins?)\b"
)
_NO_TURN = [1.0, 0.0, 0.0, 0.0]


class Compiled(NamedTuple):
    """A specification and what it was compiled to.

    Attributes:
        model: The model, with the true inertia.
        spec: What MuJoCo compiled; it may have placeholders.
        planar: [kg m^2] The true principal moments of bodies for which it has others.
    """

    model: mujoco.MjModel
    spec: mujoco.MjSpec
    planar: dict[str, np.ndarray]


def compile_spec(spec: mujoco.MjSpec, source: str, text: str | None = None) -> Compiled:
    """Compile `spec`, which was read from `source`.

    Args:
        spec: What to compile.
        source: What errors call it.
        text: All that it was made from, if that is one text; a mechanism that is read again is not compiled again.

    Raises:
        MechanismError: A mass or an inertia that no body has.
        ValueError: Anything else that MuJoCo's compiler refuses.
    """
    if text in _known:
        return _with_own_model(_known[text])
    _check_masses(spec, source)
    with warnings_of(source) as told, without_words_of_qhull(spec):
        # copies: a specification that could not be compiled answers no question afterwards
        plain = spec.copy()
        try:
            compiled = Compiled(plain.compile(), plain, {})
        except ValueError as error:
            if not _IS_TOO_SMALL.search(str(error)):
                raise
            lenient = spec.copy()
            planar = _put_placeholders(lenient)
            compiled = Compiled(lenient.compile(), lenient, planar)
            _put_true_inertia(compiled.model, planar)
    _check_numbers(compiled.model, source)
    if text is not None and not told:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[text] = _with_own_model(compiled)
    return compiled


_MOST_KNOWN = 64
_known: dict[str | None, Compiled] = {}  # by text; nobody else has these models


def _with_own_model(compiled: Compiled) -> Compiled:
    """The same with a copy of the model, to which its owner may write."""
    return compiled._replace(model=copy.copy(compiled.model))


def compile_again(spec: mujoco.MjSpec, source: str) -> Compiled:
    """Compile a specification that has been compiled before with other numbers, which have been checked."""
    try:
        with warnings_of(source):
            plain = spec.copy()
            return Compiled(plain.compile(), plain, {})
    except ValueError:
        return compile_spec(spec, source)


@contextmanager
def without_words_of_qhull(spec: mujoco.MjSpec) -> Iterator[None]:
    """Keep a page about a degenerate mesh from the terminal: the error that follows names the mesh.

    Qhull writes to the process's own stderr. What anything else writes there meanwhile is passed on.
    """
    try:
        terminal = os.dup(2) if spec.meshes else None
    except OSError:  # a process without stderr
        terminal = None
    if terminal is None:
        yield
        return
    with tempfile.TemporaryFile() as kept:
        os.dup2(kept.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(terminal, 2)
            os.close(terminal)
            kept.seek(0)
            written = kept.read()
            if b"qhull" not in written:
                os.write(2, written)


def mjcf_of(compiled: Compiled) -> str:
    """The specification as the text of an MJCF file, with the true inertia."""
    with warnings_of("the mechanism"):
        text = str(compiled.spec.to_xml())
    if f"{_PLACEHOLDER:g}" not in text and not compiled.planar:
        return text
    root = ElementTree.fromstring(text)
    for compiler in root.iter("compiler"):
        for bound in ("boundmass", "boundinertia"):
            if float(compiler.get(bound, 0.0)) == _PLACEHOLDER:
                del compiler.attrib[bound]
    for body in root.iter("body"):
        inertial = body.find("inertial")
        if inertial is None:
            continue
        for attribute in ("mass", "diaginertia"):
            numbers = [
                0.0 if float(word) == _PLACEHOLDER else float(word) for word in inertial.get(attribute, "").split()
            ]
            if attribute == "diaginertia":
                numbers = list(compiled.planar.get(body.get("name", ""), numbers))
            if numbers:
                inertial.set(attribute, " ".join(f"{number:.17g}" for number in numbers))
    return ElementTree.tostring(root, encoding="unicode")


def changed_bodies(spec: mujoco.MjSpec, model: mujoco.MjModel, source: str) -> list[str]:
    """The bodies whose mass or inertia the compiler options of a file change: bounds, balancing, a total mass."""
    stated = spec.copy()
    for body in stated.bodies:
        compiler = body.compiler
        compiler.boundmass, compiler.boundinertia, compiler.settotalmass = 0.0, 0.0, -1.0
    plain = compile_spec(stated, source).model
    changed = []
    for body in spec.bodies[1:]:
        mass, moments = float(plain.body(body.name).mass[0]), plain.body(body.name).inertia
        if body.explicitinertial and body.compiler.balanceinertia:
            moments = _principal_moments(stated.body(body.name))  # as written, not as balanced
        now = model.body(body.name)
        # compiled moments are exact but for the rounding of a decomposition
        if not (
            np.isclose(mass, now.mass[0], rtol=1e-9, atol=0.0)
            and np.allclose(np.sort(moments), np.sort(now.inertia), rtol=1e-9, atol=1e-12 * float(np.max(moments)))
        ):
            changed.append(body.name)
    return changed


def is_about_inertia(told: str) -> bool:
    """Whether MuJoCo's complaint is that no body has such principal moments."""
    return "A + B >= C" in told or "positive eigenvalues" in told


def impossible_bodies(spec: mujoco.MjSpec) -> dict[str, np.ndarray]:
    """[kg m^2] Principal moments, in order, that no body has: one is negative, or more than the sum of the others."""
    found = {}
    for body in spec.copy().bodies:
        if body.explicitinertial:
            low, middle, high = moments = np.sort(_principal_moments(body))
            if low < 0.0 or (low + middle < high and not body.compiler.balanceinertia):
                found[body.name] = moments
    return found


def has_bounds(spec: mujoco.MjSpec) -> bool:
    """Whether compiler options of a file may give bodies other masses than it states."""
    compilers = [body.compiler for body in spec.bodies]
    return any(c.boundmass or c.boundinertia or c.balanceinertia or c.settotalmass > 0.0 for c in compilers)


@contextmanager
def warnings_of(source: str) -> Iterator[list[str]]:
    """While a mechanism is read, put together or compiled: what MuJoCo warns of and matters comes as a warning of ours.

    Gives the list to which MuJoCo's warnings are added.

    Deprecated attributes do not matter; options in which a part differs from its host are reported as left out; whether
    the inertia is singular is decided when a simulation is made. From here on MuJoCo leaves no `MUJOCO_LOG.TXT` in the
    working folder.
    """
    config = mujoco.MjLogConfig.get()
    config.logto_file = False
    config.set()
    told: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(told.append)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=_DOES_NOT_MATTER)
            yield told
    finally:
        mujoco.set_mju_user_warning(before)
    for text in told:
        if not re.match(_DOES_NOT_MATTER, text):
            warnings.warn(f"`{source}`: {' '.join(text.split())}.", MechanismWarning, stacklevel=4)


def _check_masses(spec: mujoco.MjSpec, source: str) -> None:
    """Refuse what MuJoCo would take, or would raise to a bound, without a word."""
    for body in spec.bodies:
        if not body.explicitinertial:
            continue
        moments = ", ".join(f"{moment:g}" for moment in body.inertia)
        for what, numbers in {
            f"mass of {body.mass:g} kg": [body.mass],
            f"inertia of {moments} kg m^2": body.inertia,
        }.items():
            if not np.isfinite(numbers).all() or np.min(numbers) < 0.0:
                raise MechanismError(
                    f"`{source}`: the body `{body.name}` has a {what}.\n"
                    "  Give it numbers that are finite and not negative."
                )


# what a mechanism is made of, by the names that MuJoCo and people have for it
_NUMBERS = {
    "body": {
        "pos": "position", "quat": "attitude", "mass": "mass", "ipos": "centre of mass", "inertia": "inertia",
        "iquat": "attitude of its principal axes",
    },
    "joint": {"pos": "position", "axis": "axis", "stiffness": "stiffness"},
    "site": {"pos": "position", "quat": "attitude"},
}  # fmt: skip
_UNIT = ("quat", "iquat", "axis")
_LARGEST = 1.0e60  # in SI units: products of a few such numbers are still numbers


def _check_numbers(model: mujoco.MjModel, source: str) -> None:
    """Refuse places and masses that are no numbers, or so large that what follows from them is none."""
    counts = {"body": model.nbody, "joint": model.njnt, "site": model.nsite}
    arrays = {"body": "body", "joint": "jnt", "site": "site"}
    for kind, fields in _NUMBERS.items():
        for field, called in fields.items():
            values = np.asarray(getattr(model, f"{arrays[kind]}_{field}"))
            values = values.reshape(counts[kind], math.prod(values.shape[1:]))
            fits = (np.abs(values) <= _LARGEST).all(axis=1)
            if field in _UNIT:  # MuJoCo has divided it by its length, which may have been no number
                fits &= np.abs(np.linalg.norm(values, axis=1) - 1.0) < 1e-6
            for i in np.flatnonzero(~fits):
                numbers = " ".join(f"{number:g}" for number in values[i])
                raise MechanismError(
                    f"`{source}`: the {kind} `{getattr(model, kind)(int(i)).name}` has the {called} {numbers}.\n"
                    f"  Give it finite numbers, below {_LARGEST:g}."
                )
    for field, called in {"damping": "damping", "armature": "armature"}.items():
        values = getattr(model, f"dof_{field}")
        for i in np.flatnonzero(~(np.abs(values) <= _LARGEST)):
            name = model.joint(int(model.dof_jntid[i])).name
            raise MechanismError(
                f"`{source}`: the joint `{name}` has the {called} {values[i]:g}.\n"
                f"  Give it finite numbers, below {_LARGEST:g}."
            )


def _put_placeholders(spec: mujoco.MjSpec) -> dict[str, np.ndarray]:
    """Let every body pass MuJoCo's checks; the true moments of those that have the inertia of a plane."""
    planar = {}
    for body in spec.bodies:
        compiler = body.compiler
        compiler.boundmass = compiler.boundmass or _PLACEHOLDER
        compiler.boundinertia = compiler.boundinertia or _PLACEHOLDER
        if body.explicitinertial and not compiler.balanceinertia:
            moments = _principal_moments(body)
            low, middle, high = np.sort(moments)
            if high > 0.0 and low >= -_PLANAR * high and middle <= _PLANAR * high:
                planar[body.name] = np.where(moments == high, high, 0.0)
                body.inertia = [high, high, high]
    return planar


def _principal_moments(body: Any) -> np.ndarray:
    """[kg m^2] Principal moments of a body; where a matrix was given, the body has moments and axes afterwards."""
    xx, yy, zz, xy, xz, yz = body.fullinertia
    if np.isnan(xx):
        return np.array(body.inertia)
    moments, axes = np.linalg.eigh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if moments[0] < -_PLANAR * moments[2]:
        return moments  # no body has this one: MuJoCo says so
    axes[:, 2] *= np.linalg.det(axes)
    body.iquat = quaternion_from_dcm(axes.T)
    body.inertia = np.maximum(moments, 0.0)
    body.fullinertia = [np.nan, 0.0, 0.0, 0.0, 0.0, 0.0]
    return moments


def _put_true_inertia(model: mujoco.MjModel, planar: dict[str, np.ndarray]) -> None:
    """Set what placeholders stand for, and let MuJoCo derive its constants anew."""
    model.body_mass[model.body_mass == _PLACEHOLDER] = 0.0
    model.body_inertia[model.body_inertia == _PLACEHOLDER] = 0.0
    for name, moments in planar.items():
        model.body(name).inertia[:] = moments
    is_nothing = (model.body_mass == 0.0) & ~model.body_inertia.any(axis=1)
    model.body_ipos[is_nothing] = 0.0
    model.body_iquat[is_nothing] = _NO_TURN
    # it resets the state of the data it is given, and nothing of the model that is not derived
    mujoco.mj_setConst(model, mujoco.MjData(model))
