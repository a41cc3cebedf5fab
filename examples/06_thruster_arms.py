"""Two thrusters at the ends of arms bring a spacecraft to rest: allocation, joint control and a free start."""

import sys

import numpy as np

import cardan as cd
from cardan import fsw
from cardan.dynamics.recursive_tree.calculator import Calculator
from cardan.messages import FrameMotion
from cardan.missions.vehicles import vehicle

m = cd.Mechanism.from_mjcf(vehicle("thruster_arms.xml"))
hub = m.bodies["hub"]
turns = ("base_joint_x", "base_joint_y", "tip_joint_z", "tip_joint_y")
names = [f"arm_{arm}_{turn}" for arm in (1, 2) for turn in turns]
joints = m.group_of_hinges("joints", *names)
scn = cd.Scenario("thruster arms", mechanism=m)

# the outer loop at 10 Hz asks for a force and a torque
nav = scn.add(fsw.SimpleNavigation(), name="nav", every=0.1, truth=hub.motion)
err = scn.add(fsw.AttitudeTracking(), name="err", every=0.1, attitude=nav.attitude)
law = fsw.MrpFeedback(K=6.0, P=30.0, inertia_B=np.diag([85.0, 150.0, 170.0]))
attitude = scn.add(law, name="attitude", every=0.1, error=err.error)
position = scn.add(fsw.PositionFeedback(K=1.26, P=42.0, max_force=1.5), name="position", every=0.1, motion=nav.motion)

# at 100 Hz both become two thrusts, eight joint angles, and what only the hub can give
arms = fsw.ThrusterArmAllocation(
    r_S1B_B=np.array([0.79, 0.0, 0.0]), r_S2B_B=np.array([-0.79, 0.0, 0.0]), dcm_A1B=np.eye(3),
    dcm_A2B=np.diag([-1.0, -1.0, 1.0]), boom=1.0, r_CB_B=np.zeros(3), max_thrust=2.5,
)  # fmt: skip
allocation = scn.add(arms, name="allocation", every=0.01, attitude=nav.attitude)
scn.connect(position.force, allocation.force)
scn.connect(attitude.torque, allocation.torque)

# joint torques from the vehicle's mass matrix, and a hub torque so that the hub does not feel them
M = Calculator(m).mass_matrix(m.tree.reference)
loop = fsw.ThrusterArmJoints(inertia=M[6:, 6:], coupling_B=M[6:, 3:6], boom=1.0, bandwidth=5.0)
inner = scn.add(loop, name="inner", every=0.01, states=joints.states, reference=allocation.joints)
for thruster in ("1", "2"):
    thrust = getattr(allocation, f"thrust_{thruster}")
    scn.connect(thrust, getattr(inner, f"thrust_{thruster}"))
    scn.connect(thrust, m.actuators[f"F_thruster_{thruster}"].command)
scn.connect(allocation.roll, inner.roll)
scn.connect(inner.torques, joints.efforts)
scn.connect(inner.hub, hub.wrench)

sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.01))
record = cd.Record(every=0.1, ports=["hub.motion", "*.state", "allocation.*", "inner.hub"])

# one simulation, several starts: 1 m, 20 deg, 1 cm/s and 0.01 rad/s in random directions
for number in range(3):
    drawn = np.random.default_rng(number).normal(size=(4, 3))
    r_N, axis, v_N, omega_B = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    sigma_BN = np.tan(np.deg2rad(20.0) / 4.0) * axis
    sim.reset({hub: FrameMotion(r_BN_N=r_N, v_BN_N=0.01 * v_N, sigma_BN=sigma_BN, omega_BN_B=0.01 * omega_B)})
    log = sim.run(until=200.0, record=record)
    motion = log["hub.motion"]
    far = np.linalg.norm(motion.r_BN_N, axis=1) > 0.01
    turned = 4.0 * np.arctan(np.linalg.norm(motion.sigma_BN, axis=1)) > np.deg2rad(0.1)
    angle = np.rad2deg(max(np.abs(log[f"{name}.state"].angle).max() for name in names))
    thrust = max(log["allocation.thrust_1"].command.max(), log["allocation.thrust_2"].command.max())
    settled = log.t[np.flatnonzero(far | turned)[-1]]
    print(f"start {number}: within 1 cm and 0.1 deg after {settled:.1f} s; joints to {angle:.1f} deg, {thrust:.2f} N")

if "--plot" in sys.argv:
    log.plot("hub.motion.r_BN_N", "hub.motion.sigma_BN", "inner.hub.torque_B").savefig("arms.png")
