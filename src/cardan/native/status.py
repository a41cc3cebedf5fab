"""What native functions return: one list of codes, as an enumeration for Python and as plain integers for kernels."""

from enum import IntEnum


class Status(IntEnum):
    """What an entry returns."""

    OK = 0
    RAISED = 1
    NOT_FINITE = 2
    UNFIT = 3  # a value does not fit its declaration: its shape, or a number that is not whole
    SINGULAR = 4


# compiled code returns numbers of 64 bits, and an enumeration's member is none
OK, RAISED, NOT_FINITE, UNFIT, SINGULAR = (int(status) for status in Status)
