"""Drafts: Numba as a front end only, with the same result as Numba to the end."""

import uuid
from collections.abc import Callable
from typing import ClassVar

import numpy as np
import pytest
from numba import cfunc, njit
from numba.core.compiler import Compiler

from cardan.native import drafting
from cardan.native import entry as entry_module
from cardan.native.compiling import jitted
from cardan.native.drafting import draft, signatures
from cardan.native.entry import machine_code_of
from cardan.native.machine_code import load
from cardan.native.pointers import ENTRY_SIGNATURE, load_float, store_float
from cardan.native.python_entry import CALLBACK

Function = Callable[[float, int], int]


def entry_of(function: Function) -> Function:
    kernel = jitted(function)

    def entry(t, context):
        return kernel(t, context)

    return entry


def result(function: Function, t: float) -> float:
    """What the compiled `function` leaves in its first word."""
    symbol = f"entry_{uuid.uuid4().hex}"
    code = machine_code_of(entry_of(function), symbol)
    assert code is not None
    memory = np.array([t, 2.0])
    assert CALLBACK(load(code, symbol))(t, memory.ctypes.data) == 0
    return float(memory[0])


@njit
def doubled(x):
    return 2.0 * x


def calls_a_jitted_function(t, context):
    store_float(context, doubled(load_float(context)) + 1.0)
    return 0


def test_a_function_that_its_author_has_jitted_is_drafted_and_still_works_from_python():
    assert result(calls_a_jitted_function, 1.5) == 4.0
    assert doubled(1.5) == 3.0
    assert result(calls_a_jitted_function, 2.5) == 6.0


class Named(Compiler):
    """Numba's own steps, and a note of what goes through them."""

    seen: ClassVar[list[str]] = []

    def define_pipelines(self):
        self.seen.append(self.state.func_id.func_name if self.state.func_id else "")
        return super().define_pipelines()


@njit(pipeline_class=Named)
def tripled(x):
    return 3.0 * x


def calls_with_a_pipeline(t, context):
    store_float(context, tripled(t))
    return 0


def test_a_jitted_function_keeps_its_pipeline_and_its_signatures_are_known():
    assert result(calls_with_a_pipeline, 1.5) == 4.5
    assert Named.seen
    assert [str(signature) for signature in signatures(tripled)] == ["(float64,) -> float64"]


def assigns_slices(t, context):
    m = np.zeros((6, 6))
    m[:3, :3] = t * np.eye(3)
    m[3:, :] = m[:3, :] + 1.0
    store_float(context, m.sum())
    return 0


def test_words_that_nobody_reads_are_left_out_of_a_draft():
    """Numba tells which shapes do not fit, for which it compiles strings."""
    written = draft(entry_of(assigns_slices), ENTRY_SIGNATURE)
    assert written is not None
    assert "unicode" not in written.text
    # three ones more in each row of six, and twice t on three diagonals
    assert result(assigns_slices, 0.5) == 18.0 + 6.0 * 0.5


def forgets(t, context):
    return undefined_helper(t)  # noqa: F821


def test_what_cannot_be_compiled_has_no_draft():
    assert draft(entry_of(forgets), ENTRY_SIGNATURE) is None


def test_without_drafts_numba_compiles_to_the_end_and_gives_the_same(monkeypatch: pytest.MonkeyPatch):
    """As with a version of Numba that works otherwise inside."""
    expected = result(assigns_slices, 0.25)
    monkeypatch.setattr(drafting, "_writer", lambda: None)
    monkeypatch.setattr(entry_module, "numbas_own", cfunc(ENTRY_SIGNATURE, error_model="numpy"))
    assert draft(entry_of(assigns_slices), ENTRY_SIGNATURE) is None
    assert result(assigns_slices, 0.25) == expected


def test_a_version_of_numba_that_works_otherwise_is_reported_once(monkeypatch, caplog):
    drafting._writer.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "cardan.native.draft_target", None)
    try:
        assert draft(entry_of(calls_a_jitted_function), ENTRY_SIGNATURE) is None
        assert draft(entry_of(calls_a_jitted_function), ENTRY_SIGNATURE) is None
    finally:
        drafting._writer.cache_clear()
    assert caplog.text.count("parts compile slowly") == 1
