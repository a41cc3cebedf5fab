"""The recursion without a simulation: one mechanism, one state, one question at a time."""

import inspect
from functools import cache
from typing import Any, NoReturn

import numpy as np
from numba import types

from cardan.dynamics.recursive_tree import kernel
from cardan.dynamics.recursive_tree.records import records
from cardan.errors import ShapeError, SingularMechanism
from cardan.maths import dcm_from_quaternion, normalized_quaternion
from cardan.mechanism import Mechanism
from cardan.mechanism.coordinates import check_quaternions, integrated_links, quaternions_in
from cardan.mechanism.inertia import inertia_at, least_inertia, singular_text
from cardan.mechanism.plumbing.arrays import ARRAYS, SIZES, array_words, constants
from cardan.mechanism.plumbing.kinds import CONTEXT_WORDS
from cardan.mechanism.rotors import rotor_numbers
from cardan.native.cached_function import cached_function
from cardan.native.layout import LINE, WORD, aligned_copy
from cardan.native.status import SINGULAR

Vector = np.ndarray


class Calculator:
    """Kinematics, forward and inverse dynamics and inertia of a mechanism at a given state.

    Coordinates `q` and velocities `v` are those of `cardan.mechanism.tree`. Springs, dampers and limits of joints are
    not part of it: efforts are what acts along the joints, from wherever it comes.

    Args:
        mechanism: The mechanism.
        jit: Whether the recursion runs as native code; else in the interpreter, to be stepped through.
    """

    def __init__(self, mechanism: Mechanism, *, jit: bool = True) -> None:
        self._tree = tree = mechanism.tree
        self._jit = jit
        self._quaternions = quaternions_in(tree)
        own = records(tree)
        sizes = dict.fromkeys(SIZES, 0) | {
            "links": tree.links,
            "vehicles": len(tree.roots),
            "nq": tree.nq,
            "nv": tree.nv,
            "integrated_links": tree.links - 1,
            "nq_integrated": tree.nq,
            "nv_integrated": tree.nv,
            "private_words": len(own),
        }
        words = [array_words(shape, sizes) for _, _, shape in ARRAYS]
        starts = CONTEXT_WORDS + np.cumsum([0, *words])
        starts[-2:] += -starts[-2] % LINE  # the service's own words come last
        self._memory = aligned_copy(np.zeros(int(starts[-1])))
        ints = self._memory.view(np.int64)
        ints[: len(SIZES)] = [sizes[name] for name in SIZES]
        ints[len(SIZES) : len(SIZES) + len(ARRAYS)] = WORD * starts[:-1]
        self.arrays: dict[str, Any] = {}
        for (name, kind, shape), start, count in zip(ARRAYS, starts[:-1], words, strict=True):
            view = (ints if kind == "int" else self._memory)[start : start + count]
            self.arrays[name] = view.reshape([sizes[n] if isinstance(n, str) else n for n in shape])
        given = constants(tree) | {"integrated": integrated_links(tree), "private": own}
        for name, values in (given | rotor_numbers(tree, np.zeros(tree.links, bool))).items():
            self.arrays[name][...] = values

    @property
    def context(self) -> int:
        """The address that native functions are given."""
        return int(self._memory.ctypes.data)

    def forward(self, q: Vector, v: Vector, effort: Vector | None = None, wrench: Vector | None = None) -> Vector:
        """Accelerations.

        Args:
            q: (nq,) Coordinates.
            v: (nv,) Velocities.
            effort: (nv,) Along the joints; at a free joint force in inertial and torque in body components.
            wrench: (links, 6) Torque about the vehicle's origin and force on each link, in inertial components.
        """
        self._set(q, v, effort, wrench)
        free = self._free_wrench(effort)
        self.arrays["wrench"] += free
        self._run(kernel.forward_alone, self.context)
        self.arrays["wrench"] -= free
        if self._run(kernel.check_alone, self.context) == SINGULAR:
            self._refuse()
        return np.array(self.arrays["v_dot"])

    def inverse(self, q: Vector, v: Vector, acceleration: Vector, wrench: Vector | None = None) -> Vector:
        """Efforts that the given accelerations need; at a free joint what is missing of force and torque."""
        self._set(q, v, None, wrench)
        self.arrays["v_dot"][...] = acceleration
        self._run(kernel.inverse_alone, self.context)
        return np.array(self.arrays["effort"])

    def mass_matrix(self, q: Vector) -> np.ndarray:
        """(nv, nv) The inertia that takes accelerations to efforts."""
        self._set(q, np.zeros(self._tree.nv), None, None)
        matrix = np.zeros((self._tree.nv, self._tree.nv))
        self._run(kernel.mass_matrix_alone, self.context, matrix)
        return matrix

    def hold(self, known: dict[int, float]) -> None:
        """Give some velocities (by index) a known acceleration from now on; `arrays["holding"]` has what they need."""
        self.arrays["is_known"][:] = 0
        for index, acceleration in known.items():
            self.arrays["is_known"][index] = 1
            self.arrays["known_acceleration"][index] = acceleration

    def _refuse(self) -> NoReturn:
        tree, arrays = self._tree, self.arrays
        inertia = inertia_at(tree, arrays["q"], tree.mass, tree.com, tree.inertia)
        least, joints = least_inertia(tree, inertia, arrays["is_known"] != 0)
        raise SingularMechanism(singular_text(joints, least, "at this state", "Calculator"))

    def _run(self, function: Any, *arguments: Any) -> Any:
        return (_native(function) if self._jit else function)(*arguments)

    def _set(self, q: Vector, v: Vector, effort: Vector | None, wrench: Vector | None) -> None:
        for name, value in {"q": q, "v": v}.items():
            if np.shape(value) != self.arrays[name].shape:
                raise ShapeError(f"`{name}` has shape {np.shape(value)}.\n  expected {self.arrays[name].shape}")
            self.arrays[name][...] = value
        check_quaternions(self._quaternions, self.arrays["q"])
        self.arrays["effort"][...] = 0.0 if effort is None else effort
        self.arrays["wrench"][...] = 0.0 if wrench is None else wrench

    def _free_wrench(self, effort: Vector | None) -> np.ndarray:
        """Efforts at free joints as wrenches on their links: the recursion knows no other."""
        wrench = np.zeros((self._tree.links, 6))
        for link in np.flatnonzero(self._tree.kind == 0):
            at = int(self._tree.v_at[link])
            if effort is not None:
                attitude = self.arrays["q"][self._tree.q_at[link] + 3 :][:4]
                turn = dcm_from_quaternion(normalized_quaternion(attitude)).T
                wrench[link] = [*(turn @ effort[at + 3 : at + 6]), *effort[at : at + 3]]
        return wrench


@cache
def _native(function: Any) -> Any:
    """`function` as native code, from disk where an earlier process has compiled it."""
    kinds = {"context": types.int64, "matrix": types.float64[:, ::1]}
    return cached_function(function, tuple(kinds[name] for name in inspect.signature(function).parameters))
