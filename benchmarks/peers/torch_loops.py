"""Stable-Baselines3's PPO and a loop as CleanRL writes them, on Cardan's environments through Gymnasium's door.

.venv-peers/bin/python benchmarks/peers/torch_loops.py       # prints steps per second and returns as JSON
"""

import json
import sys
import time
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium.wrappers.vector import RecordEpisodeStatistics, RescaleAction
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv, VecMonitor
from torch import nn

import cardan.learning  # noqa: F401  # makes the environments known

NAME = "cardan/FreeFlyerSetpoint-v0"
COUNT = 256


class Bridge(VecEnv):
    """A vector environment of Gymnasium as Stable-Baselines3 wants it: resets in the same step, a list of infos."""

    def __init__(self, env: gymnasium.vector.VectorEnv) -> None:
        self.env = env
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)
        self._actions: Any = None

    def reset(self) -> np.ndarray:
        return self.env.reset(seed=self._seeds[0] if self._seeds and self._seeds[0] is not None else 0)[0]

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        seen, reward, terminated, truncated, info = self.env.step(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(terminated | truncated):
            infos[i] = {"terminal_observation": info["final_obs"][i], "TimeLimit.truncated": bool(truncated[i])}
        return seen, reward.astype(np.float32), terminated | truncated, infos

    def close(self) -> None:
        self.env.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.env, attr_name, None)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **options: Any) -> list[Any]:
        raise NotImplementedError

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs


class Returns(BaseCallback):
    """The mean return of the episodes that have ended, flight by flight."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[float] = []

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        ended = [each["r"] for each in self.model.ep_info_buffer]
        if ended:
            self.found.append(float(np.mean(ended)))


def stable_baselines(samples: int) -> dict[str, Any]:
    """SB3's PPO."""
    env = VecMonitor(Bridge(RescaleAction(gymnasium.make_vec(NAME, num_envs=COUNT, autoreset="same-step"), -1.0, 1.0)))
    returns = Returns()
    options = {"n_steps": 64, "batch_size": 2048, "n_epochs": 5, "learning_rate": 1e-3, "gamma": 0.99}
    model = PPO("MlpPolicy", env, seed=0, device="cpu", policy_kwargs={"log_std_init": -1.0}, **options)
    began = time.perf_counter()
    model.learn(samples, callback=returns)
    return {"rate": samples / (time.perf_counter() - began), "returns": returns.found}


def cleanrl(samples: int, steps: int = 64, gamma: float = 0.99, lam: float = 0.95) -> dict[str, Any]:
    """PPO in one function, as CleanRL writes it."""
    torch.manual_seed(0)
    env = RescaleAction(gymnasium.make_vec(NAME, num_envs=COUNT, autoreset="same-step"), -1.0, 1.0)
    env = RecordEpisodeStatistics(env)
    n, m = env.single_observation_space.shape[0], env.single_action_space.shape[0]

    def network(outputs: int, gain: float) -> nn.Sequential:
        layers = [nn.Linear(n, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs)]
        for layer in layers[::2]:
            nn.init.orthogonal_(layer.weight, gain if layer is layers[-1] else 2.0**0.5)
            nn.init.zeros_(layer.bias)
        return nn.Sequential(*layers)

    actor, critic, log_std = network(m, 0.01), network(1, 1.0), nn.Parameter(torch.full((m,), -1.0))
    rule = torch.optim.Adam([*actor.parameters(), *critic.parameters(), log_std], lr=1e-3, eps=1e-5)

    def policy(seen: torch.Tensor) -> torch.distributions.Normal:
        return torch.distributions.Normal(actor(seen), log_std.exp())

    now = torch.as_tensor(env.reset(seed=0)[0])
    found, began = [], time.perf_counter()
    for _ in range(samples // (steps * COUNT)):
        seen, taken = torch.zeros(steps, COUNT, n), torch.zeros(steps, COUNT, m)
        log_p, reward, value, over = torch.zeros(4, steps, COUNT)
        ended = []
        with torch.no_grad():
            for k in range(steps):
                drawn = policy(now)
                seen[k], taken[k], value[k] = now, drawn.sample(), critic(now)[:, 0]
                log_p[k] = drawn.log_prob(taken[k]).sum(1)
                after, gained, terminated, truncated, info = env.step(taken[k].clamp(-1.0, 1.0).numpy())
                reward[k] = 0.1 * torch.as_tensor(gained)
                done = terminated | truncated
                over[k], now = torch.as_tensor(done), torch.as_tensor(after)
                if truncated.any():  # what the last state is worth
                    reward[k, truncated] += gamma * critic(torch.as_tensor(info["final_obs"][truncated]))[:, 0]
                if done.any():
                    ended += info["episode"]["r"][done].tolist() if "episode" in info else []
            ahead, behind, advantage = critic(now)[:, 0], torch.zeros(COUNT), torch.zeros(steps, COUNT)
            for k in reversed(range(steps)):
                goes_on = 1.0 - over[k]
                behind = reward[k] + gamma * goes_on * ahead - value[k] + gamma * lam * goes_on * behind
                advantage[k], ahead = behind, value[k]
        flat = [a.reshape(-1, *a.shape[2:]) for a in (seen, taken, log_p, advantage, advantage + value)]
        for _ in range(5):
            for rows in torch.randperm(steps * COUNT).split(2048):
                s, a, p, gain, target = (each[rows] for each in flat)
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                ratio = (policy(s).log_prob(a).sum(1) - p).exp()
                loss = -torch.minimum(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()
                loss = loss + 0.5 * ((critic(s)[:, 0] - target) ** 2).mean()
                rule.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_([*actor.parameters(), *critic.parameters(), log_std], 0.5)
                rule.step()
        if ended:
            found.append(float(np.mean(ended)))
    return {"rate": samples / (time.perf_counter() - began), "returns": found}


if __name__ == "__main__":
    torch.set_num_threads(1)
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 20
    print(json.dumps({"stable-baselines3": stable_baselines(samples), "cleanrl": cleanrl(samples)}))
