"""Property tests explore anew on a desk, and repeat themselves where a change is judged."""

import os

from hypothesis import settings

# processes that share the cores leave each other one
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("CARDAN_COMPILE_JOBS", "1")

# a busy machine is no fault of the code
settings.register_profile("desk", deadline=None)
settings.register_profile("judged", deadline=None, derandomize=True)
settings.load_profile("judged" if os.environ.get("CI") else "desk")
