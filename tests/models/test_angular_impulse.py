import numpy as np
import pytest

import cardan as cd
from cardan.maths import dcm_from_mrp
from cardan.messages import BodyWrench, FrameMotion, HingeState, InertialWrench, VehicleMomentum
from cardan.models import AngularImpulse
from cardan.models.structures.angular_impulse import AngularImpulseState


def test_it_is_the_torque_about_the_centre_of_mass():
    frame = FrameMotion(r_BN_N=np.array([1.0, 2.0, 3.0]), sigma_BN=np.array([0.1, 0.2, -0.1]))
    vehicle = VehicleMomentum(r_CN_N=np.array([0.5, 0.0, 1.0]))
    wrench = BodyWrench(np.array([0.3, 0.0, -0.2]), np.array([0.0, 0.1, 0.0]))
    other = InertialWrench(np.array([0.0, 0.5, 0.0]), np.array([0.2, 0.0, 0.0]))
    rate = AngularImpulse().derivatives(AngularImpulseState(), frame, vehicle, wrench, other)
    turn = dcm_from_mrp(frame.sigma_BN).T
    force = turn @ wrench.force_B + other.force_N
    expected = turn @ wrench.torque_B + other.torque_N + np.cross([0.5, 2.0, 2.0], force)
    assert rate.impulse_C_N == pytest.approx(expected)


@pytest.mark.parametrize("wheel_rate", [0.0, 50.0])
def test_a_vehicle_has_the_momentum_that_loads_gave(wheel_rate):
    """Also while it turns, with a wheel inside and its centre of mass away from its origin."""
    m = cd.Mechanism("ship")
    hub = m.add_body("hub", joint=cd.Free(), mass=20.0, inertia_B=np.diag([3.0, 4.0, 5.0]), r_CB_B=[0.1, 0.0, 0.2])
    inertia_B = 0.05 * np.eye(3)
    m.add_body("rotor", parent=hub, joints={"spin": cd.Hinge([0, 0, 1.0])}, mass=1.0, inertia_B=inertia_B)
    nozzle = m.add_site("nozzle", hub, r_SB_B=[0.5, 0.3, -1.0], q_SB=[0.9, 0.1, 0.3, 0.3])
    scn = cd.Scenario(mechanism=m)
    own, inertial = BodyWrench([0.3, -0.2, 0.5], [0.02, 0.0, 0.05]), InertialWrench([0.1, 0.2, -0.1])
    scn.connect(own, nozzle.wrench)
    scn.connect(inertial, nozzle.wrench_N)
    loads = {"wrench": own, "wrench_N": inertial}
    scn.add(AngularImpulse(), name="impulse", frame=nozzle.motion, vehicle=hub.momentum, **loads)
    scn.start({"spin": HingeState(rate=wheel_rate)})
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.DormandPrince54(rtol=1e-11, atol=1e-12))
    log = sim.run(until=20.0, record=cd.Record(every=2.0, ports=["impulse.given", "hub.momentum"]))
    momentum_N = log["hub.momentum"].momentum_C_N
    gained_N = momentum_N - momentum_N[0]
    assert gained_N == pytest.approx(log["impulse.given"].impulse_C_N, abs=1e-8)
    assert np.linalg.norm(gained_N[-1]) > 1.0
