"""Basilisk on a month in low orbit with 20x20, Sun, Moon, drag, eclipse and radiation; prints time and place as JSON.

The argument names a JSON file with step, until, mu, radius, C, S, r, v, elements of sun and moon, spin. These move on
ellipses and the Earth turns evenly, which is less work than tables. Runs in the peers' own environment.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from Basilisk.simulation import (
    dragDynamicEffector,
    eclipse,
    exponentialAtmosphere,
    planetEphemeris,
    radiationPressure,
    spacecraft,
    svIntegrators,
)
from Basilisk.utilities import SimulationBaseClass, macros, simIncludeGravBody


def coefficients(given: dict, folder: str) -> str:
    """The gravity field as Basilisk reads it: a header, then degree, order, C, S."""
    C, S = np.array(given["C"]), np.array(given["S"])
    lines = [f"{given['radius']},{given['mu']},0,{len(C) - 1},{len(C) - 1},1,0,0"]
    lines += [f"{n},{m},{C[n, m]:.17e},{S[n, m]:.17e}" for n in range(len(C)) for m in range(n + 1)]
    path = Path(folder) / "field.txt"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def elements(values: dict):
    found = planetEphemeris.ClassicElements()
    for name, value in values.items():
        setattr(found, name, value)
    return found


def run(given: dict) -> dict[str, object]:
    simulation = SimulationBaseClass.SimBaseClass()
    process = simulation.CreateNewProcess("process")
    process.addTask(simulation.CreateNewTask("task", macros.sec2nano(given["step"])))
    craft = spacecraft.Spacecraft()
    craft.ModelTag = "craft"
    craft.hub.mHub = 100.0
    craft.hub.IHubPntBc_B = (10.0 * np.eye(3)).tolist()
    craft.hub.r_CN_NInit = [[value] for value in given["r"]]
    craft.hub.v_CN_NInit = [[value] for value in given["v"]]
    integrator = svIntegrators.svIntegratorRK4(craft)
    craft.setIntegrator(integrator)

    ephemeris = planetEphemeris.PlanetEphemeris()
    ephemeris.ModelTag = "ephemeris"
    ephemeris.setPlanetNames(planetEphemeris.StringVector(["earth", "sun", "moon"]))
    still = {"a": 1e-3, "e": 0.0, "i": 0.0, "Omega": 0.0, "omega": 0.0, "f": 0.0}
    ephemeris.planetElements = planetEphemeris.classicElementVector(
        [elements(still), elements(given["sun"]), elements(given["moon"])]
    )
    ephemeris.rightAscension = planetEphemeris.DoubleVector([0.0, 0.0, 0.0])
    ephemeris.declination = planetEphemeris.DoubleVector([np.pi / 2, 0.0, 0.0])
    ephemeris.lst0 = planetEphemeris.DoubleVector([0.0, 0.0, 0.0])
    ephemeris.rotRate = planetEphemeris.DoubleVector([given["spin"], 0.0, 0.0])
    simulation.AddModelToTask("task", ephemeris, 100)

    factory = simIncludeGravBody.gravBodyFactory()
    earth = factory.createEarth()
    earth.isCentralBody = True
    earth.mu = given["mu"]
    with tempfile.TemporaryDirectory() as folder:
        earth.useSphericalHarmonicsGravityModel(coefficients(given, folder), len(given["C"]) - 1)
    sun, moon = factory.createSun(), factory.createMoon()
    for body, index in ((earth, 0), (sun, 1), (moon, 2)):
        body.planetBodyInMsg.subscribeTo(ephemeris.planetOutMsgs[index])
    factory.addBodiesTo(craft)

    air = exponentialAtmosphere.ExponentialAtmosphere()
    air.ModelTag = "air"
    air.planetRadius, air.baseDensity, air.scaleHeight = 6378137.0, 3.725e-12 * np.exp(4e5 / 58515.0), 58515.0
    air.addSpacecraftToModel(craft.scStateOutMsg)
    air.planetPosInMsg.subscribeTo(ephemeris.planetOutMsgs[0])
    simulation.AddModelToTask("task", air, 50)
    drag = dragDynamicEffector.DragDynamicEffector()
    drag.coreParams.projectedArea, drag.coreParams.dragCoeff = 1.5, 2.2
    drag.coreParams.comOffset = [0.0, 0.0, 0.0]
    drag.atmoDensInMsg.subscribeTo(air.envOutMsgs[0])
    craft.addDynamicEffector(drag)
    simulation.AddModelToTask("task", drag, 40)

    shadow = eclipse.Eclipse()
    shadow.sunInMsg.subscribeTo(ephemeris.planetOutMsgs[1])
    shadow.addSpacecraftToModel(craft.scStateOutMsg)
    shadow.addPlanetToModel(ephemeris.planetOutMsgs[0])
    simulation.AddModelToTask("task", shadow, 60)
    push = radiationPressure.RadiationPressure()
    push.setUseCannonballModel()
    push.area, push.coefficientReflection = 1.5, 1.3
    push.sunEphmInMsg.subscribeTo(ephemeris.planetOutMsgs[1])
    push.sunEclipseInMsg.subscribeTo(shadow.eclipseOutMsgs[0])
    craft.addDynamicEffector(push)
    simulation.AddModelToTask("task", push, 30)
    simulation.AddModelToTask("task", craft, 10)

    simulation.InitializeSimulation()
    simulation.ConfigureStopTime(macros.sec2nano(given["until"]))
    began = time.process_time()
    simulation.ExecuteSimulation()
    used = time.process_time() - began
    return {"used_s": used, "r": list(craft.scStateOutMsg.read().r_BN_N)}


if __name__ == "__main__":
    print(json.dumps(run(json.loads(Path(sys.argv[1]).read_text()))))
