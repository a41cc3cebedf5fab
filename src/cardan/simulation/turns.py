"""One simulation does one thing at a time: a run that is under way is neither joined by another nor moved."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from cardan.errors import SimulationBusy
from cardan.simulation.interrupts import held


class Turns:
    """Who has a simulation at present.

    Args:
        name: What errors call the simulation.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._taken = threading.Lock()
        self._doing: tuple[str, threading.Thread] | None = None

    @contextmanager
    def take(self, what: str) -> Iterator[None]:
        """Have the simulation for oneself to do `what`; meanwhile Ctrl-C is noted, and delivered at the end."""
        with held(), self.take_briefly(what):
            yield

    def take_briefly(self, what: str) -> "_Turn":
        """Have the simulation for oneself to do `what` that takes no time, so that Ctrl-C may as well wait for it."""
        if not self._taken.acquire(blocking=False):
            raise SimulationBusy(self._refusal(what))
        self._doing = what, threading.current_thread()
        return _Turn(self)

    def give_back(self) -> None:
        self._doing = None
        self._taken.release()

    def _refusal(self, what: str) -> str:
        doing, thread = self._doing or ("something", None)
        if thread is threading.current_thread():
            return (
                f"`{what}` of `{self._name}` is called by a part while its own `{doing}` is going on.\n"
                "  A part cannot move the simulation that runs it: give it another `Simulation` of the scenario."
            )
        where = f" in thread `{thread.name}`" if thread is not None else ""
        return (
            f"`{what}` of `{self._name}` is called while its `{doing}` is going on{where}.\n"
            "  Wait until that has ended, or make another `Simulation` of the scenario for each thread."
        )


class _Turn:
    """Gives a turn back at its end."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns

    def __enter__(self) -> None:
        pass

    def __exit__(self, *details: object) -> None:
        self._turns.give_back()
