"""The two missions without a mechanism, against a closed form and a converged reference."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import cardan as cd
from cardan import fsw, maths, models
from cardan.missions import hello, mass_spring_damper


def test_the_sampled_pid_loop_agrees_with_its_closed_form():
    """Between ticks the force is constant and the plant linear, so the exact solution is a matrix exponential."""
    scn = mass_spring_damper.build()
    mass, pid = scn.parts["mass"].part, scn.parts["pid"].part
    log = cd.Simulation(scn, integrator=cd.Dop853(rtol=1e-13, atol=1e-15)).run(until=10.0)

    # position, velocity, integral of the error, force, target
    rates = np.zeros((5, 5))
    rates[0, 1] = 1.0
    rates[1, :] = [-mass.stiffness / mass.mass, -mass.damping / mass.mass, 0.0, 1.0 / mass.mass, 0.0]
    rates[2, [0, 4]] = [-1.0, 1.0]
    over_a_tick = expm(rates * 0.05)
    x = np.array([0.0, 0.0, 0.0, 0.0, 1.0])
    for k in range(201):
        x[3] = pid.K_p * (1.0 - x[0]) - pid.K_d * x[1] + pid.K_i * x[2]
        assert log["pid.command"].force[k] == pytest.approx(x[3], rel=1e-10, abs=1e-11)
        assert log["mass.state"].position[k] == pytest.approx(x[0], rel=1e-11, abs=1e-13)
        assert log["integral.state"].integral[k] == pytest.approx(x[2], rel=1e-11, abs=1e-13)
        x = over_a_tick @ x


def test_the_attitude_loop_agrees_with_an_independent_simulation():
    """The same loop written down a second time: rotation matrices, SciPy's integrator, NumPy's linear algebra."""
    log = cd.Simulation(hello.build(), integrator=cd.Dop853(rtol=1e-12, atol=1e-14)).run(until=100.0)
    inertia = hello.INERTIA_B

    def rates(t, y, torque):
        dcm, omega = y[:9].reshape(3, 3), y[9:]
        omega_dot = np.linalg.solve(inertia, torque - np.cross(omega, inertia @ omega))
        return np.concatenate([(-maths.tilde(omega) @ dcm).ravel(), omega_dot])

    dcm, omega = maths.dcm_from_mrp(np.array([0.1, 0.2, -0.3])), np.array([0.001, -0.01, 0.03])
    y = np.concatenate([dcm.ravel(), omega])
    for k in range(201):
        dcm, omega = y[:9].reshape(3, 3), y[9:]
        angle = np.arccos((np.trace(dcm) - 1.0) / 2.0)
        axis = np.array([dcm[1, 2] - dcm[2, 1], dcm[2, 0] - dcm[0, 2], dcm[0, 1] - dcm[1, 0]]) / (2.0 * np.sin(angle))
        sigma = np.tan(angle / 4.0) * axis
        torque = np.cross(omega, inertia @ omega) - 3.5 * sigma - 30.0 * omega
        assert log["err.error"].sigma_BR[k] == pytest.approx(sigma, abs=1e-9)
        assert log["ctl.torque"].torque_B[k] == pytest.approx(torque, abs=1e-8)
        y = solve_ivp(rates, (0.0, 0.5), y, "DOP853", rtol=1e-12, atol=1e-14, args=(torque,)).y[:, -1]


@pytest.fixture(scope="module")
def tumble() -> cd.Log:
    scn = cd.Scenario()
    inertia = np.array([[9.0, 0.5, -0.3], [0.5, 8.0, 0.2], [-0.3, 0.2, 6.0]])
    start = models.RigidBodyState(omega_BN_B=np.array([0.1, -0.4, 0.3]))
    scn.add(models.RigidBody(inertia_B=inertia), name="body", initial=start)
    sim = cd.Simulation(scn, integrator=cd.Dop853(rtol=1e-13, atol=1e-15))
    return sim.run(until=2000.0, record=cd.Record(every=20.0, ports=["body.state"]))


def test_a_free_tumble_conserves_angular_momentum(tumble):
    inertia = np.array([[9.0, 0.5, -0.3], [0.5, 8.0, 0.2], [-0.3, 0.2, 6.0]])
    states = tumble["body.state"]
    momentum = np.array(
        [
            maths.dcm_from_quaternion(q).T @ inertia @ omega
            for q, omega in zip(states.q_BN, states.omega_BN_B, strict=True)
        ]
    )
    drift = np.abs(momentum - momentum[0]).max() / np.linalg.norm(momentum[0])
    assert drift < 1e-11


def test_a_free_tumble_conserves_energy(tumble):
    inertia = np.array([[9.0, 0.5, -0.3], [0.5, 8.0, 0.2], [-0.3, 0.2, 6.0]])
    omega = tumble["body.state"].omega_BN_B
    energy = 0.5 * np.einsum("ti,ij,tj->t", omega, inertia, omega)
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-11


def test_a_symmetric_body_precesses_at_the_rate_of_the_closed_form():
    spin, transverse, axial = 0.5, 8.0, 5.0
    start = np.array([0.02, 0.0, spin])
    scn = cd.Scenario()
    body = models.RigidBody(inertia_B=np.diag([transverse, transverse, axial]))
    scn.add(body, name="body", initial=models.RigidBodyState(omega_BN_B=start))
    log = cd.Simulation(scn, integrator=cd.Dop853(rtol=1e-12, atol=1e-14)).run(until=100.0)
    rate = (axial - transverse) / transverse * spin
    omega = log["body.state"].omega_BN_B
    expected = np.stack([start[0] * np.cos(rate * log.t), start[0] * np.sin(rate * log.t), 0.0 * log.t + spin], axis=1)
    assert omega == pytest.approx(expected, abs=1e-11)


def test_flight_software_needs_no_simulator():
    """A task is called in a REPL with two literals."""
    attitude = hello.build().parts["body"].part.attitude(models.RigidBodyState())
    error = fsw.AttitudeTracking().step(attitude).error
    assert error.sigma_BR.tolist() == [0.0, 0.0, 0.0]
