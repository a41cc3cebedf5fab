"""Learning to fly: scenarios as environments, learners, and policies that are tasks.

Importing it lets Gymnasium know the ready environments, where Gymnasium is installed.
"""

import importlib.util
from typing import TYPE_CHECKING, Any

from cardan.learning.cloning import Cloned as Cloned
from cardan.learning.cloning import clone as clone
from cardan.learning.columns import Column as Column
from cardan.learning.environment import Environment as Environment
from cardan.learning.environments import ENVIRONMENTS as ENVIRONMENTS
from cardan.learning.environments import Hardship as Hardship
from cardan.learning.environments import environment as environment
from cardan.learning.flying import Evaluation as Evaluation
from cardan.learning.flying import evaluate as evaluate
from cardan.learning.flying import evaluate_flown as evaluate_flown
from cardan.learning.flying import flown_by as flown_by
from cardan.learning.policy import PolicyError as PolicyError
from cardan.learning.policy import PolicyFacts as PolicyFacts
from cardan.learning.policy import load_policy as load_policy
from cardan.learning.policy import policy_task as policy_task
from cardan.learning.policy import read_policy as read_policy
from cardan.learning.policy import save_policy as save_policy
from cardan.learning.ppo import Ppo as Ppo
from cardan.learning.ppo import PpoTraining as PpoTraining
from cardan.learning.signals import Outcome as Outcome
from cardan.learning.signals import Reward as Reward
from cardan.learning.train import needs_jax as _needs_jax
from cardan.learning.train import train as train
from cardan.learning.training import CheckpointError as CheckpointError
from cardan.learning.training import Progress as Progress
from cardan.learning.training import Settings as Settings
from cardan.learning.training import Training as Training

if importlib.util.find_spec("gymnasium") is not None:
    from cardan.learning.registration import register
    from cardan.learning.wrappers import NormaliseObservations as NormaliseObservations
    from cardan.learning.wrappers import StatisticsError as StatisticsError

    register()

if TYPE_CHECKING:
    from cardan.learning.sac import Sac as Sac
    from cardan.learning.sac import SacTraining as SacTraining
    from cardan.learning.vpg import Vpg as Vpg
    from cardan.learning.vpg import VpgTraining as VpgTraining

_IN_JAX = {"Sac": "sac", "SacTraining": "sac", "Vpg": "vpg", "VpgTraining": "vpg"}


def __getattr__(name: str) -> Any:
    """What needs JAX is loaded when it is asked for."""
    if name not in _IN_JAX:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(f"{__name__}.{_IN_JAX[name]}"), name)
    except ImportError as error:
        raise _needs_jax(_IN_JAX[name].upper()) from error
