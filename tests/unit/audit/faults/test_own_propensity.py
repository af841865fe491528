"""Weights from a model of the same people: how far they move, and what C would cover it."""

import numpy as np
import pytest

from dpwerm.audit.faults.chain import Chain
from dpwerm.audit.faults.own_propensity import (
    BOUND,
    ETA,
    OTHERS,
    PI_MIN,
    UNPENALISED,
    N,
    Printed,
    broken,
    by_design,
    h_over_n,
    pair,
    second_arm,
    with_ridge,
)
from dpwerm.privacy.origin import KnownByDesign


def moved_weights(target: Chain) -> float:
    """Return Σ_{i<n} |w̃_i − w_i|."""
    first, second = (target.prepare(data).weights[0] for data in target.pair.both)
    return float(np.abs(first[:-1] - second[:-1]).sum())


def test_the_paper_s_h_over_n_is_far_too_small() -> None:
    target = broken("same people", KnownByDesign())
    assert h_over_n() == pytest.approx(2 * 2 * PI_MIN**-2 / (ETA**2 * OTHERS / N) / N, rel=1e-9)
    assert moved_weights(target) > 10 * h_over_n()
    assert moved_weights(target) < N * float(h_over_n())


def test_the_model_meets_the_paper_s_assumptions() -> None:
    for people in pair().both:
        rows = np.column_stack([np.ones(N), people.x])
        assert np.linalg.eigvalsh(rows.T @ rows / N)[0] >= ETA**2 * OTHERS / N
        second = second_arm(people, UNPENALISED)
        assert second.min() > PI_MIN
        assert second.max() < 1 - PI_MIN


def test_a_penalty_on_the_model_does_not_matter_while_it_is_tiny() -> None:
    people = pair().first
    assert second_arm(people, UNPENALISED) == pytest.approx(second_arm(people, 1e-9), abs=1e-5)


def test_the_weights_of_others_stay_by_design() -> None:
    assert moved_weights(by_design()) == 0.0


def test_the_proved_constant_of_a_ridge_covers_what_moves() -> None:
    target = with_ridge()
    facts = target.plan.facts
    assert facts.radius * moved_weights(target) <= float(facts.origin.constant(facts))
    assert target.moved < 1


def test_both_faults_spend_far_more_than_they_claim() -> None:
    assert broken("same people", KnownByDesign()).moved > 5
    assert broken("same people", Printed(h_over_n())).moved > 4


def test_no_weight_is_above_its_bound() -> None:
    for target in (broken("same people", KnownByDesign()), by_design(), with_ridge()):
        for data in target.pair.both:
            assert target.prepare(data).weights.max() <= BOUND
