"""Flight software: discrete parts that run at fixed rates and know nothing of the simulator."""

from cardan.fsw.control.line_pid import LinePid as LinePid
from cardan.fsw.control.mrp_feedback import MrpFeedback as MrpFeedback
from cardan.fsw.guidance.attitude_tracking import AttitudeTracking as AttitudeTracking
