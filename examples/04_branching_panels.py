"""Six solar panels unfold in three phases: locks, latches and a free-floating hub that turns as they do."""

import sys

import numpy as np

import cardan as cd
from cardan import fsw, models
from cardan.maths import rotation_angle
from cardan.messages import HingeState
from cardan.missions.vehicles import vehicle

names = [f"panel_{panel}_deploy" for panel in ("10", "20", "1p", "2p", "1n", "2n")]
phase = np.array([0, 0, 1, 1, 2, 2])  # the centre panels, then one side, then the other
stowed = np.deg2rad([90.0, 180.0, 180.0, 180.0, 180.0, 180.0])

# the vehicle is a file: any MJCF or URDF will do
m = cd.Mechanism.from_mjcf(vehicle("branching_panels.xml"))
hinges = m.group_of_hinges("hinges", *names)
scn = cd.Scenario("branching panels", mechanism=m)

# a task holds hinges before their phase, releases them, and latches them where they are deployed
seq = scn.add(
    fsw.LatchSequencer(phase=phase, stowed=stowed, deployed=np.zeros(6), shortest=5400.0),
    name="seq",
    every=10.0,
    states=hinges.states,
)
scn.connect(seq.locks, hinges.locks)

# hardware, evaluated at every stage: a smooth profile, and motors with a PID whose integral is a state
ref = scn.add(
    models.HingeWaypoints(
        waypoints=np.stack([stowed, np.zeros(6)], axis=1),
        max_rate=np.deg2rad(0.05),
        max_acceleration=np.deg2rad(0.0001),
        start=np.zeros(6),
    ),
    name="ref",
    starts=seq.starts,
)
inertia = np.array([2163.0, 332.0, 96.0, 96.0, 96.0, 96.0])  # [kg m^2] what each hinge moves
w = 0.05  # [rad/s] bandwidth
gains = models.HingePid(K_p=inertia * w**2, K_d=2 * inertia * w, K_i=0.1 * inertia * w**3, max_torque=np.full(6, 5.0))
pid = scn.add(gains, name="pid", states=hinges.states, reference=ref.reference)
scn.connect(pid.torques, hinges.efforts)

scn.start({name: HingeState(angle=angle) for name, angle in zip(names, stowed, strict=True)})

# joints also stop at their limits with `cd.Mujoco(lock_time_constant=2.0)`; nothing else changes
dynamics = cd.RecursiveTree(lock_time_constant=2.0, ignore_limits=True)
sim = cd.Simulation(scn, dynamics=dynamics, integrator=cd.DormandPrince54(rtol=1e-8, atol=1e-10))
record = cd.Record(ports=["hub.motion", "hub.momentum", "*.state", "seq.progress", "ref.reference"])
log = sim.run(until=16800.0, record=record)

angle = np.stack([log[f"{name}.state"].angle for name in names], axis=1)
error = np.rad2deg(np.abs(angle - log["ref.reference"].angle))
turned = np.rad2deg(rotation_angle(log["hub.motion"].sigma_BN))
largest = np.linalg.norm(log["hub.motion"].omega_BN_B, axis=1).max() * 14400.0  # [N m s] of the hub alone
momentum = np.linalg.norm(log["hub.momentum"].momentum_C_N, axis=1).max()
print(f"phases done                {log['seq.progress'].phase[-1]}")
print(f"largest tracking error     {error.max():.4f} deg")
print(f"hub turned by at most      {turned.max():.3f} deg")
print(f"hub turned by at the end   {turned[-1]:.3f} deg")
print(f"angular momentum stays 0   {momentum < 1e-6 * largest}")

if "--plot" in sys.argv:
    log.plot("hub.motion.sigma_BN", "panel_10_deploy.state.angle", "panel_2n_deploy.state.angle").savefig("panels.png")
