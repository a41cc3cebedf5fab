"""Two-axis gimbals as data: their geometry, and the tables that relate motor angles to gimbal angles."""

from cardan.gimbals.accuracy import PointingBound as PointingBound
from cardan.gimbals.accuracy import pointing_bound as pointing_bound
from cardan.gimbals.files import load_gimbal_tables as load_gimbal_tables
from cardan.gimbals.files import save_gimbal_tables as save_gimbal_tables
from cardan.gimbals.geometry import CrankGimbal as CrankGimbal
from cardan.gimbals.tables import GimbalTables as GimbalTables
from cardan.gimbals.tables import GimbalToMotorTable as GimbalToMotorTable
from cardan.gimbals.tables import MotorToGimbalTable as MotorToGimbalTable
from cardan.gimbals.tables import make_gimbal_tables as make_gimbal_tables
