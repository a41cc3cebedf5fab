"""Flight software in another process, in the loop with a simulated spacecraft, over UDP.

Covers: inputs from outside, stepping from Python, a link in both directions.
"""

import socket
import struct
import threading

import numpy as np

import cardan as cd
from cardan.messages import BodyTorque
from cardan.models import RigidBody, RigidBodyState

PERIOD, UNTIL = 0.1, 60.0  # [s]
STATE, TORQUE = struct.Struct("<7d"), struct.Struct("<3d")  # time, attitude and rate; torque


def flight_software(link: socket.socket) -> None:
    """Stands for a program on the other end of the wire: a PD law, 10 Hz, until the wire is silent."""
    while True:
        try:
            packet, address = link.recvfrom(STATE.size)
        except TimeoutError:
            return
        numbers = np.array(STATE.unpack(packet))
        sigma_BN, omega_BN_B = numbers[1:4], numbers[4:7]
        link.sendto(TORQUE.pack(*(-2.0 * sigma_BN - 6.0 * omega_BN_B)), address)


def open_link() -> socket.socket:
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.bind(("127.0.0.1", 0))
    link.settimeout(2.0)
    return link


# the plant: a rigid body whose torque comes from outside
scn = cd.Scenario("in-the-loop")
torque = scn.input("torque", BodyTorque(np.zeros(3)))
tumbling = RigidBodyState(q_BN=np.array([0.8, 0.36, -0.48, 0.0]), omega_BN_B=np.array([0.02, 0.0, -0.03]))
body = scn.add(RigidBody(inertia_B=np.diag([12.0, 10.0, 8.0])), name="body", initial=tumbling, drive=torque)
sim = cd.Simulation(scn, integrator=cd.Rk4(step=PERIOD))
sim.compile()  # nobody waits for a compiler once the link is open

with open_link() as ours, open_link() as theirs:
    threading.Thread(target=flight_software, args=(theirs,), daemon=True).start()
    for k in range(round(UNTIL / PERIOD)):
        motion = sim["body.attitude"]
        ours.sendto(STATE.pack(sim.now, *motion.sigma_BN, *motion.omega_BN_B), theirs.getsockname())
        sim.give(torque=BodyTorque(np.array(TORQUE.unpack(ours.recv(TORQUE.size)))))
        sim.advance_to((k + 1) * PERIOD)

attitude = sim["body.attitude"]
print(f"attitude error after {sim.now:.0f} s: {4.0 * np.degrees(np.arctan(np.linalg.norm(attitude.sigma_BN))):.4f} deg")
print(f"rate: {np.linalg.norm(attitude.omega_BN_B):.2e} rad/s")
