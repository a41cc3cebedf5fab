import numpy as np
import pytest

import cardan as cd
from cardan.errors import CardanError
from cardan.messages import FrameMotion, LearntThrusters, ThrusterLimits
from cardan.missions.vehicles import add_flyer
from cardan.models import ThrusterBank, ThrusterWrench
from cardan.mpc import ContouringMpc, contouring_mpc
from cardan.mpc.tasks.contouring_mpc import nearest_arc

BEE = add_flyer(cd.Mechanism("bee"), "astrobee", name="bee")
LINES = np.array([[0.0, 0, 0], [1.5, 0, 0], [1.5, 1.5, 0.0]])
TURNS = np.array([[1.0, 0, 0, 0], [0.8, 0.0, 0.0, 0.6], [0.8, 0.0, 0.0, 0.6]])
START = FrameMotion(r_BN_N=[0.2, -0.15, 0.1])


def controller(**options):
    return contouring_mpc(BEE, LINES, TURNS, **{"horizon": 24} | options)


def closed_loop(part, *, start=START, jit=True):
    mechanism = cd.Mechanism("loop")
    flyer = add_flyer(mechanism, "astrobee", name="bee")
    scn = cd.Scenario("loop", mechanism=mechanism)
    body, thrusters = mechanism.bodies[flyer.body], flyer.thrusters
    ctl = scn.add(part, name="ctl", every=0.25, motion=body.com.motion)
    bank = scn.add(ThrusterBank(thrusters.max_thrust), name="bank", command=ctl.command)
    push = scn.add(ThrusterWrench(thrusters.positions_B, thrusters.directions_B), name="push", forces=bank.forces)
    scn.connect(push.wrench, body.wrench)
    scn.start({body: start})
    return cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.05), jit=jit)


def test_a_flyer_follows_the_lines_and_stops_at_their_end():
    log = closed_loop(controller()).run(until=40.0, progress=False)
    status, progress = log["ctl.status"], log["ctl.progress"]
    assert not status.is_fallback.any() and status.excess.max() < 1e-3
    # it cuts the corner, by less than it was away at the start
    assert progress.lateral_error.max() == progress.lateral_error[0]
    assert progress.lateral_error[20:].max() < 0.1
    assert np.all(np.diff(progress.fraction) >= 0.0) and progress.fraction[-1] == pytest.approx(1.0, abs=2e-3)
    assert log["ctl.prediction"].r_BN_N[-1, 0] == pytest.approx(LINES[-1], abs=2e-2)
    assert progress.attitude_error[-1] < 0.05
    speed = np.linalg.norm(log["ctl.prediction"].v_BN_N[:, 0], axis=1)
    assert 0.15 < speed.max() < 0.25 and speed[-1] < 5e-3


def test_a_closed_path_begins_again():
    part = contouring_mpc(BEE, 0.5 * LINES, TURNS[0], is_closed=True, horizon=24)
    log = closed_loop(part).run(until=20.0, progress=False)
    fraction = log["ctl.progress"].fraction
    assert np.sum(np.diff(fraction) < 0.0) == 1 and fraction.max() < 1.0
    assert log["ctl.progress"].lateral_error[20:].max() < 0.1


def test_plain_and_native_give_the_same_bits_and_thrusts_stay_within_limits():
    native, plain = (
        closed_loop(controller(horizon=8), jit=jit).run(until=1.0, progress=False) for jit in (True, False)
    )
    assert np.array_equal(native["ctl.command"].thrust, plain["ctl.command"].thrust)
    assert np.array_equal(native["ctl.prediction"].r_BN_N, plain["ctl.prediction"].r_BN_N)
    thrust = native["ctl.command"].thrust
    assert thrust.min() >= 0.0 and np.all(thrust <= BEE.thrusters.max_thrust)


def test_its_checker_finds_the_same_bits_too():
    nothing = LearntThrusters(np.zeros((12, 0)), np.zeros(3), np.zeros(3), np.zeros((0, 0)))
    given = {"limits": ThrusterLimits(np.zeros(12), BEE.thrusters.max_thrust), "learnt": nothing}
    assert cd.check_task(controller(horizon=6), inputs=given).targets["native"] == "the same bits"


def test_it_begins_at_the_nearest_place():
    assert nearest_arc(np.array([1.7, 0.5, 0.0]), LINES) == pytest.approx(2.0)
    assert nearest_arc(np.array([-1.0, 0.5, 0.0]), LINES) == 0.0
    assert nearest_arc(np.array([1.0, 9.0, 0.0]), LINES) == pytest.approx(3.0)


def test_a_tube_that_is_narrow_slows_the_flyer_at_a_corner():
    wide, narrow = (closed_loop(controller(tube=tube)).run(until=20.0, progress=False) for tube in (1.0, 0.03))
    after = 30
    assert narrow["ctl.progress"].lateral_error[after:].max() < 0.04
    assert narrow["ctl.progress"].lateral_error[after:].max() < wide["ctl.progress"].lateral_error[after:].max()


def known(thrust_error):
    """That thrusters give so much more than is demanded, without doubt."""
    size = thrust_error.size + 6
    return LearntThrusters(thrust_error, np.zeros(3), np.zeros(3), 1e6 * np.eye(size))


def first_plan(**given):
    part = controller(first_programs=20)
    return part.step(0.25, part.initial(), START, **given)[1]


def test_knowing_that_thrusters_are_sound_changes_nothing():
    with_it, without = first_plan(learnt=known(np.zeros((12, 3)))), first_plan()
    assert with_it.prediction.r_BN_N == pytest.approx(without.prediction.r_BN_N, abs=1e-6)


@pytest.mark.parametrize(("number", "stuck"), [(3, 0.0), (6, 0.3)], ids=["off", "on"])
def test_a_thruster_that_is_known_to_be_stuck_is_as_one_whose_limits_coincide(number, stuck):
    """The plan of before, which counts on it, is given to the other thrusters."""
    largest = BEE.thrusters.max_thrust
    error = np.zeros((12, 3))
    error[number] = stuck - np.linspace(0.0, largest[number], 3)
    lower, upper = np.zeros(12), largest.copy()
    lower[number] = upper[number] = stuck
    fixed, learnt = first_plan(limits=ThrusterLimits(lower, upper)), first_plan(learnt=known(error))
    assert learnt.prediction.r_BN_N == pytest.approx(fixed.prediction.r_BN_N, abs=5e-3)
    memory, _ = controller().step(0.25, controller().initial(), START)
    _, after = controller().step(0.25, memory, START, learnt=known(error))
    assert after.status.programs > 1 and after.status.cost < 1.1 * learnt.status.cost


def test_a_sphere_on_the_path_is_not_entered_and_passed_if_that_costs_less_than_to_wait():
    sphere = {"keep_out_N": [[1.0, 0.1, 0.0]], "keep_out_radius": [0.4], "programs": 2, "first_programs": 20}
    ends = []
    for contour in (2.0, 0.02):
        weights = [1.0, contour, 0.03, 0.05]
        part = contouring_mpc(BEE, [[0, 0, 0], [2, 0, 0]], TURNS[0], horizon=24, weights=weights, **sphere)
        path = closed_loop(part).run(until=25.0, progress=False)["ctl.prediction"].r_BN_N[:, 0]
        assert np.linalg.norm(path - [1.0, 0.1, 0.0], axis=1).min() > 0.4 - 1e-2
        ends.append(path[-1, 0])
    assert ends[0] == pytest.approx(0.6, abs=0.05) and ends[1] > 1.5


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda: contouring_mpc(BEE, [[0, 0, 0], [1, 0, 0], [1, 0, 0]], [1, 0, 0, 0]),
            "contouring_mpc: waypoints 1 and 2 are the same, [1.0, 0.0, 0.0].\n  Leave one out.",
        ),
        (lambda: contouring_mpc(BEE, [[0, 0, 0]], [1, 0, 0, 0]), "contouring_mpc: two waypoints or more are needed"),
        (lambda: contouring_mpc(BEE, LINES, TURNS[:2]), "contouring_mpc: a quaternion per waypoint is needed, (3, 4)"),
        (lambda: controller(horizon=0), "`ContouringMpc.horizon` must be positive"),
        (lambda: controller(weights=[1.0, -1.0, 1.0, 1.0]), "`ContouringMpc.weights` must be"),
        (lambda: controller(speed=0.0), "`ContouringMpc.speed` must be positive"),
        (
            lambda: ContouringMpc(
                BEE.mass, BEE.inertia_C_B, BEE.mixer, BEE.thrusters.max_thrust, LINES[[0, 0, 1]], TURNS
            ),
            "`ContouringMpc.corners_N` must be corners of which no two that follow each other are the same",
        ),
    ],
)
def test_impossible_numbers_are_refused(make, text):
    with pytest.raises(CardanError) as caught:
        make()
    assert text in str(caught.value)
