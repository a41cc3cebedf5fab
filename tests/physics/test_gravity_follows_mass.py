"""Gravity acts on the mass and the inertia that a body has now."""

from typing import Annotated, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan import models
from cardan.celestial import EARTH
from cardan.messages import BodyWrench, FrameMotion, GravityField, MassProperties

MU = EARTH.mu


@cd.model
class Emptying(NamedTuple):
    """A body that loses mass evenly; its inertia shrinks with it."""

    full: Annotated[float, "kg"]
    flow: Annotated[float, "kg/s"]

    @cd.output
    def properties(self, t: float) -> MassProperties:
        mass = self.full - self.flow * t
        return MassProperties(mass, np.zeros(3), mass / self.full * np.diag(np.array([30.0, 20.0, 10.0])))


def rocket(gravity, start=None, thrust=0.0, flow=0.5, dynamics=None):
    m = cd.Mechanism("rocket")
    body = m.add_body("body", joint=cd.Free(), mass=100.0, inertia_B=np.diag([30.0, 20.0, 10.0]))
    group = m.group_of_bodies("all")
    scn = cd.Scenario("rocket", mechanism=m)
    tank = scn.add(Emptying(full=100.0, flow=flow), name="tank")
    scn.connect(tank.properties, body.mass_properties)
    if isinstance(gravity, GravityField):
        scn.connect(gravity, group.gravity)
    else:
        scn.connect(scn.add(gravity, name="gravity", positions=group.positions).pull, group.gravity)
    if thrust:
        scn.connect(BodyWrench(force_B=np.array([0.0, 0.0, thrust]), torque_B=np.zeros(3)), body.wrench)
    if start is not None:
        scn.start({body: start})
    return cd.Simulation(scn, dynamics=dynamics or cd.RecursiveTree(), integrator=cd.Dop853(rtol=1e-12, atol=1e-10))


@pytest.mark.parametrize("dynamics", [cd.RecursiveTree(), cd.Mujoco(), cd.BackSubstitution()], ids=lambda d: d.name)
def test_a_rocket_that_empties_in_an_even_field_follows_its_equation(dynamics):
    g, thrust, flow, until = 9.0, 1500.0, 0.5, 100.0
    field = GravityField(g_N=np.array([[0.0, 0.0, -g]]), gradient_N=np.zeros((1, 6)))
    sim = rocket(field, thrust=thrust, flow=flow, dynamics=dynamics)
    motion = sim.run(until=until, record=cd.Record(every=until, ports=["body.motion"]))["body.motion"]
    # v = F/q ln(m0/m) - g t, and its integral; with the old mass, gravity would be 1.4 times as strong at the end
    rate, ratio = thrust / flow, 1.0 - flow * until / 100.0
    speed = -rate * np.log(ratio) - g * until
    height = rate * (until + 100.0 / flow * ratio * np.log(ratio)) - 0.5 * g * until**2
    assert motion.v_BN_N[-1] == pytest.approx([0.0, 0.0, speed], abs=1e-8)
    assert motion.r_BN_N[-1] == pytest.approx([0.0, 0.0, height], abs=1e-6)


def test_an_emptying_body_stays_on_the_orbit_of_a_full_one():
    """Half of the mass is gone after half a revolution; the ellipse does not know."""
    elements = {"a": 7.2e6, "e": 0.02, "i": 0.5, "Omega": 1.0, "omega": 2.0}
    half = round(float(np.pi * np.sqrt(7.2e6**3 / MU)), 9)
    sim = rocket(models.PointMassGravity(), cd.orbit(f=0.0, **elements), flow=50.0 / half)
    motion = sim.run(until=half, record=cd.Record(every=half, ports=["body.motion"]))["body.motion"]
    assert motion.r_BN_N[-1] == pytest.approx(cd.orbit(f=np.pi, **elements).r_BN_N, abs=1e-2)


def hub(part, start, inertia_B, integrator=None, dynamics=None):
    m = cd.Mechanism("hub")
    body = m.add_body("hub", joint=cd.Free(), mass=500.0, inertia_B=inertia_B)
    group = m.group_of_bodies("all")
    scn = cd.Scenario("hub", mechanism=m)
    gravity = scn.add(part, name="gravity", positions=group.positions)
    scn.connect(gravity.pull, group.gravity)
    scn.start({body: start})
    integrator = integrator or cd.Dop853(rtol=1e-12, atol=1e-12)
    return cd.Simulation(scn, dynamics=dynamics or cd.RecursiveTree(), integrator=integrator)


INERTIA = np.array([[310.0, 12.0, -7.0], [12.0, 240.0, 9.0], [-7.0, 9.0, 150.0]])


@pytest.mark.parametrize("dynamics", [cd.RecursiveTree(), cd.Mujoco()], ids=lambda d: d.name)
def test_two_orbits_of_an_asymmetrical_hub_agree_with_basilisks_gravity_gradient(dynamics):
    """The numbers are those of benchmarks/peers/basilisk_gravity_gradient.py with Basilisk 2.12 and steps of 0.5 s."""
    start = cd.orbit(
        a=6.9e6, e=0.01, i=0.9, Omega=0.3, omega=0.2, f=0.1,
        sigma_BN=[0.1, 0.2, -0.15], omega_BN_B=[2e-4, -1.1e-3, 3e-4],
    )  # fmt: skip
    sim = hub(models.PointMassGravity(), start, INERTIA, dynamics=dynamics)
    motion = sim.run(until=11400.0, record=cd.Record(every=11400.0, ports=["hub.motion"]))["hub.motion"]
    sigma = [-0.5625053715003494, -0.17563863773251123, -0.4953183389399502]
    omega = [0.0007440606361569904, 0.0007425552252808266, 0.0016185084559363918]
    assert motion.sigma_BN[-1] == pytest.approx(sigma, abs=1e-9)  # 4e-9 rad; asked are 1e-7
    assert motion.omega_BN_B[-1] == pytest.approx(omega, abs=1e-11)
    # without the gradient it would end elsewhere
    alone = hub(models.PointMassGravity(has_gradient=False), start, INERTIA, dynamics=dynamics)
    turned = alone.run(until=11400.0, record=cd.Record(every=11400.0, ports=["hub.motion"]))["hub.motion"]
    assert np.linalg.norm(turned.sigma_BN[-1] - sigma) > 0.1


def test_the_torque_is_that_of_masses_at_the_corners_of_the_body():
    """Eight points on a light frame have an inertia; as points they need no formula for the gradient."""
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-0.6, 0.6) for z in (-0.3, 0.3)])
    weights = np.array([1.0, 2.0, 3.0, 4.0, 4.0, 3.0, 2.0, 1.0])
    inertia_B = sum(w * ((c @ c) * np.eye(3) - np.outer(c, c)) for w, c in zip(weights, corners, strict=True))
    centre = weights @ corners / weights.sum()
    assert np.abs(centre).max() < 1e-15
    r = np.array([4.0e6, 5.0e6, -2.0e6])
    force = [-MU * w * (r + c) / np.linalg.norm(r + c) ** 3 for w, c in zip(weights, corners, strict=True)]
    torque = sum(np.cross(c, f) for c, f in zip(corners, force, strict=True))
    start = FrameMotion(r_BN_N=r, v_BN_N=np.zeros(3), sigma_BN=np.zeros(3), omega_BN_B=np.zeros(3))
    sim = hub(models.PointMassGravity(), start, inertia_B, cd.Rk4(step=0.01))
    sim.run(until=0.01)
    # of the order of the size of the body over the distance, 2e-7, is left out
    found = inertia_B @ sim["hub.motion"].omega_BN_B / 0.01
    assert found == pytest.approx(torque, rel=1e-5, abs=1e-10 * np.linalg.norm(torque))


def test_a_batch_pulls_each_member_with_its_own_mass():
    sim = hub(models.PointMassGravity(), cd.circular_orbit(altitude_km=500.0), INERTIA)
    batch = cd.Batch(sim.scenario, 2, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=1.0), varies=["hub.mass"])
    batch.set({"hub.mass": np.array([500.0, 50.0])})
    log = batch.run(until=100.0, record=cd.Record(every=100.0, ports=["hub.motion"]))
    heavy, light = (log[i]["hub.motion"].r_BN_N[-1] for i in range(2))
    assert heavy == pytest.approx(light, abs=1e-6)  # [m] with the mass of the other it would be 4 km off
