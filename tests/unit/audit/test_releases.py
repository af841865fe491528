import math

import numpy as np
import pytest

from dpwerm.audit.attack import audit
from dpwerm.audit.suite import ChoiceTarget, SumsTarget
from dpwerm.audit.target import Target
from dpwerm.mechanisms.laplace_sums import UNIT, exact_sums
from dpwerm.privacy.budget import Budget, Relation

SURE = 1 - 1e-8
FOUR = Budget.of(4)
TARGETS = [
    SumsTarget(FOUR),
    SumsTarget(FOUR, relation=Relation.ADD_REMOVE),
    ChoiceTarget(FOUR),
]


@pytest.mark.parametrize("target", TARGETS, ids=lambda one: one.name)
def test_what_is_shipped_holds_and_comes_within_a_factor_of_two(target: Target) -> None:
    found = audit(target, runs=40_000, confidence=SURE)
    assert found.holds
    assert found.ratio < 2.0


@pytest.mark.parametrize("target", TARGETS, ids=lambda one: one.name)
def test_simulated_and_real_releases_have_one_form(target: SumsTarget) -> None:
    data = target.pairs()[0].first
    assert target.outputs(data, 7, (1,)).shape == (7, target.dimension)
    assert target.exact(data, 3).shape == (3, target.dimension)
    assert target.exact(data, 0).shape == (0, target.dimension)


@pytest.mark.parametrize("relation", list(Relation))
def test_rows_of_shares_move_the_sums_as_far_as_they_may(relation: Relation) -> None:
    target = SumsTarget(FOUR, relation=relation)
    scores, moves = [], []
    for pair in target.pairs():
        one, other = (np.ravel(exact_sums(cells, rows, 4)) for cells, rows in pair.both)
        moves.append(np.abs(one - other).sum() / UNIT)
        outputs = target.outputs(pair.first, 4000, (1, pair.name))
        scores.append(np.abs(target.score(outputs, pair)).max())
    assert max(moves) == pytest.approx(relation.terms)
    assert max(scores) == pytest.approx(4.0)


def test_scores_move_by_the_sensitivity_at_most() -> None:
    target = ChoiceTarget(FOUR)
    for pair in target.pairs():
        assert np.abs(np.subtract(*pair.both)).max() == target.sensitivity


def test_simulated_choices_have_the_law_of_the_exponential_mechanism() -> None:
    target = ChoiceTarget(FOUR, candidates=2)
    chosen = target.outputs((1000, 0), 100_000, (1,))
    assert chosen.mean() == pytest.approx(1 / (1 + math.exp(2)), abs=0.006)
