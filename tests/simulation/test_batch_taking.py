"""Members that are taken over from another batch, parameters that all share, and rollouts without inputs."""

from typing import Annotated, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan.errors import MessageTypeError, SettingError, ShapeError, UnknownName
from cardan.messages import BodyTorque, BodyWrench, FrameMotion


class DamperOutputs(NamedTuple):
    torque: BodyTorque


@cd.task
class Damper(NamedTuple):
    """Opposes the rate.

    Attributes:
        K: [N m s/rad]
    """

    K: Annotated[float, "N m s/rad"] = 0.5

    def step(self, motion: FrameMotion) -> DamperOutputs:
        return DamperOutputs(BodyTorque(-self.K * motion.omega_BN_B))


@cd.model
class Twist(NamedTuple):
    """Turns a torque into a wrench."""

    @cd.output
    def wrench(self, torque: BodyTorque) -> BodyWrench:
        return BodyWrench(torque_B=1.0 * torque.torque_B)


def tumbling(is_open=False):
    m = cd.Mechanism("body")
    body = m.add_body("body", joint=cd.Free(), mass=2.0, inertia_B=np.diag([3.0, 2.0, 1.0]))
    scn = cd.Scenario("tumbling", mechanism=m, seed=1)
    damper = scn.add(Damper(), name="damper", every=0.1, motion=body.motion)
    source = scn.input("torque", BodyTorque(np.zeros(3))) if is_open else damper.torque
    twist = scn.add(Twist(), name="twist", torque=source)
    scn.connect(twist.wrench, body.wrench)
    if is_open:
        scn.leave_open(damper.torque)
    return scn


OPTIONS = {"dynamics": cd.RecursiveTree(), "integrator": cd.Rk4(step=0.1), "outputs": ["body.motion"]}


def batch(members, **options):
    made = cd.Batch(tumbling(), members, varies=["body.inertia_B"], **(OPTIONS | options))
    rng = np.random.default_rng(members)
    made.set({"body.inertia_B": np.diag([3.0, 2.0, 1.0]) * rng.uniform(1.0, 2.0, members)[:, None, None]})
    made.reset({"body": FrameMotion(omega_BN_B=rng.normal(size=(members, 3)))})
    return made


def test_members_that_are_taken_go_on_as_the_others_do():
    ours, theirs = batch(9), batch(20)
    theirs.advance(0.3)
    mask = np.array([True, False, True, True, False, False, False, False, True])
    before = ours.snapshot_all()
    ours.take(theirs, [4, 19, 4, 0], where=mask)
    assert np.array_equal(ours["body.motion"].omega_BN_B[mask], theirs["body.motion"].omega_BN_B[[4, 19, 4, 0]])
    assert np.array_equal(ours.snapshot_all()[~mask], before[~mask])
    assert [ours.seeds[i] for i in (0, 2, 3, 8)] == [theirs.seeds[i] for i in (4, 19, 4, 0)]
    assert np.array_equal(ours["body.inertia_B"][2], theirs["body.inertia_B"][19])
    ours.advance(0.5)
    theirs.advance(0.5)
    assert np.array_equal(ours.snapshot_all()[mask], theirs.snapshot_all()[[4, 19, 4, 0]])
    assert ours.simulation(2).snapshot() == theirs.simulation(19).snapshot()


def test_what_cannot_be_taken_is_refused():
    ours, theirs = batch(3), batch(4)
    with pytest.raises(ShapeError, match="names one member of the other batch for each of the 3"):
        ours.take(theirs, [1])
    with pytest.raises(UnknownName, match="The other batch has members 0 to 3"):
        ours.take(theirs, [1, 2, 4])
    with pytest.raises(SettingError, match="a batch of the same scenario alone, with the same `outputs` and `varies`"):
        ours.take(batch(4, outputs=[]), [1, 2, 3])
    with pytest.raises(ShapeError, match="not the words of 3 members of `tumbling`"):
        ours.restore_all(theirs.snapshot_all())


def test_parameters_that_all_share_are_those_of_a_simulation_of_its_own():
    """In groups of eight and one by one, in all threads."""
    many = cd.Batch(tumbling(), 67, threads=2, **OPTIONS)
    rates = np.random.default_rng(1).normal(size=(67, 3))
    many.reset({"body": FrameMotion(omega_BN_B=rates)})
    many.advance(0.1)
    many.share({"damper.K": 0.7})
    many.reset({"body": FrameMotion(omega_BN_B=rates)})
    told = many.rollout({}, 0.1, steps=3)["body.motion"].omega_BN_B
    scn = tumbling()
    scn.set("damper.K", 0.7)
    one = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.1))
    for member in (0, 66):
        one.reset({"body": FrameMotion(omega_BN_B=rates[member])})
        for k in range(3):
            one.advance_to(0.1 * (k + 1))
            assert np.array_equal(told[member, k], one["body.motion"].omega_BN_B)
    assert many.simulation(66).variant({}).scenario is many.scenario
    with pytest.raises(SettingError, match="steps = 3, and messages are given for 2"):
        opened = cd.Batch(tumbling(is_open=True), 1, **OPTIONS)
        opened.rollout({"torque": np.zeros((1, 2, 3))}, 0.1, steps=3)


def test_what_varies_is_not_shared():
    varied = cd.Batch(tumbling(), 2, varies=["damper.K"], **OPTIONS)
    with pytest.raises(SettingError, match=r"`damper.K` varies in this batch.\n  Change it by `set`"):
        varied.share({"damper.K": 1.0})


# ---- a task in the place of an input from outside --------------------------------------------------------------------


def test_a_task_takes_the_place_of_an_input_from_outside():
    opened = tumbling(is_open=True)
    opened.replace_input("torque", opened["damper"].torque)
    start = {"body": FrameMotion(omega_BN_B=[0.1, 0.2, -0.3])}
    runs = []
    for scn in (opened, tumbling()):
        scn.start(start)
        sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.1))
        sim.run(until=1.0)
        runs.append(sim["body.motion"])
    assert "torque" not in opened.parts
    assert np.array_equal(runs[0].omega_BN_B, runs[1].omega_BN_B)


def test_what_cannot_replace_an_input_is_refused():
    scn = tumbling(is_open=True)
    with pytest.raises(UnknownName, match=r"`torqe` is not an input of scenario `tumbling`. Did you mean `torque`"):
        scn.replace_input("torqe", scn["damper"].torque)
    with pytest.raises(MessageTypeError, match="carries BodyTorque; it cannot be replaced by BodyWrench"):
        scn.replace_input("torque", scn["twist"].wrench)
