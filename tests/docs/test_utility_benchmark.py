"""The utility benchmark: gain and harm are what they say, and verdicts name what misses."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.accuracy import NUMBERS, Cell, Judge, Marks, Result, read_result
from benchmarks.utility import __main__ as utility
from benchmarks.utility.cells import EVERY, NAMED, OFF_CENTRE, WIDE, run
from benchmarks.utility.figure import save_figure
from benchmarks.utility.methods import ESTIMATORS, METHODS
from benchmarks.utility.tables import STEPS, mean_table, means, paper_table
from benchmarks.utility.verdicts import verdicts

from dpwerm.features.blocks import NumberBlock
from dpwerm.simulate.scenarios import SCENARIOS, get_scenario
from dpwerm.simulate.scenarios.sloppy import SLOPPY


def all_of(judge: Judge, arm: str) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    return np.full(judge.people.num_rows, arm, dtype=object)


@pytest.mark.parametrize("name", ["paper", "nearly-constant", "viral-load", "stay"])
def test_the_best_rule_gains_1_and_the_best_single_arm_0(name: str) -> None:
    scenario = get_scenario(name)
    judge = Judge.of(scenario, 1000)
    best = judge.marks(scenario.best(judge.people))
    assert (best.accuracy, best.gain, best.harm) == (100.0, 1.0, 0.0)
    single = [judge.marks(all_of(judge, arm)) for arm in scenario.arms]
    assert max(one.gain for one in single) == 0.0
    worse = min(single, key=lambda one: one.gain)
    assert (worse.harm, worse.gain < -0.01) in ((100.0, True), (0.0, False))


def test_harm_begins_just_below_0() -> None:
    """Who takes a few people from the better single arm loses little, more do harm."""
    scenario = get_scenario("nearly-constant")
    judge = Judge.of(scenario, 1000)
    order = np.argsort(-scenario.contrast(judge.people))
    found = []
    for wrong in (0, 1, 40):
        arms = all_of(judge, scenario.arms[1])
        arms[order[:wrong]] = scenario.arms[0]
        found.append(judge.marks(arms))
    assert [one.harm for one in found] == [0.0, 100.0, 100.0]
    assert found[0].gain == 0.0
    assert found[2].gain < found[1].gain < -0.01


@pytest.mark.parametrize(("wrong", "harm"), [(0.03, 0.0), (0.04, 100.0)])
def test_where_nothing_can_be_gained_a_loss_is_measured_in_sd(wrong: float, harm: float) -> None:
    """One arm is 4 better for all, the outcome's sd is 14: 1 % is lost by one wrong in 28."""
    scenario = SLOPPY["one-for-all"]
    judge = Judge.of(scenario, 1000)
    assert judge._sd == pytest.approx(math.sqrt(12**2 + 6**2 + 4**2 + 2**2), rel=0.02)
    arms = all_of(judge, scenario.arms[1])
    arms[: int(wrong * len(arms))] = scenario.arms[0]
    marks = judge.marks(arms)
    assert math.isnan(marks.gain)
    assert marks.harm == harm


def test_a_result_survives_its_file_and_keeps_what_is_not_known() -> None:
    cell = Cell("nothing", 500, "1", "auto", 2)
    marks = [Marks(100.0, 60.0, math.nan, 0.0), Marks(100.0, 59.0, math.nan, 100.0)]
    found = Result.of(cell, marks)
    row = {name: str(value) for name, value in found.row().items()}
    again = read_result(Cell, row)
    assert again.cell == cell
    assert again.harm == 50.0
    assert math.isnan(again.gain)
    assert set(NUMBERS) <= set(row)


def test_both_halves_are_planned_and_mechanisms_stay_with_the_papers_problem() -> None:
    planned = list(utility.cells(100, 40, EVERY))
    assert len(planned) == len(set(planned))
    assert {one.scenario for one in planned} == {*SCENARIOS, *SLOPPY, *OFF_CENTRE, *WIDE}
    single = {name for name, one in METHODS.items() if one.single}
    assert {one.scenario for one in planned if one.method in single} == {NAMED}
    for one in planned:
        if one.scenario in SLOPPY:
            assert one.n in (500, 1000, 3000)
            more = ("3",) if one.method == "auto" and one.n == 1000 else ()
            assert one.epsilon in ("1", "inf", *more)
            assert one.repeats == (100 if one.method == "auto" else 40)
    step = {name for name, one in METHODS.items() if one.step}
    assert {one.scenario for one in planned if one.method in step} == {*SLOPPY}
    assert step == {*STEPS}
    wide = [one for one in planned if one.scenario in WIDE]
    assert {(one.n, one.epsilon, one.method) for one in wide} == {(3000, "1", "auto")}
    assert {one.scenario for one in wide} == {*WIDE}
    asked_of = {(one.n, one.epsilon) for one in planned if one.scenario == "circle"}
    assert asked_of == {(n, e) for n in (200, 500, 1000) for e in ("0.5", "1", "5", "inf")}


def test_moved_bounds_change_the_declaration_and_not_the_trials() -> None:
    for name, by in (("bounds up", 3.75), ("bounds down", -3.75)):
        moved = OFF_CENTRE[name]
        assert moved.bounds == (-7.5 + by, 7.5 + by)
        drawn, wanted = (
            one.draw(20, np.random.default_rng(0)) for one in (moved, SCENARIOS[NAMED])
        )
        assert drawn.equals(wanted)


def test_bounds_too_wide_are_declared_around_the_same_middle_of_the_same_trials() -> None:
    wide, tight = WIDE["wide main-effect"], SCENARIOS["main-effect"]
    drawn = [one.draw(20, np.random.default_rng(0)) for one in (wide, tight)]
    assert drawn[0].equals(drawn[1])
    low, high = tight.bounds
    middle, half = (low + high) / 2, (high - low) / 2
    assert wide.study().benefit.bounds == (middle - 10 * half, middle + 10 * half)
    assert wide.features()["x1"]["bounds"] == [0, 1]
    block = wide.study().encoding().blocks[0]
    assert isinstance(block, NumberBlock)
    assert (block.lower, block.upper) == (-4.5, 5.5)


def test_methods_without_a_search_run_on_every_kind_of_trial() -> None:
    for scenario in ("paper", "viral-load", "stay", "no-effect"):
        for method in ("paper", "T-learner, no privacy"):
            epsilon = "1" if METHODS[method].private else "inf"
            found = run(Cell(scenario, 200, epsilon, method, 2))
            assert 0 <= found.accuracy <= 100
            assert run(found.cell).row() == found.row()


def made(
    scenario: str, n: int, epsilon: str, method: str, accuracy: float, gain: float
) -> Result[Cell]:
    return Result(Cell(scenario, n, epsilon, method, 100), accuracy, 0.1, 1.0, 0.1, gain, 0.1, 5.0)


def test_verdicts_name_every_cell_that_misses() -> None:
    good = [
        made(NAMED, 1000, "1", "auto", 99.2, 1.0),
        made("bounds up", 1000, "1", "auto", 98.9, 1),
    ]
    good += [replace(made(name, 3000, "1", "auto", 80.0, 0.75), harm=1.0) for name in SLOPPY]
    good += [made(f"{kind} paper", 3000, "1", "auto", 90.0, 0.95) for kind in ("tight", "wide")]
    good += [made("main-effect", 1000, "1", name, 98.8, 1.0) for name in (*ESTIMATORS, "auto")]
    lines = verdicts(good).splitlines()
    assert sum(": yes (" in line for line in lines) == 5
    assert sum(line.endswith("not measured.") for line in lines) == 1
    bad = [replace(one, accuracy=one.accuracy - 3, gain=one.gain - 0.1) for one in good[:-1]]
    found = verdicts(
        [
            *bad,
            replace(good[-1], accuracy=95.8),
            made("main-effect", 1000, "1", "contrast", 99.9, 1.0),
        ]
    )
    for miss in ("gain +0.65, asked 0.7", "asked 99", "`main-effect`: 95.8 ± 0.1, before 99"):
        assert miss in found
    pair = (("tight", 1.0), ("wide", 0.85))
    lost = [made(f"{kind} paper", 3000, "1", "auto", 99.0, gain) for kind, gain in pair]
    assert "`paper`: +0.85, with tight bounds +1.00" in verdicts(lost)
    far = [good[0], made("bounds up", 1000, "1", "auto", 97.0, 1.0)]
    assert "bounds up, n = 1,000: 97.8 %" in verdicts(far)


def test_means_leave_out_the_gain_of_trials_without_any() -> None:
    found = [
        made("mood", 1000, "1", "auto", 80.0, 0.4),
        made("nothing", 1000, "1", "auto", 90, math.nan),
    ]
    by = {(c.scenario, c.n, c.epsilon, c.method): one for one in found for c in [one.cell]}
    assert means(by, list(SLOPPY), 1000, "auto") == (85.0, 0.4, 5.0)
    assert means(by, list(SLOPPY), 500, "auto") is None
    assert "85.0; +0.40; 5" in mean_table(found)


def test_a_part_of_a_run_can_be_drawn_and_told(tmp_path: Path) -> None:
    part = [made(NAMED, 1000, "1", "auto", 99.0, 1.0), made("mood", 500, "1", "auto", 80.0, 0.2)]
    save_figure(part, tmp_path / "part.svg")
    assert (tmp_path / "part.svg").stat().st_size > 10_000
    assert "| 1 | 1,000 | 64.7 |  |  |  |  |  | 99.0 | 1.000 | +1.00 | 5 |" in paper_table(part)
