"""The same chain of hinges on a free base in Pinocchio, as functions to be timed beside ours."""

from collections.abc import Callable

import numpy as np
import pinocchio as pin

AXES = (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)


def functions(joints: int, q: np.ndarray, u: np.ndarray, a: np.ndarray) -> dict[str, Callable[[], object]]:
    """H, forward and inverse dynamics and derivatives of the chain of `benchmarks.dynamics.chain`, by name.

    Args:
        joints: How many hinges.
        q: Coordinates as Cardan has them.
        u: Rates of any meaning: what is timed does not depend on them.
        a: Accelerations or efforts.
    """
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
    model.appendBodyToJoint(joint, pin.Inertia(10.0, np.zeros(3), np.eye(3)), pin.SE3.Identity())
    for i in range(1, joints + 1):
        place = pin.SE3(np.eye(3), np.array([0.1, 0.0, 0.0]))
        joint = model.addJoint(joint, AXES[i % 3](), place, f"j{i}")
        model.appendBodyToJoint(joint, pin.Inertia(1.0, np.zeros(3), 0.1 * np.eye(3)), pin.SE3.Identity())
    model.gravity.setZero()
    data = model.createData()
    turned = np.concatenate([q[:3], q[4:7], q[3:4], q[7:]])  # scalar last
    return {
        "H": lambda: pin.crba(model, data, turned),
        "forward dynamics": lambda: pin.aba(model, data, turned, u, a),
        "inverse dynamics": lambda: pin.rnea(model, data, turned, u, a),
        "derivatives": lambda: pin.computeABADerivatives(model, data, turned, u, a),
    }
