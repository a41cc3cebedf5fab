"""Learning to fly: scenarios as environments, learners, and policies that are tasks.

Importing it lets Gymnasium know the ready environments, where Gymnasium is installed.
"""

import importlib.util

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
from cardan.learning.ppo import CheckpointError as CheckpointError
from cardan.learning.ppo import Ppo as Ppo
from cardan.learning.ppo import PpoTraining as PpoTraining
from cardan.learning.signals import Outcome as Outcome
from cardan.learning.signals import Reward as Reward
from cardan.learning.train import train as train

if importlib.util.find_spec("gymnasium") is not None:
    from cardan.learning.registration import register
    from cardan.learning.wrappers import NormaliseObservations as NormaliseObservations
    from cardan.learning.wrappers import StatisticsError as StatisticsError

    register()
