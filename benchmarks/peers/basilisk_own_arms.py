"""Basilisk's own thruster-arm example, from a checkout of its source: how long its run takes."""

import json
import sys
import time
from pathlib import Path

from Basilisk.utilities import macros

given = json.loads(Path(sys.argv[1]).read_text())
sys.path.insert(0, str(Path(given["source"]) / "examples" / "mujoco"))

from scenarioThrArmControl import scenarioThrArmControl  # noqa: E402

scenario = scenarioThrArmControl(fswRate=0.01, dynRate=0.01)
scenario.InitializeSimulation()
scenario.configure_initial_conditions()
scenario.ConfigureStopTime(macros.sec2nano(given["until"]))
began = time.perf_counter()
scenario.ExecuteSimulation()
print(json.dumps({"wall_s": time.perf_counter() - began, "r": scenario.posRec.r_CN_N[-1].tolist()}))
