"""Arms from Denavit-Hartenberg tables against the product of their transforms."""

import numpy as np
import pytest

import cardan as cd
from cardan.errors import MechanismError
from cardan.robotics import DhLink, Robot, from_denavit_hartenberg

ROWS = [
    DhLink(d=0.3, theta=0.2, a=0.1, alpha=-np.pi / 2, mass=2.0, inertia_B=0.1 * np.eye(3), r_CB_B=[0.0, 0.1, 0.0]),
    DhLink(d=0.0, theta=-0.4, a=0.6, alpha=0.3, mass=1.5, inertia_B=0.1 * np.eye(3)),
    DhLink(d=0.2, theta=1.0, a=0.05, alpha=1.1, is_slide=True, mass=1.0, inertia_B=0.1 * np.eye(3)),
    DhLink(d=0.1, theta=0.0, a=0.0, alpha=0.7, mass=0.5, inertia_B=0.1 * np.eye(3)),
]


def turn(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    T = np.eye(4)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    T[i, i] = T[j, j] = c
    T[i, j], T[j, i] = -s, s
    return T


def shift(axis, length):
    T = np.eye(4)
    T[axis, 3] = length
    return T


def product_of(rows, q, convention):
    T = np.eye(4)
    for row, value in zip(rows, q, strict=True):
        theta, d = (row.theta, row.d + value) if row.is_slide else (row.theta + value, row.d)
        along_z, along_x = turn(2, theta) @ shift(2, d), shift(0, row.a) @ turn(0, row.alpha)
        T = T @ (along_z @ along_x if convention == "standard" else along_x @ along_z)
    return T


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_the_tip_is_where_the_product_of_the_rows_puts_it(convention):
    arm = from_denavit_hartenberg(ROWS, convention=convention, tip=[0.0, 0.0, 0.2])
    q = np.array([0.3, -0.8, 0.15, 1.2])
    pose = Robot(arm).at(q).pose("tip")
    expected = product_of(ROWS, q, convention)
    assert np.allclose(pose.R, expected[:3, :3], rtol=0.0, atol=1e-14)
    assert np.allclose(pose.r_N, (expected @ [0.0, 0.0, 0.2, 1.0])[:3], rtol=0.0, atol=1e-14)


def test_an_arm_flies_on_the_base_it_is_attached_to():
    base = cd.Mechanism("servicer")
    bus = base.add_body("bus", joint=cd.Free(), mass=100.0, inertia_B=10.0 * np.eye(3))
    base.attach(from_denavit_hartenberg(ROWS), name="arm", to=bus, r_BP_P=[0.5, 0.0, 0.0])
    robot = Robot(base)
    assert robot.joints == ("arm/joint1", "arm/joint2", "arm/joint3", "arm/joint4") and robot.mass == 105.0
    pose = robot.at(robot.drawn).pose("arm/tip")
    assert np.allclose(pose.r_N, product_of(ROWS, np.zeros(4), "standard")[:3, 3] + [0.5, 0.0, 0.0], atol=1e-14)


def test_an_unknown_convention_and_an_empty_table_are_refused():
    with pytest.raises(
        MechanismError, match=r"convention = 'modifed'. Did you mean `modified`.*\n  Use one of: standar"
    ):
        from_denavit_hartenberg(ROWS, convention="modifed")
    with pytest.raises(MechanismError, match=r"has no rows.\n  Give at least one DhLink."):
        from_denavit_hartenberg([])
