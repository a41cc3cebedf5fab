"""Flight software: discrete parts that run at fixed rates and know nothing of the simulator."""

from cardan.fsw.allocation.thruster_arm_allocation import ThrusterArmAllocation as ThrusterArmAllocation
from cardan.fsw.allocation.torque_saturation import TorqueSaturation as TorqueSaturation
from cardan.fsw.allocation.wheel_allocation import WheelAllocation as WheelAllocation
from cardan.fsw.allocation.wheel_momentum import WheelMomentum as WheelMomentum
from cardan.fsw.control.line_pid import LinePid as LinePid
from cardan.fsw.control.mrp_feedback import MrpFeedback as MrpFeedback
from cardan.fsw.control.position_feedback import PositionFeedback as PositionFeedback
from cardan.fsw.control.thruster_arm_joints import ThrusterArmJoints as ThrusterArmJoints
from cardan.fsw.gimbal.axis_to_gimbal_angles import AxisToGimbalAngles as AxisToGimbalAngles
from cardan.fsw.gimbal.gimbal_to_motor_angles import GimbalToMotorAngles as GimbalToMotorAngles
from cardan.fsw.gimbal.stepper_controller import StepperController as StepperController
from cardan.fsw.gimbal.stepper_controller import StepperControllerMemory as StepperControllerMemory
from cardan.fsw.gimbal.thrust_aim import ThrustAim as ThrustAim
from cardan.fsw.gimbal.thruster_swap import ThrusterSwap as ThrusterSwap
from cardan.fsw.guidance.attitude_tracking import AttitudeTracking as AttitudeTracking
from cardan.fsw.guidance.axis_pointing import AxisPointing as AxisPointing
from cardan.fsw.guidance.hill_pointing import HillPointing as HillPointing
from cardan.fsw.guidance.inertial_pointing import InertialPointing as InertialPointing
from cardan.fsw.guidance.inertial_spin import InertialSpin as InertialSpin
from cardan.fsw.guidance.motion_planner import MotionPlanner as MotionPlanner
from cardan.fsw.navigation.simple_navigation import SimpleNavigation as SimpleNavigation
from cardan.fsw.sequencing.latch_sequencer import LatchSequencer as LatchSequencer
