"""Property tests explore anew on a desk, and repeat themselves where a change is judged."""

import os

import pytest
from hypothesis import settings

# processes that share the cores leave each other one
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("CARDAN_COMPILE_JOBS", "1")

# a busy machine is no fault of the code
settings.register_profile("desk", deadline=None)
settings.register_profile("judged", deadline=None, derandomize=True)
settings.load_profile("judged" if os.environ.get("CI") else "desk")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests are made of tasks that nobody listens to; what is shipped, and what the docs show, has no loose ends."""
    for item in items:
        if not {"missions", "examples"} & set(item.path.parts):
            item.add_marker(pytest.mark.filterwarnings("ignore::cardan.errors.LooseEnds"))
