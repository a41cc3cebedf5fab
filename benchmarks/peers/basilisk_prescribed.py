"""Basilisk's prescribed-motion modules on the first stage of the array deployment; prints what its hub does as JSON.

Arguments: the number of elements per array, and steps [s]. Runs in the peers' own environment.
"""

import json
import sys
import time

import numpy as np
from Basilisk.architecture import messaging
from Basilisk.simulation import prescribedMotionStateEffector, prescribedRotation1DOF, spacecraft
from Basilisk.utilities import SimulationBaseClass, macros

RADIUS, MOUNT, ARRAY_MASS, UNTIL = 4.0, 2.0, 50.0, 320.0
ACCELERATION, BANG, SMOOTH = np.deg2rad(0.091), 2.0, 2.0


def run(elements: int, step: float) -> dict[str, object]:
    """Array 1 swings out as a stack, array 2 stays; the hub starts at rest."""
    simulation = SimulationBaseClass.SimBaseClass()
    process = simulation.CreateNewProcess("process")
    process.addTask(simulation.CreateNewTask("task", macros.sec2nano(step)))
    craft = spacecraft.Spacecraft()
    craft.hub.mHub = 800.0
    craft.hub.r_BcB_B = [[0.0], [0.0], [0.0]]
    craft.hub.IHubPntBc_B = (800.0 / 12.0 * np.diag([20.0, 20.0, 8.0])).tolist()
    # the modules that prescribe run before the spacecraft that reads them
    keep: list[object] = []
    for side in (1.0, -1.0):
        for _ in range(elements):
            keep += add_element(simulation, craft, elements, side)
    simulation.AddModelToTask("task", craft, 1)
    recorder = craft.scStateOutMsg.recorder(macros.sec2nano(UNTIL))
    simulation.AddModelToTask("task", recorder)
    simulation.InitializeSimulation()
    simulation.ConfigureStopTime(macros.sec2nano(UNTIL))
    # time of the processor, which other processes do not add to
    began = time.process_time()
    simulation.ExecuteSimulation()
    used = time.process_time() - began
    state = craft.scStateOutMsg.read()
    return {"step": step, "sigma_BN": list(state.sigma_BN), "r_BN_N": list(state.r_BN_N), "used_s": used}


def add_element(simulation, craft, elements: int, side: float) -> list[object]:
    half = np.pi / elements
    width, mass = 2.0 * RADIUS * np.sin(half), ARRAY_MASS / elements
    squares = RADIUS**2, width**2, 0.01**2
    body = prescribedMotionStateEffector.PrescribedMotionStateEffector()
    body.setMass(mass)
    tensor = np.diag([squares[0] + squares[2], squares[0] + squares[1], squares[1] + squares[2]])
    body.setIPntPc_P((mass / 12.0 * tensor).tolist())
    body.setR_MB_B([side * MOUNT, 0.0, 0.0])
    body.setR_PcP_P([-side * RADIUS * np.sin(half), 0.0, RADIUS * np.cos(half) / 3.0])
    craft.addStateEffector(body)
    still = messaging.PrescribedTranslationMsg().write(messaging.PrescribedTranslationMsgPayload())
    body.prescribedTranslationInMsg.subscribeTo(still)

    profiler = prescribedRotation1DOF.PrescribedRotation1DOF()
    profiler.setRotHat_M(np.array([0.0, 1.0, 0.0]))
    profiler.setThetaDDotMax(ACCELERATION)
    profiler.setThetaInit(0.0)
    profiler.setCoastOptionBangDuration(BANG)
    profiler.setSmoothingDuration(SMOOTH)
    wanted = messaging.HingedRigidBodyMsgPayload()
    wanted.theta = np.pi / 2 + half if side > 0.0 else 0.0
    reference = messaging.HingedRigidBodyMsg().write(wanted)
    profiler.spinningBodyInMsg.subscribeTo(reference)
    body.prescribedRotationInMsg.subscribeTo(profiler.prescribedRotationOutMsg)
    simulation.AddModelToTask("task", profiler, 3)
    simulation.AddModelToTask("task", body, 2)
    return [body, profiler, still, reference]


if __name__ == "__main__":
    count = int(sys.argv[1])
    print(json.dumps([run(count, float(step)) for step in sys.argv[2:]]))
