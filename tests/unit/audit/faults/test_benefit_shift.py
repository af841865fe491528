"""The benefit shift by the sample's minimum, and the centring that replaces it."""

import pytest

from dpwerm.audit.faults.benefit_shift import HAIR, N, broken, healthy


def test_one_person_moves_the_weights_of_all_others() -> None:
    target = broken()
    before, after = (target.prepare(data).weights[0] for data in reversed(target.pair.both))
    assert after[:-1] - before[:-1] == pytest.approx(2.0)
    assert target.moved == pytest.approx((N - 1) * 2 / (2 * (2 + HAIR) / 0.5), rel=1e-4)


def test_no_weight_is_above_the_claimed_bound() -> None:
    target = broken()
    for data in target.pair.both:
        assert target.prepare(data).weights.max() <= target.plan.facts.weight_bound


def test_centred_benefits_move_one_weight_only() -> None:
    target = healthy()
    first, second = (target.prepare(data).weights[0] for data in target.pair.both)
    assert (first[:-1] == second[:-1]).all()
    assert target.moved == pytest.approx(0.5, abs=1e-5)
