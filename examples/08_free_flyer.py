"""A free flyer flies a circle near a station: vehicle, planner, two controllers, thrusters and a fault."""

import sys

import numpy as np

import cardan as cd
from cardan import fsw, models
from cardan.messages import FrameMotion
from cardan.missions.vehicles import add_flyer, gateway

START = np.array([-3.1, -14.5, 0.0])  # [m]


def build(law, period):
    m = gateway()
    bee = add_flyer(m, "astrobee", name="bee", r_BN_N=START)
    body, bank = m.bodies[bee.body], bee.thrusters
    scn = cd.Scenario("near the airlock", mechanism=m)

    # a circle outside of the airlock, looking inwards
    circle = fsw.CirclePath(centre_N=[-3.1, -11.5, 0.0], normal_N=[0, 0, 1], radius=3.0, speed=0.1, faces_centre=True)
    plan = scn.add(circle, name="plan", every=period, motion=body.com.motion)

    # the controller asks for thrusts; the bank gives what it can; its geometry says what the body feels
    flown = law(bee.mass, bee.inertia_C_B, bee.mixer, bank.max_thrust)
    ctl = scn.add(flown, name="ctl", every=period, motion=body.com.motion, reference=plan.reference)
    given = scn.add(models.ThrusterBank(bank.max_thrust), name="bank", command=ctl.command)
    push = scn.add(models.ThrusterWrench(bank.positions_B, bank.directions_B), name="push", forces=given.forces)
    scn.connect(push.wrench, body.wrench)
    scn.start({body: FrameMotion(r_BN_N=START)})

    # after a minute thruster RX- stays shut, and nobody is told
    scn.intercept(given.forces, models.StuckThruster(bank.names.index("bee/RX-"), after=60.0), name="fault")
    return scn


def lqr(mass, inertia_B, mixer, max_thrust):
    return fsw.flyer_lqr(mass, inertia_B, mixer, max_thrust, period=0.1)


for name, law in (("PD", fsw.flyer_pd), ("LQR", lqr)):
    sim = cd.Simulation(build(law, 0.1), dynamics=cd.Mujoco(), integrator=cd.Rk4(step=0.05))
    log = sim.run(until=120.0, record=cd.Record(every=0.1, ports=["plan.*", "ctl.error", "push.state"]))
    error, impulse = log["plan.progress"].lateral_error, log["push.state"].impulse
    before, after = 1e3 * error[(log.t > 30.0) & (log.t < 60.0)].max(), 1e3 * error[log.t > 60.0].max()
    print(f"{name}: {before:.1f} mm off the circle, {after:.0f} mm after the fault, {impulse[-1].sum():.1f} N s")

if "--plot" in sys.argv:
    log.plot("plan.progress.*", "ctl.error.*").savefig("flyer.png")
