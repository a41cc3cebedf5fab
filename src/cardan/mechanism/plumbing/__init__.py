"""Between the ports of a mechanism and its dynamics service: what goes in and what comes out, port by port.

A service uses the names below. `kinds` lists the kinds of port, each declared in a file of this folder; `memory` lays
them out in the arena.
"""

from cardan.mechanism.plumbing.arrays import S as S
from cardan.mechanism.plumbing.arrays import at as at
from cardan.mechanism.plumbing.arrays import size as size
from cardan.mechanism.plumbing.links import is_heavy as is_heavy
from cardan.mechanism.plumbing.links import is_rotor as is_rotor
from cardan.mechanism.plumbing.links import motion_of as motion_of
from cardan.mechanism.plumbing.links import weighs as weighs
from cardan.mechanism.plumbing.regularity import judge as judge
from cardan.mechanism.plumbing.stages import add_springs_and_dampers as add_springs_and_dampers
from cardan.mechanism.plumbing.stages import balance as balance
from cardan.mechanism.plumbing.stages import begin as begin
from cardan.mechanism.plumbing.stages import finish as finish
from cardan.mechanism.plumbing.stages import gather as gather
from cardan.mechanism.plumbing.stages import is_held as is_held
from cardan.mechanism.plumbing.stages import project as project
from cardan.mechanism.plumbing.stages import publish as publish
from cardan.mechanism.plumbing.stages import publish_frames as publish_frames
