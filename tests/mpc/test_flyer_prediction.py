import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardan.mpc import flyer_prediction as fp

J = np.array([[0.153, 0.01, 0.0], [0.01, 0.143, -0.005], [0.0, -0.005, 0.162]])


def room():
    return fp.StepRoom(*(np.zeros(13) for _ in range(3)), *(np.zeros((13, 12)) for _ in range(4)))


def product(a, b):
    return np.r_[a[0] * b[0] - a[1:] @ b[1:], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])]


def moved(node, near):
    """The node at a place of a neighbourhood."""
    out, theta = node.copy(), near[3:6]
    angle = np.linalg.norm(theta)
    turn = np.r_[np.cos(0.5 * angle), 0.5 * np.sinc(0.5 * angle / np.pi) * theta]
    out[:3], out[3:7] = node[:3] + near[:3], product(node[3:7], turn)
    out[7:] += near[6:]
    return out


def between(node, other):
    q = product(other[3:7] * [1.0, -1.0, -1.0, -1.0], node[3:7])
    return np.r_[node[:3] - other[:3], 2.0 * q[1:], node[7:] - other[7:]]


@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_derivatives_are_those_of_the_step_itself(seed):
    """Against central differences, whose own error is some 1e-9 here."""
    rng = np.random.default_rng(seed)
    half = 0.05 * rng.normal(size=(3, 3))
    body = fp.Body(9.5, J, np.linalg.inv(J), half + half.T)
    node, wrench, h, e = rng.normal(size=13), 0.3 * rng.normal(size=6), 0.25, 1e-5
    node[3:7] /= np.linalg.norm(node[3:7])
    out, A, B = np.zeros(13), np.zeros((12, 12)), np.zeros((12, 6))
    fp.predict_near(body, node, wrench, h, room(), out, A, B)

    def after(near, more):
        there = np.zeros(13)
        fp.predict(body, moved(node, near), wrench + more, h, room(), there)
        return between(there, out)

    nothing = np.zeros(12), np.zeros(6)
    assert after(*nothing) == pytest.approx(np.zeros(12), abs=1e-15)
    for j, unit in enumerate(e * np.eye(12)):
        assert A[:, j] == pytest.approx((after(unit, nothing[1]) - after(-unit, nothing[1])) / (2 * e), abs=1e-7)
    for j, unit in enumerate(e * np.eye(6)):
        assert B[:, j] == pytest.approx((after(nothing[0], unit) - after(nothing[0], -unit)) / (2 * e), abs=1e-7)


def test_the_step_is_of_fourth_order():
    body = fp.Body(9.5, J, np.linalg.inv(J), np.diag([0.02, -0.01, -0.01]))
    rng = np.random.default_rng(0)
    node, wrench = rng.normal(size=13), 0.3 * rng.normal(size=6)
    node[3:7] /= np.linalg.norm(node[3:7])

    def end(steps):
        here = node.copy()
        for _ in range(steps):
            there = np.zeros(13)
            fp.predict(body, here, wrench, 1.0 / steps, room(), there)
            here = there
        return here

    exact = end(400)
    errors = [np.abs(end(steps) - exact).max() for steps in (5, 10, 20)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.5)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(4.0, abs=0.3)
