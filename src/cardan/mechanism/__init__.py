"""What the vehicles are: bodies, joints, sites; read from MJCF or URDF, or built in Python."""

from cardan.mechanism.facets import Facets as Facets
from cardan.mechanism.facets import facets_of as facets_of
from cardan.mechanism.joints import Ball as Ball
from cardan.mechanism.joints import Carriage as Carriage
from cardan.mechanism.joints import Free as Free
from cardan.mechanism.joints import Hinge as Hinge
from cardan.mechanism.joints import Slide as Slide
from cardan.mechanism.mechanism import Mechanism as Mechanism
