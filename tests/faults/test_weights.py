"""How far weights move that rest on the sample, and what would cover it."""

import math

import numpy as np
import pytest
from tests.faults.chain import Chain
from tests.faults.weights import (
    ETA,
    HAIR,
    HALF,
    LARGE,
    MODEL_BOUND,
    MODEL_N,
    MODEL_OTHERS,
    MODEL_PI_MIN,
    SHARES_BOUND,
    SHARES_N,
    SHIFT_N,
    UNPENALISED,
    Printed,
    by_design,
    by_middle,
    by_minimum,
    cut_at,
    h_over_n,
    model_pair,
    of_same_people,
    second_arm,
    with_ridge,
    with_shares,
)

from dpwerm.privacy.weight_origin import KnownByDesign


def test_one_person_moves_the_weights_of_all_others() -> None:
    target = by_minimum()
    before, after = (target.prepare(data).weights[0] for data in reversed(target.pair.both))
    assert after[:-1] - before[:-1] == pytest.approx(2.0)
    assert target.moved == pytest.approx((SHIFT_N - 1) * 2 / (2 * (2 + HAIR) / 0.5), rel=1e-4)


def test_no_weight_is_above_the_claimed_bound() -> None:
    target = by_minimum()
    for data in target.pair.both:
        assert target.prepare(data).weights.max() <= target.calibration.facts.weight_bound


def test_centred_benefits_move_one_weight_only() -> None:
    target = by_middle()
    first, second = (target.prepare(data).weights[0] for data in target.pair.both)
    assert (first[:-1] == second[:-1]).all()
    assert target.moved == pytest.approx(0.5, abs=1e-5)


def moved_weights(target: Chain) -> float:
    """Return Σ_{i<n} |w̃_i − w_i|."""
    first, second = (target.prepare(data).weights[0] for data in target.pair.both)
    return float(np.abs(first[:-1] - second[:-1]).sum())


def test_the_paper_s_h_over_n_is_far_too_small() -> None:
    target = of_same_people("same people", KnownByDesign())
    assert h_over_n() == pytest.approx(
        2 * 2 * MODEL_PI_MIN**-2 / (ETA**2 * MODEL_OTHERS / MODEL_N) / MODEL_N, rel=1e-9
    )
    assert moved_weights(target) > 10 * h_over_n()
    assert moved_weights(target) < MODEL_N * float(h_over_n())


def test_the_model_meets_the_paper_s_assumptions() -> None:
    for people in model_pair().both:
        rows = np.column_stack([np.ones(MODEL_N), people.x])
        assert np.linalg.eigvalsh(rows.T @ rows / MODEL_N)[0] >= ETA**2 * MODEL_OTHERS / MODEL_N
        second = second_arm(people, UNPENALISED)
        assert second.min() > MODEL_PI_MIN
        assert second.max() < 1 - MODEL_PI_MIN


def test_a_penalty_on_the_model_does_not_matter_while_it_is_tiny() -> None:
    people = model_pair().first
    assert second_arm(people, UNPENALISED) == pytest.approx(second_arm(people, 1e-9), abs=1e-5)


def test_the_weights_of_others_stay_by_design() -> None:
    assert moved_weights(by_design()) == 0.0


def test_the_proved_constant_of_a_ridge_covers_what_moves() -> None:
    target = with_ridge()
    facts = target.calibration.facts
    assert facts.radius * moved_weights(target) <= float(facts.origin.constant(facts))
    assert target.moved < 1


def test_both_faults_spend_far_more_than_they_claim() -> None:
    assert of_same_people("same people", KnownByDesign()).moved > 5
    assert of_same_people("same people", Printed(h_over_n())).moved > 4


def test_no_weight_is_above_its_bound() -> None:
    for target in (of_same_people("same people", KnownByDesign()), by_design(), with_ridge()):
        for data in target.pair.both:
            assert target.prepare(data).weights.max() <= MODEL_BOUND


def test_one_person_moves_every_weight() -> None:
    target = with_shares("observed", observed=True)
    first, second = (target.prepare(data).weights[0] for data in target.pair.both)
    assert (first != second).all()
    # Two sums of n people each, before and after one of them changes arms.
    change = (
        SHARES_N + SHARES_N / (HALF + 1) * (1 - HALF) - (SHARES_N * (HALF - 2) / HALF - SHARES_N)
    )
    assert target.moved == pytest.approx(change / (2 * SHARES_BOUND), rel=1e-4)
    assert target.moved > 1.7


def test_designed_proportions_move_one() -> None:
    target = with_shares("designed", observed=False)
    first, second = (target.prepare(data).weights[0] for data in target.pair.both)
    assert (first == second).all()
    assert target.moved == pytest.approx(0.9, abs=1e-5)


@pytest.mark.parametrize(("bound", "spent"), [(math.inf, LARGE), (1.0, 1.0)])
def test_a_heavy_person_costs_as_much_as_they_weigh(bound: float, spent: float) -> None:
    assert cut_at("weights", bound).moved == pytest.approx(spent, abs=1e-4)
