"""`Flyer`: a free vehicle with thrusters, as flight software knows it: mass properties and thruster geometry."""

from typing import Any, NamedTuple

import mujoco
import numpy as np

from cardan.errors import MechanismError, UnknownName, did_you_mean
from cardan.maths import Mat, Mat3, Rows3, Vec, Vec3
from cardan.mechanism.compiling import compile_spec
from cardan.mechanism.mechanism import Mechanism

_SITE = int(mujoco.mjtTrn.mjTRN_SITE)


class Thrusters(NamedTuple):
    """A bank of thrusters that are fixed to a body B.

    Attributes:
        names: What they are called.
        positions_B: [m] (n, 3) Where they push, relative to the body's origin, in body components.
        directions_B: [-] (n, 3) Unit vectors of the forces on the body, in body components.
        max_thrust: [N] (n,)
    """

    names: tuple[str, ...]
    positions_B: Rows3
    directions_B: Rows3
    max_thrust: Vec

    def mixer(self, r_CB_B: Any = (0.0, 0.0, 0.0)) -> Mat:
        """(6, n) Takes thrusts [N] to force [N] and torque [N m] about a point, the body's origin if left out."""
        arms_B = self.positions_B - np.asarray(r_CB_B)
        return np.vstack([self.directions_B.T, np.cross(arms_B, self.directions_B).T])


class Flyer(NamedTuple):
    """A free vehicle with thrusters. C is the centre of mass of the vehicle as it is drawn.

    Attributes:
        body: The name of the body with the free joint.
        mass: [kg] Of the whole vehicle.
        r_CB_B: [m] Centre of mass relative to the body's origin, in body components.
        inertia_C_B: [kg m^2] About the centre of mass, in body components.
        thrusters: Its thrusters.
    """

    body: str
    mass: float
    r_CB_B: Vec3
    inertia_C_B: Mat3
    thrusters: Thrusters

    @property
    def mixer(self) -> Mat:
        """(6, n) Takes thrusts [N] to force [N] and torque [N m] about the centre of mass, in body components."""
        return self.thrusters.mixer(self.r_CB_B)


def flyer_of(mechanism: Mechanism, body: str) -> Flyer:
    """Read a free vehicle and its thrusters, and take the thrusters over from the mechanism.

    A thruster is a motor of the file on a site of `body`, or of a body that is fixed to it, whose gear is a force. The
    motors are then left out of the mechanism: a `ThrusterBank` gives their thrust, so that faults can come in between.

    Args:
        mechanism: The mechanism; not compiled yet.
        body: The name of the body with the free joint.
    """
    if body not in mechanism.bodies:
        raise UnknownName(f"There is no body `{body}`.{did_you_mean(body, mechanism.bodies)}")
    if not mechanism.flies_freely(body):
        raise MechanismError(f"`{body}` has no free joint, so it is no free flyer.\n  Name the body that has it.")
    model = compile_spec(mechanism._spec, mechanism._source).model
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    base = model.body(body).id
    found = [i for i in range(model.nu) if _is_on(model, i, base)]
    if not found:
        raise MechanismError(
            f"`{body}` has no thrusters.\n"
            '  A thruster is a motor on a site: <motor site="nozzle" gear="0 0 1 0 0 0" ctrlrange="0 0.5"/>.'
        )
    wrong = [f"`{model.actuator(i).name}` {why}" for i in found if (why := _not_a_thruster(model, i))]
    if wrong:
        raise MechanismError(f"`{body}` has motors on sites that are no thrusters:\n  " + "\n  ".join(wrong))
    thrusters = _read_thrusters(model, data, base, found)
    mechanism.leave_out("actuators", only=thrusters.names)
    return Flyer(body, *_read_masses(model, data, base), thrusters)


def _is_on(model: Any, actuator: int, base: int) -> bool:
    """Whether an actuator acts at a site that is fixed to a body."""
    if int(model.actuator_trntype[actuator]) != _SITE:
        return False
    owner = int(model.site_bodyid[int(model.actuator_trnid[actuator, 0])])
    return int(model.body_weldid[owner]) == base


def _not_a_thruster(model: Any, actuator: int) -> str:
    """Why a motor on a site is no thruster, or an empty text."""
    gear, limits = model.actuator_gear[actuator], model.actuator_ctrlrange[actuator]
    if int(model.actuator_trnid[actuator, 1]) >= 0:
        return "acts between two sites (refsite); a thruster has one."
    if gear[3:].any() or not gear[:3].any():
        return "does not push: its gear must have a force and no torque."
    if not model.actuator_ctrllimited[actuator]:
        return 'has no largest thrust: give it ctrlrange="0 ..." [N].'
    if limits[0] != 0.0:
        return f"can be commanded {limits[0]:g}: its ctrlrange must begin with 0."
    return ""


def _read_thrusters(model: Any, data: Any, base: int, found: list[int]) -> Thrusters:
    dcm_BN, origin_N = data.xmat[base].reshape(3, 3).T, data.xpos[base]
    positions, directions, limits = [], [], []
    for i in found:
        site = int(model.actuator_trnid[i, 0])
        force_N = data.site_xmat[site].reshape(3, 3) @ model.actuator_gear[i, :3]
        strength = float(np.linalg.norm(force_N))
        positions.append(dcm_BN @ (data.site_xpos[site] - origin_N))
        directions.append(dcm_BN @ force_N / strength)
        limits.append(strength * model.actuator_ctrlrange[i, 1])
    names = tuple(str(model.actuator(i).name) for i in found)
    # what the rotation of a site leaves of zeros
    r_B, d_B = (np.where(np.abs(rows) < 1e-15, 0.0, rows) for rows in (positions, directions))
    return Thrusters(names, r_B, d_B, np.array(limits))


def _read_masses(model: Any, data: Any, base: int) -> tuple[float, Vec3, Mat3]:
    """Mass, centre of mass and inertia of all that hangs on a body, as drawn."""
    members = [i for i in range(1, model.nbody) if int(model.body_rootid[i]) == base]
    dcm_BN, origin_N = data.xmat[base].reshape(3, 3).T, data.xpos[base]
    masses = model.body_mass[members]
    mass = float(masses.sum())
    centre_N = masses @ data.xipos[members] / mass
    inertia_N = np.zeros((3, 3))
    for i, own in zip(members, masses, strict=True):
        axes_N, arm_N = data.ximat[i].reshape(3, 3), data.xipos[i] - centre_N
        inertia_N += axes_N @ np.diag(model.body_inertia[i]) @ axes_N.T
        inertia_N += own * (arm_N @ arm_N * np.eye(3) - np.outer(arm_N, arm_N))
    return mass, dcm_BN @ (centre_N - origin_N), dcm_BN @ inertia_N @ dcm_BN.T
