"""Intervals: what they must do whatever the sums, and that they are the same in a batch."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.releases.value.interval import Interval, gain_target, interval_of, value_target
from dpwerm.releases.value.layout import Layout, layout_by_design, layout_by_row, layout_robust

ARMS = ("a", "b")
LAYOUTS = {
    "design": layout_by_design(ARMS, (Fraction(2, 3), Fraction(1, 3))),
    "weighted": layout_by_row(ARMS, 0.1),
    "doubly robust": layout_robust(ARMS, (1.5, 3.0)),
}


def intervals(
    layout: Layout, sums: FloatArray, scale: float, confidence: float = 0.95, **parts: bool
) -> list[Interval]:
    rule, *others = layout.policies
    targets = [value_target(layout, one, sums) for one in layout.policies]
    targets += [gain_target(layout, rule, one, sums) for one in others]
    return [interval_of(layout, one, sums, scale, confidence, **parts) for one in targets]


@st.composite
def noisy(draw: st.DrawFn) -> tuple[str, FloatArray]:
    kind = draw(st.sampled_from(sorted(LAYOUTS)))
    shape = (len(LAYOUTS[kind].cells), len(LAYOUTS[kind].shares))
    return kind, draw(arrays.arrays(np.float64, shape, elements=st.floats(-1e4, 1e4)))


@settings(max_examples=15, deadline=None)
@given(noisy(), st.sampled_from([0.0, 0.01, 2.0, 1e3]))
def test_whatever_the_sums_the_interval_lies_in_the_range_and_holds_the_estimate(
    found: tuple[str, FloatArray], scale: float
) -> None:
    layout, sums = LAYOUTS[found[0]], found[1]
    rule, *others = layout.policies
    for index, (one, wide) in enumerate(
        zip(intervals(layout, sums, scale), intervals(layout, sums, scale, 0.99), strict=True)
    ):
        least = 0.0 if index < 3 else -1.0
        assert least <= wide.lower <= one.lower <= one.upper <= wide.upper <= 1.0
        target = (
            value_target(layout, layout.policies[index], sums)
            if index < 3
            else gain_target(layout, rule, others[index - 3], sums)
        )
        if target.known:
            assert one.lower <= target.estimate <= one.upper
        else:
            assert [float(end) for end in one] == [least, 1.0]


@pytest.mark.parametrize("kind", LAYOUTS)
def test_a_batch_gives_what_each_gives_alone(kind: str) -> None:
    layout, rng = LAYOUTS[kind], np.random.default_rng(2)
    sums = rng.uniform(0, 100, (2, len(layout.cells), len(layout.shares)))
    together = intervals(layout, sums, 3.0)
    for index in range(len(sums)):
        for whole, alone in zip(together, intervals(layout, sums[index], 3.0), strict=True):
            assert whole.lower[index] == pytest.approx(float(alone.lower), abs=1e-8)
            assert whole.upper[index] == pytest.approx(float(alone.upper), abs=1e-8)


def of_people(u: FloatArray, got: IntArray, told: IntArray) -> FloatArray:
    pieces = np.column_stack([(1 - u) ** 2, 2 * u * (1 - u), u * u])
    cells = 2 * got + told
    return np.array([pieces[cells == cell].sum(axis=0) for cell in range(4)])


def test_with_much_data_and_no_noise_it_is_the_textbook_interval() -> None:
    rng = np.random.default_rng(5)
    n = 200_000
    u, got, told = rng.beta(2, 3, n), rng.integers(0, 2, n), rng.integers(0, 2, n)
    layout = layout_by_design(ARMS, (Fraction(1, 2), Fraction(1, 2)))
    sums = of_people(u, got, told)
    arm = u[got == 0]
    half = 1.959964 * arm.std() / math.sqrt(len(arm))
    found = intervals(layout, sums, 0.0)[1]
    assert float(found.upper - found.lower) / 2 == pytest.approx(half, rel=0.02)
    assert float(found.upper + found.lower) / 2 == pytest.approx(arm.mean(), abs=half / 50)
    # The gain of the rule over an arm: what both have in common cancels.
    same, other = u[(got == 0) & (told == 0)], u[(got == 1) & (told == 1)]
    apart = u[(got == 0) & (told == 1)]
    m_rule = np.concatenate([same, other]).mean()
    d_rule, d_arm = len(same) + len(other), len(arm)
    terms = np.concatenate(
        [
            (same - m_rule) / d_rule - (same - arm.mean()) / d_arm,
            (other - m_rule) / d_rule,
            -(apart - arm.mean()) / d_arm,
        ]
    )
    half_gain = 1.959964 * math.sqrt((terms**2).sum())
    gain = intervals(layout, sums, 0.0)[3]
    assert float(gain.upper - gain.lower) / 2 == pytest.approx(half_gain, rel=0.02)


def test_privacy_alone_is_the_law_of_the_noise() -> None:
    layout = layout_by_design(ARMS, (Fraction(1, 2), Fraction(1, 2)))
    sums = 1e6 * np.array([[0.25, 0.5, 0.25]] * 4)
    found = intervals(layout, sums, 100.0, sampling=False)[1]
    noise = np.random.default_rng(1).laplace(0, 100.0, (200_000, 2, 3))
    errors = (noise * np.array([-0.5, 0.0, 0.5])).sum(axis=(1, 2)) / 2e6
    reach = float(np.quantile(np.abs(errors), 0.95))
    assert float(found.upper - found.lower) / 2 == pytest.approx(reach, rel=0.02)


@pytest.mark.parametrize("scale", [0.5, 20.0])
def test_both_errors_reach_farther_than_one_and_less_than_their_sum(scale: float) -> None:
    rng = np.random.default_rng(4)
    u = rng.beta(2, 3, 500)
    sums = of_people(u, rng.integers(0, 2, 500), rng.integers(0, 2, 500))
    layout = LAYOUTS["design"]
    found = [
        intervals(layout, sums, scale, **parts)
        for parts in ({}, {"sampling": False}, {"privacy": False})
    ]
    for both, privacy, sampling in zip(*found, strict=True):
        widths = [float(one.upper - one.lower) for one in (both, privacy, sampling)]
        assert max(widths[1:]) <= widths[0] * (1 + 1e-9)
        assert widths[0] <= sum(widths[1:]) * 1.02


def test_one_person_alone_tells_next_to_nothing() -> None:
    sums = np.zeros((4, 3))
    sums[0, 2] = 1.0
    found = intervals(LAYOUTS["design"], sums, 0.0)[1]
    assert float(found.upper) == 1.0
    assert float(found.lower) < 0.1
