import numpy as np
import pytest

import cardan as cd
from cardan.fsw import GridPlanner, flyer_pd, grid_planner
from cardan.mechanism import Clearance
from cardan.messages import FrameMotion, FramePositions
from cardan.missions.vehicles import add_flyer, gateway
from cardan.models import ThrusterBank, ThrusterWrench

START, GOAL = np.array([-4.0, -3.5, 3.0]), np.array([-4.0, 1.0, -3.0])
GRID = {"low_N": [-8.0, -8.0, -5.0], "high_N": [8.0, 8.0, 5.0], "margin": 0.3}


def station(moving=False):
    """Astrobee on one side of the station, and a Sprint that may drift into its way."""
    m = gateway()
    bee = add_flyer(m, "astrobee", name="bee", r_BN_N=START)
    if moving:
        add_flyer(m, "sprint", name="eye", r_BN_N=(20.0, 0.0, 0.0))
    return m, bee


def planner(moving=False, goal=GOAL, **options):
    m, bee = station(moving)
    around = Clearance(m, bee.body, moving=("eye/sprint",) if moving else ())
    return grid_planner(around, goal, **GRID | options), m, bee


def walk(part, r_N, ticks, obstacles=None):
    """A vehicle that is always at its reference."""
    memory, seen = part.initial(), []
    for k in range(ticks):
        more = () if obstacles is None else (FramePositions(np.array([obstacles(k)], dtype=float)),)
        memory, outputs = part.step(1.0, memory, FrameMotion(r_BN_N=r_N), *more)
        r_N = outputs.reference.r_RN_N
        seen.append(outputs)
    return memory, seen


def test_the_way_leads_around_the_station_and_keeps_its_margin():
    part, _, _ = planner()
    memory, seen = walk(part, START, 100)
    path = memory.path_N[: memory.points]
    assert path[-1] == pytest.approx(GOAL) and seen[-1].search.is_found
    # the straight line is blocked by the habitat
    assert not part.grid.is_free(START, GOAL)
    assert min(outputs.search.clearance for outputs in seen) >= 0.3
    assert seen[-1].reference.r_RN_N == pytest.approx(GOAL)
    assert seen[-1].progress.fraction == 1.0


def test_paths_become_shorter_while_the_inflation_goes_down():
    part, _, _ = planner(speed=1e-6)  # the reference all but stands still
    _, seen = walk(part, START, 12)
    inflation = [outputs.search.inflation for outputs in seen]
    assert inflation[0] == 2.5 and inflation[-1] == 1.0 and np.all(np.diff(inflation) <= 0.0)
    assert seen[-1].search.length <= seen[0].search.length + 1e-9
    assert seen[-1].search.expansions == 0  # nothing is left to do


def test_the_reference_waits_for_a_vehicle_that_does_not_follow():
    part, _, _ = planner(speed=0.2, lead=0.5)
    memory = part.initial()
    for _ in range(40):
        memory, outputs = part.step(1.0, memory, FrameMotion(r_BN_N=START))
    assert 0.5 <= np.linalg.norm(outputs.reference.r_RN_N - START) < 0.71
    assert not outputs.reference.v_RN_N.any()


def test_an_obstacle_in_the_way_is_flown_around():
    part, _, _ = planner(moving=True)
    memory, _ = walk(part, START, 12, lambda k: (20.0, 0.0, 0.0))
    middle = np.mean(memory.path_N[1:3], axis=0)
    part, _, _ = planner(moving=True)
    memory, seen = walk(part, START, 100, lambda k: (20.0, 0.0, 0.0) if k < 3 else middle)
    assert seen[2].search.plans < seen[3].search.plans
    assert seen[-1].reference.r_RN_N == pytest.approx(GOAL)
    # Sprint is a ball of 0.19 m with its cameras, Astrobee one of 0.28 m
    gaps = [np.linalg.norm(outputs.reference.r_RN_N - middle) for outputs in seen[3:]]
    assert min(gaps) > 0.277 + 0.1778 + 0.3 - 1e-3


def test_without_a_way_the_reference_stays_until_there_is_one():
    part, _, _ = planner(moving=True)
    place = GOAL + np.array([0.0, 0.0, 0.3])  # on the goal
    _, seen = walk(part, START, 60, lambda k: place if k < 10 else (20.0, 0.0, 0.0))
    assert not seen[5].search.is_found and seen[9].reference.r_RN_N == pytest.approx(START)
    assert seen[11].search.is_found and not np.allclose(seen[-1].reference.r_RN_N, START)


def fly():
    part, m, bee = planner(moving=True)
    body, thrusters = m.bodies[bee.body], bee.thrusters
    others = m.group_of_bodies("others", "eye/sprint")
    scn = cd.Scenario("around", mechanism=m)
    plan = scn.add(part, name="plan", every=0.5, motion=body.com.motion, obstacles=others.positions)
    law = flyer_pd(bee.mass, bee.inertia_C_B, bee.mixer, thrusters.max_thrust)
    ctl = scn.add(law, name="ctl", every=0.1, motion=body.com.motion, reference=plan.reference)
    bank = scn.add(ThrusterBank(thrusters.max_thrust), name="bank", command=ctl.command)
    push = scn.add(ThrusterWrench(thrusters.positions_B, thrusters.directions_B), name="push", forces=bank.forces)
    scn.connect(push.wrench, body.wrench)
    # Sprint drifts through the way that the first plan takes
    drifting = FrameMotion(r_BN_N=[-7.0, 1.9, 3.5], v_BN_N=[0.1, 0.0, -0.07])
    scn.start({bee.body: FrameMotion(r_BN_N=START), "eye/sprint": drifting})
    return cd.Simulation(scn, dynamics=cd.Mujoco(), integrator=cd.Rk4(step=0.05))


def test_astrobee_flies_there_while_another_vehicle_drifts_by():
    sim = fly()
    log = sim.run(until=80.0, record=cd.Record(every=0.5, ports=["plan.*", "*.motion"]), progress=False)
    assert log["bee/astrobee.motion"].r_BN_N[-1] == pytest.approx(GOAL, abs=0.02)
    # the margin is for the reference; the vehicle is up to 0.1 m beside it
    assert log["plan.search"].clearance.min() > 0.15
    assert log["plan.search"].plans[-1] > 10


def test_a_snapshot_goes_on_to_the_same_bits():
    whole, other, fresh = fly(), fly(), fly()
    whole.run(until=16.0, progress=False)
    other.run(until=8.0, progress=False)
    fresh.restore(other.snapshot())
    fresh.run(until=16.0, progress=False)
    assert np.array_equal(whole.snapshot().words, fresh.snapshot().words)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"goal": [0.0, 0.0, 0.0]}, "grid_planner: at the goal [0.0, 0.0, 0.0] the vehicle is"),
        ({"goal": [50.0, 0.0, 0.0]}, "grid_planner: the goal [50.0, 0.0, 0.0] lies outside the grid."),
        ({"spacing": 0.0}, "`grid_planner.spacing` must be positive."),
        ({"spacing": 0.01}, "grid_planner: a grid of 1601 x 1601 x 1001 nodes; from 2 to 200,000 are possible."),
        ({"margin": -1.0}, "`grid_planner.margin` must be positive."),
        ({"inflation": 0.5}, "`GridPlanner.inflation` must be at least 1."),
    ],
)
def test_goals_and_grids_that_cannot_be_are_refused(options, text):
    with pytest.raises(cd.CardanError) as caught:
        planner(**options)
    assert str(caught.value).startswith(text)


def test_a_start_inside_an_obstacle_is_refused_by_name():
    part, _, _ = planner()
    with pytest.raises(ValueError, match=r"GridPlanner: the vehicle starts .* m inside `i_hab`. Start it outside."):
        part.step(1.0, part.initial(), FrameMotion(r_BN_N=np.array([-3.0, 0.0, 0.0])))


def test_obstacles_of_another_number_are_refused():
    part, _, _ = planner()
    assert isinstance(part, GridPlanner)
    with pytest.raises(ValueError, match="GridPlanner: `obstacles` has another number of bodies than move"):
        part.step(1.0, part.initial(), FrameMotion(), FramePositions(np.zeros((2, 3))))
