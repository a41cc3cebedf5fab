import numpy as np
import pytest

from cardan.errors import SettingError
from cardan.gimbals import CrankGimbal, load_gimbal_tables, make_gimbal_tables, save_gimbal_tables

DEG = np.deg2rad(1.0)
GIMBAL = CrankGimbal(tip_max=2 * DEG, tilt_max=3 * DEG, motor_max=80 * DEG)


@pytest.fixture
def folder(tmp_path):
    save_gimbal_tables(make_gimbal_tables(GIMBAL, gimbal_spacing=1 * DEG, motor_spacing=10 * DEG), tmp_path)
    return tmp_path


def refusal(folder) -> str:
    with pytest.raises(SettingError) as error:
        load_gimbal_tables(folder)
    return str(error.value).replace(str(folder), "here")


def edit(path, row, column, text):
    lines = [line.split(",") for line in path.read_text().splitlines()]
    lines[row][column] = text
    path.write_text("\n".join(map(",".join, lines)))


def test_tables_come_back_from_their_files(folder):
    made = make_gimbal_tables(GIMBAL, gimbal_spacing=1 * DEG, motor_spacing=10 * DEG)
    read = load_gimbal_tables(folder)
    for written, found in zip(made, read, strict=True):
        for name, values, again in zip(written._fields, written, found, strict=True):
            # ten decimals of a degree
            assert again == pytest.approx(values, abs=1e-10), name


def test_a_file_reads_as_the_paper_s_figure(folder):
    lines = (folder / "motor1.csv").read_text().splitlines()
    assert lines[0] == "tilt \\ tip [deg],-2,-1,0,1,2"
    assert lines[1] == "-3,,,0,,"
    assert lines[4].split(",")[0] == "0" and lines[4].split(",")[1] == "80"
    assert (folder / "tip.csv").read_text().startswith("motor 2 \\ motor 1 [deg],0,10,20,")


def test_a_missing_file_is_named(folder):
    (folder / "tip.csv").unlink()
    assert refusal(folder) == (
        "`here` has no `tip.csv`.\n  Gimbal tables are the files motor1.csv, motor2.csv, tip.csv, tilt.csv of one "
        "folder; `save_gimbal_tables` writes such a set."
    )


def test_a_file_that_is_no_table_is_refused(folder):
    (folder / "tip.csv").write_text("a,b\n1,2\n")
    assert refusal(folder) == (
        "`here/tip.csv` is not a table.\n"
        "  Expected a first row and a first column of angles, two or more of each, and values between them."
    )


def test_a_short_row_is_refused(folder):
    path = folder / "motor2.csv"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:3], lines[3].rpartition(",")[0], *lines[4:]]))
    assert refusal(folder) == "`here/motor2.csv`: row 4 has 5 cells.\n  expected 6, as in the first row"


def test_a_word_among_the_numbers_is_refused(folder):
    edit(folder / "tilt.csv", 2, 3, "n/a")
    assert refusal(folder) == (
        "`here/tilt.csv`: row 3, column 4 is `n/a`.\n  Write an angle in degrees, or leave it empty."
    )


def test_a_line_without_its_angle_is_refused(folder):
    edit(folder / "motor1.csv", 0, 2, "")
    assert refusal(folder) == (
        "`here/motor1.csv` has a blank in its first row or first column.\n  Give every line its angle."
    )


def test_two_files_with_different_grids_are_refused(folder):
    edit(folder / "tilt.csv", 0, 9, "81")
    assert refusal(folder) == (
        "`here`: tip.csv and tilt.csv have different grids.\n"
        "  Their first rows, and their first columns, must be the same."
    )


def test_blanks_of_one_motor_only_are_refused(folder):
    edit(folder / "motor2.csv", 1, 3, "")
    assert refusal(folder) == (
        "`here`: motor1.csv and motor2.csv are not blank at the same places.\n  They differ at tilt -3 deg, tip 0 deg."
    )


def test_a_blank_among_the_gimbal_angles_is_refused(folder):
    edit(folder / "tip.csv", 1, 2, "")
    assert refusal(folder) == (
        "`here/tip.csv` is blank at motor 1 10 deg, motor 2 0 deg.\n"
        "  The motors reach every pair of angles; fill it in."
    )


def test_what_was_read_is_checked_too(folder):
    for name in ("motor1.csv", "motor2.csv"):
        edit(folder / name, 4, 3, "")
    assert refusal(folder).startswith("`here`: the gimbal-to-motor tables have a hole at tilt 0 deg, tip 0 deg.")


def test_a_damaged_file_is_refused(folder):
    path = folder / "tip.csv"
    path.write_bytes(path.read_bytes()[:40] + b"\xff\xfe" + path.read_bytes()[40:])
    assert refusal(folder).startswith("`here/tip.csv` cannot be read: 'utf-8' codec can't decode byte 0xff")


def test_a_set_that_cannot_be_finished_leaves_the_old_one(folder):
    before = {path: path.read_bytes() for path in folder.iterdir()}
    (folder / "tilt.csv").unlink()
    (folder / "tilt.csv").mkdir()
    with pytest.raises(SettingError) as error:
        save_gimbal_tables(make_gimbal_tables(GIMBAL, gimbal_spacing=1 * DEG, motor_spacing=20 * DEG), folder)
    assert str(error.value) == f"The gimbal tables cannot be written to {folder}: Is a directory."
    (folder / "tilt.csv").rmdir()
    kept = {path: path.read_bytes() for path in folder.iterdir()}
    assert kept == {path: content for path, content in before.items() if path.name != "tilt.csv"}
