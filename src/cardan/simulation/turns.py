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
        self._doing = "something", 0  # and the thread that does it

    @contextmanager
    def take(self, what: str) -> Iterator[None]:
        """Have the simulation for oneself to do `what`; meanwhile Ctrl-C is noted, and delivered at the end."""
        with held(), self.take_briefly(what):
            yield

    def take_briefly(self, what: str) -> threading.Lock:
        """Have the simulation for oneself to do `what` that takes no time, so that Ctrl-C may as well wait for it.

        The lock itself is returned: Ctrl-C never comes between taking it and being sure to give it back. Where two
        threads come at the very same time, one waits for the other.
        """
        if self._taken.locked():
            raise SimulationBusy(self._refusal(what))
        self._doing = what, threading.get_ident()
        return self._taken

    def _refusal(self, what: str) -> str:
        doing, ident = self._doing
        if ident == threading.get_ident():
            return (
                f"`{what}` of `{self._name}` is called by a part while its own `{doing}` is going on.\n"
                "  A part cannot move the simulation that runs it: give it another `Simulation` of the scenario."
            )
        name = next((thread.name for thread in threading.enumerate() if thread.ident == ident), None)
        where = f" in thread `{name}`" if name is not None else ""
        return (
            f"`{what}` of `{self._name}` is called while its `{doing}` is going on{where}.\n"
            "  Wait until that has ended, or make another `Simulation` of the scenario for each thread."
        )
