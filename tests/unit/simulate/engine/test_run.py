"""Tasks over processors: one answer for any number of workers."""

import pytest
from tests.unit.simulate.engine.sums import Sum, add, fail_at_three, killed

from dpwerm.errors import ParameterError
from dpwerm.simulate.engine.run import RunError, run


def test_results_do_not_depend_on_the_number_of_workers() -> None:
    tasks = [Sum(seed) for seed in range(7)]
    alone = run(add, tasks, workers=1)
    assert alone == run(add, tasks, workers=2) == run(add, tasks, workers=3)
    assert alone == [add(task) for task in tasks]


def test_a_process_that_is_killed_ends_the_run_in_words() -> None:
    with pytest.raises(RunError, match="ended from outside, perhaps for lack of memory"):
        run(killed, [Sum(seed) for seed in range(3)], workers=2)


def test_no_workers_are_an_error() -> None:
    with pytest.raises(ParameterError, match="workers"):
        run(add, [Sum(1)], workers=0)


def test_no_tasks_have_no_results() -> None:
    assert run(add, []) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_results_are_handed_over_as_they_come(workers: int) -> None:
    tasks, taken = [Sum(seed) for seed in (1, 2, 3)], dict[int, float]()
    with pytest.raises(ParameterError, match="three"):
        run(fail_at_three, tasks, workers=workers, on_result=taken.__setitem__)
    assert taken.items() <= {0: add(tasks[0]), 1: add(tasks[1])}.items()
    assert taken or workers > 1
