from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cardan as cd
from cardan.fsw import WaypointMission, waypoint_mission
from cardan.fsw.guidance.path_errors import distance_to_polyline
from cardan.fsw.guidance.waypoint_mission import WaypointMissionMemory, slerp
from cardan.maths import quaternion_from_mrp
from cardan.messages import FrameMotion

SQUARE = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
LEVEL = [1.0, 0.0, 0.0, 0.0]
NORTH = [np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]


def at(*r):
    return FrameMotion(r_BN_N=np.array(r))


def test_lines_are_cut_into_pieces_and_end_where_the_next_begins():
    part = waypoint_mission(SQUARE, LEVEL, spacing=0.3, is_closed=True)
    assert len(part.points_N) == 4 * 3
    assert part.points_N[[0, 3, 6, 9]] == pytest.approx(SQUARE)
    assert part.points_N[1] == pytest.approx([1.0 / (3 + 1e-5), 0.0, 0.0])
    assert part.corners_N[-1].tolist() == part.corners_N[0].tolist()


def test_an_open_path_ends_with_its_last_waypoint():
    part = waypoint_mission(SQUARE, LEVEL, spacing=0.5)
    assert len(part.points_N) == 7
    assert part.points_N[-1].tolist() == [0.0, 1.0, 0.0]


def test_a_line_shorter_than_the_spacing_keeps_its_start():
    part = waypoint_mission(SQUARE, LEVEL, spacing=5.0)
    assert part.points_N == pytest.approx(SQUARE)


def test_attitudes_turn_evenly_along_a_line():
    part = waypoint_mission(SQUARE[:2], [LEVEL, NORTH], spacing=0.1)
    turns = 2.0 * np.arctan2(part.q_RN[:, 3], part.q_RN[:, 0])
    assert np.diff(turns) == pytest.approx(np.full(10, 0.05 * np.pi), abs=1e-5)


@given(st.integers(0, 10**6), st.floats(0.0, 1.0))
def test_slerp_goes_the_short_way_at_an_even_rate(seed, share):
    a, b = np.random.default_rng(seed).normal(size=(2, 4))
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    q = slerp(a, b, share)
    whole, part = (2.0 * np.arccos(min(1.0, abs(float(x @ a)))) for x in (b, q))
    assert np.linalg.norm(q) == pytest.approx(1.0, abs=1e-14)
    assert part == pytest.approx(share * whole, abs=1e-6)  # arccos near 1 loses half of the digits
    assert slerp(a, -b, share) == pytest.approx(q, abs=1e-12)


def test_it_starts_with_the_nearest_reference_and_goes_on_by_one_at_a_tick():
    part = waypoint_mission(SQUARE, LEVEL, spacing=0.25, clearance=0.2, is_closed=True)
    memory, outputs = part.step(WaypointMissionMemory(), at(1.05, 0.5, 0.0))
    assert outputs.progress.number == 7  # the sixth is nearest, and nearer than the clearance
    for number in (8, 8):
        memory, outputs = part.step(memory, at(1.0, 0.75, 0.0))
        assert outputs.progress.number == number


def test_at_the_end_it_stays_or_begins_again():
    for repeated, following in ((False, 15), (True, 0)):
        part = waypoint_mission(SQUARE, LEVEL, spacing=0.25, is_closed=True, is_repeated=repeated)
        memory = WaypointMissionMemory(number=15, is_started=True)
        _, outputs = part.step(memory, FrameMotion(r_BN_N=part.points_N[15]))
        assert outputs.progress.number == following


@given(st.integers(0, 10**6))
def test_the_lateral_error_is_the_distance_to_the_nearest_point_of_the_path(seed):
    rng = np.random.default_rng(seed)
    corners, r = rng.normal(size=(5, 3)), rng.normal(size=3)
    dense = np.concatenate([a + np.linspace(0.0, 1.0, 2001)[:, None] * (b - a) for a, b in pairwise(corners)])
    # samples lie at most 2 mm apart
    assert distance_to_polyline(r, corners) == pytest.approx(np.linalg.norm(dense - r, axis=1).min(), abs=1e-4)


def test_progress_says_how_far_away_and_how_far_turned_the_vehicle_is():
    part = waypoint_mission(SQUARE[:2], [LEVEL, LEVEL], spacing=1.0, clearance=0.01)
    memory = WaypointMissionMemory(number=1, is_started=True)
    motion = FrameMotion(r_BN_N=np.array([0.5, 0.3, 0.4]), sigma_BN=np.array([0.0, 0.0, np.tan(0.05)]))
    _, outputs = part.step(memory, motion)
    assert outputs.progress.distance == pytest.approx(np.sqrt(0.5))
    assert outputs.progress.lateral_error == pytest.approx(0.5)
    assert outputs.progress.attitude_error == pytest.approx(0.2)
    assert outputs.progress.fraction == pytest.approx(0.5)
    assert quaternion_from_mrp(outputs.reference.sigma_RN) == pytest.approx(LEVEL)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (([[0.0, 0.0, 0.0]], LEVEL), "waypoint_mission: two waypoints or more are needed, (n, 3); got shape (1, 3)."),
        (
            ([[0.0] * 3, [1.0] * 3, [1.0] * 3], LEVEL),
            "waypoint_mission: waypoints 1 and 2 are the same, [1.0, 1.0, 1.0].\n  Leave one out.",
        ),
        (
            (SQUARE, [LEVEL, LEVEL]),
            "waypoint_mission: a quaternion per waypoint is needed, (4, 4); got shape (2, 4).",
        ),
        ((SQUARE, [2.0, 0.0, 0.0, 0.0]), "`waypoint_mission.q_RN` must be of unit length."),
    ],
)
def test_waypoints_that_make_no_path_are_refused(arguments, text):
    with pytest.raises(cd.CardanError) as caught:
        waypoint_mission(*arguments)
    assert str(caught.value).startswith(text)


def test_a_closed_path_whose_ends_meet_already_is_refused():
    with pytest.raises(cd.CardanError, match="waypoints 4 and 0 are the same"):
        waypoint_mission(np.vstack([SQUARE, SQUARE[:1]]), LEVEL, is_closed=True)


def test_distances_must_be_positive():
    with pytest.raises(cd.CardanError, match=r"`waypoint_mission.spacing` must be positive"):
        waypoint_mission(SQUARE, LEVEL, spacing=0.0)
    with pytest.raises(cd.CardanError, match=r"`WaypointMission.clearance` must be positive"):
        waypoint_mission(SQUARE, LEVEL, clearance=-1.0)
    with pytest.raises(cd.CardanError, match="must be corners of which no two that follow each other are the same"):
        WaypointMission(SQUARE, np.tile(LEVEL, (4, 1)), SQUARE[[0, 0, 1]], 0.1)
