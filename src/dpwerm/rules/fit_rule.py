"""From a trial and public choices to a rule: settings → cost → charge → propensities → release.

Tables and arrays come here as one kind of trial. What is learned on the way leaves only in the
release of the rule and, where the propensity model is private, in the release of that. All that is
public comes first, so the cost is known and charged before anything is drawn. Private tuning takes
the same steps and makes several releases of parts of the rows.
"""

from dataclasses import dataclass

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.errors import ParameterError
from dpwerm.learn.pipeline import Stage, check_release, fit_release
from dpwerm.learn.release import Release
from dpwerm.learn.settings import Asked, Settings, people, settings_for
from dpwerm.learn.specification import Specification
from dpwerm.privacy.budget import AnyBudget, total
from dpwerm.privacy.payment import Payment
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.ridge_origin import RidgeModel
from dpwerm.rules.declaration import Declaration
from dpwerm.rules.outcome_in import outcome_of
from dpwerm.rules.probabilities import second_arm
from dpwerm.rules.propensity import origin_for, split
from dpwerm.rules.propensity_fit import PrivateModel, fit_private, secret_second_arm, settle_private
from dpwerm.rules.rule import Rule
from dpwerm.rules.trial import Trial
from dpwerm.rules.trial_rows import TrialRows, rows_of
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


@dataclass(frozen=True, repr=False)
class Ready:
    """A trial with settings and propensities: rows that can be fitted, all or some; sensitive."""

    declaration: Declaration
    encoding: Encoding
    rows: TrialRows
    threshold: float

    @classmethod
    def of(
        cls, wanted: Wanted, trial: Trial, settings: Settings, second: FloatArray, on_stage: Stage
    ) -> "Ready":
        """Return the rows under their settings; second: (n,) P(second arm | x)."""
        declaration = wanted.declaration.clipped_at(settings.clip)
        encoding = settings.encoding(wanted.encoding)
        on_stage("encoding")
        rows = rows_of(trial, declaration, encoding, second)
        return cls(declaration, encoding, rows, settings.threshold)

    def part(self, chosen: IntArray) -> "Ready":
        """Return some of the rows, by their positions."""
        rows = self.rows
        some = TrialRows(rows.X[chosen], rows.labels[chosen], rows.weights[chosen])
        return Ready(self.declaration, self.encoding, some, self.threshold)

    def release(self, spec: Specification, bits: BitSource, on_stage: Stage) -> Release:
        """Return the release of these rows; spec has settings and W."""
        return fit_release(
            self.rows.X,
            self.rows.labels,
            self.rows.weights,
            encoding=self.encoding,
            spec=spec,
            bits=bits,
            threshold=self.threshold,
            on_stage=on_stage,
        )


def settled_model(wanted: Wanted, n: int, on_stage: Stage) -> PrivateModel | None:
    """Return the settings of the private propensity model, None if there is none; public."""
    part, _ = split(wanted.spec.budget, wanted.declaration.treatment)
    if part is None:
        return None
    spec = wanted.rule_spec(n)
    model = settle_private(
        wanted.encoding,
        budget=part,
        people=people(wanted.asked, spec, range(n)),
        relation=spec.relation,
        floor=wanted.declaration.treatment.pi_min,
        on_stage=on_stage,
    )
    check_release(model.spec, model.encoding, n)
    return model


def whole_cost(model: PrivateModel | None, own: AnyBudget) -> AnyBudget:
    """Return what a rule costs with its propensity model; own: the rule's, tuning included."""
    return own if model is None else total(model.spec.budget, own)


def propensities(
    wanted: Wanted, trial: Trial, model: PrivateModel | None, bits: BitSource, on_stage: Stage
) -> tuple[Release | None, FloatArray]:
    """Return the private propensity model, if there is one, and P(second arm | x) of each row."""
    declaration, declared = wanted.declaration, wanted.encoding
    origin = wanted.rule_spec(trial.n_rows).origin
    if isinstance(origin, RidgeModel):
        on_stage("propensity model")
        return None, secret_second_arm(trial, declared, origin)
    propensity = None if model is None else fit_private(trial, model, bits, on_stage)
    return propensity, second_arm(declaration, trial, declared, propensity)


def fit_rule(wanted: Wanted, trial: Trial, payment: Payment, on_stage: Stage) -> Rule:
    """Return the released rule of a trial; its cost is charged before anything is drawn."""
    spec = wanted.rule_spec(trial.n_rows)
    settings = settings_for(
        wanted.asked,
        spec,
        wanted.encoding,
        outcome_of(wanted.declaration),
        range(trial.n_rows),
        on_stage,
    )
    bound = wanted.declaration.clipped_at(settings.clip).weight_bound
    final = settings.specification(spec, bound)
    check_release(final, settings.encoding(wanted.encoding), trial.n_rows)
    model = settled_model(wanted, trial.n_rows, on_stage)
    bits = payment.bits(whole_cost(model, final.budget))
    propensity, second = propensities(wanted, trial, model, bits, on_stage)
    ready = Ready.of(wanted, trial, settings, second, on_stage)
    return Rule(ready.release(final, bits, on_stage), ready.declaration, propensity)
