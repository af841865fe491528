"""From open hyperparameters to settled ones: by synthetic trials, reading no row.

Only the *number* of rows is asked of the data, and under add/remove not even that.
"""

import math
from dataclasses import replace

from dpwerm.choose.answer import answer
from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import Outcome, Question
from dpwerm.choose.search import mechanisms
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms import get_mechanism
from dpwerm.mechanisms.contract import Stage, check_notion
from dpwerm.parameters import LARGEST, SMALLEST
from dpwerm.releases.specification import Chosen, Specification
from dpwerm.study.declaration import Declaration


def settle(
    asked: Hyperparameters,
    spec: Specification,
    encoding: Encoding,
    outcome: Outcome,
    people: int | None,
    on_stage: Stage,
) -> Hyperparameters:
    """Return the hyperparameters of a fit, none open but the clip of labels.

    people: the public or planned number of people, None where γ is given and nothing is chosen
    """
    if asked.mechanism is not None:
        check_notion(get_mechanism(asked.mechanism), spec.budget)
    if asked.gamma is not None:
        return asked.or_plain(spec.budget)
    question = question_of(asked, spec, encoding, outcome, people or 1)
    stage = "choosing settings on simulated data"
    on_stage(stage)
    choice = answer(question, lambda share: on_stage(f"{stage}: {share:.0%}"))
    open_ones = {
        "gamma": True,
        "mechanism": asked.mechanism is None and len(mechanisms(question)) > 1,
        "clip": asked.clip is None and not outcome.labels,
        "intercept_scale": asked.intercept is None,
        "saturation": asked.saturation is None,
        "threshold": asked.threshold is None,
    }
    names = tuple(name for name, was_open in open_ones.items() if was_open)
    chosen = Chosen(names, choice.accuracy, choice.reason)
    return replace(choice.hyperparameters, chosen=chosen)


def question_of(
    asked: Hyperparameters, spec: Specification, encoding: Encoding, outcome: Outcome, people: int
) -> Question:
    """Return the public question which hyperparameters suit a fit."""
    named = asked.mechanism if spec.budget.is_private else None
    return Question(
        encoding=encoding,
        n=people,
        budget=spec.budget,
        relation=spec.relation,
        loss=spec.loss,
        origin=spec.origin,
        regularizer=spec.regularizer,
        outcome=outcome,
        fixed=replace(asked, gamma=None, mechanism=named),
        most_gamma=_most_gamma(spec.weight_bound),
    )


def public_people(
    planned_n: int | None,
    spec: Specification,
    rows: int | None = None,
    *,
    whose: str = "gamma = auto",
) -> int:
    """Return the public number of people: the rows, or the planned number under add/remove.

    whose: what depends on that number.
    """
    if planned_n is not None:
        return planned_n
    if not spec.relation.publishes_n:
        way_out = ". Or set gamma" if whose == "gamma = auto" else ""
        raise ParameterError(
            f"{whose} under add_remove needs planned_n, the number of people the study plans for: "
            f"the number of rows is itself sensitive there{way_out}"
        )
    return max(1, rows or 1)


def _most_gamma(weight_bound: float) -> float:
    """Return the largest γ/W with γ ≤ 1e12, a power of ten, so that few questions differ by it."""
    most = 10.0 ** math.floor(math.log10(LARGEST / weight_bound))
    return min(max(most, SMALLEST), LARGEST)


# -- what a declaration says of arms and benefit, in the units in which settings are chosen ----

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
