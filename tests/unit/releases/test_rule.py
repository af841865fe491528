from dataclasses import replace

import numpy as np
import pandas as pd
from tests.unit.estimators.observational import EXTERNAL, fitted

from dpwerm.privacy.budget import Budget
from dpwerm.releases.release import Rule


def test_scores_decide_and_zero_is_the_default_arm() -> None:
    rule = fitted("inf", propensity=EXTERNAL, default_arm="b")
    assert (rule.arms, rule.default) == (("a", "b"), "b")
    assert rule.arms_for(np.array([-1.0, 0.0, 1e-300])).tolist() == ["a", "b", "b"]


def test_a_rule_costs_what_all_its_releases_cost() -> None:
    rule = fitted(1)
    assert rule.budget == Budget.of(1)
    alone = Rule(rule.release, rule.declaration)
    assert alone.budget == Budget.of("0.5")
    bare = fitted("inf").propensity
    assert replace(rule, propensity=bare).budget == Budget.of("inf")


def test_a_rule_is_as_private_as_the_least_of_its_releases() -> None:
    rule, seeded = fitted(1), fitted(1, random_state=1)
    assert rule.private
    assert not replace(rule, propensity=seeded.propensity).private
    assert not replace(rule, release=seeded.release).private


def test_a_rule_scores_a_table_by_name() -> None:
    rule = fitted("inf", propensity=EXTERNAL)
    own = rule.release.own_units()
    table = pd.DataFrame({"x1": [2.0, 9.0], "other": [0, 0], "x0": [0.5, -0.5]})
    expected = own["intercept"] + own["x0"] * table["x0"] + own["x1"] * table["x1"]
    np.testing.assert_allclose(rule.score_table(table), expected, rtol=1e-9)


def test_a_rule_has_a_title_even_without_a_study() -> None:
    assert fitted("inf", propensity=EXTERNAL).title == "a treatment rule"
