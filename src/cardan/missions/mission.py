"""What a mission is: a scenario with everything needed to run it and to show its result."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from cardan.scenario.scenario import Scenario
from cardan.simulation.integrators import Integrator
from cardan.simulation.log import Log
from cardan.simulation.record import Record


class Result(NamedTuple):
    """One number that a mission reports.

    Attributes:
        name: What it is.
        value: The number.
        unit: Its unit.
    """

    name: str
    value: float
    unit: str


class Curve(NamedTuple):
    """What the terminal shows of a mission.

    Attributes:
        title: What is drawn, with its unit.
        t: [s]
        values: Of the same length.
    """

    title: str
    t: np.ndarray
    values: np.ndarray


@dataclass(frozen=True)
class Mission:
    """A ready scenario that `cardan run` offers.

    Attributes:
        name: How the command line calls it.
        title: What it shows, in one line.
        about: What happens in it, in a few sentences.
        build: Makes the scenario.
        until: [s] How long it runs.
        integrator: What it runs with.
        results: The numbers it reports.
        curve: The curve it shows in the terminal.
        figures: For each figure the paths it plots, by the figure's name.
        record: What it records.
    """

    name: str
    title: str
    about: str
    build: Callable[[], Scenario]
    until: float
    integrator: Integrator
    results: Callable[[Log], list[Result]]
    curve: Callable[[Log], Curve]
    figures: Mapping[str, tuple[str, ...]]
    record: Record = field(default_factory=Record)
