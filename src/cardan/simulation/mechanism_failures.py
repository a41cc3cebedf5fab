"""Why a mechanism has no accelerations, or none to be trusted: looked for in Python, once a run has ended by it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import CardanError, ImpossibleValue, MassPropertiesError, NotFinite, SingularMechanism, UnstableStep
from cardan.mechanism.coordinates import LENGTH_TOLERANCE, initial_coordinates
from cardan.mechanism.inertia import Inertia, inertia_at, joint_of, least_inertia, singular_text
from cardan.mechanism.masses import mass_fault
from cardan.mechanism.plumbing.regularity import LEAST
from cardan.mechanism.ports import SUMMED, MechanismPort, Role
from cardan.mechanism.tree import Tree
from cardan.native.status import Status
from cardan.scenario.order import DYNAMICS
from cardan.simulation.integrators import Integrator
from cardan.simulation.places import Place
from cardan.simulation.schedule import Schedule
from cardan.simulation.stiffness import TooLong, springs_in, too_long

# loads and rates beyond this overflow where they are multiplied
_HUGE = 1.0e100
# [rad/s or m/s] a mechanism that moves faster has diverged: where it is now says nothing
_DIVERGED = 1.0e8


def explain_service(
    arena: np.ndarray, schedule: Schedule, integrator: Integrator, path: str, where: str, status: Status
) -> CardanError | None:
    """The error for a service that returned `status`, or None if nothing here explains it."""
    found = _bad_masses(arena, schedule, where) or _bad_quaternion(arena, schedule, where)
    if found is not None:
        return found
    if status is Status.SINGULAR or not _has_diverged(arena, schedule):
        found = _singular(arena, schedule, path, where, status is Status.SINGULAR)
        if found is not None:
            return found
    step = too_long_now(arena, schedule, integrator)
    if step is not None:
        return UnstableStep(f"`{path}` found no finite acceleration {where}.\n  {step}")
    return _huge_load(arena, schedule, path, where) or _huge_rate(arena, schedule, path, where)


def explain_step(arena: np.ndarray, schedule: Schedule, integrator: Integrator, t: float) -> CardanError | None:
    """The error for a step that ended in a state that is not finite, or that became too short."""
    if schedule.layout.mechanism is None:
        return None
    where = f"in the step from t = {t:.9g} s"
    if not _has_diverged(arena, schedule):
        found = _singular(arena, schedule, schedule.rows[DYNAMICS].path, where, False)
        if found is not None:
            return found
    step = too_long_now(arena, schedule, integrator)
    return (
        None
        if step is None
        else UnstableStep(f"The state is no longer finite after the step from t = {t:.9g} s.\n  {step}")
    )


def too_long_now(arena: np.ndarray, schedule: Schedule, integrator: Integrator) -> TooLong | None:
    """Why the step is too long for the mechanism as it is now, or as it was at first if it has diverged."""
    mechanism = schedule.layout.scenario.mechanism
    if mechanism is None or schedule.layout.mechanism is None:
        return None
    memory = schedule.layout.mechanism
    is_known, springs = memory.array(arena, "is_known") != 0, springs_in(mechanism, memory, arena)
    return too_long(integrator, mechanism, _inertia(arena, schedule, mechanism.tree).matrix, is_known, springs)


# ---- causes --------------------------------------------------------------------------------------------------------


def _bad_masses(arena: np.ndarray, schedule: Schedule, where: str) -> CardanError | None:
    assert schedule.layout.mechanism is not None
    for fed in _fed(schedule, {Role.MASS_PROPERTIES}):
        body = fed.port.elements[0]
        sent = fed.place.block.unpack(fed.place.words(arena))
        fault = mass_fault(float(sent.mass), np.asarray(sent.inertia_C_B))
        if fault:
            return MassPropertiesError(
                f"{fed.source} gives `{body}` mass properties that no body has, {where}.\n  {fault}"
            )
        link = fed.port.mechanism.tree.bodies[body].link
        if not schedule.layout.mechanism.array(arena, "mass")[link] > 0.0:
            return MassPropertiesError(
                f"{fed.source} leaves `{body}` and what is fixed to it without mass, {where}.\n"
                f"  mass = {float(sent.mass):g} kg\n  Keep the mass positive."
            )
    return None


def _bad_quaternion(arena: np.ndarray, schedule: Schedule, where: str) -> CardanError | None:
    for fed in _fed(schedule, {Role.PRESCRIBED}):
        sent = fed.place.block.unpack(fed.place.words(arena))
        for name, value in zip(sent._fields, sent, strict=True):
            if name.startswith("q_") and not abs(np.linalg.norm(value) - 1.0) <= LENGTH_TOLERANCE:
                return ImpossibleValue(
                    f"{fed.source} gives `{fed.port.path}` a quaternion `{name}` of length "
                    f"{np.linalg.norm(value):.9g}, {where}.\n"
                    f"  expected length 1, within {LENGTH_TOLERANCE:g}\n  Divide it by its length."
                )
    return None


def _singular(arena: np.ndarray, schedule: Schedule, path: str, where: str, is_certain: bool) -> CardanError | None:
    mechanism, memory = schedule.layout.scenario.mechanism, schedule.layout.mechanism
    assert mechanism is not None and memory is not None
    tree, inertia = mechanism.tree, _inertia(arena, schedule, mechanism.tree)
    if not np.isfinite(inertia.matrix).all():
        return None
    least, joints = least_inertia(tree, inertia, memory.array(arena, "is_known") != 0)
    if not is_certain and least > LEAST:
        return None
    return SingularMechanism(singular_text(joints, least, where, path.partition(".")[0]))


def _huge_load(arena: np.ndarray, schedule: Schedule, path: str, where: str) -> CardanError | None:
    largest, told = _HUGE, ""
    for fed in _fed(schedule, SUMMED):
        values = fed.place.block.columns(fed.place.words(arena))
        for declared, value in zip(fed.place.fields, values, strict=True):
            size = float(np.abs(value).max(initial=0.0))
            if not size <= largest:
                largest, shown = size, np.array2string(np.asarray(value), precision=6, separator=", ")
                told = f"  {fed.source} sends {declared.name} = {shown} {declared.unit} to `{fed.port.path}`.\n"
    if not told:
        return None
    return NotFinite(
        f"`{path}` found no finite acceleration {where}: a load is too large.\n{told}"
        "  Check its unit, and what it is divided by."
    )


def _huge_rate(arena: np.ndarray, schedule: Schedule, path: str, where: str) -> CardanError | None:
    mechanism = schedule.layout.scenario.mechanism
    assert schedule.layout.mechanism is not None and mechanism is not None
    rates = np.abs(schedule.layout.mechanism.array(arena, "v_now"))
    fastest = int(np.argmax(np.nan_to_num(rates, nan=np.inf)))
    if rates[fastest] <= _HUGE:
        return None
    return NotFinite(
        f"`{path}` found no finite acceleration {where}: `{joint_of(mechanism.tree, fastest)}` "
        f"moves at {rates[fastest]:.3g} m/s or rad/s.\n"
        "  What drives it has let it grow: check its units and signs, or use a smaller step."
    )


# ---- details -------------------------------------------------------------------------------------------------------


class _Fed(NamedTuple):
    """One message that acts on a mechanism: where it goes, where it lies, and what sends it."""

    port: MechanismPort
    place: Place
    source: str


def _fed(schedule: Schedule, roles: Any) -> Iterator[_Fed]:
    for path, given in schedule.layout.scenario.mechanism_inputs.items():
        if given.port.role in roles:
            for connection, place in zip(given.connections, schedule.layout.sources[path], strict=True):
                source = f"`{connection.source.path}`" if connection.source else "A constant message"
                yield _Fed(given.port, place, source)


def _has_diverged(arena: np.ndarray, schedule: Schedule) -> bool:
    assert schedule.layout.mechanism is not None
    return not bool(np.abs(schedule.layout.mechanism.array(arena, "v_now")).max(initial=0.0) < _DIVERGED)


def _inertia(arena: np.ndarray, schedule: Schedule, tree: Tree) -> Inertia:
    """The inertia where the mechanism is now, or was at first if it has diverged."""
    memory = schedule.layout.mechanism
    assert memory is not None
    q = np.array(memory.array(arena, "q_now"))
    if _has_diverged(arena, schedule) or not np.isfinite(q).all():
        mechanism, integrated = schedule.layout.scenario.mechanism, schedule.layout.integrated
        assert mechanism is not None and integrated is not None
        q[integrated.q] = initial_coordinates(mechanism, integrated, schedule.layout.scenario.initial_states).q
    mass, com, inertia = (memory.array(arena, name) for name in ("mass", "com", "inertia"))
    return inertia_at(replace(tree, armature=memory.array(arena, "armature")), q, mass, com, inertia)
