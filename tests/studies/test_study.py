"""Studies as a whole: the same table wherever they run, failures as data, folders that survive."""

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import cardan as cd
from cardan.errors import CardanError
from cardan.missions import find_mission
from cardan.studies import (
    Choice,
    Correlated,
    Factorial,
    Fault,
    FieldMeasure,
    Scalar,
    Study,
    StudyError,
    Table,
    Trace,
    Uniform,
    load_study,
    processes,
)
from cardan.studies.definition import differences
from studies.studied import VARIED, ends_badly, fails_for_heavy, last_position, small, sprung


def table(folder: Path) -> str:
    return (folder / "table.csv").read_text()


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """An undisturbed study on threads."""
    folder = tmp_path_factory.mktemp("whole") / "study"
    small().run(folder, progress=False)
    return folder


# ---- the same table wherever it runs -------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_do_not_change_the_table(whole, tmp_path, threads):
    small().run(tmp_path / "other", threads=threads, progress=False)
    assert table(tmp_path / "other") == table(whole)


def test_processes_give_the_same_table(whole, tmp_path):
    small().run(tmp_path / "other", processes=2, progress=False)
    assert table(tmp_path / "other") == table(whole)


def test_two_dask_workers_give_the_same_table(whole, tmp_path):
    from dask.distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "processes": False}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        small().run(tmp_path / "other", scheduler=client, progress=False)
    assert table(tmp_path / "other") == table(whole)


def test_more_runs_change_none_and_another_dispersion_changes_none_of_the_others(whole, tmp_path):
    more = small(20).run(progress=False)
    known = load_study(whole)
    assert np.array_equal(more["ctl.K"][:12], known["ctl.K"])
    assert np.array_equal(more["attitude error at the end"][:12], known["attitude error at the end"])
    other = small(disperse=VARIED | {"ctl.P": "normal(5%)"}).run(progress=False)
    assert np.array_equal(other["ctl.K"], known["ctl.K"])


def test_one_run_can_be_repeated_alone_to_the_bit(whole):
    known = load_study(whole)
    one = small().run_one(7)
    assert one.error is None and one.simulation is not None
    assert one.scalars["attitude error at the end"] == known["attitude error at the end"][7]
    assert one.inputs["ctl.K"] == known["ctl.K"][7]
    assert len(one.log["body.state"].t) == 41
    assert one.log.about["parts"]["ctl"]["parameters"]["K"]["value"] == known["ctl.K"][7]
    assert "run 7: passed" in str(one)


def test_a_run_of_a_mechanism_is_that_of_a_vehicle_built_so():
    """Masses, poses and starts of a batch are those of `Simulation.variant`, and of the mission's own option."""
    half = 0.5 * np.deg2rad(1.0)
    columns = {f"rw1.q_BP[{i}]": [v] for i, v in enumerate([np.cos(half), 0.0, 0.0, np.sin(half)])}
    study = Study("reaction-wheels", design=Table(columns), until=10.0, noise="same")
    option = Study("reaction-wheels", design=Table({"wheel.misalignment": [1.0]}), until=10.0, noise="same")
    assert study.definition.inputs.is_native and not option.definition.inputs.is_native
    first, second = study.run(progress=False), option.run(progress=False)
    assert first["rate at the end"][0] == second["rate at the end"][0]
    nominal = Study("reaction-wheels", runs=1, until=10.0, noise="same").run(progress=False)
    assert nominal["rate at the end"][0] != first["rate at the end"][0]


# ---- going on ------------------------------------------------------------------------------------------------------


def test_an_interrupted_study_goes_on_where_it_stopped(whole, tmp_path):
    folder = tmp_path / "other"
    shutil.copytree(whole, folder)
    shards = sorted((folder / "shards").glob("*.npz"))
    shards[1].unlink()
    (folder / "table.csv").write_text("run,half a li")
    kept = shards[0].stat().st_mtime_ns
    small().run(folder, resume=True, progress=False)
    assert table(folder) == table(whole)
    assert shards[0].stat().st_mtime_ns == kept


KILLED = """
from studies.studied import small
small({runs}, until=600.0).run({folder!r}, resume=True, threads=1, progress=False)
"""


def test_a_study_that_is_killed_again_and_again_gives_the_same_table(tmp_path):
    """SIGKILL once some shards are there: while runs go on, or while a shard or the table is being written."""
    runs, killed, done = 300, tmp_path / "killed", tmp_path / "done"
    for shards in (1, 3):
        script = KILLED.format(runs=runs, folder=str(killed))
        process = subprocess.Popen([sys.executable, "-c", script], cwd=Path(__file__).parents[1])
        while process.poll() is None and len(list(killed.glob("shards/*.npz"))) < shards:
            time.sleep(0.002)
        process.kill()
        assert process.wait() == -signal.SIGKILL
    kept = len(load_study(killed))
    assert 0 < kept < runs
    for folder in (killed, done):
        small(runs, until=600.0).run(folder, resume=True, progress=False)
    assert table(killed) == table(done)


def test_a_folder_with_results_is_not_overwritten(whole):
    with pytest.raises(StudyError) as caught:
        small().run(whole, progress=False)
    assert "has a study already, with 12 runs.\n  Go on with it by `--resume`" in str(caught.value)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"seed": 4}, "seed: 3 before, 4 now"),
        ({"until": 30.0}, "until_s: 20.0 before, 30.0 now"),
        ({"disperse": VARIED | {"ctl.K": "normal(5%)"}}, "disperse.ctl.K: 'Normal(sigma=Percent(value=10)"),
        ({"settings": {"ctl.P": 31.0}}, "settings.ctl.P: only now: 31.0"),
        ({"integrator": cd.Rk4(step=0.25)}, "integrator: "),
        ({"scalars": [Scalar("end", FieldMeasure("err.error.sigma_BR"))]}, "scalars.end: only now"),
    ],
)
def test_a_study_does_not_mix_with_another(whole, options, told):
    with pytest.raises(StudyError) as caught:
        small(**options).run(whole, resume=True, progress=False)
    assert "has another study, so this one cannot go on in it. What differs:" in str(caught.value)
    assert told in str(caught.value)


def test_limits_and_more_runs_are_not_another_study(whole, tmp_path):
    folder = tmp_path / "other"
    shutil.copytree(whole, folder)
    results = small(14, limits={"attitude error at the end": "<= 0.001"}).run(folder, resume=True, progress=False)
    assert len(results) == 14 and not results.passed.any()


def test_a_latin_hypercube_with_more_runs_is_another_study(tmp_path):
    small(4, design="latin-hypercube").run(tmp_path / "s", progress=False)
    with pytest.raises(StudyError, match="runs: 4 before, 6 now"):
        small(6, design="latin-hypercube").run(tmp_path / "s", resume=True, progress=False)


def test_differences_name_what_is_gone():
    assert list(differences({"a": {"b": 1}}, {"a": {}})) == ["a.b: no longer: 1"]


# ---- what is damaged, full, or not there ---------------------------------------------------------------------------


def test_a_damaged_shard_is_named_and_nothing_else_is_lost(whole, tmp_path):
    folder = tmp_path / "other"
    shutil.copytree(whole, folder)
    shard = sorted((folder / "shards").glob("*.npz"))[0]
    content = bytearray(shard.read_bytes())
    content[len(content) // 2] ^= 1
    shard.write_bytes(content)
    with pytest.raises(StudyError) as caught:
        small().run(folder, resume=True, progress=False)
    first, last = (int(number) for number in shard.stem.split("-"))
    assert f"{shard} is damaged" in str(caught.value)
    assert f"Delete it and go on by `--resume`: runs {first} to {last} are repeated." in str(caught.value)
    shard.unlink()
    small().run(folder, resume=True, progress=False)
    assert table(folder) == table(whole)


def test_half_a_shard_is_named(whole, tmp_path):
    folder = tmp_path / "other"
    shutil.copytree(whole, folder)
    shard = sorted((folder / "shards").glob("*.npz"))[0]
    shard.write_bytes(shard.read_bytes()[:100])
    with pytest.raises(StudyError, match="is not a shard of Cardan, or only a part of one"):
        load_study(folder)


def test_a_damaged_definition_is_named(whole, tmp_path):
    folder = tmp_path / "other"
    shutil.copytree(whole, folder)
    content = json.loads((folder / "definition.json").read_text())
    content["definition"]["seed"] = 99
    (folder / "definition.json").write_text(json.dumps(content))
    with pytest.raises(StudyError) as caught:
        load_study(folder)
    assert "definition.json is damaged: its contents are not those that its fingerprint was made of" in str(
        caught.value
    )


def test_a_full_disk_keeps_what_is_finished(tmp_path, monkeypatch):
    import errno

    from cardan.studies import folder as module

    real, count = module.written_whole, iter(range(100))

    def full(path):
        if "shards" in str(path) and next(count) >= 2:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return real(path)

    monkeypatch.setattr(module, "written_whole", full)
    with pytest.raises(StudyError) as caught:
        small().run(tmp_path / "s", progress=False)
    assert "A shard cannot be written to" in str(caught.value) and "No space left on device" in str(caught.value)
    assert "All runs before it are kept: go on by `--resume`." in str(caught.value)
    monkeypatch.undo()
    kept = load_study(tmp_path / "s")
    assert 0 < len(kept) < 12
    assert len(small().run(tmp_path / "s", resume=True, progress=False)) == 12


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StudyError, match="The study cannot be written to"):
        small().run(tmp_path / "file" / "study", progress=False)


def test_a_folder_without_a_study_is_named(tmp_path):
    with pytest.raises(StudyError, match=r"has no study: there is no definition\.json in it"):
        load_study(tmp_path)


def test_a_cluster_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr("cardan.studies.cluster._WAIT", 0.5)
    with pytest.raises(CardanError) as caught:
        small().run(scheduler="tcp://127.0.0.1:9", progress=False)
    assert "There is no Dask scheduler at tcp://127.0.0.1:9" in str(caught.value)
    assert "Start one with `dask scheduler`" in str(caught.value)


def test_runs_that_end_their_process_or_are_overdue_have_failed_and_the_others_go_on(monkeypatch):
    monkeypatch.setattr(processes, "_GRACE", 2.0)
    monkeypatch.setattr(processes, "_PATIENCE", 1)
    study = Study(
        sprung,
        design=Table({"mass": [3.0, 4.0, 2.0]}),
        until=1.0,
        timeout=0.5,
        scalars=[Scalar("judged", ends_badly)],
    )
    block = study.run(processes=1, progress=False).block
    assert block.status.tolist() == ["failed", "timed out", "ok"]
    assert "WorkerDied: the process that did it ended with code -9, 1 times" in block.error[0]
    assert block.error[1] == "RunTimeout: `sprung` was not done after 0.5 s of wall time."


# ---- failures are data ---------------------------------------------------------------------------------------------


def test_a_run_that_raises_has_its_row_and_the_others_go_on():
    study = Study(
        sprung, {"plant.mass": Uniform(1.0, 3.0)}, runs=10, until=1.0, scalars=[Scalar("mass", fails_for_heavy, "kg")]
    )
    results = study.run(progress=False)
    heavy = results["plant.mass"] > 2.0
    assert heavy.any() and not heavy.all()
    assert np.array_equal(results.block.status == "failed", heavy)
    assert set(results.block.error[heavy]) == {"ValueError: too heavy to judge"}
    assert np.isnan(results["mass"][heavy]).all()
    assert results.failures().tolist() == np.flatnonzero(heavy).tolist()


def test_a_run_that_diverges_has_its_row():
    study = Study(
        "hello",
        design=Table({"ctl.K": [3.5, 1e300]}),
        until=60.0,
    )
    results = study.run(progress=False)
    assert results.block.status.tolist() == ["ok", "failed"]
    assert "NotFinite" in results.block.error[1]


def test_a_run_that_takes_too_long_has_its_row():
    study = small(2, until=600.0, timeout=1e-6, disperse={}, limits={})
    results = study.run(progress=False)
    assert results.block.status.tolist() == ["timed out", "timed out"]
    assert results.block.error[0] == "RunTimeout: `hello` was not done after 1e-06 s of wall time."


def test_logs_of_runs_that_do_not_pass_are_kept(tmp_path):
    study = small(6, keep="failed", limits={"attitude error at the end": "<= 72"})
    results = study.run(tmp_path / "s", progress=False)
    failed = results.failures()
    assert 0 < len(failed) < 6
    kept = sorted(path.name for path in (tmp_path / "s" / "logs").iterdir())
    assert kept == [f"run-{run:07}.nc" for run in failed]
    log = cd.load_log(tmp_path / "s" / "logs" / kept[0])
    assert log.about["parts"]["ctl"]["parameters"]["K"]["value"] == results["ctl.K"][failed[0]]


def test_logs_of_chosen_runs_are_kept(tmp_path):
    small(4, keep=[1, 3]).run(tmp_path / "s", progress=False)
    assert [path.name for path in sorted((tmp_path / "s" / "logs").iterdir())] == ["run-0000001.nc", "run-0000003.nc"]


# ---- what can vary -------------------------------------------------------------------------------------------------


def test_arguments_of_a_function_vary():
    study = Study(
        sprung,
        {"mass": Uniform(1.0, 3.0), "kind": Choice("soft", "stiff"), "pid.K_p": "normal(1%)"},
        design=Factorial(2),
        until=5.0,
        scalars=[Scalar("end", last_position, "m")],
        traces=[Trace("position", lambda log: log["plant.state"].position, "m", samples=11)],
    )
    results = study.run(progress=False)
    assert len(results) == 8
    is_soft = results["kind"] == "soft"
    assert results["end"][is_soft].min() > results["end"][~is_soft].max()
    assert results.envelope("position").most[-1] == results["end"].max()


def test_faults_strike_when_they_are_drawn_to():
    weak = Fault({"none": {}, "weak": {"ctl.K": 0.1, "ctl.P": 1.0}}, at="uniform(1, 10)")
    results = small(8, disperse={"fault": weak}, limits={}).run(progress=False)
    is_weak = results["fault.kind"] == "weak"
    assert is_weak.any() and not is_weak.all()
    assert len(set(results["rate at the end"][~is_weak])) == 1
    assert len(set(results["rate at the end"][is_weak])) > 2  # some strike between the same two ticks
    assert results.about.input_units["fault.at"] == "s"


def test_a_group_of_correlated_numbers_varies():
    group = Correlated(["ctl.K", "ctl.P"], [[0.01, 0.05], [0.05, 1.0]])
    results = small(8, disperse={"gains": group}).run(progress=False)
    assert list(results.block.inputs) == ["ctl.K", "ctl.P"]
    assert np.ptp(results["ctl.P"]) > 0.0


def test_elements_of_arrays_vary():
    how = {"body.state.omega_BN_B[2]": "uniform(0, 1e-3)", "body.state.omega_BN_B[0]": "uniform(0, 1e-3)"}
    study = small(3, disperse=how)
    given = study.definition.inputs.given(np.arange(3)).starts["body"]["omega_BN_B"]
    assert np.ptp(given[:, 0]) > 0.0 and np.ptp(given[:, 2]) > 0.0
    assert np.array_equal(given[:, 1], [-0.01] * 3)


def test_numbers_of_a_mechanism_and_states_of_joints_vary():
    how = {
        "rw1.mass": "normal(5%)",
        "rw1Spin.damping": "uniform(0, 1e-5)",
        "rw1Spin.state.rate": "normal(10%)",
        "bus.r_CB_B": "normal(0.01)",
        "bus.motion.sigma_BN": "small_rotation(5 deg)",
    }
    study = Study("reaction-wheels", how, runs=3, until=5.0, settings={"bus.mass": 800.0})
    assert study.definition.inputs.is_native
    results = study.run(progress=False)
    assert results.block.is_ok.all()
    one = study.run_one(2)
    assert one.scalars["rate at the end"] == results["rate at the end"][2]
    assert one.log.about["numbers"]["bus.mass"] == 800.0


def test_every_run_has_random_numbers_of_its_own_or_none_has():
    settings = {"nav.attitude_noise": 1e-3}
    for noise, different in (("each", 3), ("same", 1)):
        study = Study("reaction-wheels", runs=3, until=2.0, settings=settings, noise=noise)
        assert len(set(study.run(progress=False)["rate at the end"])) == different


def test_a_study_is_run_as_a_table_says(tmp_path):
    first = small(5).run(progress=False)
    first.save(tmp_path / "table.csv")
    import pandas

    columns = pandas.read_csv(tmp_path / "table.csv").iloc[:, 1:14].rename(columns=lambda name: name)
    again = small(None, disperse={}, design=Table(columns)).run(progress=False)
    assert np.array_equal(again["attitude error at the end"], first["attitude error at the end"])


@pytest.mark.parametrize("name", ["hello", "reaction-wheels", "thruster-arms", "sep-point", "gateway-inspection"])
def test_ready_studies_are_ready(name):
    """Every path of a mission's own study is found, and three draws can be built."""
    from cardan.studies import ready_plan

    study = ready_plan(name).study()
    assert study.count == find_mission(name).campaign.runs
    assert study.definition.all_limits
    for run in range(3):
        assert study.inputs(run)
