"""Words for the command line, what becomes of them, and what must never."""

import io
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout

from hypothesis import strategies as st

from cardan.cli import main
from cardan.errors import CardanError

# no path leads out of the folder, and no word has a character 0, which no shell can pass
TEXT = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), max_size=12)
NUMBERS = st.one_of(
    st.floats().map(repr),
    st.integers().map(str),
    st.sampled_from(["0", "1", "-1", "1e400", "-1e-400", "nan", "inf", "1" * 5000, "0x10", "1_0", "", " 1 "]),
)
VALUES = st.one_of(
    NUMBERS,
    TEXT,
    st.sampled_from(["null", "true", "{}", "[]", "[[]]", '"5"', "NaN", "-Infinity", "[1,[2]]"]),
    st.sampled_from(["[" * 5000, '{"a":' * 2000]),
    st.lists(NUMBERS, max_size=4).map(lambda numbers: f"[{','.join(numbers)}]"),
)  # fmt: skip
PARAMETERS = st.sampled_from(
    ["ctl.K", "ctl.P", "ctl.inertia_B", "body.inertia_B", "err", "ctl.", ".K", "body.state", ""]
)
FILES = (
    st.sampled_from(["run.nc", "run.csv", "run.mat", "run.parquet", "x", "", ".", "..", "no/run.nc", "a" * 300, "~"])
    | TEXT
)
INTEGRATORS = st.builds(
    "{}:{}={}".format,
    st.sampled_from(["rk4", "dop853", "heun", "Rkf45", "x", ""]),
    st.sampled_from(["step", "rtol", "atol", "min_step", "first_step", "max_step", "", "x"]),
    NUMBERS,
)
OPTIONS = st.one_of(
    st.tuples(st.just("--set"), st.builds("{}={}".format, PARAMETERS, VALUES) | TEXT),
    st.tuples(st.just("--save"), FILES),
    st.tuples(st.sampled_from(["--until", "--seed", "--tolerance", "--absolute"]), NUMBERS),
    st.tuples(st.just("--integrator"), INTEGRATORS | TEXT),
    st.tuples(st.sampled_from(["--dynamics", "--times"]), TEXT),
    st.tuples(st.sampled_from(["--json", "--no-jit", "--help", "--", "-h"])),
    st.tuples(TEXT),
)
DISPERSED = st.builds(
    "{}={}".format,
    PARAMETERS,
    VALUES
    | st.sampled_from(["normal(5%)", "uniform(1, 2)", "uniform(2, 1)", "choice()", "normal(", "unit_vector(nan)"]),
)
STUDIED = st.one_of(
    st.tuples(st.just("--disperse"), DISPERSED | TEXT),
    st.tuples(st.just("--limit"), st.builds("{}={}".format, TEXT, st.sampled_from(["<= 1", "<", ">= nan", "1"]))),
    st.tuples(st.just("--design"), st.sampled_from(["sobol", "factorial", "saltelli", ""]) | TEXT),
    st.tuples(st.sampled_from(["--seed", "--only", "--timeout", "--require", "--threads"]), NUMBERS),
    st.tuples(st.sampled_from(["--into", "--table", "--report"]), FILES),
    st.tuples(st.just("--keep"), st.sampled_from(["none", "all", "some"])),
    st.tuples(st.sampled_from(["--resume", "--audit"])),
)
COMMANDS = st.one_of(
    st.just(("run", "hello", "--no-jit")),
    STUDIED.map(lambda option: ("study", "hello", *option)),
    st.sampled_from([("info", "hello"), ("list",), ("compare", "a.nc", "b.nc"), ("compare", ".", ""), ()]),
    TEXT.map(lambda word: (word,)),
    st.tuples(st.sampled_from(["run", "info"]), TEXT),
)


def end(*words: str) -> tuple[int, str, str]:
    """The exit code of `cardan` with these words, and what it writes; anything but an exit is raised."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    sys.argv = ["cardan", *words]
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
    for stream in (out, err):
        stream.flush()
    return int(code), *(stream.buffer.getvalue().decode() for stream in (out, err))


def check_words(command: tuple[str, ...], options: list[tuple[str, ...]]) -> int:
    """The exit code of a command with options, once it has proved to be an answer or an error of ours."""
    words = [*command, *(word for option in options for word in option)]
    if command[:1] == ("run",):
        words += ["--until", "0.5"]  # the last one counts
    if command[:1] == ("study",):
        words += ["--until", "0.5", "--runs", "2"]
    code, out, err = end(*words)
    assert code in (0, 1, 2)
    is_judged = code == 0 or (command[:1] in (("study",), ("compare",)) and out)  # 1 if limits are broken, logs differ
    if is_judged and "--json" in words:
        assert "NaN" not in out and "Infinity" not in out
    if not is_judged and "Usage: " not in (err or out):
        name = err.partition(":")[0]
        assert name in {cls.__name__ for cls in subclasses(CardanError)}, err
    return code


def subclasses(cls: type) -> Iterator[type]:
    yield cls
    for sub in cls.__subclasses__():
        yield from subclasses(sub)
