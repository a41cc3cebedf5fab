"""What all trainings share: flights, normalisation, progress and complete checkpoints."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np

from cardan.errors import CardanError, SettingError, ShapeError, shown
from cardan.learning.environment import Environment
from cardan.learning.files import read_arrays, write_arrays
from cardan.learning.flights import Ended, Flights, Flown
from cardan.learning.normalisation import Normaliser
from cardan.learning.policy import PolicyFacts

CHECKPOINT = "cardan checkpoint 2"
_SEEN_EVERY = 8  # [steps] between looks at discounted returns, which change slowly


class CheckpointError(CardanError):
    """A file from which training cannot resume."""


@dataclass(frozen=True)
class Settings:
    """Settings of learning, whatever the algorithm.

    Attributes:
        environments: Number of environments that fly at once.
        steps: Steps that each flies before an update.
        updates: Number of updates.
        gamma: [-] Discount per step.
        rate: Learning rate of Adam at the beginning; it falls linearly to `last_rate` of it.
        last_rate: [-] Share of the rate left at the end.
        hidden: Sizes of the hidden layers.
        seed: All random numbers follow from it.
        threads: Threads that fly; by default one per core.
    """

    environments: int = 1024
    steps: int = 32
    updates: int = 600
    gamma: float = 0.99
    rate: float = 1e-3
    last_rate: float = 0.1
    hidden: tuple[int, ...] = (64, 64)
    seed: int = 0
    threads: int | None = None

    checkpoint_every: ClassVar[int] = 10  # updates, where `train` is not told

    def __post_init__(self) -> None:
        for name in ("environments", "steps", "updates"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise SettingError(f"{name} = {shown(value)}.\n  Use a whole number from 1 on.")
        for name in ("gamma", "last_rate"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise SettingError(f"{name} = {shown(getattr(self, name))}.\n  Use a number from 0 to 1.")
        if not self.rate > 0.0 or not np.isfinite(self.rate):
            raise SettingError(f"rate = {shown(self.rate)}.\n  Use a number above 0.")

    def begin(self, environment: Environment) -> "Training[Any]":
        """The training of a policy by these settings, before its first update."""
        raise NotImplementedError


S = TypeVar("S", bound=Settings)


class Progress(NamedTuple):
    """Where training is, after an update.

    Attributes:
        update: Its number, from 1.
        samples: So far.
        seconds: [s] Of wall time so far.
        rate: [1/s] Samples of this update.
        episodes: That have ended in it.
        mean_return: Of these.
        success: Share of these that ended well.
        length: [steps] Mean of these.
        losses: By name.
    """

    update: int
    samples: int
    seconds: float
    rate: float
    episodes: int
    mean_return: float
    success: float
    length: float
    losses: dict[str, float]


class Training(ABC, Generic[S]):
    """Training of a policy, which can be resumed.

    A learner has `state`, all arrays that it changes, and `restore`; an algorithm says what is learned from a flight.

    Args:
        environment: What is flown.
        settings: How it learns.
    """

    algorithm: ClassVar[str]
    settings_class: ClassVar[type[Settings]]

    def __init__(self, environment: Environment, settings: S) -> None:
        self.given, self.settings = environment, settings
        self.environment = environment = self._flown(environment)
        self.rng = np.random.default_rng(settings.seed)
        self.observed, self.acted = (
            sum(each.size for each in columns) for columns in (environment.observed, environment.acted)
        )
        self.normaliser = Normaliser(self.observed)
        self.returns = Normaliser(1)  # of discounted returns, which rewards are measured by
        self.learner: Any = self._new_learner()
        seed = 1 + 1_000_000 * settings.seed
        self.flights = Flights(environment, self.facts, settings.environments, seed=seed, threads=settings.threads)
        self.update, self._samples, self._seconds = 0, 0, 0.0
        self._discounted = np.zeros(settings.environments)

    def _flown(self, environment: Environment) -> Environment:
        """What is flown to learn from: the environment itself, or one that shows more."""
        return environment

    def deployed(self) -> PolicyFacts:
        """The policy to be flown after training."""
        return self.facts

    @abstractmethod
    def _new_learner(self) -> Any:
        """What learns, with weights that `self.rng` has drawn."""

    @abstractmethod
    def _learn(self, flown: Flown) -> dict[str, float]:
        """Learn from a flight; returns what there is to be told of it."""

    @property
    @abstractmethod
    def facts(self) -> PolicyFacts:
        """The policy as it is now; `save_policy` writes it to a file, `policy_task` makes it a task."""

    def train(self, updates: int | None = None, report: Callable[[Progress], Any] | None = None) -> list[Progress]:
        """Some more updates, by default all that are left."""
        found = []
        for _ in range(self.settings.updates - self.update if updates is None else updates):
            found.append(self._one())
            if report is not None and report(found[-1]) is False:
                break
        return found

    @property
    def rate(self) -> float:
        """The learning rate of the next update."""
        s = self.settings
        left = 1.0 - self.update / max(1, s.updates)
        return s.rate * (s.last_rate + (1.0 - s.last_rate) * max(0.0, left))

    # ---- keeping what was learned --------------------------------------------------------------------------------

    def save(self, path: str | Path) -> Path:
        """Write all that it takes to go on: weights, optimiser, normalisation, random state, environments, settings."""
        about = {
            "algorithm": self.algorithm,
            "environment": self.given.name,
            "columns": _columns(self.given),
            "settings": self._saved_settings(),
            "random": self.rng.bit_generator.state,
            "update": self.update,
            "samples": self._samples,
            "seconds": self._seconds,
        }
        return write_arrays(path, CHECKPOINT, about, self._arrays())

    @classmethod
    def load(cls, path: str | Path, environment: Environment) -> Self:
        """Training that goes on from a checkpoint to the same numbers.

        Args:
            path: What `save` has written.
            environment: What was flown.
        """
        about, arrays = read_checkpoint(path)
        if about["algorithm"] != cls.algorithm:
            raise CheckpointError(
                f"{path} is a checkpoint of {about['algorithm']}, expected {cls.algorithm}.\n"
                "  `learning.train(environment, folder=..., resume=True)` finds the algorithm itself."
            )
        if (about["environment"], about["columns"]) != (environment.name, _columns(environment)):
            raise CheckpointError(
                f"{path} is a checkpoint of `{about['environment']}`, which observes and does other things than "
                f"`{environment.name}`.\n  Give the environment that was trained in, with its options."
            )
        try:
            # JSON knows no tuples
            given: dict[str, Any] = {
                name: tuple(v) if isinstance(v, list) else v for name, v in about["settings"].items()
            }
            settings = cls.settings_class(**given)
        except TypeError as error:
            raise CheckpointError(f"{path} has settings of another version: {error}") from None
        training = cls(environment, settings)  # type: ignore[arg-type]
        try:
            training._restore(arrays)
        except ShapeError as error:
            raise CheckpointError(
                f"{path} was written in another version of `{environment.name}`:\n  {error}"
            ) from None
        training.rng.bit_generator.state = about["random"]
        training.update, training._samples, training._seconds = (about[k] for k in ("update", "samples", "seconds"))
        return training

    def _saved_settings(self) -> dict[str, Any]:
        return asdict(self.settings)

    def _arrays(self) -> dict[str, np.ndarray]:
        """All arrays that change; `_restore` takes them back."""
        arrays = {f"learner{i:03d}": array for i, array in enumerate(self.learner.state())}
        for name, normaliser in (("normaliser", self.normaliser), ("returns", self.returns)):
            arrays |= {f"{name}_{key}": value for key, value in normaliser.state().items()}
        arrays |= {f"flights_{key}": value for key, value in self.flights.state().items()}
        return arrays | {"discounted": self._discounted}

    def _restore(self, arrays: dict[str, np.ndarray]) -> None:
        self.learner.restore([arrays[name] for name in sorted(arrays) if name.startswith("learner")])
        for name, normaliser in (("normaliser", self.normaliser), ("returns", self.returns)):
            normaliser.restore({key: arrays[f"{name}_{key}"] for key in ("mean", "variance", "count")})
        start = "flights_"
        self.flights.restore({key.removeprefix(start): a for key, a in arrays.items() if key.startswith(start)})
        self._discounted = np.array(arrays["discounted"])

    # ---- details -------------------------------------------------------------------------------------------------

    def _one(self) -> Progress:
        """Fly, learn, tell."""
        began, s = perf_counter(), self.settings
        self.normaliser.see(self.flights.seen)
        self.flights.share(self.facts)
        flown, ended = self.flights.fly(s.steps)
        self._see_returns(flown)
        losses = self._learn(flown)
        if not all(np.isfinite(a).all() for a in self.learner.state()):
            raise SettingError(
                "Weights are not finite any more.\n  Go back to the last checkpoint with a smaller `rate`."
            )
        self.update += 1
        count = int(flown.counts.sum())
        took = perf_counter() - began
        self._samples += count
        self._seconds += took
        return Progress(self.update, self._samples, self._seconds, count / took, len(ended), *_means(ended), losses)

    def _see_returns(self, flown: Flown) -> None:
        """Let discounted returns be known, so that rewards can be measured by their deviation."""
        for k in range(flown.reward.shape[1]):
            self._discounted = self.settings.gamma * self._discounted + flown.reward[:, k] * flown.counts[:, k]
            if k % _SEEN_EVERY == 0:
                self.returns.see(self._discounted[:, None])
            self._discounted[flown.terminated[:, k] | flown.truncated[:, k]] = 0.0

    @property
    def reward_scale(self) -> float:
        """[-] What rewards are multiplied by, so that returns deviate by about 1."""
        return float(1.0 / np.sqrt(self.returns.variance[0] + 1e-8))


def read_checkpoint(path: str | Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What a checkpoint is about, and its arrays."""
    return read_arrays(path, CHECKPOINT, CheckpointError, "checkpoint")


def _means(ended: list[Ended]) -> tuple[float, float, float]:
    """Return, success and length."""
    mean = np.array(ended, float).mean(axis=0) if ended else np.full(3, np.nan)
    return float(mean[0]), float(mean[1]), float(mean[2])


def _columns(environment: Environment) -> list[list[str]]:
    """What an environment observes and does."""
    return [[f"{each.path} {each.shape}" for each in columns] for columns in (environment.observed, environment.acted)]
