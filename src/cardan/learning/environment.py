"""`Environment`: a scenario as a learning problem, with named observations, actions and rewards."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.contracts import Dynamics
from cardan.errors import MissingExtra, SettingError, ShapeError, UnknownName, shown
from cardan.learning.columns import Column, Limits, columns_of
from cardan.learning.episodes import EpisodeDesign, NativeEpisodes, check_episodes
from cardan.scenario import Scenario
from cardan.simulation import Batch, Integrator
from cardan.studies import Inputs, Subject

if TYPE_CHECKING:
    from cardan.learning.functional import FunctionalEnvironment
    from cardan.learning.single import SingleEnv
    from cardan.learning.vector import VectorEnv

_AHEAD = 4  # episodes of each environment that are prepared at once
_LEAST = 16  # and of all of them together


def episodes_ahead(environments: int) -> int:
    """How many episodes of each environment are prepared at once."""
    return max(_AHEAD, -(-_LEAST // environments))


@dataclass(frozen=True)
class Environment:
    """A scenario as a learning problem: observations, actions and rewards.

    The physics is the scenario's own. Rewards, and whether an episode is over, come from a task in it, which runs at
    every `period` and does not read the action itself: what thrusters have done is in `ThrusterWrench.impulses`.

    Attributes:
        build: A function that builds the scenario, with the action as an input from outside; or a mission's name.
        observe: Observations: ports, `obs.error`, or fields, `obs.error.r_BR_B`.
        act: Actions: inputs from outside, or fields of them.
        reward: The field with the reward of a step, one number.
        terminated: The field that says whether an episode is over; without one, time alone ends it.
        success: The field that says whether it ended well.
        period: [s] How long an action is held.
        limit: [s] Time after which an episode is truncated, without reward or penalty.
        disperse: How episodes begin: distributions by path, as in a study.
        limits: Least and largest values by field path, if a message declares none. Actions need limits.
        settings: Values that differ from the scenario's in all episodes, by path.
        integrator: What it runs with.
        dynamics: The dynamics service, if there is a mechanism.
        name: What it is called; files of policies and checkpoints say it.
        context: Ports and fields that training alone knows, such as what a broken thruster lacks; an adaptive policy
            guesses them from what it has seen and done.
    """

    build: str | Callable[..., Scenario]
    observe: Sequence[str]
    act: Sequence[str]
    reward: str
    period: float
    limit: float
    terminated: str | None = None
    success: str | None = None
    disperse: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, Limits] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    integrator: Integrator | None = None
    dynamics: Dynamics | None = None
    name: str = "environment"
    context: Sequence[str] = ()

    def __post_init__(self) -> None:
        for what in ("observe", "act"):
            if isinstance(getattr(self, what), str):
                raise SettingError(
                    f"{what}={getattr(self, what)!r}.\n  Use a list: `{what}=[{getattr(self, what)!r}]`."
                )
        if not self.period > 0.0 or not np.isfinite(self.period):
            raise SettingError(f"period = {shown(self.period)} s.\n  Hold an action for longer than nothing.")
        if not self.limit >= self.period or not np.isfinite(self.limit):
            raise SettingError(
                f"limit = {shown(self.limit)} s.\n  Let an episode last a period at least, {self.period:g} s."
            )

    # ---- what it is made of --------------------------------------------------------------------------------------

    @property
    def steps(self) -> int:
        """How many steps an episode has at the most."""
        return int(np.ceil(self.limit / self.period - 1e-9))

    @cached_property
    def inputs(self) -> Inputs:
        """What varies from one episode to the next."""
        subject = Subject(self._opened, self.settings, self.limit, self.integrator, self.dynamics)
        inputs = Inputs(subject, dict(self.disperse), EpisodeDesign(), 1)
        check_episodes(inputs)
        return inputs

    @property
    def _opened(self) -> Any:
        """What builds the scenario, with what is read from outside left open."""
        build, paths = self.build, [*self.observe, *self.context, self.reward, self.terminated, self.success]
        if isinstance(build, str):
            return build

        @wraps(build)
        def opened(*args: Any, **options: Any) -> Scenario:
            scenario = build(*args, **options)
            for path in paths if isinstance(scenario, Scenario) else ():
                part, port = (*str(path).split("."), "")[:2]
                if part in scenario.parts and port in scenario.parts[part].contract.outputs:
                    scenario.leave_open(getattr(scenario[part], port))
            return scenario

        return opened

    def batch(self, members: int, threads: int | None = None) -> Batch:
        """Members that can fly episodes."""
        inputs = self.inputs
        return Batch(
            inputs.nominal.scenario,
            members,
            dynamics=inputs.subject.service,
            integrator=inputs.nominal.integrator,
            outputs=self.ports,
            varies=inputs.native_numbers,
            threads=threads,
        )

    def episodes(self, environments: int) -> NativeEpisodes:
        """Beginnings of episodes, some ahead for each environment."""
        batch = self.batch(environments * episodes_ahead(environments), threads=1)
        return NativeEpisodes(self.inputs, batch, environments)

    @cached_property
    def ports(self) -> list[str]:
        """The ports that are read after each step."""
        paths = [self.reward, self.terminated, self.success]
        named = [*self.observe, *(path for path in paths if path is not None)]
        return list(dict.fromkeys(map(self._port, named)))

    def _port(self, name: str) -> str:
        """The port that a path names, or the port of the field that it names."""
        sim = self.inputs.nominal
        try:
            _ = sim[name]
        except UnknownName as error:
            port = str(name).rpartition(".")[0]
            try:
                _ = sim[port]
            except UnknownName:
                raise error from None
            return port
        return str(name)

    # ---- columns -------------------------------------------------------------------------------------------------

    @cached_property
    def _columns(self) -> tuple[list[Column], list[Column]]:
        batch = self.batch(1)
        outputs = {port: batch[port] for port in self.ports}
        inputs = {name: batch[name] for name, placed in batch.scenario.parts.items() if placed.is_outside}
        chosen = {path: bounds for path, bounds in self.limits.items() if path.rpartition(".")[0] in inputs}
        rest = {path: bounds for path, bounds in self.limits.items() if path not in chosen}
        observed = columns_of(self.observe, outputs, rest, "observed")
        acted = columns_of(self.act, inputs, chosen, "acted on")
        for column in acted:
            if not (np.isfinite(column.low).all() and np.isfinite(column.high).all()):
                raise SettingError(
                    f"The action `{column.path}` has no limits.\n"
                    f"  Give the least and the largest [{column.unit}]: `limits={{{column.path!r}: (low, high)}}`."
                )
        for what, path in (("reward", self.reward), ("terminated", self.terminated), ("success", self.success)):
            if path is not None:
                self._check_scalar(what, path, outputs)
        return observed, acted

    def _check_scalar(self, what: str, path: str, outputs: Mapping[str, Any]) -> None:
        (column,) = columns_of([path], outputs, {}, f"the {what}") if path not in outputs else (None,)
        if column is None or column.shape != ():
            shape = "a port" if column is None else f"of shape {column.shape}"
            raise ShapeError(f"{what} = `{path}` is {shape}.\n  Name a field that holds one number.")

    @property
    def observed(self) -> list[Column]:
        """What is seen, field by field."""
        return self._columns[0]

    @property
    def acted(self) -> list[Column]:
        """What is done, field by field."""
        return self._columns[1]

    @property
    def action_limits(self) -> tuple[np.ndarray, np.ndarray]:
        """(m,) Least and largest actions."""
        low, high = (np.concatenate([getattr(each, bound) for each in self.acted]) for bound in ("low", "high"))
        return low, high

    # ---- forms ---------------------------------------------------------------------------------------------------

    def single(self, **options: Any) -> "SingleEnv":
        """One environment, a `gymnasium.Env`."""
        try:
            from cardan.learning.single import SingleEnv
        except ImportError as error:
            raise _missing() from error
        return SingleEnv(self, **options)

    def vector(self, count: int, **options: Any) -> "VectorEnv":
        """Many, a `gymnasium.vector.VectorEnv`."""
        try:
            from cardan.learning.vector import VectorEnv
        except ImportError as error:
            raise _missing() from error
        return VectorEnv(self, count, **options)

    @property
    def privileged(self) -> "Environment":
        """The same with the training-only context appended to the observations."""
        if not self.context:
            raise SettingError(
                f"`{self.name}` has nothing that training alone knows, so an adaptive policy has nothing to guess.\n"
                "  Name ports or fields: `context=[...]`; `FreeFlyerSetpoint` has some with `has_context=True`."
            )
        return self.with_changes(observe=[*self.observe, *self.context], context=())

    def functional(self) -> "FunctionalEnvironment":
        """Pure functions of pytrees, for loops that JAX compiles as a whole."""
        from cardan.learning.functional import FunctionalEnvironment

        return FunctionalEnvironment(self)

    def with_changes(self, **changes: Any) -> "Environment":
        """The same with other attributes."""
        return replace(self, **changes)


def _missing() -> MissingExtra:
    return MissingExtra("Environments need Gymnasium.\n  Install it with `pip install cardan[learn]`.")
