"""Random problems lie inside the public bounds and have the truth that they claim."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.unit.choose.questions import encoding_of

from dpwerm.arrays import FloatArray
from dpwerm.simulate import synthetic
from dpwerm.simulate.synthetic import (
    SyntheticTrials,
    generator,
    random_labels,
    random_trials,
    widths_of,
)

Widths = tuple[int, ...]
SHAPES: list[Widths] = [(0,), (1,), (3,), (0, 0, 0), (0, 1, 3, 0, 5)]


def trials(
    widths: Widths,
    count: int = 12,
    rows: int = 80,
    seed: int = 1,
    propensity: tuple[float, float] = (0.5, 0.5),
) -> SyntheticTrials:
    rng = np.random.default_rng(seed)
    return random_trials(widths, count=count, rows=rows, propensity=propensity, rng=rng)


def labels(widths: Widths, count: int = 12, rows: int = 80, seed: int = 1) -> SyntheticTrials:
    return random_labels(widths, count=count, rows=rows, rng=np.random.default_rng(seed))


MAKERS: dict[str, Callable[..., SyntheticTrials]] = {"trials": trials, "labels": labels}
kinds = pytest.mark.parametrize("kind", MAKERS)
shapes = pytest.mark.parametrize("widths", SHAPES, ids=str)


def columns(widths: Widths) -> int:
    return sum(max(width, 1) for width in widths)


@shapes
def test_widths_are_those_of_the_features(widths: Widths) -> None:
    encoding = encoding_of(widths)
    assert widths_of(encoding) == widths
    assert columns(widths) == encoding.n_columns


@kinds
@shapes
def test_every_array_has_its_shape_and_range(kind: str, widths: Widths) -> None:
    found = MAKERS[kind](widths)
    d = columns(widths)
    assert found.X.shape == (12, 80, d)
    assert found.arm.shape == found.probability.shape == found.benefit.shape == (12, 80)
    assert found.people.shape == (12, synthetic.TESTS, d)
    assert found.best.shape == found.contrast.shape == (12, synthetic.TESTS)
    np.testing.assert_array_equal(found.best, np.where(found.contrast > 0, 1.0, -1.0))
    assert set(np.unique(found.arm)) <= {-1.0, 1.0}
    assert set(np.unique(found.best)) <= {-1.0, 1.0}
    assert np.abs(found.benefit).max() <= 1
    assert found.probability.min() > 0
    assert found.probability.max() <= 1


def blocks_hold(X: FloatArray, widths: Widths) -> bool:
    """Whether each number is in [−1, 1], each pair of levels ±1, each block one unit vector."""
    start = 0
    for width in widths:
        part = X[..., start : start + max(width, 1)]
        start += max(width, 1)
        if width == 0:
            holds = bool(np.abs(part).max() <= 1)
        elif width == 1:
            holds = bool((np.abs(part) == 1).all())
        else:
            ones = (part == 1).sum(axis=-1) == 1
            holds = bool(ones.all() and ((part == 0) | (part == 1)).all())
        if not holds:
            return False
    return True


@kinds
@shapes
def test_rows_are_rows_of_the_encoding(kind: str, widths: Widths) -> None:
    found = MAKERS[kind](widths)
    encoding = encoding_of(widths)
    for X in (found.X, found.people):
        assert blocks_hold(X, widths)
        assert (np.abs(X) <= encoding.domain.column_bounds[1:]).all()


@kinds
def test_the_same_generator_gives_the_same_problems(kind: str) -> None:
    first, again, other = (MAKERS[kind]((0, 3), seed=seed) for seed in (4, 4, 5))
    for name in SyntheticTrials.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    assert not np.array_equal(first.X, other.X)


def test_a_generator_belongs_to_its_key() -> None:
    draws = [generator(*key).random() for key in ((1, 1), (1, 2), (2, 1), (3,), (1, 1))]
    assert draws[0] == draws[4]
    assert len(set(draws)) == 4


@pytest.mark.parametrize("second", [0.5, 0.2, 0.9])
def test_arms_come_as_often_as_the_design_says(second: float) -> None:
    found = trials((0,), count=10, rows=2000, propensity=(second, second))
    share = float((found.arm > 0).mean())
    assert abs(share - second) < 5 * np.sqrt(second * (1 - second) / 20_000)
    expected = np.where(found.arm > 0, second, 1 - second)
    np.testing.assert_allclose(found.probability, expected, rtol=1e-12)


def test_propensities_fill_their_range_and_belong_to_the_arm_received() -> None:
    found = trials((0,), count=10, rows=2000, propensity=(0.1, 0.9))
    second = np.where(found.arm > 0, found.probability, 1 - found.probability)
    assert second.min() >= 0.1 - 1e-12
    assert second.max() <= 0.9 + 1e-12
    assert np.quantile(second, 0.1) < 0.2 < 0.8 < np.quantile(second, 0.9)
    # E[1(arm = second)/P] = 1 for the true P, and the same for the other arm.
    for arm in (-1, 1):
        assert np.mean((found.arm == arm) / found.probability) == pytest.approx(1, abs=0.05)


@shapes
def test_the_better_arm_is_the_one_with_the_larger_benefit(
    widths: Widths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without noise and main effect arm·u is f, linear in x: fitted on rows, it judges people."""
    monkeypatch.setattr(synthetic, "EFFECTS", (0.01,))
    monkeypatch.setattr(synthetic, "NOISES", (0.0,))
    monkeypatch.setattr(synthetic, "MAINS", (0.0,))
    found = trials(widths)
    for b in range(len(found.X)):
        rows = np.column_stack([np.ones(80), found.X[b]])
        theta, *_ = np.linalg.lstsq(rows, found.arm[b] * found.benefit[b], rcond=None)
        people = np.column_stack([np.ones(synthetic.TESTS), found.people[b]])
        f = people @ theta
        # A level that no row has leaves its coefficient open.
        seen = np.abs(people @ np.linalg.pinv(rows) @ rows - people).max(axis=1) < 1e-9
        np.testing.assert_allclose(f[seen], found.contrast[b][seen], atol=1e-9)
        sure = np.abs(f) > 1e-9
        np.testing.assert_array_equal(np.sign(f[sure]), found.best[b][sure])


def margin(X: FloatArray, sides: FloatArray) -> float:
    """Return the largest t ≤ 1 with side·(θ₀ + xᵀθ) ≥ t for all rows and some |θ_j| ≤ 1."""
    rows = np.column_stack([np.ones(len(X)), X])
    limits = np.column_stack([-sides[:, None] * rows, np.ones(len(X))])
    aim = np.zeros(limits.shape[1])
    aim[-1] = -1
    bounds = [(-1, 1)] * limits.shape[1]
    found = linprog(aim, A_ub=limits, b_ub=np.zeros(len(X)), bounds=bounds)
    assert found.fun is not None
    return -float(found.fun)


@shapes
def test_labels_without_noise_are_the_better_sides(
    widths: Widths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(synthetic, "LABEL_NOISES", (0.0,))
    found = labels(widths)
    assert found.benefit.min() >= 0
    assert (found.probability == 1).all()
    for b in range(len(found.X)):
        X = np.concatenate([found.X[b], found.people[b]])
        assert margin(X, np.concatenate([found.arm[b], found.best[b]])) > 1e-7


def test_problems_differ_in_kind() -> None:
    found = trials((0,) * 8, count=36, rows=400)
    spreads = found.benefit.std(axis=1)
    assert spreads.max() > 2 * spreads.min()
    assert len({float(share) for share in (found.best > 0).mean(axis=1)}) > 5


def test_every_kind_of_problem_is_as_frequent_as_any_other() -> None:
    (found,) = synthetic._mixed([(0.1, 0.2, 0.3)], 12, generator(1))
    assert sorted(found) == pytest.approx([0.1] * 4 + [0.2] * 4 + [0.3] * 4)
    assert list(found) != sorted(found)


def test_benefits_lie_around_the_place_that_is_given() -> None:
    def placed(**places: float) -> FloatArray:
        rng = np.random.default_rng(3)
        return random_trials(
            (0, 0), count=40, rows=60, propensity=(0.5, 0.5), rng=rng, **places
        ).benefit

    middle, aside, anywhere = placed(), placed(around=-0.6), placed(spread=0.5)
    assert abs(middle.mean()) < 0.1
    assert -0.65 < aside.mean() < -0.45
    assert np.abs(aside).max() <= 1
    # Each trial lies elsewhere as a whole.
    far = np.abs(anywhere.mean(axis=1)) > 0.3
    assert 0.3 < far.mean() < 0.7
    assert (np.abs(middle.mean(axis=1)) > 0.3).mean() < far.mean() / 2
