from cardan.messages import Force
from cardan.models import MassSpringDamper, MassSpringDamperState


def test_the_forces_add_up():
    rates = MassSpringDamper(mass=2.0, stiffness=3.0, damping=0.5).derivatives(
        MassSpringDamperState(position=1.0, velocity=4.0), Force(10.0)
    )
    assert rates.position == 4.0
    assert rates.velocity == (10.0 - 0.5 * 4.0 - 3.0 * 1.0) / 2.0


def test_the_motion_is_the_state():
    assert MassSpringDamper().motion(MassSpringDamperState(1.0, 2.0)) == (1.0, 2.0)
