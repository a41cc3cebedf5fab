"""Ready environments by Gymnasium's names: `gymnasium.make("cardan/FreeFlyerSetpoint-v0")`."""

from typing import Any

import gymnasium

from cardan.learning.environments import ENVIRONMENTS, environment


def register() -> None:
    """Let Gymnasium know the ready environments; importing `cardan.learning` does."""
    for name in ENVIRONMENTS:
        if f"cardan/{name}-v0" not in gymnasium.registry:
            gymnasium.register(
                f"cardan/{name}-v0",
                entry_point="cardan.learning.registration:make_single",
                vector_entry_point="cardan.learning.registration:make_vector",
                kwargs={"name": name},
            )


def make_single(name: str, render_mode: str | None = None, backend: str = "native", **options: Any) -> Any:
    """One ready environment."""
    return environment(name, **options).single(render_mode=render_mode, backend=backend)


def make_vector(
    name: str,
    num_envs: int = 1,
    render_mode: str | None = None,
    autoreset: str = "next-step",
    backend: str = "native",
    **options: Any,
) -> Any:
    """Many of a ready environment."""
    made = environment(name, **options)
    return made.vector(num_envs, render_mode=render_mode, autoreset=autoreset, backend=backend)
