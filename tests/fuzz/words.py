"""Words for the command line, as in `tests/errors/test_words.py`."""

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from command_words import COMMANDS, OPTIONS, check_words
from fuzz.campaign import Case, kind

_ONE = settings(
    max_examples=2, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)


@kind("words", share=170, prepare=lambda: check_words(("run", "hello", "--no-jit"), []))
def words(case: Case) -> None:
    drawn: list[object] = []

    @seed(case.rng.getrandbits(64))
    @_ONE
    @given(command=COMMANDS, options=st.lists(OPTIONS, max_size=4))
    def check(command: tuple[str, ...], options: list[tuple[str, ...]]) -> None:
        drawn.append((command, options))
        (case.folder / "words.txt").write_text(repr(drawn[-1]), encoding="utf-8")
        if len(drawn) > 1:  # the first that is drawn is the least of all
            check_words(command, options)

    check()
