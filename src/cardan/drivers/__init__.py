"""Drive electronics: sampled hardware that turns commands into what an actuator does, step by step."""

from cardan.drivers.contact_monitor import ContactMonitor as ContactMonitor
from cardan.drivers.contact_monitor import ContactMonitorMemory as ContactMonitorMemory
from cardan.drivers.gimbal_driver import GimbalDriver as GimbalDriver
from cardan.drivers.stepper_driver import StepperDriver as StepperDriver
from cardan.drivers.stepper_driver import StepperDriverMemory as StepperDriverMemory
from cardan.drivers.thruster_valves import ThrusterValves as ThrusterValves
from cardan.drivers.thruster_valves import ThrusterValvesMemory as ThrusterValvesMemory
