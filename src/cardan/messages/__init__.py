"""The vocabulary that parts share."""

from cardan.messages.attitude import Attitude as Attitude
from cardan.messages.attitude import AttitudeError as AttitudeError
from cardan.messages.attitude import AttitudeReference as AttitudeReference
from cardan.messages.effort import BodyTorque as BodyTorque
from cardan.messages.effort import Force as Force
from cardan.messages.line import LineIntegral as LineIntegral
from cardan.messages.line import LineMotion as LineMotion
