from cardan.fsw import LinePid
from cardan.messages import LineIntegral, LineMotion


def test_each_gain_acts_on_its_own_error():
    motion, reference = LineMotion(1.0, 2.0), LineMotion(1.5, 1.0)
    command = LinePid(K_p=10.0, K_d=3.0, K_i=7.0).step(motion, reference, LineIntegral(0.5)).command
    assert command.force == 10.0 * 0.5 + 3.0 * -1.0 + 7.0 * 0.5


def test_without_an_integral_it_is_a_pd_controller():
    motion, reference = LineMotion(1.0, 2.0), LineMotion(1.5, 1.0)
    assert LinePid(K_p=10.0, K_d=3.0, K_i=7.0).step(motion, reference).command.force == 2.0
