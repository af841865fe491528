"""What a fit of a study would use at some ε and n: the settled problem, and the question behind it.

The hyperparameters are those of a fit, asked for the planned number of people in the place of a
table. Nothing is read but the study file.
"""

from dataclasses import dataclass, replace

from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import Question
from dpwerm.choose.settle import fixed_clip, question_of
from dpwerm.errors import ParameterError
from dpwerm.estimators.parameters import declaration_of, problem_of
from dpwerm.estimators.treatment_rule import PrivateTreatmentRule
from dpwerm.features.encoding import Encoding
from dpwerm.fit import Problem
from dpwerm.mechanisms.contract import Stage, no_progress
from dpwerm.parameters import LARGEST
from dpwerm.privacy.budget import AnyBudget, Budget
from dpwerm.privacy.sensitivity import LARGEST_N
from dpwerm.releases.specification import Specification
from dpwerm.study.declaration import Declaration
from dpwerm.study.study import Study
from dpwerm.weighting.propensity import split


@dataclass(frozen=True)
class Settled:
    """A planned fit.

    problem : Problem, settled; its budget is the rule's own
    question : the public question with everything fixed, in units of W
    propensity_part : what a private propensity model would take of the budget, None without one
    """

    problem: Problem
    question: Question
    propensity_part: Budget | None = None

    @property
    def declaration(self) -> Declaration:
        """Treatment and benefit, with the clip V that would be used."""
        return self.problem.trial

    @property
    def encoding(self) -> Encoding:
        """The encoding, with the intercept and the saturation."""
        return self.problem.encoding

    @property
    def spec(self) -> Specification:
        """The rule's own budget, mechanism, γ and W."""
        return self.problem.spec

    @property
    def threshold(self) -> float:
        """Below this share of the largest, coefficients would be set to 0."""
        return self.problem.hyperparameters.threshold or 0.0

    @property
    def clip(self) -> float:
        """V as a share of the largest clip."""
        return self.question.fixed.clip or 1.0

    @property
    def gamma(self) -> float:
        """γ in units of W."""
        return self.spec.gamma / self.spec.weight_bound

    @property
    def setting(self) -> Hyperparameters:
        """Everything but γ, as rehearsals take it."""
        return self.question.fixed


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
    problem = problem_of(estimator, declaration, study.encoding())
    if clip is not None:
        cut = replace(declaration, benefit=declaration.benefit.clipped_at(clip))
        asked = replace(problem.hyperparameters, clip=fixed_clip(cut))
        spec = problem.spec.with_settings(weight_bound=cut.weight_bound)
        problem = replace(problem, declaration=cut, hyperparameters=asked, spec=spec)
    open_problem = problem.own(n)
    found = open_problem.settled(n, on_stage)
    benefit = found.trial.benefit
    fixed = Hyperparameters(
        mechanism=found.spec.mechanism,
        clip=benefit.clip / benefit.largest_clip,
        intercept=found.encoding.intercept,
        saturation=found.encoding.saturation,
        threshold=found.hyperparameters.threshold,
    )
    question = question_of(fixed, open_problem.spec, found.encoding, open_problem.outcome, n)
    part, _ = split(problem.spec.budget, declaration.treatment)
    return Settled(found, replace(question, fixed=fixed, most_gamma=LARGEST), part)
