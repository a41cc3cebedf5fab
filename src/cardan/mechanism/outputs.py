"""Which outputs a mechanism has, and which of them are recorded by default."""

from typing import Any

from cardan.mechanism.coordinates import free_bodies
from cardan.mechanism.mechanism import Mechanism
from cardan.mechanism.ports import BodyGroup, HingeGroup, MechanismPort, SlideGroup
from cardan.mechanism.tree import FREE


def output_ports(mechanism: Mechanism) -> dict[str, MechanismPort]:
    """Every output that a mechanism has, by path; groups are not among them."""
    ports: list[MechanismPort] = []
    tree = mechanism.tree
    for body in mechanism.bodies.values():
        ports += [body.motion, body.matrix, body.com.motion, body.com.matrix]
        if tree.bodies[body.name].link > 0:
            ports.append(body.momentum)
        if mechanism.flies_freely(body.name):
            ports.append(body.quaternion)
    for site in mechanism.sites.values():
        ports += [site.motion, site.matrix]
    for joint in mechanism.joints.values():
        if joint.kind != FREE:
            ports += [joint.state, joint.reaction]
            ports.append(joint.holding)
    ports += [body.holding for body in mechanism.bodies.values() if mechanism.carriage(body.name)]
    ports += [pair.contact for pair in mechanism.contact_pairs.values()]
    return {port.path: port for port in ports}


def senders(mechanism: Mechanism, message: Any) -> list[str]:
    """Which outputs of a mechanism carry this class of message: their paths, then the groups that would have one."""
    bodies, hinges, slides = BodyGroup(mechanism, "", ()), HingeGroup(mechanism, "", ()), SlideGroup(mechanism, "", ())
    groups = {
        "group_of_bodies": [bodies.positions, bodies.motions],
        "group_of_hinges": [hinges.states],
        "group_of_slides": [slides.states],
    }
    found = [path for path, port in output_ports(mechanism).items() if port.message is message]
    for maker, ports in groups.items():
        found += [f"mechanism.{maker}(...).{port.name}" for port in ports if port.message is message]
    return found


def default_paths(mechanism: Mechanism) -> list[str]:
    """What is recorded by default: motion of bodies that fly freely, and states of joints."""
    bodies = [mechanism.bodies[name].motion.path for name in free_bodies(mechanism)]
    return bodies + [joint.state.path for joint in mechanism.joints.values() if joint.kind != FREE]
