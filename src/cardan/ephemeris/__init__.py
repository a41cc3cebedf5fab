"""Epochs, time scales, and tables of planets, orientation and fields, cut to a run; no parts."""

from cardan.ephemeris.earth_data import EarthData as EarthData
from cardan.ephemeris.earth_data import earth_data as earth_data
from cardan.ephemeris.epoch import Epoch as Epoch
from cardan.ephemeris.harmonics import HarmonicField as HarmonicField
from cardan.ephemeris.harmonics import egm2008 as egm2008
from cardan.ephemeris.harmonics import gradient_rows as gradient_rows
from cardan.ephemeris.harmonics import read_gfc as read_gfc
from cardan.ephemeris.magnetism import igrf14 as igrf14
from cardan.ephemeris.orientation import EARTH_RATE as EARTH_RATE
from cardan.ephemeris.orientation import OrientationTable as OrientationTable
from cardan.ephemeris.orientation import orientation_table as orientation_table
from cardan.ephemeris.planets import EphemerisSource as EphemerisSource
from cardan.ephemeris.planets import EphemerisTable as EphemerisTable
from cardan.ephemeris.planets import de440 as de440
from cardan.ephemeris.planets import ephemeris_table as ephemeris_table
from cardan.ephemeris.rotations import RotationElements as RotationElements
from cardan.ephemeris.rotations import rotation_elements as rotation_elements
from cardan.ephemeris.spk import read_spk as read_spk
