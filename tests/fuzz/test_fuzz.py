"""The short form of the campaign: some cases of every kind, each time others on a desk, the same where it is judged."""

import os
import random
import sys

import pytest

from fuzz.campaign import Case, Kind, run_kind, shares, table
from fuzz.kinds import KINDS

# [cases] of each kind, some 40 s on one core in all; caches are compiled anew in every case, so there are few of them
CASES = {
    "damaged files": 60, "damaged caches": 1, "ctrl-c": 15, "kills": 3, "full disks": 10, "small memories": 2,
    "scenarios": 10, "one file": 3, "one cache": 1, "mjcf": 25, "urdf": 25, "words": 25, "batches": 8,
    "rewiring": 6,
}  # fmt: skip
SEED = 1 if os.environ.get("CI") else random.randrange(1_000_000)

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="cases run in copies of a process")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", KINDS)
def test_no_case_finds_anything(name, tmp_path):
    result = run_kind(KINDS[name], SEED, CASES[name], keep_in=tmp_path)
    told = "\n\n".join(f"{finding.command}\n{finding.what}" for finding in result.findings)
    assert not result.findings, f"seed {SEED}, kept in {tmp_path}\n{told}"
    assert result.cases == CASES[name]


class TestHarness:
    """What goes wrong in a case is found, whatever it is, and the next case is run."""

    @staticmethod
    def result(run, tmp_path, count=3, limit=5.0):
        return run_kind(Kind("made up", run, 1, limit, lambda: None, False), 10, count, keep_in=tmp_path)

    def test_an_exception_is_found_and_kept_with_what_the_case_wrote(self, tmp_path):
        def run(case: Case) -> None:
            (case.folder / "case.txt").write_text("all of it")
            if case.folder.name == "11":
                raise ZeroDivisionError("by nothing")

        result = self.result(run, tmp_path)
        assert result.cases == 3
        (finding,) = result.findings
        assert finding.command == "python -m fuzz --kind 'made up' --seed 11 --cases 1"
        assert finding.what.strip().endswith("ZeroDivisionError: by nothing")
        assert (tmp_path / "made-up-11" / "case.txt").read_text() == "all of it"
        assert (tmp_path / "made-up-11" / "finding.txt").read_text().startswith(finding.command)

    def test_a_crash_is_found(self, tmp_path):
        def run(case: Case) -> None:
            if case.folder.name == "11":
                os.abort()

        result = self.result(run, tmp_path)
        assert result.cases == 3
        assert result.findings[0].what.endswith("crash: signal 6")

    def test_a_hang_is_found(self, tmp_path):
        def run(case: Case) -> None:
            while case.folder.name == "10":
                pass

        result = self.result(run, tmp_path, limit=0.5)
        assert result.cases == 3
        assert result.findings[0].what.endswith("hangs: more than 0.5 s")

    def test_changes_that_do_not_matter_are_left_out(self, tmp_path):
        def run(case: Case) -> None:
            numbers = [rng.random() for rng in case.changes(6)]
            assert not [number for number in numbers if number > 0.7], "too large"

        findings = self.result(run, tmp_path, count=20).findings
        assert findings and all(finding.kept is None or len(finding.kept) == 1 for finding in findings)
        assert " --changes " in next(finding for finding in findings if finding.kept).command

    def test_a_seed_gives_the_same_case_again(self, tmp_path):
        first, again = (Case("a", 5, tmp_path) for _ in range(2))
        assert first.rng.random() == again.rng.random()
        assert [rng.random() for rng in first.changes(9)] == [rng.random() for rng in again.changes(9)]

    def test_every_kind_has_cases_in_a_campaign_and_a_line_in_its_table(self, tmp_path):
        counts = shares(10_000, KINDS)
        assert set(counts) == set(KINDS) == set(CASES)
        assert min(counts.values()) >= 1
        assert abs(sum(counts.values()) - 10_000) < len(KINDS)
        result = self.result(lambda case: None, tmp_path)
        assert table([result]).splitlines()[1].split()[:4] == ["made", "up", "3", "0"]
