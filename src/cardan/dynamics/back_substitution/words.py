"""The service's own memory: what kinematics leaves for dynamics, in bytes.

All spatial vectors are in inertial axes about the origin B of the vehicle's hub, (angular, linear).
"""

from cardan.mechanism.plumbing import S, at, size
from cardan.native.pointers import load_int

# how many effectors there are; then a row for each: kind, first and last link, link of its hub
COUNT = 0
TABLE = 8
ROW = 32
KIND, FIRST, LAST, HUB = 0, 8, 16, 24

# per link: velocity V; acceleration c that follows from velocities and prescribed accelerations; inertia J about B,
# lever m c_B, bias force P of that acceleration; acceleration A beyond c; column S of a single freedom
V_, C_, J_, LEVER_, P_, A_, S_ = 0, 48, 96, 144, 168, 216, 264
# what the freedom answers to the hub, Eq. (2): U = inertia times S, then theta'' = a . r'' + b . omega' + c
U_, ANSWER_ = 312, 360
# the link with all beyond it: mass, lever, J, force
WHOLE_ = 416
# divisors of its freedoms: of the hub six, of any other link one
DIVISOR_ = WHOLE_ + 8 + 24 + 48 + 48
# not zero where the joints of a prescribed carriage begin
CARRIAGE_ = DIVISOR_ + 48
# constants: the joint's point and axis in the components of the parent, and the offset's quaternion times the axis
ANCHOR_PARENT, AXIS_PARENT, OFFSET_AXIS = CARRIAGE_ + 8, CARRIAGE_ + 32, CARRIAGE_ + 56
LINK = OFFSET_AXIS + 32


def link_words(context, link):
    """Native code: where the words of a link are."""
    private = at(context, S.private)
    return private + TABLE + ROW * load_int(private + COUNT) + LINK * link


def chain_room(context):
    """Native code: where the equations of a chain of unknown freedoms are put together."""
    return link_words(context, size(context, S.links))
