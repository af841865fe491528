"""Rules from observational data: budgets, what depends on what, and who is right in the end."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.unit.estimators.observational import (
    EXTERNAL,
    STUDY,
    N,
    arrays,
    by_study,
    columns,
    fitted,
)

from dpwerm import Budget, PrivateTreatmentRule
from dpwerm.arrays import FloatArray
from dpwerm.errors import BudgetError, ParameterError
from dpwerm.fit import fit_release
from dpwerm.releases.rule_file import content_of, notice, read_rule, verify_rule, write_rule

# -- what it costs -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("epsilon", "share", "part", "rest"),
    [
        (1, "auto", "0.5", "0.5"),
        ("0.1", "0.3333333333333", "0.0333333333", "0.0666666667"),
        ("4e-6", "0.5", "0.000002", "0.000002"),
        ("1e9", "0.1", "100000000", "900000000"),
    ],
)
def test_both_releases_together_cost_what_was_asked(
    epsilon: Any, share: str, part: str, rest: str, tmp_path: Path
) -> None:
    rule = fitted(epsilon, propensity={"model": "private", "share": share})
    assert rule.propensity is not None
    assert rule.propensity.certificate.budget == Budget.of(part)
    assert rule.release.certificate.budget == Budget.of(rest)
    assert rule.budget == Budget.of(epsilon)
    assert rule.private
    assert notice(rule) == (
        f"Released under differential privacy: epsilon {Budget.of(epsilon).epsilon}, delta 0 in "
        f"all (propensity model {part}, rule {rest}), relation replace_one."
    )
    write_rule(rule, tmp_path / "rule.json")
    assert all(finding.holds for finding in verify_rule(tmp_path / "rule.json"))
    assert content_of(read_rule(tmp_path / "rule.json")) == content_of(rule)


def test_a_delta_is_the_rule_s() -> None:
    rule = fitted(1, delta="1e-6", mechanism="gaussian")
    assert rule.propensity is not None
    assert rule.propensity.certificate.delta == "0"
    assert rule.budget == Budget.of(1, "1e-6")


@pytest.mark.parametrize("gamma", [50.0, "auto"])
def test_a_delta_that_nobody_spends_is_not_claimed(gamma: Any, tmp_path: Path) -> None:
    mechanism = "auto" if gamma == "auto" else "gaussian"
    rule = fitted(1, delta="1e-6", gamma=gamma, mechanism=mechanism)
    write_rule(rule, tmp_path / "rule.json")
    assert all(finding.holds for finding in verify_rule(tmp_path / "rule.json"))


def test_the_whole_counts_against_the_study_s_total() -> None:
    with pytest.raises(BudgetError, match=r"epsilon = 2.1 is more than is left of epsilon = 2"):
        by_study("2.1").check_parameters()
    by_study(2).check_parameters()


@pytest.mark.parametrize("other", [{"random_state": 1}, {"epsilon": "inf"}])
def test_a_seed_or_no_noise_marks_everything(other: dict[str, Any], tmp_path: Path) -> None:
    rule = fitted(**other)
    assert rule.propensity is not None
    assert [rule.private, rule.release.private, rule.propensity.private] == [False] * 3
    assert notice(rule).startswith("NOT PRIVATE")
    write_rule(rule, tmp_path / "rule.json")
    assert not read_rule(tmp_path / "rule.json").private
    assert all(finding.holds for finding in verify_rule(tmp_path / "rule.json"))


@pytest.mark.parametrize("budget", [Budget.zcdp("0.1"), Budget.gdp("0.5")])
def test_a_private_model_needs_epsilon(budget: Any) -> None:
    with pytest.raises(ParameterError, match="a private propensity model needs a budget in eps"):
        fitted(budget)
    with pytest.raises(ParameterError, match="a private propensity model needs a budget in eps"):
        by_study(budget).check_parameters()


# -- what depends on what ----------------------------------------------------------------------


def test_study_and_arrays_give_the_same_rule() -> None:
    by_table = by_study(random_state=1).fit(pa.table(columns())).rule_
    rule = fitted(random_state=1)
    assert rule.propensity is not None
    assert by_table.propensity is not None
    assert by_table.release.integers == rule.release.integers
    assert by_table.propensity.integers == rule.propensity.integers


def test_weights_follow_from_what_was_released(monkeypatch: pytest.MonkeyPatch) -> None:
    """The weights that the second release is made from, by hand from the first one."""
    seen: list[FloatArray] = []

    def spy(X: Any, y: Any, weights: FloatArray, **other: Any) -> Any:
        seen.append(weights)
        return fit_release(X, y, weights, **other)

    monkeypatch.setattr("dpwerm.fit.fit_release", spy)
    data, rule = columns(), fitted(2)
    assert rule.propensity is not None
    own = rule.propensity.own_units()
    scores = own["intercept"] + own["x0"] * data["x"] + own["x1"] * data["z"]
    second = 1 / (1 + np.exp(-scores))
    received = np.clip(np.where(data["arm"] == "b", second, 1 - second), 0.1, 0.9)
    arms, weights = seen  # of the propensity model, and of the rule
    assert np.array_equal(arms, np.ones(N))
    assert weights == pytest.approx(np.abs(data["outcome"] - 2) / received, rel=1e-9)


def test_outcomes_have_no_say_in_the_propensity_model() -> None:
    data = columns()
    others = [data | {"outcome": values} for values in (np.zeros(N), 4 - data["outcome"])]
    rules = [fitted(1, each, random_state=3) for each in (data, *others)]
    assert len({rule.propensity.integers for rule in rules if rule.propensity}) == 1
    assert len({rule.release.integers for rule in rules}) == 3
    turned = data | {"arm": np.where(data["arm"] == "a", "b", "a")}
    found = fitted(1, turned, random_state=3).propensity
    assert found is not None
    assert found.integers != (rules[0].propensity or found).integers


def test_under_add_remove_no_number_of_rows_is_kept(tmp_path: Path) -> None:
    rules = [
        fitted(1, columns(n), relation="add_remove", planned_n=60, random_state=1) for n in (N, 80)
    ]
    certificates = []
    for rule in rules:
        assert rule.propensity is not None
        certificates.append((rule.release.certificate, rule.propensity.certificate))
        assert rule.release.certificate.n is None
    # Certificates are functions of public facts, so they cannot differ.
    assert certificates[0] == certificates[1]
    write_rule(rules[0], tmp_path / "rule.json")
    assert all(finding.holds for finding in verify_rule(tmp_path / "rule.json"))


def test_under_add_remove_a_planned_size_is_needed() -> None:
    words = "a private propensity model under add_remove needs planned_n"
    with pytest.raises(ParameterError, match=words):
        fitted(relation="add_remove")
    text = STUDY.replace("replace_one", "add_remove")
    with pytest.raises(ParameterError, match=words) as caught:
        by_study(text=text).check_parameters()
    assert "gamma" not in str(caught.value)  # γ is set: it is not what is missing
    by_study(text=text.replace('id = "small"', 'id = "small"\nplanned_n = 60')).check_parameters()


@pytest.mark.parametrize("propensity", ["private", "ridge", EXTERNAL])
def test_nothing_sensitive_is_kept(propensity: object) -> None:
    estimator, data = arrays(propensity=propensity), columns()
    parameters = set(vars(estimator))
    estimator.fit(np.column_stack([data["x"], data["z"]]), data["arm"], data["outcome"])
    assert set(vars(estimator)) - parameters == {"rule_", "arms_", "n_features_in_"}
    rule = estimator.rule_
    assert set(vars(rule)) == {
        "release",
        "declaration",
        "propensity",
        "tuning",
        "ranges",
        "guard",
        "tightness",
    }
    assert (rule.propensity is not None) == (propensity == "private")
    text = json.dumps(content_of(rule)) + repr(rule) + repr(estimator)
    for value in (*data["x"][:5], *data["z"][:5]):
        assert str(value)[:12] not in text


def test_one_person_alone_is_a_trial_too() -> None:
    for propensity in ("private", "ridge", EXTERNAL):
        assert fitted(1, columns(1), propensity=propensity).private


# -- an external model -------------------------------------------------------------------------


def test_an_external_model_is_a_column_that_it_gives(tmp_path: Path) -> None:
    data = columns()
    second = 1 / (1 + np.exp(-(0.2 + data["x"] + 0.1 * data["z"])))
    external = fitted("inf", data, propensity=EXTERNAL)
    column = arrays("inf", propensity="column", weight_origin="external", propensity_floor=0.1).fit(
        np.column_stack([data["x"], data["z"]]), data["arm"], data["outcome"], second
    )
    np.testing.assert_allclose(external.release.theta, column.rule_.release.theta, atol=1e-5)
    first = {
        "model": "external",
        "arm": "a",
        "intercept": -0.2,
        "coefficients": {"x0": -1, "x1": -0.1},
    }
    turned = fitted("inf", data, propensity=first)
    np.testing.assert_allclose(external.release.theta, turned.release.theta, atol=1e-5)
    write_rule(external, tmp_path / "rule.json")
    back = read_rule(tmp_path / "rule.json")
    assert back.declaration.treatment.propensity == external.declaration.treatment.propensity


def test_an_external_model_of_other_columns_is_refused() -> None:
    with pytest.raises(ParameterError, match="propensity coefficients: 'age' is no feature"):
        fitted(propensity={**EXTERNAL, "coefficients": {"age": 1}})


# -- confounding -------------------------------------------------------------------------------


def test_a_propensity_model_finds_the_right_arm_where_shares_find_the_wrong_one() -> None:
    """Arm b helps everybody; it was given to those who fare worse anyway (large x).

    B = −2x + ½·1(b) and P(b | x) = σ(3x): with the shares of the arms in place of P, b looks
    harmful for everybody.
    """
    rng, n = np.random.default_rng(3), 4000
    x = rng.uniform(-1, 1, n)
    arm = np.where(rng.random(n) < 1 / (1 + np.exp(-3 * x)), "b", "a")
    benefit = np.clip(-2 * x + 0.5 * (arm == "b") + 0.1 * rng.normal(size=n), -3, 3)
    people = np.linspace(-1, 1, 101)[:, None]
    share = float((arm == "b").mean())
    model = {"arms": ("a", "b"), "propensity_floor": 0.02}
    external = {"model": "external", "arm": "b", "intercept": 0, "coefficients": {"x0": 3}}

    def share_of_b(**propensity: Any) -> float:
        rule = PrivateTreatmentRule(
            50,
            feature_bounds=(-1, 1),
            benefit_bounds=(-3, 3),
            gamma=20.0,
            random_state=1,
            **propensity,
        ).fit(x[:, None], arm, benefit)
        return float((rule.predict(people) == "b").mean())

    assert share_of_b(propensity={"a": 1 - share, "b": share}) == 0
    assert share_of_b(propensity="private", **model) == 1
    assert share_of_b(propensity=external, **model) == 1


def test_arms_may_be_called_as_a_model_is() -> None:
    data = columns()
    arm = np.where(data["arm"] == "a", "model", "other")
    rule = arrays(
        math.inf, arms=None, propensity={"model": 0.4, "other": 0.6}, propensity_floor=None
    ).fit(np.column_stack([data["x"], data["z"]]), arm, data["outcome"])
    assert rule.rule_.arms == ("model", "other")
