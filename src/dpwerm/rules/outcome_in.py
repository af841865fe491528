"""What a declaration says of arms and benefit, in the units in which settings are chosen."""

from dpwerm.choose.question import Outcome
from dpwerm.rules.declaration import Declaration


def outcome_of(declaration: Declaration) -> Outcome:
    """Return the outcome with the benefit in units of half its range, 0 in the middle."""
    benefit, treatment = declaration.benefit, declaration.treatment
    lower, upper = benefit.range
    half = (upper - lower) / 2
    if treatment.probabilities is not None:
        second = float(treatment.probabilities[1])
        propensity = (second, second)
    else:
        propensity = (treatment.pi_min, 1.0 - treatment.pi_min)
    return Outcome(
        centre=(benefit.centre - lower - half) / half,
        signed=benefit.weights == "signed",
        propensity=propensity,
        pi_min=treatment.pi_min,
    )


def fixed_clip(declaration: Declaration) -> float | None:
    """Return the declared V as a share of the largest, None if it is to be chosen."""
    benefit = declaration.benefit
    return None if benefit.clip_is_open else benefit.clip / benefit.largest_clip
