"""Where runs lie: what designs promise, and what adding runs or dispersions leaves as it was."""

import numpy as np
import pytest

from cardan.errors import CardanError
from cardan.studies import Choice, Factorial, LatinHypercube, Normal, Random, Saltelli, Sobol, Table, Uniform
from cardan.studies.designs import Dispersed
from cardan.studies.distributions import Nominal

K = Dispersed("ctl.K", Normal("5%"), Nominal("ctl.K", 3.5))
P = Dispersed("ctl.P", Uniform(1.0, 2.0), Nominal("ctl.P", 30.0))
W = Dispersed("body.w", Normal(1.0), Nominal("body.w", np.zeros(3)))
ALL = (K, P, W)


@pytest.mark.parametrize("design", [Random(), LatinHypercube(), Sobol(), Saltelli(16)])
def test_a_run_is_given_the_same_whoever_asks_for_it(design):
    count = 16 * 5
    whole = design.points(np.arange(count), count, 5, ALL)
    for run in (0, 1, 17, count - 1):
        alone = design.points(np.array([run]), count, 5, ALL)
        assert all(np.array_equal(alone[name][0], whole[name][run]) for name in whole)
    assert all(points.min() > 0.0 and points.max() < 1.0 for points in whole.values())


@pytest.mark.parametrize("design", [Random(), Sobol(), Saltelli(16)])
def test_more_runs_leave_those_before_as_they_are(design):
    few, many = (design.points(np.arange(20), count, 5, ALL) for count in (20, 80))
    assert all(np.array_equal(few[name], many[name]) for name in few)
    assert design.can_grow


@pytest.mark.parametrize("design", [Random(), LatinHypercube(), Sobol()])
def test_another_dispersion_leaves_those_before_it_as_they_are(design):
    few, many = (design.points(np.arange(32), 32, 5, dispersed) for dispersed in (ALL[:2], ALL))
    assert all(np.array_equal(few[name], many[name]) for name in few)


def test_a_latin_hypercube_has_one_run_in_each_part():
    points = LatinHypercube().points(np.arange(40), 40, 5, ALL)
    for values in points.values():
        assert np.array_equal(
            np.sort(np.floor(values * 40), axis=0), np.tile(np.arange(40.0)[:, None], values.shape[1])
        )
    assert not LatinHypercube().can_grow


def test_a_sobol_sequence_fills_every_half_evenly():
    """2^k points of a digital net: each half, quarter, eighth of a dimension has its share exactly."""
    points = np.concatenate(list(Sobol().points(np.arange(64), 64, 5, ALL).values()), axis=1)
    for parts in (2, 4, 8, 16, 32, 64):
        for column in points.T:
            assert np.array_equal(np.bincount((column * parts).astype(int), minlength=parts), [64 // parts] * parts)


def test_a_factorial_design_visits_every_combination():
    chosen = Dispersed("kind", Choice("soft", "hard"), Nominal("kind", "soft"))
    design = Factorial({"ctl.P": 4})
    assert design.runs(None, (P, chosen)) == 8
    points = design.points(np.arange(8), 8, 0, (P, chosen))
    assert np.allclose(points["ctl.P"][:, 0], np.repeat([0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0], 2))
    assert P.how.values(points["ctl.P"], P.nominal).max() == 2.0  # a Uniform reaches its ends


def test_a_saltelli_design_swaps_one_input_at_a_time():
    points = Saltelli(4).points(np.arange(20), 20, 5, ALL)
    for i, each in enumerate(ALL):
        groups = points[each.name].reshape(4, 5, -1)
        A, B = groups[:, 0], groups[:, 1]
        for j in range(3):
            assert np.array_equal(groups[:, 2 + j], B if i == j else A)
        assert not np.array_equal(A, B)


def test_a_table_comes_from_files_and_from_pandas(tmp_path):
    import pandas

    path = tmp_path / "draws.csv"
    path.write_text("run,ctl.K [N m],kind\n0,3.5,soft\n1,4.0,hard\n")
    table = Table(path)
    assert table.columns == {"ctl.K": [3.5, 4.0], "kind": ["soft", "hard"]}
    assert Table(pandas.DataFrame({"ctl.K": [1.0, 2.0]})).runs(None, ()) == 2


@pytest.mark.parametrize(
    ("action", "told"),
    [
        (lambda path: Random().runs(0, ()), "A study of 0 runs.\n  Use a whole number, at least 1."),
        (lambda path: Random().runs(None, ()), "A study of None runs."),
        (lambda path: Factorial(2).runs(5, (P,)), "A full factorial design has 2 runs here, and 5 are asked for."),
        (lambda path: Saltelli(4).runs(5, (P,)), "Saltelli(base=4) of 1 inputs has 12 runs, and 5 are asked for."),
        (lambda path: Table(path / "none.csv"), "none.csv cannot be read"),
        (lambda path: Table({"ctl.K": []}), "has no rows"),
        (lambda path: Table({"ctl.K": [1.0, None]}), "The table has nothing in row 1 of `ctl.K`."),
        (lambda path: Table({"ctl.K": [1.0]}).runs(2, ()), "The table has 1 rows, and 2 runs are asked for."),
        (lambda path: Table(5), "5 is no table"),
    ],
)
def test_designs_that_cannot_be_are_refused(action, told, tmp_path):
    with pytest.raises(CardanError) as caught:
        action(tmp_path)
    assert told in str(caught.value)
