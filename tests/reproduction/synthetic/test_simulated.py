import numpy as np
import pytest

from dpwerm.plan.expected import settle
from dpwerm.privacy.budget import Budget
from dpwerm.simulate.scenarios import get_scenario
from dpwerm.simulate.synthetic import generator
from reproduction.synthetic.simulated import (
    Simulated,
    accuracy,
    our_rules,
    paper_rules,
    paper_value,
)

PAPER = get_scenario("paper")


def test_trials_are_disjoint_rows_of_one_table() -> None:
    trials = Simulated.draw(PAPER, 3, 10, generator(1))
    assert trials.rows.shape == (3, 10)
    assert len(np.unique(trials.rows)) == trials.table.num_rows == 30


def test_other_benefits_change_nothing_else() -> None:
    trials = Simulated.draw(PAPER, 2, 5, generator(1))
    changed = trials.with_benefit(np.arange(10.0).reshape(2, 5), (0.0, 9.0))
    assert changed.trial().outcome.tolist() == list(range(10))
    assert changed.scenario.study().benefit.bounds == (0.0, 9.0)
    assert np.array_equal(changed.best(), trials.best())
    assert np.array_equal(changed.trial().arm, trials.trial().arm)


def test_without_noise_many_people_give_the_better_arm() -> None:
    trials = Simulated.draw(PAPER, 2, 2_000, generator(1))
    people = Simulated.draw(PAPER, 2, 1_000, generator(2))
    rules = paper_rules(trials, [("inf", 1.0), ("0.1", 1.0)], generator(3))
    found = accuracy(rules.second(people), people)
    assert found.shape == (2, 2, 1)
    assert found[0].min() > 90 > 75 > found[1].mean()


def test_a_value_is_the_mean_of_those_who_followed_the_rule() -> None:
    people = Simulated.draw(PAPER, 1, 50, generator(2))
    benefit, arm = people.trial().outcome, people.trial().arm
    everybody = np.ones((1, 1, 1, 50), dtype=bool)
    shifted = benefit + abs(benefit.min()) + 0.001
    value = paper_value(everybody, people)[0, 0, 0]
    assert value == pytest.approx(shifted[arm > 0].mean())


def test_a_factor_multiplies_the_automatic_gamma() -> None:
    trials = Simulated.draw(PAPER, 2, 100, generator(1))
    rules = our_rules(trials, "inf", generator(2), factors=(1.0, 1e6))
    chosen = settle(PAPER.study(), Budget.of("inf"), 100)
    assert rules.encoding == chosen.encoding
    sizes = np.abs(rules.theta).max(axis=(1, 2, 3))
    assert sizes[1] < 1e-3 * sizes[0]


def test_our_method_does_not_see_the_scale_of_the_benefit() -> None:
    trials = Simulated.draw(PAPER, 2, 100, generator(1))
    benefit = trials.trial().outcome[trials.rows]
    scaled = trials.with_benefit(benefit / 8, (-7.5 / 8, 7.5 / 8))
    before, after = (our_rules(some, "inf", generator(2)) for some in (trials, scaled))
    assert after.theta == pytest.approx(before.theta, abs=1e-2)
