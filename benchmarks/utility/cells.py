"""One cell of the comparison: a scenario, n, ε and a method, over many simulated trials."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from benchmarks.accuracy import Cell, Judge, Marks, Result, trial_rng
from benchmarks.utility.methods import METHODS
from dpwerm.simulate.scenarios import SCENARIOS
from dpwerm.simulate.scenarios.scenario import Scenario
from dpwerm.simulate.scenarios.sloppy import SLOPPY

NAMED = "paper"
"""The scenario whose table is published; it gets all the repeats."""

OFF = 0.5
"""How far the benefits lie from the declared middle, in units of half the declared range."""


def _moved(times: float) -> Scenario:
    """Return the paper's problem with its bounds moved by so many half ranges."""
    low, high = SCENARIOS[NAMED].bounds
    by = times * (high - low) / 2
    return replace(SCENARIOS[NAMED], bounds=(low + by, high + by))


OFF_CENTRE: Mapping[str, Scenario] = {"bounds up": _moved(OFF), "bounds down": _moved(-OFF)}
"""The paper's problem and its very trials, with benefits off the declared middle."""

TOO_WIDE = 10.0
WIDENED = ("paper", "main-effect", "categories")
WIDE: Mapping[str, Scenario] = {
    f"{kind} {name}": replace(SCENARIOS[name], too_wide=times)
    for name in WIDENED
    for kind, times in (("tight", 1.0), ("wide", TOO_WIDE))
}
"""Scenarios as they are, and the same trials with all bounds declared so many times too wide."""

EVERY: Mapping[str, Scenario] = {**SCENARIOS, **SLOPPY, **OFF_CENTRE, **WIDE}


def run(cell: Cell) -> Result[Cell]:
    """Return what the rules of one cell did."""
    scenario, method = EVERY[cell.scenario], METHODS[cell.method]
    judge = Judge.of(scenario, cell.n)
    found: list[list[Marks]] = []
    for repeat in range(cell.repeats):
        trial = scenario.draw(cell.n, trial_rng(scenario.name, cell.n, repeat))
        answers = method.fit(scenario, trial, judge.people, cell.epsilon, repeat)
        found.append([judge.marks(arms) for arms in answers])
    variants = list(zip(*found, strict=True))
    accuracies = [np.mean([one.accuracy for one in marks]) for marks in variants]
    return Result.of(cell, variants[int(np.argmax(accuracies))])
