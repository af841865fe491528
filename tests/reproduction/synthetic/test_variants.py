import math

import numpy as np
import pytest
from tests.reproduction.trials.stand_in_trials import like_the_papers

from dpwerm.simulate.synthetic import generator
from reproduction.synthetic import variants
from reproduction.synthetic.repeats import Task as Plain
from reproduction.synthetic.repeats import drawn
from reproduction.synthetic.repeats import measured as plainly_measured
from reproduction.synthetic.variants import (
    VARIANTS,
    Task,
    amplified,
    halved,
    in_levels,
    measured,
)


def test_a_sample_may_spend_what_amplification_gives_back() -> None:
    for epsilon in ("0.1", "1", "5"):
        larger = float(amplified(epsilon, 1000, 500))
        back = math.log1p(0.5 * math.expm1(larger))
        assert back <= float(epsilon)
        assert back == pytest.approx(float(epsilon), abs=1e-6)


def test_everybody_spends_the_budget_itself() -> None:
    assert float(amplified("0.5", 200, 200)) == pytest.approx(0.5, abs=2e-6)


def test_levels_are_evenly_spaced_with_both_ends() -> None:
    benefit = np.array([0.0, 3.7, 3.8, 11.2, 11.3, 15.0])
    assert in_levels(benefit, (0.0, 15.0), 3).tolist() == [0.0, 0.0, 7.5, 7.5, 15.0, 15.0]
    assert in_levels(np.array([-7.5, -2.0, 7.5]), (-7.5, 7.5), 5).tolist() == [-7.5, -3.75, 7.5]


def test_half_of_a_trial_has_nobody_twice_and_nobody_else() -> None:
    trials, _ = drawn(20, 0, 3, seed=1)
    half = halved(trials, generator(4))
    assert half.rows.shape == (3, 10)
    for all_people, some in zip(trials.rows, half.rows, strict=True):
        assert len(set(some)) == 10
        assert set(some) < set(all_people)


def test_the_base_is_figure_1_and_scaling_alike_changes_nothing() -> None:
    found = np.array(measured(Task("paper", 100, "5", 30.0, repeats=6)))
    assert found.shape == (2, len(VARIANTS), 6)
    plain = np.array(plainly_measured(Plain("paper", 100, ("5",), (30.0,), repeats=6)))
    assert np.array_equal(found[:, 0], plain[:, 0])
    assert found[0, 1] == pytest.approx(found[0, 0], abs=0.2)
    assert np.abs(found[0, 2:] - found[0, 0]).max(axis=1).min() > 0.2


def test_scaling_and_keeping_gamma_multiplies_it() -> None:
    scaled = np.array(measured(Task("paper", 100, "5", 30.0, repeats=4)))[0, 2]
    larger = np.array(measured(Task("paper", 100, "5", 15 * 30.0, repeats=4)))[0, 0]
    assert scaled == pytest.approx(larger, abs=0.2)


def test_our_method_has_the_same_variants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variants, "our_rules", like_the_papers)
    found = np.array(measured(Task("ours", 60, "5", 30.0, repeats=3)))
    assert found.shape == (2, len(VARIANTS), 3)
