"""What the vehicles are: bodies, joints, sites; read from MJCF or URDF, or built in Python."""

from typing import TYPE_CHECKING

from cardan.front_doors import later
from cardan.mechanism.packing import unpacked as unpacked

if TYPE_CHECKING:
    from cardan.mechanism.clearance import Clearance as Clearance
    from cardan.mechanism.facets import Facets as Facets
    from cardan.mechanism.facets import facets_of as facets_of
    from cardan.mechanism.flyer import Flyer as Flyer
    from cardan.mechanism.flyer import Thrusters as Thrusters
    from cardan.mechanism.flyer import flyer_of as flyer_of
    from cardan.mechanism.joints import Ball as Ball
    from cardan.mechanism.joints import Carriage as Carriage
    from cardan.mechanism.joints import Free as Free
    from cardan.mechanism.joints import Hinge as Hinge
    from cardan.mechanism.joints import Slide as Slide
    from cardan.mechanism.mechanism import Mechanism as Mechanism
    from cardan.mechanism.ports import MechanismPort as MechanismPort
    from cardan.mechanism.shapes import Box as Box
    from cardan.mechanism.shapes import Capsule as Capsule
    from cardan.mechanism.shapes import Cylinder as Cylinder
    from cardan.mechanism.shapes import Ellipsoid as Ellipsoid
    from cardan.mechanism.shapes import Prism as Prism
    from cardan.mechanism.shapes import Sphere as Sphere
else:
    __getattr__, __dir__ = later(
        __name__,
        {
            "clearance": "Clearance",
            "facets": "Facets facets_of",
            "flyer": "Flyer Thrusters flyer_of",
            "joints": "Ball Carriage Free Hinge Slide",
            "mechanism": "Mechanism",
            "ports": "MechanismPort",
            "shapes": "Box Capsule Cylinder Ellipsoid Prism Sphere",
        },
    )
