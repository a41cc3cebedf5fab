"""Quaternions of recorded attitudes: from what was recorded, and recorded as they are integrated."""

import numpy as np
import pytest

import cardan as cd
from cardan.errors import UnknownName
from cardan.maths import dcm_from_mrp, dcm_from_quaternion, quaternion_from_mrp
from cardan.messages import FrameMotion
from cardan.simulation.log import FieldLog, Log
from errors.conftest import refused

ROUNDING = 1e-14  # a conversion between MRP, quaternion and matrix is a few operations on numbers of size 1


def tumbler(dynamics: object = None) -> cd.Simulation:
    """A bus that turns through several whole turns, with a panel fixed to it by a hinge."""
    m = cd.Mechanism("tumbler")
    bus = m.add_body("bus", joint=cd.Free(), mass=10.0, inertia_B=np.diag([3.0, 2.0, 1.0]))
    m.add_body("panel", parent=bus, joint=cd.Hinge((0.0, 0.0, 1.0)), mass=1.0, inertia_B=0.1 * np.eye(3))
    m.add_site("camera", bus, q_SB=quaternion_from_mrp(np.array([0.1, 0.2, 0.3])))
    scn = cd.Scenario("tumbler", mechanism=m)
    start = FrameMotion(sigma_BN=np.array([0.3, -0.2, 0.1]), omega_BN_B=np.array([0.3, -0.5, 0.4]))
    scn.start({"bus": start})
    return cd.Simulation(scn, dynamics=dynamics or cd.RecursiveTree(), integrator=cd.Rk4(step=0.1))


@pytest.fixture(scope="module")
def log() -> Log:
    ports = ["bus.motion", "bus.quaternion", "camera.motion", "panel.motion"]
    return tumbler().run(until=60.0, record=cd.Record(every=0.1, ports=ports))


def test_a_free_body_records_its_quaternion_as_it_is_integrated(log):
    q = log["bus.quaternion"].q_BN
    assert np.allclose(np.linalg.norm(q, axis=1), 1.0, rtol=0.0, atol=ROUNDING)
    assert np.allclose(q[0], quaternion_from_mrp(np.array([0.3, -0.2, 0.1])), rtol=0.0, atol=ROUNDING)
    for one, sigma in zip(q, log["bus.motion"].sigma_BN, strict=True):
        assert np.allclose(dcm_from_quaternion(one), dcm_from_mrp(sigma), rtol=0.0, atol=ROUNDING)
    assert np.sum(q[1:] * q[:-1], axis=1).min() > 0.99  # less than 0.1 rad in 0.1 s
    assert (log["bus.quaternion"].unit["q_BN"], log["bus.quaternion"].frame["q_BN"]) == ("-", "BN")


@pytest.mark.parametrize("dynamics", [cd.Mujoco(), cd.BackSubstitution()], ids=["mujoco", "back-substitution"])
def test_every_service_says_the_same(log, dynamics):
    """Over one second, where the services differ by rounding."""
    other = tumbler(dynamics).run(until=1.0, record=cd.Record(every=0.1, ports=["bus.quaternion"]))
    assert np.allclose(other["bus.quaternion"].q_BN, log["bus.quaternion"].q_BN[:11], rtol=0.0, atol=1e-12)


def test_a_task_can_be_wired_to_it():
    assert tumbler().scenario.mechanism.bodies["bus"].quaternion.message._fields == ("q_BN",)


@pytest.mark.parametrize("path", ["camera", "camera.motion", "camera.motion.sigma_BN", "panel"])
def test_the_quaternion_of_any_recorded_attitude_has_no_jumps(log, path):
    q = log.quaternion(path)
    frame = path.partition(".")[0]
    sigma = log[f"{frame}.motion"].sigma_BN
    assert np.linalg.norm(np.diff(sigma, axis=0), axis=1).max() > 1.0  # where MRPs change to their shadow set
    assert q[0, 0] >= 0.0 and q[:, 0].min() < 0.0
    assert np.sum(q[1:] * q[:-1], axis=1).min() > 0.99
    for one, other in zip(q, sigma, strict=True):
        assert np.allclose(dcm_from_quaternion(one), dcm_from_mrp(other), rtol=0.0, atol=ROUNDING)


def test_what_was_recorded_as_a_quaternion_is_not_converted(log):
    assert np.array_equal(log.quaternion("bus"), log["bus.quaternion"].q_BN)
    assert np.allclose(log.quaternion("bus.motion"), log.quaternion("bus"), rtol=0.0, atol=ROUNDING)


def test_a_log_without_samples_has_no_quaternions():
    t = np.zeros(0)
    empty = Log(t, [FieldLog("bus.motion.sigma_BN", t, np.zeros((0, 3)), "-", "BN")], {})
    assert empty.quaternion("bus").shape == (0, 4)


def test_what_is_no_attitude_has_no_quaternion():
    t = np.zeros(1)
    fields = [("err.error.sigma_BR", 3), ("bus.motion.sigma_BN", 3), ("filter.state.sigma_B", 2), ("ctl.pair.q_BN", 4)]
    fields += [("ctl.pair.sigma_BN", 3)]
    log = Log(t, [FieldLog(path, t, np.ones((1, size)), "-", "") for path, size in fields], {})
    assert log.quaternion("err.error").shape == log.quaternion("err").shape == (1, 4)
    with refused(
        UnknownName,
        """
        There is no attitude in the log for `buss`. Did you mean `bus`?
          Attitudes: err.error.sigma_BR, bus.motion.sigma_BN, ctl.pair.q_BN, ctl.pair.sigma_BN
        """,
    ):
        log.quaternion("buss")
    with refused(
        UnknownName,
        """
        There is more than one attitude in the log for `ctl.pair`.
          Attitudes: ctl.pair.q_BN, ctl.pair.sigma_BN
        """,
    ):
        log.quaternion("ctl.pair")


def test_a_body_that_hangs_on_another_has_no_port_for_it():
    with refused(
        UnknownName,
        """
        `panel` does not fly freely, so it has no port `quaternion`.
          Use its `matrix`, or record its `motion` and ask for `log.quaternion('panel')`.
        """,
    ):
        _ = tumbler().scenario.mechanism.bodies["panel"].quaternion
