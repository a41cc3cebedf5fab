"""A part that cannot be compiled: which line, what is wrong, what to write instead."""

import linecache
from pathlib import Path
from textwrap import dedent

import pytest

import cardan as cd
import errors.uncompilable as parts
from cardan.errors import CompileError
from parts import Number

OR = "\n  Or mark the part `jit=False` to run it as plain Python."
FILE = Path(parts.__file__).name
COPY = "Inputs and parameters belong to others: write into a copy of your own, `a = a.copy()`."


def refusal(part) -> str:
    scn = cd.Scenario()
    if isinstance(part, parts.Widens):
        scn.add(part, name="part", source=Number(1.0))
    else:
        scn.add(part, name="part", every=0.1)
    with pytest.raises(CompileError) as caught:
        cd.Simulation(scn).compile(cd.Record(ports=["part.signal" if isinstance(part, parts.Widens) else "part.out"]))
    return str(caught.value)


def line_of(code: str) -> str:
    """How a refusal shows the line that begins with `code`."""
    lines = linecache.getlines(parts.__file__)
    number = next(i for i, line in enumerate(lines, 1) if line.strip().startswith(code))
    return f"{FILE}, line {number}: {lines[number - 1].strip()}"


@pytest.mark.parametrize(
    ("part", "code", "said"),
    [
        (parts.Changes(), "x.n += 1", "It changes a field of `x`. Make a new one instead: `Count(n=..., ...)`."),
        (
            parts.Formats(),
            "raise ValueError(f",
            "Texts with formatted numbers do not compile. Leave the format out: `{x.n}`.",
        ),
        (parts.Misspells(), "return Count(x.m", "`Count` has no field `m`. It has: n."),
        (parts.Replaces(), "return x._replace", "`_replace` does not compile. Make a new one instead: `Count(...)`."),
        (
            parts.CallsItself(),
            "return x, Outputs(Number(self.helper",
            "A part cannot call a method of its own. Make `helper` a function of the module, and call "
            "`helper(self, ...)`.",
        ),
        (parts.Writes(), "self.levels[0]", f"It writes into an input or a parameter. {COPY}"),
        (
            parts.Adds(),
            "levels += 7.0",
            f"It changes `levels` in place, which may be an input or a parameter. {COPY}",
        ),
        (
            parts.LeavesUnassigned(),
            "return y",
            "`y` is not assigned on every path that leads here. Give `y` a value before the branch or the loop that "
            "may not assign it.",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_it_names_the_line_and_says_what_to_write(part, code, said):
    label = f"{type(part).__name__}.step"
    assert refusal(part) == f"`{label}` cannot be compiled to native code.\n  {line_of(code)}\n    {said}{OR}"


def test_all_that_is_wrong_is_said_at_once():
    assert refusal(parts.Imports()) == (
        f"`Imports.step` cannot be compiled to native code.\n"
        f"  {line_of('import math')}\n    A method cannot import. Import at the top of the module.\n"
        f"  {line_of('with open')}\n    `with` does not compile. Compute with numbers and arrays alone.{OR}"
    )
    line = line_of("return Count(count=1)")
    assert refusal(parts.Misnames()) == (
        f"`Misnames.step` cannot be compiled to native code.\n"
        f"  {line}\n    `Count` has no field `count`. It has: n.\n"
        f"  {line}\n    `Number` is not given `value`. It has: value.{OR}"
    )
    line = line_of("return x, Outputs(Number(np.linalg.nrm")
    assert refusal(parts.Guesses()) == (
        f"`Guesses.step` cannot be compiled to native code.\n"
        f"  {line}\n    The module `numpy.linalg` has no `nrm`. Did you mean `norm`?\n"
        f"  {line}\n    `nothing` is not defined. Define or import it.{OR}"
    )


def test_a_variable_of_two_kinds_is_named():
    text = refusal(parts.Mixes())
    assert "`y` is array(float64, 1d, C) on one path and float64 on another. Let it be of one kind" in text


@pytest.mark.parametrize(
    ("part", "code", "said"),
    [
        (
            parts.Forgets(),
            "def step",
            """
            returns nothing.
              expected Count as `memory`, Number as `out`
              Is a `return` missing?
            """,
        ),
        (
            parts.ForgetsSometimes(),
            "return Count(x.n + 1), Outputs",
            """
            returns nothing on some path.
              expected Count as `memory`, Number as `out`
              Let every path end with a `return`.
            """,
        ),
        (
            parts.Confuses(),
            "return x, CopiedOutputs",
            """
            returns something else as `out`.
              expected Number
              got      Copied
            """,
        ),
        (
            parts.Drops(),
            "return Outputs(Number(1.0))",
            """
            returns something else as `memory`.
              expected Count
              got      Number
            """,
        ),
        (
            parts.Widens(),
            "return Number(np.ones(3))",
            """
            returns something else in `value`.
              expected a number
              got      an array with 1 axis
            """,
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_it_says_what_a_method_returns_instead(part, code, said):
    method = "signal" if isinstance(part, parts.Widens) else "step"
    line = line_of(code)
    if isinstance(part, parts.Forgets):  # without a `return`, the line at which the method begins is shown
        line = f"{FILE}, line {parts.Forgets.step.__code__.co_firstlineno}: {line.partition(': ')[2]}"
    assert refusal(part) == f"`{type(part).__name__}.{method}` {dedent(said).strip()}\n  {line}"


def test_what_is_not_known_is_told_in_numbas_words_with_the_line():
    lines = refusal(parts.Unheard()).splitlines()
    assert lines[0] == "`Unheard.step` cannot be compiled to native code."
    assert lines[1] == f"  {line_of('return x, Outputs(Number(np.busday_count')}"
    assert lines[2].startswith("  Numba: ")
    assert lines[-3:] == [
        "  Use numbers, arrays, NumPy and `cardan.maths`; make helpers module functions, not methods; build a new",
        "  NamedTuple instead of `_replace`; do not write into inputs.",
        "  Or mark the part `jit=False` to run it as plain Python.",
    ]


@pytest.mark.parametrize(
    ("part", "code", "said"),
    [
        (parts.Recurs(), "def endless", "`endless` calls itself."),
        (parts.RecursByAnother(), "def halved", "`halved` calls `quartered`, which calls `halved`."),
    ],
    ids=lambda value: type(value).__name__,
)
def test_helpers_that_call_each_other_in_a_circle_are_refused(part, code, said):
    """Compiled, they would end the process where the stack ends."""
    label = f"{type(part).__name__}.step"
    assert refusal(part) == (
        f"`{label}` cannot be compiled to native code.\n  {line_of(code)}\n    {said} Write it as a loop.{OR}"
    )


def test_in_plain_python_recursion_is_as_ever():
    scn = cd.Scenario()
    scn.add(parts.RecursByAnother(), name="part", every=0.1)
    scn.add(parts.Recurs(), name="other", every=0.1)
    with pytest.raises(RecursionError):
        cd.Simulation(scn, jit=False).run(until=0.1)
