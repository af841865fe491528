from pathlib import Path

import numpy as np
import pytest
from tests.reproduction.gamma.hand_curves import curve

from reproduction.artefact import Bench
from reproduction.gamma.curves import (
    Task,
    curve_of,
    curves,
    curves_at,
    merged,
    moments,
    parts,
    simulate,
    single_curves,
    split,
    training,
)
from reproduction.gamma.lines import BASELINE, PEOPLE, Extent

TINY = Extent(
    sizes=(50,), budgets=("1", "20"), gammas=(1.0, 101.0), repeats=6, singles=2, single_repeats=5
)


def test_enough_people_are_drawn_without_replacement() -> None:
    people = np.arange(20).reshape(2, 10)
    chosen = training(people, 8, np.random.default_rng(0))
    assert all(len(set(row)) == 8 for row in chosen)


def test_too_few_people_are_drawn_with_replacement() -> None:
    people = np.arange(20).reshape(2, 10)
    chosen = training(people, 40, np.random.default_rng(0))
    assert chosen.shape == (2, 40)
    assert set(chosen[0]) <= set(range(10))
    assert set(chosen[1]) <= set(range(10, 20))
    assert len(set(chosen[0])) > 5


@pytest.mark.parametrize("n", [50, 120])
def test_training_and_validation_share_nobody(n: int) -> None:
    trials, people, _ = split(Task("n0-100", n, (), (), 3, 0))
    assert trials.rows.shape == (3, n)
    assert people.rows.shape == (3, 20)
    for trained, judged in zip(trials.rows, people.rows, strict=True):
        assert not set(trained) & set(judged)
    assert people.table.num_rows == 300


def test_a_single_data_set_is_split_again_in_each_repeat() -> None:
    _, people, _ = split(Task("n0-100", 50, (), (), 4, 0, single=True))
    assert people.table.num_rows == 100
    assert len({tuple(sorted(row)) for row in people.rows}) == 4


def test_lines_and_parts_have_their_own_people() -> None:
    drawn = [
        split(Task(line, 50, (), (), 2, part))[0].table
        for line, part in (("n0-100", 0), ("n0-100", 1), ("n0-500", 0))
    ]
    assert len({str(table["x1"][0]) for table in drawn}) == 3


def test_means_and_intervals_are_those_of_the_repeats() -> None:
    found = np.random.default_rng(1).normal(70.0, 9.0, size=(2, 40))
    made = curve_of((1.0, 2.0), np.array(moments(found)), 40)
    assert made.mean == pytest.approx(found.mean(axis=1))
    assert made.half == pytest.approx(1.96 * found.std(axis=1, ddof=1) / np.sqrt(40))


def test_of_equal_gammas_the_largest_is_best() -> None:
    one = curve(50.0, 70.0, 70.0, 60.0, 50.0)
    assert (one.best, one.highest) == (201.0, 70.0)
    assert one.at(251.0) == pytest.approx(65.0)


def test_merged_curves_are_in_order() -> None:
    one = merged(curve(1.0, 3.0, gammas=(1.0, 21.0)), curve(2.0, 3.0, gammas=(10.0, 21.0)))
    assert one.gammas.tolist() == [1.0, 10.0, 21.0]
    assert one.mean.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("repeats", [1, 100, 101, 250])
def test_parts_make_up_the_repeats(repeats: int) -> None:
    assert sum(parts(repeats)) == repeats


def test_other_gammas_meet_the_same_people_and_random_numbers() -> None:
    both = np.array(simulate(Task("baseline", 200, ("5",), (60.0, 300.0), 20, 0)))
    alone = np.array(simulate(Task("baseline", 200, ("5",), (300.0,), 20, 0)))
    # The solver comes to the same minimiser along another path, within its tolerance.
    assert both[0, 1] == pytest.approx(alone[0, 0], abs=10.0)
    assert both[0, 1] != both[0, 0]


def test_curves_are_kept_and_shared_by_name(tmp_path: Path) -> None:
    first = curves(Bench("one", tmp_path, quick=True), [PEOPLE[0]], TINY)
    journal = tmp_path / "journal" / "quick-gamma-curves.jsonl"
    size = journal.stat().st_size
    second = curves(Bench("two", tmp_path, quick=True), [PEOPLE[0]], TINY)
    assert journal.stat().st_size == size
    cell = first["n0-100"][50, "20"]
    assert cell.mean.tolist() == second["n0-100"][50, "20"].mean.tolist()
    assert (cell.repeats, cell.gammas.tolist()) == (6, [1.0, 101.0])
    assert list(first["n0-100"]) == [(50, "1"), (50, "20")]


def test_curves_may_have_other_gammas(tmp_path: Path) -> None:
    bench = Bench("one", tmp_path, quick=True)
    found = curves_at(bench, [BASELINE], TINY, {50: (10.0, 20.0, 30.0)})
    assert found["baseline"][50, "1"].gammas.tolist() == [10.0, 20.0, 30.0]


def test_each_single_data_set_gives_a_curve(tmp_path: Path) -> None:
    found = single_curves(Bench("one", tmp_path, quick=True), PEOPLE[0], TINY)
    assert {cell: len(each) for cell, each in found.items()} == {(50, "1"): 2, (50, "20"): 2}
    assert found[50, "1"][0].repeats == 5
