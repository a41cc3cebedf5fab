"""Numba as a front end only: what it writes for a function, before it optimises anything.

Numba finishes every function that it meets: each helper, each overload of a NumPy function is optimised together with
all that it calls, wrapped for Python and turned into machine code. An entry needs none of that. Whatever it calls
becomes part of it (see `temporaries`), and the whole is optimised then. So an entry is compiled for a target of its
own, which is the processor that Numba knows but for this: a library of code is only a list of texts.

Where a function needs what a draft does not have, there is no draft, and Numba compiles it to the end.
"""

import gc
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

from numba import float64, int64

logger = logging.getLogger("cardan")


class Draft(NamedTuple):
    """What Numba wrote.

    Attributes:
        text: A module of LLVM with the function and all that it calls.
        function: The name of the function in it.
    """

    text: str
    function: str


def draft(function: Callable[..., Any], signature: Any, **options: Any) -> Draft | None:
    """What Numba writes for `function`; None where it has to be asked for more than a draft.

    Args:
        function: A Python function.
        signature: Numba's: what it returns of what.
        options: As Numba's `cfunc` takes them.
    """
    write = _writer()
    if write is None:
        return None
    try:
        with _no_collection():
            return Draft(*write(function, signature, options))
    except Exception as error:
        # an error of the author's too: Numba finds it again, and says what it always says
        logger.debug("no draft of %s: %s", function, error)
        return None


def signatures(jitted: Any) -> list[Any]:
    """For which types a jitted function was compiled, in drafts and by itself: Numba's signatures."""
    if _writer() is None:
        return list(jitted.nopython_signatures)
    from cardan.native.draft_target import signatures_in_drafts

    return [*jitted.nopython_signatures, *signatures_in_drafts(jitted)]


def get_ready() -> None:
    """Do now what the first draft of a process would do."""

    def nothing(t: float, context: int) -> int:
        return 0

    draft(nothing, int64(float64, int64))


@cache
def _writer() -> Callable[..., tuple[str, str]] | None:
    try:
        from cardan.native.draft_target import text_and_name
    except (ImportError, AttributeError, TypeError) as error:
        logger.warning("parts compile slowly, because this version of Numba works otherwise: %s", error)
        return None
    return text_and_name


@contextmanager
def _no_collection() -> Iterator[None]:
    """Leave garbage for later: typing makes objects by the million, and next to none of them is garbage."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
