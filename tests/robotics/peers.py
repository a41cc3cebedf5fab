"""The same mechanism as a Pinocchio model, built link by link from the mechanism's arrays."""

import numpy as np
import pinocchio as pin

import cardan as cd
from cardan.maths import dcm_from_quaternion
from cardan.mechanism.tree import BALL, FREE, HINGE
from cardan.robotics import Robot


class Peer:
    """One vehicle in Pinocchio; frames of links have the names of their joints."""

    def __init__(self, mechanism: cd.Mechanism, robot: Robot) -> None:
        tree = mechanism.tree
        self.robot = robot
        self.model = pin.Model()
        links = sorted(robot._number)
        joint_of, shift_of = {}, {}
        for link in links:
            kind = int(tree.kind[link])
            if kind < 0:
                continue
            turn = dcm_from_quaternion(tree.offset_quat[link]).T
            anchor = tree.anchor[link] if kind in (HINGE, BALL) else np.zeros(3)
            joint = {
                FREE: pin.JointModelFreeFlyer,
                BALL: pin.JointModelSpherical,
                HINGE: lambda axis=tree.axis[link]: pin.JointModelRevoluteUnaligned(axis),
            }.get(kind, lambda axis=tree.axis[link]: pin.JointModelPrismaticUnaligned(axis))()
            above = int(tree.parent[link])
            placement = pin.SE3(turn, tree.offset_pos[link] + turn @ anchor)
            if kind == FREE:
                placement = pin.SE3.Identity()
            elif above in joint_of:
                placement = pin.SE3(np.eye(3), -shift_of[above]) * placement
            index = self.model.addJoint(joint_of.get(above, 0), joint, placement, tree.joints[link])
            joint_of[link], shift_of[link] = index, anchor
            if tree.mass[link] > 0.0:
                inertia = pin.Inertia(float(tree.mass[link]), tree.com[link], tree.inertia[link])
                self.model.appendBodyToJoint(index, inertia, pin.SE3(np.eye(3), -anchor))
        self.model.armature = np.array(tree.armature[robot.v_slice])
        self.model.gravity.setZero()
        self.joint_of, self.shift_of, self.tree = joint_of, shift_of, tree
        self.data = self.model.createData()

    def add_frame(self, name: str, link: int, pos: np.ndarray) -> int:
        frame = pin.Frame(
            name, self.joint_of[link], pin.SE3(np.eye(3), pos - self.shift_of[link]), pin.FrameType.OP_FRAME
        )
        index = self.model.addFrame(frame)
        self.data = self.model.createData()
        return index

    def q(self, q: np.ndarray) -> np.ndarray:
        """Coordinates: quaternions have their scalar part last."""
        out = np.array(q)
        first = 3 if self.robot.n_0 else None
        starts = [first] if first is not None else []
        offset = self.robot.q_slice.start
        starts += [int(self.tree.q_at[link]) - offset for link in self.joint_of if self.tree.kind[link] == BALL]
        for at in starts:
            out[at : at + 4] = [*q[at + 1 : at + 4], q[at]]
        return out

    def rates_from_u(self, R_0: np.ndarray, omega_B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """T with v = T u, and its rate."""
        n = self.robot.nu
        T, T_dot = np.eye(n), np.zeros((n, n))
        if self.robot.n_0:
            T[:6, :6] = 0.0
            T[0:3, 3:6], T[3:6, 0:3] = R_0.T, np.eye(3)
            spin = np.array([[0, -omega_B[2], omega_B[1]], [omega_B[2], 0, -omega_B[0]], [-omega_B[1], omega_B[0], 0]])
            T_dot[0:3, 3:6] = -spin @ R_0.T
        return T, T_dot
