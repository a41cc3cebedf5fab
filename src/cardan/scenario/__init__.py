"""Wiring parts into a scenario: graph, checks, evaluation order, sizes."""

from cardan.scenario.scenario import Scenario as Scenario
