"""Flight software: discrete parts that run at fixed rates and know nothing of the simulator."""

from cardan.fsw.control.line_pid import LinePid as LinePid
from cardan.fsw.control.mrp_feedback import MrpFeedback as MrpFeedback
from cardan.fsw.gimbal.axis_to_gimbal_angles import AxisToGimbalAngles as AxisToGimbalAngles
from cardan.fsw.gimbal.gimbal_to_motor_angles import GimbalToMotorAngles as GimbalToMotorAngles
from cardan.fsw.gimbal.stepper_controller import StepperController as StepperController
from cardan.fsw.guidance.attitude_tracking import AttitudeTracking as AttitudeTracking
