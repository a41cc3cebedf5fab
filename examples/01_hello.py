"""Hello, spacecraft: a tumbling rigid body is brought to rest by flight software at 2 Hz."""

import numpy as np

import cardan as cd
from cardan import fsw, models

inertia_B = np.diag([900.0, 800.0, 600.0])  # [kg m^2]

# hardware is evaluated at every stage of the integrator
scn = cd.Scenario("hello")
tumbling = models.RigidBodyState(omega_BN_B=np.array([0.001, -0.01, 0.03]))
body = scn.add(models.RigidBody(inertia_B=inertia_B), name="body", initial=tumbling)

# flight software runs at its own rate; each part is wired as a function is called
err = scn.add(fsw.AttitudeTracking(), name="err", every=0.5, attitude=body.attitude)
ctl = scn.add(fsw.MrpFeedback(K=3.5, P=30.0, inertia_B=inertia_B), name="ctl", every=0.5, error=err.error)
scn.connect(ctl.torque, body.drive)

sim = cd.Simulation(scn, integrator=cd.Rk4(step=0.1))
log = sim.run(until=600.0)

omega_BN_B = log["body.state"].omega_BN_B
print(f"rate at the start  {np.linalg.norm(omega_BN_B[0]):.3e} rad/s")
print(f"rate at the end    {np.linalg.norm(omega_BN_B[-1]):.3e} rad/s")
print(f"largest torque     {np.abs(log['ctl.torque'].torque_B).max():.3f} N m")
