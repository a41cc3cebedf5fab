"""Gaussian processes of thrusters' curves, against the dense algebra of their covariances."""

import numpy as np
import pytest

import cardan as cd
from cardan.maths import dcm_from_mrp, mrp_from_quaternion
from cardan.missions.vehicles import add_flyer
from cardan.mpc.flyer_observation import lacking_wrench
from cardan.mpc.gaussian_process import Prior, expect, expect_errors, knowledge, surprise

BEE = add_flyer(cd.Mechanism("bee"), "astrobee", name="bee")
MIXER, LARGEST = np.ascontiguousarray(BEE.mixer), BEE.thrusters.max_thrust
NODES = 9
PRIOR = Prior(MIXER, LARGEST, 0.5, 1.0, 0.03, 0.003, 0.003, 3e-4)


def points(count, seed=1):
    """Demands, attitudes, and wrenches as two faults and a push from outside make them."""
    rng = np.random.default_rng(seed)
    thrust = rng.uniform(0.0, 1.0, (count, 12)) * LARGEST
    q = rng.normal(size=(count, 4))
    q /= np.linalg.norm(q, axis=1)[:, None]
    error = np.zeros((count, 12))
    error[:, 6], error[:, 2] = -thrust[:, 6], 0.2 * np.sin(5.0 * thrust[:, 2])
    wrench = error @ MIXER.T + 0.003 * rng.normal(size=(count, 6)) * [1, 1, 1, 0.1, 0.1, 0.1]
    wrench[:, :3] += [axes(row) @ [0.01, 0.0, -0.02] for row in q]
    return thrust, q, wrench


def axes(q):
    return dcm_from_mrp(mrp_from_quaternion(q))


def covariance(one, other):
    """(6 n, 6 m) Of wrenches at points, from kernels: the process is linear between its nodes."""
    (u, p), (v, q) = one, other
    places = np.linspace(0.0, 1.0, NODES)
    r = np.sqrt(3.0) * np.abs(places[:, None] - places) / PRIOR.length
    K = (1.0 + r) * np.exp(-r)
    out = np.zeros((len(u), 6, len(v), 6))
    for i in range(12):
        hats = [np.array([np.interp(x[:, i] / LARGEST[i], places, row) for row in np.eye(NODES)]).T for x in (u, v)]
        k = (PRIOR.spread * LARGEST[i]) ** 2 * hats[0] @ K @ hats[1].T
        out += np.einsum("pq,a,b->paqb", k, MIXER[:, i], MIXER[:, i])
    turned = [np.array([axes(row) for row in x]) for x in (p, q)]
    out[:, :3, :, :3] += PRIOR.force**2 * np.einsum("pac,qbc->paqb", *turned)
    out[:, 3:, :, 3:] += PRIOR.torque**2 * np.eye(3)[None, :, None, :]
    return out.reshape(6 * len(u), 6 * len(v))


def noise(count):
    return np.diag(np.tile([PRIOR.force_noise**2] * 3 + [PRIOR.torque_noise**2] * 3, count))


def asked(known, thrust, q):
    mean, spread = np.zeros(6), np.zeros((6, 6))
    expect(PRIOR, known.posterior, thrust, q, mean, spread)
    return mean, spread


@pytest.mark.parametrize("repeats", [1, 3], ids=["apart", "coinciding"])
def test_it_is_the_dense_algebra_of_covariances(repeats):
    """Mean and covariance by (K + N)^-1 over all points, also if each point is there three times."""
    thrust, q, wrench = (np.tile(rows, (repeats, 1)) for rows in points(40))
    known = knowledge(PRIOR, NODES, thrust, q, wrench)
    u, p, _ = (rows[0] for rows in points(1, seed=2))
    mean, spread = asked(known, u, p)
    K = covariance((thrust, q), (thrust, q)) + noise(len(thrust))
    k = covariance((u[None], p[None]), (thrust, q))
    own = covariance((u[None], p[None]), (u[None], p[None]))
    assert mean == pytest.approx(k @ np.linalg.solve(K, wrench.ravel()), abs=1e-10 * LARGEST.max())
    assert spread == pytest.approx(own - k @ np.linalg.solve(K, k.T), abs=1e-10 * own.max())


def test_surprise_is_that_of_the_newest_point_against_all_others():
    thrust, q, wrench = points(30)
    known = knowledge(PRIOR, NODES, thrust, q, wrench)
    before = knowledge(PRIOR, NODES, thrust[:-1].copy(), q[:-1].copy(), wrench[:-1].copy())
    mean, spread = asked(before, thrust[-1], q[-1])
    gap = wrench[-1] - mean
    # the digits that are lost where a point tells much: variances before and after differ by 1e4
    assert known.surprise == pytest.approx(gap @ np.linalg.solve(spread + noise(1), gap), rel=1e-6)
    assert surprise(PRIOR, known.posterior, thrust[-1], q[-1], wrench[-1]) == pytest.approx(known.surprise, rel=1e-9)


def test_a_thruster_that_fails_is_found():
    """What it gives more than is demanded, -u, with its spread; the others give what they should."""
    thrust, q, wrench = points(120)
    known = knowledge(PRIOR, NODES, thrust, q, wrench)
    gap = known.error - [0.2 * np.sin(5.0 * u) if i == 2 else (-u if i == 6 else 0.0) for i, u in enumerate(thrust[-1])]
    assert np.all(np.abs(gap) < 4.0 * known.deviation)
    mean, deviation = np.zeros(12), np.zeros(12)
    expect_errors(PRIOR, known.posterior, LARGEST, mean, deviation)
    # offsets of opposite thrusters cancel and cannot be told apart, slopes can
    at_rest = np.zeros(12)
    expect_errors(PRIOR, known.posterior, 0.0 * LARGEST, at_rest, deviation)
    assert (mean - at_rest)[6] == pytest.approx(-LARGEST[6], abs=0.02)
    assert np.abs(np.delete(mean - at_rest, [2, 6])).max() < 0.05


def test_without_points_it_is_what_was_believed_before():
    known = knowledge(PRIOR, NODES, np.zeros((0, 12)), np.zeros((0, 4)), np.zeros((0, 6)))
    assert np.all(known.posterior.mean == 0.0)
    u, p, _ = (rows[0] for rows in points(1))
    assert asked(known, u, p)[1] == pytest.approx(covariance((u[None], p[None]), (u[None], p[None])), rel=1e-10)


def test_the_wrench_that_was_lacking_is_found_from_the_motion():
    """A body flown with more than was asked for, while it turns."""
    m = cd.Mechanism("flown")
    body = m.add_body("bee", joint=cd.Free(), mass=BEE.mass, inertia_B=BEE.inertia_C_B)
    scn = cd.Scenario("flown", mechanism=m)
    wrench, more = np.array([0.3, -0.1, 0.2, 0.02, 0.0, -0.03]), np.array([0.05, 0.1, -0.02, 0.004, -0.006, 0.002])
    given = scn.input("wrench", cd.messages.BodyWrench((wrench + more)[:3], (wrench + more)[3:]))
    scn.connect(given, body.com.wrench)
    scn.start({body: cd.messages.FrameMotion(v_BN_N=[0.1, 0.0, 0.2], omega_BN_B=[0.1, -0.2, 0.05])})
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.005))
    nodes = []
    for t in (0.0, 0.25):
        sim.advance_to(t)
        motion = sim["bee.com.motion"]
        s2 = float(motion.sigma_BN @ motion.sigma_BN)
        q = np.r_[1.0 - s2, 2.0 * motion.sigma_BN] / (1.0 + s2)
        nodes.append(np.r_[motion.r_BN_N, q, motion.v_BN_N, motion.omega_BN_B])
    found = lacking_wrench(BEE.mass, BEE.inertia_C_B, np.zeros((3, 3)), nodes[0], nodes[1], wrench, 0.25)
    # what is left is of second order in what was lacking
    assert found == pytest.approx(more, abs=1e-3 * np.abs(more).max())
