"""Which values of γ are tried: declared ones, or the automatic γ and others around it.

All of it is public: the automatic γ is chosen on synthetic trials, and whether a mechanism makes
its claim at some γ follows from declared facts.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpwerm.errors import ParameterError
from dpwerm.parameters import LARGEST, SMALLEST, positive
from dpwerm.privacy.budget import AnyBudget
from dpwerm.problem import CHECKED_ROWS, Problem
from dpwerm.releases.certificate import Specification
from dpwerm.releases.tuning import MOST_CANDIDATES, checked_candidates

FACTORS = (Fraction(1, 9), Fraction(1, 3), Fraction(1), Fraction(3), Fraction(9))
"""Where nothing is declared, the automatic γ times these is tried."""


def around(gamma: float, factors: Sequence[Fraction | float] = FACTORS) -> tuple[float, ...]:
    """Return γ times each factor, to three digits, within the range of a parameter."""
    rounded = {float(f"{gamma * float(factor):.3g}") for factor in factors}
    return tuple(sorted({min(max(value, SMALLEST), LARGEST) for value in rounded}))


def declared(gammas: Any) -> tuple[float, ...]:
    """Return the values of γ that a user lists, ascending; each once, 2 to 50 of them."""
    if isinstance(gammas, str | bytes) or not isinstance(gammas, Sequence):
        raise ParameterError("gammas must be a list of numbers")
    if not 2 <= len(gammas) <= MOST_CANDIDATES:
        raise ParameterError(f"gammas must be 2 to {MOST_CANDIDATES} numbers, not {len(gammas)}")
    values = sorted(positive("gammas", value) for value in gammas)
    if len(set(values)) < len(values):
        raise ParameterError("gammas must differ from each other")
    return checked_candidates(tuple(values))


def not_simulated(spec: Specification) -> Specification:
    """Return the specification without the word that its γ was chosen by simulation."""
    if spec.chosen is None:
        return spec
    others = [name for name in spec.chosen.settings if name != "gamma"]
    left = spec.chosen.model_copy(update={"settings": others})
    return spec.changed(chosen=left if others else None)


def usable(
    gammas: Sequence[float], problem: Problem, budgets: Sequence[AnyBudget], *, strict: bool
) -> tuple[float, ...]:
    """Return the candidates at which a settled problem makes its claim at every budget.

    strict: raise for one that does not, and leave none out.
    """
    kept = []
    for gamma in gammas:
        try:
            for budget in budgets:
                problem.calibration(CHECKED_ROWS, gamma=gamma, budget=budget)
        except ParameterError as error:
            if strict:
                raise ParameterError(f"gammas: {gamma:g} cannot be tried: {error}") from None
            continue
        kept.append(gamma)
    if len(kept) < 2:
        raise ParameterError("fewer than two candidates for gamma are left: list them in gammas")
    return tuple(kept)
