"""Contrast and arm-wise regression: rows, weights, design rows inside their set, and the rule."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.weighting.test_trial_rows import ARRAYS, MODEL, STUDY

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.objective.regularizers import ArmPenalty, checked_leverage
from dpwerm.objective.rows import MemoryRows
from dpwerm.privacy.weight_origin import KnownByDesign, RidgeModel, Unused
from dpwerm.simulate.demo import demo_trial
from dpwerm.study.study import read_trial
from dpwerm.study.treatment import Declaration
from dpwerm.weighting.arm_wise import ArmWiseRegression
from dpwerm.weighting.contract import TrialRows, Weighting, get_weighting
from dpwerm.weighting.contrast import ContrastRegression
from dpwerm.weighting.trial import Trial, trial_of_table

NAN = math.nan
DESIGNS: list[Weighting] = [
    ContrastRegression(),
    ContrastRegression(0.25),
    ContrastRegression(0.0),
    ArmWiseRegression(),
    ArmWiseRegression(2.0),
    ArmWiseRegression(3.0),
    ArmWiseRegression(3.0, 4.0),
]
every = pytest.mark.parametrize("design", DESIGNS, ids=str)
NUMBERS = Encoding.of_numbers(["u", "v"], [(-1.0, 1.0), (0.0, 3.0)], intercept=0.5)
ENCODINGS = {
    "numbers": NUMBERS,
    "no intercept": NUMBERS.changed(intercept=0.0),
    "saturated": NUMBERS.changed(saturation=3.0),
    "paper": Encoding.of_numbers(["u", "v"], [(-1.0, 1.0), (0.0, 3.0)], kind="paper"),
    "mixed": STUDY.encoding(),
}


def rows_of(
    design: Weighting,
    arm: list[float],
    outcome: list[float],
    second: list[float],
    declared: Declaration = MODEL,
) -> TrialRows:
    X = np.linspace(-1, 1, 2 * len(arm)).reshape(-1, 2)
    trial = Trial(np.array(arm), np.array(outcome), None, lambda _: X)
    return design.rows(trial, declared, NUMBERS, np.array(second))


def whole(design: Weighting, X: FloatArray, arm: FloatArray, encoding: Encoding) -> FloatArray:
    """Return design rows with the constant column, as the solver sees them."""
    found = design.design(X, arm, encoding)
    constant = design.constant(encoding)
    return np.column_stack([np.full(len(found), constant), found]) if constant else found


@every
def test_it_is_made_again_from_its_name_and_weighs_at_most_one(design: Weighting) -> None:
    assert get_weighting(design.name, **design.parameters) == design
    assert design.weight_bound(MODEL) == design.weight_bound(ARRAYS) == 1.0


@every
def test_benefits_are_targets_in_units_of_half_their_range(design: Weighting) -> None:
    rows = rows_of(design, [1.0, -1.0, 1.0, -1.0], [0.0, 1.0, 4.0, 99.0], [0.5] * 4)
    assert rows.targets.tolist() == [-1.0, -0.5, 1.0, 1.0]
    assert rows.received is not None
    assert rows.received.tolist() == [1.0, -1.0, 1.0, -1.0]


def test_a_contrast_weighs_a_person_by_the_floor_over_the_probability() -> None:
    design, arm = ContrastRegression(), [1.0, -1.0, 1.0, -1.0, 1.0, -1.0]
    rows = rows_of(design, arm, [1.0] * 6, [0.5, 0.5, 0.1, 0.1, 0.0, 1.0])
    assert rows.weights.tolist() == pytest.approx([0.2, 0.2, 1.0, 1 / 9, 1.0, 1.0])
    known = rows_of(design, [-1.0, 1.0], [1.0, 1.0], [0.9, 0.9], ARRAYS)
    assert known.weights.tolist() == pytest.approx([1.0, 1 / 3])


def test_arm_wise_regression_weighs_everybody_alike_whatever_the_probabilities() -> None:
    rows = rows_of(ArmWiseRegression(), [1.0, -1.0, 1.0], [1.0] * 3, [0.5, NAN, 1e-9])
    assert rows.weights.tolist() == [1.0, 1.0, 1.0]
    assert not ArmWiseRegression.uses_probabilities
    assert not ArmWiseRegression.inverse_weights


@every
def test_what_is_missing_weighs_nothing_and_stays(design: Weighting) -> None:
    rows = rows_of(design, [NAN, 1.0, -1.0, 1.0, 1.0], [1.0, NAN, 2.0, math.inf, 3.0], [0.5] * 5)
    assert (rows.weights > 0).tolist() == [False, False, True, False, True]
    for numbers in (rows.targets, rows.received):
        assert numbers is not None
        assert np.all(np.isfinite(numbers))
    found = whole(design, rows.X, np.asarray(rows.received), NUMBERS)
    assert len(found) == 5
    assert design.domain(NUMBERS).contains(found)


def test_an_unknown_probability_weighs_nothing_in_a_contrast() -> None:
    rows = rows_of(ContrastRegression(), [1.0, -1.0], [1.0, 1.0], [NAN, 0.5])
    assert rows.weights.tolist() == [0.0, pytest.approx(0.2)]


@given(
    st.lists(
        st.tuples(
            st.sampled_from([-1.0, 1.0, NAN]),
            st.floats(),
            st.floats(0, 1) | st.just(NAN),
        ),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from(DESIGNS),
)
@settings(deadline=None)
def test_no_cell_makes_a_weight_above_one_or_a_target_outside_the_range(
    cells: list[tuple[float, float, float]], design: Weighting
) -> None:
    arm, outcome, second = (list(column) for column in zip(*cells, strict=True))
    for declared in (MODEL, ARRAYS):
        rows = rows_of(design, arm, outcome, second, declared)
        assert np.all((rows.weights >= 0) & (rows.weights <= 1.0))
        assert np.all(np.abs(rows.targets) <= 1.0)


def test_one_person_s_cells_move_nobody_else_s_weight_given_the_probabilities() -> None:
    for design in DESIGNS:
        one = rows_of(design, [1.0, -1.0, 1.0], [1.0, 2.0, 3.0], [0.3, 0.4, 0.5])
        other = rows_of(design, [-1.0, -1.0, 1.0], [9.0, 2.0, 3.0], [0.9, 0.4, 0.5])
        for a, b in ((one.weights, other.weights), (one.targets, other.targets)):
            assert a[1:].tolist() == b[1:].tolist()


# -- design rows -----------------------------------------------------------------------------------


def encoded(encoding: Encoding, count: int = 300) -> FloatArray:
    """Return rows as learned from: random ones, and those at the ends of every range."""
    if encoding == ENCODINGS["mixed"]:
        X = encoding.encode(read_trial(STUDY, demo_trial(count)))
    else:
        random = np.random.default_rng(1)
        wide = random.normal(0, 3, size=(count, 2))
        ends = [[a, b] for a in (-1e300, -1.0, 0.0, 1.0, 1e300) for b in (-9.0, 0.0, 3.0, 1e9)]
        X = encoding.encode_numbers(np.concatenate([wide, ends]))
    return encoding.learning_rows(X)


@every
@pytest.mark.parametrize("name", ENCODINGS)
def test_design_rows_lie_in_their_set_and_reach_its_ends(design: Weighting, name: str) -> None:
    encoding = ENCODINGS[name]
    X = encoded(encoding)
    domain = design.domain(encoding)
    for arm in (np.full(len(X), -1.0), np.full(len(X), 1.0), np.resize([1.0, -1.0], len(X))):
        rows = whole(design, X, arm, encoding)
        assert rows.shape[1] == domain.dimension == len(design.coefficient_names(encoding))
        assert domain.contains(rows)
        assert np.linalg.norm(rows, axis=1).max() <= domain.radius
        if name in ("numbers", "no intercept", "saturated"):
            assert domain.gauge(rows).max() == 1.0
            assert np.linalg.norm(rows, axis=1).max() == pytest.approx(domain.radius)
        # No smaller set of the same shape holds them.
        assert not domain.contains(rows * (1 + 1e-12) / domain.gauge(rows).max())


@every
def test_the_design_is_the_formula(design: Weighting) -> None:
    X = np.array([[0.5, -0.25], [-1.0, 1.0]])
    arm = np.array([-1.0, 1.0])
    rows = whole(design, X, arm, NUMBERS)
    x = np.column_stack([[0.5, 0.5], X])
    if isinstance(design, ContrastRegression):
        expected = arm[:, None] * x
        if design.mean:
            expected = np.column_stack([[design.mean] * 2, expected])
    else:
        nothing = np.zeros(3)
        parts = [np.stack([x[0], nothing]), np.stack([nothing, x[1]])]
        curves = [2 * X**2 - 1, 4 * X**3 - 3 * X]
        parts += curves[: len(design.coefficient_names(NUMBERS)) // 2 - 3]
        expected = np.concatenate(parts, axis=1)
    np.testing.assert_allclose(rows, expected, atol=1e-15)


@pytest.mark.parametrize("degree", [2.0, 3.0])
def test_only_numbers_are_bent(degree: float) -> None:
    encoding = ENCODINGS["mixed"]
    names = ArmWiseRegression(degree).coefficient_names(encoding)
    curves = [name for name in names if name.endswith(("²", "³"))]
    assert curves == ["age²", "severity²", "age³", "severity³"][: 2 * int(degree - 1)]


@every
def test_many_trials_at_once_have_the_same_rows(design: Weighting) -> None:
    X = encoded(NUMBERS)[:40]
    arm = np.resize([1.0, -1.0, -1.0], 40)
    stacked = design.design(X.reshape(4, 10, 2), arm.reshape(4, 10), NUMBERS)
    assert np.array_equal(stacked.reshape(40, -1), design.design(X, arm, NUMBERS))


@every
def test_a_design_without_arms_is_refused(design: Weighting) -> None:
    with pytest.raises(ParameterError, match="needs what each person received"):
        design.design(np.zeros((1, 2)), None, NUMBERS)


@every
def test_the_objective_takes_the_rows(design: Weighting) -> None:
    rows = rows_of(design, [1.0, -1.0, 1.0], [0.0, 1.0, 4.0], [0.5] * 3)
    domain = design.domain(NUMBERS)
    found = design.design(rows.X, rows.received, NUMBERS)
    data = MemoryRows(
        found, rows.targets, rows.weights, design.constant(NUMBERS), domain.column_bounds
    )
    (block,) = data.map(lambda one: one.design())
    assert domain.contains(block)


# -- what is released ------------------------------------------------------------------------------


@every
@pytest.mark.parametrize("name", ENCODINGS)
def test_the_rule_is_how_the_arms_scores_differ(design: Weighting, name: str) -> None:
    """The rule's score is half the difference of the fits in the two arms, or all of it."""
    encoding = ENCODINGS[name]
    X = encoded(encoding)[:50]
    count = len(design.coefficient_names(encoding))
    theta = np.random.default_rng(2).integers(-9, 9, count).astype(float)
    rule = np.array(design.rule(theta.tolist(), encoding))
    assert len(rule) == len(encoding.coefficient_names)
    plain = np.column_stack([np.full(50, encoding.intercept_scale), X])
    score = (plain if encoding.intercept_scale else X) @ rule
    fits = [whole(design, X, np.full(50, arm), encoding) @ theta for arm in (-1.0, 1.0)]
    share = 2 if isinstance(design, ContrastRegression) else 1
    np.testing.assert_allclose(share * score, fits[1] - fits[0], atol=1e-12)
    many = design.rules(np.stack([theta, 2 * theta]), encoding)
    assert many.tolist() == [rule.tolist(), (2 * rule).tolist()]


def test_the_rule_of_grid_integers_is_exact() -> None:
    grid = [Fraction(k, 2**60) for k in range(1, 10)]
    assert ArmWiseRegression().rule(grid[:6], NUMBERS) == tuple(Fraction(3, 2**60) for _ in "abc")
    assert ContrastRegression().rule(grid[:4], NUMBERS) == tuple(grid[1:4])
    assert ContrastRegression(0.0).rule(grid[:3], NUMBERS) == tuple(grid[:3])


@pytest.mark.parametrize("main", [0.01, 0.3, 1.0, 2.0, 7.7, 1e6])
@pytest.mark.parametrize("degree", [1.0, 2.0, 3.0])
def test_the_penalty_has_the_ratio_asked_for_and_is_proven(degree: float, main: float) -> None:
    design = ArmWiseRegression(degree)
    penalty = design.penalty(NUMBERS, main)
    assert isinstance(penalty, ArmPenalty)
    assert min(penalty.main, penalty.contrast) == 1.0
    assert penalty.main / penalty.contrast == pytest.approx(main)
    assert penalty.shared == 2 * (degree - 1)
    domain = design.domain(NUMBERS)
    leverage = checked_leverage(penalty, domain)
    assert leverage is not None
    assert 0 < leverage <= Fraction(domain.radius) ** 2
    assert ContrastRegression().penalty(NUMBERS, main) is None


@pytest.mark.parametrize("main", [0.01, 0.25, 1.0, 4.0])
@pytest.mark.parametrize("name", ENCODINGS)
def test_curves_are_penalised_by_bend_times_the_main_effect(name: str, main: float) -> None:
    """Then sup xᵀM⁻¹x is the arms' part and that of the curves, each over its own penalty."""
    encoding, design = ENCODINGS[name], ArmWiseRegression(3.0, 4.0)
    penalty, domain = design.penalty(encoding, main), design.domain(encoding)
    plain = ArmWiseRegression(3.0).penalty(encoding, main)
    assert isinstance(penalty, ArmPenalty)
    assert isinstance(plain, ArmPenalty)
    assert (penalty.bend, plain.bend) == (4.0, 1.0)
    assert replace(penalty, bend=1.0) == plain
    leverage, before = (checked_leverage(one, domain) for one in (penalty, plain))
    assert leverage is not None
    assert before is not None
    a, b = max(main, 1.0), max(1 / main, 1.0)
    arm = float(encoding.domain.radius_squared) * (1 / a + 1 / b) / 2
    assert float(leverage) == pytest.approx(arm + penalty.shared / (4 * a))
    assert leverage < before


def test_bend_is_left_out_of_the_parameters_where_it_is_one() -> None:
    assert ArmWiseRegression(3.0).parameters == {"degree": 3.0}
    assert ArmWiseRegression(3.0, 4).parameters == {"degree": 3.0, "bend": 4.0}
    assert get_weighting("arm-wise", degree=3.0, bend=1) == ArmWiseRegression(3.0)
    assert get_weighting("arm-wise", degree=3.0) == ArmWiseRegression(3.0, 1.0)
    assert "bend" in ArmWiseRegression.options
    penalty = ArmWiseRegression(3.0).penalty(NUMBERS, 2.0)
    assert penalty is not None
    assert penalty.parameters == {"main": 2.0, "contrast": 1.0, "arms": 2.0, "shared": 4.0}


@pytest.mark.parametrize("bend", [0.0, 0.999, -4.0, NAN, math.inf, "4", None, True])
def test_another_bend_is_refused(bend: Any) -> None:
    with pytest.raises(ParameterError, match="bend must be"):
        ArmWiseRegression(2.0, bend)


def test_a_bend_without_curves_is_refused() -> None:
    with pytest.raises(ParameterError, match="bend must be 1 where degree is 1"):
        ArmWiseRegression(1.0, 4.0)
    assert ArmWiseRegression(1.0, 1.0) == ArmWiseRegression()


def test_arm_wise_regression_has_an_origin_of_its_own() -> None:
    ridge = RidgeModel(0.1, 1.0, 3, 40.0, 1e-6)
    for declared in (KnownByDesign(), ridge, Unused()):
        assert ArmWiseRegression().origin(declared) == Unused()
        assert ContrastRegression().origin(declared) is declared


@pytest.mark.parametrize("degree", [0.0, 4.0, 1.5, NAN, "2", None])
def test_another_degree_is_refused(degree: Any) -> None:
    with pytest.raises(ParameterError, match="degree must be 1, 2 or 3"):
        ArmWiseRegression(degree)


@pytest.mark.parametrize("mean", [-1.0, NAN, math.inf, 1e13, "1"])
def test_another_mean_is_refused(mean: Any) -> None:
    with pytest.raises(ParameterError, match="mean must be"):
        ContrastRegression(mean)


def test_a_table_s_rows_are_those_of_its_cells() -> None:
    declared, encoding = STUDY.declaration(), STUDY.encoding()
    trial = trial_of_table(declared, read_trial(STUDY, demo_trial(200)))
    assert trial.given_propensity is not None
    for design in DESIGNS:
        rows = design.rows(trial, declared, encoding, trial.given_propensity)
        assert np.array_equal(rows.targets, declared.benefit.scaled(trial.outcome))
        assert np.array_equal(np.asarray(rows.received), trial.arm)
        assert rows.weights.tolist() == [1.0] * 200  # arms 1:1, so that P is the floor
        assert "0." not in repr(rows)
