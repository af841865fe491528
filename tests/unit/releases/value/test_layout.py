"""Linear and square forms of the sums are the moments of the rows that they stand for."""

from fractions import Fraction

import numpy as np
import pytest

from dpwerm.arrays import FloatArray
from dpwerm.releases.value.layout import layout_by_design, layout_by_row, layout_robust

ARMS = ("a", "b")
U, W = np.random.default_rng(0).uniform(size=(2, 30))


def three(u: FloatArray) -> list[FloatArray]:
    return [(1 - u) ** 2, 2 * u * (1 - u), u * u]


def test_by_design_each_arm_has_its_weight() -> None:
    layout = layout_by_design(ARMS, (Fraction(3, 4), Fraction(1, 4)))
    sums = np.sum(three(U), axis=1)
    for cell, a in enumerate((4 / 3, 4 / 3, 4.0, 4.0)):
        assert layout.linear[cell] @ sums == pytest.approx([a * U.sum(), a * 30])
        expected = a * a * np.array([[(U * U).sum(), U.sum()], [U.sum(), 30]])
        assert layout.square[cell] @ sums == pytest.approx(expected)
    assert layout.count == 12 == len(layout.names)
    assert [one.weight for one in layout.policies] == pytest.approx([4, 4 / 3, 4])


def test_by_row_each_row_has_its_weight() -> None:
    layout, t = layout_by_row(ARMS, 0.2), 0.2 + 0.8 * W
    a = 5 * t
    pieces = [*(t * t * one for one in three(U)), 2 * t * (1 - t) * (1 - U), 2 * t * (1 - t) * U]
    sums = np.sum(pieces, axis=1)
    for cell in range(4):
        assert layout.linear[cell] @ sums == pytest.approx([(a * U).sum(), a.sum()])
        one = (a * a * U).sum()
        expected = np.array([[(a * a * U * U).sum(), one], [one, (a * a).sum()]])
        assert layout.square[cell] @ sums == pytest.approx(expected)
    assert layout.count == 20 == len(layout.names)


def test_doubly_robust_terms_come_back_in_their_own_units() -> None:
    layout = layout_robust(ARMS, (1.5, 3.0))
    sums = np.sum([i * j for i in three(U) for j in three(W)], axis=1)
    vector = np.array([U, W, np.ones(30)])
    for cell in range(2):
        assert layout.linear[cell] @ sums == pytest.approx(vector.sum(axis=1))
        assert layout.square[cell] @ sums == pytest.approx(vector @ vector.T)
    psi_first, psi_second = 2 * U - 0.5, 5 * W - 2
    rule, first, second = layout.policies
    assert first.numerator[0] @ vector.sum(axis=1) == pytest.approx(psi_first.sum())
    assert second.numerator[1] @ vector.sum(axis=1) == pytest.approx(psi_second.sum())
    assert rule.numerator.tolist() == [first.numerator[0].tolist(), second.numerator[1].tolist()]
    assert (first.bottom, first.top) == (-0.5, 1.5)
    assert (rule.bottom, rule.top) == (-2.0, 3.0)
