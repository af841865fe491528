"""From a trial and public choices to a rule: propensities → settings → weights → release.

Tables and arrays come here as one kind of trial. What is learned on the way leaves only in the
release of the rule and, where the propensity model is private, in the release of that.
"""

from dataclasses import dataclass

from dpwerm.errors import ParameterError
from dpwerm.learn.pipeline import Stage, fit_release
from dpwerm.learn.settings import Asked, people, settings_for
from dpwerm.learn.specification import Specification
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.ridge_origin import RidgeModel
from dpwerm.rules.declaration import Declaration
from dpwerm.rules.outcome_in import outcome_of
from dpwerm.rules.probabilities import second_arm
from dpwerm.rules.propensity import origin_for, split
from dpwerm.rules.propensity_fit import fit_private, secret_second_arm
from dpwerm.rules.rule import Rule
from dpwerm.rules.trial import Trial
from dpwerm.rules.trial_rows import rows_of
from dpwerm.study.encoding import Encoding
from dpwerm.study.propensity import ExternalPropensity


@dataclass(frozen=True)
class Wanted:
    """The public choices of one fit.

    spec holds the whole budget; asked: what is fixed and what is to be chosen.
    """

    declaration: Declaration
    spec: Specification
    asked: Asked
    encoding: Encoding

    def __post_init__(self) -> None:
        model = self.declaration.treatment.propensity
        if isinstance(model, ExternalPropensity):
            try:
                model.check(self.encoding)
            except ParameterError as error:
                raise ParameterError(f"propensity coefficients: {error}") from None

    def rule_spec(self, n: int) -> Specification:
        """Return the rule's own part of the budget and the origin of its weights."""
        treatment = self.declaration.treatment
        _, rest = split(self.spec.budget, treatment)
        return self.spec.with_settings(budget=rest, origin=origin_for(treatment, self.encoding, n))


def fit_rule(wanted: Wanted, trial: Trial, bits: BitSource, on_stage: Stage) -> Rule:
    """Return the released rule of a trial."""
    declaration, declared = wanted.declaration, wanted.encoding
    spec = wanted.rule_spec(trial.n_rows)
    part, _ = split(wanted.spec.budget, declaration.treatment)
    rows_to_count = range(trial.n_rows)
    propensity = None
    if part is not None:
        propensity = fit_private(
            trial,
            declared,
            budget=part,
            people=people(wanted.asked, spec, rows_to_count),
            relation=spec.relation,
            floor=declaration.treatment.pi_min,
            bits=bits,
            on_stage=on_stage,
        )
    if isinstance(spec.origin, RidgeModel):
        on_stage("propensity model")
        second = secret_second_arm(trial, declared, spec.origin)
    else:
        second = second_arm(declaration, trial, declared, propensity)
    settings = settings_for(
        wanted.asked, spec, declared, outcome_of(declaration), rows_to_count, on_stage
    )
    declaration = declaration.clipped_at(settings.clip)
    encoding = settings.encoding(declared)
    on_stage("encoding")
    rows = rows_of(trial, declaration, encoding, second)
    release = fit_release(
        rows.X,
        rows.labels,
        rows.weights,
        encoding=encoding,
        spec=settings.specification(spec, declaration.weight_bound),
        bits=bits,
        threshold=settings.threshold,
        on_stage=on_stage,
    )
    return Rule(release, declaration, propensity)
