"""Four controllers written in Python for Basilisk, each driving one joint of an arm in the dynamics loop."""

import json
import sys
import time
from pathlib import Path

import numpy as np
from Basilisk.architecture import messaging
from Basilisk.simulation import StatefulSysModel, mujoco
from Basilisk.utilities import SimulationBaseClass, macros


class Drive(StatefulSysModel.StatefulSysModel):
    """A PID along a sinusoid, with friction that it cancels."""

    def __init__(self, frequency):
        super().__init__()
        self.frequency = frequency
        self.angle = messaging.ScalarJointStateMsgReader()
        self.rate = messaging.ScalarJointStateMsgReader()
        self.out = messaging.SingleActuatorMsg()

    def registerStates(self, registerer):
        self.integral = registerer.registerState(1, 1, "integral")
        self.integral.setState([[0.0]])

    def UpdateState(self, now):
        t = macros.NANO2SEC * now
        angle, rate = self.angle().state, self.rate().state
        wanted = 0.3 * np.sin(self.frequency * t)
        wanted_rate = 0.3 * self.frequency * np.cos(self.frequency * t)
        integral = self.integral.getState()[0][0]
        torque = 20.0 * (wanted - angle) + 8.0 * (wanted_rate - rate) + 2.0 * integral
        payload = messaging.SingleActuatorMsgPayload()
        payload.input = torque + 0.1 * np.tanh(20.0 * rate)
        self.out.write(payload, now, self.moduleID)
        self.integral.setDerivative([[wanted - angle]])


given = json.loads(Path(sys.argv[1]).read_text())
sim = SimulationBaseClass.SimBaseClass()
process = sim.CreateNewProcess("process")
process.addTask(sim.CreateNewTask("task", macros.sec2nano(0.01)))
scene = mujoco.MJScene(given["mjcf"])
sim.AddModelToTask("task", scene)
drives = []
for i in range(4):
    joint = scene.getBody(f"link{i}").getScalarJoint(f"link{i}_joint")
    motor = scene.addJointSingleActuator(f"motor{i}", joint)
    drive = Drive(0.5 + 0.1 * i)
    drive.ModelTag = f"drive{i}"
    drive.angle.subscribeTo(joint.stateOutMsg)
    drive.rate.subscribeTo(joint.stateDotOutMsg)
    motor.actuatorInMsg.subscribeTo(drive.out)
    scene.AddModelToDynamicsTask(drive)
    drives.append(drive)
sim.InitializeSimulation()
sim.ConfigureStopTime(macros.sec2nano(given["until"]))
began = time.perf_counter()
sim.ExecuteSimulation()
print(json.dumps({"wall_s": time.perf_counter() - began}))
