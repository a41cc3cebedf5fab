"""Every script in examples/ runs, is short, and prints the numbers written beside it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
# a whole mission, with its vehicle, its flight software and its results, may take more room
WHOLE_MISSIONS = ("04_branching_panels", "05_reaction_wheels", "06_thruster_arms")
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")


def test_there_are_examples():
    assert len(EXAMPLES) >= 3


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_prints_what_stands_beside_it(path, tmp_path):
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    expected = path.with_suffix(".out").read_text()
    # the words are the same, and so are the numbers to the digits that are shown
    assert NUMBER.sub("#", done.stdout) == NUMBER.sub("#", expected)
    numbers = [[float(n) for n in NUMBER.findall(text)] for text in (done.stdout, expected)]
    assert numbers[0] == pytest.approx(numbers[1], rel=1e-3, abs=1e-12)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_fits_on_a_screen(path):
    assert len(path.read_text().splitlines()) <= (80 if path.stem in WHOLE_MISSIONS else 60)
