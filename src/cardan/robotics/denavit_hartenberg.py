"""Arms from tables of Denavit and Hartenberg's parameters."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import MechanismError, did_you_mean
from cardan.maths import Mat3, quaternion_from_dcm
from cardan.mechanism import Hinge, Mechanism, Slide

CONVENTIONS = ("standard", "modified")
_Z = np.array([0.0, 0.0, 1.0])
_NOTHING = np.zeros(3)


class DhLink(NamedTuple):
    """One row of a table: a joint and the link behind it. The joint's coordinate adds to theta, or to d of a slide.

    Attributes:
        d: [m] Along the joint's axis z.
        theta: [rad] About the joint's axis z.
        a: [m] Along x.
        alpha: [rad] About x.
        is_slide: [-] Whether the joint slides along its axis; it turns about it otherwise.
        mass: [kg] Of the link.
        r_CB_B: [m] Its centre of mass, in the frame that the row ends with.
        inertia_B: [kg m^2] (3, 3) About the centre of mass, in the axes of that frame.
    """

    d: float = 0.0
    theta: float = 0.0
    a: float = 0.0
    alpha: float = 0.0
    is_slide: bool = False
    mass: float = 0.0
    r_CB_B: Any = _NOTHING
    inertia_B: Any = None


def from_denavit_hartenberg(
    links: Sequence[DhLink], *, convention: str = "standard", name: str = "arm", tip: Any = _NOTHING
) -> Mechanism:
    """An arm as a mechanism, to be attached to a base: `base.attach(arm, name="arm", to=...)`.

    Bodies are called `link1`, `link2`, ..., joints `joint1`, ..., and the site at the end `tip`. Each body's frame is
    the one that its row ends with. With Rot and Trans about and along an axis, a row is

        standard   Rot_z(theta) Trans_z(d) Trans_x(a) Rot_x(alpha)
        modified   Rot_x(alpha) Trans_x(a) Rot_z(theta) Trans_z(d)

    Args:
        links: The rows, from the base to the tip.
        convention: "standard" (Denavit and Hartenberg, Paul) or "modified" (Craig), whose alpha and a are those of the
            link before the joint.
        name: Of the mechanism.
        tip: [m] (3,) The site `tip`, in the last frame.
    """
    if convention not in CONVENTIONS:
        raise MechanismError(
            f"convention = {convention!r}.{did_you_mean(convention, CONVENTIONS)}\n"
            f"  Use one of: {', '.join(CONVENTIONS)}."
        )
    if not links:
        raise MechanismError("The table of Denavit-Hartenberg parameters has no rows.\n  Give at least one DhLink.")
    arm = Mechanism(name)
    body = None
    for number, row in enumerate(links, start=1):
        R, p = _transform(row, convention)
        # the joint's axis goes through the frame before (standard) or through the body's own (modified)
        is_before = convention == "standard"
        axis_B = R.T @ _Z if is_before else _Z
        anchor_B = -R.T @ p if is_before else _NOTHING
        body = arm.add_body(
            f"link{number}",
            parent=body,
            joints={f"joint{number}": Slide(axis_B) if row.is_slide else Hinge(axis_B, anchor_B)},
            mass=row.mass,
            inertia_B=row.inertia_B,
            r_CB_B=row.r_CB_B,
            r_BP_P=p,
            q_BP=quaternion_from_dcm(R.T),
        )
    assert body is not None
    arm.add_site("tip", body, r_SB_B=tip)
    return arm


def _transform(row: DhLink, convention: str) -> tuple[Mat3, np.ndarray]:
    """R and p of a row: they take components of its frame to those of the frame before."""
    ct, st, ca, sa = np.cos(row.theta), np.sin(row.theta), np.cos(row.alpha), np.sin(row.alpha)
    if convention == "standard":
        R = np.array([[ct, -st * ca, st * sa], [st, ct * ca, -ct * sa], [0.0, sa, ca]])
        return R, np.array([row.a * ct, row.a * st, row.d])
    R = np.array([[ct, -st, 0.0], [st * ca, ct * ca, -sa], [st * sa, ct * sa, ca]])
    return R, np.array([row.a, -row.d * sa, row.d * ca])
