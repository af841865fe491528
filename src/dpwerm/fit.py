"""The walk of a fit, top to bottom: public facts → charge → rows → solver → noise → release.

    problem → hyperparameters → calibration → cost → charge → propensities → design rows
            → certificate → objective → certified solver + exact noise → release

All that is public comes first, so the cost is known and charged before anything is drawn. What is
learned on the way leaves only in the release of the rule and, where the propensity model is
private, in the release of that.

Every estimator, command, private tuning and audit fits through here.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.choose.propensity import propensity_hyperparameters, reason_of
from dpwerm.choose.settle import public_people
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms import get_mechanism
from dpwerm.mechanisms.contract import Stage, no_progress
from dpwerm.objective.losses import Logistic
from dpwerm.objective.objective import Objective
from dpwerm.objective.regularizers import Ridge
from dpwerm.objective.rows import MemoryRows
from dpwerm.privacy.budget import AnyBudget, Budget, Relation, total
from dpwerm.privacy.randomness import BitSource, PrivacyFilter
from dpwerm.privacy.weight_origin import RidgeModel
from dpwerm.problem import Problem
from dpwerm.releases.certificate import Chosen, Specification, certify
from dpwerm.releases.parts import guarded
from dpwerm.releases.release import Release, Rule
from dpwerm.solve.newton import minimise
from dpwerm.version import __version__
from dpwerm.weighting.contract import TrialRows
from dpwerm.weighting.trial import Trial, model_encoding, second_arm, split


def fit(
    problem: Problem, trial: Trial, privacy_filter: PrivacyFilter, on_stage: Stage = no_progress
) -> Rule:
    """Return the released rule of a trial; its cost is charged before anything is drawn."""
    n = trial.n_rows
    settled = problem.own(n).settled(n, on_stage)
    settled.calibration(n)  # what makes no claim is refused before it is charged
    cost = settled.cost
    ready, bits, propensity = charged_rows(problem, settled, cost, trial, privacy_filter, on_stage)
    inside = ready.problem
    release = ready.release(inside.spec, bits, on_stage)
    found = Rule(
        release,
        inside.outside or inside.declared,
        propensity,
        ranges=inside.ranges,
        tightness=inside.tightness,
    )
    return guarded(found, inside.parts.get("guard"), inside.declared, trial, ready.rows.X, bits)


def charged_rows(
    problem: Problem,
    settled: Problem,
    cost: AnyBudget,
    trial: Trial,
    privacy_filter: PrivacyFilter,
    on_stage: Stage,
) -> tuple["Ready", BitSource, Release | None]:
    """Charge, then return the design rows, the bits that were paid for and the propensity model.

    problem: as it was posed, and settled; cost: of the rule alone. The propensity model is
    released, or None.
    """
    nuisance = settled_nuisance(problem, trial.n_rows, on_stage)
    bits = privacy_filter.authorise(whole_cost(nuisance, cost))
    inside = settled.inside(trial, bits, on_stage)
    propensity, second = propensities(problem, inside.spec, nuisance, trial, bits, on_stage)
    return Ready.of(inside, trial, second, on_stage), bits, propensity


@dataclass(frozen=True, repr=False)
class Ready:
    """A settled problem with its design rows, all or some of them: sensitive."""

    problem: Problem
    rows: TrialRows

    @classmethod
    def of(cls, problem: Problem, trial: Trial, second: FloatArray, on_stage: Stage) -> "Ready":
        """Return the rows of a settled problem; second: (n,) P(second arm | x)."""
        on_stage("encoding")
        weighting = problem.spec.weighting
        return cls(problem, weighting.rows(trial, problem.declared, problem.encoding, second))

    def part(self, chosen: IntArray) -> "Ready":
        """Return some of the rows, by their positions."""
        return Ready(self.problem, self.rows.part(chosen))

    def release(
        self, spec: Specification, bits: BitSource, on_stage: Stage = no_progress
    ) -> Release:
        """Return the release of these rows; spec: the problem's, or one with another γ or ε."""
        return fit_release(
            self.rows.X,
            self.rows.targets,
            self.rows.weights,
            received=self.rows.received,
            encoding=self.problem.encoding,
            spec=spec,
            bits=bits,
            threshold=self.problem.hyperparameters.threshold or 0.0,
            on_stage=on_stage,
        )


def fit_release(
    X: FloatArray,
    targets: FloatArray,
    weights: FloatArray,
    *,
    received: FloatArray | None = None,
    encoding: Encoding,
    spec: Specification,
    bits: BitSource,
    threshold: float = 0.0,
    on_stage: Stage = no_progress,
) -> Release:
    """Return the release of argmin Σ w_i ℓ(t_i, ξ_iᵀθ) + γR(θ) under ``spec``.

    X: (n, d) encoded by ``encoding``; targets, weights and what was received: (n,) as the weighting
    of ``spec`` makes them, weights in [0, W]. Callers clip at W; a weight above it is a mistake of
    theirs, which the run refuses. threshold: in [0, 1), for what was released.

    What is computed on the way (the solver's point, its bound, the noise inside the objective) is
    local to the mechanism's run, never returned.
    """
    certificate, calibration = certify(
        spec,
        encoding,
        len(targets),
        secure=bits.secure,
        library=f"dpwerm {__version__}",
        receipt=bits.receipt,
    )
    weighting, bounds = spec.weighting, calibration.facts.domain.column_bounds
    design = weighting.design(encoding.learning_rows(X), received, encoding)
    data = MemoryRows(design, targets, weights, weighting.constant(encoding), bounds)
    objective = Objective(data, spec.loss, spec.gamma, spec.regularizer)
    integers = get_mechanism(spec.mechanism).run(objective, calibration, bits, on_stage)
    return Release(encoding, integers, certificate, threshold)


# -- the nuisance model: P(second arm | x) from the same people, released or kept secret -------


def settled_nuisance(problem: Problem, n: int, on_stage: Stage) -> Problem | None:
    """Return the private propensity model of a problem, settled; None if it has none. Public."""
    treatment = problem.declared.treatment
    part, _ = split(problem.spec.budget, treatment)
    if part is None:
        return None
    people = public_people(problem.planned_n, problem.spec, n)
    model = settle_private(
        problem.encoding,
        budget=part,
        people=people,
        relation=problem.spec.relation,
        floor=treatment.pi_min,
        on_stage=on_stage,
    )
    model.calibration(n)
    return model


def settle_private(
    encoding: Encoding,
    *,
    budget: Budget,
    people: int,
    relation: Relation,
    floor: float,
    on_stage: Stage = no_progress,
) -> Problem:
    """Return a logistic propensity model with hyperparameters chosen by simulation.

    people: the public or the planned number of people; floor: π_min.
    """
    stage = "choosing hyperparameters of the propensity model"
    on_stage(stage)
    seen = model_encoding(encoding)
    choice = propensity_hyperparameters(
        seen, people, budget, relation, floor, lambda share: on_stage(f"{stage}: {share:.0%}")
    )
    accuracy = max(0.0, choice.accuracy)
    names = ["gamma", "mechanism", "intercept_scale"]
    chosen = Chosen(settings=names, accuracy=accuracy, reason=reason_of(choice))
    found = replace(choice.hyperparameters, chosen=chosen)
    open_spec = Specification(
        budget=budget, gamma=1.0, weight_bound=1.0, relation=relation, loss=Logistic()
    )
    spec = found.specification(open_spec, 1.0)
    return Problem(spec, found.encoding(seen), found)


def whole_cost(nuisance: Problem | None, own: AnyBudget) -> AnyBudget:
    """Return what a rule costs with its propensity model; own: the rule's, tuning included."""
    return own if nuisance is None else total(nuisance.spec.budget, own)


def propensities(
    problem: Problem,
    spec: Specification,
    nuisance: Problem | None,
    trial: Trial,
    bits: BitSource,
    on_stage: Stage,
) -> tuple[Release | None, FloatArray]:
    """Return the private propensity model, if there is one, and P(second arm | x) of each row.

    spec: of the rule; where its design uses no probabilities, there are none: NaN.
    """
    origin = spec.origin
    if isinstance(origin, RidgeModel):
        on_stage("propensity model")
        return None, secret_second_arm(trial, problem.encoding, origin)
    if not spec.weighting.uses_probabilities:
        return None, np.full(trial.n_rows, np.nan)
    released = None if nuisance is None else fit_private(trial, nuisance, bits, on_stage)
    return released, second_arm(problem.declared, trial, problem.encoding, released)


def fit_private(
    trial: Trial, model: Problem, bits: BitSource, on_stage: Stage = no_progress
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
    r"""Return P(second arm | x) (n,) from a ridge model of the same people; never released.

    .. math:: \hat\beta = \arg\min_\beta \sum_i \log(1 + e^{-y_i x_i^\top\beta})
              + \tfrac{\gamma_p}{2}\|\beta\|^2

    y is the arm received. The model, its scores and these probabilities are sensitive; the constant
    of ``model`` pays for their use in the weights of a rule.
    """
    seen = model_encoding(encoding)
    labels, weights = _labels(trial)
    X = trial.encode(seen)
    data = MemoryRows(X, labels, weights, seen.intercept_scale, seen.domain.column_bounds)
    solution = minimise(Objective(data, Logistic(), model.gamma, Ridge()), model.tolerance)
    beta = np.array([float(value) for value in solution.theta])
    scores = seen.intercept_scale * beta[0] + np.einsum("ij,j->i", X, beta[1:])
    return np.asarray(expit(scores))


def _labels(trial: Trial) -> tuple[FloatArray, FloatArray]:
    """Return labels in {−1, +1} and weights; a row without an arm has weight 0 and counts in n."""
    known = ~np.isnan(trial.arm)
    return np.where(known, trial.arm, 1.0), known.astype(np.float64)
