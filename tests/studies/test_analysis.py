"""Statistics, sensitivity and comparison against closed forms and published numbers; figures and the report."""

import re

import numpy as np
import pytest
from scipy.stats import binom

import cardan as cd
from cardan.errors import CardanError
from cardan.studies import Saltelli, Scalar, Study, Uniform, bootstrap_percentile, percentile, wilson
from cardan.studies import figures as drawn
from cardan.studies.sensitivity import effects, rank_correlation, sobol_indices
from cardan.studies.statistics import mean_interval, summarised
from studies.studied import small, sprung


def test_wilson_bounds_are_those_of_the_textbook():
    """Newcombe, Stat. Med. 17, 1998, Table I, method 3: 81 of 263, 15 of 148, 0 of 20, 1 of 29."""
    for successes, count, low, high in [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ]:
        found = wilson(successes, count)
        assert abs(found.low - low) < 5e-5 and abs(found.high - high) < 5e-5
    assert wilson(20, 20).high == 1.0


def test_a_percentile_lies_between_its_order_statistics_as_often_as_it_should():
    generator, hits = np.random.default_rng(1), 0
    for _ in range(400):
        found = percentile(generator.normal(size=60), 90.0)
        hits += found.low <= 1.2815515655446004 <= found.high
    # at least 95 % by construction; a binomial count of 400 is below 368 once in a hundred thousand times
    assert hits >= 368


def test_order_statistics_are_the_narrowest_that_keep_their_confidence():
    found = percentile(np.arange(100.0), 50.0)
    low, high = int(found.low), int(found.high)
    assert binom.cdf(low, 100, 0.5) <= 0.025 < binom.cdf(low + 1, 100, 0.5)
    assert binom.sf(high, 100, 0.5) <= 0.025 < binom.sf(high - 1, 100, 0.5)


def test_few_values_have_no_bound_on_their_tails():
    found = percentile(np.arange(10.0), 99.0)
    assert found.high == np.inf and np.isfinite(found.low)
    assert np.isnan(percentile(np.array([]), 50.0).value)


def test_the_bootstrap_agrees_with_order_statistics_where_there_are_many_values():
    values = np.random.default_rng(2).normal(size=2000)
    exact, found = percentile(values, 75.0), bootstrap_percentile(values, 75.0, resamples=400)
    assert abs(found.low - exact.low) < 0.03 and abs(found.high - exact.high) < 0.03
    assert found == bootstrap_percentile(values, 75.0, resamples=400)


def test_means_have_the_bounds_of_student():
    found = mean_interval(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    assert abs(found.high - 3.0 - 2.7764451 * np.sqrt(2.5 / 5.0)) < 1e-6  # t of 4 degrees of freedom at 97.5 %
    assert summarised(np.array([np.nan, 1.0])).runs == 1


def test_confidence_is_a_share():
    for wrong in (0.0, 1.0, 95.0):
        with pytest.raises(CardanError, match="confidence = "):
            wilson(1, 2, wrong)
    with pytest.raises(CardanError, match="percentile 101"):
        percentile(np.arange(3.0), 101)


def test_rank_correlation_sees_what_is_monotonous_and_regression_what_is_linear():
    generator = np.random.default_rng(3)
    x, y, noise = generator.normal(size=(3, 500))
    found = effects({"x": x, "y": y, "noise": noise}, 3.0 * x - 4.0 * y)
    by_name = {each.input: each for each in found.effects}
    assert abs(found.explained - 1.0) < 1e-12
    assert abs(by_name["x"].regression - 3.0 * x.std() / np.std(3.0 * x - 4.0 * y)) < 1e-9
    assert [each.input for each in found.effects][:2] == ["y", "x"]
    assert rank_correlation(x, np.exp(5.0 * x)).value == pytest.approx(1.0)
    assert by_name["noise"].rank_correlation.low < 0.0 < by_name["noise"].rank_correlation.high


def ishigami(x: np.ndarray) -> np.ndarray:
    """Ishigami and Homma, ISUMA 1990, with a = 7 and b = 0.1; x in (0, 1)."""
    a, b, c = (2.0 * np.pi * x[:, i] - np.pi for i in range(3))
    return np.sin(a) + 7.0 * np.sin(b) ** 2 + 0.1 * c**4 * np.sin(a)


def test_sobol_indices_of_the_ishigami_function_are_the_published_ones():
    """First 0.3139, 0.4424, 0; total 0.5576, 0.4424, 0.2437 (Saltelli et al., Global Sensitivity Analysis, 2008)."""
    from cardan.studies.designs import Dispersed
    from cardan.studies.distributions import Nominal

    dispersed = [Dispersed(name, Uniform(0.0, 1.0), Nominal(name, 0.5)) for name in "abc"]
    design = Saltelli(8192)
    count = design.runs(None, dispersed)
    points = design.points(np.arange(count), count, 4, dispersed)
    values = ishigami(np.concatenate([points[name] for name in "abc"], axis=1))
    found = sobol_indices(list("abc"), values, resamples=20)
    for index, first, total in zip(found, (0.3139, 0.4424, 0.0), (0.5576, 0.4424, 0.2437), strict=True):
        assert abs(index.first.value - first) < 0.005 and abs(index.total.value - total) < 0.005
        assert index.total.low <= index.total.value <= index.total.high


def test_sobol_indices_need_whole_groups():
    with pytest.raises(CardanError, match="are no `Saltelli` design of 2 inputs, which has groups of 4"):
        sobol_indices(["a", "b"], np.zeros(6))
    with pytest.raises(CardanError, match="Fewer than two groups"):
        sobol_indices(["a", "b"], np.full(8, np.nan))


def test_a_saltelli_study_finds_what_a_scalar_follows_from():
    study = Study(
        sprung,
        {"plant.stiffness": Uniform(4.0, 12.0), "plant.mass": Uniform(1.9, 2.1)},
        design=Saltelli(16),
        until=20.0,
        scalars=[Scalar("end", lambda log: float(log["plant.state"].position[-1]), "m")],
        traces=[],
    )
    indices = {each.input: each for each in study.run(progress=False).sobol_indices("end")}
    assert indices["plant.stiffness"].total.value > 0.9  # at rest the mass does not matter
    assert indices["plant.mass"].total.value < 0.05


def test_two_studies_are_compared_on_the_same_draws():
    weak, strong = (small(12, settings={"ctl.P": P}, limits={"rate at the end": "<= 0.02"}) for P in (30.0, 60.0))
    found = weak.run(progress=False).compare(strong.run(progress=False))
    rate = next(each for each in found.scalars if each.name == "rate at the end")
    assert found.runs == 12 and rate.smaller > rate.larger and rate.difference.high < 0.0
    assert len(found.won) >= len(found.lost) and 0.0 <= found.chance <= 1.0
    assert "runs on the same draws" in str(found)


def test_worst_runs_are_those_nearest_to_the_limit():
    results = small(8, limits={"attitude error at the end": "<= 70", "rate at the end": ">= 0.03"}).run(progress=False)
    error, rate = results["attitude error at the end"], results["rate at the end"]
    assert results.worst("attitude error at the end", 2).tolist() == np.argsort(-error)[:2].tolist()
    assert results.worst("rate at the end", 1)[0] == np.argmin(rate)


def test_a_run_without_a_value_is_the_worst_where_there_is_a_limit():
    limits = {"within 0.1 deg after": "<= 400"}
    results = small(3, limits=limits).run(progress=False)  # nobody settles within 20 s
    assert results.worst("within 0.1 deg after", 2).tolist() == [0, 1]
    assert small(3, limits={}).run(progress=False).worst("within 0.1 deg after").tolist() == []


def test_a_dataset_has_inputs_beside_outputs(tmp_path):
    import xarray

    results = small(4).run(progress=False)
    dataset = results.to_xarray()
    assert dataset.sizes["run"] == 4 and dataset["ctl.K"].attrs["units"] == "N m"
    assert dataset["attitude error"].dims == ("run", "time_101")
    assert dataset["attitude error at the end"].attrs["limit"] == "<= 80"
    results.save(tmp_path / "study.nc")
    with xarray.open_dataset(tmp_path / "study.nc") as loaded:
        assert np.array_equal(loaded["ctl.K"], results["ctl.K"])
    frame = results.table()
    assert list(frame.index) == [0, 1, 2, 3] and frame["passed"].dtype == bool


def test_an_envelope_holds_all_curves_and_reads_them_in_pieces(tmp_path, monkeypatch):
    results = small(6).run(tmp_path / "s", progress=False)
    whole = results.envelope()
    monkeypatch.setattr("cardan.studies.results._MOST_AT_ONCE", 30)
    pieces = results.envelope()
    assert np.array_equal(whole.mean, pieces.mean) and np.array_equal(whole.percentiles[95.0], pieces.percentiles[95.0])
    assert (whole.least <= whole.percentiles[5.0]).all() and (whole.percentiles[95.0] <= whole.most).all()
    assert whole.most[-1] == results["attitude error at the end"].max()


def test_the_report_is_one_page_with_all_of_it(tmp_path):
    study = small(12, limits={"attitude error at the end": "<= 73"}, repeat="cardan study x.toml --only {run}")
    results = study.run(progress=False)
    page = results.report(tmp_path / "report.html").read_text()
    failed = results.failures()
    assert 0 < len(failed) < 12
    assert f"{12 - len(failed)} of 12 runs pass" in page
    for run in failed:
        assert f"cardan study x.toml --only {run}</code>" in page
    assert "&lt;= 73 deg" in page
    assert page.count("data:image/svg+xml;base64,") >= 7
    assert not re.findall(r'(?:src|href)="(?!data:)', page)  # nothing comes from elsewhere


def test_a_report_of_runs_that_all_fail_can_be_written(tmp_path):
    results = small(9, until=600.0, timeout=1e-6).run(progress=False)
    page = results.report(tmp_path / "report.html").read_text()
    assert "0 of 9 runs pass" in page and "RunTimeout" in page


def test_figures_say_what_they_cannot_draw():
    results = small(3).run(progress=False)
    with pytest.raises(CardanError, match=r"No input `ctl\.P` varies"):
        drawn.plot_success_map(results, "ctl.P", "ctl.K")
    with pytest.raises(CardanError, match="No input `x` varies"):
        drawn.plot_scatter(results, ["x"])


def test_a_batch_hands_over_logs_one_by_one():
    batch = cd.Batch(sprung(), 5, varies=["plant.mass"])
    batch.set({"plant.mass": np.linspace(1.0, 2.0, 5)})
    batch.reset()
    where = np.array([True, False, True, True, False])

    def seen(member: int, log: cd.Log, error: Exception | None) -> tuple[int, float, float]:
        mass = log.about["parts"]["plant"]["parameters"]["mass"]["value"]
        return member, mass, float(log["plant.state"].position[-1])

    found = batch.map(seen, 1.0, where=where)
    assert [each[0] for each in found] == [0, 2, 3]
    assert [each[1] for each in found] == [1.0, 1.5, 1.75]
    assert batch.t.tolist() == [1.0, 0.0, 1.0, 1.0, 0.0]
    alone = batch.simulation(1).variant({"plant.mass": 1.5}).run(until=1.0)
    assert alone["plant.state"].position[-1] == found[1][2]


def test_a_run_ends_at_its_timeout_and_keeps_what_was_recorded():
    sim = cd.Simulation(sprung())
    with pytest.raises(cd.CardanError, match="`sprung` was not done after 1e-06 s of wall time"):
        sim.run(until=1e5, timeout=1e-6)
    assert len(sim.log.t) > 0
    with pytest.raises(cd.CardanError, match="timeout = -1"):
        sim.run(until=2e5, timeout=-1)
