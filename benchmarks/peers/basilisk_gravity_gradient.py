"""Basilisk's gravity-gradient effector on an asymmetrical hub over two orbits; prints its final attitude as JSON.

The argument names a JSON file with step, until, mu, inertia, r, v, sigma, omega. Runs in the peers' own environment.
"""

import json
import sys
from pathlib import Path

from Basilisk.simulation import GravityGradientEffector, spacecraft, svIntegrators
from Basilisk.utilities import SimulationBaseClass, macros, simIncludeGravBody


def run(given: dict) -> dict[str, object]:
    simulation = SimulationBaseClass.SimBaseClass()
    process = simulation.CreateNewProcess("process")
    process.addTask(simulation.CreateNewTask("task", macros.sec2nano(given["step"])))
    craft = spacecraft.Spacecraft()
    craft.ModelTag = "craft"
    craft.hub.mHub = given["mass"]
    craft.hub.r_BcB_B = [[0.0], [0.0], [0.0]]
    craft.hub.IHubPntBc_B = given["inertia"]
    craft.hub.r_CN_NInit = [[value] for value in given["r"]]
    craft.hub.v_CN_NInit = [[value] for value in given["v"]]
    craft.hub.sigma_BNInit = [[value] for value in given["sigma"]]
    craft.hub.omega_BN_BInit = [[value] for value in given["omega"]]
    integrator = svIntegrators.svIntegratorRK4(craft)
    craft.setIntegrator(integrator)

    factory = simIncludeGravBody.gravBodyFactory()
    earth = factory.createEarth()
    earth.isCentralBody = True
    earth.mu = given["mu"]
    factory.addBodiesTo(craft)
    gradient = GravityGradientEffector.GravityGradientEffector()
    gradient.ModelTag = "gradient"
    gradient.addPlanetName(earth.planetName)
    craft.addDynamicEffector(gradient)

    simulation.AddModelToTask("task", craft)
    simulation.AddModelToTask("task", gradient)
    simulation.InitializeSimulation()
    simulation.ConfigureStopTime(macros.sec2nano(given["until"]))
    simulation.ExecuteSimulation()
    state = craft.scStateOutMsg.read()
    return {"sigma": list(state.sigma_BN), "omega": list(state.omega_BN_B), "r": list(state.r_BN_N)}


if __name__ == "__main__":
    print(json.dumps(run(json.loads(Path(sys.argv[1]).read_text()))))
