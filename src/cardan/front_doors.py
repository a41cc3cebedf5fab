"""Names of a package that are imported when they are first used.

Whoever reads a log, or draws one, needs neither a simulator nor a compiler, and these take seconds to import.
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def later(package: str, names: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package.

    Args:
        package: Its `__name__`.
        names: By module of it, those that come from there, with spaces between them; by "", modules of it as such. Type
            checkers and editors are told of the same by imports below `if TYPE_CHECKING`.
    """
    module = sys.modules[package]
    homes = {name: home for home, told in names.items() for name in told.split()}

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=module)
        home = import_module(f"{package}.{homes[name] or name}")
        found = getattr(home, name) if homes[name] else home
        setattr(module, name, found)
        return found

    return find, lambda: sorted({*vars(module), *homes})
