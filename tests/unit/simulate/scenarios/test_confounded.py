"""Confounding is what it says: the truth undoes it, and who ignores it learns a wrong rule."""

import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.special import logit

from dpwerm import PrivateTreatmentRule
from dpwerm.arrays import FloatArray
from dpwerm.data.table import read_table
from dpwerm.simulate.scenarios import OBSERVATIONAL, SCENARIOS, get_scenario
from dpwerm.simulate.scenarios.kinds import Confounded
from dpwerm.study.check import check
from dpwerm.study.study import Study

PAGE = (Path(__file__).parents[4] / "docs" / "scenarios.md").read_text(encoding="utf-8")
N = 100_000
LARGEST_Z = 6.0  # two-sided 2e-9 for each comparison; seeds are fixed besides

every_scenario = pytest.mark.parametrize(
    "scenario", OBSERVATIONAL.values(), ids=list(OBSERVATIONAL)
)


def largest_z(samples: FloatArray) -> float:
    error = samples.std(axis=0) / np.sqrt(len(samples))
    return float(np.abs(samples.mean(axis=0) / error).max())


def test_they_are_found_by_name_and_kept_apart() -> None:
    assert not set(SCENARIOS) & set(OBSERVATIONAL)
    for name, scenario in OBSERVATIONAL.items():
        assert scenario.name == name
        assert get_scenario(name) is scenario
    assert get_scenario("paper") is SCENARIOS["paper"]


@every_scenario
def test_one_table_suits_all_three_studies(scenario: Confounded) -> None:
    table = scenario.draw(500, np.random.default_rng(1))
    studies = {
        "model": scenario.study(),
        "ignored": scenario.study_ignoring(),
        "known": scenario.study_knowing(),
    }
    for study in studies.values():
        assert study.id == scenario.name
        assert set(study.columns) <= set(table.column_names)
        assert [found for found in check(study, table) if found.column != "benefit"] == []
    assert "propensity" not in studies["model"].columns
    assert studies["known"].treatment.origin == "external"
    assert studies["ignored"].treatment.probabilities == (Fraction(1, 2), Fraction(1, 2))
    assert studies["model"].treatment.pi_min == studies["known"].treatment.pi_min
    assert studies["model"].treatment.pi_min == pytest.approx(float(scenario.floor))


@every_scenario
def test_declared_bounds_hold(scenario: Confounded) -> None:
    table = scenario.draw(N, np.random.default_rng(0))
    for name, declared in scenario.features().items():
        bounds, values = declared["bounds"], table[name].to_numpy()
        assert isinstance(bounds, list)
        assert bounds[0] <= values.min() <= values.max() <= bounds[1]
    low, high = scenario.bounds
    benefit = table["benefit"].to_numpy()
    assert np.mean((benefit < low) | (benefit > high)) < 1e-3


@every_scenario
def test_the_arms_follow_the_propensity_that_the_table_holds(scenario: Confounded) -> None:
    table = scenario.draw(N, np.random.default_rng(0))
    second = table["propensity"].to_numpy()
    assert np.array_equal(second, scenario.propensity(table))
    floor = float(scenario.floor)
    assert floor <= second.min() <= second.max() <= 1 - floor
    assert second.min() < floor + 0.03
    got = table["arm"].to_numpy(zero_copy_only=False) == scenario.arms[1]
    study = scenario.study_ignoring()
    X = study.encoding().encode(read_table(table, study.columns))
    g = np.column_stack([np.ones(N), X, np.abs(X)])
    assert largest_z((got - second)[:, None] * g) < LARGEST_Z
    assert abs(got.mean() - 0.5) < LARGEST_Z * 0.5 / np.sqrt(N)
    assert largest_z((got - 0.5)[:, None] * g) > LARGEST_Z
    # A logistic model is right, but for curved-both: the logit is linear in the encoded features.
    assert is_linear(X, logit(second)) == (scenario.name != "curved-both")


def is_linear(X: FloatArray, values: FloatArray) -> bool:
    g = np.column_stack([np.ones(len(X)), X])
    fitted = g @ np.linalg.lstsq(g, values, rcond=None)[0]
    return bool(np.allclose(fitted, values, rtol=0, atol=1e-9))


@every_scenario
def test_the_main_effect_is_linear_unless_the_name_says_that_it_bends(scenario: Confounded) -> None:
    table = scenario.draw(1_000, np.random.default_rng(0))
    study = scenario.study_ignoring()
    X = study.encoding().encode(read_table(table, study.columns))
    mean = scenario.means(table).mean(axis=1)
    assert is_linear(X, scenario.contrast(table))
    assert is_linear(X, mean) == (not scenario.name.startswith("curved"))


@every_scenario
def test_the_true_propensity_finds_the_contrast_and_equal_shares_do_not(
    scenario: Confounded,
) -> None:
    table = scenario.draw(N, np.random.default_rng(0))
    second = table["propensity"].to_numpy()
    got = table["arm"].to_numpy(zero_copy_only=False) == scenario.arms[1]
    benefit, contrast = table["benefit"].to_numpy(), scenario.contrast(table)
    g = np.column_stack([np.ones(N), contrast])
    known = np.where(got, 1 / second, -1 / (1 - second)) * benefit
    ignored = np.where(got, 2.0, -2.0) * benefit
    assert largest_z((known - contrast)[:, None] * g) < LARGEST_Z
    assert largest_z((ignored - contrast)[:, None] * g) > 4 * LARGEST_Z


def accuracy(scenario: Confounded, study: Study) -> float:
    table = scenario.draw(20_000, np.random.default_rng(2))
    people = scenario.people(5_000, np.random.default_rng(3))
    rule = PrivateTreatmentRule.from_study(study, math.inf, gamma=100.0).fit(table)
    return scenario.accuracy(people, rule.predict(people))


@pytest.mark.parametrize(
    ("name", "most"), [("confounded", 0.3), ("indication", 0.55), ("curved-outcome", 0.6)]
)
def test_who_ignores_confounding_learns_a_wrong_rule(name: str, most: float) -> None:
    """Without any noise; a fixed arm is right for half of the people."""
    scenario = OBSERVATIONAL[name]
    assert accuracy(scenario, scenario.study_ignoring()) < most
    assert accuracy(scenario, scenario.study_knowing()) > 0.93
    assert accuracy(scenario, scenario.study()) > 0.93


@every_scenario
def test_truths_are_those_of_many_people(scenario: Confounded) -> None:
    people = scenario.people(N, np.random.default_rng(5))
    means = scenario.means(people)
    for truth, sample in (
        (scenario.optimal_value, means.max(axis=1)),
        (scenario.best_fixed_arm_value, means[:, 0]),
        (scenario.second_arm_share, scenario.contrast(people) > 0),
    ):
        error = sample.std() / np.sqrt(N)
        assert abs(sample.mean() - truth) < LARGEST_Z * error
    # By symmetry both fixed arms are worth the level.
    assert scenario.best_fixed_arm_value == pytest.approx(scenario.level, abs=1e-3)


@every_scenario
def test_a_seed_gives_one_table(scenario: Confounded) -> None:
    first, second, other = (scenario.draw(50, np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert first.equals(second)
    assert not first.equals(other)


def written(formula: str, features: dict[str, FloatArray]) -> FloatArray:
    """Return what a formula of the page says, with u in the place of each feature."""
    code = formula.replace("−", "-").replace("·", "*").replace("²", "**2")
    names = {**features, "sin": np.sin, "abs": np.abs}
    return np.asarray(eval(code, {"__builtins__": {}}, names))  # noqa: S307 our own page


@every_scenario
def test_the_page_prints_the_scenario(scenario: Confounded) -> None:
    (line,) = re.findall(rf"^\| {scenario.name} \| (.*) \|$", PAGE, flags=re.MULTILINE)
    logits, mean, gains, floor = line.split(" | ")
    people = scenario.people(50, np.random.default_rng(0))
    features = dict(zip(people.column_names, scenario._units(people).T, strict=True))
    assert written(logits, features) == pytest.approx(logit(scenario.propensity(people)))
    assert written(mean, features) == pytest.approx(scenario.means(people).mean(axis=1))
    assert written(gains, features) == pytest.approx(scenario.contrast(people))
    assert floor == scenario.floor
