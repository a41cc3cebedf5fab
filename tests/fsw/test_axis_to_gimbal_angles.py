from itertools import permutations
from typing import NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan.errors import ImpossibleValue
from cardan.fsw import AxisToGimbalAngles
from cardan.maths import gimbal_axis
from cardan.messages import ThrustAxis

DEG = np.deg2rad(1.0)


class LostOutputs(NamedTuple):
    axis: ThrustAxis


@cd.task
class Lost(NamedTuple):
    """Commands no direction at all."""

    def step(self, t: float) -> LostOutputs:
        return LostOutputs(ThrustAxis(0.0 * t * np.ones(3)))


def angles(part, axis_B):
    return part.step(ThrustAxis(axis_B=np.array(axis_B))).angles


def test_the_paper_s_command_is_the_paper_s_tip_and_tilt():
    """Table 2, with the mount canted by 15 deg about b1 and then turned by 90 deg about m3; four digits are given."""
    c, s = np.cos(15 * DEG), np.sin(15 * DEG)
    dcm_MB = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]) @ [[1, 0, 0], [0, c, s], [0, -s, c]]
    found = angles(AxisToGimbalAngles(dcm_MB=dcm_MB), [-0.0858, -0.4216, 0.9027])
    assert found.tip / DEG == pytest.approx(-5.0, abs=0.005) and found.tilt / DEG == pytest.approx(-10.0, abs=0.005)


@pytest.mark.parametrize("order", list(permutations((1, 2, 3))))
def test_any_thrust_axis_and_any_sequence_points_where_it_should(order):
    i, j, k = order
    axis_M = gimbal_axis(0.2, -0.3, i, j, k)
    found = angles(AxisToGimbalAngles(thrust_axis=i, tip_axis=j, tilt_axis=k), axis_M)
    assert (found.tip, found.tilt) == pytest.approx((0.2, -0.3), abs=1e-15)


def test_the_length_of_the_command_does_not_matter():
    axis = np.array([0.1, -0.2, 0.9])
    once, thrice = (angles(AxisToGimbalAngles(), scale * axis) for scale in (1.0, 3.0))
    assert (once.tip, once.tilt) == pytest.approx((thrice.tip, thrice.tilt), abs=1e-15)


def test_a_command_outside_the_diamond_is_pulled_to_its_edge_towards_home():
    part = AxisToGimbalAngles(tip_limit=18.5 * DEG, tilt_limit=27.5 * DEG)
    found = angles(part, gimbal_axis(-20 * DEG, 30 * DEG, 3, 1, 2))
    assert found.is_limited
    assert -found.tip / (18.5 * DEG) + found.tilt / (27.5 * DEG) == pytest.approx(1.0)
    assert found.tilt / found.tip == pytest.approx(-1.5)


def test_a_command_inside_the_diamond_is_left_alone():
    part = AxisToGimbalAngles(tip_limit=18.5 * DEG, tilt_limit=27.5 * DEG)
    found = angles(part, gimbal_axis(-5 * DEG, -10 * DEG, 3, 1, 2))
    assert not found.is_limited and (found.tip / DEG, found.tilt / DEG) == pytest.approx((-5.0, -10.0))


def test_without_limits_even_a_command_backwards_has_its_angles():
    found = angles(AxisToGimbalAngles(), [0.1, 0.0, -1.0])
    assert not found.is_limited and abs(found.tip) == pytest.approx(np.pi)


def test_a_zero_axis_stops_the_run_with_a_reason():
    scn = cd.Scenario()
    aim = scn.add(Lost(), name="aim", every=1.0)
    scn.add(AxisToGimbalAngles(), name="angles", every=1.0, command=aim.axis)
    with pytest.raises(ValueError, match=r"The commanded thrust axis is zero\. Command a direction") as error:
        cd.Simulation(scn).run(until=1.0)
    assert error.value.__notes__[0].startswith("in `angles.step` at t = 0 s")


@pytest.mark.parametrize("order", [(3, 1, 1), (2, 2, 2), (0, 1, 2), (6, 1, 1)])
def test_axes_that_are_not_1_2_and_3_are_refused(order):
    i, j, k = order
    with pytest.raises(ImpossibleValue, match=r"must be 1, 2 or 3|must be other than `t"):
        AxisToGimbalAngles(thrust_axis=i, tip_axis=j, tilt_axis=k)
