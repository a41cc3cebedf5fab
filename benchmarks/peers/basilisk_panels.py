"""The panel mission in Basilisk: its MuJoCo scene with its joint PIDs, interpolators, locks and adaptive integrator."""

import json
import sys
import time
from pathlib import Path

import numpy as np
from Basilisk.architecture import messaging
from Basilisk.simulation import MJJointPIDController, mujoco, svIntegrators
from Basilisk.utilities import SimulationBaseClass, macros

given = json.loads(Path(sys.argv[1]).read_text())
lasts = given["phase_lasts"]


def profile(stowed, start):
    """Tables of angle and rate: a sine-squared acceleration, a coast, and the same backwards."""
    v, a = given["max_rate"], given["max_acceleration"]
    ramp = 2.0 * v / a
    total = stowed / v + ramp
    t = np.linspace(0.0, total, 500)
    up = np.clip(t, 0.0, ramp)
    down = np.clip(t - (total - ramp), 0.0, ramp)
    gained = a * (up / 2.0 - ramp / (4.0 * np.pi) * np.sin(2.0 * np.pi * up / ramp))
    lost = a * (down / 2.0 - ramp / (4.0 * np.pi) * np.sin(2.0 * np.pi * down / ramp))
    rate = gained - lost
    angle = np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]) * np.diff(t))])
    angle *= stowed / angle[-1]
    made = []
    for values in (stowed - angle, -rate):
        table = mujoco.ScalarJointStateInterpolator()
        table.setDataPoints(np.column_stack([(start + t) * 1e9, values]), 1)
        made.append(table)
    return made


sim = SimulationBaseClass.SimBaseClass()
process = sim.CreateNewProcess("process")
process.addTask(sim.CreateNewTask("task", macros.sec2nano(10.0)))
scene = mujoco.MJScene(Path(given["mjcf"]).read_text())
scene.highOrderAttitudeIntegration = True
sim.AddModelToTask("task", scene)
integrator = svIntegrators.svIntegratorRKF45(scene)
integrator.setRelativeTolerance(given["rtol"])
integrator.setAbsoluteTolerance(given["atol"])
scene.setIntegrator(integrator)

joints, kept = [], [integrator]
for i, name in enumerate(given["hinges"]):
    joint = scene.getBody(name.removesuffix("_deploy")).getScalarJoint(name)
    motor = scene.addJointSingleActuator(f"motor{i}", joint)
    angle, rate = profile(given["stowed"][i], given["phase"][i] * lasts)
    pid = MJJointPIDController.JointPIDController()
    pid.setProportionalGain(given["K_p"][i])
    pid.setDerivativeGain(given["K_d"][i])
    pid.setIntegralGain(0.0)
    pid.desiredPosInMsg.subscribeTo(angle.interpolatedOutMsg)
    pid.desiredVelInMsg.subscribeTo(rate.interpolatedOutMsg)
    pid.measuredPosInMsg.subscribeTo(joint.stateOutMsg)
    pid.measuredVelInMsg.subscribeTo(joint.stateDotOutMsg)
    motor.actuatorInMsg.subscribeTo(pid.outputOutMsg)
    scene.AddModelToDynamicsTask(angle, 50)
    scene.AddModelToDynamicsTask(rate, 49)
    scene.AddModelToDynamicsTask(pid, 25)
    joints.append(joint)
    kept += [angle, rate, pid, motor]


def lock(joint, value):
    payload = messaging.ScalarJointStateMsgPayload()
    payload.state = value
    message = messaging.ScalarJointStateMsg()
    message.write(payload, 0, -1)
    joint.constrainedStateInMsg.subscribeTo(message)
    kept.append(message)


for joint, phase, stowed in zip(joints, given["phase"], given["stowed"], strict=True):
    if phase > 0:
        lock(joint, stowed)
sim.InitializeSimulation()
for joint, stowed in zip(joints, given["stowed"], strict=True):
    equality = joint.getConstrainedEquality()
    equality.setSolref(2.0, 1.0)
    equality.setSolimp(0.8, 0.95, 0.001, 0.5, 2.0)
    joint.setPosition(stowed)
wall = 0.0
for phase in range(3):
    sim.ConfigureStopTime(macros.sec2nano((phase + 1) * lasts))
    began = time.perf_counter()
    sim.ExecuteSimulation()
    wall += time.perf_counter() - began
    for joint, of_joint in zip(joints, given["phase"], strict=True):
        if of_joint == phase:
            lock(joint, 0.0)
        elif of_joint == phase + 1:
            joint.constrainedStateInMsg.unsubscribe()
hub = scene.getBody("hub").getOrigin().stateOutMsg.read()
print(json.dumps({"wall_s": wall, "sigma": list(hub.sigma_BN)}))
