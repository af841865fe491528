"""Many problems at once give the answers of the single solver, to the sum of the tolerances."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.solve.losses import Plain

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.objective.losses import HuberisedHinge, Logistic, Loss
from dpwerm.objective.objective import Objective
from dpwerm.solve import batch as module
from dpwerm.solve.batch import BatchSolution, minimise_batch, minimise_path
from dpwerm.solve.batch_problems import BatchProblems
from dpwerm.solve.newton import minimise

LOSSES: list[Loss] = [Logistic(), HuberisedHinge(0.5)]


def problems(B: int, n: int, d: int, intercept: float = 1.0, seed: int = 3) -> BatchProblems:
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, (B, n, d))
    y = np.where(X.sum(axis=2) + random.normal(size=(B, n)) > 0.2, 1.0, -1.0)
    return BatchProblems(X, y, random.uniform(0, 1, (B, n)), intercept)


def single(
    batch: BatchProblems, b: int, loss: Loss, gamma: float, linear_term: FloatArray | None = None
) -> FloatArray:
    """Return the single solver's answer to within 1e-12, rounded to doubles."""
    bent = None if linear_term is None else (linear_term,)
    objective = Objective(batch.data(b), loss, float(gamma), linear_term=bent)
    return np.array([float(t) for t in minimise(objective, 1e-12).theta])


def apart(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return ‖a − b‖₂ along the last axis."""
    gap: FloatArray = np.linalg.norm(a - b, axis=-1)
    return gap


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int, int]]:
    """Return the list, filled as it happens, of problems left to the single solver."""
    places: list[tuple[int, int, int]] = []
    original = module._alone

    def watched(*arguments: Any) -> Any:
        places.append(arguments[3])
        return original(*arguments)

    monkeypatch.setattr(module, "_alone", watched)
    return places


@pytest.mark.parametrize("intercept", [0.0, 0.5])
@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_same_answer_as_the_single_solver(loss: Loss, intercept: float) -> None:
    batch = problems(7, 60, 3, intercept)
    gammas = np.geomspace(0.01, 100, 7)
    solution = minimise_batch(batch, loss, gammas, tolerance=1e-6)
    for b, gamma in enumerate(gammas.tolist()):
        gap = apart(solution.theta[b], single(batch, b, loss, gamma))
        assert gap <= solution.distance[b] + 2e-12 <= 1.1e-6


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_many_linear_terms_share_the_rows(loss: Loss) -> None:
    batch = problems(3, 40, 2)
    random = np.random.default_rng(8)
    linear_term = random.normal(size=(3, 11, 3)) * random.choice([0.1, 3.0, 100.0], (3, 11, 1))
    gamma = np.geomspace(0.3, 20, 11)[None]
    solution = minimise_batch(batch, loss, gamma, linear_term=linear_term, tolerance=1e-7)
    assert solution.theta.shape == (3, 11, 3)
    for b, r in np.ndindex(3, 11):
        gap = apart(solution.theta[b, r], single(batch, b, loss, gamma[0, r], linear_term[b, r]))
        assert gap <= solution.distance[b, r] + 2e-12 <= 1.1e-7


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("replicates", [0, 1, 6])
def test_a_path_gives_the_separate_answers(loss: Loss, replicates: int) -> None:
    batch = problems(4, 50, 2)
    gammas = np.geomspace(30, 0.1, 6)
    shape = (6, 4, replicates, 3) if replicates else (6, 4, 3)
    linear_terms = np.random.default_rng(1).normal(size=shape)
    tolerance = 1e-6 / gammas
    path = minimise_path(batch, loss, gammas, linear_terms=linear_terms, tolerance=tolerance)
    assert path.theta.shape == shape
    for g, gamma in enumerate(gammas.tolist()):
        one = minimise_batch(
            batch, loss, gamma, linear_term=linear_terms[g], tolerance=1e-6 / gamma
        )
        assert np.all(apart(path.theta[g], one.theta) <= path.distance[g] + one.distance)
        assert np.all(path.distance[g] <= tolerance[g])


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_small_problems(data: st.DataObject) -> None:
    B, n, d = (data.draw(st.integers(low, high)) for low, high in ((1, 3), (0, 6), (0, 3)))
    R = data.draw(st.integers(1, 6))
    numbers = st.one_of(st.floats(-1, 1), st.sampled_from([-1.0, 0.0, 1.0, 0.5, 5e-324]))
    weights = st.one_of(st.just(0.0), st.floats(0, 10))
    signs = st.sampled_from([-1.0, 1.0])
    intercept = data.draw(st.sampled_from([0.0, 0.5, 1.0]))

    def array(entries: st.SearchStrategy[float], *shape: int) -> FloatArray:
        size = int(np.prod(shape))
        drawn = data.draw(st.lists(entries, min_size=size, max_size=size))
        return np.array(drawn, dtype=np.float64).reshape(shape)

    batch = BatchProblems(
        array(numbers, B, n, d), array(signs, B, n), array(weights, B, n), intercept
    )
    half_widths = st.floats(-2, 3).map(lambda e: HuberisedHinge(10.0**e))
    loss = data.draw(st.one_of(st.just(Logistic()), half_widths))
    gamma = array(st.floats(-4, 6).map(lambda e: 10.0**e), B, R)
    linear_term = array(st.floats(-50, 50), B, R, batch.dimension)
    tolerance = 10.0 ** data.draw(st.floats(-10, 0))
    solution = minimise_batch(batch, loss, gamma, linear_term=linear_term, tolerance=tolerance)
    assert solution.theta.shape == (B, R, batch.dimension)
    assert np.all(solution.distance <= tolerance)
    for b, r in np.ndindex(B, R):
        answer = single(batch, b, loss, float(gamma[b, r]), linear_term[b, r])
        room = solution.distance[b, r] + 1e-12 + 1e-15 * float(np.linalg.norm(answer))
        assert apart(solution.theta[b, r], answer) <= room


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("n", [0, 1, 30])
def test_extreme_penalties_and_few_rows(loss: Loss, n: int) -> None:
    batch = problems(2, n, 2)
    for gamma in (1e-12, 1e-6, 1e12):
        tolerance = 1e-6 * max(1.0, 1 / gamma)
        solution = minimise_batch(batch, loss, gamma, tolerance=tolerance)
        assert np.all(solution.distance <= tolerance)
        for b in range(2):
            objective = Objective(batch.data(b), loss, gamma)
            answer = np.array([float(t) for t in minimise(objective, tolerance / 100).theta])
            assert apart(solution.theta[b], answer) <= 1.01 * tolerance


def test_without_rows_the_linear_term_alone_decides() -> None:
    batch = problems(2, 0, 2)
    linear_term = np.array([[1.0, -2.0, 3.0], [0.0, 0.0, 0.0]])
    solution = minimise_batch(batch, Logistic(), 4.0, linear_term=linear_term, tolerance=1e-12)
    assert np.array_equal(solution.theta, -linear_term / 4)


def test_rows_of_weight_zero_are_not_there() -> None:
    full = problems(2, 30, 2)
    weights = full.weights.copy()
    weights[:, 20:] = 0.0
    batch = BatchProblems(full.X, full.targets, weights, 1.0)
    fewer = BatchProblems(full.X[:, :20], full.targets[:, :20], full.weights[:, :20], 1.0)
    for loss in LOSSES:
        a = minimise_batch(batch, loss, 0.5, tolerance=1e-9)
        b = minimise_batch(fewer, loss, 0.5, tolerance=1e-9)
        assert np.all(apart(a.theta, b.theta) <= a.distance + b.distance)


def test_no_coordinate_and_no_problem() -> None:
    nothing = minimise_batch(problems(3, 5, 0, 0.0), Logistic(), 1.0, tolerance=1e-9)
    assert nothing.theta.shape == (3, 0)
    nobody = minimise_path(problems(0, 5, 2), Logistic(), [1.0, 2.0], tolerance=1e-9)
    assert nobody.theta.shape == (2, 0, 3)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_parts_do_not_show(loss: Loss, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = problems(7, 20, 2)
    linear_term = np.random.default_rng(2).normal(size=(7, 9, 3))
    whole = minimise_batch(batch, loss, 1.0, linear_term=linear_term, tolerance=1e-8)
    monkeypatch.setattr(module, "_PASSING", 80)
    parts = minimise_batch(batch, loss, 1.0, linear_term=linear_term, tolerance=1e-8)
    assert np.all(apart(whole.theta, parts.theta) <= whole.distance + parts.distance)


def test_ordinary_problems_never_need_the_single_solver(alone: list[tuple[int, int, int]]) -> None:
    batch = problems(40, 200, 4)
    gammas = np.geomspace(100, 0.1, 10)
    linear_terms = 5 * np.random.default_rng(0).laplace(size=(10, 40, 3, 5))
    for loss in (*LOSSES, HuberisedHinge(0.05)):
        minimise_path(batch, loss, gammas, linear_terms=linear_terms, tolerance=1e-8 / gammas)
    assert not alone


def nasty() -> tuple[BatchProblems, HuberisedHinge, FloatArray]:
    """Return a nearly unrounded hinge with hardly any penalty beside an easy problem."""
    random = np.random.default_rng(6)
    X = random.choice([-1.0, 1.0], (2, 40, 4)) * [1.0, 1e-3, 1.0, 1e3]
    y = random.choice([-1.0, 1.0], (2, 40))
    batch = BatchProblems(X, y, 10.0 ** random.uniform(-3, 6, (2, 40)), 1.0)
    return batch, HuberisedHinge(1e-6), np.array([[1e-6, 1e12]])


def test_nasty_problems_fall_back_and_are_certified(alone: list[tuple[int, int, int]]) -> None:
    batch, loss, gamma = nasty()
    linear_term = np.random.default_rng(1).normal(size=(2, 2, 5))
    solution = minimise_batch(batch, loss, gamma, linear_term=linear_term, tolerance=1e-6)
    assert {place[2] for place in alone} == {0}
    assert np.all(solution.distance <= 1e-6)
    for b, r in np.ndindex(2, 2):
        gap = apart(solution.theta[b, r], single(batch, b, loss, gamma[0, r], linear_term[b, r]))
        assert gap <= solution.distance[b, r] + 1e-11


def test_a_tolerance_below_doubles_is_met_as_nearly_as_doubles_can(
    alone: list[tuple[int, int, int]],
) -> None:
    batch = problems(1, 30, 2)
    solution = minimise_batch(batch, Logistic(), 1.0, tolerance=1e-25)
    objective = Objective(batch.data(0), Logistic(), 1.0)
    exact = minimise(objective, 1e-30).theta
    assert alone == [(0, 0, 0)]
    assert solution.theta[0].tolist() == [float(t) for t in exact]
    assert 1e-25 < solution.distance[0] < 1e-15


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_a_loss_needs_no_more_than_its_protocol(loss: Loss) -> None:
    batch = problems(3, 40, 2)
    known: BatchSolution = minimise_batch(batch, loss, 1.0, tolerance=1e-8)
    own = minimise_batch(batch, Plain(loss), 1.0, tolerance=1e-8)
    assert np.all(apart(known.theta, own.theta) <= known.distance + own.distance)


def test_wide_problems_do_without_stored_products() -> None:
    batch = problems(2, 60, 14)
    for loss in LOSSES:
        solution = minimise_batch(batch, loss, 1.0, tolerance=1e-8)
        for b in range(2):
            assert apart(solution.theta[b], single(batch, b, loss, 1.0)) <= 1.1e-8


def test_gammas_must_be_a_sequence() -> None:
    with pytest.raises(ParameterError, match="gammas must be a sequence"):
        minimise_path(problems(1, 3, 1), Logistic(), 1.0, tolerance=1e-6)
