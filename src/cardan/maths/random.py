"""Random numbers without hidden state: each is a function of a key and of its place in the draw.

A task that declares an argument `rng: RandomKey` is given a new key at every tick, made from the scenario's seed, the
task's name and the number of the tick. The same run therefore draws the same numbers whatever else is in the scenario,
in which order parts are evaluated, and after any `restore`. The generator is Threefry-2x32 with 20 rounds (Salmon,
Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11), in 64-bit integers with masks so that it
gives the same bits in plain Python and in native code.
"""

import hashlib
from typing import Any, NamedTuple

import numpy as np

from cardan.maths.arrays import Scalar, Vec
from cardan.maths.choosing import choose
from cardan.maths.elementary import log, sin_cos

_MASK = 0xFFFFFFFF
_ROTATIONS = (13, 15, 26, 6, 17, 29, 16, 24)
_PARITY = 0x1BD11BDA


class RandomKey(NamedTuple):
    """What a draw depends on.

    Attributes:
        stream: Which part of which run draws.
        tick: Which tick it draws for.
    """

    stream: int
    tick: int


def stream_of(seed: int, name: str) -> int:
    """The stream of the part `name` in a run with `seed`: 62 bits, unrelated for different names or seeds."""
    digest = hashlib.sha256(f"{seed}/{name}".encode()).digest()
    return int.from_bytes(digest[:8], "little") >> 2


def uniform(rng: RandomKey, n: int) -> Vec:
    """[-] `n` numbers, evenly spread over (0, 1)."""
    return np.array([uniform_at(rng, i, 0) for i in range(n)])


def normal(rng: RandomKey, n: int) -> Vec:
    """[-] `n` numbers, normally distributed with mean 0 and standard deviation 1 (Box and Muller)."""
    # each pair of uniform numbers gives a pair of normal ones
    pairs = (n + 1) // 2
    radius = np.sqrt(-2.0 * log(np.array([uniform_at(rng, i, 1) for i in range(pairs)])))
    angle = 2.0 * np.pi * np.array([uniform_at(rng, i, 2) for i in range(pairs)])
    sine, cosine = sin_cos(angle)
    return np.stack((radius * cosine, radius * sine), axis=1).reshape(-1)[:n]


def normal_if(condition: Any, rng: RandomKey, n: int) -> Vec:
    """[-] `normal(rng, n)` if `condition` holds, else zeros; native code then draws nothing."""
    return choose(condition, normal(rng, n), np.zeros(n))  # type: ignore[no-any-return]


def uniform_at(rng: RandomKey, i: int, use: int) -> Scalar:
    """Number `i` of the draw, or numbers; `use` keeps the draws for different purposes apart."""
    # the tick and the place fill the counter, the stream the key
    high, low = _threefry(
        rng.stream & _MASK,
        (rng.stream >> 32) & _MASK,
        rng.tick & _MASK,
        (((rng.tick >> 32) << 24) ^ (i << 2) ^ use) & _MASK,
    )
    # 52 bits and a half: exactly representable, never 0 and never 1
    return ((high >> 6) * 2.0**26 + (low >> 6) + 0.5) * 2.0**-52


def _threefry(k0: int, k1: int, x0: int, x1: int) -> tuple[int, int]:
    k2 = k0 ^ k1 ^ _PARITY
    x0 = (x0 + k0) & _MASK
    x1 = (x1 + k1) & _MASK
    for block in range(5):
        for i in range(4):
            rotation = _ROTATIONS[4 * (block % 2) + i]
            x0 = (x0 + x1) & _MASK
            x1 = ((x1 << rotation) | (x1 >> (32 - rotation))) & _MASK
            x1 = x1 ^ x0
        # inject the key, in turn, and the number of the injection
        turn = (block + 1) % 3
        first = k0 if turn == 0 else (k1 if turn == 1 else k2)
        second = k1 if turn == 0 else (k2 if turn == 1 else k0)
        x0 = (x0 + first) & _MASK
        x1 = (x1 + second + block + 1) & _MASK
    return x0, x1
