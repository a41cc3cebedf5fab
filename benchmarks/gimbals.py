"""Gimbals: a week of thrust with stepper motors resolved to single steps, its pointing and its momentum"""

import time
from collections.abc import Iterator

import numpy as np

import cardan as cd
from benchmarks.goal import Goal
from cardan.gimbals import pointing_bound
from cardan.missions import MISSIONS
from cardan.missions.explorer import DEG, GIMBAL, STEP
from cardan.missions.sep_point import balance, gimbal_error, wheel_momentum


def measure() -> Iterator[Goal]:
    mission = MISSIONS["sep-point"]
    sim = cd.Simulation(mission.scenario(), dynamics=mission.service(), integrator=mission.integrator_for())
    sim.compile(mission.record)
    began = time.perf_counter()
    log = sim.run(until=mission.until, record=mission.record, progress=False)
    yield Goal("sep-point: wall time of seven days", time.perf_counter() - began, "s", 60.0)
    missing = np.max(balance(log, log["hub.momentum"].momentum_C_N)[1:])
    yield Goal("sep-point: momentum less what torques gave, largest", float(missing), "-", 1.0e-6)
    wheels = balance(log, wheel_momentum(log))
    swap = np.argmin(np.abs(log.t - 84.0 * 3600.0))
    yield Goal("sep-point: wheels less what torques gave, at the swap", float(wheels[swap]), "-", 1.0e-6)
    yield Goal("sep-point: wheels less what torques gave, at the end", float(wheels[-1]), "-", 1.0e-6)
    bound = pointing_bound(GIMBAL, step_angle=STEP["step_angle"]).inside / DEG
    for number in (1, 2):
        error = gimbal_error(log, number)[-1] / DEG
        yield Goal(f"sep-point: pointing error of gimbal {number} at the end", float(error), "deg", bound)
