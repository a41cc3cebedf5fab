"""What the command line says to wrong input, and with which exit code it ends."""

import contextlib
import io
import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple

import numpy as np
import pytest
import typer

import cardan as cd
from cardan.cli import main
from cardan.cli.program import app
from cardan.cli.words import print_json
from cardan.errors import OutOfMemory, SettingError, UnknownName
from cardan.missions import MISSIONS
from cardan.missions.mission import Mission
from cardan.plots import chart
from cardan.simulation.record import Samples

FAILED, USAGE, INTERRUPTED = 1, 2, 130


class Ended(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def cardan(monkeypatch, capsys) -> Callable[..., Ended]:
    """Runs the command line as the shell does."""

    def run(*arguments: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["cardan", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return Ended(int(ended.value.code or 0), *capsys.readouterr())

    return run


@pytest.fixture
def hello(cardan) -> Callable[..., Ended]:
    """Runs the first two seconds of a mission in plain Python."""
    return lambda *arguments: cardan("run", "hello", "--no-jit", "--until", "2", *arguments)


def not_to_be_called(*_: object, **__: object) -> None:
    raise AssertionError("what is wrong should have been found before")


def exhausted(_: object) -> None:
    raise OutOfMemory("no more")


def assert_refused(ended: Ended, text: str) -> None:
    """Nothing but the text, on the right stream, and the code for wrong usage."""
    assert ended == (USAGE, "", dedent(text).strip() + "\n")


def test_a_right_command_ends_with_zero(hello):
    ended = hello("--json")
    assert (ended.code, ended.err) == (0, "")


@pytest.mark.parametrize("command", ["run", "info"])
def test_a_misspelt_mission_is_refused(cardan, command):
    assert_refused(
        cardan(command, "mass-spring-dampr"),
        f"""
        UnknownName: There is no mission `mass-spring-dampr`. Did you mean `mass-spring-damper`?
          missions: {", ".join(MISSIONS)}
        """,
    )


class TestIntegrators:
    @pytest.mark.parametrize(
        ("name", "advice"),
        [("rkf44", " Did you mean `Rkf45`?"), ("dop835", " Did you mean `Dop853`?"), ("simplectic", "")],
    )
    def test_a_misspelt_integrator_is_refused(self, hello, name, advice):
        names = "ExplicitEuler, SemiImplicitEuler, Heun, Rk4, BogackiShampine32, DormandPrince54, Rkf45, Rkf78, Dop853"
        names += ", Rodas3, Rodas4"
        assert_refused(
            hello("--integrator", name),
            f"""
            UnknownName: There is no integrator `{name}`.{advice}
              integrators: {names}
            """,
        )

    @pytest.mark.parametrize(
        ("text", "cls", "key", "advice", "known"),
        [
            ("rk4:stp=0.1", "Rk4", "stp", " Did you mean `step`?", "step"),
            ("rk4:0.1", "Rk4", "0.1", "", "step"),
            (
                "dop853:step=0.1",
                "Dop853",
                "step",
                " Did you mean `min_step`?",
                "rtol, atol, first_step, min_step, max_step",
            ),
            ("dop853:tolerances=1", "Dop853", "tolerances", "", "rtol, atol, first_step, min_step, max_step"),
        ],
    )
    def test_a_misspelt_argument_is_refused(self, hello, text, cls, key, advice, known):
        assert_refused(
            hello("--integrator", text),
            f"""
            UnknownName: {cls} has no argument `{key}`.{advice}
              arguments: {known}
            """,
        )

    @pytest.mark.parametrize(("text", "value"), [("rk4:step=fast", "fast"), ("rk4:step=", ""), ("rk4:step", "")])
    def test_an_argument_is_a_number(self, hello, text, value):
        assert_refused(hello("--integrator", text), f"SettingError: `--integrator {text}`: `{value}` is not a number.")

    @pytest.mark.parametrize("text", ["rk4", "rk4:", "semi-implicit-euler"])
    def test_a_fixed_step_is_given(self, hello, text):
        cls = "Rk4" if text.startswith("rk4") else "SemiImplicitEuler"
        name = text.rstrip(":")
        assert_refused(
            hello("--integrator", text),
            f"""
            SettingError: {cls} needs a step.
              Write e.g. `--integrator {name}:step=0.1`.
            """,
        )

    def test_a_setting_that_makes_no_sense_is_refused(self, hello):
        assert_refused(
            hello("--integrator", "rk4:step=-1"),
            """
            IntegratorError: Rk4(step=-1.0): the step must be positive, got -1.0 s.
              Use e.g. step=0.1.
            """,
        )
        assert_refused(
            hello("--integrator", "dop853:rtol=-1"),
            """
            IntegratorError: Dop853: tolerances must be finite and not negative, and one must be positive.
              got absolute 1e-10, relative -1.0
            """,
        )

    def test_a_step_that_does_not_fit_the_mission_is_refused(self, hello):
        assert_refused(
            hello("--integrator", "rk4:step=0.3"),
            """
            PeriodError: `err` runs every 0.5 s, which is not a whole number of base ticks (0.3 s).
              Use 0.3 or 0.6, or give the integrator a step of 0.1 s.
            """,
        )


class TestSettings:
    def test_a_setting_without_a_value_is_refused(self, hello):
        assert_refused(
            hello("--set", "ctl.K"),
            """
            SettingError: `--set ctl.K` has no value.
              Write `--set part.parameter=value`.
            """,
        )

    @pytest.mark.parametrize("value", ["abc", "", "1,2", "[1,", "True"])
    def test_a_value_is_a_number_or_a_list(self, hello, value):
        assert_refused(
            hello("--set", f"ctl.K={value}"),
            f"""
            SettingError: `--set ctl.K={value}`: `{value}` is not a number, a list or true/false.
              Write e.g. `ctl.K=5.0` or `ctl.inertia_B=[[900,0,0],[0,800,0],[0,0,600]]`.
            """,
        )

    @pytest.mark.parametrize("value", [5000 * "[", 5000 * "[" + 5000 * "]", 100 * "[" + 100 * "]", 3000 * '{"a":'])
    def test_brackets_within_brackets_are_no_value(self, hello, value):
        assert_refused(
            hello("--set", f"ctl.K={value}"),
            f"""
            SettingError: `--set ctl.K={value[:51]}...`: `{value[:57]}...` is not a number, a list or true/false.
              Write e.g. `ctl.K=5.0` or `ctl.inertia_B=[[900,0,0],[0,800,0],[0,0,600]]`.
            """,
        )

    @pytest.mark.parametrize("digits", [400, 5000])
    def test_a_number_has_any_digits_but_is_finite(self, hello, digits):
        assert_refused(
            hello("--set", f"ctl.K={'9' * digits}"),
            f"""
            SettingError: `--set ctl.K={"9" * 51}...`: `ctl.K` is not finite: inf.
              Give a finite value [N m].
            """,
        )
        assert hello("--set", f"ctl.K=3.{'5' * digits}").code == 0

    def test_a_value_has_the_shape_of_its_parameter(self, hello):
        assert_refused(
            hello("--set", "body.inertia_B=[900,800,600]"),
            "SettingError: `--set body.inertia_B=[900,800,600]`: `body.inertia_B` expects an array of shape (3, 3) "
            "[kg m^2], got shape (3,): [900, 800, 600].",
        )
        assert_refused(
            hello("--set", 'ctl.K="5"'),
            """SettingError: `--set ctl.K="5"`: `ctl.K` expects a number [N m], got '5'.""",
        )

    def test_a_value_is_what_its_parameter_must_be(self, hello):
        assert_refused(
            hello("--set", "ctl.integral_limit=-1"),
            """
            SettingError: `--set ctl.integral_limit=-1`: `ctl.integral_limit` must be zero or positive.
              got -1.0 N m s
            """,
        )

    def test_a_value_is_finite(self, hello):
        assert_refused(
            hello("--set", "ctl.K=NaN"),
            """
            SettingError: `--set ctl.K=NaN`: `ctl.K` is not finite: nan.
              Give a finite value [N m].
            """,
        )

    def test_a_misspelt_part_is_refused(self, hello):
        assert_refused(
            hello("--set", "clt.K=1"),
            """
            UnknownName: `clt.K`: there is no part `clt`. Did you mean `ctl`?
              parts: body, err, ctl
            """,
        )

    def test_a_misspelt_parameter_is_refused(self, hello):
        assert_refused(
            hello("--set", "ctl.k=1"),
            """
            UnknownName: `ctl` (MrpFeedback) has no parameter `k`. Did you mean `K`?
              parameters: K, P, inertia_B, Ki, integral_limit, is_gyroscopic_full
            """,
        )

    def test_a_parameter_has_a_part(self, hello):
        assert_refused(
            hello("--set", "K=1"),
            """
            UnknownName: `K` is not the path of a parameter.
              Write `part.parameter`, e.g. `ctl.K`.
            """,
        )


class TestOptions:
    def test_a_text_needs_no_quotes_and_names_what_is_missing(self, cardan, tmp_path):
        ended = cardan("run", "gimbal-command", "--set", f"tables={tmp_path}")
        assert ended.code == USAGE and ended.out == ""
        assert f"SettingError: `{tmp_path}` has no `motor1.csv` and no `motor2.csv` and no `tip.csv`" in ended.err

    def test_large_tables_are_shown_by_their_size(self, cardan):
        ended = cardan("info", "gimbal-command")
        assert ended.code == 0 and "111 x 75 numbers from 0 to 2.79253" in " ".join(ended.out.split())

    def test_a_mission_without_a_mechanism_has_no_dynamics_to_choose(self, hello):
        assert_refused(
            hello("--dynamics", "articulated-body"),
            """
            SettingError: `hello` has no mechanism, so `--dynamics articulated-body` has nothing to act on.
              Leave it out.
            """,
        )

    def test_a_run_does_not_end_before_it_begins(self, hello):
        assert_refused(
            hello("--until", "-1"),
            """
            PeriodError: `--until` is -1.0 s.
              A run begins at 0 s; use a time that is not before.
            """,
        )

    @pytest.mark.parametrize("value", ["inf", "nan"])
    def test_the_end_of_a_run_is_a_time(self, hello, value):
        assert_refused(
            hello("--until", value),
            f"""
            PeriodError: `--until` is {value} s, which is not a time.
              Use a finite number of seconds (up to 146 years).
            """,
        )

    @pytest.mark.parametrize(
        "arguments",
        [("run",), ("fly", "hello"), ("run", "hello", "--until", "soon"), ("run", "hello", "--seed", "1.5")],
    )
    def test_what_the_command_line_cannot_read_is_wrong_usage(self, cardan, arguments):
        ended = cardan(*arguments)
        assert ended.code == USAGE
        assert ended.out == ""
        assert ended.err.startswith("Usage: ")

    def test_a_folder_for_figures_that_is_a_file_is_refused(self, hello, tmp_path):
        (tmp_path / "figures").write_text("")
        assert_refused(
            hello("--plot", str(tmp_path / "figures")),
            f"SettingError: `--plot {tmp_path / 'figures'}`: the folder cannot be made: File exists.",
        )

    def test_figures_need_matplotlib(self, hello, tmp_path, monkeypatch):
        monkeypatch.setattr(cd.Simulation, "run", not_to_be_called)
        monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
        ended = hello("--plot", str(tmp_path))
        assert ended == (
            FAILED,
            "",
            "MissingExtra: Plotting needs matplotlib.\n  Install it with `pip install cardan[plots]`.\n",
        )

    def test_a_log_that_cannot_be_written_fails_before_the_run(self, hello, tmp_path, monkeypatch):
        monkeypatch.setattr(cd.Simulation, "run", not_to_be_called)
        path = tmp_path / "missing" / "run.nc"
        ended = hello("--save", str(path))
        assert ended == (FAILED, "", f"LogFileError: The log cannot be written to {path}: No such file or directory.\n")

    def test_a_log_of_no_format_is_refused_before_the_run(self, hello, tmp_path, monkeypatch):
        monkeypatch.setattr(cd.Simulation, "run", not_to_be_called)
        path = tmp_path / "run.xlsx"
        assert_refused(
            hello("--save", str(path)),
            f"""
            SettingError: A log cannot be written to {path}: the name ends in `.xlsx`, which says no format.
              These do: .nc (netCDF), .nc4 (netCDF), .csv (comma-separated values), .mat (MATLAB), .parquet (Parquet).
            """,
        )

    def test_a_format_that_needs_a_package_is_refused_before_the_run(self, hello, tmp_path, monkeypatch):
        monkeypatch.setattr(cd.Simulation, "run", not_to_be_called)
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        ended = hello("--save", str(tmp_path / "run.parquet"))
        assert (ended.code, ended.out) == (FAILED, "")
        assert ended.err.endswith("  Install it with `pip install cardan[parquet]`.\n")

    @pytest.mark.parametrize("option", ["--save", "--plot"])
    def test_an_empty_path_is_not_this_folder(self, hello, option, monkeypatch):
        monkeypatch.setattr(cd.Simulation, "run", not_to_be_called)
        ended = hello(option, "")
        assert (ended.code, ended.out) == (USAGE, "")
        assert "the path is empty." in ended.err

    def test_names_that_are_too_long_are_refused_before_the_run(self, hello, tmp_path, monkeypatch):
        """For a table also that of the file that explains it, which is longer."""
        monkeypatch.setattr(cd.Simulation, "run", not_to_be_called)
        for name in ("a" * 300 + ".nc", "a" * 250 + ".csv"):
            path = tmp_path / name
            ended = hello("--save", str(path))
            text = f"LogFileError: The log cannot be written to {path}: File name too long.\n"
            assert ended == (FAILED, "", text)

    @pytest.mark.parametrize("suffix", [".nc", ".csv", ".mat", ".parquet"])
    def test_a_log_is_saved_in_the_format_of_its_name(self, hello, tmp_path, suffix):
        path = tmp_path / f"run{suffix}"
        assert hello("--save", str(path)).out.endswith(f"wrote {path}\n")
        begins = {".nc": b"\x89HDF", ".csv": b"time [s],", ".mat": b"MATLAB 5.0", ".parquet": b"PAR1"}[suffix]
        assert path.read_bytes().startswith(begins)


class TestMissionOptions:
    @pytest.mark.parametrize("value", ['"large"', "true", "[1.0]", "null", "NaN", "Infinity"])
    def test_an_option_that_is_a_number_takes_no_other_kind(self, cardan, value):
        assert_refused(
            cardan("run", "reaction-wheels", "--set", f"wheel.imbalance={value}"),
            f"SettingError: The option `wheel.imbalance` is a number, e.g. 0.0; got {json.loads(value)!r}.",
        )

    @pytest.mark.parametrize(("name", "option"), [("desired-reaction", "slew.axis"), ("gimbal-command", "axis")])
    def test_a_direction_has_a_length(self, cardan, name, option):
        assert_refused(
            cardan("run", name, "--set", f"{option}=[0, 0, 0]"),
            f"SettingError: The option `{option}` is a direction; got (0.0, 0.0, 0.0), which has none.",
        )

    def test_a_value_that_is_none_is_refused_as_that_of_a_parameter_is(self, cardan):
        assert_refused(
            cardan("run", "reaction-wheels", "--set", "wheel.imbalance=large"),
            """
            SettingError: `--set wheel.imbalance=large`: `large` is not a number, a list or true/false.
              Write e.g. `ctl.K=5.0` or `ctl.inertia_B=[[900,0,0],[0,800,0],[0,0,600]]`.
            """,
        )

    def test_a_misspelt_option_gets_the_nearest_one(self, cardan):
        ended = cardan("run", "reaction-wheels", "--set", "wheel.imbalanc=1")
        assert (ended.code, ended.out) == (USAGE, "")
        assert ended.err.splitlines() == [
            "UnknownName: `reaction-wheels` has neither an option nor a part for `wheel.imbalanc`. "
            "Did you mean `wheel.imbalance`?",
            "  options: wheel.misalignment, wheel.imbalance",
            "  parts: earth, nav, ref, err, stored, ctl, share, limit",
        ]

    @pytest.mark.parametrize(
        ("name", "advice"), [("mujco", " Did you mean `mujoco`?"), ("recursive", ""), ("RecursiveTree", "")]
    )
    def test_a_service_that_does_not_exist_is_refused(self, cardan, name, advice):
        ended = cardan("run", "reaction-wheels", "--dynamics", name)
        assert (ended.code, ended.out) == (USAGE, "")
        first, second = ended.err.splitlines()
        assert first.startswith(f"UnknownName: `reaction-wheels` does not run with `{name}`.{advice}")
        assert second == "  It runs with: recursive-tree, mujoco, back-substitution"

    @pytest.mark.parametrize("service", ["recursive-tree", "mujoco"])
    def test_an_option_changes_the_vehicle_and_the_step(self, cardan, service):
        """An imbalance of 100 g cm wants a step of 2.5 ms: 40 steps in a tenth of a second."""
        usual = cardan("run", "reaction-wheels", "--until", "0.1", "--dynamics", service, "--json")
        shaken = cardan(
            "run", "reaction-wheels", "--until", "0.1", "--dynamics", service, "--json", "--set", "wheel.imbalance=100"
        )
        assert (usual.code, shaken.code) == (0, 0)
        told = [json.loads(ended.out) for ended in (usual, shaken)]
        assert [t["dynamics"] for t in told] == [service, service]
        assert [t["steps"]["accepted"] for t in told] == [1, 40]
        rates = [t["results"]["rate at the end"]["value"] for t in told]
        assert 1e-12 < abs(rates[1] - rates[0]) < 1e-3

    def test_what_the_options_are_is_shown(self, cardan):
        shown = cardan("info", "reaction-wheels", "--json")
        options = json.loads(shown.out)["options"]
        assert options["wheel.imbalance"] == {"about": "[g cm] static imbalance of wheel 1", "value": 0.0}


class TestMissions:
    """The same from Python, for every kind of option."""

    @pytest.fixture
    def mission(self) -> Mission:
        def build(
            count: int = 2, is_bent: bool = False, size_big: float = 1.0, at: tuple[float, ...] = (1.0, 2.0, 3.0)
        ) -> cd.Scenario:
            return cd.Scenario(f"{count} {is_bent} {size_big} {at}")

        about = {"count": "how many", "is_bent": "whether", "size.big": "[m] how large", "at": "[m] where"}
        return Mission(
            name="trial", title="", about="", build=build, until=1.0, integrator=cd.Rk4(step=0.1),
            results=lambda log: [], curve=lambda log: None, figures={}, options=about,
        )  # fmt: skip

    def test_options_are_the_arguments_of_its_builder(self, mission):
        assert mission.defaults() == {"count": 2, "is_bent": False, "size.big": 1.0, "at": (1.0, 2.0, 3.0)}
        assert mission.scenario().name == "2 False 1.0 (1.0, 2.0, 3.0)"
        chosen = {"count": 3, "is_bent": True, "size.big": 2, "at": [4, 5, 6]}
        assert mission.scenario(chosen).name == "3 True 2 (4.0, 5.0, 6.0)"

    @pytest.mark.parametrize(
        ("option", "value", "text"),
        [
            ("count", 2.0, "The option `count` is an integer, e.g. 2; got 2.0."),
            ("count", True, "The option `count` is an integer, e.g. 2; got True."),
            ("count", 10**400, f"The option `count` is an integer, e.g. 2; got {10**400}."),
            ("size.big", -(10**400), f"The option `size.big` is a number, e.g. 1.0; got {-(10**400)}."),
            ("is_bent", 1, "The option `is_bent` is true or false, e.g. False; got 1."),
            ("size.big", False, "The option `size.big` is a number, e.g. 1.0; got False."),
            ("size.big", "1", "The option `size.big` is a number, e.g. 1.0; got '1'."),
            ("at", 1.0, "The option `at` is numbers in a list of shape (3,), e.g. (1.0, 2.0, 3.0); got 1.0."),
            ("at", [1, 2], "The option `at` is numbers in a list of shape (3,), e.g. (1.0, 2.0, 3.0); got (1.0, 2.0)."),
            (
                "at",
                [1, 2, float("inf")],
                "The option `at` is numbers in a list of shape (3,), e.g. (1.0, 2.0, 3.0); got (1.0, 2.0, inf).",
            ),
            (
                "at",
                ["a", "b", "c"],
                "The option `at` is numbers in a list of shape (3,), e.g. (1.0, 2.0, 3.0); got ['a', 'b', 'c'].",
            ),
        ],
    )
    def test_a_value_is_of_the_kind_of_its_default(self, mission, option, value, text):
        with pytest.raises(SettingError) as caught:
            mission.scenario({option: value})
        assert str(caught.value) == text

    def test_an_option_that_does_not_exist_is_refused(self, mission):
        with pytest.raises(UnknownName) as caught:
            mission.scenario({"cuont": 3})
        assert str(caught.value) == (
            "`trial` has no option `cuont`. Did you mean `count`?\n  options: count, is_bent, size.big, at"
        )
        with pytest.raises(UnknownName) as caught:
            MISSIONS["reaction-wheels"].integrator_for({"imbalance": 3.0})
        assert str(caught.value).startswith("`reaction-wheels` has no option `imbalance`.")

    def test_an_integrator_may_depend_on_options_or_not(self, mission):
        assert mission.integrator_for({"count": 7}) == cd.Rk4(step=0.1)
        wheels = MISSIONS["reaction-wheels"]
        assert wheels.integrator_for() == cd.Rk4(step=0.1)
        assert wheels.integrator_for({"wheel.imbalance": 1.0}) == cd.Rk4(step=0.0025)

    def test_the_usual_service_is_the_first(self, mission):
        assert mission.service() is None
        wheels = MISSIONS["reaction-wheels"]
        assert wheels.service() == cd.RecursiveTree() == wheels.service("recursive-tree")
        assert wheels.service("mujoco") == cd.Mujoco()


class TestComparing:
    @pytest.fixture
    def files(self, hello, tmp_path) -> list[str]:
        """The same run twice, and one with another gain."""
        paths = [str(tmp_path / f"{name}.nc") for name in "abc"]
        for path, gain in zip(paths, (3.5, 3.5, 7.0), strict=True):
            assert hello("--save", path, "--set", f"ctl.K={gain}").code == 0
        return paths

    def test_logs_that_agree_end_with_zero(self, cardan, files):
        ended = cardan("compare", files[0], files[1])
        assert ended == (0, "7 fields compared at 5 times\nall fields are the same\nthe logs agree\n", "")

    def test_logs_that_differ_end_with_one(self, cardan, files):
        ended = cardan("compare", files[0], files[2])
        assert (ended.code, ended.err) == (FAILED, "")
        lines = ended.out.splitlines()
        assert lines[1].split() == ["field", "largest", "difference", "relative", "at", "first", "second"]
        assert lines[2].split()[:4] == ["ctl.torque.torque_B[2]", "1.05", "N", "m"]
        assert lines[-2:] == ["  parts.ctl.parameters.K.value: 3.5 and 7.0", "the logs differ"]
        assert cardan("compare", files[0], files[2], "--tolerance", "1").code == 0
        assert cardan("compare", files[0], files[2], "--absolute", "1.1").code == 0

    def test_scripts_get_json(self, cardan, files):
        ended = cardan("compare", files[0], files[2], "--json", "--times", "common")
        found = json.loads(ended.out)
        assert (found["agree"], found["times"]) == (False, {"compared": 5, "only_in_first": 0, "only_in_second": 0})
        field = found["fields"]["ctl.torque.torque_B"]
        assert (field["unit"], field["t"], field["place"]) == ("N m", 0.0, [2])
        assert found["about"] == [{"path": "parts.ctl.parameters.K.value", "first": 3.5, "second": 7.0}]

    def test_what_cannot_be_compared_is_no_answer(self, cardan, files, tmp_path):
        missing = tmp_path / "missing.nc"
        assert_refused(cardan("compare", files[0], str(missing)), f"LogFileError: There is no file {missing}.")
        assert_refused(
            cardan("compare", files[0], files[1], "--times", "all"),
            "SettingError: times = 'all'.\n  Use one of 'same', 'common', 'interpolated'.",
        )
        assert_refused(
            cardan("compare", files[0], files[1], "--tolerance", "-1"),
            "SettingError: agree(tolerance=-1.0): a tolerance is a finite number that is not negative.",
        )


class TestTerminals:
    """The output goes anywhere: narrow, without any letters but ASCII, or nowhere."""

    @pytest.mark.parametrize("columns", [0, 1, 2, 5, 13, 14, 15, 20, 400])
    @pytest.mark.parametrize("command", [("list",), ("info", "hello"), ("run", "hello", "--no-jit", "--until", "1")])
    def test_any_width_will_do(self, cardan, monkeypatch, columns, command):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert cardan(*command).code == 0

    @pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437", "utf-8"])
    @pytest.mark.parametrize("columns", ["20", "80"])
    @pytest.mark.parametrize("command", [("list",), ("info", "hello"), ("run", "hello", "--no-jit", "--until", "1")])
    def test_any_encoding_will_do(self, monkeypatch, encoding, columns, command):
        shown = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        monkeypatch.setattr(sys, "stdout", shown)
        monkeypatch.setattr(sys, "argv", ["cardan", *command])
        monkeypatch.setenv("COLUMNS", columns)
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
        text = shown.buffer.getvalue().decode(encoding)
        if command[0] == "run":
            assert ("|" in text, "┤" in text) == (encoding != "utf-8", encoding == "utf-8")

    def test_a_file_name_is_shown_with_the_letters_there_are(self, hello, monkeypatch, tmp_path):
        shown = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        monkeypatch.setattr(sys, "stdout", shown)
        hello("--save", str(tmp_path / "ü.nc"))
        assert shown.buffer.getvalue().decode("ascii").endswith("\\xfc.nc\n")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
    @pytest.mark.parametrize("command", [("list",), ("list", "--json"), ("info", "hello")])
    def test_a_full_disk_is_no_traceback(self, monkeypatch, capsys, command):
        monkeypatch.setattr(sys, "argv", ["cardan", *command])
        full = Path("/dev/full").open("w")  # noqa: SIM115
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == FAILED
        assert capsys.readouterr().err == "OSError: [Errno 28] No space left on device\n"
        with contextlib.suppress(OSError):
            full.close()


class TestCharts:
    """What is drawn may have any values, and any room."""

    @pytest.mark.parametrize("encoding", ["utf-8", "ascii", "no such encoding"])
    @pytest.mark.parametrize("width", [-13, 0, 1, 3, 60])
    def test_any_finite_values_are_drawn(self, width, encoding):
        t = np.arange(5.0)
        for values in (
            [0.0] * 5,
            [1e308, -1e308, 0.0, 1.0, 2.0],
            [5e-324, 0.0, 0.0, 0.0, 0.0],
            [1.0, 2.0, 3.0, 4.0, 5.0],
        ):
            lines = chart(t, np.array(values), width=width, encoding=encoding)
            assert len(lines) == 9
            assert encoding == "utf-8" or "".join(lines).isascii()

    def test_a_rising_line_rises_in_ascii_too(self):
        lines = chart(np.arange(5.0), np.arange(5.0), width=4, height=2, encoding="ascii")
        assert lines == ["4 |  .:", "0 |.:' ", "   0 4 s"]

    def test_what_is_not_finite_is_left_out(self):
        t, values = np.arange(4.0), np.array([1.0, np.nan, np.inf, 2.0])
        assert chart(t, values)[0].startswith("2 ") and chart(t, values)[-2].startswith("1 ")
        assert chart(t, np.full(4, np.nan)) == ["nothing to draw: no value is finite"]


class TestJson:
    """Scripts get null and the reason where there is no number."""

    def test_numbers_that_json_does_not_have_are_null_with_a_note(self, capsys):
        print_json({"a": math.nan, "b": [1.0, -math.inf, [math.nan]], "c": [{"d": math.inf}], "e": 1.0})
        assert json.loads(capsys.readouterr().out, parse_constant=not_to_be_called) == {
            "a": None,
            "a_note": "nan",
            "b": [1.0, None, [None]],
            "b_note": "-inf at [1], nan at [2][0]",
            "c": [{"d": None, "d_note": "inf"}],
            "e": 1.0,
        }

    def test_of_many_the_first_are_said(self, capsys):
        print_json({"a": 10 * [math.nan]})
        assert json.loads(capsys.readouterr().out)["a_note"] == "nan at [0], nan at [1], nan at [2] and 7 more"

    def test_a_run_that_has_hardly_begun_is_told(self, cardan):
        ended = cardan("run", "gimbal-command", "--until", "0", "--json")
        told = json.loads(ended.out, parse_constant=not_to_be_called)
        assert (ended.code, told["until_s"], told["recorded_until_s"]) == (0, 0.0, 0.0)

    @pytest.mark.parametrize("name", MISSIONS)
    def test_every_mission_describes_itself(self, cardan, name):
        ended = cardan("info", name, "--json")
        assert ended.code == 0
        json.loads(ended.out, parse_constant=not_to_be_called)


class TestFailures:
    def test_a_run_without_memory_for_more_saves_what_it_has(self, hello, tmp_path, monkeypatch):
        monkeypatch.setattr("cardan.simulation.record._LARGEST_CHUNK", 1)  # chunks of 16 samples
        monkeypatch.setattr(Samples, "grow", exhausted)
        path = tmp_path / "run.nc"
        ended = hello("--until", "20", "--save", str(path))
        assert ended == (FAILED, "", "OutOfMemory: no more\n")
        assert len(cd.load_log(path).t) == 16

    def test_a_stream_needs_a_file_of_netcdf(self, hello, tmp_path):
        ended = hello("--stream")
        assert ended.err == (
            "SettingError: `--stream` says how a log is saved, and nothing says where.\n  Add `--save FILE.nc`.\n"
        )
        path = tmp_path / "run.csv"
        ended = hello("--stream", "--save", str(path))
        assert ended.err.startswith(f"SettingError: A run cannot stream to {path}: only netCDF is written")

    @pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
    def test_a_run_that_streams_and_fails_keeps_its_log(self, hello, tmp_path):
        path = tmp_path / "run.nc"
        ended = hello("--set", "ctl.K=1e300", "--save", str(path), "--stream")
        assert (ended.code, ended.out) == (FAILED, "")
        assert cd.load_log(path).t.tolist() == [0.0]

    def test_a_large_recording_is_streamed_without_being_asked_to(self, hello, tmp_path, monkeypatch):
        monkeypatch.setattr("cardan.cli.missions.LARGEST_IN_MEMORY", 1)
        monkeypatch.setattr(cd.Log, "save", not_to_be_called)
        path = tmp_path / "run.nc"
        ended = hello("--until", "20", "--save", str(path))
        assert ended.code == 0 and f"wrote {path}" in ended.out
        assert cd.load_log(path).t[-1] == 20.0

    @pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
    def test_a_run_that_fails_ends_with_one_and_keeps_its_log(self, hello, tmp_path):
        path = tmp_path / "run.nc"
        ended = hello("--set", "ctl.K=1e300", "--save", str(path))
        assert (ended.code, ended.out) == (FAILED, "")
        assert ended.err.startswith("NotFinite: `body.derivatives` returned nan in `")
        assert "Traceback" not in ended.err
        assert cd.load_log(path).t.tolist() == [0.0]

    def test_a_figure_that_does_not_fit_is_no_traceback(self, hello, tmp_path):
        resource = pytest.importorskip("resource")
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
        try:
            ended = hello("--plot", str(tmp_path))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert (ended.code, ended.out) == (USAGE, "")
        path = tmp_path / "hello-attitude.png"
        assert ended.err.startswith(f"SettingError: The figure cannot be written to {path}: File too large.\n  ")
        assert list(tmp_path.iterdir()) == []

    def test_a_run_that_is_interrupted_keeps_its_log(self, hello, tmp_path, monkeypatch):
        run = cd.Simulation.run

        def interrupted(self: cd.Simulation, until: float, **options: Any) -> None:
            run(self, 1.0, **options)
            raise KeyboardInterrupt

        monkeypatch.setattr(cd.Simulation, "run", interrupted)
        path = Path(tmp_path / "run.nc")
        ended = hello("--save", str(path))
        assert ended == (INTERRUPTED, "", "interrupted; what was recorded until then is kept\n")
        assert cd.load_log(path).t.tolist() == [0.0, 0.5, 1.0]


def test_a_fault_after_the_end_of_the_run_is_said_before_it(cardan):
    ended = cardan("run", "fdi", "--until", "1")
    assert ended.code == 0 and "the fault `fault` strikes at 20 s, and the run ends at 1 s" in ended.err


@pytest.mark.parametrize("name", ["list", "info", "run", "view", "study", "compare"])
def test_help_shows_every_word_of_every_option(cardan, monkeypatch, name):
    # a word in brackets, such as a unit, would be taken for markup and vanish
    monkeypatch.setenv("COLUMNS", "400")
    ended = cardan(name, "--help")
    command = typer.main.get_command(app).commands[name]
    texts = [getattr(parameter, "help", None) or "" for parameter in command.params]
    missing = [word for text in texts for word in text.split() if word not in ended.out]
    assert ended.code == 0
    assert missing == []
