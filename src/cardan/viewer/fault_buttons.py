"""Buttons for the faults that a scenario has: each breaks something now, or mends it."""

from collections.abc import Callable
from typing import Any

from cardan.faults import NEVER, Fault
from cardan.simulation import Simulation


class FaultButtons:
    """A folder for each fault, with a button that lets it strike and one that ends it.

    What is pressed is a change of its parameters `onset` and `end`, and is written down as such.

    Args:
        gui: Of the page.
        simulation: Whose scenario it is.
        set_parameters: Called with parameters by path.
        now: [s] The time that the run has reached.
    """

    def __init__(
        self,
        gui: Any,
        simulation: Simulation,
        set_parameters: Callable[[dict[str, Any]], None],
        now: Callable[[], float],
    ) -> None:
        self._set, self._now = set_parameters, now
        self.buttons: dict[str, tuple[Any, Any]] = {}  # break and mend, by fault
        for name in faults_of(simulation):
            with gui.add_folder(name):
                self.buttons[name] = gui.add_button("break"), gui.add_button("mend")
            self.buttons[name][0].on_click(lambda _, name=name: self.strike(name))
            self.buttons[name][1].on_click(lambda _, name=name: self.mend(name))

    def strike(self, name: str) -> None:
        """Let a fault strike now."""
        self._set({f"{name}.onset": self._now(), f"{name}.end": NEVER})

    def mend(self, name: str) -> None:
        """Let it be over."""
        self._set({f"{name}.onset": NEVER, f"{name}.end": NEVER})


def faults_of(simulation: Simulation) -> list[str]:
    """The names of the faults of a scenario."""
    return [name for name, placed in simulation.scenario.parts.items() if isinstance(placed.part, Fault)]
