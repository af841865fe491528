"""Folds and budgets of a private tuning: they add up, and never to more than was asked."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import Budget
from dpwerm.releases.tuning import (
    CLAIMS,
    REPEATS,
    RETIRED,
    SPLIT,
    WAYS,
    Tuning,
    folds_of,
    largest,
    refuse_shared_weights,
)

GAMMAS = (1.0, 2.0, 4.0)
ALL = (*WAYS, *RETIRED)
EPSILONS = st.decimals("0.0001", "1000000", places=6)


def tuning(
    how: str = "parts", budget: Budget | None = None, rows: int = 43, **other: Any
) -> Tuning:
    facts: dict[str, Any] = {
        "share": Decimal("0.3") if how == SPLIT else None,
        "repeats": 12 if how == REPEATS else None,
        "candidates": GAMMAS,
    }
    return Tuning(how=how, rows=rows, budget=budget or Budget.of(1), **facts | other)


@given(st.sampled_from(ALL), st.integers(2, 50), st.integers(0, 10**9))
def test_folds_add_up_and_none_is_empty(how: str, count: int, more: int) -> None:
    rows = count + 1 + more
    folds = folds_of(how, rows, count)
    assert sum(folds) == rows
    assert min(folds) >= 1
    if how == REPEATS:
        assert folds[0] == rows * 7 // 10
    else:
        assert len(folds) == count + 1
        assert len(set(folds[:-1])) == 1
        assert folds[0] <= folds[-1] <= folds[0] + count


@pytest.mark.parametrize(
    ("how", "least"), [("parts", 4), ("flip", 4), ("split", 4), ("repeats", 2)]
)
def test_too_few_rows_are_refused_by_their_number_alone(how: str, least: int) -> None:
    assert sum(tuning(how, rows=least).folds) == least
    with pytest.raises(ParameterError, match=f"needs at least {least} rows, not {least - 1}"):
        tuning(how, rows=least - 1)


@given(st.sampled_from(ALL), EPSILONS)
def test_the_steps_compose_to_what_was_asked(how: str, epsilon: Decimal) -> None:
    found = tuning(how, Budget(epsilon))
    cost = found.cost
    assert isinstance(cost, Budget)
    assert cost.epsilon <= epsilon
    # Thirds are rounded down to nine digits; nothing else is lost.
    assert cost.epsilon >= epsilon * (1 - Decimal("1e-7"))
    if how != REPEATS:
        assert cost.epsilon == epsilon


@pytest.mark.parametrize(
    ("how", "fit", "choice", "rule"),
    [
        ("parts", "1", "1", "1"),
        ("flip", "1", "1", "1"),
        ("split", "0.3", "0.3", "0.7"),
        ("repeats", "0.333333333", "0.333333333", "0.333333333"),
    ],
)
def test_each_step_has_its_budget(how: str, fit: str, choice: str, rule: str) -> None:
    steps = tuning(how).steps
    assert [steps.fit, steps.choice, steps.rule] == [Budget.of(one) for one in (fit, choice, rule)]
    assert tuning(how).released_rows == (43 if how == SPLIT else tuning(how).folds[0])


def test_a_delta_is_the_fit_s_and_the_choice_has_none() -> None:
    found = tuning("parts", Budget.of(1, "1e-6"))
    assert found.steps.choice == Budget.of(1)
    assert found.cost == found.steps.fit == Budget.of(1, "1e-6")
    for how in ("split", "repeats"):
        with pytest.raises(ParameterError, match=f"tuning by {how} needs delta = 0"):
            tuning(how, Budget.of(1, "1e-6"))


def test_two_steps_on_disjoint_rows_cost_the_larger_of_each() -> None:
    assert largest(Budget.of(1, "1e-6"), Budget.of(2)) == Budget.of(2, "1e-6")


@pytest.mark.parametrize("how", ALL)
def test_without_noise_no_step_has_any(how: str) -> None:
    found = tuning(how, Budget.of("inf"))
    assert {found.steps.fit, found.steps.choice, found.steps.rule, found.cost} == {found.budget}


@pytest.mark.parametrize(
    ("how", "other", "words"),
    [
        ("guess", {}, "how must be one of"),
        ("parts", {"candidates": (1.0,)}, "2 to 50 candidates"),
        ("parts", {"candidates": (2.0, 1.0)}, "ascending"),
        ("parts", {"candidates": (1.0, 1.0)}, "ascending"),
        ("parts", {"candidates": (0.0, 1.0)}, "gamma must be between"),
        ("parts", {"candidates": tuple(float(i) for i in range(1, 52))}, "2 to 50 candidates"),
        ("parts", {"share": Decimal("0.3")}, "a share with split and with nothing else"),
        ("split", {"share": None}, "a share with split and with nothing else"),
        ("split", {"share": Decimal(1)}, "share must be above 0 and below 1"),
        ("split", {"share": Decimal("NaN")}, "share must be above 0 and below 1"),
        ("split", {"share": Decimal("1e-9")}, "leaves less than 0.000001 for tuning"),
        ("parts", {"repeats": 12}, "repeats with repeats and with nothing else"),
        ("repeats", {"repeats": None}, "repeats with repeats and with nothing else"),
        ("repeats", {"repeats": 1}, "4 for each candidate"),
        ("parts", {"flipped": True}, "flipped is for split alone"),
    ],
)
def test_what_cannot_be_is_refused(how: str, other: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        tuning(how, **other)


def test_only_weights_of_their_own_rows_will_do() -> None:
    for origin in ("design", "external", "released"):
        refuse_shared_weights(origin)
    for origin in ("ridge", "worst_case"):
        with pytest.raises(ParameterError, match="one person moves the weights of rows in every"):
            refuse_shared_weights(origin)


def test_every_way_has_its_claim() -> None:
    assert set(CLAIMS) == set(ALL)
    assert len({tuning(how).claim for how in ALL} | {tuning("split", flipped=True).claim}) == 5
