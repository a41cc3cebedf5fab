"""Proximal policy optimisation (Schulman, Wolski, Dhariwal, Radford and Klimov, 2017), on native environments."""

from dataclasses import dataclass
from typing import Any

from cardan.errors import MissingExtra, SettingError, shown
from cardan.learning.environment import Environment
from cardan.learning.flights import Flown
from cardan.learning.learner_numpy import Knobs, NumpyLearner, Weights
from cardan.learning.on_policy import OnPolicySettings, OnPolicyTraining
from cardan.learning.policy import PolicyFacts


@dataclass(frozen=True)
class Ppo(OnPolicySettings):
    """Settings of PPO, in addition to `OnPolicySettings` and `Settings`.

    Attributes:
        epochs: Most passes over the samples of an update.
        clip: [-] How far the likelihood ratio may go from 1.
        target_kl: [-] The policy stops updating once its KL divergence exceeds 1.5 times this.
        entropy: Weight of the entropy.
        learner: "jax", "numpy", or "auto" for JAX if it is installed.
        policy: "plain", or "adaptive" for one that first learns with what training alone knows, the environment's
            `context`, and then learns to guess it from the last ticks (Kumar, Fu, Pathak and Malik, 2021).
    """

    epochs: int = 5
    clip: float = 0.2
    target_kl: float = 0.02
    entropy: float = 0.0
    learner: str = "auto"
    policy: str = "plain"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.policy not in ("plain", "adaptive"):
            raise SettingError(f'policy = {shown(self.policy)}.\n  Use "plain" or "adaptive".')

    def begin(self, environment: Environment) -> "PpoTraining":
        return PpoTraining(environment, self)


class PpoTraining(OnPolicyTraining[Ppo]):
    """Training of a policy by PPO, which can be resumed.

    Args:
        environment: What is flown.
        settings: How it learns.
    """

    algorithm, settings_class = "PPO", Ppo

    def __init__(self, environment: Environment, settings: Ppo | None = None) -> None:
        super().__init__(environment, settings or Ppo())

    def _flown(self, environment: Environment) -> Environment:
        return environment.privileged if self.settings.policy == "adaptive" else environment

    def deployed(self) -> PolicyFacts:
        """The policy to be flown after training; an adaptive one learns to guess now, which takes some minutes."""
        if self.settings.policy == "plain":
            return self.facts
        try:
            from cardan.learning.adaptation import adapt
        except ImportError as error:
            raise MissingExtra(
                "An adaptive policy needs jax and optax.\n  Install them with `pip install cardan[learn]`."
            ) from error
        return adapt(self.given, self.facts, seed=self.settings.seed).facts

    def _new_learner(self) -> Any:
        s = self.settings
        return new_learner(s.learner, self._new_weights(), Knobs(s.clip, s.entropy, s.norm, 1.5 * s.target_kl))

    def _learn(self, flown: Flown) -> dict[str, float]:
        samples, chosen = self._samples_of(flown)
        orders = self._orders(chosen, self.settings.epochs)
        losses: dict[str, float] = self.learner.learn(samples, orders, self.rate)
        return losses

    def _saved_settings(self) -> dict[str, Any]:
        return super()._saved_settings() | {"learner": self.learner.name}


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
