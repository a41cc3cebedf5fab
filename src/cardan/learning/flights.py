"""Flights of a policy that learns: many environments, wholly native, with the policy in the loop."""

from typing import Any, NamedTuple

import numpy as np

from cardan.learning.columns import flat
from cardan.learning.environment import Environment
from cardan.learning.flying import POLICY, flown_by
from cardan.learning.policy import PolicyFacts, parameters_of

_CHUNK = 8  # [steps] of a native call; an episode that ends in the middle of one is followed by the next at its end
_PENDING = ("seen", "mean", "taken")  # what the next step begins with


class Flown(NamedTuple):
    """What was flown in one go; the first axis are environments, the second steps.

    Attributes:
        seen: (N, K, n) Observations before each step, single precision.
        after: (N, K, n) Observations after it, also where an episode ends with it.
        mean: (N, K, m) The best actions that the policy knew, before they are squashed.
        taken: (N, K, m) Those that it took.
        deviation: (m,) Standard deviation of the actions; `first_deviation` holds for those of the first step.
        first_deviation: (m,) The first action was decided on at the end of the flight before.
        reward: (N, K)
        terminated: (N, K) Whether the episode has come to an end of its own with the step.
        truncated: (N, K) Whether time has ended it.
        counts: (N, K) Whether the step belongs to an episode: between its end and the next native call none does.
        is_first: (N, K) Whether the step is the first of its episode. Episodes wait at their beginning, so that the
            first action is one of the policy with which training began.
    """

    seen: np.ndarray
    after: np.ndarray
    mean: np.ndarray
    taken: np.ndarray
    deviation: np.ndarray
    first_deviation: np.ndarray
    reward: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    counts: np.ndarray
    is_first: np.ndarray


class Ended(NamedTuple):
    """An episode that has ended: the sum of its rewards, whether it has ended well, and its steps."""

    score: float
    is_success: bool
    steps: int


class Flights:
    """Environments that a policy flies, one episode after the other.

    Args:
        environment: What is flown.
        facts: The policy; it explores.
        count: How many fly at once.
        seed: Of the first environment; the others have those after it.
        threads: Threads that fly; by default one per core.
    """

    def __init__(
        self, environment: Environment, facts: PolicyFacts, count: int, *, seed: int, threads: int | None = None
    ) -> None:
        self.environment, self._count = environment, count
        flown = flown_by(environment, facts, explore=True)
        flown = flown.with_changes(observe=[*environment.observe, f"{POLICY}.sample"])
        self.batch, self._starts = flown.batch(count, threads), flown.episodes(count)
        self._seeds = seed + np.arange(count)
        everyone = np.ones(count, bool)
        self._starts.seed(self._seeds, everyone)
        self._episode = np.full(count, -1, np.int64)
        self._steps, self._score = np.zeros(count, np.int64), np.zeros(count)
        self._deviation = self._first_deviation = np.asarray(facts.deviation, np.float32)
        self._pending: dict[str, np.ndarray] = {name: np.empty(0, np.float32) for name in _PENDING}
        self._begin(everyone)

    @property
    def seen(self) -> np.ndarray:
        """(N, n) What is observed now."""
        return self._pending["seen"]

    def share(self, facts: PolicyFacts) -> None:
        """Let another policy of the same kind fly from now on."""
        self.batch.share({f"{POLICY}.{name}": array for name, array in parameters_of(facts, explore=True).items()})
        self._deviation = np.asarray(facts.deviation, np.float32)

    def fly(self, steps: int) -> tuple[Flown, list[Ended]]:
        """Some steps of all environments, and the episodes that have ended meanwhile."""
        n, m = (len(self._pending[name][0]) for name in ("seen", "taken"))
        seen, after, mean, taken = (np.empty((self._count, steps, size), np.float32) for size in (n, n, m, m))
        reward = np.empty((self._count, steps))
        terminated, truncated, counts, is_first = np.zeros((4, self._count, steps), bool)
        ended: list[Ended] = []
        for at in range(0, steps, _CHUNK):
            now = slice(at, min(at + _CHUNK, steps))
            told = self.batch.rollout({}, self.environment.period, steps=now.stop - at)
            if self.batch.failed.any():
                self._raise(int(np.argmax(self.batch.failed)))
            sample = told[f"{POLICY}.sample"]
            after[:, now] = flat(self.environment.observed, told).reshape(self._count, -1, n)
            for name, out, values in zip(
                _PENDING, (seen, mean, taken), (after[:, now], sample.mean, sample.taken), strict=True
            ):
                out[:, at], out[:, at + 1 : now.stop] = self._pending[name], values[:, :-1]
                self._pending[name] = values[:, -1].astype(np.float32)
            reward[:, now] = _field(told, self.environment.reward)
            is_first[:, at] = self._steps == 0
            self._end(now, told, reward, (terminated, truncated, counts), ended)
        flown = Flown(
            seen, after, mean, taken, self._deviation, self._first_deviation,
            reward, terminated, truncated, counts, is_first,
        )  # fmt: skip
        self._first_deviation = self._deviation
        return flown, ended

    # ---- keeping where they are ----------------------------------------------------------------------------------

    def state(self) -> dict[str, np.ndarray]:
        """All that it takes to go on from here to the same bits, with the same policy."""
        own: dict[str, np.ndarray] = {
            "episode": self._episode,
            "steps": self._steps,
            "score": self._score,
            "spread": self._first_deviation,
        }
        return own | self._pending | {"members": self.batch.snapshot_all()}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Stand where flights of the same kind stood."""
        self._episode[:] = state["episode"] - 1
        self._begin(np.ones(self._count, bool))  # with what varies in these episodes
        self.batch.restore_all(state["members"])
        self._steps[:], self._score[:] = state["steps"], state["score"]
        self._first_deviation = np.array(state["spread"])
        self._pending = {name: np.array(state[name]) for name in _PENDING}

    # ---- details -------------------------------------------------------------------------------------------------

    def _end(
        self, now: slice, told: dict[str, Any], reward: np.ndarray, marks: tuple[np.ndarray, ...], ended: list[Ended]
    ) -> None:
        """Find the episodes that end in a native call, and begin the next."""
        environment, (terminated, truncated, counts) = self.environment, marks
        number = self._steps[:, None] + 1 + np.arange(now.stop - now.start)
        over = np.zeros(number.shape, bool)
        if environment.terminated is not None:
            over = _field(told, environment.terminated).astype(bool)
        is_end = over | (number >= environment.steps)
        last = np.where(is_end.any(axis=1), is_end.argmax(axis=1), number.shape[1] - 1)
        counts[:, now] = own = np.arange(number.shape[1]) <= last[:, None]
        terminated[:, now], truncated[:, now] = over & own, is_end & ~over & own
        self._score += (reward[:, now] * own).sum(axis=1)
        self._steps += number.shape[1]
        done = np.flatnonzero(is_end.any(axis=1))
        if len(done):
            success = np.zeros(number.shape, bool)
            if environment.success is not None:
                success = _field(told, environment.success).astype(bool)
            rows = zip(self._score[done], success[done, last[done]], number[done, last[done]], strict=True)
            ended += [Ended(float(score), bool(well), int(steps)) for score, well, steps in rows]
            self._begin(np.asarray(is_end.any(axis=1)))

    def _begin(self, mask: np.ndarray) -> None:
        """The next episode of some environments."""
        self._episode[mask] += 1
        self.batch.take(self._starts.batch, self._starts.find(self._episode, mask), where=mask)
        self._steps[mask] = 0
        self._score[mask] = 0.0
        observed, sample = self.environment.observed, self.batch[f"{POLICY}.sample"]
        seen = flat(observed, {each.port: self.batch[each.port] for each in observed})
        for name, values in zip(_PENDING, (seen, sample.mean, sample.taken), strict=True):
            if self._pending[name].size == 0:
                self._pending[name] = np.empty(np.shape(values), np.float32)
            self._pending[name][mask] = values[mask]

    def _raise(self, member: int) -> None:
        error = self.batch.error(member)
        if error is not None:
            error.add_note(f"in environment {member}, seed {self._seeds[member]}, episode {self._episode[member]}")
            raise error


def _field(told: dict[str, Any], path: str) -> np.ndarray:
    port, _, name = path.rpartition(".")
    return np.asarray(getattr(told[port], name))
