"""The treatment rule: study and arrays go one way, and the rule file brings everything back."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from tests.unit.small import small_study

from dpwerm import PrivateTreatmentRule, Study
from dpwerm.errors import BudgetError, ParameterError, TableError
from dpwerm.privacy.budget import Budget, GaussianBudget
from dpwerm.releases.rule_file import read_rule, verify_rule, write_rule

STUDY = small_study("arms = { a = 0.4, b = 0.6 }", "[method]\ngamma = 5\n")


def columns(n: int = 200, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, n)
    arm = rng.choice(["a", "b"], n, p=[0.4, 0.6])
    outcome = np.where((x > 0) == (arm == "b"), 3.0, 1.0)
    return {"x": x, "z": rng.uniform(0, 10, n), "arm": arm, "outcome": outcome}


def from_study(epsilon: object = 1, text: str = STUDY, **other: Any) -> PrivateTreatmentRule:
    return PrivateTreatmentRule.from_study(
        Study.parse(text), epsilon, **({"ledger": "none"} | other)
    )


def from_arrays(epsilon: object = 1, **other: Any) -> PrivateTreatmentRule:
    parameters: dict[str, Any] = {
        "feature_bounds": [(-1, 1), (0, 10)],
        "benefit_bounds": (0, 4),
        "propensity": {"a": 0.4, "b": 0.6},
        "gamma": 5.0,
        "ledger": "none",
    }
    return PrivateTreatmentRule(epsilon, **(parameters | other))


def fit_arrays(rule: PrivateTreatmentRule, data: dict[str, Any], **other: Any) -> Any:
    return rule.fit(np.c_[data["x"], data["z"]], data["arm"], data["outcome"], **other)


def test_study_and_arrays_give_the_same_release() -> None:
    data = columns()
    study = from_study(random_state=1).fit(pa.table(data))
    arrays = fit_arrays(from_arrays(random_state=1), data)
    assert study.release_.integers == arrays.release_.integers
    assert study.release_.certificate == arrays.release_.certificate


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_every_kind_of_table_gives_the_same_rule(kind: Any, tmp_path: Path) -> None:
    data = columns()
    pd.DataFrame(data).to_csv(tmp_path / "trial.csv", index=False)
    by_path = from_study(random_state=1).fit(tmp_path / "trial.csv")
    by_frame = from_study(random_state=1).fit(kind(data))
    assert by_path.release_.integers == by_frame.release_.integers
    assert list(by_frame.predict(kind(data))) == list(by_path.predict(tmp_path / "trial.csv"))


def test_the_weight_bound_is_v_over_pi_min() -> None:
    certificate = from_study().fit(pa.table(columns())).release_.certificate
    # Midpoint 2, so V = 2 and W = 2/0.4.
    assert certificate.weight_bound == pytest.approx(5.0, rel=1e-15)


def test_non_negative_weights_need_twice_the_bound() -> None:
    text = STUDY.replace("bounds = [0, 4]", 'bounds = [0, 4]\nweights = "nonnegative"')
    certificate = from_study(text=text).fit(pa.table(columns())).release_.certificate
    assert certificate.weight_bound == pytest.approx(10.0, rel=1e-15)


def test_a_propensity_column_by_study_and_by_array() -> None:
    data = columns() | {"p": np.linspace(0.01, 0.99, 200)}
    text = STUDY.replace(
        "arms = { a = 0.4, b = 0.6 }",
        'arms = ["a", "b"]\npropensity = "p"\npropensity_floor = 0.1\norigin = "external"',
    )
    study = from_study(text=text, random_state=2).fit(pa.table(data))
    arrays = fit_arrays(
        from_arrays(
            propensity="column",
            arms=("a", "b"),
            propensity_floor=0.1,
            weight_origin="external",
            random_state=2,
        ),
        data,
        propensity=data["p"],
    )
    assert study.release_.integers == arrays.release_.integers
    assert study.release_.certificate.weight_origin.name == "external"
    assert study.release_.certificate.weight_bound == pytest.approx(20.0, rel=1e-14)


@pytest.mark.parametrize("bad", [0.0, 1.0, 1.5, -0.1, math.nan])
def test_impossible_propensities_are_refused_in_arrays(bad: float) -> None:
    rule = from_arrays(
        propensity="column", arms=("a", "b"), propensity_floor=0.1, weight_origin="design"
    )
    with pytest.raises(ParameterError, match="propensity"):
        fit_arrays(rule, columns(), propensity=np.where(np.arange(200) == 3, bad, 0.5))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"propensity": None}, "propensity is missing"),
        ({"propensity": {"a": 0.4, "b": 0.5}}, "sum to 0.9"),
        ({"propensity": {"a": 0.4}}, "two arms"),
        ({"propensity": 1.5, "arms": ("a", "b")}, "between 0 and 1"),
        ({"propensity": "other", "arms": ("a", "b")}, "propensity must be a number"),
        ({"benefit_bounds": None}, "benefit_bounds is missing"),
        ({"benefit_bounds": (4, 0)}, "not below"),
        ({"benefit_clip": -1}, "clip"),
        ({"centre": 99}, "centre"),
        ({"transform": "log"}, "log needs"),
        ({"direction": "up"}, "direction"),
        ({"default_arm": "c"}, "default"),
        ({"mechanism": "none"}, "adds no noise"),
        ({"mechanism": "gauss"}, "mechanism must be one of"),
        ({"delta": 0.1, "mechanism": "spherical-laplace"}, "delta"),
        ({"delta": 1.5}, "delta"),
        ({"gamma": "best"}, "gamma must be"),
        ({"saturation": 0.5}, "saturation must be"),
        ({"saturation": 2, "encoding": "paper"}, "saturation"),
        ({"threshold": 1}, "threshold must be"),
        ({"planned_n": 0}, "planned_n must be"),
        ({"planned_n": 2.5}, "planned_n must be"),
        ({"relation": "swap"}, "relation"),
        ({"loss": "hinge"}, "loss"),
        ({"h": 0}, "h must be"),
        ({"encoding": "other"}, "kind"),
        ({"intercept_scale": -1}, "intercept"),
    ],
)
def test_wrong_parameters_are_named(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        fit_arrays(from_arrays(**parameters), columns())


@pytest.mark.parametrize(
    "propensity",
    [
        {"a": 1 / 3, "b": 2 / 3},
        {"a": 0.333333333333, "b": 0.666666666667},
        {"a": "1/3", "b": "2/3"},
        {1: 0.25, 0: 0.75},
    ],
)
def test_every_rule_that_is_written_can_be_read(propensity: Any, tmp_path: Path) -> None:
    data = columns()
    first, second = propensity
    arm = np.where(data["arm"] == "a", first, second)
    rule = from_arrays(propensity=propensity).fit(np.c_[data["x"], data["z"]], arm, data["outcome"])
    write_rule(rule.rule_, tmp_path / "rule.json")
    assert read_rule(tmp_path / "rule.json").arms == (str(first), str(second))


def test_what_a_rule_file_cannot_hold_is_refused_before_a_fit() -> None:
    with pytest.raises(ParameterError, match="no benefit differs from the centre"):
        from_arrays(benefit_bounds=(0, 1e-12)).check_parameters()


@pytest.mark.parametrize(
    "other",
    [
        {"encoding": "paper"},
        {"feature_bounds": (5, 6)},
        {"benefit_clip": 0.1},
        {"weights": "nonnegative"},
        {"relation": "replace_one"},
        {"relation": "add_remove"},
        {"intercept_scale": 2.0},
        {"propensity": {"a": 0.5, "b": 0.5}},
    ],
)
def test_what_the_study_declares_is_not_declared_twice(other: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=f"the study declares {next(iter(other))}"):
        from_study(**other).fit(pa.table(columns()))


def test_the_relation_of_the_study_is_the_relation_of_the_claim() -> None:
    text = STUDY.replace('id = "small"', 'id = "small"\nrelation = "add_remove"')
    rule = PrivateTreatmentRule(1, study=Study.parse(text), gamma=5.0, ledger="none").fit(
        pa.table(columns())
    )
    assert rule.release_.certificate.relation == "add_remove"
    assert rule.release_.certificate.n is None


def test_arms_are_named_once() -> None:
    with pytest.raises(ParameterError, match="already names the arms"):
        fit_arrays(from_arrays(arms=("b", "a")), columns())


def test_a_study_takes_the_table_alone() -> None:
    data = columns()
    with pytest.raises(ParameterError, match="the table alone"):
        from_study().fit(pa.table(data), data["arm"])


def test_an_empty_table_is_refused_where_n_is_public_and_released_where_it_is_not() -> None:
    empty = pa.table({"x": [], "z": [], "arm": [], "outcome": []})
    with pytest.raises(TableError, match="there is none"):
        from_study().fit(empty)
    text = STUDY.replace('id = "small"', 'id = "small"\nrelation = "add_remove"')
    assert from_study(text=text).fit(empty).release_.private


def test_several_rows_of_one_person_are_refused() -> None:
    text = STUDY.replace('id = "small"', 'id = "small"\nperson = "who"')
    table = pa.table(columns() | {"who": ["same"] * 200})
    with pytest.raises(TableError, match="who: a person has several rows"):
        from_study(text=text).fit(table)


def test_a_fit_through_a_study_is_total() -> None:
    hostile = pa.table(
        {
            "x": ["", "x", "nan", "inf", "1e400"],
            "z": [None, "-7", "zebra", "1", "2"],
            "arm": ["", "c", "a", "", None],
            "outcome": ["", "", "", "", "text"],
        }
    )
    fitted = from_study().fit(hostile)
    assert fitted.release_.private
    assert fitted.release_.certificate.n == 5


def test_a_score_of_zero_gives_the_default_arm() -> None:
    rule = from_study(math.inf).fit(pa.table(columns()))
    assert list(rule.rule_.arms_for(np.array([-1.0, 0.0, 1.0]))) == ["a", "a", "b"]
    text = STUDY.replace("b = 0.6 }", 'b = 0.6 }\ndefault = "b"')
    rule = from_study(math.inf, text).fit(pa.table(columns()))
    assert list(rule.rule_.arms_for(np.array([0.0]))) == ["b"]


def test_a_rule_file_brings_the_rule_back(tmp_path: Path) -> None:
    data = pa.table(columns())
    fitted = from_study().fit(data)
    path = tmp_path / "rule.json"
    write_rule(fitted.rule_, path)
    back = read_rule(path)
    assert np.array_equal(back.score_table(data), fitted.decision_function(data))
    assert all(finding.holds for finding in verify_rule(path))
    assert not list(tmp_path.glob("*.part"))


def test_the_public_rule_does_not_move_other_rows() -> None:
    """What one row becomes never depends on another row."""
    data = columns()
    fitted = from_study(random_state=4).fit(pa.table(data))
    alone = [
        float(fitted.decision_function(pa.table({k: [v[i]] for k, v in data.items()}))[0])
        for i in (0, 5)
    ]
    together = fitted.decision_function(pa.table(data))
    assert alone == [together[0], together[5]]


NO_GAMMA = STUDY.replace("[method]\ngamma = 5\n", "")
TOTAL = "[budget]\nepsilon = 1\ndelta = 1e-6\n"
PURSES = TOTAL + "rho = 0.028\nmu = 0.23\n"


@pytest.mark.parametrize("budget", [Budget.zcdp("0.02"), Budget.gdp("0.2")], ids=str)
def test_a_budget_in_another_notion_is_given_for_epsilon(
    budget: GaussianBudget, tmp_path: Path
) -> None:
    for rule in (from_study(budget, STUDY + PURSES), clone(from_arrays(budget))):
        data = columns()
        fitted = rule.fit(pa.table(data)) if rule.study else fit_arrays(rule, data)
        certificate = fitted.release_.certificate
        assert certificate.private
        assert (certificate.mechanism, certificate.budget) == ("gaussian", budget)
        fitted.save(tmp_path / "rule.json")
        assert all(finding.holds for finding in verify_rule(tmp_path / "rule.json"))
        again = read_rule(tmp_path / "rule.json").release
        assert again.to_dict() == fitted.release_.to_dict()


def test_a_budget_for_epsilon_says_the_same_as_its_numbers() -> None:
    given = fit_arrays(from_arrays(Budget.of(1, "1e-6"), random_state=3), columns())
    numbers = fit_arrays(from_arrays(1, delta="1e-6", random_state=3), columns())
    assert given.release_.to_dict() == numbers.release_.to_dict()


@pytest.mark.parametrize("budget", [Budget.zcdp("0.1"), Budget.gdp("0.5")], ids=str)
@pytest.mark.parametrize("text", [STUDY, NO_GAMMA], ids=["gamma", "auto"])
@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"delta": 1e-6}, "delta must be 0 with an epsilon that is a budget"),
        ({"mechanism": "objective-block"}, "mechanism objective-block needs epsilon; use gaussian"),
        ({"mechanism": "spherical-laplace"}, "mechanism spherical-laplace needs epsilon; use"),
        ({"mechanism": "none"}, "adds no noise"),
    ],
)
def test_another_notion_with_what_it_does_not_go_with(
    budget: GaussianBudget, text: str, other: dict[str, Any], words: str
) -> None:
    with pytest.raises(ParameterError, match=words):
        from_study(budget, text, **other).check_parameters()


@pytest.mark.parametrize("budget", [Budget.zcdp("0.029"), Budget.gdp("0.24")], ids=str)
def test_another_notion_is_held_to_the_total_of_a_study(budget: GaussianBudget) -> None:
    with pytest.raises(BudgetError, match=f"{budget.symbol} = 0.0?2.* would fit"):
        from_study(budget, STUDY + PURSES).check_parameters()
    with pytest.raises(BudgetError, match=f"declare {budget.symbol}.* in .budget."):
        from_study(budget, STUDY + TOTAL).check_parameters()
    from_study(budget, STUDY).check_parameters()
    from_study(budget, STUDY + TOTAL, random_state=1).check_parameters()
