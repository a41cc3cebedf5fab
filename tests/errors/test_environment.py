"""Environment variables that say nothing sensible."""

import pytest

from cardan.errors import SettingError
from cardan.native.compilation import job_count
from errors.conftest import refused


@pytest.mark.parametrize("jobs", ["0", "-1", "two", "1.5"])
def test_a_number_of_jobs_is_a_whole_number(jobs, monkeypatch):
    monkeypatch.setenv("CARDAN_COMPILE_JOBS", jobs)
    with refused(
        SettingError,
        f"""
        The environment variable CARDAN_COMPILE_JOBS is {jobs!r}.
          expected a whole number of processes, 1 or more
          Set it to 1 to compile in one process, or remove it to use all cores.
        """,
    ):
        job_count()
