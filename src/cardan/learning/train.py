"""Training with progress, logs and checkpoints to resume from."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cardan.errors import MissingExtra, SettingError
from cardan.learning.environment import Environment
from cardan.learning.policy import save_policy
from cardan.learning.ppo import Ppo, PpoTraining
from cardan.learning.training import CheckpointError, Settings, Training, read_checkpoint
from cardan.learning.training import Progress as Told

CHECKPOINT, POLICY, TABLE = "checkpoint.npz", "policy.npz", "progress.csv"
_COLUMNS = ("update", "samples", "seconds", "rate", "episodes", "mean_return", "success", "length")


def train(
    environment: Environment,
    settings: Settings | None = None,
    *,
    folder: str | Path | None = None,
    resume: bool = False,
    checkpoint_every: int | None = None,
    tensorboard: bool = False,
    progress: bool = True,
    stop: Callable[[Told], bool] | None = None,
) -> Training[Any]:
    """Train a policy with the algorithm whose settings are given: `Ppo`, `Vpg` or `Sac`.

    The folder has `progress.csv` with a line for each update, `policy.npz` for `load_policy`, and `checkpoint.npz`,
    from which `resume=True` goes on to the same numbers. Ctrl-C loses no more than what came after the last checkpoint.

    Args:
        environment: What is flown.
        settings: How it learns, by default those of `Ppo`; those of the checkpoint if it resumes.
        folder: Where all this is written; nothing is without one.
        resume: Whether to go on from the folder's checkpoint.
        checkpoint_every: Updates between checkpoints; by default 10, and 50 with SAC, whose replay buffer is large.
        tensorboard: Whether to write for TensorBoard too (needs `tensorboardX`).
        progress: Whether to show a bar.
        stop: Called after each update; training ends when it returns True.
    """
    place = None if folder is None else Path(folder)
    if resume:
        if place is None:
            raise SettingError("resume=True needs the folder of what was trained.\n  Add `folder=...`.")
        training = _class_of(place / CHECKPOINT).load(place / CHECKPOINT, environment)
    else:
        if place is not None and (place / CHECKPOINT).exists():
            raise SettingError(f"{place} has a checkpoint already.\n  Go on with `resume=True`, or use another folder.")
        training = (settings or Ppo()).begin(environment)
    writer = _summary_writer(place) if tensorboard else None
    often = training.settings.checkpoint_every if checkpoint_every is None else checkpoint_every
    with Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), disable=not progress
    ) as bar:
        shown = bar.add_task(environment.name, total=training.settings.updates, completed=training.update)

        def report(told: Told) -> bool:
            words = f"return {told.mean_return:.1f}, success {100 * told.success:.0f} %, {told.rate:.3g} steps/s"
            bar.update(shown, completed=told.update, description=f"{environment.name}: {words}")
            _write_line(place, told)
            for name, value in _numbers(told).items() if writer is not None else ():
                writer.add_scalar(name, value, told.samples)  # type: ignore[union-attr]
            is_last = told.update == training.settings.updates or (stop is not None and stop(told))
            if place is not None and (is_last or told.update % often == 0):
                training.save(place / CHECKPOINT)
                if (
                    is_last or training.environment is training.given
                ):  # an adaptive policy cannot fly before it is whole
                    save_policy(place / POLICY, training.deployed())
            return not is_last

        training.train(report=report)
    if writer is not None:
        writer.close()
    return training


def _class_of(path: Path) -> type[Training[Any]]:
    """The training that a checkpoint belongs to."""
    name = read_checkpoint(path)[0]["algorithm"]
    if name == PpoTraining.algorithm:
        return PpoTraining
    try:
        from cardan.learning.sac import SacTraining
        from cardan.learning.vpg import VpgTraining
    except ImportError as error:
        raise needs_jax(name) from error
    for found in (VpgTraining, SacTraining):
        if name == found.algorithm:
            return found
    raise CheckpointError(f"{path} is a checkpoint of {name}, which this version does not know.")


def needs_jax(name: str) -> MissingExtra:
    """The error of an algorithm that only JAX can learn with."""
    return MissingExtra(
        f"{name} needs jax and optax.\n  Install them with `pip install cardan[learn]`, or train with PPO."
    )


def _numbers(told: Told) -> dict[str, Any]:
    return {name: getattr(told, name) for name in _COLUMNS} | told.losses


def _write_line(folder: Path | None, told: Told) -> None:
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    numbers, path = _numbers(told), folder / TABLE
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file)
        if is_new:
            writer.writerow(numbers)
        writer.writerow([f"{value:.10g}" for value in numbers.values()])


def _summary_writer(folder: Path | None) -> Any:
    if folder is None:
        raise SettingError("tensorboard=True needs a folder.\n  Add `folder=...`.")
    try:
        from tensorboardX import SummaryWriter
    except ImportError as error:
        raise MissingExtra("TensorBoard needs tensorboardX.\n  pip install tensorboardX") from error
    return SummaryWriter(str(folder))
