"""One run and one browser for all tests of the viewer."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

import cardan as cd
from viewer.browser import CHROMIUM, Browser
from viewer.vehicles import pair_log


@pytest.fixture(scope="session")
def log(tmp_path_factory: pytest.TempPathFactory) -> cd.Log:
    """Two vehicles, 7000 km from the origin."""
    return pair_log(tmp_path_factory.mktemp("pair"))


@pytest.fixture(scope="session")
def saved(log: cd.Log, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as a file."""
    return log.save(tmp_path_factory.mktemp("saved") / "pair.nc")


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits for Ctrl-C gets it at once; there is no screen for a browser."""

    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cardan.viewer.page.time", SimpleNamespace(sleep=interrupt))
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium, so no page was looked at (apt-get install chromium)")
    made = Browser()
    yield made
    made.close()
