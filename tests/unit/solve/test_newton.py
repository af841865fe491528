from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import ctx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.objective.losses import HuberisedHinge, Logistic, Loss
from dpwerm.objective.objective import Objective
from dpwerm.objective.rows import MemoryRows
from dpwerm.solve import newton
from dpwerm.solve.gradient import Solution
from dpwerm.solve.newton import minimise

Rows = tuple[FloatArray, FloatArray, FloatArray]
GradientOf = Callable[[Objective, Sequence[Fraction | float]], list[Any]]
MinimiserOf = Callable[[Objective], list[Any]]


def sample(n: int, d: int, seed: int = 5) -> Rows:
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, (n, d))
    y = np.where(X[:, 0] + 0.6 * random.normal(size=n) > 0, 1.0, -1.0)
    return X, y, random.uniform(0, 2, n)


def separable() -> Rows:
    X, _, w = sample(25, 2)
    return X, np.where(X[:, 0] > 0.1, 1.0, -1.0), w


def hard_cases() -> dict[str, Rows]:
    X, y, w = sample(25, 2)
    return {
        "noisy": (X, y, w),
        "separable": separable(),
        "weights 0": (X, y, np.zeros(25)),
        "no rows": (X[:0], y[:0], w[:0]),
        "one row": (X[:1], y[:1], w[:1]),
        "one label": (X, np.ones(25), w),
        "collinear": (np.column_stack([X, X[:, 0], X[:, 0] + X[:, 1]]), y, w),
        "constant": (np.column_stack([X, np.ones(25), np.zeros(25)]), y, w),
        "two-valued": (np.sign(X), y, np.ones(25)),
        "rare heavy": (X, y, np.where(np.arange(25) % 12 == 3, 1e12, 1.0)),
        "no features": (X[:, :0], y, w),
    }


def problem(rows: Rows, loss: Loss, gamma: float, intercept: float = 1.0) -> Objective:
    X, y, w = rows
    bounds = np.abs(X).max(axis=0, initial=0.0)
    bounds = np.concatenate([[intercept], bounds]) if intercept else bounds
    return Objective(MemoryRows(X, y, w, intercept, bounds), loss, gamma)


def gap(solution: Solution, reference: list[Any]) -> Any:
    """Return ‖θ − θ*‖ in 60 digits."""
    exact = [mpmath.mpf(t.numerator) / t.denominator for t in solution.theta]
    return mpmath.norm([a - b for a, b in zip(exact, reference, strict=True)])


def check_against_gradient(
    objective: Objective, tolerance: float, true_gradient: GradientOf
) -> Solution:
    """Solve, and hold the claim against ‖∇F‖/γ ≤ bound and 0 < bound ≤ tolerance."""
    solution = minimise(objective, tolerance)
    # Far more digits than the solver had bits, so that the second opinion is never the coarser.
    with mpmath.workdps(60 + solution.bits):
        norm = mpmath.norm(true_gradient(objective, solution.theta))
        assert norm <= objective.gamma * mpmath.mpf(solution.distance_bound) * (1 + 1e-40)
    assert solution.distance_bound <= tolerance
    return solution


@pytest.mark.parametrize("gamma", [1e-3, 1.0, 1e6])
@pytest.mark.parametrize("loss", [HuberisedHinge(0.5), HuberisedHinge(1.0), Logistic()], ids=str)
@pytest.mark.parametrize("case", hard_cases())
def test_certified_distance_holds_against_50_digits(
    case: str, loss: Loss, gamma: float, true_minimiser: MinimiserOf
) -> None:
    rows = hard_cases()[case]
    objective = problem(rows, loss, gamma)
    reference = true_minimiser(objective)
    heaviest = max(1e-3, rows[2].max(initial=0.0))
    for relative in (1e-6, 1e-14, 1e-30):
        tolerance = relative * 2 * heaviest / gamma
        solution = minimise(objective, tolerance)
        with mpmath.workdps(120):
            distance = gap(solution, reference)
            assert distance <= mpmath.mpf(solution.distance_bound) + mpmath.mpf(10) ** -49
        assert solution.distance_bound <= tolerance


@pytest.mark.parametrize("gamma", [1e-12, 1e-3, 1.0, 1e12])
@pytest.mark.parametrize(
    "loss", [HuberisedHinge(1e-6), HuberisedHinge(0.5), HuberisedHinge(1e6), Logistic()], ids=str
)
@pytest.mark.parametrize("case", hard_cases())
def test_every_data_set_is_solved_to_any_tolerance(
    case: str, loss: Loss, gamma: float, true_gradient: GradientOf
) -> None:
    objective = problem(hard_cases()[case], loss, gamma)
    for tolerance in (1e-6 / gamma, 1e-30 / gamma):
        check_against_gradient(objective, tolerance, true_gradient)


@pytest.mark.parametrize("scale", [1e-300, 1e-8, 1e6, 1e12])
def test_features_of_any_size(scale: float, true_gradient: GradientOf) -> None:
    X, y, w = sample(30, 2)
    for loss in (HuberisedHinge(0.5), Logistic()):
        objective = problem((X * [scale, 1.0], y, w), loss, 0.01)
        check_against_gradient(objective, 1e-6, true_gradient)
        check_against_gradient(objective, 1e-25, true_gradient)


@pytest.mark.parametrize("loss", [HuberisedHinge(0.5), Logistic()], ids=str)
def test_numbers_far_outside_any_declared_range(loss: Loss) -> None:
    X, y, w = sample(12, 2)
    for rows in ((X, y, w * 8e307), (X * 1e100, y, w), (X, y, w * 1e100)):
        for gamma in (1e-12, 1.0, 1e12):
            assert minimise(problem(rows, loss, gamma), 1e-3).distance_bound <= 1e-3


@pytest.mark.parametrize("loss", [HuberisedHinge(0.5), Logistic()], ids=str)
def test_an_intercept_whose_square_overflows(loss: Loss) -> None:
    X, y, w = sample(12, 1)
    data = MemoryRows(X, y, w, 1e200, np.array([1e200, 1.0]))
    assert minimise(Objective(data, loss, 1.0), 1e-3).distance_bound <= 1e-3


def test_a_weight_that_overflows_in_the_sample_of_many_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(newton, "_LARGE", 32)
    weights = np.ones(32)
    weights[0] = 1.2e307
    data = MemoryRows(np.ones((32, 1)), np.ones(32), weights, 0.0, np.ones(1))
    assert minimise(Objective(data, HuberisedHinge(0.5), 1.0), 1e-3).distance_bound <= 1e-3


def test_weights_of_any_size(true_gradient: GradientOf) -> None:
    X, y, _ = sample(30, 2)
    weights = 10.0 ** np.linspace(-320, 12, 30)
    check_against_gradient(problem((X, y, weights), Logistic(), 1.0), 1e-9, true_gradient)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_small_problem(data: st.DataObject, true_gradient: GradientOf) -> None:
    n, d = data.draw(st.integers(0, 8)), data.draw(st.integers(0, 3))
    numbers = st.one_of(st.floats(-1, 1), st.sampled_from([-1.0, 0.0, 1.0, 0.5, 5e-324]))
    X = np.array(data.draw(st.lists(numbers, min_size=n * d, max_size=n * d))).reshape(n, d)
    signs = st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n)
    weights = st.lists(st.floats(0, 1e12), min_size=n, max_size=n)
    exponent = st.floats(-12, 12)
    loss = data.draw(
        st.one_of(
            st.just(Logistic()),
            st.floats(-6, 6).map(lambda e: HuberisedHinge(10.0**e)),
        )
    )
    rows = X, np.array(data.draw(signs)), np.array(data.draw(weights))
    gamma = 10.0 ** data.draw(exponent)
    objective = problem(rows, loss, gamma, intercept=data.draw(st.sampled_from([0.0, 0.5, 1.0])))
    tolerance = 10.0 ** data.draw(st.floats(-40, 3)) * 1e-3
    check_against_gradient(objective, tolerance, true_gradient)


@pytest.mark.parametrize("loss", [HuberisedHinge(0.5), Logistic()], ids=str)
def test_many_rows_go_through_a_sample_and_end_where_few_would(loss: Loss) -> None:
    X, y, w = sample(40_000, 3)
    objective = problem((X, y, w), loss, 10.0)
    near = minimise(objective, 1e-7)
    nearer = minimise(objective, 1e-9)
    distance = sum((a - b) ** 2 for a, b in zip(near.theta, nearer.theta, strict=True))
    assert near.bits == nearer.bits == 53
    assert distance <= Fraction(near.distance_bound + nearer.distance_bound) ** 2


def test_a_misleading_sample_does_no_harm() -> None:
    X, y, w = sample(40_000, 2)
    y[::16] = -np.sign(X[::16, 0])
    X[::16] *= 0.01
    objective = problem((X, y, w), HuberisedHinge(0.1), 1.0)
    assert minimise(objective, 1e-6).distance_bound <= 1e-6


def test_the_default_tolerance_is_certified_in_doubles_at_many_rows() -> None:
    X, y, w = sample(200_000, 8)
    objective = problem((X, y, w / 2), HuberisedHinge(0.5), 100.0)
    assert minimise(objective, 1e-6 * 2 * 3 / 100.0).bits == 53


def test_a_tolerance_beyond_high_blocks_is_certified_in_doubles_too() -> None:
    X, y, w = sample(400_000, 3)
    objective = problem((X, y, w / 2), HuberisedHinge(0.5), 4000.0)
    # Objective perturbation asks for this: 10⁻⁸·2WLr/γ, and half of it of the solver.
    tolerance = 1e-8 * 2 / 4000.0 / 2
    assert newton._solve(objective, tolerance).proven.distance > tolerance
    assert minimise(objective, tolerance).bits == 53


@pytest.mark.parametrize("case", hard_cases())
def test_the_smallest_tolerance_there_is(case: str) -> None:
    for loss in (HuberisedHinge(0.5), Logistic()):
        for gamma in (1e-12, 1.0):
            objective = problem(hard_cases()[case], loss, gamma)
            assert minimise(objective, 5e-324).distance_bound <= 5e-324


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(0, 30),
    size=st.floats(-3, 12),
    gamma=st.floats(-3, 3),
    relative=st.floats(-25, -3),
)
def test_a_problem_is_solved_where_the_gradient_cancels_the_linear_term(
    seed: int, n: int, size: float, gamma: float, relative: float, true_gradient: GradientOf
) -> None:
    random = np.random.default_rng(seed)
    high = 10.0**size * random.normal(size=3)
    loss: Loss = HuberisedHinge(0.3) if seed % 2 else Logistic()
    flat = problem(sample(n, 2, seed), loss, 10.0**gamma)
    perturbed = replace(flat, linear_term=(high, 2.0**-54 * high * random.uniform(-1, 1, 3)))
    solution = check_against_gradient(perturbed, 10.0**relative, true_gradient)
    # ∇F of the problem without the linear term is −b there.
    with mpmath.workdps(60 + solution.bits):
        slopes = true_gradient(flat, solution.theta)
        parts = zip(*(part.tolist() for part in perturbed.linear_terms), strict=True)
        rest = [s + mpmath.fsum(b) for s, b in zip(slopes, parts, strict=True)]
        bound = flat.gamma * mpmath.mpf(solution.distance_bound)
        assert mpmath.norm(rest) <= bound * (1 + 1e-40)


@pytest.mark.parametrize("loss", [HuberisedHinge(0.5), Logistic()], ids=str)
def test_the_sample_of_many_rows_keeps_the_linear_term(
    loss: Loss, monkeypatch: pytest.MonkeyPatch
) -> None:
    solved: list[Objective] = []
    descend = newton._descend

    def spy(objective: Objective, *rest: Any) -> Any:
        solved.append(objective)
        return descend(objective, *rest)

    monkeypatch.setattr(newton, "_descend", spy)
    X, y, w = sample(40_000, 3)
    linear_term = (np.array([-900.0, 300.0, 5000.0, 0.0]),)
    perturbed = replace(problem((X, y, w), loss, 10.0), linear_term=linear_term)
    near, nearer = minimise(perturbed, 1e-7), minimise(perturbed, 1e-9)
    assert min(one.data.n_rows for one in solved) == 2500
    assert all(one.linear_terms[0] is perturbed.linear_terms[0] for one in solved)
    distance = sum((a - b) ** 2 for a, b in zip(near.theta, nearer.theta, strict=True))
    assert distance <= Fraction(near.distance_bound + nearer.distance_bound) ** 2
    theta = np.array([float(t) for t in near.theta])
    flat = replace(perturbed, linear_term=None).evaluate(theta).gradient
    np.testing.assert_allclose(flat, -linear_term[0], atol=1e-5)


def test_no_coordinate_at_all() -> None:
    X, y, w = sample(5, 1)
    assert minimise(problem((X[:, :0], y, w), Logistic(), 1.0, 0.0), 1e-9).theta == ()


@pytest.mark.parametrize("d", [40, 80])
def test_more_columns_than_rows(d: int, true_gradient: GradientOf) -> None:
    objective = problem(sample(30, d), HuberisedHinge(0.5), 0.1)
    check_against_gradient(objective, 1e-9, true_gradient)


def test_precision_of_flint_is_left_as_it_was() -> None:
    before = ctx.prec
    minimise(problem(sample(10, 2), Logistic(), 1.0), 1e-40)
    assert ctx.prec == before


@pytest.mark.parametrize("tolerance", [0.0, -1.0, float("nan"), float("inf")])
def test_a_tolerance_out_of_range_is_refused(tolerance: float) -> None:
    with pytest.raises(ParameterError, match="tolerance must be"):
        minimise(problem(sample(3, 1), Logistic(), 1.0), tolerance)
