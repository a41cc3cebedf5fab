"""Running a scenario: native core, integrators, recorder, log, snapshots."""

from cardan.simulation.log import Log as Log
from cardan.simulation.log_file import load_log as load_log
from cardan.simulation.record import Record as Record
from cardan.simulation.simulation import Simulation as Simulation
from cardan.simulation.snapshot import Snapshot as Snapshot
from cardan.simulation.snapshot import load_snapshot as load_snapshot
