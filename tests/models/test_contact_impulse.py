import numpy as np

from cardan.messages import ContactLoad
from cardan.models import ContactImpulse, ContactImpulseState


def test_rates_are_the_force_its_size_and_whether_there_is_one():
    push = ContactLoad(force_N=np.array([0.0, 3.0, 4.0]), total=5.5, places=2.0)
    rate = ContactImpulse().derivatives(ContactImpulseState(), push)
    assert rate.impulse_N.tolist() == [0.0, 3.0, 4.0]
    assert (rate.total, rate.duration) == (5.5, 1.0)
    assert ContactImpulse().derivatives(rate, ContactLoad()).duration == 0.0


def test_what_it_gives_is_its_state():
    state = ContactImpulseState(np.array([1.0, 2.0, 3.0]), 4.0, 0.5)
    given = ContactImpulse().given(state)
    assert given.impulse_N.tolist() == [1.0, 2.0, 3.0] and (given.total, given.duration) == (4.0, 0.5)
