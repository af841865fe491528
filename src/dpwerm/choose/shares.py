"""What is tried of the shares of ε for private ranges and a guard, where they can be had.

A range of the benefit is taken wherever n·ε is large enough for one, because nobody knows
beforehand how wide bounds are; a tight trial loses about a point by it. Ranges of the
features are tried beside none from the first round on, because γ and saturation depend on them, a
larger share of them in the second, and a guard in the last: each is another way to spend on what
was found to be good.
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

ENOUGH = 400
"""n·ε from which on a range of the benefit is taken."""

SPENT, MOST, LEAST = 100.0, 0.1, 0.02
"""What n·ε a range of the benefit takes, and its largest and its smallest share of ε."""

FEATURES = (0.1, 0.2)
"""Shares for ranges of the features, beside none."""

GUARDS = (0.1, 0.2)
"""Shares for a guard, beside none."""

Key = tuple[Hyperparameters, float]


def forms_tried(question: Question) -> tuple[str, ...]:
    """Return the estimators to try: regressions alone where there is a range of the benefit.

    Whether it is narrow then decides between two answers, so every candidate has to release it.
    """
    ranged = [name for name in question.estimators if _range_with(question, name)]
    return tuple(ranged) or question.estimators


def at_first(question: Question, estimator: str) -> list[dict[str, Any]]:
    """Return the shares that the first round tries with an estimator."""
    fixed = {name: getattr(question.fixed, name) for name in SHARES}
    tried = _tried(question, estimator, "feature_ranges", FEATURES[:1])
    benefit = _range_with(question, estimator)
    return [{**fixed, "ranges": benefit, "feature_ranges": one} for one in tried]


def _range_with(question: Question, estimator: str) -> float | None:
    """Return the share for a range of the benefit with an estimator."""
    return _tried(question, estimator, "ranges", _of_benefit(question))[-1]


def varied(question: Question, keys: list[Key], place: int) -> list[Key]:
    """Return the keys of a round, by its place, each also with the shares that the round brings."""
    if place == 1:
        return _with(question, keys, "feature_ranges", dict.fromkeys(FEATURES[:1], FEATURES[1:]))
    return _with(question, keys, "guard", {None: GUARDS}) if place > 1 else keys


def _with(
    question: Question,
    keys: list[Key],
    name: str,
    more: Mapping[Any, tuple[float, ...]],
) -> list[Key]:
    """Return keys, and behind each the same with more of a share, if it is not fixed."""
    found = []
    for candidate, gamma in keys:
        found.append((candidate, gamma))
        others = more.get(getattr(candidate, name), ())
        for one in _tried(question, str(candidate.estimator), name, others)[1:]:
            share: dict[str, Any] = {name: one}
            found.append((replace(candidate, **share), gamma))
    return found


def _tried(
    question: Question, estimator: str, name: str, shares: tuple[float, ...]
) -> tuple[float | None, ...]:
    """Return what is fixed of a share, or none and those of the shares that can be had."""
    fixed = getattr(question.fixed, name)
    kind: Any = WEIGHTINGS[estimator]
    if fixed is not None or kind.form != "residual":
        return (fixed,)
    return (None, *(one for one in shares if _can_be_had(question, name, one)))


def _of_benefit(question: Question) -> tuple[float, ...]:
    """Return the share for a range of the benefit, none where it would be too coarse."""
    budget, two = question.spec.budget, question.outcome.values == 2
    known = question.n * float(budget.epsilon) if isinstance(budget, Budget) else 0.0
    if two or not ENOUGH <= known < float("inf"):
        return ()
    return (round(min(MOST, max(LEAST, SPENT / known)), 2),)


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
