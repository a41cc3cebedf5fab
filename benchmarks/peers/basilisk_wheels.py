"""The wheel mission in Basilisk: its MuJoCo scene, or its back-substitution spacecraft.

Reads a JSON file that says what to run, prints JSON: wall times, and the trajectory if it is asked for.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
from Basilisk.architecture import messaging
from Basilisk.fswAlgorithms import attTrackingError, inertial3D, mrpFeedback, rwMotorTorque
from Basilisk.simulation import (
    NBodyGravity,
    arrayMotorTorqueToSingleActuators,
    mujoco,
    pointMassGravityModel,
    reactionWheelStateEffector,
    saturationSingleActuator,
    scalarJointStatesToRWSpeed,
    simpleNav,
    spacecraft,
)
from Basilisk.utilities import SimulationBaseClass, macros, simIncludeGravBody, simIncludeRW

WHEELS = 3


def flight_software(sim, task, given, speeds_msg):
    """Guidance, control and allocation as Basilisk's own modules; returns navigation and the motor torques."""
    nav = simpleNav.SimpleNav()
    guidance = inertial3D.inertial3D()
    guidance.sigma_R0N = [0.0, 0.0, 0.0]
    error = attTrackingError.attTrackingError()
    error.attNavInMsg.subscribeTo(nav.attOutMsg)
    error.attRefInMsg.subscribeTo(guidance.attRefOutMsg)

    config = messaging.RWArrayConfigMsgPayload()
    config.numRW = WHEELS
    config.GsMatrix_B = list(np.eye(3).ravel())
    config.JsList = [given["wheel_inertia"]] * WHEELS
    config.uMax = [given["max_torque"]] * WHEELS
    config_msg = messaging.RWArrayConfigMsg().write(config)
    vehicle = messaging.VehicleConfigMsgPayload(ISCPntB_B=list(np.diag(given["bus_inertia"]).ravel()))
    vehicle_msg = messaging.VehicleConfigMsg().write(vehicle)

    control = mrpFeedback.mrpFeedback()
    control.K, control.P, control.Ki, control.integralLimit = given["K"], given["P"], -1, 0
    control.guidInMsg.subscribeTo(error.attGuidOutMsg)
    control.rwParamsInMsg.subscribeTo(config_msg)
    control.rwSpeedsInMsg.subscribeTo(speeds_msg)
    control.vehConfigInMsg.subscribeTo(vehicle_msg)
    share = rwMotorTorque.rwMotorTorque()
    share.rwParamsInMsg.subscribeTo(config_msg)
    share.vehControlInMsg.subscribeTo(control.cmdTorqueOutMsg)
    share.controlAxes_B = list(np.eye(3).ravel())
    modules = [nav, guidance, error, control, share]
    for module in modules:
        sim.AddModelToTask(task, module)
    sim.kept = [config_msg, vehicle_msg, *modules]
    return nav, share


def mujoco_scene(given):
    """The MuJoCo scene with a dynamics task at the step and a task at the control period."""
    sim = SimulationBaseClass.SimBaseClass()
    process = sim.CreateNewProcess("process")
    process.addTask(sim.CreateNewTask("dynamics", macros.sec2nano(given["step"])), 10)
    process.addTask(sim.CreateNewTask("software", macros.sec2nano(given["period"])), 1)

    scene = mujoco.MJScene(Path(given["mjcf"]).read_text())
    scene.highOrderAttitudeIntegration = given["high_order"]
    sim.AddModelToTask("dynamics", scene)
    bus = scene.getBody("bus")
    wheels = [scene.getBody(f"rw{i + 1}") for i in range(WHEELS)]
    joints = [wheel.getScalarJoint(f"rw{i + 1}Spin") for i, wheel in enumerate(wheels)]
    motors = [scene.addJointSingleActuator(f"motor{i}", joint) for i, joint in enumerate(joints)]

    gravity = NBodyGravity.NBodyGravity()
    scene.AddModelToDynamicsTask(gravity)
    earth = pointMassGravityModel.PointMassGravityModel()
    earth.muBody = given["mu"]
    gravity.addGravitySource("earth", earth, True)
    for i, body in enumerate([bus, *wheels]):
        gravity.addGravityTarget(f"body{i}", body)

    speeds = scalarJointStatesToRWSpeed.ScalarJointStatesToRWSpeed()
    speeds.setNumJoints(WHEELS)
    for i, joint in enumerate(joints):
        speeds.jointStateInMsgs[i].subscribeTo(joint.stateDotOutMsg)
    sim.AddModelToTask("software", speeds, 100)
    nav, share = flight_software(sim, "software", given, speeds.rwSpeedOutMsg)
    nav.scStateInMsg.subscribeTo(bus.getCenterOfMass().stateOutMsg)

    split = arrayMotorTorqueToSingleActuators.ArrayMotorTorqueToSingleActuators()
    split.setNumActuators(WHEELS)
    split.torqueInMsg.subscribeTo(share.rwMotorTorqueOutMsg)
    sim.AddModelToTask("software", split)
    limits = []
    for i in range(WHEELS):
        limit = saturationSingleActuator.SaturationSingleActuator()
        limit.setMinInput(-given["max_torque"])
        limit.setMaxInput(given["max_torque"])
        limit.actuatorInMsg.subscribeTo(split.actuatorOutMsgs[i])
        sim.AddModelToTask("software", limit)
        motors[i].actuatorInMsg.subscribeTo(limit.actuatorOutMsg)
        limits.append(limit)

    every = macros.sec2nano(given["period"])
    recorders = [bus.getOrigin().stateOutMsg.recorder(every), *(j.stateDotOutMsg.recorder(every) for j in joints)]
    if given["record"]:
        for recorder in recorders:
            sim.AddModelToTask("software", recorder)
    sim.kept += [scene, gravity, earth, speeds, split, limits]
    sim.InitializeSimulation()
    bus.setPosition(given["r"])
    bus.setVelocity(given["v"])
    bus.setAttitude(given["sigma"])
    bus.setAttitudeRate(given["omega"])
    for joint, speed in zip(joints, given["speeds"], strict=True):
        joint.setVelocity(speed)
    return sim, recorders


def back_substitution(given, is_initialised=True):
    """The hub-centric spacecraft with reaction wheels as effectors."""
    sim = SimulationBaseClass.SimBaseClass()
    process = sim.CreateNewProcess("process")
    process.addTask(sim.CreateNewTask("task", macros.sec2nano(given["step"])))
    craft = spacecraft.Spacecraft()
    craft.hub.mHub = 750.0
    craft.hub.IHubPntBc_B = np.diag(given["bus_inertia"]).tolist()
    sim.AddModelToTask("task", craft, 10)
    bodies = simIncludeGravBody.gravBodyFactory()
    earth = bodies.createEarth()
    earth.mu, earth.isCentralBody = given["mu"], True
    bodies.addBodiesTo(craft)
    factory = simIncludeRW.rwFactory()
    for axis, speed in zip(np.eye(3).tolist(), given["speeds"], strict=True):
        factory.create(
            "Honeywell_HR16", axis, maxMomentum=50.0, Omega=speed / macros.RPM, RWModel=messaging.BalancedWheels
        )
    wheels = reactionWheelStateEffector.ReactionWheelStateEffector()
    factory.addToSpacecraft("wheels", wheels, craft)
    sim.AddModelToTask("task", wheels, 9)
    nav, share = flight_software(sim, "task", given, wheels.rwSpeedOutMsg)
    nav.scStateInMsg.subscribeTo(craft.scStateOutMsg)
    wheels.rwMotorCmdInMsg.subscribeTo(share.rwMotorTorqueOutMsg)
    craft.hub.r_CN_NInit, craft.hub.v_CN_NInit = given["r"], given["v"]
    craft.hub.sigma_BNInit = [[s] for s in given["sigma"]]
    craft.hub.omega_BN_BInit = [[w] for w in given["omega"]]
    sim.kept += [craft, wheels, factory, bodies]
    if is_initialised:
        sim.InitializeSimulation()
    return sim, []


def main() -> None:
    given = json.loads(Path(sys.argv[1]).read_text())
    build = {"mujoco": mujoco_scene, "back-substitution": back_substitution}[given["kind"]]
    walls = []
    for _ in range(given["repeat"]):
        sim, recorders = build(given)
        sim.ConfigureStopTime(macros.sec2nano(given["until"]))
        started = time.perf_counter()
        sim.ExecuteSimulation()
        walls.append(time.perf_counter() - started)
    result = {"wall_s": min(walls)}
    if given["record"] and recorders:
        state, *rates = recorders
        result |= {
            "t": (state.times() * macros.NANO2SEC).tolist(),
            "r": np.array(state.r_BN_N).tolist(),
            "sigma": np.array(state.sigma_BN).tolist(),
            "omega": np.array(state.omega_BN_B).tolist(),
            "speeds": np.array([np.array(rate.state).ravel() for rate in rates]).T.tolist(),
        }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
