"""A few letters of a file that ask for more than there is memory for are refused, and at once."""

import time

import pytest

import cardan as cd
from cardan.errors import MechanismError

BODY = '<body><freejoint/><geom size="1"/></body>'
FILE = "<mujoco>{}<worldbody>{}</worldbody></mujoco>"


def refusal(asset: str = "", bodies: str = "") -> str:
    began = time.monotonic()
    with pytest.raises(MechanismError) as caught:
        cd.Mechanism.from_mjcf(FILE.format(asset, bodies))
    assert time.monotonic() - began < 1.0
    return str(caught.value)


def test_a_replicate_that_makes_billions_is_refused():
    assert refusal(bodies=f'<replicate\n count="2000000000" offset="0 0 1">{BODY}</replicate>') == (
        '`the given text`: with <replicate count="2000000000"> in line 1, the file makes 2,000,000,000 elements by '
        "copying.\n"
        "  At most 20,000 are made. Lower the count, or that of a <replicate> around it."
    )


def test_so_are_replicates_within_each_other_whose_product_is_large():
    inner = f'<replicate count="500" offset="1 0 0">{BODY}</replicate>'
    text = refusal(bodies=f'<replicate count="500" offset="0 0 1">\n{inner}</replicate>')
    assert 'with <replicate count="500"> in line 2, the file makes 250,500 elements' in text


def test_so_is_one_that_is_empty_or_beside_many_others():
    assert "10,000,000 elements" in refusal(bodies='<replicate count="10000000"/>')
    assert "elements by copying" in refusal(bodies=100 * f'<replicate count="100">{BODY}</replicate>')


def test_so_is_one_in_a_file_that_is_included(tmp_path):
    (tmp_path / "many.xml").write_text(f'<mujoco><replicate count="9000">{BODY}</replicate></mujoco>')
    (tmp_path / "main.xml").write_text(FILE.format("", '<include file="many.xml"/>'))
    with pytest.raises(MechanismError, match=r"many.xml`: with <replicate count=\"9000\"> in line 1"):
        cd.Mechanism.from_mjcf(tmp_path / "main.xml")


def test_replicates_that_can_be_made_are_made():
    made = cd.Mechanism.from_mjcf(FILE.format("", f'<replicate count="30" offset="0 0 9">{BODY}</replicate>'))
    assert len(made.tree.roots) == 30
    # a comment makes nothing, and may have two hyphens in a row, which XML forbids and MuJoCo takes
    cd.Mechanism.from_mjcf(FILE.format('<!-- -- <replicate count="2000000000"> -->', BODY))


@pytest.mark.parametrize(
    ("asset", "bodies", "expected"),
    [
        ('<asset><texture type="2d" builtin="flat" width="20000" height="20000"/></asset>', BODY,
         '<texture width="20000" height="20000"> in line 1 asks for 400,000,000 pixels.\n'
         "  At most 32,000,000 are made. Lower the number."),
        ('<asset><hfield name="a" nrow="20000" ncol="20000" size="1 1 1 1"/></asset>', BODY,
         '<hfield nrow="20000" ncol="20000"> in line 1 asks for 400,000,000 heights.\n'
         "  At most 4,000,000 are made. Lower the number."),
        ('<size nkey="200000000"/>', BODY,
         '<size nkey="200000000"> in line 1 asks for 200,000,000 keyframes.\n'
         "  At most 100,000 are made. Lower the number."),
        ('<size nuser_geom="2000000000"/>', BODY,
         '<size nuser_geom="2000000000"> in line 1 asks for 2,000,000,000 numbers each.\n'
         "  At most 1,000 are made. Lower the number."),
        ("", '<flexcomp name="a" type="grid" count="100 100 30" spacing="1 1 1" dim="3" mass="1"/>',
         '<flexcomp count="100 100 30"> in line 1 asks for 300,000 points.\n'
         "  At most 20,000 are made. Lower the number."),
    ],
    ids=["texture", "hfield", "nkey", "nuser_geom", "flexcomp"],
)  # fmt: skip
def test_other_numbers_that_multiply_have_limits_too(asset, bodies, expected):
    assert refusal(asset, bodies) == f"`the given text`: {expected}"
