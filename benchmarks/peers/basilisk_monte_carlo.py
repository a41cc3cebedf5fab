"""The wheel mission by Basilisk's own Monte Carlo controller: back-substitution spacecraft, as many processes as cores.

Reads a JSON file that says what to run, prints JSON: wall and processor time for all runs, and how many failed. Inertia
and start of the hub and the axis of a wheel vary; the control torque of each run is retained.
"""

import contextlib
import json
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from Basilisk.utilities import macros
from Basilisk.utilities.MonteCarlo.Controller import Controller
from Basilisk.utilities.MonteCarlo.Dispersions import (
    InertiaTensorDispersion,
    NormalVectorAngleDispersion,
    UniformEulerAngleMRPDispersion,
    UniformVectorDispersion,
)
from Basilisk.utilities.MonteCarlo.RetentionPolicy import RetentionPolicy
from basilisk_wheels import back_substitution

GIVEN = json.loads(Path(sys.argv[1]).read_text())


def create():
    """A simulation before it is initialised, with handles by which dispersions find their variables."""
    sim, _ = back_substitution(GIVEN, is_initialised=False)
    craft, _, factory, _ = sim.kept[-4:]
    sim.hub = craft.hub
    sim.wheel = factory.rwList["RW1"]
    control = next(module for module in sim.kept if hasattr(module, "cmdTorqueOutMsg"))
    sim.msgRecList = {"torque": control.cmdTorqueOutMsg.recorder(macros.sec2nano(1.0))}
    sim.AddModelToTask("task", sim.msgRecList["torque"])
    return sim


def execute(sim):
    sim.InitializeSimulation()
    sim.ConfigureStopTime(macros.sec2nano(GIVEN["until"]))
    sim.ExecuteSimulation()


def spent() -> float:
    """[s] Processor time of this process and of those that it has started and that have ended."""
    uses = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(use.ru_utime + use.ru_stime for use in uses)


def main() -> None:
    controller = Controller()
    controller.setSimulationFunction(create)
    controller.setExecutionFunction(execute)
    controller.setExecutionCount(GIVEN["runs"])
    controller.setThreadCount(GIVEN["processes"])
    controller.setShouldDisperseSeeds(True)
    controller.setVerbose(False)
    controller.setShowProgressBar(False)
    controller.addDispersion(UniformEulerAngleMRPDispersion("hub.sigma_BNInit"))
    controller.addDispersion(UniformVectorDispersion("hub.omega_BN_BInit", [-0.0173, 0.0173]))
    bounds = [-100.0, 100.0]
    controller.addDispersion(InertiaTensorDispersion("hub.IHubPntBc_B", stdDiag=35.0, boundsDiag=bounds, stdAngle=0.0))
    controller.addDispersion(NormalVectorAngleDispersion("wheel.gsHat_B", thetaStd=0.0087, phiStd=0.0087))
    retained = RetentionPolicy()
    retained.addMessageLog("torque", ["torqueRequestBody"])
    controller.addRetentionPolicy(retained)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):
        controller.setArchiveDir(str(Path(folder) / "archive"))
        began, before = time.perf_counter(), spent()
        failures = controller.executeSimulations()
        wall = time.perf_counter() - began
        torque = controller.getRetainedData(GIVEN["runs"] - 1)["messages"]["torque.torqueRequestBody"]
    assert np.isfinite(torque).all()
    print(json.dumps({"wall_s": wall, "spent_s": spent() - before, "failures": len(failures)}))


if __name__ == "__main__":
    main()
