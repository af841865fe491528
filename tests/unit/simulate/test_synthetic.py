"""Random problems lie inside the public bounds and have the truth that they claim."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.unit.choose.questions import encoding_of

from dpwerm.arrays import FloatArray
from dpwerm.simulate import synthetic
from dpwerm.simulate.judged import SyntheticTrials
from dpwerm.simulate.scale import Scale
from dpwerm.simulate.synthetic import generator, random_labels, random_trials, widths_of

Widths = tuple[int, ...]
SHAPES: list[Widths] = [(0,), (1,), (3,), (0, 0, 0), (0, 1, 3, 0, 5)]


def trials(
    widths: Widths,
    count: int = 12,
    rows: int = 80,
    seed: int = 1,
    propensity: tuple[float, float] = (0.5, 0.5),
    **other: Any,
) -> SyntheticTrials:
    rng = np.random.default_rng(seed)
    return random_trials(widths, count=count, rows=rows, propensity=propensity, rng=rng, **other)


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
    assert min((second < 0.3).mean(), (second > 0.7).mean()) > 0.05
    # E[1(arm = second)/P] = 1 for the true P, and the same for the other arm.
    for arm in (-1, 1):
        assert np.mean((found.arm == arm) / found.probability) == pytest.approx(1, abs=0.05)


def test_where_no_design_fixes_probabilities_the_arms_hang_on_features() -> None:
    fixed, given = (trials((0, 0), rows=400, propensity=one) for one in ((0.5, 0.5), (0.1, 0.9)))
    explained = []
    for found in (fixed, given):
        for X, arm in zip(found.X, found.arm, strict=True):
            rows = np.column_stack([np.ones(400), X])
            left = arm - rows @ np.linalg.lstsq(rows, arm, rcond=None)[0]
            explained.append(1 - float(np.mean(left**2) / arm.var()))
    # Of a coin two features explain 2/400 on average.
    assert np.mean(explained[: len(fixed.X)]) < 0.02
    assert np.mean(explained[len(fixed.X) :]) > 0.1


@shapes
def test_the_better_arm_is_the_one_with_the_larger_benefit(
    widths: Widths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without noise and main effect arm·u is f, linear in x: fitted on rows, it judges people."""
    monkeypatch.setattr(synthetic, "MIXED", (1,))
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


def test_benefits_of_tight_trials_lie_around_the_place_that_is_given() -> None:
    def placed(**places: Any) -> FloatArray:
        found = trials((0, 0), 120, 60, 3, **places)
        return found.benefit[found.tight]

    middle, aside, anywhere = placed(), placed(around=-0.6), placed(spread=0.5)
    assert abs(middle.mean()) < 0.1
    assert -0.65 < aside.mean() < -0.45
    assert np.abs(aside).max() <= 1
    # Each trial lies elsewhere as a whole.
    far = np.abs(anywhere.mean(axis=1)) > 0.3
    assert 0.3 < far.mean() < 0.7
    assert (np.abs(middle.mean(axis=1)) > 0.3).mean() < far.mean() / 2


def test_of_a_trial_nothing_but_public_numbers_can_be_handed_over() -> None:
    """No argument can hold a row."""
    found = {
        name: one.annotation for name, one in inspect.signature(random_trials).parameters.items()
    }
    assert set(found.values()) == {
        Sequence[int],
        Sequence[int] | None,
        int,
        tuple[float, float],
        np.random.Generator,
        float,
        int | None,
        Scale | None,
    }
    assert {one.type for one in fields(Scale)} == {float, float | None}


# -- trials as people declare them -----------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 3, 36, 40])
def test_a_third_of_the_trials_is_declared_tightly(count: int) -> None:
    found = trials((0,), count=count, rows=5)
    assert abs(int(found.tight.sum()) - count / 3) < 1
    if count > 9:
        assert found.tight.tolist() != sorted(found.tight.tolist(), reverse=True)


def drawn(kind: int = synthetic.SLOPPY) -> list[synthetic.Drawn]:
    """Return sloppy trials: rows, half the contrast, the mean benefit and its scatter."""
    return list(synthetic._found((0,) * 6, 48, 3000, np.random.default_rng(5), 1, kind))


SLOPPY = drawn()


def too_wide(found: list[synthetic.Drawn]) -> FloatArray:
    """Return how many times too wide the bounds of benefits are.

    Five standard deviations hold nearly everybody of a trial; the range is 2.
    """
    return np.array([0.4 / np.std(mean + f * arm(f) + e) for _, f, mean, e in found])


def test_bounds_of_sloppy_benefits_are_one_to_ten_times_too_wide() -> None:
    wide = too_wide(SLOPPY)
    assert 0.5 < wide.min() < 2
    assert 5 < wide.max() < 10
    assert 2 < np.median(wide) < 6


@pytest.mark.parametrize(
    ("kind", "narrowest", "widest"), [(synthetic.FILLED, 2, 10), (synthetic.FITTED, 0.5, 2.2)]
)
def test_features_may_fill_their_bounds_whatever_those_of_the_benefit_are(
    kind: int, narrowest: float, widest: float
) -> None:
    found = drawn(kind)
    wide = too_wide(found)
    assert narrowest < wide.min() < wide.max() < widest
    far = [np.abs(X[::2] - X[1::2]).clip(0, 0.5).mean() for X, *_ in found]
    assert 0.3 < min(far) < max(far) < 0.42
    loose = [np.abs(X[::2] - X[1::2]).clip(0, 0.5).mean() for X, *_ in SLOPPY]
    assert max(loose) < 0.3
    assert not trials((0,), count=4, rows=5, kinds=(kind,)).tight.any()


def arm(f: FloatArray) -> FloatArray:
    """Return arms by a coin."""
    return np.random.default_rng(len(f)).choice([-1.0, 1.0], len(f))


def test_sloppy_benefits_lie_anywhere_inside() -> None:
    places = np.array([mean.mean() for _, _, mean, _ in SLOPPY])
    assert places.min() < -0.4
    assert places.max() > 0.4
    assert 0.2 < (places > 0).mean() < 0.8
    inside = [np.mean(np.abs(mean + f * arm(f) + e) < 1) for _, f, mean, e in SLOPPY]
    assert min(inside) > 0.8
    assert np.median(inside) > 0.97


def test_main_effects_explain_up_to_three_fifths_of_the_benefit() -> None:
    """Within half a tenth, as scatter and contrast are those of 80 and more people."""
    shares = np.array([m.var() / (m.var() + f.var() + e.var()) for _, f, m, e in SLOPPY])
    for share in synthetic.EXPLAINED:
        assert np.abs(shares - share).min() < 0.05
    assert shares.max() < max(synthetic.EXPLAINED) + 0.1


def test_what_a_feature_does_goes_by_its_spread_and_not_by_its_bounds() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(4000, 2)) * (0.01, 0.3)
    found = [synthetic._contrast(X, (0, 0), dense=True, rng=rng) for _ in range(20)]
    slopes = np.abs([np.linalg.lstsq(X / X.std(axis=0), f, rcond=None)[0] for f in found])
    assert slopes.min() > 0.2
    assert {*np.argmax(slopes, axis=1).tolist()} == {0, 1}


def test_one_arm_is_better_for_half_to_nearly_all() -> None:
    shares = np.array([float((f > 0).mean()) for _, f, _, _ in SLOPPY])
    larger = np.maximum(shares, 1 - shares)
    assert (larger < 0.955).all()
    assert larger.min() < 0.6 < 0.85 < larger.max()
    assert (shares > 0.6).any()
    assert (shares < 0.4).any()


def test_sloppy_scatter_is_larger_than_the_contrast_and_sometimes_skewed() -> None:
    for _, f, _, e in SLOPPY:
        assert f.std() < e.std()
        assert abs(e.mean()) < 5 * e.std() / np.sqrt(len(e))
    skews = np.array([abs(np.mean((e / e.std()) ** 3)) for *_, e in SLOPPY])
    assert 0.1 < (skews > 0.7).mean() < 0.6


def test_sloppy_features_crowd_in_a_part_of_their_range_and_some_are_skewed() -> None:
    X = np.concatenate([X for X, *_ in SLOPPY], axis=1)
    assert np.abs(X).max() <= 1
    wide = 0.4 / X.std(axis=0)  # a number whose bounds fit has 1
    assert wide.min() > 0.5
    assert np.median(wide) > 1.5
    assert wide.max() > 5
    middles = np.median(X, axis=0)
    assert middles.min() < -0.5 < 0.5 < middles.max()
    z = (X - X.mean(axis=0)) / X.std(axis=0)
    assert 0.1 < (np.abs((z**3).mean(axis=0)) > 0.7).mean() < 0.6


@shapes
def test_the_better_arm_of_a_sloppy_trial_is_the_one_with_the_larger_benefit(
    widths: Widths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a contrast far above scatter and main effect u is place + arm·f, linear in arm·x."""
    for name, values in (("MIXED", (0,)), ("CONTRASTS", (1e7,)), ("EXPLAINED", (0.0,))):
        monkeypatch.setattr(synthetic, name, values)
    found = trials(widths)
    for b in range(len(found.X)):
        uncut = np.abs(found.benefit[b]) < 1
        whole = np.column_stack([np.ones(80), found.X[b]])
        rows = np.column_stack([np.ones(80), found.arm[b][:, None] * whole])[uncut]
        theta, *_ = np.linalg.lstsq(rows, found.benefit[b][uncut], rcond=None)
        people = np.column_stack([np.ones(synthetic.TESTS), found.people[b]])
        asked = np.column_stack([np.zeros(synthetic.TESTS), people])
        seen = np.abs(asked @ np.linalg.pinv(rows) @ rows - asked).max(axis=1) < 1e-9
        np.testing.assert_allclose((people @ theta[1:])[seen], found.contrast[b][seen], atol=1e-5)


@pytest.mark.parametrize("values", [2, 3, 7])
def test_few_values_lie_evenly_over_the_range_and_leave_means_where_they_are(values: int) -> None:
    """Rounded up or down by chance: a mean of 4,000 moves by 0.11 with probability 6e-11."""
    found = trials((0,), count=12, rows=300, values=values)
    steps = (found.benefit + 1) / 2 * (values - 1)
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-9)
    assert set(np.round(np.unique(steps))) == set(range(values))
    # The first trial is drawn alike, and only its last numbers are rounded.
    rough, fine = (trials((0,), 1, 4000, values=one).benefit[0] for one in (values, None))
    step = 2 / (values - 1)
    assert np.abs(rough - fine).max() <= step
    assert abs(rough.mean() - fine.mean()) < 0.055 * step
    assert (np.sort([np.sum(rough > fine), np.sum(rough < fine)]) > 0).all()


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_declared_curves_bend_the_main_effect_and_nothing_else(degree: int) -> None:
    bent = list(
        synthetic._found((0, 0), 12, 2000, np.random.default_rng(2), degree, synthetic.SLOPPY)
    )
    unexplained = []
    for X, f, mean, _ in bent:
        rows = np.column_stack([np.ones(2000), X])
        for part in (f, mean):
            left = part - rows @ np.linalg.lstsq(rows, part, rcond=None)[0]
            unexplained.append(float(left.std()) / max(float(part.std()), 1e-9))
    assert max(unexplained[::2]) < 1e-6  # the contrast stays linear
    assert (max(unexplained[1::2]) > 0.1) == (degree > 1)
