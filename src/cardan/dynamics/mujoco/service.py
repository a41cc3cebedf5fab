"""`Mujoco`: what it supports, and the memory that its native functions work with."""

import copy
import ctypes
import itertools
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, NamedTuple, final
from weakref import WeakKeyDictionary

import mujoco
import numpy as np

from cardan.contracts.dynamics import Binding, Constants, Dynamics, Inputs, Kernels, Unsupported
from cardan.dynamics.mujoco import contacts, kernel
from cardan.dynamics.mujoco.contact_options import check_contact, set_contact
from cardan.dynamics.refusals import (
    YIELDING,
    active_equalities,
    check_lock_time_constant,
    colliding_bodies,
    singular_joints,
)
from cardan.errors import MechanismError
from cardan.mechanism import Mechanism
from cardan.mechanism.compliant_contact import bodies_of
from cardan.mechanism.tree import FREE, Tree, is_disabled

_FUNCTIONS = {
    kernel.FWD_POSITION: "mj_fwdPosition",
    kernel.FWD_VELOCITY: "mj_fwdVelocity",
    kernel.FWD_ACTUATION: "mj_fwdActuation",
    kernel.FWD_ACCELERATION: "mj_fwdAcceleration",
    kernel.FWD_CONSTRAINT: "mj_fwdConstraint",
    kernel.FULL_M: "mj_fullM",
    kernel.RNE_POST: "mj_rnePostConstraint",
    kernel.SET_CONST: "mj_setConst",
    kernel.KINEMATICS: "mj_kinematics",
    kernel.COM_POS: "mj_comPos",
    kernel.MAKE_M: "mj_makeM",
    kernel.FACTOR_M: "mj_factorM",
    kernel.TRANSMISSION: "mj_transmission",
}
_DATA_ARRAYS = {
    kernel.QPOS: "qpos",
    kernel.QVEL: "qvel",
    kernel.QACC: "qacc",
    kernel.QACC_SMOOTH: "qacc_smooth",
    kernel.XPOS: "xpos",
    kernel.XMAT: "xmat",
    kernel.CVEL: "cvel",
    kernel.SUBTREE_COM: "subtree_com",
    kernel.XFRC: "xfrc_applied",
    kernel.QFRC: "qfrc_applied",
    kernel.CTRL: "ctrl",
    kernel.SMOOTH: "qfrc_smooth",
    kernel.CFRC: "cfrc_int",
    kernel.XANCHOR: "xanchor",
    kernel.DIAGONAL: "qLDiagInv",
}
_MODEL_ARRAYS = {
    kernel.BODY_MASS: "body_mass",
    kernel.BODY_IPOS: "body_ipos",
    kernel.BODY_IQUAT: "body_iquat",
    kernel.BODY_INERTIA: "body_inertia",
    kernel.DOF_ARMATURE: "dof_armature",
    kernel.CONTACTS + contacts.GEOM_BODY: "geom_bodyid",
}

# the words that follow from the model
_OF_MODEL = [
    kernel.MODEL, *_MODEL_ARRAYS, kernel.SHIFT_ROOT, kernel.HAS_CONSTRAINTS, kernel.HEAVY, kernel.NUMBER
]  # fmt: skip

_LET_TOUCH = "Give both shapes contype and conaffinity that match, in the file, or use RecursiveTree()."

# of Newton's method and of each of its searches along a line: MuJoCo's defaults
_ITERATIONS, _SEARCHES = 100, 50
# Newton's method has arrived where its cost no longer falls: below any cost but zero. With a tolerance of zero it would
# go on where the cost stays the same.
_ARRIVED = 1.0e-60
# a held joint beside constraints is made this much heavier than the whole mechanism
_HEAVIER = 1.0e6


@final
@dataclass(frozen=True)
class Mujoco(Dynamics):
    """The MuJoCo library from its package, its stages called one by one; its own integrators are never used.

    Limits, contact, equality constraints, tendons and actuators are MuJoCo's. Locked and prescribed joints are exact
    where the mechanism has no constraints; beside constraints a held joint follows to about one part in 10^8.

    Attributes:
        lock_time_constant: [s] How fast an engaged lock pulls its joint to where it holds, critically damped.
        solref: [s], [-] Time constant and damping ratio of all contacts; [N/(kg m)] and [N s/(kg m)], both with a minus
            sign, are stiffness and damping for a unit mass. Those of the file if left out, as are the next three.
        solimp: [-], [-], [m], [-], [-] Impedance of all contacts: where they begin, deep inside, at which depth, where
            the slope is largest and of which power it is.
        friction: [-], [m], [m] Coefficients of sliding, torsion and rolling of all contacts.
        cone: "pyramidal" or "elliptic": the shape of friction cones.
        jit: Whether it runs as native code; else in the interpreter, to be stepped through. The library is the same.
    """

    varies: ClassVar[bool] = True

    lock_time_constant: float = 0.1
    solref: tuple[float, float] | None = None
    solimp: tuple[float, float, float, float, float] | None = None
    friction: tuple[float, float, float] | None = None
    cone: str | None = None
    jit: bool = field(default=True, repr=False)

    def __post_init__(self) -> None:
        check_lock_time_constant(self, self.lock_time_constant)
        check_contact(self, self.solref, self.solimp, self.friction, self.cone)

    def unsupported(self, mechanism: Mechanism, inputs: Inputs) -> list[Unsupported]:
        found = _kept_between_evaluations(mechanism.model)
        for body, frame in mechanism.tree.bodies.items():
            if body in inputs.mass_properties and _has_fixed_neighbours(mechanism, frame.link):
                found.append(Unsupported(body, "mass_properties of a body that others are fixed to"))
        touching = set(colliding_bodies(mechanism.model))
        for contact in mechanism.compliant_contacts:
            if not bodies_of(mechanism, contact) <= touching:
                names = f"{contact.first} with {contact.second}"
                found.append(Unsupported(names, "compliant contact of shapes that MuJoCo lets pass", _LET_TOUCH))
        return found + singular_joints(mechanism, inputs)

    def kernels(self) -> Kernels:
        return Kernels(kernel.kinematics, kernel.dynamics, kernel.check)

    def bind(self, mechanism: Mechanism, inputs: Inputs) -> Binding:
        shared = _shared(self, mechanism, inputs.mass_properties, not inputs.is_varied)
        model = shared.model
        # a held joint beside constraints is made heavy for the time of an evaluation
        is_made_heavy = shared.has_constraints and bool(inputs.locked or inputs.prescribed)
        if inputs.mass_properties or is_made_heavy:
            model = copy.copy(model)
        # the data must have room for whatever model is used with it
        largest = mechanism.compile_with_general_inertia(list(mechanism.tree.body_mass)) if inputs.is_varied else model
        data = mujoco.MjData(largest)
        spare = mujoco.MjData(largest) if inputs.mass_properties else None
        words = shared.words.copy()
        ints = words.view(np.int64)
        for at, address in {
            kernel.DATA: data._address,
            kernel.SPARE: 0 if spare is None else spare._address,
            **{at: getattr(data, name).ctypes.data for at, name in _DATA_ARRAYS.items()},
        }.items():
            ints[at // 8] = address
        _write_model(words, model)
        return Binding(words, takes_commands=True, keep=_OfARun(model, data, spare, _library()))

    def constants(self, mechanism: Mechanism, inputs: Inputs) -> Constants:
        """The addresses of a model of its own, and what follows from its numbers."""
        shared = _shared(self, mechanism, inputs.mass_properties, False)
        words = shared.words.copy()
        _write_model(words, shared.model)
        at = np.array(_OF_MODEL) // 8
        return Constants(at, words[at], keep=shared.model)


class _OfARun(NamedTuple):
    """What the words of one run point at."""

    model: Any
    data: Any
    spare: Any
    library: Any


class _Shared(NamedTuple):
    """What all runs of a mechanism share.

    Attributes:
        model: The model, from which the runs that change it make a copy.
        words: The words, but for the addresses of what a run has for itself.
        has_constraints: Whether constraints can arise.
    """

    model: Any
    words: np.ndarray
    has_constraints: bool


_shared_by_mechanism: WeakKeyDictionary[Mechanism, dict[Any, _Shared]] = WeakKeyDictionary()
_sharing = Lock()
_numbers = itertools.count(1)  # of models: an address may be that of a model that is gone


def _shared(service: Mujoco, mechanism: Mechanism, changing: frozenset[str], has_own_data: bool) -> _Shared:
    """What all runs of a service with these changing bodies share, made once.

    `has_own_data` says whether no other model is used with the data of these runs.
    """
    key = (service, changing, has_own_data)
    with _sharing:
        known = _shared_by_mechanism.setdefault(mechanism, {})
        if key not in known:
            known[key] = _share(*key, mechanism)
        return known[key]


def _share(service: Mujoco, changing: frozenset[str], has_own_data: bool, mechanism: Mechanism) -> _Shared:
    model, tree, library = _working_model(mechanism, changing, has_own_data), mechanism.tree, _library()
    set_contact(model, service.solref, service.solimp, service.friction, service.cone)
    room = tree.nv * (2 * tree.nv + 2)
    words = np.zeros(kernel.HEAD // 8 + 2 * tree.links + room + model.nbody)
    ints, has_constraints = words.view(np.int64), _has_constraints(model)
    for at, name in _FUNCTIONS.items():
        ints[at // 8] = _function(library, name)
    ints[kernel.SHIFT_ROOT // 8] = _shift_root(mechanism)
    ints[kernel.HAS_CONSTRAINTS // 8] = has_constraints
    words[kernel.HEAVY // 8] = _HEAVIER * _largest_inertia(mechanism)
    for link in range(1, tree.links):
        body = int(model.jnt_bodyid[link - 1])
        ints[kernel.HEAD // 8 + 2 * link] = body
        ints[kernel.HEAD // 8 + 2 * link + 1] = model.body_rootid[body]
    if len(mechanism.contact_pairs):
        own = ints[kernel.CONTACTS // 8 :]
        own[: len(contacts.places())] = list(contacts.places())
        own[contacts.FORCE_FUNCTION // 8] = _function(library, "mj_contactForce")
        own[contacts.BODY_LINKS // 8] = 8 * (len(words) - model.nbody) - kernel.CONTACTS
        ints[-model.nbody :] = [_link_of(tree, model.body(i).name) for i in range(model.nbody)]
    return _Shared(model, words, has_constraints)


def _link_of(tree: Tree, body: str) -> int:
    """The link of a body; 0 for the world and what is fixed in it."""
    return tree.bodies[body].link if body in tree.bodies else 0


def _write_model(words: np.ndarray, model: Any) -> None:
    """Let words point at a model."""
    ints = words.view(np.int64)
    ints[kernel.MODEL // 8] = model._address
    ints[kernel.NUMBER // 8] = next(_numbers)
    for at, name in _MODEL_ARRAYS.items():
        ints[at // 8] = getattr(model, name).ctypes.data


def _kept_between_evaluations(model: Any) -> list[Unsupported]:
    """What MuJoCo carries from one of its own steps to the next, and what has no port."""
    found = [Unsupported(f"flex{i}", "flexible body") for i in range(model.nflex)]
    for i in range(model.nactuator):
        name = model.actuator(i).name
        if model.actuator_dyntype[i] != mujoco.mjtDyn.mjDYN_NONE:
            found.append(Unsupported(name, "activation dynamics", "Make the lag a part of the scenario."))
        if model.actuator_history[i].any():
            found.append(Unsupported(name, "delay", "Delay the command instead: `scn.connect(..., delay=...)`."))
        if model.actuator_ctrlnum[i] != 1:
            found.append(Unsupported(name, "several commands", "A command has one number: use several actuators."))
    found += [Unsupported(model.joint(i).name, *YIELDING) for i in np.flatnonzero(model.jnt_springyield)]
    found += [Unsupported(model.tendon(i).name, *YIELDING) for i in np.flatnonzero(model.tendon_springyield)]
    found += [Unsupported(f"plugin{i}", "plugin with a state of its own") for i in range(model.npluginstate)]
    return found


def _working_model(mechanism: Mechanism, changing: frozenset[str], has_own_data: bool = False) -> Any:
    """A copy of the compiled model with all that Cardan does itself switched off, and what would find nothing."""
    model = copy.copy(mechanism.model)
    if changing:
        model, tree = mechanism.compile_with_general_inertia(sorted(changing)), mechanism.tree
        for body in changing:
            link = tree.bodies[body].link
            _set_body(model, model.body(body).id, tree.mass[link], tree.com[link], tree.inertia[link])
        mujoco.mj_setConst(model, mujoco.MjData(model))
    model.opt.gravity[:] = 0.0
    # MuJoCo stops its constraint solver at a share of the mean inertia, or after the few iterations that a file made
    # for speed allows, which would ignore gentle contact and leave noise that an adaptive integrator follows. Whichever
    # solver the file asks for, the answer that it looks for is the same, and Newton's method reaches it to rounding.
    model.opt.tolerance = _ARRIVED
    model.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    model.opt.iterations = max(int(model.opt.iterations), _ITERATIONS)
    model.opt.ls_iterations = max(int(model.opt.ls_iterations), _SEARCHES)
    # where only one tree moves, its constraints are one island
    idle = ("ISLAND",) if model.ntree <= 1 else ()
    for flag in ("AUTORESET", "WARMSTART", "GRAVITY", "SENSOR", *idle):
        model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))
    # An evaluation depends on the state alone: nothing may fall asleep. But where sleeping is possible, MuJoCo places
    # what is fixed in the world when the data are made, and not again at every evaluation.
    model.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_SLEEP)
    if has_own_data and model.nmocap == 0 and model.ntree > 0:
        model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_SLEEP)
        model.tree_sleep_policy[:] = int(mujoco.mjtSleepPolicy.mjSLEEP_NEVER)
    return model


def _set_body(model: Any, body: int, mass: float, com: np.ndarray, inertia: np.ndarray) -> None:
    """Other mass properties of a body, as `kernel.update_body` stores them."""
    moments, quat = kernel.principal(np.ravel(inertia).tolist())  # type: ignore[no-untyped-call]
    model.body_mass[body], model.body_ipos[body] = mass, com
    model.body_inertia[body], model.body_iquat[body] = moments, quat


@cache
def _library() -> ctypes.CDLL:
    """The library that the Python package itself has loaded."""
    major = int(mujoco.__version__.split(".")[0])
    if major < 4:
        raise MechanismError(f"MuJoCo {mujoco.__version__} is installed.\n  Install `mujoco-core>=4.0.1`.")
    folder = Path(mujoco.__file__).parent
    candidates = sorted(p for p in folder.iterdir() if p.name.startswith(("libmujoco", "mujoco.dll")))
    if not candidates:
        raise MechanismError(f"The MuJoCo library is not in its package, {folder}.\n  Install `mujoco-core` again.")
    library = ctypes.CDLL(str(candidates[0]))
    # The package lets MuJoCo read the clock some thirty times in an evaluation, for `MjData.timer`: an eighth of the
    # time of a free body. A clock of the user's own stays.
    if mujoco.get_mjcb_time() is None:
        ctypes.c_void_p.in_dll(library, "mjcb_time").value = None
    return library


def _function(library: ctypes.CDLL, name: str) -> int:
    address = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
    assert address is not None
    return address


def _shift_root(mechanism: Mechanism) -> int:
    """The link whose motion can be taken out of everything: the first free root, if nothing is tied to the world."""
    tree, model = mechanism.tree, mechanism.model
    roots = [int(root) for root in tree.roots]
    if not roots or any(tree.kind[root] != FREE for root in roots):
        return 0
    is_fixed = model.body_weldid == 0  # the world itself, and all bodies without a joint between them and it
    has_shapes = bool(is_fixed[model.geom_bodyid].any())
    is_tied = any(is_fixed[body] for i in range(model.neq) for body in _tied_bodies(model, i))
    medium = bool(model.opt.density or model.opt.viscosity)
    stays = has_shapes or is_tied or medium or model.nmocap or model.ntendon or _feels_the_world(model, is_fixed)
    return 0 if stays else roots[0]


def _tied_bodies(model: Any, equality: int) -> list[int]:
    """The bodies that an equality constraint connects."""
    ends = [int(model.eq_obj1id[equality]), int(model.eq_obj2id[equality])]
    kind = model.eq_objtype[equality]
    if kind == mujoco.mjtObj.mjOBJ_SITE:
        return [int(model.site_bodyid[end]) for end in ends]
    return ends if kind == mujoco.mjtObj.mjOBJ_BODY else []


def _feels_the_world(model: Any, is_fixed: np.ndarray) -> bool:
    """Whether springs, dampers, friction or actuators act between a vehicle and the world."""
    free = np.flatnonzero(model.jnt_type == FREE)
    dofs = (model.jnt_dofadr[free, None] + np.arange(6)).ravel()
    coefficients = [model.jnt_stiffness[free], model.jnt_stiffnesspoly[free]]
    coefficients += [model.dof_damping[dofs], model.dof_dampingpoly[dofs], model.dof_frictionloss[dofs]]
    on_joint = np.isin(model.actuator_trntype, (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT))
    on_site = (model.actuator_trntype == mujoco.mjtTrn.mjTRN_SITE) & (model.actuator_trnid[:, 1] >= 0)
    references = model.actuator_trnid[on_site, 1]
    return (
        any(values.any() for values in coefficients)
        or bool(np.isin(model.actuator_trnid[on_joint, 0], free).any())
        or bool(is_fixed[model.site_bodyid[references]].any())
    )


def _has_constraints(model: Any) -> bool:
    """Whether MuJoCo could ever find an active constraint, or needs the lengths of tendons."""
    limits = bool(np.any(model.jnt_limited)) and not is_disabled(model, "LIMIT")
    friction = bool(np.any(model.dof_frictionloss)) and not is_disabled(model, "FRICTIONLOSS")
    return bool(limits or friction or model.ntendon or len(active_equalities(model)) or colliding_bodies(model))


def _largest_inertia(mechanism: Mechanism) -> float:
    """[kg m^2 or kg] No joint carries more than this."""
    model = mechanism.model
    size = float(np.abs(model.body_pos).sum() + np.abs(model.body_ipos).max() + 1.0)
    return float(model.body_mass.sum() * size**2 + model.body_inertia.sum())


def _has_fixed_neighbours(mechanism: Mechanism, link: int) -> bool:
    return sum(frame.link == link for frame in mechanism.tree.bodies.values()) > 1
