"""Wiring parts into a scenario: graph, checks, evaluation order, sizes."""

from cardan.scenario.clock import nanoseconds as nanoseconds
from cardan.scenario.describe import description as description
from cardan.scenario.intercept import readers_of as readers_of
from cardan.scenario.paths import first_message as first_message
from cardan.scenario.paths import port_at as port_at
from cardan.scenario.placed import Placed as Placed
from cardan.scenario.ports import PartHandle as PartHandle
from cardan.scenario.ports import Port as Port
from cardan.scenario.scenario import Scenario as Scenario
