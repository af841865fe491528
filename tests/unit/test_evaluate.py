"""A whole evaluation: Eqn 14 without noise, the public map row by row, and what is refused."""

import functools
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.unit.releases.value.trials import (
    COLUMN,
    DESIGN,
    EXTERNAL,
    PRIVATE,
    fitted,
    naive_value,
    study,
    table,
)

from dpwerm.data.table import Table, read_table
from dpwerm.errors import BudgetError, DpwermError, ParameterError, TableError
from dpwerm.estimators.treatment_rule import PrivateTreatmentRule
from dpwerm.evaluate import Evaluation, treatment_value
from dpwerm.mechanisms.laplace_sums import UNIT
from dpwerm.privacy.budget import Budget
from dpwerm.releases.release import Rule
from dpwerm.releases.value.release import ValueRelease
from dpwerm.study.study import Study

RULE = fitted(study())
OUTCOME = {
    "arms": {
        "pill": {"intercept": 10.0, "coefficients": {"age": -0.15, "sex=M": 0.3}},
        "therapy": {"intercept": -2.0, "coefficients": {"age": 0.15, "sex=M": 0.0}},
    }
}


def received(data: pa.Table, second: Any) -> Any:
    got = data["arm"].to_numpy(zero_copy_only=False)
    return np.where(got == "therapy", second, 1 - np.asarray(second))


def exact(declared: Study, data: pa.Table, rule: Rule = RULE, **options: Any) -> ValueRelease:
    return treatment_value(rule, data, math.inf, study=declared, **options)


@pytest.mark.parametrize("treatment", [DESIGN, COLUMN, EXTERNAL])
def test_without_noise_it_is_equation_14(treatment: str) -> None:
    data, declared = table(), study(treatment)
    second = np.full(data.num_rows, 1 / 3) if treatment == DESIGN else data["chance"].to_numpy()
    value = exact(declared, data)
    expected = naive_value(RULE, data, received(data, np.clip(second, 0.1, 0.9)))
    assert [one.estimate for one in value.values] == pytest.approx(expected.all, abs=1e-5)
    gains = [expected.rule - expected.first, expected.rule - expected.second]
    assert [one.estimate for one in value.gains] == pytest.approx(gains, abs=2e-5)
    assert not value.private
    assert value.notice.startswith("NOT PRIVATE")
    assert all(one.privacy == 0 for one in (*value.values, *value.gains))


@pytest.mark.parametrize("treatment", [DESIGN, COLUMN, EXTERNAL])
def test_it_does_not_depend_on_how_rows_are_cut_into_blocks(
    treatment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, declared = table(), study(treatment)
    whole = exact(declared, data).integers
    monkeypatch.setattr(Table, "blocks", functools.partialmethod(Table.blocks, size=7))
    assert exact(declared, data).integers == whole


def test_a_smaller_benefit_is_better_where_the_study_says_so() -> None:
    declared = study(DESIGN, ("bounds = [-5, 15]", 'bounds = [-5, 15]\ndirection = "smaller"'))
    rule, data = fitted(declared), table()
    expected = naive_value(rule, data, received(data, np.full(data.num_rows, 1 / 3)), sign=-1)
    value = exact(declared, data, rule)
    assert [one.estimate for one in value.values] == pytest.approx(expected.all, abs=1e-5)


@pytest.mark.parametrize("extra", ["clip = 1", 'weights = "nonnegative"', "centre = 9"])
def test_how_the_rule_was_tuned_does_not_matter(extra: str) -> None:
    data = table()
    tuned = study(DESIGN, ("bounds = [-5, 15]", f"bounds = [-5, 15]\n{extra}"))
    assert exact(tuned, data).integers == exact(study(), data).integers


def test_a_released_propensity_model_is_free_to_use() -> None:
    declared = study(PRIVATE)
    rule, data = fitted(declared, table(500, 8)), table()
    assert rule.propensity is not None
    scores = rule.propensity.score(
        rule.propensity.encoding.encode(read_table(data, ["age", "sex"]))
    )
    second = np.clip(1 / (1 + np.exp(-scores)), 0.1, 0.9)
    expected = naive_value(rule, data, received(data, second))
    value = exact(declared, data, rule)
    assert [one.estimate for one in value.values] == pytest.approx(expected.all, abs=1e-5)
    with pytest.raises(ParameterError, match="the rule holds none"):
        exact(declared, data, RULE)


# -- the privacy claim, end to end -------------------------------------------------------------


def sums_of(declared: Study, data: pa.Table, **options: Any) -> list[int]:
    return list(exact(declared, data, **options).integers)


def moved(one: list[int], other: list[int]) -> float:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True)) / UNIT


EXTREMES: list[dict[str, Any]] = [
    {"age": age, "sex": sex, "arm": arm, "gain": gain, "chance": chance}
    for age, sex in ((20, "F"), (60, "M"), (None, None))
    for arm in ("pill", "therapy", "other", None)
    for gain in (-1e300, -5.0, 5.0, 15.0, math.nan)
    for chance in (0.0, 0.1, 0.5, 1.0, None)
]
KINDS: dict[str, dict[str, Any]] = {
    DESIGN: {},
    COLUMN: {},
    EXTERNAL.replace("-3", "-9"): {},
    "robust": {"outcome_model": OUTCOME},
}


def with_row(data: pa.Table, row: dict[str, Any]) -> pa.Table:
    return pa.concat_tables(
        [data, pa.table({key: [row[key]] for key in data.column_names})],
        promote_options="permissive",
    )


@pytest.mark.parametrize("kind", KINDS)
def test_one_row_moves_the_sums_by_at_most_one_and_some_by_exactly_one(kind: str) -> None:
    declared = study(DESIGN if kind == "robust" else kind)
    data = table(20)
    before = sums_of(declared, data, **KINDS[kind])
    steps = []
    for row in EXTREMES[::4]:
        after = sums_of(declared, with_row(data, row), **KINDS[kind])
        assert all(b >= a for a, b in zip(before, after, strict=True))
        steps.append(moved(before, after))
    # Adding attains 1, so replacing one row by another in another cell attains 2.
    assert max(steps) == 1.0
    assert min(steps) == 0.0


def test_replacing_a_row_attains_the_sensitivity_that_the_certificate_states() -> None:
    data, declared = table(20), study()
    one = with_row(data, {"age": 20, "sex": "F", "arm": "pill", "gain": -5.0, "chance": 0.5})
    other = with_row(data, {"age": 20, "sex": "F", "arm": "therapy", "gain": 15.0, "chance": 0.5})
    value = treatment_value(RULE, one, 1, study=declared)
    assert moved(sums_of(declared, one), sums_of(declared, other)) == value.certificate.sensitivity
    assert value.certificate.noise_scale == 2.0


def test_a_row_does_not_depend_on_the_rows_beside_it() -> None:
    data, declared = table(60), study(COLUMN)
    parts = [sums_of(declared, data.slice(start, 20)) for start in (0, 20, 40)]
    assert sums_of(declared, data) == [sum(part) for part in zip(*parts, strict=True)]


def test_under_add_remove_n_is_neither_written_nor_used() -> None:
    declared = study(DESIGN, ('"replace_one"', '"add_remove"'))
    value = treatment_value(RULE, table(), 1, study=declared, random_state=4)
    assert value.n is None
    assert value.certificate.n is None
    assert (value.certificate.sensitivity, value.certificate.noise_scale) == (1, 1.0)
    empty = treatment_value(RULE, table().slice(0, 0), 1, study=declared, random_state=4)
    assert all(one.lower < one.upper for one in empty.values)
    with pytest.raises(TableError, match="there is none"):
        treatment_value(RULE, table().slice(0, 0), 1, study=study())


@pytest.mark.parametrize("treatment", [DESIGN, COLUMN])
def test_every_table_of_the_right_form_gives_a_release(treatment: str) -> None:
    strange = pa.table({key: [row[key] for row in EXTREMES] for key in EXTREMES[0]})
    nothing = strange.set_column(2, "arm", pa.array([None] * strange.num_rows, pa.string()))
    one_arm = strange.set_column(2, "arm", pa.array(["pill"] * strange.num_rows))
    for data in (strange, nothing, one_arm):
        for epsilon in (0.01, math.inf):
            value = treatment_value(RULE, data, epsilon, study=study(treatment), random_state=1)
            for one in value.values:
                assert -5 <= one.lower <= one.upper <= 15
            for one in value.gains:
                assert -20 <= one.lower <= one.upper <= 20
    unknown = exact(study(treatment), nothing)
    assert unknown.value.estimate is None
    assert (unknown.value.lower, unknown.value.upper) == (-5, 15)


def test_nothing_of_the_rows_is_in_the_release() -> None:
    data = table().set_column(3, "gain", pa.array(np.full(300, 3.1234567)))
    value = treatment_value(RULE, data, 1, study=study())
    held = pickle.dumps(value) + repr(value).encode()
    assert b"3.1234567" not in held
    assert np.float64(3.1234567).tobytes() not in held


def test_noise_is_new_each_time_and_a_seed_repeats_it() -> None:
    options: dict[str, Any] = {"study": study()}
    assert (
        treatment_value(RULE, table(), 1, **options).integers
        != treatment_value(RULE, table(), 1, **options).integers
    )
    seeded = [treatment_value(RULE, table(), 1, random_state=7, **options) for _ in range(2)]
    assert seeded[0].integers == seeded[1].integers
    assert not seeded[0].private
    assert "seed" in seeded[0].notice


def one_decides(last: float) -> pa.Table:
    """Return 101 people alike but for the benefit of the last."""
    people = [{"age": 60, "sex": "M", "arm": "pill", "gain": 5.0, "chance": 0.5}] * 100
    return pa.Table.from_pylist([*people, {**people[0], "gain": last}])


def test_the_value_of_a_rule_without_a_claim_has_none_either() -> None:
    tables = [one_decides(last) for last in (15.0, -5.0)]
    rules = [fitted(study(), data) for data in tables]
    sums = [sums_of(study(), data, rule=rule) for data, rule in zip(tables, rules, strict=True)]
    assert moved(*sums) > 100
    value = treatment_value(rules[0], tables[0], 1, study=study())
    assert value.budget.is_private
    assert not value.private
    assert value.notice.startswith("NOT PRIVATE: the rule itself")
    assert value.certificate.claim == "no privacy claim"
    seeded = fitted(study(), tables[0], epsilon=1, random_state=0)
    assert not treatment_value(seeded, tables[0], 1, study=study()).private
    assert treatment_value(
        fitted(study(), epsilon=1), tables[0], 1, study=study(), ledger="none"
    ).private


# -- doubly robust -----------------------------------------------------------------------------


@pytest.mark.parametrize("treatment", [DESIGN, COLUMN])
def test_doubly_robust_without_noise_is_its_formula(treatment: str) -> None:
    data = table()
    second = np.full(300, 1 / 3) if treatment == DESIGN else np.clip(data["chance"], 0.1, 0.9)
    p = received(data, second)
    age = np.clip(data["age"].to_numpy(), 20, 60)
    male = data["sex"].to_numpy(zero_copy_only=False) == "M"
    got = data["arm"].to_numpy(zero_copy_only=False)
    told = RULE.arms_for(RULE.score_table(data))
    benefit = np.clip(data["gain"].to_numpy(), -5, 15)
    predicted = {
        "pill": np.clip(10 - 0.15 * age + 0.3 * male, -5, 15),
        "therapy": np.clip(-2 + 0.15 * age, -5, 15),
    }
    psi = {a: m + (got == a) / p * (benefit - m) for a, m in predicted.items()}
    expected = [
        np.where(told == "therapy", psi["therapy"], psi["pill"]).mean(),
        psi["pill"].mean(),
        psi["therapy"].mean(),
    ]
    value = exact(study(treatment), data, outcome_model=OUTCOME)
    assert value.certificate.estimate == "doubly robust"
    assert [one.estimate for one in value.values] == pytest.approx(expected, abs=1e-4)


def test_a_good_outcome_model_shortens_the_sampling_error() -> None:
    data = table(5000, spread=0.5)
    plain, robust = (exact(study(), data, outcome_model=m) for m in (None, OUTCOME))
    assert robust.values[2].sampling < 0.8 * plain.values[2].sampling


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ({"arms": {"pill": OUTCOME["arms"]["pill"]}}, "one model for each of the arms"),
        ({"arms": {**OUTCOME["arms"], "third": OUTCOME["arms"]["pill"]}}, "one model for each"),
        ({"arms": {**OUTCOME["arms"], "pill": {"intercept": 1, "coefficients": {}}}}, "pill"),
        ({"weapons": {}}, "arms"),
    ],
)
def test_an_outcome_model_of_something_else_is_refused(model: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        exact(study(), table(), outcome_model=model)


# -- what is refused ---------------------------------------------------------------------------


def test_other_arms_and_other_columns_are_clear_errors() -> None:
    swapped = study('arms = { therapy = "1/3", pill = "2/3" }')
    others = study('arms = { pill = "2/3", surgery = "1/3" }')
    for declared in (swapped, others):
        with pytest.raises(ParameterError, match="the rule decides between 'pill' and 'therapy'"):
            exact(declared, table())
    with pytest.raises(TableError, match="age: is not a column of the table"):
        exact(study(), table().drop_columns(["age"]))
    with pytest.raises(ParameterError, match="direction 'larger'"):
        exact(
            study(DESIGN, ("bounds = [-5, 15]", 'bounds = [-5, 15]\ndirection = "smaller"')),
            table(),
        )


@pytest.mark.parametrize(
    "treatment",
    [
        COLUMN.replace('"external"', '"worst_case"'),
        'arms = ["pill", "therapy"]\npropensity_floor = 0.1\npropensity = { model = "ridge" }',
    ],
)
def test_weights_that_move_with_one_person_are_refused_with_a_way_out(treatment: str) -> None:
    with pytest.raises(ParameterError, match=r"move everybody's weight.*Evaluate with"):
        exact(study(treatment), table())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda: treatment_value("rule", table(), 1), "a released rule"),
        (lambda: treatment_value(RULE, table(), 0), "epsilon must be"),
        (lambda: treatment_value(RULE, table(), Budget.of(1, "1e-6")), "without delta"),
        (lambda: treatment_value(RULE, table(), Budget.zcdp(1)), "epsilon alone"),
        (lambda: treatment_value(RULE, table(), 1, confidence=1.0), "0.5 and 0.999"),
        (lambda: treatment_value(RULE, table(), 1, random_state=-1), "random_state"),
    ],
)
def test_parameters_are_checked(change: Callable[[], object], words: str) -> None:
    with pytest.raises(DpwermError, match=words):
        change()


def test_more_than_the_studys_total_is_refused_before_a_row_is_read() -> None:
    with pytest.raises(BudgetError, match="more than is left of epsilon = 2"):
        treatment_value(RULE, "no such table.csv", "2.01", study=study())
    assert Evaluation(RULE, "2.01", study=study(), random_state=1).budget == Budget.of("2.01")


def test_a_person_with_several_rows_is_refused() -> None:
    declared = study(
        DESIGN,
        ('id = "small"', 'id = "small"\nperson = "sex"'),
        ('[features.sex]\nkind = "category"\nlevels = ["F", "M"]\n', ""),
    )
    rule = fitted(study(DESIGN, ('[features.sex]\nkind = "category"\nlevels = ["F", "M"]\n', "")))
    with pytest.raises(TableError, match="several rows"):
        exact(declared, table(), rule)


def test_without_a_study_the_rules_own_declaration_counts() -> None:
    data = table()
    alone = treatment_value(RULE, data, math.inf)
    assert alone.integers == exact(study(), data).integers
    estimator = PrivateTreatmentRule.from_study(study(), math.inf).fit(table(400, 9))
    assert treatment_value(estimator, data, math.inf).integers == alone.integers


def test_things_of_another_kind_are_refused_by_name() -> None:
    with pytest.raises(ParameterError, match="study must be a Study"):
        Evaluation(RULE, 1, study="study.toml")  # type: ignore[arg-type]
    for model in (3, "model.toml", [1]):
        with pytest.raises(ParameterError, match="outcome_model must be a mapping"):
            Evaluation(RULE, 1, study=study(), outcome_model=model)  # type: ignore[arg-type]


def test_where_the_interval_is_the_whole_range_no_number_is_given() -> None:
    value = treatment_value(RULE, table(), "0.000001", study=study(), random_state=1)
    lower, upper = value.declaration.benefit.range
    assert {(one.lower, one.upper) for one in value.values} == {(lower, upper)}
    assert all(one.estimate is None for one in (*value.values, *value.gains))
    assert repr(value).startswith(f"<value of a rule: not known, {lower:g} to {upper:g}. NOT")
