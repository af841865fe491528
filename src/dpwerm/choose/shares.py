"""What is tried of the shares of ε for tightness, private ranges and a guard.

A tightness is taken wherever n·ε is large enough for one, because nobody knows beforehand how wide
bounds are. A trial that it finds to be declared tightly then leaves all else to the rule. In all
others a range of the benefit is taken where it can be had; ranges of the features are tried beside
none from the first round on, because γ and saturation depend on them, a larger share of them in the
second, and a guard in the last: each is another way to spend on what was found to be good.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from typing import Any

from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import ANY, LOOSE, TIGHT, Question
from dpwerm.errors import ParameterError
from dpwerm.exact import decimal_of
from dpwerm.privacy.budget import Budget, shared
from dpwerm.releases.guard import mechanism
from dpwerm.releases.parts import SHARES
from dpwerm.releases.ranges import steps
from dpwerm.weighting.contract import WEIGHTINGS

ENOUGH = 400
"""n·ε from which on tightness and a range of the benefit are taken."""

MOST, LEAST = {"tightness": 0.1, "ranges": 0.1, "guard": 0.4}, 0.02
"""The largest and the smallest share of ε for each."""

SPENT = {"tightness": 60.0, "ranges": 100.0, "guard": 200.0}
"""What n·ε they take: so much tells synthetic trials of either kind apart but for one in ten, and
makes a range as good as an exact one; a guard that takes less chooses badly itself."""

FEATURES = (0.1, 0.15)
"""Shares for ranges of the features, beside none."""

Key = tuple[Hyperparameters, float]


def forms(question: Question) -> tuple[str, ...]:
    """Return the forms of an answer: two where a tightness decides between them."""
    return (TIGHT, LOOSE) if question.has_forms and tightness(question) else (ANY,)


def tightness(question: Question) -> float | None:
    """Return the share for a tightness, None for none."""
    if not question.has_forms or not any(map(_is_regression, question.estimators)):
        return question.fixed.tightness
    return _of(question, "tightness")[-1]


def forms_tried(question: Question) -> tuple[str, ...]:
    """Return the estimators to try: regressions alone where a tightness is paid for.

    Outcome weights beside them only in tight trials whose benefit has two values: any other has to
    be clipped for them, and they gain less.
    """
    two = question.form == TIGHT and question.outcome.values == 2
    if not tightness(question) or two:
        return question.estimators
    return (
        tuple(name for name in question.estimators if _is_regression(name)) or question.estimators
    )


def at_first(question: Question, estimator: str) -> list[dict[str, Any]]:
    """Return the shares that the first round tries with an estimator."""
    fixed = {name: getattr(question.fixed, name) for name in SHARES}
    fixed["tightness"] = tightness(question)
    if question.form == TIGHT or not _is_regression(estimator):
        return [fixed]
    features = _of(question, "feature_ranges", FEATURES[:1])
    benefit = _of(question, "ranges")[-1]
    return [{**fixed, "ranges": benefit, "feature_ranges": one} for one in features]


def varied(question: Question, keys: list[Key], place: int) -> list[Key]:
    """Return the keys of a round, by its place, each also with the shares that the round brings."""
    if place == 0 or question.form == TIGHT:
        return keys
    if place == 1:
        return _with(question, keys, "feature_ranges", dict.fromkeys(FEATURES[:1], FEATURES[1:]))
    return _with(question, keys, "guard", {None: _enough(question, "guard", 0.0)})


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
        if not _is_regression(str(candidate.estimator)):
            continue
        for one in _of(question, name, more.get(getattr(candidate, name), ()))[1:]:
            share: dict[str, Any] = {name: one}
            found.append((replace(candidate, **share), gamma))
    return found


def _is_regression(estimator: str) -> bool:
    kind: Any = WEIGHTINGS[estimator]
    return bool(kind.form == "residual")


def _of(
    question: Question, name: str, shares: tuple[float, ...] | None = None
) -> tuple[float | None, ...]:
    """Return what is fixed of a share, or none and those of the shares that can be had.

    shares : by default the one that is enough for so many people
    """
    fixed = getattr(question.fixed, name)
    if fixed is not None:
        return (fixed,)
    shares = _enough(question, name, ENOUGH) if shares is None else shares
    return (None, *(one for one in shares if _can_be_had(question, name, one)))


def _enough(question: Question, name: str, least: float) -> tuple[float, ...]:
    """Return the share that takes so much n·ε; none where that is too little, or without end."""
    budget = question.spec.budget
    known = question.n * float(budget.epsilon) if isinstance(budget, Budget) else 0.0
    if known == 0 or not least <= known < float("inf"):
        return ()
    return (round(min(MOST[name], max(LEAST, SPENT[name] / known)), 2),)


def _beside(question: Question, name: str) -> dict[str, Decimal]:
    """Return the largest shares that may be taken beside one: those fixed, and those before it."""
    most = {"tightness": tightness, "ranges": _most_of_benefit, "feature_ranges": _most_of_features}
    before = SHARES[: SHARES.index(name)]
    found = {one: getattr(question.fixed, one) for one in SHARES if one != name}
    found |= {one: most[one](question) for one in before if found[one] is None}
    return {one: decimal_of(share) for one, share in found.items() if share}


def _most_of_benefit(question: Question) -> float | None:
    return _of(question, "ranges")[-1]


def _most_of_features(question: Question) -> float | None:
    return _of(question, "feature_ranges", FEATURES)[-1]


def _can_be_had(question: Question, name: str, share: float) -> bool:
    """Whether a study is such that a part may be paid without having been declared.

    Where no design fixes the ratio of the arms, as in observational data, shares are declared.
    """
    budget, relation, outcome = question.spec.budget, question.spec.relation, question.outcome
    if outcome.labels or not outcome.fixed_design or not isinstance(budget, Budget):
        return False
    with suppress(ParameterError):
        part = shared(budget, {**_beside(question, name), name: decimal_of(share)})[0][name]
        if name == "guard":
            mechanism(part, relation)
            return question.fixed.intercept != 0
        benefit, numbers = int(outcome.values != 2), question.widths.count(0)
        columns = {
            "tightness": benefit + (numbers > 0),
            "ranges": benefit,
            "feature_ranges": numbers,
        }
        if columns[name]:
            steps(columns[name], part)
        return columns[name] > 0 and relation.publishes_n
    return False
