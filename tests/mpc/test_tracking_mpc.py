import numpy as np
import pytest

import cardan as cd
from cardan.errors import CardanError
from cardan.fsw import flyer_pd
from cardan.fsw.allocation.wrench_axes import missing_axes
from cardan.messages import BodyWrench, FlyerReference, FrameMotion, LearntThrusters, ThrusterLimits
from cardan.missions.vehicles import add_flyer
from cardan.models import ThrusterBank, ThrusterWrench
from cardan.mpc import TrackingMpc

AT_ORIGIN = FlyerReference()
BEE = add_flyer(cd.Mechanism("bee"), "astrobee", name="bee")
START = FrameMotion(r_BN_N=[1.0, -0.5, 0.8], v_BN_N=[0.02, 0.0, 0.05], sigma_BN=[0.3, -0.2, 0.4])


def controller(flyer=BEE, **options):
    return TrackingMpc(flyer.mass, flyer.inertia_C_B, flyer.mixer, flyer.thrusters.max_thrust, **options)


def closed_loop(part, *, start=START, reference=AT_ORIGIN, limits=None, jit=True):
    mechanism = cd.Mechanism("loop")
    flyer = add_flyer(mechanism, "astrobee", name="bee")
    scn = cd.Scenario("loop", mechanism=mechanism)
    body, thrusters = mechanism.bodies[flyer.body], flyer.thrusters
    wired = {} if limits is None else {"limits": limits}
    ctl = scn.add(part, name="ctl", every=0.25, motion=body.com.motion, reference=reference, **wired)
    bank = scn.add(ThrusterBank(thrusters.max_thrust), name="bank", command=ctl.command)
    push = scn.add(ThrusterWrench(thrusters.positions_B, thrusters.directions_B), name="push", forces=bank.forces)
    scn.connect(push.wrench, body.wrench)
    scn.start({body: start})
    return cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.05), jit=jit)


def first_plan(part, start=START, reference=AT_ORIGIN, limits=None):
    """What it does at its first tick."""
    wired = {} if limits is None else {"limits": limits}
    return part.step(0.25, part.initial(), start, reference, **wired)[1]


def test_the_flyer_comes_to_rest_at_its_reference():
    sim = closed_loop(controller())
    log = sim.run(until=20.0, progress=False)
    assert log["ctl.status"].is_converged.all() and not log["ctl.status"].is_fallback.any()
    prediction = sim["ctl.prediction"]
    assert np.abs(prediction.r_BN_N[0]).max() < 1e-2 and np.abs(prediction.sigma_BN[0]).max() < 1e-2
    assert log["ctl.command"].thrust.min() >= 0.0
    assert np.all(log["ctl.command"].thrust <= BEE.thrusters.max_thrust)


def test_plain_and_native_give_the_same_bits():
    native, plain = (
        closed_loop(controller(horizon=12), jit=jit).run(until=2.0, progress=False) for jit in (True, False)
    )
    assert np.array_equal(native["ctl.command"].thrust, plain["ctl.command"].thrust)
    assert np.array_equal(native["ctl.prediction"].r_BN_N, plain["ctl.prediction"].r_BN_N)


def test_its_checker_finds_the_same_bits_too():
    nothing = LearntThrusters(np.zeros((12, 0)), np.zeros(3), np.zeros(3), np.zeros((0, 0)))
    given = {"limits": ThrusterLimits(np.zeros(12), BEE.thrusters.max_thrust), "learnt": nothing}
    assert cd.check_task(controller(horizon=6), inputs=given).targets["native"] == "the same bits"


def test_a_snapshot_continues_the_warm_start_to_the_same_bits():
    sim = closed_loop(controller(horizon=12))
    sim.run(until=1.0, progress=False)
    snapshot = sim.snapshot()
    going_on = sim.run(until=3.0, progress=False)["ctl.command"].thrust
    again = closed_loop(controller(horizon=12))
    again.restore(snapshot)
    assert np.array_equal(again.run(until=3.0, progress=False)["ctl.command"].thrust[-5:], going_on[-5:])


def test_a_plan_is_what_the_prediction_says_it_is():
    """Flown by the simulation itself, thrust by thrust, the plan ends where it was said to end."""
    plan = first_plan(controller(horizon=8)).prediction
    mechanism = cd.Mechanism("flown")
    flyer = add_flyer(mechanism, "astrobee", name="bee")
    scn = cd.Scenario("flown", mechanism=mechanism)
    body = mechanism.bodies[flyer.body]
    wrench = scn.input("wrench", BodyWrench(np.zeros(3), np.zeros(3)))
    scn.connect(wrench, body.com.wrench)
    scn.start({body: START})
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.25))
    for k in range(8):
        six = flyer.mixer @ plan.thrust[k]
        sim.give(wrench=BodyWrench(six[:3], six[3:]))
        sim.advance_to(0.25 * (k + 1))
    motion = sim[f"{flyer.body}.com.motion"]
    # both are Runge-Kutta steps of 0.25 s; ours keeps the quaternion unnormalised within a step
    assert motion.r_BN_N == pytest.approx(plan.r_BN_N[-1], abs=1e-5)
    assert motion.sigma_BN == pytest.approx(plan.sigma_BN[-1], abs=1e-5)


def test_more_programs_find_the_optimum_that_ipopt_finds():
    casadi = pytest.importorskip("casadi")
    n, h = 12, 0.25
    part = controller(horizon=n, first_programs=40, tolerance=1e-9, iterations=50)
    found = first_plan(part)
    ours = found.status.cost
    assert ours == pytest.approx(ipopt_cost(casadi, part, n, h), rel=1e-6)


def ipopt_cost(casadi, part, n, h):
    """The same problem, written again in CasADi's symbols."""
    ca, q0 = casadi, quaternion(START.sigma_BN)
    opti, mass, J = ca.Opti(), part.mass, ca.DM(part.inertia_B)
    u = opti.variable(len(part.max_thrust), n)
    opti.subject_to(opti.bounded(0.0, ca.vec(u), ca.DM(np.tile(part.max_thrust, n))))

    def rate(s, w):
        q, v, o = s[3:7], s[7:10], s[10:13]
        e, f = q[1:4], w[:3] / mass
        t = 2.0 * ca.cross(e, f)
        a = f + q[0] * t + ca.cross(e, t)
        dq = 0.5 * ca.vertcat(-ca.dot(e, o), q[0] * o + ca.cross(e, o))
        return ca.vertcat(v, dq, a, ca.solve(J, w[3:] - ca.cross(o, J @ o)))

    s, total = ca.DM(np.r_[START.r_BN_N, q0, START.v_BN_N, START.omega_BN_B]), 0.0
    for k in range(n):
        w = ca.DM(part.mixer) @ u[:, k]
        k1 = rate(s, w)
        k2 = rate(s + 0.5 * h * k1, w)
        k3 = rate(s + 0.5 * h * k2, w)
        k4 = rate(s + h * k3, w)
        s = s + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        s = ca.vertcat(s[:3], s[3:7] / ca.norm_2(s[3:7]), s[7:])
        weights = part.last_weights if k == n - 1 else part.weights
        sine = ca.norm_2(s[4:7])
        angle = 2.0 * ca.atan2(sine, s[3])
        total += 0.5 * (weights[0] * ca.sumsqr(s[:3]) + weights[1] * angle**2)
        total += 0.5 * (weights[2] * ca.sumsqr(s[7:10]) + weights[3] * ca.sumsqr(s[10:]))
        total += 0.5 * part.thrust_weight * ca.sumsqr(u[:, k])
    opti.minimize(total)
    opti.set_initial(u, 0.5 * np.tile(part.max_thrust, (n, 1)).T)
    opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes", "tol": 1e-10})
    return float(opti.solve().value(total))


def quaternion(sigma):
    s2 = float(np.dot(sigma, sigma))
    return np.r_[1.0 - s2, 2.0 * np.asarray(sigma)] / (1.0 + s2)


def test_a_sphere_in_the_way_is_gone_round():
    part = controller(max_speed=0.3, keep_out_N=[[0.0, 0.0, 0.0]], keep_out_radius=[0.6], programs=2, first_programs=20)
    start, goal = FrameMotion(r_BN_N=[-1.5, 0.05, 0.0]), FlyerReference(r_RN_N=np.array([1.5, 0.0, 0.0]))
    record = cd.Record(every=0.05, ports=["bee/astrobee.motion", "ctl.prediction"])
    log = closed_loop(part, start=start, reference=goal).run(until=30.0, progress=False, record=record)
    path = log["bee/astrobee.motion"].r_BN_N
    # soft, but not needed; and not cut into between the stages of a plan, five of these times apart
    assert np.linalg.norm(path, axis=1).min() > 0.6
    assert np.linalg.norm(path[-1] - [1.5, 0.0, 0.0]) < 0.05
    assert np.linalg.norm(log["ctl.prediction"].v_BN_N, axis=2).max() < 0.3 + 1e-4


@pytest.mark.parametrize(
    ("start", "centre"),
    [
        ([-0.063, -1.008, 2.019], [-0.059, -0.25, 1.034]),
        ([0.093, -2.193, 0.467], [0.054, -1.031, 0.2]),
        ([-0.365, -2.958, 0.907], [-0.18, -1.13, 0.6]),
        ([1.336, -1.719, 2.393], [0.553, -0.635, 1.099]),
    ],
)
def test_a_first_plan_past_a_sphere_keeps_to_its_speed(start, centre):
    """It turns along the round limit of speed, which straight steps would leave by up to 0.5 mm/s."""
    part = controller(max_speed=0.3, keep_out_N=[centre], keep_out_radius=[0.6], first_programs=20)
    found = first_plan(part, start=FrameMotion(r_BN_N=start))
    assert found.status.excess < 1e-4
    assert np.linalg.norm(found.prediction.v_BN_N, axis=1).max() < 0.3 + 1e-4


def test_a_thruster_that_is_out_is_not_used_and_the_others_do():
    upper = BEE.thrusters.max_thrust.copy()
    upper[6] = 0.0
    log = closed_loop(controller(), limits=ThrusterLimits(np.zeros(12), upper)).run(until=25.0, progress=False)
    assert np.all(log["ctl.command"].thrust[:, 6] == 0.0)
    assert np.abs(log["ctl.prediction"].r_BN_N[-1, 0]).max() < 2e-2


def test_a_reference_that_jumps_takes_more_programs():
    part = controller(horizon=10)
    memory, _ = part.step(0.25, part.initial(), START, FlyerReference())
    near = part.step(0.25, memory, START, FlyerReference(r_RN_N=np.array([0.1, 0.0, 0.0])))[1]
    far = part.step(0.25, memory, START, FlyerReference(r_RN_N=np.array([1.0, 0.0, 0.0])))[1]
    assert near.status.programs == 1 < far.status.programs


# ---- what cannot be done ---------------------------------------------------------------------------------------------

SPHERE = {"keep_out_N": [[0.0, 0.0, 0.0]], "keep_out_radius": [0.6]}


@pytest.mark.parametrize(
    ("limits", "goal", "nearest"),
    [
        (SPHERE, [0.2, 0.0, 0.0], [0.6, 0.0, 0.0]),
        ({"wall_normals_N": [[0.0, 0.0, -1.0]], "wall_offsets": [-0.5]}, [0.0, 0.0, -1.0], [0.0, 0.0, 0.5]),
    ],
    ids=["inside a sphere", "behind a wall"],
)
def test_a_set_point_that_cannot_be_reached_is_approached_as_far_as_limits_allow(limits, goal, nearest):
    reference = FlyerReference(r_RN_N=np.array(goal))
    sim = closed_loop(controller(programs=2, first_programs=20, **limits), reference=reference)
    log = sim.run(until=25.0, progress=False)
    assert log["ctl.prediction"].r_BN_N[-1, 0] == pytest.approx(nearest, abs=1e-2)
    assert log["ctl.status"].excess.max() < 1e-3 and not log["ctl.status"].is_fallback.any()
    missing = np.linalg.norm(np.subtract(nearest, goal))
    assert np.linalg.norm(log["ctl.error"].r_BR_B[-1]) == pytest.approx(missing, abs=1e-2)


@pytest.mark.parametrize("place", [[0.0, 0.2, 0.1], [0.0, 0.0, 0.0]], ids=["inside", "at the centre"])
def test_a_start_inside_a_sphere_is_left_and_flagged_until_then(place):
    reference = FlyerReference(r_RN_N=np.array([1.5, 0.0, 0.0]))
    sim = closed_loop(controller(programs=2, **SPHERE), start=FrameMotion(r_BN_N=place), reference=reference)
    log = sim.run(until=25.0, progress=False)
    depth = 0.6 - np.linalg.norm(log["ctl.prediction"].r_BN_N[:, 0], axis=1)
    left = np.argmax(depth < 1e-3)
    assert log.t[left] < 8.0 and depth[left:].max() < 1e-2
    # one step on, the flyer is hardly further out than it is
    assert log["ctl.status"].excess[1] == pytest.approx(depth[1], abs=0.05) and log["ctl.status"].excess[-1] < 1e-3
    assert np.linalg.norm(log["ctl.error"].r_BR_B[-1]) < 0.05


def test_thrusters_that_cannot_give_a_wrench_are_flown_by_turning_the_body():
    """Without thrusters along z others push there while the body is tilted; PD and LQR refuse such a bank by name."""
    flat = BEE.mixer[2] == 0.0
    mixer, largest = np.ascontiguousarray(BEE.mixer[:, flat]), BEE.thrusters.max_thrust[flat]
    assert missing_axes(mixer, np.ones(6))[:2] == ["force +z", "force -z"]
    with pytest.raises(CardanError, match=r"8 thrusters that cannot give force \+z, force -z"):
        flyer_pd(BEE.mass, BEE.inertia_C_B, mixer, largest)
    part = TrackingMpc(BEE.mass, BEE.inertia_C_B, mixer, largest, first_programs=20)
    out = part.step(0.25, part.initial(), FrameMotion(r_BN_N=[0.3, 0.2, 0.4]), FlyerReference())[1]
    assert out.prediction.r_BN_N[-1] == pytest.approx([0.0, 0.0, 0.09], abs=0.05) and not out.status.is_fallback
    assert np.abs(out.prediction.sigma_BN).max() > 0.03


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"horizon": 0}, "`TrackingMpc.horizon` must be positive"),
        ({"weights": [1.0, 1.0, -1.0, 1.0]}, "`TrackingMpc.weights` must be"),
        ({"thrust_weight": 0.0}, "`TrackingMpc.thrust_weight` must be positive"),
        ({"keep_out_N": [[0.0, 0.0, 0.0]]}, "`TrackingMpc.keep_out_radius` must be one per entry of `keep_out_N`"),
    ],
)
def test_impossible_numbers_are_refused(options, text):
    with pytest.raises(CardanError) as caught:
        controller(**options)
    assert text in str(caught.value)
