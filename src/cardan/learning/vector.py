"""`VectorEnv`: many environments at once, on a batch."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from cardan.errors import NotFinite, SettingError, ShapeError, shown
from cardan.learning.environment import Environment
from cardan.learning.episodes import LARGEST_SEED
from cardan.learning.members import NativeMembers
from cardan.learning.spaces import box

BACKENDS = ("native", "jax")


class VectorEnv(gymnasium.vector.VectorEnv):  # type: ignore[misc]
    """Environments of one kind, advanced together on all cores.

    Environment i with seed s flies the episodes of a single environment with seed s + i: natively to the bit, in JAX to
    rounding.

    Args:
        environment: What they are.
        count: How many.
        autoreset: When the next episode begins: "next-step" (at the next `step`, whose action does not count, as
            Gymnasium does by default), "same-step" (at once; the last observation is `info["final_obs"]`), or
            "disabled" (by `reset(options={"reset_mask": mask})`).
        backend: "native", a batch on all cores; or "jax", on whatever device JAX has.
        threads: How many share the work natively; by default one for each core.
        dtype: Of observations and actions.
        render_mode: "rgb_array" to see the first environment; natively alone.
    """

    def __init__(
        self,
        environment: Environment,
        count: int,
        *,
        autoreset: str | AutoresetMode = "next-step",
        backend: str = "native",
        threads: int | None = None,
        dtype: Any = np.float32,
        render_mode: str | None = None,
    ) -> None:
        self.environment = environment
        self._mode = _autoreset_mode(autoreset)
        self.metadata = {"autoreset_mode": self._mode, "render_modes": ["rgb_array"], "render_fps": _fps(environment)}
        self.render_mode = _render_mode(render_mode, backend)
        self._members: Any = _members(environment, count, backend, threads)
        self.num_envs = count
        self.single_observation_space = box(environment.observed, dtype)
        self.single_action_space = box(environment.acted, dtype)
        self.observation_space = batch_space(self.single_observation_space, count)
        self.action_space = batch_space(self.single_action_space, count)
        self._dtype = np.dtype(dtype)
        self._seeds = np.zeros(count, np.int64)
        self._episode = np.full(count, -1, np.int64)
        self._steps = np.zeros(count, np.int64)
        self._is_over = np.ones(count, bool)
        self._low, self._high = environment.action_limits
        self._renderer: Any = None
        self._is_seeded = False

    @property
    def batch(self) -> Any:
        """The batch that flies natively."""
        return self._members.batch

    # ---- episodes ------------------------------------------------------------------------------------------------

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin new episodes, in all environments or in some.

        Args:
            seed: Of the first environment, and those after it for the others; or one for each, None to keep its own.
            options: {"reset_mask": (N,) which environments begin anew}; all by default.
        """
        mask = self._mask((options or {}).get("reset_mask"))
        self._seed(seed, mask)
        self._begin(mask)
        return self._observe(), {}

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Hold actions for a period; what comes out of it.

        Actions beyond their limits count as at the limit. One that is not finite is refused, and nothing moves.
        """
        if (self._episode < 0).any():
            raise SettingError("Nothing has begun yet.\n  Call `reset` before the first `step`.")
        over = self._is_over.copy()
        if over.any() and self._mode is AutoresetMode.DISABLED:
            raise SettingError(
                f"The episode of environment {int(np.argmax(over))} is over.\n"
                '  Begin another: `reset(options={"reset_mask": mask})`.'
            )
        failed = self._members.advance(self._taken(actions, ~over)) & ~over
        if failed.any():
            self._raise(int(np.argmax(failed)))
        self._steps += 1
        rewards, terminated, is_success = self._members.told()
        truncated = ~terminated & (self._steps >= self.environment.steps)
        info: dict[str, Any] = {}
        if over.any():  # only with next-step autoreset: this step is the beginning of another episode
            rewards[over] = 0.0
            terminated[over] = truncated[over] = is_success[over] = False
            self._begin(over)
        done = terminated | truncated
        if self.environment.success is not None:
            info |= {"is_success": is_success, "_is_success": np.ones(self.num_envs, bool)}
        self._is_over = done
        if self._mode is AutoresetMode.SAME_STEP and done.any():
            info |= {"final_obs": self._observe(), "_final_obs": done.copy()}
            info |= {"final_info": {}, "_final_info": done.copy()}
            if "is_success" in info:
                info["final_info"] = {"is_success": is_success.copy(), "_is_success": done.copy()}
            self._begin(done)
        return self._observe(), rewards, terminated, truncated, info

    # ---- looking -------------------------------------------------------------------------------------------------

    def render(self) -> Any:
        """A picture of the first environment."""
        if self.render_mode is None:
            return None
        from cardan.learning.rendering import Renderer

        self._renderer = self._renderer or Renderer(self.batch.scenario.mechanism)
        return (self._renderer.picture(self.batch.simulation(0)),)

    def close_extras(self, **_: Any) -> None:
        if self._renderer is not None:
            self._renderer.close()
        self._renderer = None

    # ---- for training --------------------------------------------------------------------------------------------

    def state(self) -> dict[str, np.ndarray]:
        """All that it takes to go on from here to the same bits: see `restore`."""
        return {
            "seeds": self._seeds.copy(),
            "episodes": self._episode.copy(),
            "steps": self._steps.copy(),
            "is_over": self._is_over.copy(),
            "members": self._members.state(),
        }

    def restore(self, state: dict[str, np.ndarray]) -> np.ndarray:
        """Stand where an environment of the same kind stood; returns what is observed there."""
        if len(state["seeds"]) != self.num_envs:
            raise SettingError(f"A state of {len(state['seeds'])} environments is given to {self.num_envs}.")
        everyone = np.ones(self.num_envs, bool)
        self._seeds[:] = state["seeds"]
        self._members.seed(self._seeds, everyone)
        self._is_seeded = True
        self._episode[:] = state["episodes"] - 1
        self._begin(everyone)  # with what varies in these episodes
        self._members.restore(state["members"])
        self._steps[:], self._is_over[:] = state["steps"], state["is_over"]
        return self._observe()

    # ---- details -------------------------------------------------------------------------------------------------

    def _begin(self, mask: np.ndarray) -> None:
        """The next episode of some environments."""
        if not mask.any():
            return
        self._episode[mask] += 1
        self._members.begin(self._episode, mask)
        self._steps[mask] = 0
        self._is_over[mask] = False

    def _seed(self, seed: Any, mask: np.ndarray) -> None:
        if seed is None and not self._is_seeded:
            seed = int(np.random.default_rng().integers(LARGEST_SEED - self.num_envs))
        if seed is None:
            return
        if isinstance(seed, list | tuple | np.ndarray):
            if len(seed) != self.num_envs:
                raise SettingError(
                    f"{len(seed)} seeds for {self.num_envs} environments.\n  Give one for each, or one number."
                )
            own = np.array([-1 if each is None else each for each in seed], np.int64)
            chosen = mask & (own >= 0)
        else:
            _check_seed(seed)
            own, chosen = int(seed) + np.arange(self.num_envs), mask
        if (own > LARGEST_SEED).any():
            raise SettingError(f"A seed is {int(own.max())}.\n  Use whole numbers up to {LARGEST_SEED}.")
        self._seeds[chosen] = own[chosen]
        self._members.seed(self._seeds, chosen)
        self._episode[chosen] = -1
        self._is_seeded = True

    def _taken(self, actions: Any, counts: np.ndarray) -> np.ndarray:
        """(N, m) Actions within their limits; those that do not count may be anything."""
        given = np.asarray(actions)
        if given.shape != self.action_space.shape or given.dtype.kind not in "iuf":
            raise ShapeError(
                "Actions have the wrong shape.\n"
                f"  expected {self.action_space.shape}\n  got      {given.shape} of {given.dtype}"
            )
        bad = counts & ~np.isfinite(given).all(axis=1)
        if bad.any():
            first = int(np.argmax(bad))
            raise NotFinite(f"The action of environment {first} is not finite: {shown(given[first].tolist())}.")
        given = np.where(counts[:, None], given, 0.0)
        return np.clip(given.astype(np.float64), self._low, self._high)

    def _observe(self) -> np.ndarray:
        seen: np.ndarray = self._members.seen().astype(self._dtype)
        return seen

    def _mask(self, given: Any) -> np.ndarray:
        if given is None:
            return np.ones(self.num_envs, bool)
        mask = np.asarray(given)
        if mask.shape != (self.num_envs,) or mask.dtype != bool:
            raise ShapeError(
                f"`reset_mask` has a truth value for each of the {self.num_envs} environments.\n"
                f"  got      {mask.dtype} of shape {mask.shape}"
            )
        return mask

    def _raise(self, member: int) -> None:
        error = self._members.error(member)
        if error is not None:
            error.add_note(
                f"in environment {member}, seed {self._seeds[member]}, episode {self._episode[member]}, "
                f"step {self._steps[member]}"
            )
            raise error


def _autoreset_mode(given: str | AutoresetMode) -> AutoresetMode:
    modes = {
        "next-step": AutoresetMode.NEXT_STEP,
        "same-step": AutoresetMode.SAME_STEP,
        "disabled": AutoresetMode.DISABLED,
    }
    if isinstance(given, AutoresetMode):
        return given
    if given not in modes:
        raise SettingError(f"autoreset = {shown(given)}.\n  Use one of {', '.join(modes)}.")
    return modes[given]


def _members(environment: Environment, count: int, backend: str, threads: int | None) -> Any:
    if backend not in BACKENDS:
        raise SettingError(f"backend = {shown(backend)}.\n  Use one of {', '.join(BACKENDS)}.")
    if backend == "native":
        return NativeMembers(environment, count, threads)
    from cardan.learning.jax_members import JaxMembers

    return JaxMembers(environment, count)


def _render_mode(given: str | None, backend: str) -> str | None:
    if given not in (None, "rgb_array"):
        raise SettingError(f'render_mode = {shown(given)}.\n  Use "rgb_array", or None.')
    if given is not None and backend != "native":
        raise SettingError('Environments in JAX are not drawn.\n  Use `backend="native"` to see one.')
    return given


def _check_seed(seed: Any) -> None:
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or not 0 <= seed <= LARGEST_SEED:
        raise SettingError(f"seed = {shown(seed)}.\n  Use a whole number from 0 to {LARGEST_SEED}.")


def _fps(environment: Environment) -> int:
    return max(1, round(1.0 / environment.period))
