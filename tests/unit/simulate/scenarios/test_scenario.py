"""Every registered scenario keeps what it declares; all seeds are fixed, so nothing is random."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from dpwerm.data.table import read_table
from dpwerm.errors import ParameterError
from dpwerm.simulate.scenarios import SCENARIOS, get_scenario
from dpwerm.simulate.scenarios.scenario import Scenario
from dpwerm.study.check import check
from dpwerm.weighting.contract import OUTCOME_WEIGHTED
from dpwerm.weighting.trial import trial_of_table

N = 100_000
DRAWS: dict[str, pa.Table] = {}
PAPER_BOUNDS = (-7.5, 7.5)
LARGEST_Z = 6.0  # two-sided 2e-9 for each comparison; there are fewer than 1,000

every_scenario = pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=list(SCENARIOS))


def drawn(scenario: Scenario) -> pa.Table:
    if scenario.name not in DRAWS:
        DRAWS[scenario.name] = scenario.draw(N, np.random.default_rng(0))
    return DRAWS[scenario.name]


def arm_mask(scenario: Scenario, table: pa.Table) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    second = table["arm"].to_numpy(zero_copy_only=False) == scenario.arms[1]
    return np.asarray(second, dtype=bool)


def largest_z(samples: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> float:
    error = samples.std(axis=0) / np.sqrt(len(samples))
    return float(np.abs(samples.mean(axis=0) / np.maximum(error, 1e-12)).max())


def test_names_are_those_of_the_registry() -> None:
    assert list(SCENARIOS) == [each.name for each in SCENARIOS.values()]
    assert next(iter(SCENARIOS)) == "paper"
    with pytest.raises(ParameterError, match="scenario must be one of"):
        get_scenario("papers")


@every_scenario
def test_the_study_accepts_its_draws(scenario: Scenario) -> None:
    study = scenario.study()
    table = scenario.draw(500, np.random.default_rng(1))
    assert study.id == scenario.name
    assert study.treatment.arms == scenario.arms
    assert study.benefit.bounds == scenario.bounds
    assert table.column_names == list(study.columns)
    declared = study.declaration()
    trial = trial_of_table(declared, read_table(table, study.columns))
    assert trial.given_propensity is not None
    np.testing.assert_array_equal(trial.given_propensity, scenario.propensity(table))
    rows = OUTCOME_WEIGHTED.rows(trial, declared, study.encoding(), trial.given_propensity)
    assert rows.X.shape == (500, study.encoding().n_columns)
    assert np.all(rows.weights >= 0)
    assert rows.weights.any()
    beyond = [found for found in check(study, table) if found.column != "benefit"]
    assert beyond == []


@every_scenario
def test_declared_bounds_hold(scenario: Scenario) -> None:
    table = drawn(scenario)
    for name, declared in scenario.features().items():
        if declared["kind"] == "number":
            bounds, values = declared["bounds"], table[name].to_numpy()
            assert isinstance(bounds, list)
            assert bounds[0] <= values.min() <= values.max() <= bounds[1]
        else:
            levels = declared["levels"]
            assert isinstance(levels, list)
            assert set(table[name].to_pylist()) == set(levels)
    benefit = table["benefit"].to_numpy()
    beyond = np.mean((benefit < scenario.bounds[0]) | (benefit > scenario.bounds[1]))
    # The paper's own bounds are those it implies; a benefit passes them once in 400 people.
    assert beyond < (3e-3 if scenario.bounds == PAPER_BOUNDS else 1e-3)


@every_scenario
def test_arms_have_their_probabilities(scenario: Scenario) -> None:
    share = float(Fraction(scenario.probabilities[1]))
    assert sum(Fraction(each) for each in scenario.probabilities) == 1
    error = np.sqrt(share * (1 - share) / N)
    assert abs(arm_mask(scenario, drawn(scenario)).mean() - share) < LARGEST_Z * error


@every_scenario
def test_the_contrast_is_what_a_trial_finds(scenario: Scenario) -> None:
    """E[(±B/P(arm) − contrast)·g(x)] = 0 for a constant, every encoded feature, and the contrast.

    The same comparison refuses a contrast that is wrong by a tenth, and one missing where the
    truth has one.
    """
    table, study = drawn(scenario), scenario.study()
    second = arm_mask(scenario, table)
    first_p, second_p = (float(Fraction(each)) for each in scenario.probabilities)
    means, contrast = scenario.means(table), scenario.contrast(table)
    # Centring by the mean over the other arm's share leaves the expectation and drops variance.
    common = second_p * means[:, 0] + first_p * means[:, 1]
    signed = np.where(second, 1 / second_p, -1 / first_p)
    found = signed * (table["benefit"].to_numpy() - common)
    X = study.encoding().encode(read_table(table, study.columns))
    g = np.column_stack([np.ones(N), X, contrast])
    assert largest_z((found - contrast)[:, None] * g) < LARGEST_Z
    if contrast.any():
        assert largest_z((found - 1.1 * contrast)[:, None] * g) > LARGEST_Z
        assert largest_z(found[:, None] * g) > LARGEST_Z
    else:
        assert largest_z((found - 0.1)[:, None] * g) > LARGEST_Z


@every_scenario
def test_no_rule_beats_the_best(scenario: Scenario) -> None:
    table = drawn(scenario)
    best = scenario.best(table)
    assert scenario.accuracy(table, best) == 1.0
    values = [scenario.value(table, [arm] * N) for arm in scenario.arms]
    assert scenario.value(table, best) >= max(values)
    assert scenario.best_fixed_arm_value <= scenario.optimal_value
    means = scenario.means(table)
    for truth, sample in (
        (scenario.optimal_value, means.max(axis=1)),
        (scenario.best_fixed_arm_value, means[:, means.mean(axis=0).argmax()]),
        (scenario.second_arm_share, scenario.contrast(table) > 0),
    ):
        error = sample.std() / np.sqrt(N)
        # The paper's two fixed arms are equal, so the larger sample mean is a little too large.
        assert abs(sample.mean() - truth) <= LARGEST_Z * error + 1e-4


@every_scenario
def test_a_seed_gives_one_trial(scenario: Scenario) -> None:
    first, second, other = (scenario.draw(50, np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert first.equals(second)
    assert not first.equals(other)
    people = scenario.people(50, np.random.default_rng(3))
    assert people.column_names == list(scenario.features())
    assert people.equals(first.select(people.column_names))


def test_other_labels_are_refused() -> None:
    scenario = get_scenario("paper")
    people = scenario.people(3, np.random.default_rng(0))
    with pytest.raises(ParameterError, match="A or B"):
        scenario.value(people, ["A", "B", "C"])
    with pytest.raises(ParameterError, match="one label for each of 3 rows"):
        scenario.accuracy(people, ["A", "B"])
