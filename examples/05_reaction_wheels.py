"""Three reaction wheels, which are bodies of their own, bring a tumbling spacecraft in orbit to rest."""

import sys

import numpy as np

import cardan as cd
from cardan import fsw, models
from cardan.messages import HingeState
from cardan.missions.vehicles import vehicle

# a bus and three wheels; in a group, one message serves many bodies or joints
m = cd.Mechanism.from_mjcf(vehicle("reaction_wheels.xml"))
bus, bodies = m.bodies["bus"], m.group_of_bodies("bodies")
wheels = m.group_of_hinges("wheels", "rw1Spin", "rw2Spin", "rw3Spin")
scn = cd.Scenario("reaction wheels", mechanism=m)

# the Earth pulls each body where it is, so gravity gradient torques arise by themselves
earth = scn.add(models.PointMassGravity(has_gradient=False), name="earth", positions=bodies.positions)
scn.connect(earth.pull, bodies.gravity)

# flight software at 10 Hz: navigation, guidance, error, control, allocation, limits
axes_B, wheel_inertia = np.eye(3), np.full(3, 0.0796)
nav = scn.add(fsw.SimpleNavigation(), name="nav", every=0.1, truth=bus.com.motion)
ref = scn.add(fsw.InertialPointing(), name="ref", every=0.1)
err = scn.add(fsw.AttitudeTracking(), name="err", every=0.1, attitude=nav.attitude, reference=ref.reference)
stored = scn.add(fsw.WheelMomentum(axes_B, wheel_inertia), name="stored", every=0.1, wheels=wheels.states)
law = fsw.MrpFeedback(K=3.5, P=30.0, inertia_B=np.diag([900.0, 800.0, 600.0]), is_gyroscopic_full=False)
ctl = scn.add(law, name="ctl", every=0.1, error=err.error, stored=stored.momentum)
share = scn.add(fsw.WheelAllocation(axes_B), name="share", every=0.1, torque=ctl.torque)
limit = scn.add(fsw.TorqueSaturation(np.full(3, 0.2)), name="limit", every=0.1, command=share.torques)
scn.connect(limit.torques, wheels.efforts)

# where everything starts
deg, rpm = np.pi / 180.0, np.pi / 30.0
start = cd.orbit(
    a=10.0e6, e=0.01, i=33.3 * deg, Omega=48.2 * deg, omega=347.8 * deg, f=85.3 * deg,
    sigma_BN=[0.1, 0.2, -0.3], omega_BN_B=[0.001, -0.01, 0.03],
)  # fmt: skip
speeds = {f"rw{i + 1}Spin": HingeState(rate=100.0 * (i + 1) * rpm) for i in range(3)}
scn.start({bus: start, **speeds})

# the same scenario on two engines: one word changes
logs = []
for dynamics in (cd.RecursiveTree(), cd.Mujoco()):
    sim = cd.Simulation(scn, dynamics=dynamics, integrator=cd.Rk4(step=0.1))
    logs.append(sim.run(until=600.0))
log, other = logs

error = np.rad2deg(4.0 * np.arctan(np.linalg.norm(log["err.error"].sigma_BR, axis=1)))
difference = np.abs(log["bus.motion"].sigma_BN - other["bus.motion"].sigma_BN).max()
print(f"attitude error at the start  {error[0]:.2f} deg")
print(f"attitude error at the end    {error[-1]:.3f} deg")
for i in range(3):
    print(f"wheel {i + 1} at the end           {log[f'rw{i + 1}Spin.state'].rate[-1] / rpm:.1f} rpm")
print(f"largest motor torque         {np.abs(log['limit.torques'].torque).max():.2f} N m")
print(f"both engines agree           {difference < 1e-10}")

if "--plot" in sys.argv:
    log.plot("err.error.sigma_BR", "err.error.omega_BR_B", "limit.torques").savefig("wheels.png")
