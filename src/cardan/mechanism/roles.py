"""What the ports of a mechanism are for."""

from enum import Enum


class Role(Enum):
    """What a port of a mechanism is for; its value is the port's name.

    How a port of each role is served is declared by the tables of `cardan.mechanism.plumbing`.
    """

    # outputs that follow from the state
    MOTION = "motion"
    MATRIX = "matrix"
    QUATERNION = "quaternion"
    POSITIONS = "positions"
    MOTIONS = "motions"
    STATE = "state"
    STATES = "states"
    MOMENTUM = "momentum"
    # outputs that follow from the forces
    REACTION = "reaction"
    HOLDING = "holding"
    CONTACT = "contact"
    # inputs that sum
    WRENCH = "wrench"
    WRENCH_N = "wrench_N"
    TORQUE = "torque"
    FORCE_N = "force_N"
    FORCES_N = "forces_N"
    GRAVITY = "gravity"
    EFFORT = "effort"
    EFFORTS = "efforts"
    COMMAND = "command"
    # inputs with one source
    LOCK = "lock"
    LOCKS = "locks"
    PRESCRIBED = "prescribed"
    MASS_PROPERTIES = "mass_properties"
