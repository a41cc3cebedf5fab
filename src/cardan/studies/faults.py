"""Faults as data: which kind strikes, and when."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cardan.errors import SettingError, shown
from cardan.studies.distribution_text import read_distribution
from cardan.studies.distributions import Choice, Distribution, Nominal

NONE = "none"
"""The kind of fault that changes nothing."""


@dataclass(frozen=True)
class Fault:
    """Parameters that change during a run: one of several kinds, at a time that varies.

    In a study it has the inputs `<name>.kind` and `<name>.at`.

    Attributes:
        kinds: By the name of the kind, the values that parameters have from then on: `{"weak": {"ctl.K": 1.0}}`. The
            kind `none` changes nothing.
        at: [s] When it strikes; a number, or how it varies.
        weights: How often each kind strikes, relative to the others, by its name; 1 for a kind that is left out.
    """

    kinds: Mapping[str, Mapping[str, Any]]
    at: Any
    weights: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.kinds, Mapping) or not self.kinds:
            raise SettingError(
                f"The kinds of a fault are {shown(self.kinds)}.\n"
                '  Give the changes of each by its name: `{"weak": {"ctl.K": 1.0}, "none": {}}`.'
            )
        for kind, changes in self.kinds.items():
            if not isinstance(changes, Mapping) or (not changes and kind != NONE):
                raise SettingError(
                    f"The fault `{kind}` changes {shown(changes)}.\n"
                    f'  Give values by path, `{{"ctl.K": 1.0}}`; a fault that changes nothing is called `{NONE}`.'
                )
        unknown = [kind for kind in self.weights if kind not in self.kinds]
        if unknown:
            raise SettingError(f"A fault has a weight for `{unknown[0]}`, and no such kind.")

    def inputs(self, name: str) -> dict[str, tuple[Distribution, Nominal]]:
        """What varies, by path."""
        weights = [self.weights.get(kind, 1.0) for kind in self.kinds]
        at = Choice(float(self.at)) if isinstance(self.at, int | float) else read_distribution(self.at, f"{name}.at")
        return {
            f"{name}.kind": (Choice(*self.kinds, weights=weights), Nominal(f"{name}.kind", NONE)),
            f"{name}.at": (at, Nominal(f"{name}.at", 0.0, "s")),
        }
