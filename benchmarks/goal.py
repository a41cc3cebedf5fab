"""A measured number beside the number it has to reach."""

import time
from collections.abc import Callable
from typing import NamedTuple


class Goal(NamedTuple):
    """One line of a benchmark.

    Attributes:
        name: What is measured.
        value: What was measured.
        unit: Of both numbers.
        limit: What it has to reach.
        at_least: Whether `limit` is a lower bound; else it is an upper one.
    """

    name: str
    value: float
    unit: str
    limit: float
    at_least: bool = False

    @property
    def is_met(self) -> bool:
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def __str__(self) -> str:
        sign = ">=" if self.at_least else "<="
        verdict = "met" if self.is_met else "NOT MET"
        return f"  {self.name:66} {self.value:9.3g} {self.unit:6} {sign} {self.limit:g}  {verdict}"


def best_of(action: Callable[[], object], repeats: int = 5, clock: Callable[[], float] = time.perf_counter) -> float:
    """[s] The shortest of several runs: the one that the machine disturbed least.

    Args:
        action: What is measured.
        repeats: How often.
        clock: Of the wall; `time.process_time` for what one thread does, whoever else uses the machine.
    """
    times = []
    for _ in range(repeats):
        began = clock()
        action()
        times.append(clock() - began)
    return min(times)
