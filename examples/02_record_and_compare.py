"""One scenario, several integrators: record what you need, compare, save and load."""

from pathlib import Path

import numpy as np

import cardan as cd
from cardan import fsw, models
from cardan.messages import LineMotion

target = LineMotion(position=1.0, velocity=0.0)


def mass_with_pid() -> cd.Scenario:
    """A mass on a spring, moved by a PID that samples at 20 Hz; its integral is a continuous state."""
    scn = cd.Scenario("mass with pid")
    mass = scn.add(models.MassSpringDamper(mass=2.0, stiffness=8.0, damping=0.4), name="mass")
    integral = scn.add(models.TrackingIntegral(), name="integral", motion=mass.motion, reference=target)
    pid = scn.add(fsw.LinePid(K_p=40.0, K_d=12.0, K_i=30.0), name="pid", every=0.05, reference=target)
    scn.connect(mass.motion, pid.motion)
    scn.connect(integral.error, pid.integral)
    scn.connect(pid.command, mass.drive)
    return scn


record = cd.Record(every=0.05, ports=["mass.motion", "pid.command"])
reference = cd.Simulation(mass_with_pid(), integrator=cd.Dop853(rtol=1e-13, atol=1e-15)).run(until=5.0, record=record)

for integrator in (cd.Heun(step=0.01), cd.Rk4(step=0.01), cd.DormandPrince54(rtol=1e-9)):
    sim = cd.Simulation(mass_with_pid(), integrator=integrator)
    log = sim.run(until=5.0, record=record)
    error = np.abs(log["mass.motion"].position - reference["mass.motion"].position).max()
    print(f"{type(integrator).__name__:16} {sim.steps['evaluations']:5d} evaluations, error {error:.1e} m")

# a log is a netCDF file that xarray and other tools read; it carries units and the whole scenario
path = reference.save("mass.nc")
loaded = cd.load_log(path)
print(f"{loaded['pid.command.force']}")
print(f"made with K_p = {loaded.about['parts']['pid']['parameters']['K_p']['value']} N/m")
Path(path).unlink()
