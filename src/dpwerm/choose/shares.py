"""What is tried of the shares of ε for private ranges and a guard, where they can be had.

A range of the benefit is tried from the first round on, because widths and γ depend on it, ranges
of the features from the second, and a guard in the last: each is another way to spend on what was
found to be good. None of the three is always among what is tried.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from typing import Any

from dpwerm.choose.hyperparameters import SHARES, Hyperparameters
from dpwerm.choose.question import Question
from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import Budget, shared
from dpwerm.releases.guard import mechanism
from dpwerm.releases.ranges import steps
from dpwerm.weighting.contract import WEIGHTINGS

TRIED: Mapping[str, tuple[float, ...]] = {
    "ranges": (0.1,),
    "feature_ranges": (0.12,),
    "guard": (0.1, 0.2),
}
"""Shares that are tried beside none."""

LATER: Mapping[int, str] = {1: "feature_ranges", 2: "guard"}
"""What is varied among those that are left, by the place of the round."""

Key = tuple[Hyperparameters, float]


def options(question: Question, name: str, estimator: str) -> tuple[float | None, ...]:
    """Return the shares to try for one part with an estimator: the one that is fixed, or some."""
    fixed = getattr(question.fixed, name)
    kind: Any = WEIGHTINGS[estimator]
    if fixed is not None or kind.form != "residual":
        return (fixed,)
    return (None, *(one for one in TRIED[name] if _can_be_had(question, name, one)))


def at_first(question: Question, estimator: str) -> list[dict[str, float | None]]:
    """Return the shares that the first round tries with an estimator."""
    fixed = {name: getattr(question.fixed, name) for name in SHARES}
    return [{**fixed, "ranges": one} for one in options(question, "ranges", estimator)]


def varied(question: Question, keys: list[Key], place: int) -> list[Key]:
    """Return the keys of a round, each also with the shares that the round brings."""
    name = LATER.get(place)
    if name is None:
        return keys
    return [
        (replace(candidate, **{name: one}), gamma)
        for candidate, gamma in keys
        for one in options(question, name, str(candidate.estimator))
    ]


def _can_be_had(question: Question, name: str, share: float) -> bool:
    """Whether a study is such that a part may be paid without having been declared.

    Where no design fixes the ratio of the arms, as in observational data, shares are declared.
    """
    budget, relation, outcome = question.spec.budget, question.spec.relation, question.outcome
    if outcome.labels or not outcome.fixed_design or not isinstance(budget, Budget):
        return False
    with suppress(ParameterError):
        part = shared(budget, {name: Decimal(str(share))})[0][name]
        if name == "guard":
            mechanism(part, relation)
            return question.fixed.intercept != 0
        numbers = 1 if name == "ranges" else question.widths.count(0)
        if numbers:
            steps(numbers, part)
        return numbers > 0 and relation.publishes_n
    return False
