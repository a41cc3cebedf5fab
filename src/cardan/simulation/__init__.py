"""Running a scenario: native core, integrators, recorder, log, snapshots."""

from cardan.simulation.batch import Batch as Batch
from cardan.simulation.batch_files import load_logs as load_logs
from cardan.simulation.comparison import Comparison as Comparison
from cardan.simulation.comparison import Times as Times
from cardan.simulation.integrator_text import read_integrator as read_integrator
from cardan.simulation.integrators import INTEGRATORS as INTEGRATORS
from cardan.simulation.integrators import Integrator as Integrator
from cardan.simulation.log import FieldLog as FieldLog
from cardan.simulation.log import Log as Log
from cardan.simulation.log_file import check_log_path as check_log_path
from cardan.simulation.log_file import is_netcdf_name as is_netcdf_name
from cardan.simulation.log_file import load_log as load_log
from cardan.simulation.record import Record as Record
from cardan.simulation.simulation import Simulation as Simulation
from cardan.simulation.snapshot import Snapshot as Snapshot
from cardan.simulation.snapshot import load_snapshot as load_snapshot
from cardan.simulation.streaming import check_stream as check_stream
