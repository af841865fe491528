from tests.unit.audit.laws import LaplaceShift, WalkingShift

from dpwerm.arrays import FloatArray
from dpwerm.audit.attack import sides, strength, worst_pairs
from dpwerm.audit.target import Key


def test_the_pair_that_is_told_apart_best_is_found() -> None:
    target = LaplaceShift(2.0, "2", apart=(0.25, 1.0, 0.5))
    (pair,) = worst_pairs(target, runs=2000, key=(1,))
    assert pair.name == "1.0 apart"


def test_the_only_pair_needs_no_runs() -> None:
    class Unrunnable(LaplaceShift):
        def outputs(self, data: float, runs: int, key: Key) -> FloatArray:
            raise AssertionError((data, runs, key))

    (pair,) = worst_pairs(Unrunnable(1.0, "1"), runs=100, key=(1,))
    assert pair.name == "1.0 apart"


def test_a_walk_finds_what_no_candidate_was_and_keeps_the_start() -> None:
    target = WalkingShift(3.0, "3")
    start, best = worst_pairs(target, runs=4000, key=(1,), rounds=3)
    assert (start.name, best.name) == ("0.25 apart", "1.0 apart")
    (alone,) = worst_pairs(target, runs=4000, key=(1,), rounds=0)
    assert alone.name == start.name


def test_strength_grows_with_the_distance_and_is_modest() -> None:
    target = LaplaceShift(2.0, "2", apart=(0.25, 0.5, 1.0))
    found = [strength(target, pair, 4000, (2,)) for pair in target.pairs()]
    assert found == sorted(found)
    assert found[-1] < 2.0


def test_the_two_sides_are_independent_and_repeat() -> None:
    target = LaplaceShift(1.0, "1", apart=(0.0,))
    (pair,) = target.pairs()
    first, second = sides(target, pair, (50, 50), (1,))
    assert (first != second).any()
    again, _ = sides(target, pair, (50, 50), (1,))
    assert (first == again).all()
