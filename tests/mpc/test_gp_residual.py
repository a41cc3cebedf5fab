"""Predictive control with what is learnt of the thrusters."""

import numpy as np
import pytest

import cardan as cd
from cardan.errors import CardanError
from cardan.messages import FlyerReference, FrameMotion, LearntThrusters, ThrusterCommand
from cardan.missions.vehicles import add_flyer
from cardan.models import StuckThruster, ThrusterBank, ThrusterWrench
from cardan.mpc import TrackingMpc, gp_residual

BEE = add_flyer(cd.Mechanism("bee"), "astrobee", name="bee")
LARGEST = BEE.thrusters.max_thrust
START = FrameMotion(r_BN_N=[0.3, -0.2, 0.2], sigma_BN=[0.1, 0.0, -0.1])


def learner(**options):
    return gp_residual(BEE.mass, BEE.inertia_C_B, BEE.mixer, LARGEST, **options)


def closed_loop(*, fault=None, learns=True, jit=True, horizon=40, window=300, **options):
    m = cd.Mechanism("loop")
    flyer = add_flyer(m, "astrobee", name="bee")
    scn = cd.Scenario("loop", mechanism=m)
    body, thrusters = m.bodies[flyer.body], flyer.thrusters
    part = TrackingMpc(flyer.mass, flyer.inertia_C_B, flyer.mixer, LARGEST, horizon=horizon, **options)
    ctl = scn.add(part, name="ctl", every=0.25, motion=body.com.motion, reference=FlyerReference())
    if learns:
        gp = scn.add(learner(window=window), name="gp", every=0.25, motion=body.com.motion)
        scn.connect(ctl.command, gp.command, delay=1, initial=ThrusterCommand(np.zeros(12)))
        scn.connect(gp.learnt, ctl.learnt)
    bank = scn.add(ThrusterBank(LARGEST), name="bank", command=ctl.command)
    push = scn.add(ThrusterWrench(thrusters.positions_B, thrusters.directions_B), name="push", forces=bank.forces)
    scn.connect(push.wrench, body.wrench)
    if fault is not None:
        scn.intercept(bank.forces, fault, name="fault")
    scn.start({body: START})
    return cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.05), jit=jit)


def test_a_thruster_that_is_stuck_on_no_longer_pushes_the_flyer_off():
    """The change is found within three periods, and the error that is left without learning, 8 cm, goes."""
    fault = StuckThruster(6, 0.3, 3.0)
    plain = closed_loop(fault=fault, learns=False).run(until=16.0, progress=False)
    learning = closed_loop(fault=fault).run(until=16.0, progress=False)
    errors = [np.linalg.norm(log["ctl.error"].r_BR_B[-8:], axis=1).mean() for log in (plain, learning)]
    assert errors[0] > 0.05 and errors[1] < 0.4 * errors[0]
    status = learning["gp.status"]
    assert 3.0 < learning.t[np.argmax(status.is_changed)] <= 3.75 and status.changes[-1] == 1
    assert learning["ctl.command"].thrust.min() >= 0.0 and np.all(learning["ctl.command"].thrust <= LARGEST)


def test_with_sound_thrusters_it_flies_as_without_learning():
    plain, learning = (closed_loop(learns=learns).run(until=5.0, progress=False) for learns in (False, True))
    assert learning["gp.status"].changes[-1] == 0
    gap = learning["ctl.error"].r_BR_B - plain["ctl.error"].r_BR_B
    assert np.abs(gap).max() < 2e-3


def test_plain_and_native_give_the_same_bits():
    words = []
    for jit in (True, False):
        sim = closed_loop(fault=StuckThruster(3, 0.0, 0.5), jit=jit, horizon=6, window=5, max_speed=0.2)
        sim.run(until=2.0, progress=False)
        words.append(sim.snapshot().words)
    assert np.array_equal(*words)


def test_its_checker_finds_the_same_bits_too():
    given = {"command": ThrusterCommand(np.zeros(12))}
    assert cd.check_task(learner(window=4), inputs=given).targets["native"] == "the same bits"


def test_a_batch_learns_as_each_alone():
    scn = closed_loop(fault=StuckThruster(6, 0.3, 0.5), horizon=6, window=20).scenario
    places = np.array([[0.3, 0.0, 0.1], [-0.2, 0.1, 0.0]])
    batch = cd.Batch(scn, 2, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.05), outputs=["bee/astrobee.motion"])
    batch.reset({"bee/astrobee": FrameMotion(r_BN_N=places)})
    batch.advance(3.0)
    alone = batch.simulation(1)
    alone.reset({"bee/astrobee": FrameMotion(r_BN_N=places[1])})
    alone.run(until=3.0, progress=False)
    assert np.array_equal(alone.snapshot().words, batch.snapshot(1).words)


def flown(part, demands, *, fault=None):
    """What the learner knows after demands to a flyer that does as a fault says, and all it said on the way."""
    memory, motion, said = part.initial(), FrameMotion(), []
    last = np.zeros(12)
    for demanded in demands:
        memory, out = part.step(0.25, memory, motion, ThrusterCommand(last))
        said.append(out)
        given = demanded.copy()
        if fault is not None:
            given[fault[0]] = fault[1]
        # small steps from rest: velocity and rate grow by the wrench, attitude stays
        six = BEE.mixer @ given
        motion = FrameMotion(
            v_BN_N=0.25 * six[:3] / BEE.mass, omega_BN_B=0.25 * np.linalg.solve(BEE.inertia_C_B, six[3:])
        )
        memory = memory._replace(node=np.r_[np.zeros(3), 1.0, np.zeros(9)])
        last = demanded
    return memory, said


def test_the_window_keeps_the_newest_points():
    rng = np.random.default_rng(0)
    demands = rng.uniform(0.0, 0.3, (9, 12))
    memory, said = flown(learner(window=5), demands)
    assert [out.status.points for out in said] == [0, 1, 2, 3, 4, 5, 5, 5, 5]
    assert memory.thrust == pytest.approx(demands[3:8])


def test_a_point_like_the_newest_takes_its_place():
    demands = np.tile(np.full(12, 0.1), (6, 1))
    memory, _ = flown(learner(), demands)
    assert memory.points == 1


def test_older_points_are_forgotten_after_a_change():
    rng = np.random.default_rng(0)
    demands = rng.uniform(0.05, 0.3, (12, 12))
    part, memory, motion = learner(), learner().initial(), FrameMotion()
    memory, _ = flown(part, demands)
    assert memory.points == 11
    # the same flyer, thruster 4 now dead
    for k, demanded in enumerate(rng.uniform(0.05, 0.3, (3, 12))):
        given = demanded * (np.arange(12) != 4)
        six = BEE.mixer @ given
        motion = FrameMotion(
            v_BN_N=0.25 * six[:3] / BEE.mass, omega_BN_B=0.25 * np.linalg.solve(BEE.inertia_C_B, six[3:])
        )
        memory = memory._replace(node=np.r_[np.zeros(3), 1.0, np.zeros(9)])
        memory, out = part.step(0.25, memory, motion, ThrusterCommand(demanded))
        assert out.status.is_changed == (k == 1)
    assert memory.points == 3 and memory.changes == 1
    assert out.status.thrust_error[4] < 0.0


# ---- limits ----------------------------------------------------------------------------------------------------------


def first_plan(learnt=None, **options):
    part = TrackingMpc(BEE.mass, BEE.inertia_C_B, BEE.mixer, LARGEST, horizon=16, first_programs=20, **options)
    start, goal = FrameMotion(), FlyerReference(r_RN_N=np.array([2.0, 0.0, 0.0]))
    given = {} if learnt is None else {"learnt": learnt}
    return part.step(0.25, part.initial(), start, goal, **given)[1]


def nothing_known():
    return learner().step(0.25, learner().initial(), FrameMotion(), ThrusterCommand(np.zeros(12)))[1].learnt


def test_what_is_not_known_tightens_limits():
    """The more standard deviations, the slower, but never below half of what is allowed."""
    fastest = [
        np.linalg.norm(first_plan(nothing_known(), max_speed=0.2, tightening=sigmas).prediction.v_BN_N, axis=1).max()
        for sigmas in (0.0, 0.5, 50.0)
    ]
    assert fastest[0] == pytest.approx(0.2, abs=2e-3)
    assert fastest[2] + 0.01 < fastest[1] < fastest[0] - 0.01
    assert fastest[2] == pytest.approx(0.1, abs=5e-3)


def test_knowing_that_thrusters_are_sound_changes_nothing():
    size = 12 * 9 + 6
    certain = LearntThrusters(np.zeros((12, 9)), np.zeros(3), np.zeros(3), 1e6 * np.eye(size))
    with_it, without = first_plan(certain, max_speed=0.2), first_plan(max_speed=0.2)
    assert with_it.prediction.r_BN_N == pytest.approx(without.prediction.r_BN_N, abs=1e-6)


def test_a_push_from_outside_is_held_against():
    size = 12 * 9 + 6
    pushed = LearntThrusters(np.zeros((12, 9)), np.array([0.1, 0.0, 0.0]), np.zeros(3), 1e6 * np.eye(size))
    part = TrackingMpc(BEE.mass, BEE.inertia_C_B, BEE.mixer, LARGEST, first_programs=20, tolerance=1e-9)
    out = part.step(0.25, part.initial(), FrameMotion(), FlyerReference(), learnt=pushed)[1]
    assert out.wrench.force_B == pytest.approx([-0.1, 0.0, 0.0], abs=0.01)


# ---- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"window": 0}, "`GpResidual.window` must be positive"),
        ({"nodes": 1}, "`GpResidual.nodes` must be"),
        ({"force_noise": 0.0}, "`GpResidual.force_noise` must be positive"),
        ({"spread": -1.0}, "`GpResidual.spread` must be positive"),
        ({"patience": 0}, "`GpResidual.patience` must be positive"),
    ],
)
def test_impossible_numbers_are_refused(options, text):
    with pytest.raises(CardanError) as caught:
        learner(**options)
    assert text in str(caught.value)


def test_what_was_learnt_of_other_thrusters_is_refused():
    other = LearntThrusters(np.zeros((4, 9)), np.zeros(3), np.zeros(3), np.eye(42))
    with pytest.raises(ValueError, match="what is learnt is one row per thruster"):
        first_plan(other)
    with pytest.raises(ValueError, match="the factor of what is learnt has a row for each of its numbers"):
        first_plan(LearntThrusters(np.zeros((12, 9)), np.zeros(3), np.zeros(3), np.eye(42)))
