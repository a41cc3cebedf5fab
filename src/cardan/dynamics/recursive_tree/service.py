"""`RecursiveTree`: what it supports, and its native functions."""

from dataclasses import dataclass, field
from typing import ClassVar, final

from cardan.contracts.dynamics import Binding, Constants, Dynamics, Inputs, Kernels, Unsupported
from cardan.dynamics.recursive_tree import kernel
from cardan.dynamics.recursive_tree.records import pose_words, poses, records
from cardan.dynamics.refusals import beyond_rigid_bodies, check_lock_time_constant, singular_joints
from cardan.mechanism import Mechanism
from cardan.mechanism.compliant_contact import unknown_shapes
from cardan.mechanism.variants import Variants


@final
@dataclass(frozen=True)
class RecursiveTree(Dynamics):
    """An O(n) recursion over articulated bodies, in coordinates centred on each vehicle's root body.

    Locked and prescribed joints are exact: their accelerations are known, and what they need comes out. Shapes touch
    where the mechanism has a compliant contact for them (docs/theory/compliant_contact.md).

    Attributes:
        lock_time_constant: [s] How fast an engaged lock pulls its joint to where it holds, critically damped.
        ignore_limits: Whether joint limits of the file are left unenforced instead of being refused.
        jit: Whether it runs as native code; else in the interpreter, to be stepped through.
    """

    varies: ClassVar[bool] = True
    takes_variants: ClassVar[bool] = True
    carries_rotors: ClassVar[bool] = True
    has_lanes: ClassVar[bool] = True

    lock_time_constant: float = 0.1
    ignore_limits: bool = False
    jit: bool = field(default=True, repr=False)

    def __post_init__(self) -> None:
        check_lock_time_constant(self, self.lock_time_constant)

    def unsupported(self, mechanism: Mechanism, inputs: Inputs) -> list[Unsupported]:
        ignoring = None if self.ignore_limits else "RecursiveTree(ignore_limits=True)"
        found = [item for contact in mechanism.compliant_contacts for item in unknown_shapes(mechanism, contact)]
        found += beyond_rigid_bodies(mechanism, ignoring, mechanism.compliant_contacts)
        return found + singular_joints(mechanism, inputs)

    def kernels(self) -> Kernels:
        return Kernels(kernel.kinematics, kernel.dynamics, kernel.check)

    def bind(self, mechanism: Mechanism, inputs: Inputs) -> Binding:
        return Binding(records(mechanism.tree), contacts=mechanism.compliant_contacts)

    def pose_constants(self, mechanism: Mechanism | Variants, inputs: Inputs) -> Constants:
        return Constants(pose_words(mechanism.tree), poses(mechanism.tree))
