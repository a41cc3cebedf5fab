"""Ctrl-C at a given moment, and runs of all kinds to press it in."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import cardan as cd
from parts import Count, Lag, Noise, Number, RelayOutputs


@contextmanager
def pressed(*after: float) -> Iterator[None]:
    """Ctrl-C is pressed, so long [s] after this and after one another."""

    def press() -> None:
        for wait in after:
            time.sleep(wait)
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    try:
        yield
    finally:
        thread.join()


@cd.task(jit=False)
class PythonRelay(NamedTuple):
    """Sends what it receives, in the interpreter."""

    def step(self, source: Number) -> RelayOutputs:
        return RelayOutputs(Number(source.value))


def mixed(jit: bool, python: bool, integrator: Any) -> cd.Simulation:
    scn = cd.Scenario("mixed", seed=3)
    scn.add(Noise(deviations=[1.0]), name="noise", every=0.1)
    count = scn.add(Count(), name="count", every=0.1)
    source = count.signal
    if python:
        source = scn.add(PythonRelay(), name="relay", every=0.1, source=count.signal).signal
    scn.add(Lag(), name="lag", source=source.delayed(2))
    return cd.Simulation(scn, integrator=integrator, jit=jit)


# each with a time [s] that takes it a second or more: a run that ends there has lost its Ctrl-C
KINDS: dict[str, tuple[Callable[[], cd.Simulation], float]] = {
    "native": (lambda: mixed(True, False, cd.Rk4(step=0.05)), 1e6),
    "plain": (lambda: mixed(False, False, cd.Rk4(step=0.05)), 2e3),
    "one part in Python": (lambda: mixed(True, True, cd.Rk4(step=0.05)), 2e4),
    "plain and adaptive": (lambda: mixed(False, False, cd.DormandPrince54(rtol=1e-6)), 2e3),
}
