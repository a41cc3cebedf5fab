"""No words on the command line end in anything but an answer or an error of ours."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from command_words import COMMANDS, OPTIONS, check_words


@pytest.fixture
def folder(tmp_path) -> Iterator[Path]:
    """Where what is written does no harm, with the arguments put back afterwards."""
    before, arguments = Path.cwd(), sys.argv
    os.chdir(tmp_path)
    try:
        yield tmp_path
    finally:
        os.chdir(before)
        sys.argv = arguments


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numbers may overflow before a run says so
@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(command=COMMANDS, options=st.lists(OPTIONS, max_size=4))
def test_any_words_end_with_an_answer_or_an_error_of_ours(folder, command, options):
    event(f"{command[:1]} ends with {check_words(command, options)}")
