"""The one fit pipeline: public certificate and plan → objective → the mechanism's run.

Every estimator and every command fits through ``fit_release``. What is computed on the way (the
solver's point, its bound, the noise inside the objective) is local to the run, never returned.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.choose.propensity import propensity_settings
from dpwerm.choose.settings import Asked, Settings, outcome_of, people, settings_for
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms import get_mechanism
from dpwerm.mechanisms.contract import Stage, no_progress, spent
from dpwerm.objective.losses.logistic import Logistic
from dpwerm.objective.objective import Objective
from dpwerm.objective.regularizers import Ridge
from dpwerm.objective.rows import MemoryRows
from dpwerm.privacy.budget import AnyBudget, Budget, total
from dpwerm.privacy.filter import Payment
from dpwerm.privacy.origin import RidgeModel
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.relation import Relation
from dpwerm.releases.certificate import certify
from dpwerm.releases.release import Release
from dpwerm.releases.rule import Rule
from dpwerm.releases.specification import Chosen, Specification
from dpwerm.solve.newton import minimise
from dpwerm.study.declaration import Declaration
from dpwerm.study.propensity import ExternalPropensity
from dpwerm.version import __version__
from dpwerm.weighting.propensity import model_encoding, origin_for, second_arm, split
from dpwerm.weighting.trial import Trial, TrialRows, rows_of


def check_release(spec: Specification, encoding: Encoding, n: int) -> None:
    """Raise if ``fit_release`` could make no claim, so that nothing is charged for it."""
    certify(spec, encoding, n, secure=True, library="")


def fit_release(
    X: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    *,
    encoding: Encoding,
    spec: Specification,
    bits: BitSource,
    threshold: float = 0.0,
    on_stage: Stage = no_progress,
) -> Release:
    """Return the release of argmin Σ w_i ℓ(y_i x_iᵀθ) + γR(θ) under ``spec``.

    X: (n, d) encoded by ``encoding``; y: (n,) in {−1, +1}; weights: (n,) in [0, W]. Callers clip at
    W; a weight above it is a mistake of theirs, which the run refuses. threshold: in [0, 1),
    for what was released.
    """
    certificate, plan = certify(
        spec,
        encoding,
        len(y),
        secure=bits.secure,
        library=f"dpwerm {__version__}",
        receipt=bits.receipt,
    )
    data = MemoryRows(
        encoding.learning_rows(X), y, weights, encoding.intercept_scale, encoding.column_bounds
    )
    objective = Objective(data, spec.loss, spec.gamma, spec.regularizer)
    integers = get_mechanism(spec.mechanism).run(objective, plan, bits, on_stage)
    return Release(encoding, integers, certificate, threshold)


# ------------------------------------------------------------------------------------------
# Fit a propensity model to the people of the trial: released, or kept secret.
#
# .. math:: \hat\beta = \arg\min_\beta \sum_i \log(1 + e^{-y_i x_i^\top\beta})
#           + \tfrac{\gamma_p}{2}\|\beta\|^2
#
# y is the arm received; a row without an arm has weight 0 and still counts in n.


CHOSEN = ("gamma", "mechanism", "intercept_scale")


@dataclass(frozen=True)
class PrivateModel:
    """A private propensity model before it is fitted: its settings, all of them public."""

    encoding: Encoding
    spec: Specification


def settle_private(
    encoding: Encoding,
    *,
    budget: Budget,
    people: int,
    relation: Relation,
    floor: float,
    on_stage: Stage = no_progress,
) -> PrivateModel:
    """Return a logistic propensity model with settings chosen by simulation.

    people: the public or the planned number of people; floor: π_min.
    """
    stage = "choosing settings of the propensity model"
    on_stage(stage)
    seen = model_encoding(encoding)
    choice = propensity_settings(
        seen, people, budget, relation, floor, lambda share: on_stage(f"{stage}: {share:.0%}")
    )
    spec = Specification(
        budget=spent(get_mechanism(choice.mechanism), budget),
        gamma=choice.gamma,
        weight_bound=1.0,
        mechanism=choice.mechanism,
        relation=relation,
        loss=Logistic(),
        chosen=Chosen(CHOSEN, max(0.0, 1.0 - choice.error), choice.reason),
    )
    return PrivateModel(seen.changed(intercept=choice.intercept), spec)


def fit_private(
    trial: Trial, model: PrivateModel, bits: BitSource, on_stage: Stage = no_progress
) -> Release:
    """Return the release of a propensity model."""
    labels, weights = _labels(trial)
    return fit_release(
        trial.encode(model.encoding),
        labels,
        weights,
        encoding=model.encoding,
        spec=model.spec,
        bits=bits,
        on_stage=lambda name: on_stage(f"propensity model: {name}"),
    )


def secret_second_arm(trial: Trial, encoding: Encoding, model: RidgeModel) -> FloatArray:
    """Return P(second arm | x) (n,) from a ridge model of the same people; never released.

    The model, its scores and these probabilities are sensitive; the constant of ``model`` pays for
    their use in the weights of a rule.
    """
    seen = model_encoding(encoding)
    labels, weights = _labels(trial)
    X = trial.encode(seen)
    data = MemoryRows(X, labels, weights, seen.intercept_scale, seen.column_bounds)
    solution = minimise(Objective(data, Logistic(), model.gamma, Ridge()), model.tolerance)
    beta = np.array([float(value) for value in solution.theta])
    scores = seen.intercept_scale * beta[0] + np.einsum("ij,j->i", X, beta[1:])
    return np.asarray(expit(scores))


def _labels(trial: Trial) -> tuple[FloatArray, FloatArray]:
    """Return labels in {−1, +1} and weights, 0 where the arm is not known."""
    known = ~np.isnan(trial.arm)
    return np.where(known, trial.arm, 1.0), known.astype(np.float64)


# ------------------------------------------------------------------------------------------
# From a trial and public choices to a rule: settings → cost → charge → propensities → release.
#
# Tables and arrays come here as one kind of trial. What is learned on the way leaves only in the
# release of the rule and, where the propensity model is private, in the release of that. All that
# is public comes first, so the cost is known and charged before anything is drawn. Private tuning
# takes the same steps and makes several releases of parts of the rows.


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
