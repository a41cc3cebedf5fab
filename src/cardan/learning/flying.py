"""Policies in the loop, natively: whole episodes without returning to Python."""

from typing import Any, NamedTuple

import numpy as np

from cardan.errors import SettingError
from cardan.learning.environment import Environment
from cardan.learning.policy import PolicyFacts, check_fits, policy_task
from cardan.scenario import Scenario
from cardan.studies import wilson

POLICY = "policy"  # the name of the task


def flown_by(environment: Environment, facts: PolicyFacts, *, explore: bool = False) -> Environment:
    """An environment in which a policy stands where the action came from outside.

    Args:
        environment: What it was trained in, or another that has the same ports.
        facts: The policy.
        explore: Whether it draws its actions at random, as in training; `policy.sample` has them.
    """
    check_fits(facts, environment)
    part = policy_task(facts, explore=explore)
    observed = dict(zip(_inputs(part), _ports(facts.observed), strict=True))

    def built() -> Scenario:
        scenario = environment.inputs.subject.source()  # type: ignore[operator]
        ports = {name: _port(scenario, path) for name, path in observed.items()}
        added = scenario.add(part, name=POLICY, every=environment.period, **ports)
        for port in _ports(facts.acted):
            scenario.replace_input(port, getattr(added, port.rpartition(".")[2]))
        scenario.leave_open(added.sample)
        return scenario

    return environment.with_changes(build=built)


def _inputs(part: Any) -> list[str]:
    return [name for name in type(part).step.__annotations__ if name not in ("return", "rng", "x")]


def _ports(columns: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(each["port"] for each in columns))


def _port(scenario: Scenario, path: str) -> Any:
    part, _, port = path.rpartition(".")
    return getattr(scenario[part], port) if part in scenario.parts else path


class Evaluation(NamedTuple):
    """How episodes ended.

    Attributes:
        is_success: (n,)
        steps: (n,) Of each episode.
        returns: (n,) Sum of its rewards.
    """

    is_success: np.ndarray
    steps: np.ndarray
    returns: np.ndarray

    @property
    def rate(self) -> Any:
        """The rate of success with Wilson's bounds, 95 %."""
        return wilson(int(self.is_success.sum()), len(self.is_success))

    def __str__(self) -> str:
        rate = self.rate
        after = f", after {self.steps[self.is_success].mean():.0f} steps" if self.is_success.any() else ""
        return (
            f"{100 * self.is_success.mean():.1f} % of {len(self.steps)} episodes succeed "
            f"({100 * rate.low:.1f} to {100 * rate.high:.1f} %){after}; mean return {self.returns.mean():.2f}"
        )


def evaluate(
    environment: Environment,
    facts: PolicyFacts,
    episodes: int = 1000,
    *,
    seed: int = 10_000,
    threads: int | None = None,
) -> Evaluation:
    """Evaluate a policy in episodes unseen in training, natively and without exploration.

    Args:
        environment: What is flown.
        facts: The policy.
        episodes: How many.
        seed: Of the first episode; training uses others as long as its own seeds are below.
        threads: That fly.
    """
    return evaluate_flown(flown_by(environment, facts), episodes, seed=seed, threads=threads)


def evaluate_flown(flown: Environment, episodes: int, *, seed: int = 10_000, threads: int | None = None) -> Evaluation:
    """Fly episodes of an environment in which nothing comes from outside: its own controller is judged."""
    if flown.success is None:
        raise SettingError(f"`{flown.name}` does not say what success is.\n  Give it `success=...`.")
    batch = flown.batch(episodes, threads)
    starts = flown.episodes(episodes)
    everyone = np.ones(episodes, bool)
    starts.seed(seed + np.arange(episodes), everyone)
    batch.take(starts.batch, starts.find(np.zeros(episodes, np.int64), everyone), where=everyone)
    told = batch.rollout({}, flown.period, steps=flown.steps)
    if batch.failed.any():
        error: Any = batch.error(int(np.argmax(batch.failed)))
        raise error
    reward, success = _field(told, flown.reward), _field(told, flown.success).astype(bool)
    over = _field(told, flown.terminated).astype(bool) if flown.terminated is not None else np.zeros_like(success)
    last = np.where(over.any(axis=1), over.argmax(axis=1), flown.steps - 1)
    counts = np.arange(flown.steps) <= last[:, None]
    return Evaluation(np.asarray((success & counts).any(axis=1)), last + 1, (reward * counts).sum(axis=1))


def _field(told: dict[str, Any], path: str) -> np.ndarray:
    port, _, name = path.rpartition(".")
    return np.asarray(getattr(told[port], name))
