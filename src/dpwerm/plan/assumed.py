"""What a plan takes for granted beyond the bounds: a scale, and which features matter.

Nothing of this reaches a fit. A protocol states the sd of the outcome in its section on the size of
the sample; how much the arms' difference varies between people is a guess.
"""

from dataclasses import dataclass, replace

from pydantic import ValidationError

from dpwerm.errors import ParameterError
from dpwerm.faults import faults_of
from dpwerm.simulate.scale import FITTING_SD, Scale
from dpwerm.study.study import Study
from dpwerm.study.variables import EXPECTED, Benefit

WIDE = (1.0, 3.0, 10.0)
"""How many times too wide bounds may be."""

YES_SHARES = (0.5, 0.2, 0.05)
"""Of people who say yes: of a benefit with two values, these decide its sd."""

EFFECTS = (0.1, 0.25, 0.5)
"""The sd of the arms' difference as a share of the outcome's."""

OPTION_NAMES = {"expected_sd": "sd", "expected_effect_sd": "effect_sd"}


@dataclass(frozen=True)
class Assumed:
    """What trials are simulated with.

    scale : of the benefit, in half ranges; None for scales at random
    matter : how many of the first features may matter, None for all
    declared : how many of the first features a study would declare, None for all
    """

    scale: Scale | None = None
    matter: int | None = None
    declared: int | None = None

    def study(self, study: Study) -> Study:
        """Return the study with the first features alone."""
        if self.declared is None or self.declared >= len(study.features):
            return study
        names = list(study.features)[: self.declared]
        features = {name: study.features[name] for name in names}
        return study.model_copy(update={"features": features})


def half_range(benefit: Benefit) -> float:
    """Return half the width of the benefit's range, after transform."""
    lower, upper = benefit.range
    return (upper - lower) / 2


def declared_scale(benefit: Benefit) -> Scale | None:
    """Return the scale that a study expects, None if it says nothing."""
    if benefit.expected_sd is None:
        return None
    half, effect = half_range(benefit), benefit.expected_effect_sd
    return Scale(benefit.expected_sd / half, None if effect is None else effect / half)


def expecting(study: Study, sd: float | None, effect_sd: float | None) -> Study:
    """Return the study with other expectations in the place of its own, None to keep them."""
    given = dict(zip(EXPECTED, (sd, effect_sd), strict=True))
    told = {name: one for name, one in given.items() if one is not None}
    if not told:
        return study
    try:
        benefit = study.benefit.expecting(**told)
    except ValidationError as error:
        faults = faults_of(error)
        named = [replace(one, where=OPTION_NAMES.get(one.where, one.where)) for one in faults]
        raise ParameterError("; ".join(map(str, named))) from None
    return study.model_copy(update={"benefit": benefit})


def cases(benefit: Benefit) -> list[tuple[str, Scale]]:
    """Return the scales that a study leaves open, each with what it would mean for the bounds.

    Those of the sd, if that is not declared, times those of the effect; none if both are.
    """
    if benefit.expected_sd is not None:
        if benefit.expected_effect_sd is not None:
            return []
        sds = [("as declared", benefit.expected_sd / half_range(benefit))]
    elif benefit.values == 2:
        sds = [(f"{share:.0%} yes", 2 * (share * (1 - share)) ** 0.5) for share in YES_SHARES]
    else:
        words = ("fit", *(f"{wide:g} times too wide" for wide in WIDE[1:]))
        sds = [(word, FITTING_SD / wide) for word, wide in zip(words, WIDE, strict=True)]
    return [(word, Scale(sd, share * sd)) for word, sd in sds for share in EFFECTS]
