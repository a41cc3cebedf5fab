"""All kinds of cases: importing their modules registers them."""

from fuzz import damage, interruptions, rewiring, scarcity, scenarios, several, vehicles, words  # noqa: F401
from fuzz.campaign import KINDS

__all__ = ["KINDS"]
