"""What a declaration says of arms and benefit, in the units in which settings are chosen."""

from dpwerm.choose.question import Outcome
from dpwerm.rules.declaration import Declaration

SPREAD = 0.5
"""How far from the middle of their range the benefits of observational data may lie as a whole.

In a trial an arm's bad or good luck is even, so a benefit far from the centre costs accuracy alone.
Where arms were not drawn by lot it also decides the rule, and a small V would hide it.
"""


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
    unknown = treatment.probabilities is None and benefit.declared_centre is None
    return Outcome(
        centre=(benefit.centre - lower - half) / half,
        signed=benefit.weights == "signed",
        propensity=propensity,
        pi_min=treatment.pi_min,
        spread=SPREAD if unknown and benefit.weights == "signed" else 0.0,
    )


def fixed_clip(declaration: Declaration) -> float | None:
    """Return the declared V as a share of the largest, None if it is to be chosen."""
    benefit = declaration.benefit
    return None if benefit.clip_is_open else benefit.clip / benefit.largest_clip
