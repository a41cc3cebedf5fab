"""Wiring parts into a scenario: graph, checks, evaluation order, sizes."""

from cardan.scenario.clock import nanoseconds as nanoseconds
from cardan.scenario.describe import description as description
from cardan.scenario.scenario import Scenario as Scenario
