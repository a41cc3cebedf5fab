from cardan.drivers import ContactMonitor, ContactMonitorMemory
from cardan.messages import ContactLoad


def seen_of(*forces: float):
    part, seen = ContactMonitor(), ContactMonitorMemory()
    for i, force in enumerate(forces):
        load = ContactLoad(total=force, largest=0.5 * force, penetration=1e-3 * force, places=float(force > 0.0))
        seen, outputs = part.step(0.1 * i, seen, load)
    return outputs.history


def test_nothing_has_been_seen_before_the_first_touch():
    history = seen_of(0.0, 0.0)
    assert (history.first, history.touches, history.peak) == (-1.0, 0, 0.0) and not history.is_touching


def test_it_keeps_the_first_time_the_number_of_touches_and_the_peaks():
    history = seen_of(0.0, 2.0, 1.0, 0.0, 3.0, 0.5)
    assert (history.first, history.touches) == (0.1, 2)
    assert (history.peak, history.largest, history.penetration) == (3.0, 1.5, 3e-3)
    assert history.is_touching
