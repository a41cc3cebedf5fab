"""Results by the values of one input."""

import numpy as np
import pytest

from cardan.errors import CardanError
from cardan.studies import Choice, Scalar, Study, group_table, grouped
from cardan.studies.figures import plot_groups


def rate(log):
    return float(np.linalg.norm(log["body.state"].omega_BN_B[-1]))


@pytest.fixture(scope="module")
def results():
    scalars = [Scalar("rate", rate, "rad/s"), Scalar("none", lambda log: float("nan"), "s")]
    scalars.append(Scalar("still", lambda log: float(rate(log) < 1.0), "-"))
    return Study("hello", {"ctl.K": Choice(1.0, 3.5)}, runs=6, until=2.0, scalars=scalars).run(progress=False)


def test_each_value_has_its_runs_and_their_means(results):
    groups = grouped(results, "ctl.K")
    assert [group.label for group in groups] == ["1.0", "3.5"] and sum(group.runs for group in groups) == 6
    first = results["ctl.K"] == 1.0
    assert groups[0].means["rate"] == np.mean(results["rate"][first])
    assert groups[0].medians["rate"] == np.median(results["rate"][first])
    assert groups[0].means["still"] == 1.0 and np.isnan(groups[0].means["none"])


def test_the_table_has_shares_in_percent_and_spreads(results):
    lines = group_table(results, "ctl.K").splitlines()
    assert len(lines) == 3 and "still [%]" in lines[0] and "rate [rad/s]" in lines[0]
    assert "100.0" in lines[1] and " - " in lines[1] + " "


def test_a_figure_has_a_row_for_each(results):
    figure = plot_groups(grouped(results, "ctl.K"), ["still"], "rate", "rad/s")
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == [
        f"{group.label} ({group.runs})" for group in grouped(results, "ctl.K")
    ]


def test_what_does_not_vary_is_refused(results):
    with pytest.raises(CardanError, match=r"`ctl\.P` does not vary in this study.\n  These do: ctl\.K"):
        grouped(results, "ctl.P")
