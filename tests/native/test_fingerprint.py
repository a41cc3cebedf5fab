"""A key that was found once is found again without a walk, and never when something that the walk met has changed."""

import time
import types
from typing import Any, NamedTuple

import numpy as np
import pytest

from cardan.native.fingerprint import at_one_look, fingerprint

SOURCE = """
import numpy as np
TABLE = np.array([1.0, 2.0])
FACTORS = [1.0, 2.0]

def helper(x, by=3.0):
    return by * x

def make(offset):
    def closed(x, *, scale=2.0):
        return scale * x + offset
    return closed

closed = make(1.0)

def entry(x):
    return helper(x) + closed(x) + TABLE[0] + FACTORS[0] + abs(x)
"""


@pytest.fixture
def module() -> Any:
    made = types.ModuleType("made")
    exec(SOURCE, vars(made))
    return made


def edit_a_helper(module):
    exec("def helper(x, by=3.0):\n    return by * x + 1.0", vars(module))


def change_a_default(module):
    module.helper.__defaults__ = (4.0,)


def change_a_default_of_a_keyword(module):
    module.closed.__kwdefaults__["scale"] = 3.0


def give_a_keyword_a_default(module):
    module.helper.__kwdefaults__ = {"by": 4.0}


def change_what_a_closure_has(module):
    module.closed.__closure__[0].cell_contents = 2.0


def change_the_code(module):
    module.helper.__code__ = (lambda x, by: x - by).__code__


def write_into_an_array(module):
    module.TABLE[0] = 5.0


def write_into_a_list(module):
    module.FACTORS[0] = 5.0


def hide_a_builtin(module):
    module.abs = lambda x: x


@pytest.mark.parametrize(
    "change",
    [
        edit_a_helper,
        change_a_default,
        change_a_default_of_a_keyword,
        give_a_keyword_a_default,
        change_what_a_closure_has,
        change_the_code,
        write_into_an_array,
        write_into_a_list,
        hide_a_builtin,
    ],
    ids=lambda change: change.__name__,
)
def test_a_change_in_the_same_process_gives_another_key(module, change):
    before = fingerprint(module.entry)
    assert fingerprint(module.entry) == before
    change(module)
    assert fingerprint(module.entry) != before


@pytest.mark.parametrize("change", [edit_a_helper, change_the_code, hide_a_builtin], ids=lambda change: change.__name__)
def test_what_two_keys_have_in_common_is_looked_at_once_and_again_at_the_next_look(module, change):
    exec("def other(x):\n    return helper(x) - abs(x)", vars(module))
    with at_one_look():
        before = fingerprint(module.entry), fingerprint(module.other)
    with at_one_look():
        assert (fingerprint(module.entry), fingerprint(module.other)) == before
    change(module)
    with at_one_look():
        after = fingerprint(module.entry), fingerprint(module.other)
    assert after[0] != before[0] and after[1] != before[1]


def test_a_keyword_default_that_comes_or_goes_gives_another_key(module):
    plain = fingerprint(module.entry)
    exec("def helper(x, *, by=3.0):\n    return by * x", vars(module))
    with_keyword = fingerprint(module.entry)
    module.helper.__kwdefaults__ = None
    assert len({plain, with_keyword, fingerprint(module.entry)}) == 3


def test_a_default_of_a_message_that_changes_gives_another_key(module):
    class Message(NamedTuple):
        value: float = 1.0

    module.helper = Message
    before = fingerprint(module.entry)
    Message._field_defaults["value"] = 2.0
    assert fingerprint(module.entry) != before


def test_a_key_is_found_again_much_faster():
    """Many times, because nothing is hashed; five leaves room for a busy machine."""
    from cardan.dynamics.recursive_tree import kernel

    def seconds() -> float:
        began = time.process_time()
        fingerprint(kernel.dynamics, text=str(np.random.default_rng().integers(2**60)))
        return time.process_time() - began

    def again() -> float:
        began = time.process_time()
        fingerprint(kernel.dynamics)
        return time.process_time() - began

    fingerprint(kernel.dynamics)
    assert 5.0 * min(again() for _ in range(5)) < min(seconds() for _ in range(5))
