"""Batches in JAX on this CPU beside native ones: a free flyer, alone and with seven joints."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import cardan as cd
from benchmarks.batches import batch
from benchmarks.free_flyer import STEP, scenario
from benchmarks.goal import Goal, best_of

MEMBERS, STEPS = 1024, 25
CASES = (("free flyer", 0, 0.02), ("free flyer with seven joints", 7, 0.02))


def measure() -> Iterator[Goal]:
    """Processor time, so that what else runs on the machine counts little; both use all cores."""
    import jax

    with jax.enable_x64(True):
        for name, arm, least in CASES:
            levels = np.random.default_rng(0).uniform(size=(MEMBERS, STEPS, 12))
            native = batch(arm, cd.Rk4(STEP), members=MEMBERS)
            compiling, traced, run = functional(arm, levels)
            native.rollout({"levels": levels}, STEP)
            theirs = np.concatenate([*native["obs.error"]], axis=1)
            difference = np.abs(traced - theirs).max() / np.abs(theirs).max()
            beside = partial(native.rollout, {"levels": levels}, STEP)
            times = [(cpu(run), cpu(beside)) for _ in range(5)]
            ours, best = (min(each) / (MEMBERS * STEPS) for each in zip(*times, strict=True))
            assert not native.failed.any()
            yield Goal(f"{name}: difference from the native batch", difference, "-", 1e-10)
            yield Goal(f"{name}: compilation", compiling, "s", 60.0)
            yield Goal(f"{name}: steps per second of processor time", 1.0 / ours, "1/s", 1e4, True)
            yield Goal(f"{name}: as fast as the native batch", best / ours, "times", least, True)


def functional(arm: int, levels: np.ndarray) -> tuple[float, np.ndarray, Callable[[], object]]:
    """[s] of compilation, what the last step observes, and a rollout of all members."""
    import jax

    made = cd.jax_function(
        scenario(arm), dynamics=cd.RecursiveTree(), integrator=cd.Rk4(STEP), outputs=["obs.error", "rew.reward"]
    )

    @jax.jit
    def rollout(levels: Any) -> Any:
        return jax.vmap(lambda own: made.rollout(made.reset()[0], {"levels": own})[1])(levels)

    began = time.process_time()
    out = jax.block_until_ready(rollout(levels))
    took = time.process_time() - began
    return (
        took,
        np.concatenate([each[:, -1] for each in out["obs.error"]], axis=1),
        lambda: jax.block_until_ready(rollout(levels)),
    )


def cpu(action: Callable[[], object]) -> float:
    return best_of(action, 1, time.process_time)
