"""Scenarios in JAX do what the native core does: ticks, delays, random numbers, changes, what comes from outside."""

from typing import Annotated, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cardan as cd
from cardan.contracts.wake_up import WakeUp
from cardan.errors import (
    MissingExtra,
    NotTraceable,
    PeriodError,
    SettingError,
    ShapeError,
    UnknownName,
)
from cardan.maths import normal, uniform
from cardan.messages import LineMotion
from cardan.missions import find_mission


@cd.message
class Push(NamedTuple):
    force: Annotated[float, "N"]


@cd.message
class Gain(NamedTuple):
    gain: Annotated[float, "N/m"]


@cd.message
class Count(NamedTuple):
    count: Annotated[int, "-"]


class CartState(NamedTuple):
    position: Annotated[float, "m", cd.Position] = 1.0
    speed: Annotated[float, "m/s"] = 0.0


@cd.model
class Cart(NamedTuple):
    mass: Annotated[float, "kg"] = 2.0
    stiffness: Annotated[float, "N/m"] = 3.0

    def derivatives(self, t: float, x: CartState, push: Push, wind: Push) -> CartState:
        force = push.force + wind.force * np.cos(t) - self.stiffness * x.position
        return CartState(x.speed, force / self.mass)

    @cd.output
    def motion(self, x: CartState) -> LineMotion:
        return LineMotion(x.position, x.speed)


class Seen(NamedTuple):
    measured: LineMotion
    count: Count


class Ticks(NamedTuple):
    count: Annotated[int, "-"] = 0


@cd.task
class Sensor(NamedTuple):
    """Noise of two kinds, and how often it has run."""

    noise: Annotated[float, "m"] = 0.1

    def step(self, t: float, x: Ticks, rng: cd.RandomKey, motion: LineMotion) -> tuple[Ticks, Seen]:
        drawn, even = normal(rng, 3), uniform(rng, 2)
        seen = LineMotion(motion.position + self.noise * drawn[2], motion.velocity + self.noise * even[1] + 1e-3 * t)
        return Ticks(x.count + 1), Seen(seen, Count(x.count + 1))


class Pushed(NamedTuple):
    push: Push


@cd.task
class Law(NamedTuple):
    gain: Annotated[float, "N/m"] = 2.0

    def step(self, dt: float, motion: LineMotion, wanted: Push, count: Count) -> Pushed:
        return Pushed(Push(wanted.force - self.gain * (motion.position + dt * motion.velocity) + 1e-3 * count.count))


def looped() -> cd.Scenario:
    """Two rates, an offset, delays of tasks and of models, noise, a change at a time, one by message, an input."""
    scn = cd.Scenario("looped", seed=7)
    cart = scn.add(Cart(), name="cart")
    wanted, gain = scn.input("wanted", Push(0.5)), scn.input("gain", Gain(2.0))
    seen = scn.add(Sensor(), name="seen", every=0.2, offset=0.1, motion=cart.motion.delayed(2))
    law = scn.add(Law(), name="law", every=0.1, motion=cart.motion, wanted=wanted, count=seen.count.delayed(3))
    scn.connect(law.push, cart.push)
    wind = scn.add(Law(gain=0.3), name="wind", every=0.3, motion=seen.measured, wanted=law.push, count=seen.count)
    scn.connect(wind.push, cart.wind)
    scn.change("seen.noise", 0.02, at=0.7)
    scn.change("law.gain", by=gain)
    return scn


PORTS = ["cart.motion", "seen.measured", "law.push", "wind.push", "cart.state", "seen.memory"]
INTEGRATORS = {each.__name__: each for each in (cd.SemiImplicitEuler, cd.Rk4)}


def differences(ours: dict, theirs: dict) -> float:
    return max(
        float(np.max(np.abs(np.asarray(a, float) - np.asarray(b, float))))
        for path in theirs
        for a, b in zip(ours[path], theirs[path], strict=True)
    )


@pytest.mark.parametrize("name", INTEGRATORS)
def test_a_loop_with_all_that_the_clock_knows_is_the_native_one(name):
    integrator, members, steps = INTEGRATORS[name](step=0.05), 3, 30
    given = {
        "wanted": np.random.default_rng(0).normal(size=(members, steps)),
        "gain": np.linspace(1.0, 3.0, members * steps).reshape(members, steps),
    }
    made = cd.jax_function(looped(), integrator=integrator, step=0.1, outputs=PORTS, varies=["cart.mass"])
    masses = np.array([1.5, 2.0, 3.0])

    def fly(keys, mass, own):
        state, _ = made.reset(parameters={"cart.mass": mass}, keys=keys)
        return made.rollout(state, own, parameters={"cart.mass": mass})[1]

    ours = jax.jit(jax.vmap(fly))(made.keys(range(members)), masses, given)
    batch = cd.Batch(
        looped(), members, integrator=integrator, outputs=PORTS, varies=["cart.mass"], seeds=range(members)
    )
    batch.set({"cart.mass": masses})
    assert differences(ours, batch.rollout(given, 0.1)) < 1e-13


def test_one_step_gives_what_a_rollout_gives_and_time_goes_on():
    made = cd.jax_function(looped(), integrator=cd.Rk4(step=0.1), step=0.2, outputs=["cart.state", "wanted"])
    state, first = made.reset()
    assert float(made.time(state)) == 0.0 and float(first["cart.state"].position) == 1.0
    assert made.inputs == ["wanted", "gain"]
    # what is not given stays as it was
    state, out = made.step(state, {"wanted": Push(0.25)})
    state, again = made.step(state)
    assert float(out["wanted"].force) == float(again["wanted"].force) == 0.25
    assert float(made.time(state)) == pytest.approx(0.4) and made.step_length == pytest.approx(0.2)


def test_a_mission_agrees_with_its_native_run_over_a_thousand_steps():
    mission = find_mission("hello")
    made = cd.jax_function(mission.build(), integrator=cd.Rk4(step=0.1), outputs=["body.state", "ctl.torque"])
    _, ours = made.rollout(made.reset()[0], steps=1000)
    log = cd.Simulation(mission.build(), integrator=cd.Rk4(step=0.1)).run(
        until=100.0, record=cd.Record(every=0.1, ports=("body.state", "ctl.torque"))
    )
    for path in ("body.state", "ctl.torque"):
        for field, values in ours[path]._asdict().items():
            assert np.allclose(values, getattr(log[path], field)[1:], rtol=1e-10, atol=1e-12)


def test_gradients_are_those_of_finite_differences():
    """Through ticks, delays and stages: by a parameter, an initial state and what is given from outside."""
    made = cd.jax_function(looped(), integrator=cd.Rk4(step=0.1), outputs=["cart.state"], varies=["cart.mass"])

    def end(x):
        parameters = {"cart.mass": x[0]}
        state, _ = made.reset({"cart": CartState(x[1], 0.0)}, parameters=parameters)
        given = {"wanted": jnp.full(20, x[2])}
        state, _ = made.rollout(state, given, parameters=parameters)
        return state.x.parts["cart"].position + state.x.parts["cart"].speed ** 2

    x, h = jnp.array([1.7, 0.8, 0.3]), 1e-5
    values = jax.jit(jax.vmap(end))(jnp.concatenate((x + h * jnp.eye(3), x - h * jnp.eye(3))))
    differences = np.asarray(values[:3] - values[3:]) / (2 * h)
    assert np.asarray(jax.jit(jax.grad(end))(x)) == pytest.approx(differences, rel=1e-7, abs=1e-9)


# ---- what is refused -----------------------------------------------------------------------------------------------


@cd.task
class Branching(NamedTuple):
    def step(self, motion: LineMotion) -> Pushed:
        return Pushed(Push(1.0 if motion.position > 0.0 else -1.0))


@cd.task
class Assigning(NamedTuple):
    def step(self, motion: LineMotion) -> Pushed:
        found = np.zeros(2)
        found[0] = motion.position
        return Pushed(Push(found[0]))


@cd.task
class Indexing(NamedTuple):
    def step(self, motion: LineMotion) -> Pushed:
        return Pushed(Push(np.ones(3)[int(motion.position)]))


@cd.task(jit=False)
class Interpreted(NamedTuple):
    def step(self, motion: LineMotion) -> Pushed:
        return Pushed(Push(0.0))


class Woken(NamedTuple):
    wake: WakeUp


@cd.task
class Waking(NamedTuple):
    def step(self, motion: LineMotion) -> Woken:
        return Woken(WakeUp(0.03))


def test_all_that_cannot_be_traced_is_listed_at_once():
    scn = cd.Scenario("refused")
    cart = scn.add(Cart(), name="cart", push=Push(0.0), wind=Push(0.0))
    for part in (Branching, Assigning, Indexing, Interpreted, Waking):
        scn.add(part(), name=part.__name__.lower(), every=0.1, motion=cart.motion)
    scn.change("cart.mass", 3.0, at=0.05)
    with pytest.raises(NotTraceable) as raised:
        cd.jax_function(scn, integrator=cd.Rk4(step=0.1))
    text = str(raised.value)
    for line in (
        "Scenario `refused` has no form for JAX:",
        "`cart.mass` changes at 0.05 s, which is not at the end of a step",
        "`branching` (Branching): it branches on data (`if`, `while`, `and`); use `choose` or `np.where`, at "
        "test_jax_function.py:",
        "`assigning` (Assigning): it assigns to elements of an array, at test_jax_function.py:",
        "`indexing` (Indexing): it needs the value of a number to go on",
        "`interpreted` (Interpreted): it runs in the interpreter (jit=False)",
        "`waking` (Waking): it asks for its next tick (WakeUp); ticks in JAX are at fixed times",
        "or run it natively",
    ):
        assert line in text


def test_services_and_integrators_without_a_form_are_refused():
    mission = find_mission("reaction-wheels")
    with pytest.raises(NotTraceable) as raised:
        cd.jax_function(mission.build(), dynamics=cd.Mujoco(), integrator=cd.DormandPrince54())
    assert "Mujoco() is native code; use RecursiveTree()" in str(raised.value)
    assert "its steps follow from data; use one with a fixed step" in str(raised.value)


@cd.model
class Switched(NamedTuple):
    level: Annotated[float, "N"] = 1.0

    @cd.output
    def push(self) -> Push:
        return Push(2.0 * self.level if self.level > 0.0 else 0.0)


def test_what_a_part_branches_on_may_be_a_constant_but_no_argument():
    def scenario() -> cd.Scenario:
        scn = cd.Scenario("switched")
        switch = scn.add(Switched(), name="switch")
        scn.add(Cart(), name="cart", push=switch.push, wind=Push(0.0))
        return scn

    cd.jax_function(scenario())
    with pytest.raises(NotTraceable, match=r"`switch` .Switched.: it branches on data"):
        cd.jax_function(scenario(), varies=["switch.level"])


def test_thirty_two_bits_are_refused():
    with jax.enable_x64(False), pytest.raises(SettingError, match=r'jax.config.update\("jax_enable_x64", True\)'):
        cd.jax_function(looped())


def test_wrong_arguments_are_named():
    made = cd.jax_function(looped(), integrator=cd.Rk4(step=0.1), varies=["cart.mass"])
    state = jax.eval_shape(lambda: made.reset()[0])
    with pytest.raises(UnknownName, match=r"There is no `cart.motoin`. Did you mean `cart.motion`"):
        cd.jax_function(looped(), integrator=cd.Rk4(step=0.1), outputs=["cart.motoin"])
    with pytest.raises(UnknownName, match=r"`cart` .Cart. has no parameter `mas`"):
        cd.jax_function(looped(), integrator=cd.Rk4(step=0.1), varies=["cart.mas"])
    with pytest.raises(UnknownName, match=r"`mass` is not the path of a parameter"):
        cd.jax_function(looped(), integrator=cd.Rk4(step=0.1), varies=["mass"])
    with pytest.raises(PeriodError, match=r"A call of `step` advances by 0.25 s"):
        cd.jax_function(looped(), integrator=cd.Rk4(step=0.1), step=0.25)
    with pytest.raises(SettingError, match="goes nowhere"):
        cd.jax_function(looped(), integrator=cd.Rk4(step=0.1), step=0.0)
    with pytest.raises(UnknownName, match=r"`cart.stiffness` is not among what varies"):
        made.step(state, parameters={"cart.stiffness": 1.0})
    with pytest.raises(ShapeError, match=r"`cart.mass` has the wrong shape"):
        made.step(state, parameters={"cart.mass": np.ones(2)})
    with pytest.raises(UnknownName, match=r"`wantde` is not an input of scenario `looped`"):
        made.step(state, {"wantde": 1.0})
    with pytest.raises(ShapeError, match=r"`wanted.given.force` has the wrong shape"):
        made.step(state, {"wanted": np.ones(2)})
    with pytest.raises(ShapeError, match=r"`wanted.given` expects Push, got LineMotion"):
        made.step(state, {"wanted": LineMotion(0.0, 0.0)})
    with pytest.raises(SettingError, match="told neither `inputs` nor `steps`"):
        made.rollout(state)
    with pytest.raises(SettingError, match="Use a dictionary"):
        made.reset(CartState())
    with pytest.raises(UnknownName, match=r"`cat` has no state to reset. Did you mean `cart`"):
        made.reset({"cat": CartState()})
    with pytest.raises(ShapeError, match=r"`cart.state` expects CartState, got Push"):
        made.reset({"cart": Push(0.0)})


def test_an_input_that_begins_with_nothing_is_to_be_given():
    scn = cd.Scenario("open")
    push = scn.input("push", Push)
    scn.add(Cart(), name="cart", push=push, wind=Push(0.0))
    made = cd.jax_function(scn, integrator=cd.ExplicitEuler(step=0.1))
    with pytest.raises(SettingError, match=r"`push` begins with no message, so each step is to be given one"):
        made.step(jax.eval_shape(lambda: made.reset()[0]))


def test_without_jax_an_error_says_what_to_install(monkeypatch):
    import builtins
    import importlib
    import sys

    real = builtins.__import__

    def without(name, *rest):
        if name == "jax":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.delitem(sys.modules, "cardan.jax")
    with pytest.raises(MissingExtra, match=r"pip install cardan\[jax\]"):
        importlib.import_module("cardan.jax")
