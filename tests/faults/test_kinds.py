"""Every fault on one small scenario: untouched to the bit before its onset, by a closed form after it."""

import numpy as np
import pytest

import cardan as cd
from cardan import faults
from cardan.faults.links import struck
from cardan.maths import with_flipped_bit
from cardan.missions import hello

ONSET, END = 3.0, 7.0
TARGET = "err.error.sigma_BR"  # from a task to a task: what is passed on can be compared tick by tick
TURN = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
GRID, BENT = np.linspace(-1.0, 1.0, 5), np.array([-1.0, -0.2, 0.0, 0.1, 0.5])


def run(target=None, *kinds, until=9.0, jit=True, record=None, **options):
    scn = hello.build()
    if target is not None:
        faults.inject(scn, target, *kinds, name="bad", **options)
    return cd.Simulation(scn, integrator=cd.Rk4(step=0.5), jit=jit).run(until=until, record=record, progress=False)


@pytest.fixture(scope="module")
def untouched():
    return run()


CASES = {
    "stuck off": (faults.stuck_off(), lambda u, T: 0.0 * u),
    "stuck at": (faults.stuck_at([0.1, 0.2, 0.3]), lambda u, T: 0.0 * u + [0.1, 0.2, 0.3]),
    "biased": (faults.biased(0.2), lambda u, T: u + 0.2),
    "drifting": (faults.drifting(0.01), lambda u, T: u + 0.01 * T),
    "diverging": (faults.diverging(0.01, 0.5), lambda u, T: u + 0.01 * np.expm1(0.5 * T) / 0.5),
    "decaying": (faults.decaying(0.3, 2.0), lambda u, T: u + 0.3 * np.exp(-T / 2.0)),
    "scaled": (faults.scaled(-0.5), lambda u, T: -0.5 * u),
    "oscillating": (faults.oscillating(0.1, 0.2), lambda u, T: u + 0.1 * np.sin(0.4 * np.pi * T)),
    "saturated": (faults.saturated(0.05), lambda u, T: np.clip(u, -0.05, 0.05)),
    "leaking": (faults.leaking(0.02), lambda u, T: np.maximum(u, 0.02)),
    "curved": (faults.curved(GRID, BENT), lambda u, T: np.interp(u, GRID, BENT)),
    "mixed": (faults.mixed(TURN), lambda u, T: u @ TURN.T),
    "misaligned": (faults.misaligned(TURN), lambda u, T: u @ TURN.T),
    "swapped": (faults.swapped(0, 2, 3), lambda u, T: u[:, [2, 1, 0]]),
}


@pytest.mark.parametrize("name", CASES)
def test_a_fault_acts_by_its_closed_form_while_it_lasts(name, untouched):
    kind, expected = CASES[name]
    log = run(TARGET, kind, onset=ONSET, end=END)
    sent, seen = log["err.error"].sigma_BR, log["bad/link.passed"].sigma_BR
    struck = (log.t >= ONSET) & (log.t < END)
    wanted = expected(sent[struck], (log.t[struck] - ONSET)[:, None])
    assert np.allclose(seen[struck], wanted, rtol=1e-12, atol=1e-15)  # NumPy's elementary functions differ by a digit
    assert np.array_equal(seen[~struck], sent[~struck])
    before = log.t <= ONSET
    assert np.array_equal(log["body.state"].omega_BN_B[before], untouched["body.state"].omega_BN_B[before])
    assert not np.array_equal(log["body.state"].omega_BN_B, untouched["body.state"].omega_BN_B)


def test_a_ramp_lets_it_come_slowly():
    log = run(TARGET, faults.biased(0.4), onset=ONSET, ramp=2.0)
    share = np.clip((log.t - ONSET) / 2.0, 0.0, 1.0)[:, None]
    assert np.allclose(log["bad/link.passed"].sigma_BR, log["err.error"].sigma_BR + 0.4 * share, atol=1e-15)


def test_it_comes_and_goes_with_a_schedule():
    log = run(TARGET, faults.biased(1.0), onset=1.0, end=8.0, repeat=3.0, duty=0.5)
    wanted = (log.t >= 1.0) & (log.t < 8.0) & ((log.t - 1.0) % 3.0 < 1.5)
    assert np.array_equal(log["bad.effect"].is_active, wanted)
    assert set(log["bad.effect"].since[wanted]) == {1.0, 4.0, 7.0}


def test_a_frozen_message_stays_what_it_was_before():
    log = run(TARGET, faults.frozen(), onset=ONSET)
    sent, seen = log["err.error"], log["bad/link.passed"]
    after = log.t >= ONSET
    last = sent.sigma_BR[np.flatnonzero(after)[0] - 1]
    assert np.array_equal(seen.sigma_BR[after], np.tile(last, (after.sum(), 1)))
    assert np.array_equal(seen.omega_BR_B, sent.omega_BR_B)  # other fields arrive


def test_a_lossy_link_shows_messages_again():
    log = run(TARGET, faults.lossy(0.5), onset=ONSET, until=60.0)
    sent, seen = log["err.error"].sigma_BR, log["bad/link.passed"].sigma_BR
    lost = ~np.all(sent == seen, axis=1)
    assert np.array_equal(seen[lost], seen[np.flatnonzero(lost) - 1])
    assert np.array_equal(lost, log["bad.effect"].is_lost & log["bad.effect"].is_active)
    assert 0.3 < lost[log.t >= ONSET].mean() < 0.7


def test_backlash_is_a_play_operator():
    log = run(TARGET, faults.with_backlash(0.02), onset=0.0)
    sent, seen = log["err.error"].sigma_BR, log["bad/link.passed"].sigma_BR
    played = [0.0 * sent[0]]
    for u in sent:
        played.append(np.clip(played[-1], u - 0.01, u + 0.01))
    assert np.array_equal(seen, played[1:])


def test_noise_and_outliers_have_their_deviation_and_chance():
    log = run(TARGET, faults.noisy(0.1), onset=0.0, until=200.0)
    noise = log["bad/link.passed"].sigma_BR - log["err.error"].sigma_BR
    assert np.std(noise) == pytest.approx(0.1, rel=0.1)  # 1203 numbers: 2 % is one deviation
    log = run(TARGET, faults.outliers(5.0, 0.1), onset=0.0, until=200.0)
    off = log["bad/link.passed"].sigma_BR - log["err.error"].sigma_BR
    thrown = np.any(off != 0.0, axis=1)
    assert np.allclose(np.abs(off[thrown]), 5.0)
    assert 0.05 < thrown.mean() < 0.16  # 401 ticks: 1.5 % is one deviation


def test_one_bit_of_one_number_flips():
    fault = faults.Fault(0.0, bias=np.zeros((1, 3)), gain=np.eye(3), traits=[faults.Traits(flip_chance=1.0)])
    sent = np.array([0.1, -2.0, 3.0e5])
    flips = []
    for tick in range(200):
        effect = fault.step(1.0, cd.RandomKey(7, tick)).effect
        bits = sent.view(np.int64) ^ struck(sent, effect).view(np.int64)
        flips.append(sum(bin(int(number) & (2**64 - 1)).count("1") for number in bits))
    assert set(flips) == {1}
    assert with_flipped_bit(1.0, 62) == 1.0  # would be infinite
    assert with_flipped_bit(1.0, 63) == -1.0 and with_flipped_bit(1.0, 51) == 1.5


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ("ctl.torque.torque_B[1]", faults.stuck_off()),  # from a task to a model
        ("body.attitude.omega_BN_B", faults.noisy(0.01)),  # from a model to a task
        (TARGET, faults.lossy(0.5)),  # from a task to a task
        ("ctl.torque", faults.frozen()),
        ("ctl.torque", faults.jittered(0.3)),
        (TARGET, faults.reordered()),
    ],
)
def test_plain_python_gives_the_same_bits_on_every_route(target, kind, untouched):
    native, plain = (run(target, kind, onset=ONSET, jit=jit, until=6.0) for jit in (True, False))
    rates = native["body.state"].omega_BN_B
    assert np.array_equal(rates, plain["body.state"].omega_BN_B)
    before = native.t <= ONSET
    assert np.array_equal(rates[before], untouched["body.state"].omega_BN_B[: before.sum()])


def test_what_is_delayed_arrives_later():
    log = run(TARGET, faults.delayed(1.0), onset=ONSET)
    sent, seen = log["err.error"].sigma_BR, log["bad/link.passed"].sigma_BR
    late = np.flatnonzero(log.t >= ONSET)
    assert np.array_equal(seen[late], sent[late - 2])  # two ticks of 0.5 s


def test_a_delay_on_a_port_without_ticks_is_sampled():
    log = run("body.attitude", faults.delayed(0.5), onset=ONSET, record=cd.Record(ports=["body.attitude", "bad/*"]))
    sent, seen = log["body.attitude"].sigma_BN, log["bad/link.passed"].sigma_BN
    late = np.flatnonzero(log.t >= ONSET)
    assert np.array_equal(seen[late], sent[late - 1])


def test_reordered_messages_are_some_of_the_last_four():
    log = run(TARGET, faults.reordered(), onset=ONSET, until=30.0)
    sent, seen = log["err.error"].sigma_BR, log["bad/link.passed"].sigma_BR
    ages = {next(age for age in range(4) if np.array_equal(seen[i], sent[i - age])) for i in range(6, len(sent))}
    assert ages == {0, 1, 2, 3}


def test_jitter_brings_messages_between_the_ticks():
    log = run("ctl.torque", faults.jittered(0.3), onset=ONSET)
    asked = log.t[(np.abs(2.0 * log.t - np.round(2.0 * log.t)) > 1e-6)]
    assert len(asked) > 8 and np.all((asked % 0.5) < 0.3) and np.all(asked > ONSET)


def test_a_probability_is_drawn_once_for_each_run():
    scn = hello.build()
    faults.inject(scn, TARGET, faults.biased(0.1), name="bad", onset=1.0, probability=0.4)
    batch = cd.Batch(scn, 200, integrator=cd.Rk4(step=0.5), outputs=["bad.effect"], seeds=range(200))
    batch.advance(2.0)
    struck = batch["bad.effect"].is_active
    assert 0.3 < struck.mean() < 0.5  # 3.5 % is one deviation


def test_several_faults_act_in_the_order_in_which_they_were_injected():
    scn = hello.build()
    faults.inject(scn, f"{TARGET}[0]", faults.scaled(2.0), name="first", onset=1.0)
    faults.inject(scn, f"{TARGET}[0]", faults.biased(0.1), name="second", onset=1.0)
    faults.inject(scn, f"{TARGET}[1]", faults.stuck_off(), name="third", onset=1.0)
    log = cd.Simulation(scn, integrator=cd.Rk4(step=0.5)).run(until=3.0)
    sent, seen = log["err.error"].sigma_BR, log["third/link.passed"].sigma_BR
    after = log.t >= 1.0
    assert np.array_equal(seen[after, 0], 2.0 * sent[after, 0] + 0.1)
    assert np.all(seen[after, 1] == 0.0) and np.array_equal(seen[:, 2], sent[:, 2])


def test_kind_channel_and_time_vary_within_a_batch():
    scn = hello.build()
    faults.offer(scn, f"{TARGET}[0]", faults.stuck_off(), faults.biased(0.3), name="bad")
    varies = ["bad.kind", "bad.channel", "bad.onset"]
    batch = cd.Batch(scn, 3, integrator=cd.Rk4(step=0.5), outputs=["bad/link.passed", "err.error"], varies=varies)
    batch.set({"bad.kind": [0, 1, 1], "bad.channel": [1, 2, 0], "bad.onset": [1.0, 1.0, 5.0]})
    batch.advance(2.0)
    seen, sent = batch["bad/link.passed"].sigma_BR, batch["err.error"].sigma_BR
    assert seen[0, 1] == 0.0 and seen[1, 2] == sent[1, 2] + 0.3
    assert np.array_equal(seen[2], sent[2])
