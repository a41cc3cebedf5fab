"""How the tests of this folder state an error."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from textwrap import dedent

import pytest


@contextmanager
def refused(kind: type[BaseException], text: str, *, end: str = "", note: str | None = None) -> Iterator[None]:
    """The block raises exactly `kind`, its text is `text` and `end` word for word, and its only note is `note`.

    The line of the part's file, with which the note of a failed part ends, is left out.
    """
    with pytest.raises(kind) as caught:
        yield
    assert str(caught.value) == dedent(text).strip() + end
    assert type(caught.value) is kind
    notes = [re.sub(r", \S+ line \d+$", "", found) for found in getattr(caught.value, "__notes__", [])]
    assert notes == ([] if note is None else [note])
