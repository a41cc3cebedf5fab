"""Proximal policy optimisation (Schulman, Wolski, Dhariwal, Radford and Klimov, 2017), on native environments."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import CardanError, MissingExtra, SettingError, ShapeError, shown
from cardan.learning.environment import Environment
from cardan.learning.files import read_arrays, write_arrays
from cardan.learning.learner_numpy import Knobs, NumpyLearner, Samples, Weights, log_likelihood
from cardan.learning.networks import forward, new_layers, sigmoid
from cardan.learning.normalisation import Normaliser
from cardan.learning.policy import PolicyFacts, facts_of


@dataclass(frozen=True)
class Ppo:
    """How PPO learns.

    Attributes:
        environments: How many fly at once.
        steps: That each flies before an update.
        updates: How many there are.
        gamma: [-] What a reward is worth a step later.
        lam: [-] Lambda of generalised advantage estimation (Schulman et al., 2016).
        rate: Learning rate of Adam at the beginning; it falls linearly to `last_rate` of it.
        last_rate: [-] Share of the rate that is left at the end.
        epochs: Passes over the samples of an update, at the most.
        minibatches: Of a pass.
        clip: [-] How far the ratio of likelihoods goes from 1.
        target_kl: [-] No more passes once the policy has moved by 1.5 times this.
        entropy: Weight of the entropy.
        value: Weight of the value's loss.
        norm: Largest length of a gradient.
        hidden: Sizes of the hidden layers.
        log_std: Of the actions at the beginning, before they are squashed.
        seed: All random numbers follow from it.
        learner: "jax", "numpy", or "auto" for JAX where it is installed.
        threads: That fly; by default one for each core.
    """

    environments: int = 1024
    steps: int = 32
    updates: int = 600
    gamma: float = 0.99
    lam: float = 0.95
    rate: float = 1e-3
    last_rate: float = 0.1
    epochs: int = 5
    minibatches: int = 8
    clip: float = 0.2
    target_kl: float = 0.02
    entropy: float = 0.0
    value: float = 0.5
    norm: float = 1.0
    hidden: tuple[int, ...] = (64, 64)
    log_std: float = -1.0
    seed: int = 0
    learner: str = "auto"
    threads: int | None = None


CHECKPOINT = "cardan PPO checkpoint 1"
_RUNNING = ("seen", "score", "length", "discounted")  # what goes on from one update to the next


class CheckpointError(CardanError):
    """A file from which no training can go on."""


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


class Flown(NamedTuple):
    """What was flown between two updates; the first axis are steps, the second environments."""

    seen: np.ndarray
    taken: np.ndarray
    log_p: np.ndarray
    reward: np.ndarray
    is_over: np.ndarray
    last: np.ndarray


class PpoTraining:
    """Training of a policy, which goes on from where it stands.

    Args:
        environment: What is flown.
        settings: How it learns.
    """

    def __init__(self, environment: Environment, settings: Ppo | None = None) -> None:
        self.environment = environment
        self.settings = settings = settings or Ppo()
        if settings.environments * settings.steps % settings.minibatches:
            raise SettingError(
                f"{settings.environments} environments x {settings.steps} steps do not divide into "
                f"{settings.minibatches} minibatches."
            )
        self.rng = np.random.default_rng(settings.seed)
        observed, acted = (sum(each.size for each in columns) for columns in (environment.observed, environment.acted))
        actor = new_layers(self.rng, (observed, *settings.hidden, acted), 0.01)
        critic = new_layers(self.rng, (observed, *settings.hidden, 1), 1.0)
        weights = Weights(actor, critic, np.full(acted, settings.log_std, np.float32))
        self.learner = new_learner(settings.learner, weights, self._knobs)
        self.normaliser = Normaliser(observed)
        self.returns = Normaliser(1)  # of discounted returns, which rewards are measured by
        self.env = environment.vector(settings.environments, autoreset="same-step", threads=settings.threads)
        self._low, self._high = (
            np.concatenate([getattr(each, bound) for each in environment.acted]) for bound in ("low", "high")
        )
        self._seen, _ = self.env.reset(seed=1 + 1_000_000 * settings.seed)
        self.update = 0
        self._seconds = 0.0
        self._score, self._length = np.zeros(settings.environments), np.zeros(settings.environments)
        self._discounted = np.zeros(settings.environments)

    @property
    def _knobs(self) -> Knobs:
        s = self.settings
        return Knobs(s.clip, s.value, s.entropy, s.norm)

    def train(self, updates: int | None = None, report: Callable[[Progress], Any] | None = None) -> list[Progress]:
        """Some more updates, by default all that are left."""
        found = []
        for _ in range(self.settings.updates - self.update if updates is None else updates):
            found.append(self._one())
            if report is not None and report(found[-1]) is False:
                break
        return found

    # ---- keeping what was learned --------------------------------------------------------------------------------

    @property
    def facts(self) -> PolicyFacts:
        """The policy as it is now; `save_policy` writes it to a file, `policy_task` makes it a task."""
        weights = self.learner.weights
        return facts_of(self.environment, weights.actor, self.normaliser, weights.log_std)

    def save(self, path: str | Path) -> Path:
        """Write all that it takes to go on: weights, optimiser, normalisation, random state, environments, settings."""
        arrays = {f"learner{i:03d}": array for i, array in enumerate(self.learner.state())}
        for name, normaliser in (("normaliser", self.normaliser), ("returns", self.returns)):
            arrays |= {f"{name}_{key}": value for key, value in normaliser.state().items()}
        arrays |= {f"env_{key}": value for key, value in self.env.state().items()}
        arrays |= {name: getattr(self, f"_{name}") for name in _RUNNING}
        about = {
            "environment": self.environment.name,
            "columns": _columns(self.environment),
            "settings": asdict(self.settings) | {"hidden": list(self.settings.hidden)},
            "learner": self.learner.name,
            "random": self.rng.bit_generator.state,
            "update": self.update,
            "seconds": self._seconds,
        }
        return write_arrays(path, CHECKPOINT, about, arrays)

    @staticmethod
    def load(path: str | Path, environment: Environment) -> "PpoTraining":
        """Training that goes on from a checkpoint to the same numbers.

        Args:
            path: What `save` has written.
            environment: What was flown.
        """
        about, arrays = read_arrays(path, CHECKPOINT, CheckpointError, "checkpoint")
        if (about["environment"], about["columns"]) != (environment.name, _columns(environment)):
            raise CheckpointError(
                f"{path} is a checkpoint of `{about['environment']}`, which observes and does other things than "
                f"`{environment.name}`.\n  Give the environment that was trained in, with its options."
            )
        settings = about["settings"] | {"hidden": tuple(about["settings"]["hidden"]), "learner": about["learner"]}
        try:
            training = PpoTraining(environment, Ppo(**settings))
        except TypeError as error:
            raise CheckpointError(f"{path} has settings of another version: {error}") from None
        training.learner.restore([arrays[name] for name in sorted(arrays) if name.startswith("learner")])
        for name, normaliser in (("normaliser", training.normaliser), ("returns", training.returns)):
            normaliser.restore({key: arrays[f"{name}_{key}"] for key in ("mean", "variance", "count")})
        env = {name.removeprefix("env_"): array for name, array in arrays.items() if name.startswith("env_")}
        try:
            training.env.restore(env)
        except ShapeError as error:
            raise CheckpointError(
                f"{path} was written in another version of `{environment.name}`:\n  {error}"
            ) from None
        for name in _RUNNING:
            setattr(training, f"_{name}", np.array(arrays[name]))
        training.rng.bit_generator.state = about["random"]
        training.update, training._seconds = about["update"], about["seconds"]
        return training

    # ---- details -------------------------------------------------------------------------------------------------

    def _one(self) -> Progress:
        began, s = perf_counter(), self.settings
        ended: list[tuple[float, float, float]] = []
        flown = self._fly(ended)
        samples = self._samples(flown)
        left = 1.0 - self.update / max(1, s.updates)
        rate = s.rate * (s.last_rate + (1.0 - s.last_rate) * max(0.0, left))
        losses: dict[str, float] = {}
        for _ in range(s.epochs):
            order = self.rng.permutation(len(samples.seen)).astype(np.int32).reshape(s.minibatches, -1)
            losses = self.learner.epoch(samples, order, rate)
            if losses["KL"] > 1.5 * s.target_kl:
                break
        if not all(np.isfinite(a).all() for a in self.learner.weights.arrays()):
            raise SettingError(
                "Weights are not finite any more.\n  Go back to the last checkpoint with a smaller `rate`."
            )
        self.update += 1
        took = perf_counter() - began
        self._seconds += took
        count = s.environments * s.steps
        mean = np.array(ended).mean(axis=0) if ended else np.full(3, np.nan)
        return Progress(
            self.update,
            self.update * count,
            self._seconds,
            count / took,
            len(ended),
            float(mean[0]),
            float(mean[1]),
            float(mean[2]),
            losses,
        )

    def _fly(self, ended: list[tuple[float, float, float]]) -> Flown:
        """Some steps of all environments, by the present policy."""
        s, weights = self.settings, self.learner.weights
        n, deviation = s.environments, np.exp(weights.log_std)
        m = len(deviation)
        seen = np.empty((s.steps, n, self._seen.shape[1]), np.float32)
        taken, log_p = np.empty((s.steps, n, m), np.float32), np.empty((s.steps, n), np.float32)
        reward, is_over = np.empty((s.steps, n)), np.empty((s.steps, n), bool)
        self.normaliser.see(self._seen)
        for k in range(s.steps):
            seen[k] = self.normaliser(self._seen)
            mean = forward(weights.actor, seen[k])
            taken[k] = mean + deviation * self.rng.standard_normal((n, m), np.float32)
            log_p[k] = log_likelihood(mean, weights.log_std, taken[k])
            action = self._low + (self._high - self._low) * sigmoid(taken[k])
            self._seen, gained, terminated, truncated, info = self.env.step(action)
            self._score += gained
            self._length += 1
            self._discounted = s.gamma * self._discounted + gained
            if k % 8 == 0:
                self.returns.see(self._discounted[:, None])
            reward[k] = gained / np.sqrt(self.returns.variance[0] + 1e-8)
            is_over[k] = over = terminated | truncated
            if over.any():
                if truncated.any():  # nothing was lost: what would have come is what the last state is worth
                    final = self.normaliser(info["final_obs"][truncated])
                    reward[k, truncated] += s.gamma * self.learner.values(final)
                success = info.get("is_success", np.zeros(n, bool))
                ended += zip(
                    self._score[over].tolist(), success[over].tolist(), self._length[over].tolist(), strict=True
                )
                self._score[over] = self._length[over] = self._discounted[over] = 0.0
        return Flown(seen, taken, log_p, reward, is_over, self.normaliser(self._seen))

    def _samples(self, flown: Flown) -> Samples:
        """Advantages and targets by generalised advantage estimation."""
        s = self.settings
        count = s.steps * s.environments
        value = self.learner.values(np.concatenate([flown.seen.reshape(count, -1), flown.last]))
        value = value.reshape(s.steps + 1, s.environments)
        advantage = advantages(flown.reward, value, flown.is_over, s.gamma, s.lam)
        target = (advantage + value[:-1]).reshape(count)
        flat = advantage.reshape(count)
        flat = (flat - flat.mean()) / (flat.std() + 1e-8)
        return Samples(
            flown.seen.reshape(count, -1),
            flown.taken.reshape(count, -1),
            flown.log_p.reshape(count),
            flat.astype(np.float32),
            target.astype(np.float32),
        )


def _columns(environment: Environment) -> list[list[str]]:
    """What an environment observes and does."""
    return [[f"{each.path} {each.shape}" for each in columns] for columns in (environment.observed, environment.acted)]


def advantages(reward: np.ndarray, value: np.ndarray, is_over: np.ndarray, gamma: float, lam: float) -> np.ndarray:
    """(K, N) Generalised advantages.

    Args:
        reward: (K, N) Of each step; that of a truncated one has what its last state is worth in it.
        value: (K + 1, N) Before each step, and after the last one.
        is_over: (K, N) Whether the episode ends with the step.
        gamma: [-]
        lam: [-]
    """
    found = np.empty_like(reward)
    ahead = np.zeros(reward.shape[1])
    for k in reversed(range(len(reward))):
        goes_on = ~is_over[k]
        delta = reward[k] + gamma * goes_on * value[k + 1] - value[k]
        ahead = delta + gamma * lam * goes_on * ahead
        found[k] = ahead
    return found


def new_learner(name: str, weights: Weights, knobs: Knobs) -> Any:
    """A learner by its name."""
    if name not in ("auto", "jax", "numpy"):
        raise SettingError(f'learner = {shown(name)}.\n  Use "auto", "jax" or "numpy".')
    if name == "numpy":
        return NumpyLearner(weights, knobs)
    try:
        from cardan.learning.learner_jax import JaxLearner
    except ImportError as error:
        if name == "auto":
            return NumpyLearner(weights, knobs)
        raise MissingExtra(
            "The learner of JAX needs jax and optax.\n  Install them with `pip install cardan[learn]`."
        ) from error
    return JaxLearner(weights, knobs)
