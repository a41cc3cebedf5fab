"""What a study refuses, and what it says."""

import numpy as np
import pytest

from cardan.errors import CardanError
from cardan.studies import (
    Choice,
    Fault,
    FieldMeasure,
    Scalar,
    Study,
    Table,
    Trace,
    Uniform,
)
from studies.studied import fails_for_heavy, small, sprung


def of_a_mass(mass):
    """An argument without a default."""
    return sprung(mass)


def refusal(action) -> str:
    with pytest.raises(CardanError) as caught:
        action()
    return str(caught.value)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            {"disperse": {"ctl.k": "normal(5%)"}},
            "Nothing of `hello` is called `ctl.k`, so it cannot vary. Did you mean `ctl.K`?",
        ),
        ({"disperse": {"body.state.omega": "normal(5%)"}}, "Did you mean `body.state.omega_BN_B`?"),
        ({"disperse": {"ctl.K[1]": "normal(5%)"}}, "`ctl.K[1]` is no element of `ctl.K`, which has shape ()."),
        ({"disperse": {"ctl.K": 5}}, "`ctl.K` varies by 5, which is no distribution."),
        ({"disperse": {"ctl.K": Choice([1.0, 2.0])}}, "`ctl.K` has shape (), and its distribution gives (2,)."),
        ({"runs": 0}, "A study of 0 runs.\n  Use a whole number, at least 1."),
        ({"runs": None}, "A study of None runs."),
        ({"seed": 1.5}, "The seed of a study is 1.5."),
        ({"noise": "some"}, 'noise = \'some\'.\n  Use "each" or "same".'),
        ({"design": "sobl"}, "There is no design 'sobl'. Did you mean `sobol`?"),
        ({"until": 0.0}, "A study of runs of 0 s."),
        ({"limits": {"attitude error at the ned": 1}}, "Did you mean `attitude error at the end`?"),
        ({"limits": {"attitude error at the end": "= 3"}}, "The limit of `attitude error at the end` is '= 3'."),
        ({"limits": {"attitude error at the end": None}}, "The limit of `attitude error at the end` is None."),
        ({"keep": "some"}, 'keep = \'some\'.\n  Use "none", "failed", "all"'),
        ({"timeout": 0}, "timeout = 0."),
        ({"scalars": [Scalar("a", len), Scalar("a", len)]}, "There are two scalars `a`."),
        (
            {"disperse": {"ctl.K": "normal(1)"}, "design": Table({"ctl.K": [1.0]})},
            "The table says what runs are given, and so does `disperse`",
        ),
        ({"dynamics": "mujoco"}, "`hello` has no mechanism"),
    ],
)
def test_what_cannot_be_a_study_is_refused(options, told):
    runs = options.pop("runs", 4)
    assert told in refusal(lambda: small(runs, **options).inputs(0))


def test_what_is_studied_is_a_mission_or_a_function():
    assert "A study of 5." in refusal(lambda: Study(5, runs=1))
    assert "There is no mission `helo`. Did you mean `hello`?" in refusal(lambda: Study("helo", runs=1))
    assert "Nothing says how long a run of `sprung` is." in refusal(lambda: Study(sprung, runs=1))
    assert "The study `sprung` looks at nothing." in refusal(lambda: Study(sprung, runs=1, until=1.0))
    assert "returned None" in refusal(lambda: Study(lambda: None, runs=1, until=1.0))
    assert "needs a value of `mass`" in refusal(lambda: Study(of_a_mass, runs=1, until=1.0))
    assert "dynamics = 'mujoco'." in refusal(
        lambda: Study(sprung, runs=1, until=1.0, dynamics="mujoco", scalars=[Scalar("m", fails_for_heavy)])
    )


def test_a_distribution_that_leaves_the_physical_range_is_refused_before_anything_runs(tmp_path):
    study = Study("reaction-wheels", {"bus.mass": "normal(80%)"}, runs=200, until=1.0)
    told = refusal(lambda: study.run(tmp_path / "s", progress=False))
    assert "would be given what cannot be:" in told and "`bus.mass` must be positive." in told
    assert "Use a distribution that stays within bounds: `lognormal(...)`" in told
    assert not (tmp_path / "s").exists()


def test_a_number_beyond_what_its_part_allows_is_refused():
    told = refusal(lambda: small(300, disperse={"body.inertia_B": Choice(np.eye(3), -np.eye(3))}).run(progress=False))
    assert "`body.inertia_B`" in told


def test_whole_numbers_stay_whole():
    study = Study("sep-point", {"swaps": "normal(1)"}, runs=3)
    told = refusal(lambda: study.inputs(0))
    assert "`swaps` is a whole number, and a Normal gives others." in told


def test_a_path_varies_in_one_way():
    from cardan.studies import Correlated

    told = refusal(lambda: small(disperse={"ctl.K": "normal(1%)", "both": Correlated(["ctl.K", "ctl.P"], np.eye(2))}))
    assert "`ctl.K` varies in two ways." in told


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Fault({}, at=1.0), "The kinds of a fault are {}."),
        (lambda: Fault({"weak": {}}, at=1.0), "The fault `weak` changes {}."),
        (lambda: Fault({"none": {}}, at=1.0, weights={"weak": 1.0}), "has a weight for `weak`, and no such kind"),
        (
            lambda: small(disperse={"fault": Fault({"weak": {"ctl.k": 1.0}}, at=1.0)}),
            "The fault `fault` changes `ctl.k`, which is no parameter. Did you mean `ctl.K`?",
        ),
        (
            lambda: small(disperse={"fault": Fault({"weak": {"body.inertia_B": -np.eye(3)}}, at=1.0)}),
            "`body.inertia_B`",
        ),
    ],
)
def test_faults_that_cannot_be_are_refused(make, told):
    assert told in refusal(make)


def test_there_are_no_other_runs():
    study = small()
    assert "There is no run 12.\n  Runs are numbered from 0 to 11." in refusal(lambda: study.run_one(12))
    assert "There is no run 'one'." in refusal(lambda: study.inputs("one"))


def test_where_a_study_runs_is_said_once(tmp_path):
    study = small()
    assert "processes = 0." in refusal(lambda: study.run(processes=0))
    assert "threads = 1.5." in refusal(lambda: study.run(threads=1.5))
    assert "on processes or on a cluster" in refusal(lambda: study.run(processes=1, scheduler="tcp://x:1"))
    assert "Nothing says where the study is that is to go on." in refusal(lambda: study.run(resume=True))
    assert "folder = ''." in refusal(lambda: study.run(""))


def test_a_function_that_cannot_be_sent_says_so():
    study = Study(sprung, runs=2, until=1.0, scalars=[Scalar("end", lambda log: 0.0)])
    told = refusal(lambda: study.run(processes=1, progress=False))
    assert "cannot be sent to processes" in told and "Define its functions at the top of a module" in told


def test_a_curve_of_the_wrong_length_fails_its_run():
    study = Study(
        sprung, runs=1, until=1.0, scalars=[Scalar("m", fails_for_heavy)], traces=[Trace("c", lambda log: np.zeros(2))]
    )
    results = study.run(progress=False)
    assert "The curve `c` has values of shape (2,) for 11 times." in results.block.error[0]


def test_measures_that_mean_nothing_are_refused():
    assert "take = 'lst'. Did you mean `last`?" in refusal(lambda: FieldMeasure("a.b.c", "lst"))
    assert "`within` says how small it must be" in refusal(lambda: FieldMeasure("a.b.c", "settled"))


def test_a_table_that_names_nothing_is_refused():
    assert "Nothing of `hello` is called `ctl.Q`" in refusal(
        lambda: small(None, disperse={}, design=Table({"ctl.Q": [1.0]}))
    )


def test_results_know_what_they_have(tmp_path):
    results = small(3).run(progress=False)
    assert "has neither a scalar nor an input `ctl.P`" in refusal(lambda: results["ctl.P"])
    assert "has no scalar `rate at the ned`. Did you mean `rate at the end`?" in refusal(
        lambda: results.scalar("rate at the ned")
    )
    assert "keeps no curve `x`" in refusal(lambda: results.envelope("x"))
    assert "Sobol indices need the design `saltelli`" in refusal(lambda: results.sobol_indices("rate at the end"))
    assert "has no ending that says how to write it" in refusal(lambda: results.save(tmp_path / "table.txt"))
    assert "The table cannot be written to" in refusal(lambda: results.save(tmp_path / "none" / "table.csv"))
    assert "The report cannot be written to" in refusal(lambda: results.report(tmp_path / "none" / "page.html"))
    other = small(3, disperse={"ctl.K": Uniform(1.0, 2.0)}).run(progress=False)
    assert "Run 0 was given another `ctl.K` in the second study" in refusal(lambda: results.compare(other))
