"""How the tests of this folder state an error."""

from collections.abc import Iterator
from contextlib import contextmanager
from textwrap import dedent

import pytest


@contextmanager
def refused(kind: type[BaseException], text: str, *, end: str = "", note: str | None = None) -> Iterator[None]:
    """The block raises exactly `kind`, its text is `text` and `end` word for word, and its only note is `note`."""
    with pytest.raises(kind) as caught:
        yield
    assert str(caught.value) == dedent(text).strip() + end
    assert type(caught.value) is kind
    assert getattr(caught.value, "__notes__", []) == ([] if note is None else [note])
