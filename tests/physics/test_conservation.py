"""What a mechanism without external forces must conserve, over long times and at orbital distance."""

from typing import Annotated, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan import messages
from cardan.celestial import EARTH

MU = EARTH.mu


def branched_tree() -> cd.Mechanism:
    """A hub with two branches of hinges and a ball; nothing damps."""
    mechanism = cd.Mechanism("tree")
    hub = mechanism.add_body("hub", joint=cd.Free(), mass=100.0, inertia_B=np.diag([40.0, 30.0, 20.0]))
    inner = mechanism.add_body(
        "inner", parent=hub, joint=cd.Hinge((0, 1, 0)), mass=8.0, inertia_B=np.diag([1.0, 2.0, 1.5]),
        r_CB_B=(0.5, 0, 0), r_BP_P=(1.0, 0.2, 0.0),
    )  # fmt: skip
    for sign in (1.0, -1.0):
        mechanism.add_body(
            f"outer{sign:+.0f}", parent=inner, joint=cd.Hinge((0, 0, 1)), mass=3.0, inertia_B=np.diag([0.3, 0.4, 0.5]),
            r_CB_B=(0.3, 0.1, 0.0), r_BP_P=(1.0, sign * 0.5, 0.0),
        )  # fmt: skip
    mechanism.add_body(
        "bob", parent=hub, joint=cd.Ball((0.0, 0.0, 0.4)), mass=5.0, inertia_B=np.diag([0.5, 0.6, 0.7]),
        r_BP_P=(-1.0, 0.0, 0.0),
    )  # fmt: skip
    return mechanism


START = {
    "inner_joint": messages.HingeState(0.3, 0.02),
    "outer+1_joint": messages.HingeState(-0.2, -0.03),
    "outer-1_joint": messages.HingeState(0.1, 0.05),
    "bob_joint": messages.BallState(omega_CP_C=np.array([0.02, -0.01, 0.03])),
}
TUMBLE = np.array([0.02, -0.01, 0.03])


@pytest.mark.parametrize("dynamics", [cd.RecursiveTree(), cd.Mujoco()], ids=lambda d: d.name)
def test_a_tumbling_branched_tree_conserves_momentum_and_energy(dynamics):
    mechanism = branched_tree()
    scn = cd.Scenario(mechanism=mechanism)
    hub = messages.FrameMotion(v_BN_N=np.array([0.01, 0.0, -0.02]), omega_BN_B=TUMBLE)
    scn.start(START | {"hub": hub})
    sim = cd.Simulation(scn, dynamics=dynamics, integrator=cd.Dop853(rtol=1e-13, atol=1e-15))
    log = sim.run(until=10_000.0, record=cd.Record(every=100.0, ports=["hub.momentum"]))
    vehicle = log["hub.momentum"]
    drift = np.abs(vehicle.momentum_C_N - vehicle.momentum_C_N[0]).max() / np.linalg.norm(vehicle.momentum_C_N[0])
    assert drift < 1e-12
    assert np.abs(vehicle.v_CN_N - vehicle.v_CN_N[0]).max() / np.linalg.norm(vehicle.v_CN_N[0]) < 1e-12
    assert np.abs(vehicle.kinetic_energy / vehicle.kinetic_energy[0] - 1.0).max() < 1e-10


@cd.model
class PointGravity(NamedTuple):
    """Attraction of a point mass at the origin on several bodies."""

    masses: Annotated[cd.Vec, "kg"]
    mu: Annotated[float, "m^3/s^2"] = MU

    @cd.output
    def pull(self, positions: messages.FramePositions) -> messages.InertialForces:
        force = np.zeros((len(self.masses), 3))
        for i in range(len(self.masses)):
            r = positions.r_BN_N[i]
            distance = np.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
            for k in range(3):
                force[i, k] = -self.mu * self.masses[i] / distance**3 * r[k]
        return messages.InertialForces(force)


@pytest.mark.parametrize("dynamics", [cd.RecursiveTree(), cd.Mujoco()], ids=lambda d: d.name)
def test_in_orbit_energy_and_angular_momentum_about_the_earth_are_conserved(dynamics):
    mechanism = branched_tree()
    scn = cd.Scenario(mechanism=mechanism)
    bodies = mechanism.group_of_bodies("all")
    masses = np.array([mechanism.tree.body_mass[name][0] for name in bodies.names])
    gravity = scn.add(PointGravity(masses=masses), name="gravity", positions=bodies.positions)
    scn.connect(gravity.pull, bodies.forces_N)
    radius = 7.0e6
    hub = messages.FrameMotion(
        r_BN_N=np.array([radius, 0.0, 0.0]), v_BN_N=np.array([0.0, np.sqrt(MU / radius), 0.0]), omega_BN_B=TUMBLE
    )
    scn.start(START | {"hub": hub})
    # the orbit wants relative, the vehicle absolute tolerances
    sim = cd.Simulation(scn, dynamics=dynamics, integrator=cd.Dop853(rtol=1e-14, atol=1e-13, max_step=5.0))
    ports = ["hub.momentum", *(f"{name}.com.motion" for name in bodies.names)]
    log = sim.run(until=3000.0, record=cd.Record(every=100.0, ports=ports))
    vehicle = log["hub.momentum"]
    total = masses.sum()
    potential = sum(
        -MU * mass / np.linalg.norm(log[f"{name}.com.motion"].r_BN_N, axis=1)
        for mass, name in zip(masses, bodies.names, strict=True)
    )
    energy = vehicle.kinetic_energy + 0.5 * total * np.sum(vehicle.v_CN_N**2, axis=1) + potential
    momentum = vehicle.momentum_C_N + total * np.cross(vehicle.r_CN_N, vehicle.v_CN_N)
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-11
    assert np.abs(momentum - momentum[0]).max() / np.linalg.norm(momentum[0]) < 1e-11


@pytest.mark.parametrize("dynamics", [cd.RecursiveTree(), cd.Mujoco()], ids=lambda d: d.name)
def test_attitude_does_not_feel_a_common_velocity_of_orbital_size(dynamics):
    attitudes = []
    for speed, place in ((0.0, 0.0), (7500.0, 7.0e6)):
        mechanism = branched_tree()
        scn = cd.Scenario(mechanism=mechanism)
        hub = messages.FrameMotion(
            r_BN_N=np.array([place, 0.0, 0.0]), v_BN_N=np.array([0.0, speed, 0.0]), omega_BN_B=TUMBLE
        )
        scn.start(START | {"hub": hub})
        sim = cd.Simulation(scn, dynamics=dynamics, integrator=cd.Rk4(step=0.05))
        sim.run(until=500.0, record=cd.Record(every=500.0))
        attitudes.append(np.concatenate([sim["hub.motion"].sigma_BN, sim["outer+1.motion"].sigma_BN]))
    # an MRP is a quarter of an angle
    assert 4.0 * np.abs(attitudes[0] - attitudes[1]).max() < 1e-11
