import numpy as np
import pytest

from reproduction.synthetic.figure1_claims import (
    approaching,
    budget_steps,
    gap,
    paired_steps,
    reaching,
    rising,
    size_steps,
)
from reproduction.synthetic.repeats import Cells, Repeats

LUCK = np.random.default_rng(5).normal(size=100)
EPSILONS, SIZES = ("0.1", "5", "inf"), (200, 500)


def cells(means: dict[tuple[str, int], float], method: str = "paper") -> Cells:
    """Return repeats with the same luck in every cell."""
    return {
        (method, epsilon, n): Repeats(mean + LUCK, mean / 10 + LUCK)
        for (epsilon, n), mean in means.items()
    }


RISING = cells(
    {
        ("0.1", 200): 50.0,
        ("5", 200): 70.0,
        ("inf", 200): 71.0,
        ("0.1", 500): 55.0,
        ("5", 500): 80.0,
        ("inf", 500): 81.0,
    }
)


def test_steps_in_a_budget_are_paired_or_not() -> None:
    apart = budget_steps(RISING, "paper", "accuracy", EPSILONS, SIZES)
    paired = paired_steps(RISING, "paper", "accuracy", EPSILONS, SIZES)
    for steps in (apart, paired):
        assert [round(step.gain.mean) for step in steps] == [20, 1, 25, 1]
    assert max(step.gain.half for step in paired) < 1e-9
    assert min(step.gain.half for step in apart) > 0.2
    assert paired[0].name == "n = 200, ε from 0.1 to 5, γ from 50 to 30"


def test_steps_in_size_are_independent() -> None:
    steps = size_steps(RISING, "paper", "accuracy", EPSILONS, SIZES)
    assert [round(step.gain.mean) for step in steps] == [5, 10, 10]
    assert min(step.gain.half for step in steps) > 0.2


def test_a_step_that_falls_is_named() -> None:
    assert rising("it rises.", budget_steps(RISING, "paper", "accuracy", EPSILONS, SIZES), 1).agrees
    backwards = budget_steps(RISING, "paper", "accuracy", EPSILONS[::-1], (200,))
    found = rising("it rises.", backwards, 1)
    assert not found.agrees
    assert "2 of 2 steps fall" in found.found
    assert "n = 200, ε from 5 to 0.1: -20.0 ± " in found.found


def test_a_fall_that_only_the_same_trials_show_is_said_but_agrees() -> None:
    slightly = cells({("0.1", 200): 50.1, ("5", 200): 50.0})
    apart = budget_steps(slightly, "paper", "accuracy", ("0.1", "5"), (200,))
    paired = paired_steps(slightly, "paper", "accuracy", ("0.1", "5"), (200,))
    found = rising("it rises.", apart, 1, paired)
    assert found.agrees
    assert "On the same trials 1 of 1 steps fall" in found.found


def test_a_fall_within_the_interval_is_none() -> None:
    lower = {("paper", "1", 200): Repeats(LUCK, LUCK), ("paper", "2", 200): Repeats(-LUCK, LUCK)}
    (step,) = budget_steps(lower, "paper", "accuracy", ("1", "2"), (200,))
    assert not step.falls


def test_the_gap_is_to_the_fit_without_privacy() -> None:
    assert gap(RISING, "paper", "accuracy", "5", 500).mean == pytest.approx(1.0)
    found = approaching(RISING, "paper", "accuracy", EPSILONS, SIZES)
    assert found.agrees
    assert "21.0 to 26.0 at ε = 0.1" in found.found
    assert not approaching(RISING, "paper", "accuracy", ("5", "inf"), SIZES).agrees


def test_our_smallest_budget_is_found() -> None:
    ours = {("0.1", 200): 60.0, ("5", 200): 70.5, ("inf", 200): 70.7}
    lines = reaching(RISING | cells(ours, "ours"), EPSILONS, (200,))
    assert [line[2] for line in lines] == ["5"]
    assert [line[5:] for line in lines] == [["none", ""]]
