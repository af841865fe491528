"""Observed arm proportions in the place of designed ones."""

import pytest

from dpwerm.audit.faults.arm_shares import BOUND, HALF, N, chain


def test_one_person_moves_every_weight() -> None:
    target = chain("observed", observed=True)
    first, second = (target.prepare(data).weights[0] for data in target.pair.both)
    assert (first != second).all()
    # Two sums of n people each, before and after one of them changes arms.
    change = N + N / (HALF + 1) * (1 - HALF) - (N * (HALF - 2) / HALF - N)
    assert target.moved == pytest.approx(change / (2 * BOUND), rel=1e-4)
    assert target.moved > 1.7


def test_designed_proportions_move_one() -> None:
    target = chain("designed", observed=False)
    first, second = (target.prepare(data).weights[0] for data in target.pair.both)
    assert (first == second).all()
    assert target.moved == pytest.approx(0.9, abs=1e-5)
