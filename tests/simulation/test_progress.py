"""What is shown to those who wait."""

import io
import sys
import time

import pytest

from cardan.simulation import progress
from cardan.simulation.progress import CompileProgress, Progress


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SHOW_AFTER", 0.0)


def test_a_log_has_one_line_when_compiling_begins_and_one_when_it_is_over(at_once, capsys):
    with CompileProgress("hello", True) as shown:
        for done in range(20):
            shown.report(done, 20, [f"Part{done}.step"])
    assert capsys.readouterr().err.splitlines() == [
        "compiling for `hello` (kept for the next run) ...",
        "compiled in 0 s",
    ]


def test_an_error_ends_the_log_without_a_claim(at_once, capsys):
    with pytest.raises(ZeroDivisionError), CompileProgress("hello", True) as shown:
        shown.report(0, 1, ["Part.step"])
        raise ZeroDivisionError
    assert "compiled" not in capsys.readouterr().err


def test_nothing_is_shown_of_what_is_short_or_not_wanted(capsys, monkeypatch):
    with CompileProgress("hello", True) as shown:
        shown.report(0, 1, ["Part.step"])
    monkeypatch.setattr(progress, "SHOW_AFTER", 0.0)
    with CompileProgress("hello", False) as shown:
        shown.report(0, 1, ["Part.step"])
    with CompileProgress("hello", True):
        pass
    assert capsys.readouterr().err == ""


def test_one_long_compilation_is_shown_while_it_lasts(capsys, monkeypatch):
    """Nobody reports anything between its beginning and its end."""
    monkeypatch.setattr(progress, "SHOW_AFTER", 0.05)
    with CompileProgress("", True) as shown:
        shown.report(0, 1, ["core"])
        deadline = time.monotonic() + 30.0
        seen = ""
        while not seen and time.monotonic() < deadline:
            time.sleep(0.01)
            seen = capsys.readouterr().err
    assert seen == "compiling (kept for the next run) ...\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_says_what_is_compiled_and_how_far_it_is(at_once, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with CompileProgress("hello", True) as shown:
        shown.report(6, 23, ["MrpFeedback.step"])
        shown.report(7, 23, ["core", "Spring.pull", "Lag.derivatives"])
        shown._display._bar.refresh()
        text = terminal.getvalue()
    assert "compiling 8 of 23: core, Spring.pull ..." in text
    assert "30%" in text


def test_a_notebook_without_widgets_has_one_line_that_is_written_over(at_once, monkeypatch, capsys):
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr(progress, "_has_widgets", lambda: False)
    with CompileProgress("hello", True) as shown:
        shown.report(0, 2, ["MrpFeedback.step"])
        shown.report(1, 2, ["core"])
        shown.report(1, 2, ["core"])
    lines = capsys.readouterr().err.split("\r")
    assert "compiling 1 of 2: MrpFeedback.step (0 %)" in lines
    assert sum(line.startswith("compiling 2 of 2: core (50 %)") for line in lines) == 1
    assert lines[-1].strip() == ""


def test_a_run_leaves_no_lines_in_a_log(at_once, capsys):
    with Progress(True) as shown:
        shown.update("hello", 0.5, 1.0)
    assert capsys.readouterr().err == ""
