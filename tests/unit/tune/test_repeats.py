"""The loop: parts of a fixed size, one answer for any number of workers, and what is refused."""

import numpy as np
import pytest
from tests.unit.tune.people_at_hand import fixed_study, pilot

from dpwerm.errors import ParameterError
from dpwerm.plan.expected import settle
from dpwerm.privacy.budget import Budget
from dpwerm.tune.algorithm2 import Part, Planned, all_scores, parts

LEARNER = Planned((settle(fixed_study(), Budget.of("2"), 30),), ((20.0, 200.0),))


def tasks(**changed: object) -> list[Part]:
    given: dict[str, object] = {"n": 30, "m": 20, "repeats": 60, "seed": 5}
    source = changed.pop("source", pilot(50))
    metric = changed.pop("metric", "value")
    return parts(LEARNER, source, metric, **(given | changed))  # type: ignore[arg-type]


def test_the_number_of_workers_changes_nothing() -> None:
    alone = all_scores(tasks(), workers=1)
    assert alone.shape == (2, 60)
    np.testing.assert_array_equal(alone, all_scores(tasks(), workers=2))
    assert (alone[:, :50] == all_scores(tasks(repeats=50), workers=1)).all()
    assert (alone != all_scores(tasks(seed=6), workers=1)).any()


def test_tasks_have_a_fixed_size() -> None:
    assert [part.count for part in tasks()] == [50, 10]
    assert [part.count for part in tasks(n=100_000, repeats=3)] == [1, 1, 1]
    assert len({part.key for part in tasks()}) == 2


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"n": 0}, "n must be between 1 and 1,000,000"),
        ({"n": 1_000_001}, "n must be between 1 and 1,000,000"),
        ({"repeats": 1}, "repeats must be between 2"),
        ({"m": 50}, "cannot validate"),
        ({"m": 0}, "cannot validate"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"metric": "accuracy"}, "better arm is known"),
        ({"metric": "good"}, "metric must be one of"),
    ],
)
def test_what_makes_no_sense_is_refused(changed: dict[str, object], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        tasks(**changed)


def test_accuracy_works_where_the_truth_is_known() -> None:
    scores = all_scores(tasks(source=pilot(50, known=True), metric="accuracy"), workers=1)
    assert 0.4 < scores.mean() <= 1
