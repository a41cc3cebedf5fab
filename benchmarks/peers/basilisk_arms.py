"""The arm mission in Basilisk: its MuJoCo scene, with the same cascade of controllers as Python modules."""

import json
import sys
import time
from pathlib import Path

import numpy as np
from Basilisk.architecture import messaging, sysModel
from Basilisk.simulation import mujoco
from Basilisk.utilities import RigidBodyKinematics, SimulationBaseClass, macros

given = json.loads(Path(sys.argv[1]).read_text())
INERTIA, COUPLING = np.array(given["inertia"]), np.array(given["coupling"])
AXES = (np.eye(3), np.diag([-1.0, -1.0, 1.0]))
ENDS = (np.array([1.79, 0.0, 0.0]), np.array([-1.79, 0.0, 0.0]))


class Outer(sysModel.SysModel):
    """Force and torque that bring the hub to rest."""

    def __init__(self):
        super().__init__()
        self.state = messaging.SCStatesMsgReader()
        self.wrench = np.zeros(6)

    def UpdateState(self, now):
        state = self.state()
        sigma, omega = np.array(state.sigma_BN), np.array(state.omega_BN_B)
        force_N = -1.26 * np.array(state.r_BN_N) - 42.0 * np.array(state.v_BN_N)
        force_N /= max(1.0, np.linalg.norm(force_N) / 1.5)
        inertia = np.diag([85.0, 150.0, 170.0])
        torque = np.cross(omega, inertia @ omega) - 6.0 * sigma - 30.0 * omega
        self.wrench = np.concatenate([RigidBodyKinematics.MRP2C(sigma) @ force_N, torque])


class Allocation(sysModel.SysModel):
    """Two thrusts and eight joint angles."""

    def __init__(self, outer):
        super().__init__()
        self.outer, self.angle, self.rate, self.roll = outer, np.zeros(8), np.zeros(8), np.zeros(3)
        self.thrust = [0.0, 0.0]
        self.out = [messaging.SingleActuatorMsg() for _ in range(2)]

    def UpdateState(self, now):
        F, T = self.outer.wrench[:3], self.outer.wrench[3:]
        d = ENDS[0] - ENDS[1]
        g = np.cross(T, d) / (d @ d)
        self.roll = (T @ d) / (d @ d) * d
        asked = max(np.linalg.norm(0.5 * F + g), np.linalg.norm(0.5 * F - g))
        share = min(1.0, 2.48 / 2.5 / max(asked, 1e-12))
        c = 0.02 + 1.5 * share * asked
        wanted = np.zeros(8)
        for i, sign in enumerate((1.0, -1.0)):
            f = AXES[i] @ (share * (0.5 * F + sign * g) - c * AXES[i][0])
            self.thrust[i] = float(np.linalg.norm(f))
            u = -f / self.thrust[i]
            wanted[4 * i + 2 : 4 * i + 4] = np.arctan2(u[1], u[0]), -np.arcsin(u[2])
            payload = messaging.SingleActuatorMsgPayload()
            payload.input = self.thrust[i]
            self.out[i].write(payload, now, self.moduleID)
        self.rate = np.clip((wanted - self.angle) / 0.5, -0.5, 0.5)
        self.angle = self.angle + 0.01 * self.rate


class Joints(sysModel.SysModel):
    """Joint torques, and the hub's compensating torque."""

    def __init__(self, allocation):
        super().__init__()
        self.allocation = allocation
        self.angle = [messaging.ScalarJointStateMsgReader() for _ in range(8)]
        self.rate = [messaging.ScalarJointStateMsgReader() for _ in range(8)]
        self.out = [messaging.SingleActuatorMsg() for _ in range(8)]
        self.hub = messaging.TorqueAtSiteMsg()

    def UpdateState(self, now):
        angle = np.array([reader().state for reader in self.angle])
        rate = np.array([reader().state for reader in self.rate])
        a = 25.0 * (self.allocation.angle - angle) + 10.0 * (self.allocation.rate - rate)
        torque = INERTIA @ a
        torque[1] += np.sin(angle[3]) * self.allocation.thrust[0]
        torque[5] += np.sin(angle[7]) * self.allocation.thrust[1]
        for message, value in zip(self.out, torque, strict=True):
            payload = messaging.SingleActuatorMsgPayload()
            payload.input = value
            message.write(payload, now, self.moduleID)
        payload = messaging.TorqueAtSiteMsgPayload()
        payload.torque_S = (self.allocation.roll + a @ COUPLING).tolist()
        self.hub.write(payload, now, self.moduleID)


sim = SimulationBaseClass.SimBaseClass()
process = sim.CreateNewProcess("process")
process.addTask(sim.CreateNewTask("fast", macros.sec2nano(0.01)), 10)
process.addTask(sim.CreateNewTask("slow", macros.sec2nano(0.1)), 20)
scene = mujoco.MJScene(Path(given["mjcf"]).read_text())
scene.highOrderAttitudeIntegration = True
sim.AddModelToTask("fast", scene, 100)
hub = scene.getBody("hub")
outer = Outer()
outer.state.subscribeTo(hub.getOrigin().stateOutMsg)
allocation = Allocation(outer)
joints = Joints(allocation)
sim.AddModelToTask("slow", outer)
sim.AddModelToTask("fast", allocation, 50)
sim.AddModelToTask("fast", joints, 40)
for i, name in enumerate(given["joints"]):
    joint = scene.getBody(name.split("_joint")[0]).getScalarJoint(name)
    joints.angle[i].subscribeTo(joint.stateOutMsg)
    joints.rate[i].subscribeTo(joint.stateDotOutMsg)
    motor = scene.addJointSingleActuator(f"motor{i}", joint)
    motor.actuatorInMsg.subscribeTo(joints.out[i])
for i in range(2):
    scene.getSingleActuator(f"F_thruster_{i + 1}").actuatorInMsg.subscribeTo(allocation.out[i])
torquer = scene.addTorqueActuator("hub_torque", hub.getOrigin())
torquer.torqueInMsg.subscribeTo(joints.hub)
sim.InitializeSimulation()
hub.setPosition(given["r"])
hub.setAttitude(given["sigma"])
sim.ConfigureStopTime(macros.sec2nano(given["until"]))
began = time.perf_counter()
sim.ExecuteSimulation()
wall = time.perf_counter() - began
state = hub.getOrigin().stateOutMsg.read()
print(json.dumps({"wall_s": wall, "r": list(state.r_BN_N), "sigma": list(state.sigma_BN)}))
