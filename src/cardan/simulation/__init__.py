"""Running a scenario: native core, integrators, recorder, log, snapshots."""

from typing import TYPE_CHECKING

from cardan.front_doors import later
from cardan.simulation.log import FieldLog as FieldLog
from cardan.simulation.log import Log as Log
from cardan.simulation.log_file import check_log_path as check_log_path
from cardan.simulation.log_file import is_netcdf_name as is_netcdf_name
from cardan.simulation.log_file import load_log as load_log

if TYPE_CHECKING:
    from cardan.simulation.batch import Batch as Batch
    from cardan.simulation.batch_files import load_logs as load_logs
    from cardan.simulation.comparison import Comparison as Comparison
    from cardan.simulation.comparison import Times as Times
    from cardan.simulation.integrator_text import read_integrator as read_integrator
    from cardan.simulation.integrators import INTEGRATORS as INTEGRATORS
    from cardan.simulation.integrators import Integrator as Integrator
    from cardan.simulation.record import Record as Record
    from cardan.simulation.simulation import Simulation as Simulation
    from cardan.simulation.snapshot import Snapshot as Snapshot
    from cardan.simulation.snapshot import load_snapshot as load_snapshot
    from cardan.simulation.streaming import check_stream as check_stream
else:
    __getattr__, __dir__ = later(
        __name__,
        {
            "batch": "Batch",
            "batch_files": "load_logs",
            "comparison": "Comparison Times",
            "integrator_text": "read_integrator",
            "integrators": "INTEGRATORS Integrator",
            "record": "Record",
            "simulation": "Simulation",
            "snapshot": "Snapshot load_snapshot",
            "streaming": "check_stream",
        },
    )
