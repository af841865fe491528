"""What a fit of a study would use at some ε and n: the settings, and the question behind them.

The settings are those of ``dpwerm.choose.settings``, asked for the planned number of people in the
place of a table. Nothing is read but the study file.
"""

from dataclasses import dataclass, replace

from dpwerm.choose.candidates import Setting
from dpwerm.choose.question import Question
from dpwerm.choose.settings import Asked, fixed_clip, outcome_of, settings_for
from dpwerm.errors import ParameterError
from dpwerm.estimators.parameters import declaration_of
from dpwerm.estimators.treatment_rule import PrivateTreatmentRule
from dpwerm.features.encoding import Encoding
from dpwerm.fit import Wanted
from dpwerm.mechanisms.contract import Stage, no_progress
from dpwerm.privacy.budget import AnyBudget, Budget
from dpwerm.privacy.sensitivity import LARGEST_N
from dpwerm.releases.specification import Specification, specification_of
from dpwerm.study.declaration import Declaration
from dpwerm.study.study import Study
from dpwerm.weighting.propensity import split


@dataclass(frozen=True)
class Settled:
    """The settings of a planned fit.

    declaration : with the clip V that would be used
    encoding : with the intercept and the saturation
    spec : the rule's own budget, mechanism, γ and W
    threshold : below this share of the largest, coefficients would be set to 0
    question : the public question with all of this fixed, in units of W
    propensity_part : what a private propensity model would take of the budget, None without one
    """

    declaration: Declaration
    encoding: Encoding
    spec: Specification
    threshold: float
    question: Question
    propensity_part: Budget | None = None

    @property
    def clip(self) -> float:
        """V as a share of the largest clip."""
        benefit = self.declaration.benefit
        return benefit.clip / benefit.largest_clip

    @property
    def gamma(self) -> float:
        """γ in units of W."""
        return self.spec.gamma / self.spec.weight_bound

    @property
    def setting(self) -> Setting:
        """Everything but γ, as rehearsals take it."""
        encoding = self.encoding
        return Setting(self.spec.mechanism, self.clip, encoding.intercept, encoding.saturation)


def people_of(study: Study, n: int | None) -> int:
    """Return the planned number of people: ``n``, or what the study declares."""
    if n is None:
        n = study.about.planned_n
        if n is None:
            raise ParameterError(
                "how many people are planned? Give --n, or planned_n in [study] of the study file"
            )
    if not 1 <= n <= LARGEST_N:
        raise ParameterError(f"n must be between 1 and {LARGEST_N:,}, not {n:,}")
    return n


def settle(
    study: Study,
    budget: AnyBudget,
    n: int,
    *,
    clip: float | None = None,
    mechanism: str | None = None,
    on_stage: Stage = no_progress,
) -> Settled:
    """Return what a fit would use.

    Parameters
    ----------
    study : Study
    budget : the whole budget; a private propensity model takes its share first
    n : int in [1, 1e12], the planned number of people
    clip : share of the largest clip in (0, 1] to be used in the place of the study's
    mechanism : to be used in the place of the study's
    """
    planned = study.model_copy(
        update={"about": study.about.model_copy(update={"planned_n": n})},
    )
    named = {} if mechanism is None else {"mechanism": mechanism}
    # A seed, because nothing is released: no total can be exceeded.
    estimator = PrivateTreatmentRule.from_study(planned, budget, random_state=0, **named)
    estimator.check_parameters()
    declaration = declaration_of(estimator)
    if clip is not None:
        declaration = replace(declaration, benefit=declaration.benefit.clipped_at(clip))
    declared = study.encoding()
    asked = Asked.of(
        estimator, intercept=study.method.intercept_scale, clip=fixed_clip(declaration)
    )
    asked = replace(asked, planned_n=n)
    whole = specification_of(
        estimator, weight_bound=declaration.weight_bound, relation=study.relation
    )
    spec = Wanted(declaration, whole, asked, declared).rule_spec(n)
    outcome = outcome_of(declaration)
    settings = settings_for(asked, spec, declared, outcome, range(0), on_stage)
    declaration = declaration.clipped_at(settings.clip)
    encoding = settings.encoding(declared)
    final = settings.specification(spec, declaration.weight_bound)
    question = Question(
        encoding=encoding,
        n=n,
        budget=spec.budget,
        relation=spec.relation,
        loss=spec.loss,
        origin=spec.origin,
        regularizer=spec.regularizer.name,
        outcome=outcome,
        mechanism=final.mechanism,
        clip=declaration.benefit.clip / declaration.benefit.largest_clip,
        intercept=encoding.intercept,
        saturation=encoding.saturation,
        threshold=settings.threshold,
    )
    part, _ = split(whole.budget, declaration.treatment)
    return Settled(declaration, encoding, final, settings.threshold, question, part)
