import numpy as np
import pytest

import cardan as cd
from cardan import models


def swings(every):
    scn = cd.Scenario("noise", seed=3)
    scn.add(models.DensityNoise(deviation=0.3, time_constant=100.0), name="noise", every=every)
    log = cd.Simulation(scn).run(until=400_000.0 * every / 20.0, record=cd.Record(every=every, ports=["noise.factor"]))
    return log["noise.factor"].factor


@pytest.mark.filterwarnings("ignore::cardan.errors.LooseEnds")
def test_mean_spread_and_memory_are_as_asked():
    factor = swings(20.0)
    x = np.log(factor) + 0.045
    # 400,000 s have 2,000 independent swings: 4 standard errors are 0.09 of a deviation
    assert np.mean(factor) == pytest.approx(1.0, abs=0.03)
    assert np.std(x) == pytest.approx(0.3, rel=0.06)
    correlation = [np.corrcoef(x[:-k], x[k:])[0, 1] for k in (1, 5)]
    assert correlation == pytest.approx([np.exp(-0.2), np.exp(-1.0)], abs=0.05)


def test_the_period_of_the_task_does_not_change_the_process():
    part, key = models.DensityNoise(deviation=0.3, time_constant=100.0), cd.RandomKey(1, 2)
    memory, outputs = part.step(1e9, models.DensityNoiseMemory(5.0), key)
    assert abs(memory.x) < 2.0  # all is forgotten
    kept, _ = part.step(1e-9, models.DensityNoiseMemory(0.1), key)
    assert kept.x == pytest.approx(0.1, abs=1e-4)
    assert outputs.factor.factor == pytest.approx(np.exp(memory.x - 0.045))
