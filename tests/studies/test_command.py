"""`cardan study`: files, options, exit codes."""

import json
import sys
from types import SimpleNamespace

import pytest

import cardan as cd
from cardan.cli import main
from cardan.errors import CardanError
from cardan.studies import read_plan

FILE = """
mission = "hello"
runs = 6
seed = 3
until = 20.0
keep = "failed"

[set]
ctl.P = 31.0

[record]
every = 0.5

[disperse]
ctl.K = "normal(10%)"
"body.state.omega_BN_B" = "unit_vector(uniform(0, 0.05))"

[disperse.fault]
at = "uniform(1, 10)"
kinds = { none = {}, weak = { "ctl.K" = 0.1 } }

[scalars."rate within 1 deg/s after"]
field = "err.error.omega_BR_B"
take = "settled"
within = 0.0175

[limits]
"attitude error at the end" = "<= 200"
"""


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys):
    """Runs a command in an empty folder; returns its exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["cardan", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        return int(ended.value.code or 0), told.out, told.err

    return run


def test_a_study_file_is_run_and_reported(cli, tmp_path):
    (tmp_path / "gains.toml").write_text(FILE)
    code, out, _ = cli("study", "gains.toml")
    assert code == 0 and "gains: 6 of 6 runs pass" in out
    assert {path.name for path in (tmp_path / "gains-study").iterdir()} >= {"table.csv", "report.html", "shards"}
    assert "<code>cardan study gains.toml --only " in (tmp_path / "gains-study" / "report.html").read_text()


def test_one_run_is_repeated_alone(cli, tmp_path):
    (tmp_path / "gains.toml").write_text(FILE)
    code, out, _ = cli("study", "gains.toml", "--only", "3", "--save", "run.nc", "--plot", "figures", "--json")
    told = json.loads(out)
    assert code == 0 and told["run"] == 3 and told["passed"] and "ctl.K" in told["inputs"]
    assert (tmp_path / "run.nc").exists() and list((tmp_path / "figures").iterdir())


def test_one_run_is_audited(cli):
    words = ("study", "reaction-wheels", "--only", "2", "--until", "5", "--audit")
    _, out, _ = cli(*words)
    assert "audit from 0 s to 5 s" in out and "NOT explained" not in out
    _, out, _ = cli(*words, "--json")
    rows = json.loads(out)["audit"]
    assert len(rows) > 3 and all(row["is_explained"] and row["vehicle"] == "bus" for row in rows)


def test_one_run_is_shown_in_a_page(cli, monkeypatch):
    shown = []
    monkeypatch.setattr(cd.Log, "view", lambda log: shown.append(log) or SimpleNamespace(wait=lambda: None))
    cli("study", "reaction-wheels", "--only", "2", "--until", "5", "--view")
    assert [float(log.t[-1]) for log in shown] == [5.0]


def test_a_mission_is_varied_from_the_command_line_and_judged_by_limits(cli):
    words = ("study", "hello", "--disperse", "ctl.K=normal(5%)", "--runs", "4", "--until", "20", "--json")
    code, out, _ = cli(*words, "--limit", "attitude error at the end=<= 200")
    told = json.loads(out)
    assert code == 0 and told["passed"] == 4 and told["is_enough"] and told["design"] == "Random"
    assert list(told["scalars"]["attitude error at the end"]["percentiles"]) == ["1", "5", "50", "95", "99"]
    code, out, _ = cli(*words, "--limit", "attitude error at the end=<= 1", "--into", "strict")
    assert code == 1 and json.loads(out)["failed_runs"] == [0, 1, 2, 3]
    code, _, _ = cli(*words, "--limit", "attitude error at the end=<= 1", "--into", "lax", "--require", "0")
    assert code == 0


def test_a_table_says_what_runs_are_given(cli, tmp_path):
    (tmp_path / "draws.csv").write_text("ctl.K\n3.5\n4.0\n")
    code, out, _ = cli("study", "hello", "--table", "draws.csv", "--until", "20", "--json", "--require", "0")
    assert code == 0 and json.loads(out)["runs"] == 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("study", "helo"), "There is no mission `helo`. Did you mean `hello`?"),
        (("study", "none.toml"), "There is no study file none.toml."),
        (("study", "hello", "--disperse", "ctl.K"), "`--disperse ctl.K` has no value."),
        (("study", "hello", "--disperse", "ctl.Q=normal(1)"), "Nothing of `hello` is called `ctl.Q`"),
        (("study", "hello", "--runs", "0"), "A study of 0 runs."),
        (("study", "hello", "--save", "x.nc"), "`--save` is for one run.\n  Add `--only RUN`."),
        (("study", "hello", "--view"), "`--view` is for one run.\n  Add `--only RUN`."),
        (("study", "hello", "--audit"), "`--audit` is for one run."),
        (("study", "hello", "--report", "x.pdf"), "the report is an HTML page"),
        (("study", "hello", "--only", "100000"), "There is no run 100000."),
        (("study", "hello", "--require", "2"), "require = 2.0."),
        (("study", "hello", "--design", "grid"), "There is no design 'grid'."),
    ],
)
def test_wrong_words_end_with_usage(cli, words, told):
    code, _, error = cli(*words)
    assert code == 2 and told in error


def test_a_folder_is_not_overwritten(cli):
    words = ("study", "hello", "--disperse", "ctl.K=normal(5%)", "--runs", "2", "--until", "5", "--require", "0")
    assert cli(*words)[0] == 0
    code, _, error = cli(*words)
    assert code == 1 and "hello-study has a study already, with 2 runs." in error
    assert cli(*words, "--resume")[0] == 0
    code, _, error = cli(*words, "--resume", "--seed", "5")
    assert code == 1 and "seed: 0 before, 5 now" in error


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("mission = hello", "is no TOML"),
        ("misson = 'hello'", "has `misson`, which means nothing. Did you mean `mission`?"),
        ("runs = 3", "names no mission."),
        ("mission = 'hello'\nruns = 'many'", "`runs` is a whole number, got 'many'."),
        ("mission = 'hello'\nruns = true", "`runs` is a whole number, got True."),
        ("mission = 'hello'\ndisperse = 3", "`disperse` is a table of distributions by path, got 3."),
        ("mission = 'hello'\n[disperse.fault]\nat = 3", "Give its `kinds` and `at`"),
        ("mission = 'hello'\n[scalars.x]\ntake = 'last'", "The scalar `x` is {'take': 'last'}."),
        ("mission = 'hello'\n[record]\nevry = 1", "`record` has no `evry`. Did you mean `every`?"),
        ("mission = 'hello'\nlevels = 3", "`levels` belongs to the design `factorial`."),
        ("mission = 'hello'\nbase = 3", "`base` belongs to the design `saltelli`."),
        ("mission = 'hello'\ntable = 'x.csv'\ndesign = 'sobol'", "A study has a table or the design `sobol`."),
        ("mission = 'hello'\nintegrator = 'rk5'", "There is no integrator `rk5`."),
    ],
)
def test_a_study_file_with_an_error_is_refused(tmp_path, text, told):
    path = tmp_path / "study.toml"
    path.write_text(text)
    with pytest.raises(CardanError) as caught:
        read_plan(path).study()
    assert told in str(caught.value)


def test_designs_of_files_are_understood(tmp_path):
    path = tmp_path / "study.toml"
    head = 'mission = "hello"\nuntil = 5.0\n'
    tail = '[disperse]\nctl.K = "uniform(5%)"\nctl.P = "uniform(5%)"\n'
    for design, count in (('design = "factorial"\nlevels = 2', 4), ('design = "saltelli"\nbase = 2', 8), ("", 100)):
        path.write_text(f"{head}{design}\n{tail}")
        assert read_plan(path).study().count == count
