"""A propensity model of the trial's own people: what it is fitted to, and how far one moves it."""

from decimal import Decimal
from fractions import Fraction

import flint
import numpy as np
import pytest
from scipy.optimize import minimize

from dpwerm.arrays import FloatArray
from dpwerm.features.domain import Interval
from dpwerm.features.encoding import Encoding
from dpwerm.fit import fit_private, secret_second_arm, settle_private
from dpwerm.objective.losses import Logistic
from dpwerm.objective.objective import Objective
from dpwerm.objective.regularizers import Ridge
from dpwerm.objective.rows import MemoryRows
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import bit_source
from dpwerm.privacy.sensitivity import Facts
from dpwerm.privacy.weight_origin import RidgeModel
from dpwerm.releases.release import Release
from dpwerm.solve.newton import minimise
from dpwerm.study.treatment import Declaration
from dpwerm.weighting.contract import OUTCOME_WEIGHTED, Weighting
from dpwerm.weighting.contrast import ContrastRegression
from dpwerm.weighting.trial import Trial, model_encoding, origin_for

ENCODING = Encoding.of_numbers(["x", "z"], [(-1.0, 1.0), (0.0, 10.0)], intercept=0.25)
N = 60


def declared(gamma: object = "auto", floor: str = "1/10") -> Declaration:
    return Declaration.of_keys(
        {
            "column": "arm",
            "arms": ["a", "b"],
            "propensity": {"model": "ridge", "gamma": gamma},
            "propensity_floor": floor,
        },
        {"column": "benefit", "bounds": [0, 2]},
    )


def trial_of(matrix: FloatArray, arm: FloatArray, outcome: FloatArray | None = None) -> Trial:
    benefit = np.full(len(arm), 2.0) if outcome is None else outcome
    return Trial(arm, benefit, None, lambda encoding: encoding.encode_numbers(matrix))


def drawn(n: int = N, seed: int = 0, steep: float = 2.0) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    matrix = np.column_stack([rng.uniform(-1, 1, n), rng.uniform(0, 10, n)])
    chance = 1 / (1 + np.exp(-steep * matrix[:, 0] - 0.5))
    return matrix, np.where(rng.random(n) < chance, 1.0, -1.0)


def origin(declaration: Declaration, n: int) -> RidgeModel:
    found = origin_for(declaration.treatment, ENCODING, n)
    assert isinstance(found, RidgeModel)
    return found


def private(
    trial: Trial, epsilon: str = "inf", relation: Relation = Relation.REPLACE_ONE
) -> Release:
    model = settle_private(
        ENCODING, budget=Budget.of(epsilon), people=N, relation=relation, floor=0.1
    )
    return fit_private(trial, model, bit_source(1))


# -- a private model ---------------------------------------------------------------------------


def by_hand(matrix: FloatArray, arm: FloatArray, gamma: float, intercept: float) -> FloatArray:
    """Return the ridge-penalised logistic model's coefficients by a general optimiser."""
    rows = (
        np.column_stack([np.full(len(arm), intercept), matrix[:, 0], (matrix[:, 1] - 5) / 5])
        * arm[:, None]
    )

    def both(beta: FloatArray) -> tuple[float, FloatArray]:
        z = rows @ beta
        value = np.logaddexp(0, -z).sum() + gamma / 2 * beta @ beta
        return float(value), gamma * beta - rows.T @ (1 / (1 + np.exp(z)))

    found: FloatArray = minimize(both, np.zeros(3), jac=True, options={"gtol": 1e-11}).x
    return found


def test_it_is_the_logistic_model_of_the_arms() -> None:
    matrix, arm = drawn()
    release = private(trial_of(matrix, arm))
    certificate = release.certificate
    expected = by_hand(matrix, arm, certificate.gamma, release.encoding.intercept_scale)
    np.testing.assert_allclose(release.theta, expected, atol=1e-6)
    assert (certificate.loss.name, certificate.weight_bound) == ("logistic", 1.0)
    assert (certificate.weight_origin.name, certificate.n) == ("design", N)
    assert certificate.chosen is not None
    assert certificate.chosen.settings == ["gamma", "mechanism", "intercept_scale"]
    assert release.encoding.changed(intercept=1.0) == model_encoding(ENCODING)


def test_a_row_without_an_arm_weighs_nothing_and_counts() -> None:
    matrix, arm = drawn()
    missing = arm.copy()
    missing[::7] = np.nan
    release = private(trial_of(matrix, missing))
    known = ~np.isnan(missing)
    expected = by_hand(
        matrix[known], arm[known], release.certificate.gamma, release.encoding.intercept_scale
    )
    np.testing.assert_allclose(release.theta, expected, atol=1e-6)
    assert release.certificate.n == N


def test_outcomes_have_no_say() -> None:
    matrix, arm = drawn()
    outcomes = (np.full(N, np.nan), np.zeros(N), np.random.default_rng(5).normal(size=N))
    found = {private(trial_of(matrix, arm, each), "1").integers for each in outcomes}
    assert len(found) == 1
    assert private(trial_of(matrix, -arm), "1").integers not in found


def test_nothing_but_its_part_of_the_budget_is_spent() -> None:
    release = private(trial_of(*drawn()), "0.3")
    assert release.certificate.budget == Budget(Decimal("0.3"))
    assert not release.private  # the bits are seeded


def test_under_add_remove_the_number_of_rows_is_not_kept() -> None:
    found = [
        private(trial_of(*drawn(n)), "1", Relation.ADD_REMOVE).certificate for n in (N, N + 17)
    ]
    assert found[0].n is None
    assert found[0] == found[1]


# -- a secret model ----------------------------------------------------------------------------


def test_a_secret_model_is_the_ridge_model_of_all_rows() -> None:
    matrix, arm = drawn()
    arm[::9] = np.nan
    known = ~np.isnan(arm)
    model = origin(declared(4), N)
    found = secret_second_arm(trial_of(matrix, arm), ENCODING, model)
    beta = by_hand(matrix[known], arm[known], 4.0, 1.0)
    scores = beta[0] + beta[1] * matrix[:, 0] + beta[2] * (matrix[:, 1] - 5) / 5
    np.testing.assert_allclose(found, 1 / (1 + np.exp(-scores)), atol=1e-7)


@pytest.mark.parametrize("gamma", [1e-12, 1e-3, 1e12])
def test_a_secret_model_is_found_for_every_data_set(gamma: float) -> None:
    matrix, arm = drawn(12)
    sets = [arm, np.ones(12), np.where(matrix[:, 0] > 0, 1.0, -1.0), np.full(12, np.nan)]
    model = origin(declared(gamma), 12)
    for each in sets:
        found = secret_second_arm(trial_of(matrix, each), ENCODING, model)
        assert np.isfinite(found).all()
        assert ((found >= 0) & (found <= 1)).all()


DESIGNS: list[Weighting] = [OUTCOME_WEIGHTED, ContrastRegression()]
every_design = pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)


def moved(declaration: Declaration, one: Trial, other: Trial, design: Weighting) -> float:
    """Return Σ_{i<n} |w̃_i − w_i| by the library's own way to the weights."""
    model = origin(declaration, one.n_rows)
    first, second = (
        design.rows(each, declaration, ENCODING, secret_second_arm(each, ENCODING, model)).weights
        for each in (one, other)
    )
    return float(np.abs(first - second)[:-1].sum())


def facts_of(declaration: Declaration, n: int, design: Weighting = OUTCOME_WEIGHTED) -> Facts:
    """Return facts with L = r = 1, under which C is the largest Σ |w̃_i − w_i|."""
    model = origin(declaration, n)
    return Facts(
        design.weight_bound(declaration),
        1.0,
        0.25,
        Interval(1.0),
        1.0,
        Ridge(),
        Relation.REPLACE_ONE,
        n,
        model,
    )


@every_design
@pytest.mark.parametrize("gamma", ["auto", 0.5, 20])
@pytest.mark.parametrize("floor", ["1/100", "1/4", "49/100"])
def test_one_person_moves_the_weights_of_the_others_by_no_more_than_c(
    gamma: object, floor: str, design: Weighting
) -> None:
    declaration = declared(gamma, floor)
    for n in (2, 3, 6):
        bound = float(origin(declaration, n).constant(facts_of(declaration, n, design)))
        for seed in range(6):
            matrix, arm = drawn(n, seed, steep=20.0)
            if seed % 2:
                matrix = np.where(matrix > [0.0, 5.0], [1.0, 10.0], [-1.0, 0.0])
            other_matrix, other_arm = matrix.copy(), arm.copy()
            other_matrix[-1] = [-matrix[-1, 0], 10.0 - matrix[-1, 1]]
            for last in (arm[-1], -arm[-1]):
                other_arm[-1] = last
                for rows in (matrix, other_matrix):
                    one, other = trial_of(matrix, arm), trial_of(rows, other_arm)
                    assert moved(declaration, one, other, design) <= bound


@every_design
def test_half_of_c_is_met_where_everybody_is_near_one_half(design: Weighting) -> None:
    """All scores near 0, π_min a little below ½, a large γ_p: no factor but one of two is lost."""
    n, declaration = 6, declared(1e4, "49/100")
    matrix = np.tile([1.0, 10.0], (n, 1))
    arm = np.array([1.0, -1.0, 1.0, -1.0, 1.0, 1.0])
    changed = np.where(np.arange(n) == n - 1, -arm, arm)
    found = moved(declaration, trial_of(matrix, arm), trial_of(matrix, changed), design)
    bound = float(origin(declaration, n).constant(facts_of(declaration, n, design)))
    assert 0.47 * bound <= found <= bound


@every_design
@pytest.mark.parametrize("floor", ["1/4", "1/1000", "1/10000000"])
@pytest.mark.parametrize("gamma", [0.01, 1.0])
def test_computed_weights_are_within_the_allowance_of_those_at_the_solver_s_point(
    floor: str, gamma: float, design: Weighting
) -> None:
    """β is what the solver returns, exactly; from there, doubles against 200 bits."""
    declaration = declared(gamma, floor)
    matrix, arm = drawn(40, 3, steep=8.0)
    trial, model = trial_of(matrix, arm), origin(declaration, 40)
    second = secret_second_arm(trial, ENCODING, model)
    found = design.rows(trial, declaration, ENCODING, second).weights
    seen = model_encoding(ENCODING)
    data = MemoryRows(
        trial.encode(seen), arm, np.ones(40), seen.intercept_scale, seen.domain.column_bounds
    )
    theta = minimise(Objective(data, Logistic(), gamma, Ridge()), model.tolerance).theta
    beta = [Fraction(each) for each in theta]
    allowed = Fraction(design.weight_bound(declaration)) * model.rounding(40)
    lowest = Fraction(declaration.treatment.pi_min)
    most = 1 if design is OUTCOME_WEIGHTED else lowest  # |v|, or π_min
    before = flint.ctx.prec
    flint.ctx.prec = 200
    try:
        for x, sign, weight in zip(data.X, arm, found, strict=True):
            score = beta[0] + sum(b * Fraction(value) for b, value in zip(beta[1:], x, strict=True))
            exact = 1 / (1 + (_ball(-Fraction(sign) * score)).exp())
            received = min(max(exact, _ball(lowest)), 1 - _ball(Fraction(floor)))
            assert abs(_ball(Fraction(weight)) - _ball(Fraction(most)) / received) <= _ball(allowed)
    finally:
        flint.ctx.prec = before


def _ball(value: Fraction) -> flint.arb:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def test_c_grows_with_the_number_of_the_others_at_a_fixed_penalty() -> None:
    declaration = declared(50)
    few, many = (origin(declaration, n).constant(facts_of(declaration, n)) for n in (11, 21))
    assert float(many / few) == pytest.approx(2, rel=1e-6)
