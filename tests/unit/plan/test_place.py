"""A place of a plan can be simulated by any process."""

import pytest
from tests.unit.plan.studies import OPEN, study

from dpwerm.errors import ParameterError
from dpwerm.plan import desk as module
from dpwerm.plan.desk import Desk, Place, simulated

FIXED = study(OPEN + 'gamma = 30\nmechanism = "objective-block"\n')


def test_several_processes_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUICK_TRIALS", 24)
    steps: list[int] = []
    epsilons = ("0.01", "2", "5", "inf")
    desk = Desk(FIXED, quick=True, workers=2, on_step=lambda: steps.append(1))
    found, refused = desk.over(epsilons, 40)
    assert (found, refused) == Desk(FIXED, quick=True).over(epsilons, 40)
    assert list(found) == ["2", "5", "inf"]
    assert len(refused) == 1
    assert len(steps) == len(epsilons)


def test_a_refusal_is_an_answer() -> None:
    assert isinstance(simulated(Place(FIXED, "0", 24, "0.01", 40, None)), ParameterError)
