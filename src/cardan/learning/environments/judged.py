"""What all ready environments have in common: a task named `judge` says what a step was worth."""

from collections.abc import Callable
from typing import Any

from cardan import RecursiveTree
from cardan.learning.environment import Environment
from cardan.learning.environments.hardship import Exposure, Hardship
from cardan.scenario import Scenario

JUDGE = "judge"


def judged(
    name: str,
    build: Callable[[], Scenario],
    *,
    hardship: Hardship,
    exposure: Exposure,
    disperse: dict[str, Any],
    limit: float,
    **others: Any,
) -> Environment:
    """An environment whose reward and end come from its judge, with what a hardship disperses.

    Args:
        name: Of the environment.
        build: The scenario.
        hardship: How hard episodes are.
        exposure: Where that strikes.
        disperse: How episodes begin.
        limit: [s] Length of an episode.
        others: Attributes of `Environment`.
    """
    return Environment(
        build,
        name=name,
        reward=f"{JUDGE}.reward.value",
        terminated=f"{JUDGE}.outcome.is_over",
        success=f"{JUDGE}.outcome.is_success",
        limit=limit,
        disperse=disperse | hardship.disperse(exposure, limit),
        dynamics=RecursiveTree(),
        **others,
    )
