"""Automatic settings under a budget in ρ or μ: Gaussian noise alone, and a question of its own."""

import json

import numpy as np
import pytest
from tests.unit.choose.questions import specification

from dpwerm import PrivateWeightedClassifier
from dpwerm.choose.grid import gammas, grid, mechanisms
from dpwerm.choose.question import Outcome, Question
from dpwerm.choose.search import Rehearsal
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.privacy.budget import AnyBudget, Budget
from dpwerm.simulate.synthetic import random_labels

RHO, MU = Budget.zcdp("0.125"), Budget.gdp("0.5")
others = pytest.mark.parametrize("budget", [RHO, MU], ids=str)


def question(budget: AnyBudget) -> Question:
    encoding = Encoding.of_numbers(["a", "b"], [(-1.0, 1.0)] * 2)
    return Question(specification(budget), encoding, 200, Outcome.of_labels())


@others
def test_gaussian_is_the_only_mechanism(budget: AnyBudget) -> None:
    assert mechanisms(question(budget)) == ("gaussian",)


def test_the_notion_is_part_of_the_question() -> None:
    asked: list[AnyBudget] = [
        RHO,
        MU,
        Budget.zcdp("0.5"),
        Budget.of("0.5"),
        Budget.of("0.125", "1e-6"),
    ]
    assert len({question(budget).digest("1") for budget in asked}) == len(asked)
    assert question(RHO).plain()["rho"] == "0.125"
    assert "epsilon" not in json.dumps(question(MU).plain())


@others
def test_a_rehearsal_uses_the_noise_of_the_notion(budget: AnyBudget) -> None:
    asked = question(budget)
    setting = next(grid(asked, "gaussian"))
    path = gammas(asked, setting)
    synthetic = random_labels(asked.widths, count=2, rows=60, rng=np.random.default_rng(1))
    found = Rehearsal(asked, synthetic, 1, (2,), 1.0).scores(setting, path)
    assert set(found) == set(path)


def test_one_noise_in_two_notions_is_rehearsed_alike() -> None:
    scores = []
    for asked in map(question, (RHO, MU)):
        synthetic = random_labels(asked.widths, count=2, rows=60, rng=np.random.default_rng(1))
        setting = next(grid(asked, "gaussian"))
        scores.append(Rehearsal(asked, synthetic, 1, (2,), 1.0).scores(setting, [10.0])[10.0])
    np.testing.assert_array_equal(scores[0], scores[1])


@others
def test_a_mechanism_that_cannot_is_refused_before_anything_is_simulated(
    budget: AnyBudget, monkeypatch: pytest.MonkeyPatch
) -> None:
    def simulated(*_: object) -> None:
        raise AssertionError("nothing may be simulated")

    monkeypatch.setattr("dpwerm.choose.settle.answer", simulated)
    model = PrivateWeightedClassifier(
        budget, feature_bounds=(-1, 1), classes=(0, 1), mechanism="objective-block", ledger="none"
    )
    with pytest.raises(ParameterError, match="mechanism objective-block needs epsilon; use"):
        model.fit(np.zeros((4, 1)), [0, 1, 0, 1])
