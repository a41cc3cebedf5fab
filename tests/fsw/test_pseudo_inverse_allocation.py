import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cardan as cd
from cardan.fsw import PseudoInverseAllocation, pseudo_inverse_allocation
from cardan.messages import BodyWrench
from cardan.missions.vehicles import FLYERS, add_flyer

FLOWN = {kind: add_flyer(cd.Mechanism(kind), kind, name="f") for kind in FLYERS}


def made(kind):
    return pseudo_inverse_allocation(FLOWN[kind].mixer, FLOWN[kind].thrusters.max_thrust)


@pytest.mark.parametrize("kind", FLYERS)
def test_thrusts_that_cancel_are_found_for_every_thruster(kind):
    part = made(kind)
    assert np.all(part.cancelling >= 0.0)
    assert np.all(part.cancelling.max(axis=0) > 0.0)
    assert FLOWN[kind].mixer @ part.cancelling.T == pytest.approx(0.0, abs=1e-11)


PARTS = {kind: made(kind) for kind in FLYERS}


@given(seed=st.integers(0, 10**9), kind=st.sampled_from(FLYERS))
def test_small_wrenches_are_given_exactly_by_thrusts_that_are_not_negative(seed, kind):
    rng, part = np.random.default_rng(seed), PARTS[kind]
    wrench = part.mixer @ (0.01 * part.max_thrust * rng.uniform(0.0, 1.0, 12))
    found = part.step(BodyWrench(wrench[:3], wrench[3:]))
    assert np.all(found.command.thrust >= 0.0) and np.all(found.command.thrust <= part.max_thrust)
    assert np.r_[found.given.force_B, found.given.torque_B] == pytest.approx(wrench, abs=1e-12)


def test_large_wrenches_are_cut_off_at_the_limits():
    part = PARTS["astrobee"]
    found = part.step(BodyWrench(np.array([50.0, 0.0, 0.0]), np.zeros(3)))
    assert np.all(found.command.thrust <= part.max_thrust)


def test_a_thruster_that_nothing_cancels_is_named():
    mixer = FLOWN["astrobee"].mixer[:, [0, 2]]
    with pytest.raises(cd.CardanError) as caught:
        pseudo_inverse_allocation(mixer, np.ones(2))
    assert str(caught.value).startswith("pseudo_inverse_allocation: nothing cancels the push of thruster 0,")
    with pytest.raises(cd.CardanError, match=r"`mixer` must have six rows; got shape \(3, 2\)"):
        pseudo_inverse_allocation(mixer[:3], np.ones(2))


def test_thrusts_that_do_not_cancel_are_refused():
    part = PARTS["astrobee"]
    with pytest.raises(cd.CardanError) as caught:
        PseudoInverseAllocation(part.mixer, part.max_thrust, part.inverse, np.eye(12)[:1])
    assert "must be thrusts, a row each, that cancel each other.\n  got size 1 x 12, of which 1 is left" in str(
        caught.value
    )
