"""The settings of one fit: what the user fixed, and what "auto" stands for.

An explicit γ switches the simulation off: whatever else is "auto" then takes its plain value. With
γ = "auto" everything left open is chosen together, on simulated problems inside the public bounds;
only the *number* of rows is asked of the data, and under add/remove not even that.
"""

import math
from collections.abc import Sized
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Self

from dpwerm.choose.answer import answer
from dpwerm.choose.candidates import mechanisms
from dpwerm.choose.question import Outcome, Question
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms import get_mechanism
from dpwerm.mechanisms.contract import Stage, spent
from dpwerm.mechanisms.gaussian import check_notion
from dpwerm.parameters import LARGEST, SMALLEST, positive, real
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.sensitivity import LARGEST_N
from dpwerm.releases.certificate import certify
from dpwerm.releases.specification import Chosen, Specification, plain_mechanism
from dpwerm.study.declaration import Declaration

AUTO = "auto"
LARGEST_SATURATION = 100.0
CHECKED_ROWS = 2
"""The rows of a fit that is only checked."""


@dataclass(frozen=True)
class Asked:
    """What an estimator's parameters fix, None where they say "auto"; ``clip`` is a share."""

    gamma: float | None
    mechanism: str | None
    intercept: float | None
    saturation: float | None
    threshold: float | None
    planned_n: int | None
    clip: float | None = None

    @classmethod
    def of(cls, estimator: Any, *, intercept: Any, clip: float | None = None) -> Self:
        """Return what the parameters fix; each wrong one is an error that names it."""
        return cls(
            gamma=None if is_auto(estimator.gamma) else positive("gamma", estimator.gamma),
            mechanism=None if is_auto(estimator.mechanism) else _mechanism(estimator.mechanism),
            intercept=None if is_auto(intercept) else scale_of(intercept),
            saturation=None
            if is_auto(estimator.saturation)
            else saturation_of(estimator.saturation),
            threshold=None if is_auto(estimator.threshold) else threshold_of(estimator.threshold),
            planned_n=planned_of(estimator.planned_n),
            clip=clip,
        )


@dataclass(frozen=True)
class Settings:
    """What a fit uses; ``gamma`` is in units of W if it was chosen, and then ``chosen`` says so."""

    gamma: float
    mechanism: str
    intercept: float
    saturation: float
    threshold: float
    clip: float | None = None
    chosen: Chosen | None = None

    def encoding(self, encoding: Encoding) -> Encoding:
        """Return the encoding with this intercept and saturation."""
        return encoding.changed(intercept=self.intercept, saturation=self.saturation)

    def specification(self, spec: Specification, weight_bound: float) -> Specification:
        """Return the specification with these settings and this W."""
        gamma, budget = self.gamma, spec.budget
        if self.chosen is not None:
            gamma = min(max(float(f"{gamma * weight_bound:.4g}"), SMALLEST), LARGEST)
            budget = spent(get_mechanism(self.mechanism), budget)
        return spec.with_settings(
            budget=budget,
            gamma=gamma,
            weight_bound=weight_bound,
            mechanism=self.mechanism,
            chosen=self.chosen,
        )


def plain_settings(asked: Asked, budget: AnyBudget) -> Settings:
    """Return the settings with plain values wherever nothing is fixed."""
    return Settings(
        gamma=1.0 if asked.gamma is None else asked.gamma,
        mechanism=plain_mechanism(budget) if asked.mechanism is None else asked.mechanism,
        intercept=1.0 if asked.intercept is None else asked.intercept,
        saturation=1.0 if asked.saturation is None else asked.saturation,
        threshold=0.0 if asked.threshold is None else asked.threshold,
    )


def check_claim(asked: Asked, spec: Specification, encoding: Encoding) -> None:
    """Raise if no claim can be made with what is fixed, whatever else is chosen.

    A γ that is left open stands at its largest, where every mechanism makes its claim that makes
    one at any γ. Nor does a claim depend on the number of rows from 2 on; of 1, no other weight
    could move.
    """
    plain = plain_settings(asked, spec.budget)
    if asked.gamma is None:
        plain = replace(plain, gamma=LARGEST, chosen=Chosen((), 0.0, "left open"))
    final = plain.specification(spec, spec.weight_bound)
    certify(final, plain.encoding(encoding), CHECKED_ROWS, secure=True, library="")


def settings_for(
    asked: Asked,
    spec: Specification,
    encoding: Encoding,
    outcome: Outcome,
    rows: Sized,
    on_stage: Stage,
) -> Settings:
    """Return the settings of a fit; of the rows only their number is asked."""
    if asked.mechanism is not None:
        check_notion(asked.mechanism, spec.budget)
    if asked.gamma is not None:
        return plain_settings(asked, spec.budget)
    question = Question(
        encoding=encoding,
        n=people(asked, spec, rows),
        budget=spec.budget,
        relation=spec.relation,
        loss=spec.loss,
        origin=spec.origin,
        regularizer=spec.regularizer.name,
        outcome=outcome,
        mechanism=asked.mechanism if spec.budget.is_private else None,
        clip=asked.clip,
        intercept=asked.intercept,
        saturation=asked.saturation,
        threshold=asked.threshold,
        most_gamma=_most_gamma(spec.weight_bound),
    )
    stage = "choosing settings on simulated data"
    on_stage(stage)
    choice = answer(question, lambda share: on_stage(f"{stage}: {share:.0%}"))
    open_settings = {
        "gamma": True,
        "mechanism": asked.mechanism is None and len(mechanisms(question)) > 1,
        "clip": asked.clip is None and not outcome.labels,
        "intercept_scale": asked.intercept is None,
        "saturation": asked.saturation is None,
        "threshold": asked.threshold is None,
    }
    names = tuple(name for name, was_open in open_settings.items() if was_open)
    return Settings(
        gamma=choice.gamma,
        mechanism=choice.mechanism,
        intercept=choice.intercept,
        saturation=choice.saturation,
        threshold=choice.threshold,
        clip=choice.clip,
        chosen=Chosen(names, choice.accuracy, choice.reason),
    )


def people(
    asked: Asked, spec: Specification, rows: Sized | None = None, *, whose: str = "gamma = auto"
) -> int:
    """Return the public number of people: the rows, or the planned number under add/remove.

    whose: what depends on that number.
    """
    if asked.planned_n is not None:
        return asked.planned_n
    if not spec.relation.publishes_n:
        way_out = ". Or set gamma" if whose == "gamma = auto" else ""
        raise ParameterError(
            f"{whose} under add_remove needs planned_n, the number of people the study plans for: "
            f"the number of rows is itself sensitive there{way_out}"
        )
    return 1 if rows is None else max(1, len(rows))


def _most_gamma(weight_bound: float) -> float:
    """Return the largest γ/W with γ ≤ 1e12, a power of ten, so that few questions differ by it."""
    most = 10.0 ** math.floor(math.log10(LARGEST / weight_bound))
    return min(max(most, SMALLEST), LARGEST)


def is_auto(value: object) -> bool:
    """Whether a parameter is left to the library."""
    return isinstance(value, str) and value == AUTO


def _mechanism(value: object) -> str:
    return get_mechanism(value).name


def scale_of(value: object) -> float:
    """Return the constant of the intercept column: 0, or in [1e-12, 1e12]."""
    scale = real("intercept_scale", value)
    return 0.0 if scale == 0 else positive("intercept_scale", scale)


def saturation_of(value: object) -> float:
    """Return a saturation in [1, 100]."""
    number = real("saturation", value)
    if not 1 <= number <= LARGEST_SATURATION:
        raise ParameterError(
            f"saturation must be between 1 and {LARGEST_SATURATION:g}, not {number:g}"
        )
    return number


def threshold_of(value: object) -> float:
    """Return a threshold in [0, 1)."""
    number = real("threshold", value)
    if not 0 <= number < 1:
        raise ParameterError(f"threshold must be at least 0 and below 1, not {number:g}")
    return number


def planned_of(value: object) -> int | None:
    """Return a planned number of people, or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ParameterError(f"planned_n must be a whole number, not {type(value).__name__}")
    number = int(value)
    if not 1 <= number <= LARGEST_N:
        raise ParameterError(f"planned_n must be between 1 and {LARGEST_N}")
    return number


# ------------------------------------------------------------------------------------------
# What a declaration says of arms and benefit, in the units in which settings are chosen.


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
