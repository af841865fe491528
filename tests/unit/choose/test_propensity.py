"""Settings of a propensity model: public, the same every time, and good on fresh models."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.choose.questions import encoding_of

from dpwerm.choose import propensity, settle
from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.propensity import (
    PropensityRehearsal,
    propensity_hyperparameters,
    question_of,
    reason_of,
)
from dpwerm.choose.question import Choice
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.fit import fit_release
from dpwerm.mechanisms import candidates
from dpwerm.objective.losses import Logistic
from dpwerm.privacy.budget import AnyBudget, Budget, Relation
from dpwerm.privacy.randomness import bit_source
from dpwerm.releases.certificate import Specification

REPLACE = Relation.REPLACE_ONE


pytestmark = pytest.mark.usefixtures("cold")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a search try a few small models."""
    monkeypatch.setattr(propensity, "PROBLEMS", 4)
    monkeypatch.setattr(propensity, "MOST_ROWS", 60)


def chosen(
    widths: tuple[int, ...] = (0, 0),
    n: int = 400,
    epsilon: Any = 1,
    floor: float = 0.1,
    relation: Relation = REPLACE,
) -> Choice:
    return propensity_hyperparameters(encoding_of(widths), n, Budget.of(epsilon), relation, floor)


def fitted(choice: Choice, encoding: Encoding, budget: AnyBudget, n: int) -> None:
    """Fit as a caller would; raises if no claim can be made with these settings."""
    found = choice.hyperparameters
    assert found.saturation == 1.0
    used = found.encoding(encoding)
    spec = found.specification(Specification(budget, 1.0, 1.0, loss=Logistic()), 1.0)
    X = np.zeros((n, used.n_columns))
    release = fit_release(X, np.ones(n), np.ones(n), encoding=used, spec=spec, bits=bit_source(0))
    certificate = release.certificate
    assert (certificate.mechanism, certificate.gamma) == (found.mechanism, found.gamma)


def test_more_people_and_a_larger_budget_give_better_weights() -> None:
    errors = {
        (n, e): (1 - chosen((0,) * 3, n, e).accuracy) for n in (200, 2000) for e in (0.1, 1, "inf")
    }
    for n in (200, 2000):
        assert errors[n, 0.1] > errors[n, 1] > errors[n, "inf"] > 0
    assert errors[200, 1] > 1.5 * errors[2000, 1]
    assert errors[2000, 1] < 0.1


def test_the_settings_beat_others_on_fresh_models() -> None:
    choice = chosen((0,) * 3, 1000, 0.5, 0.15)
    question = question_of(encoding_of((0,) * 3), 1000, Budget.of("0.5"), REPLACE)
    fresh = PropensityRehearsal.of(question, 0.15, count=60, rows=1000, draws=4, seed=99)
    found, gamma = choice.hyperparameters, choice.gamma
    setting = Hyperparameters(found.mechanism, 1.0, found.intercept, 1.0)
    path = [30 * gamma, gamma]
    best, none = fresh.scores(setting, path)[gamma], fresh.scores(setting, path)[path[0]]
    plain = Hyperparameters("spherical-laplace", 1.0, 1.0, 1.0)
    rival = fresh.scores(plain, [gamma])[gamma]
    assert best[0] > max(none[0], rival[0]) + 0.02
    assert 1 - best[0] == pytest.approx(1 - choice.accuracy, rel=0.25)


def test_the_reason_says_what_was_tried() -> None:
    choice = chosen()
    winner = choice.hyperparameters.mechanism
    assert winner in candidates(Budget.of(1))
    assert "without reading a row" in reason_of(choice)
    assert f"{winner} gave weights that were off by" in reason_of(choice)
    for rival in set(candidates(Budget.of(1))) - {winner}:
        assert rival in reason_of(choice)


def test_without_noise_gamma_is_small_whatever_n_is() -> None:
    for n in (100, 10_000):
        choice = chosen((0,), n, "inf")
        assert choice.hyperparameters.mechanism == "none"
        assert choice.gamma <= 10
        assert "the fit without noise" in reason_of(choice)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    widths=st.lists(st.sampled_from([0, 0, 1, 3, 9]), min_size=1, max_size=6).map(tuple),
    n=st.integers(1, 3000),
    epsilon=st.sampled_from(["1e-6", "0.001", "0.3", "5", "1000", "inf"]),
    floor=st.sampled_from([1e-4, 0.1, 0.5]),
)
def test_what_is_chosen_can_always_be_fitted(
    few: None, widths: tuple[int, ...], n: int, epsilon: str, floor: float
) -> None:
    choice = chosen(widths, n, epsilon, floor)
    assert 1 - choice.accuracy >= 0
    fitted(choice, encoding_of(widths), Budget.of(epsilon), min(n, 5))


@pytest.mark.parametrize("widths", [(0,) * 40, (50, 0), (0, 3) * 12])
def test_many_columns_are_answered_by_analogy(few: None, widths: tuple[int, ...]) -> None:
    choice = chosen(widths, 1000)
    fitted(choice, encoding_of(widths), Budget.of(1), 5)


@pytest.mark.parametrize(
    "budget", [Budget.of(1, "1e-6"), Budget.zcdp("0.1"), Budget.gdp(1)], ids=str
)
def test_every_notion_of_a_budget_has_an_answer(few: None, budget: AnyBudget) -> None:
    choice = propensity_hyperparameters(encoding_of((0, 0)), 300, budget, REPLACE, 0.1)
    assert choice.gamma > 0


def test_under_add_remove_less_noise_is_needed(few: None) -> None:
    encoding = encoding_of((0, 0))
    choice = chosen(n=200, relation=Relation.ADD_REMOVE)
    question = question_of(encoding, 200, Budget.of(1), Relation.ADD_REMOVE)
    question.calibration(choice.hyperparameters, choice.gamma)
    assert 1 - choice.accuracy < (1 - chosen(n=200).accuracy)


def test_a_floor_of_one_half_leaves_nothing_to_learn(few: None) -> None:
    assert (1 - chosen(floor=0.5).accuracy) == 0


@pytest.mark.parametrize("floor", [0.0, -0.1, 0.6, float("nan"), float("inf")])
def test_other_floors_are_refused(floor: float) -> None:
    with pytest.raises(ParameterError, match="floor must be above 0"):
        chosen(floor=floor)


def test_progress_grows_to_one(few: None) -> None:
    seen: list[float] = []
    propensity_hyperparameters(encoding_of((0,)), 100, Budget.of(1), REPLACE, 0.1, seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_an_answer_is_kept_and_given_again(
    few: None, cold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = chosen()
    assert len(list(cold.iterdir())) == 1
    settle._MEMORY.clear()
    seen: list[float] = []
    again = propensity_hyperparameters(
        encoding_of((0, 0)), 400, Budget.of(1), REPLACE, 0.1, seen.append
    )
    assert again == first
    assert seen == []
    chosen(floor=0.2)
    chosen(n=401)
    chosen(epsilon=2)
    assert len(list(cold.iterdir())) == 4


def test_the_intercept_of_the_encoding_asks_no_other_question(few: None, cold: Path) -> None:
    choices = [
        propensity_hyperparameters(
            encoding_of((0,), intercept=s0, saturation=k), 90, Budget.of(1), REPLACE, 0.1
        )
        for s0, k in ((1.0, 1.0), (0.2, 2.5), (0.0, 1.0))
    ]
    assert choices[0] == choices[1] == choices[2]
    assert len(list(cold.iterdir())) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"mechanism": "gaussian"},
        {"mechanism": "none"},
        {"gamma": 1e-9},
        {"clip": 0.5},
        {"threshold": 0.2},
        {"saturation": 2.0},
        {"intercept": 1e300},
    ],
)
def test_a_kept_file_that_does_not_answer_is_not_taken(
    few: None, cold: Path, changes: dict[str, Any]
) -> None:
    first = chosen()
    (path,) = cold.iterdir()
    kept = json.loads(path.read_text())
    kept["hyperparameters"] |= changes
    path.write_text(json.dumps(kept))
    settle._MEMORY.clear()
    assert chosen() == first
