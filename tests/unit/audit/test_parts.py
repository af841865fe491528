"""What a rule pays for beside its fit as targets: laws, worst pairs, real releases."""

import math

import numpy as np
import pytest

from dpwerm.audit import parts
from dpwerm.audit.attack import audit
from dpwerm.audit.parts import Crowd, GuardTarget, RangesTarget, TightnessTarget
from dpwerm.audit.target import Target
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import SeededBits
from dpwerm.releases.guard import CLIP
from dpwerm.releases.ranges import steps

SURE = 1 - 1e-8
FOUR = Budget.of(4)
TARGETS = [
    TightnessTarget(FOUR, 2),
    RangesTarget(FOUR),
    RangesTarget(FOUR, 3),
    GuardTarget(FOUR),
    GuardTarget(FOUR, Relation.ADD_REMOVE),
]


@pytest.mark.parametrize("target", TARGETS, ids=lambda one: f"{one.name}-{one.dimension}")
def test_what_is_shipped_holds_and_comes_within_a_factor_of_two(target: Target) -> None:
    found = audit(target, runs=40_000, confidence=SURE)
    assert found.holds
    assert found.ratio < 2.0


@pytest.mark.parametrize("target", TARGETS, ids=lambda one: f"{one.name}-{one.dimension}")
def test_simulated_and_real_releases_have_one_form(target: RangesTarget) -> None:
    data = target.pairs()[0].first
    assert target.outputs(data, 7, (1,)).shape == (7, target.dimension)
    assert target.exact(data, 3).shape == (3, target.dimension)
    assert target.exact(data, 0).shape == (0, target.dimension)


def test_both_steps_of_private_ranges_attain_their_claim_at_once() -> None:
    target = RangesTarget(FOUR, 2)
    ratios = [
        np.abs(target.score(target.outputs(pair.first, 4000, (1, pair.name)), pair)).max()
        for pair in target.pairs()
    ]
    assert max(ratios) == pytest.approx(4.0)


def test_real_ranges_lie_where_simulated_ones_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "OperatingSystemBits", lambda: SeededBits(5))
    target = RangesTarget(Budget.of(400), 2)
    data = np.array([[0.5, -0.25], [0.25, 0.0], [0.0, 1.0]])
    expected = [0.75, 0.75, 0.5, 1.25]
    for found in (target.outputs(data, 50, (1,)), target.exact(data, 50)):
        noise = max(float(step.mean_size) for step in steps(2, target.claim))
        assert np.median(found, axis=0) == pytest.approx(expected, abs=5 * noise)


@pytest.mark.parametrize("relation", list(Relation))
def test_a_guards_worst_pairs_have_most_of_epsilon_and_no_more(relation: Relation) -> None:
    target = GuardTarget(FOUR, relation)
    laws = [[target.log_law(data) for data in pair.both] for pair in target.pairs()]
    ratios = [np.abs(one - other).max() for one, other in laws]
    assert 3.6 < max(ratios) <= 4.0 + 1e-9
    for pair in target.pairs():
        one, other = (len(data.arm) for data in pair.both)
        assert one - other == (1 if relation is Relation.ADD_REMOVE else 0)


def test_simulated_choices_have_the_law_of_real_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "OperatingSystemBits", lambda: SeededBits(6))
    target = GuardTarget(FOUR)
    data = Crowd.of((CLIP, 1.0, 1.0), (CLIP, -1.0, 0.5))
    rate = 4 / 4
    logits = np.array([rate * 0.5 - 1, -rate * 1.5, rate * 1.5])
    law = np.exp(logits) / np.exp(logits).sum()
    simulated = np.bincount(target.outputs(data, 40_000, (1,))[:, 0].astype(int), minlength=3)
    real = np.bincount(target.exact(data, 4_000)[:, 0].astype(int), minlength=3)
    assert simulated / 40_000 == pytest.approx(law, abs=0.0125)
    assert real / 4_000 == pytest.approx(law, abs=0.045)
    assert np.exp(target.log_law(data)) == pytest.approx(law)


def test_a_crowd_has_so_many_people_and_a_share_of_one() -> None:
    crowd = Crowd.of((0.25, 1.0, 2.5), (-0.25, -1.0, 0.0))
    assert crowd.benefit.tolist() == [0.25, 0.25, 0.125]
    assert crowd.told.tolist() == [1.0] * 3
    assert math.isclose(crowd.probability[0], 0.25)
