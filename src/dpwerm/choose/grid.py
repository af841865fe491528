"""The public grid of the search, in units that fit every study.

A candidate is an estimator with its own hyperparameters. γ is a share of n·W, as a sum of n terms
of weight at most W is what it stands against. A clip is a share of the largest benefit, a width is
in units of half the benefit's range, constants of columns are in units of a feature's bound, and a
saturation k ≥ 1 stretches the middle 1/k of each number's range over [−1, 1].
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import LOOSE, Question
from dpwerm.choose.shares import Key, at_first, forms_tried
from dpwerm.errors import ParameterError
from dpwerm.mechanisms import candidates
from dpwerm.mechanisms.perturbed import gamma_floor
from dpwerm.parameters import SMALLEST
from dpwerm.weighting.contract import WEIGHTINGS

GAMMAS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
SATURATIONS = (1.0, 2.0)
THRESHOLDS = (0.0, 0.15, 0.25, 0.35)
ABOVE_FLOOR = (1.3, 2.0, 3.0)
"""How far above the floor of objective perturbation γ starts."""

OPTIONS: Mapping[str, tuple[float, ...]] = {
    "clip": (0.1, 0.2, 0.4, 1.0),
    "width": (0.02, 0.04, 0.08, 0.16),
    "main": (1.0, 0.25),
    "mean": (1.0, 4.0),
    "degree": (1.0,),
    "bend": (4.0,),
}
"""What is tried of the options of an estimator."""

LOOSE_OPTIONS: Mapping[str, tuple[float, ...]] = {"main": (0.1, 0.03, 0.3), "mean": (4.0, 1.0)}
"""The same where bounds are loose: features often decide more in both arms alike than between them.
"""

SECOND_ROUND = ("main", "mean", "intercept")
"""Of a regression, what has its first value in the first round; the best few try the others."""

WIDTHS_INSIDE = (0.08, 0.16)
"""What is tried of the width inside a private range, which benefits fill."""

LOOSE_SATURATIONS = (2.0,)
"""Of loose trials, in which the middle half of a number's range tells nearly all."""

INTERCEPTS = {"margin": (0.2, 0.4, 1.0), "residual": (1.0, 2.0)}
"""Constants of the intercept, by the form of the loss: a regression has to carry a whole mean."""

LOOSE_INTERCEPTS = (1.5, 1.0, 2.0)
"""The same of a regression where bounds are loose."""


def mechanisms(question: Question) -> tuple[str, ...]:
    """Return the mechanisms to try, the most promising first."""
    if question.fixed.mechanism is not None:
        return (question.fixed.mechanism,)
    return candidates(question.spec.budget)


def grid(question: Question, mechanism: str) -> Iterator[Hyperparameters]:
    """Yield everything but γ and threshold: all of the grid that the question leaves open."""
    fixed = question.fixed
    paper = question.encoding.kind == "paper"
    saturations = LOOSE_SATURATIONS if question.form == LOOSE else SATURATIONS
    if paper or 0 not in question.widths:
        saturations = (1.0,)
    for name in forms_tried(question):
        kind: Any = WEIGHTINGS[name]
        curved = (fixed.degree or 1.0) > 1  # what bends is penalised the more
        options = [one for one in kind.options if one != "bend" or curved]
        known = _options(question, name)
        own = {option: known[option] for option in options}
        if question.outcome.labels:
            own["clip"] = (1.0,)  # weights come bounded by W; there is nothing to clip
        tried = {**own, "intercept": known["intercept"], "saturation": saturations}
        given = {option: getattr(fixed, option) for option in tried}
        if kind.form == "residual":
            tried |= {one: tried[one][:1] for one in SECOND_ROUND if one in tried}
        for shares in at_first(question, name):
            if shares["ranges"] and "width" in own:
                tried["width"] = WIDTHS_INSIDE
            axes = [
                values if given[option] is None else (given[option],)
                for option, values in tried.items()
            ]
            for place in product(*axes):
                chosen = dict(zip(tried, place, strict=True))
                yield Hyperparameters(mechanism, estimator=name, **chosen, **shares)


def _options(question: Question, estimator: str) -> dict[str, tuple[float, ...]]:
    """Return what is tried of each option of an estimator, and of the intercept."""
    kind: Any = WEIGHTINGS[estimator]
    if question.form == LOOSE and kind.form == "residual":
        return {**OPTIONS, **LOOSE_OPTIONS, "intercept": LOOSE_INTERCEPTS}
    return {**OPTIONS, "intercept": INTERCEPTS[kind.form]}


def others(question: Question, keys: list[Key]) -> list[Key]:
    """Return keys, and behind each the same with each other value of what the first round fixed."""
    found = []
    for candidate, gamma in keys:
        found.append((candidate, gamma))
        kind: Any = WEIGHTINGS[str(candidate.estimator)]
        if kind.form != "residual":
            continue
        tried = _options(question, str(candidate.estimator))
        for name in SECOND_ROUND:
            if getattr(question.fixed, name) is None and getattr(candidate, name) is not None:
                changes: list[dict[str, Any]] = [{name: one} for one in tried[name][1:]]
                found += [(replace(candidate, **one), gamma) for one in changes]
    return found


def thresholds(question: Question) -> tuple[float, ...]:
    """Return the thresholds that are tried on every released θ."""
    return THRESHOLDS if question.fixed.threshold is None else (question.fixed.threshold,)


def floor_of(question: Question, candidate: Hyperparameters) -> float:
    """Return the floor on γ for W = 1 of objective perturbation; 0 where none applies."""
    try:
        return gamma_floor(question.facts(candidate, 1.0), question.budget(candidate))
    except ParameterError:
        return 0.0  # ε = ∞, or so small an ε that only output perturbation is left


def gammas(question: Question, candidate: Hyperparameters) -> list[float]:
    """Return γ for W = 1, falling: shares of n above the floor, and multiples of the floor.

    Multiples below the smallest share are left out: so small a γ never wins, and takes long.
    """
    floor = floor_of(question, candidate)
    shares = [share * question.n for share in GAMMAS if share * question.n > floor]
    multiples = [times * floor for times in ABOVE_FLOOR if floor > 0]
    if shares:
        multiples = [one for one in multiples if one >= GAMMAS[0] * question.n]
    rounded = {max(float(f"{one:.3g}"), SMALLEST) for one in shares + multiples}
    possible = [one for one in rounded if one <= question.most_gamma]
    return sorted(possible or [question.most_gamma], reverse=True)
