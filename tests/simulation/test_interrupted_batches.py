"""Ctrl-C during a batch is never lost, fails no member, and what is left goes on to the same bits."""

import random
import signal
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import cardan as cd
from interrupted import PythonRelay, pressed
from parts import Count, Lag, Noise, Number, RelayOutputs


@pytest.fixture(autouse=True)
def ctrl_c() -> Iterator[None]:
    """As at a terminal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def batch(python: bool, members: int, threads: int, jit: bool = True) -> cd.Batch:
    scn = cd.Scenario("many", seed=3)
    scn.add(Noise(deviations=[1.0]), name="noise", every=0.1)
    source = scn.add(Count(), name="count", every=0.1).signal
    if python:
        source = scn.add(PythonRelay(), name="relay", every=0.1, source=source).signal
    scn.add(Lag(), name="lag", source=source.delayed(2))
    return cd.Batch(scn, members, jit=jit, integrator=cd.Rk4(step=0.05), threads=threads)


# by name, with a time [s] of which each member takes a tenth of a second or so
KINDS: dict[str, tuple[dict[str, Any], float]] = {
    "native": ({"python": False, "members": 3, "threads": 1}, 2e3),
    "in threads": ({"python": False, "members": 80, "threads": 2}, 1e2),
    "one part in Python": ({"python": True, "members": 3, "threads": 1}, 1e2),
    "plain": ({"python": False, "members": 2, "threads": 2, "jit": False}, 5.0),
}


@pytest.mark.parametrize("kind", KINDS)
def test_calls_that_are_interrupted_again_and_again_lose_nothing(kind):
    options, far = KINDS[kind]
    moments = random.Random(kind)
    made, whole = batch(**options), batch(**options)
    made.advance(0.1)
    for _ in range(6):
        before = made.t.copy()
        with pytest.raises(KeyboardInterrupt), pressed(0.03 * moments.random()):
            while True:
                made.advance(far / 20.0)
        assert not made.failed.any()
        assert (made.t >= before).all()
    for _ in range(4):
        with pytest.raises(KeyboardInterrupt), pressed(0.03 * moments.random()):
            while True:
                made.run(until=float(np.ceil(made.t.max())) + far / 20.0)
        assert not made.failed.any()
    end = float(np.ceil(made.t.max())) + 1.0
    made.run(until=end)
    whole.run(until=end)
    for member in range(len(made)):
        assert made.snapshot(member) == whole.snapshot(member)


def test_threads_do_not_go_on_with_members_that_were_not_begun():
    made = batch(python=False, members=200, threads=2)
    made.advance(0.1)
    with pytest.raises(KeyboardInterrupt), pressed(0.05):
        made.run(until=1e5, record=cd.Record(every=1e4))  # minutes, if nobody stopped it
    assert (made.t == 0.1).sum() > 150


@cd.task(jit=False)
class Endless(NamedTuple):
    """Never returns."""

    def step(self, source: Number) -> RelayOutputs:
        while True:
            pass


def test_a_second_ctrl_c_leaves_a_python_part_that_does_not_return():
    scn = cd.Scenario("endless")
    count = scn.add(Count(), name="count", every=0.1)
    relay = scn.add(Endless(), name="endless", every=0.1, source=count.signal)
    scn.add(Lag(), name="lag", source=relay.signal)
    made = cd.Batch(scn, 1, integrator=cd.Rk4(step=0.05))
    with pytest.raises(KeyboardInterrupt), pressed(0.1, 0.2):
        made.advance(0.1)
