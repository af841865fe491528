"""The guard's law, enumerated: no neighbour changes a chance by more than e^ε, some nearly do."""

import itertools
import math

import numpy as np
import pytest

from dpwerm.errors import ParameterError
from dpwerm.mechanisms.box_sums import UNIT
from dpwerm.mechanisms.exponential import ExponentialMechanism
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import bit_source
from dpwerm.releases.guard import (
    CANDIDATES,
    CLIP,
    Guard,
    GuardRecord,
    handicap,
    mechanism,
    scores,
    simulated_choice,
    units_of,
)

EPSILON = 0.8
BUDGET = Budget.of(str(EPSILON))
REPLACE, ADD = Relation.REPLACE_ONE, Relation.ADD_REMOVE


def log_law(people: list[tuple[float, float]], relation: Relation = REPLACE) -> np.ndarray:
    """Return the logarithms of the three chances; people: (s, π of the rule)."""
    choice = mechanism(BUDGET, relation)
    s = np.array([round(one * UNIT) for one, _ in people], dtype=np.int64)
    told = np.array([pi for _, pi in people])
    z = np.array([float(choice.rate * score) for score in scores(s, told, choice)])
    found: np.ndarray = z - z.max() - math.log(np.exp(z - z.max()).sum())
    return found


PERSONS = list(itertools.product((-1.0, 0.0, 1.0), (-1.0, 1.0)))
FOR, AGAINST = (-1.0, -1.0), (1.0, -1.0)
"""People whom the rule gives the second arm's opposite, and who did badly and well there."""

CROWDS = [[(s, pi)] * times for s, pi in PERSONS for times in (0, 2, 40)]


def largest_ratio(relation: Relation) -> float:
    pairs = [([one], [another]) for one in PERSONS for another in PERSONS]
    if relation is ADD:
        pairs = [([one], []) for one in PERSONS]
    worst = 0.0
    for crowd in CROWDS:
        for one, another in pairs:
            two = [log_law([*crowd, *extra], relation) for extra in (one, another)]
            worst = max(worst, float(np.abs(two[0] - two[1]).max()))
    return worst


@pytest.mark.parametrize("relation", [REPLACE, ADD])
def test_one_person_moves_a_chance_by_epsilon_at_most_and_nearly_by_that(
    relation: Relation,
) -> None:
    # Half the Δ, or two looks at the same scores, would double it.
    assert 0.99 * EPSILON <= largest_ratio(relation) <= EPSILON + 1e-9


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_a_sensitivity_off_by_two_is_found_either_way(
    factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def off(budget: Budget, relation: Relation) -> ExponentialMechanism:
        return ExponentialMechanism(int(relation.terms * UNIT * factor), budget)

    monkeypatch.setitem(globals(), "mechanism", off)
    assert largest_ratio(REPLACE) == pytest.approx(EPSILON / factor, rel=0.02)


def test_a_second_look_if_the_rule_lost_costs_twice_as_much() -> None:
    crowd = [(1.0, 1.0)] * 40
    laws = [np.exp(log_law([*crowd, *[(-0.9, -1.0)] * 10, one])) for one in (FOR, AGAINST)]
    twice = [np.array([1 - (1 - p[0]) ** 2, *((1 - p[0]) * p[1:])]) for p in laws]
    once, both = (float(np.abs(np.log(one / other)).max()) for one, other in (laws, twice))
    assert once <= EPSILON < 1.5 * EPSILON < both <= 2 * EPSILON


def test_nothing_makes_a_persons_part_larger_than_one() -> None:
    odd = [-math.inf, -1e300, -1.0, -1e-9, 0.0, 0.3, 1e300, math.inf, math.nan]
    arms, residuals, chances = (
        np.array(column)
        for column in zip(*itertools.product((-1.0, 1.0, math.nan), odd, odd), strict=True)
    )
    with np.errstate(all="ignore"):
        found = units_of(arms, residuals, np.abs(chances), 0.25)
    assert np.abs(found).max() == UNIT


def test_a_persons_part_is_cut_and_weighted_and_nothing_where_something_is_missing() -> None:
    arm = np.array([1.0, -1.0, 1.0, np.nan, 1.0, 1.0])
    residual = np.array([9.0, CLIP / 2, -CLIP, 0.1, np.nan, 0.1])
    chance = np.array([0.25, 0.25, 0.5, 0.5, 0.5, np.nan])
    found = units_of(arm, residual, chance, 0.25) / UNIT
    assert found.tolist() == [1.0, -0.5, -0.5, 0.0, 0.0, 0.0]
    below = units_of(np.array([1.0]), np.array([1.0]), np.array([0.1]), 0.25)
    assert below.tolist() == [UNIT]


def test_the_rule_starts_behind_by_its_handicap() -> None:
    choice = mechanism(BUDGET, REPLACE)
    found = scores(np.array([UNIT, -UNIT]), np.array([1.0, 1.0]), choice)
    assert found == [-handicap(choice), 0, 0]
    assert float(choice.rate * handicap(choice)) == pytest.approx(1.0)


def test_the_best_candidate_wins_when_the_budget_is_large() -> None:
    budget, s = Budget.of("100"), np.full(100, UNIT)
    told = np.where(np.arange(100) < 50, 1.0, -1.0)
    signs = np.where(told > 0, s, -s)
    cases = [(signs, 0, 0), (-s, 1, -1), (s, 2, 1)]
    for units, place, sign in cases:
        guard = Guard.of(units, told, budget, REPLACE, bit_source(1))
        assert (guard.chosen, guard.sign) == (place, sign)


def test_synthetic_choices_have_the_same_law() -> None:
    people = [(0.5, 1.0)] * 3 + [(1.0, -1.0)] * 2
    s, told = (np.array(column) for column in zip(*people, strict=True))
    gumbel = np.random.default_rng(0).gumbel(size=(1, 20000, 3))
    shape = (1, 20000, len(s))
    found = simulated_choice(
        np.broadcast_to(s, shape), np.broadcast_to(told, shape), EPSILON, gumbel
    )
    shares = np.bincount(found.ravel(), minlength=3) / 20000
    assert shares == pytest.approx(np.exp(log_law(people)), abs=0.02)


def test_a_guard_comes_back_from_its_record() -> None:
    guard = Guard(BUDGET, REPLACE, 2)
    plain = guard.plain()
    assert plain["chosen"] == CANDIDATES[2]
    assert plain["sensitivity"] == 2.0
    assert GuardRecord.model_validate(plain).guard(REPLACE) == guard
    with pytest.raises(ParameterError):
        GuardRecord.model_validate(plain | {"chosen": "nobody"}).guard(REPLACE)
    with pytest.raises(ParameterError):
        Guard(BUDGET, REPLACE, 3)
