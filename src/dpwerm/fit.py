"""The walk of a fit, top to bottom: public facts → charge → rows → solver → noise → release.

    problem → hyperparameters → calibration → cost → charge → propensities → design rows
            → certificate → objective → certified solver + exact noise → release

All that is public comes first, so the cost is known and charged before anything is drawn. What is
learned on the way leaves only in the release of the rule and, where the propensity model is
private, in the release of that.

Every estimator, command, private tuning and audit fits through here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import numpy as np
from scipy.special import expit

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.propensity import propensity_hyperparameters, reason_of
from dpwerm.choose.question import Outcome
from dpwerm.choose.settle import outcome_of, public_people, settle
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms import get_mechanism
from dpwerm.mechanisms.contract import Calibration, Stage, no_progress
from dpwerm.objective.losses import Logistic
from dpwerm.objective.objective import Objective
from dpwerm.objective.regularizers import Ridge
from dpwerm.objective.rows import MemoryRows
from dpwerm.parameters import LARGEST
from dpwerm.privacy.budget import AnyBudget, Budget, Relation, larger, total
from dpwerm.privacy.randomness import BitSource, PrivacyFilter
from dpwerm.privacy.weight_origin import RidgeModel
from dpwerm.releases.certificate import Chosen, Specification, calibration_of, certify
from dpwerm.releases.parts import check_parts, guarded, range_of_benefit, ranges_of_features
from dpwerm.releases.ranges import Ranges
from dpwerm.releases.release import Release, Rule
from dpwerm.solve.newton import minimise
from dpwerm.study.propensity import ExternalPropensity
from dpwerm.study.treatment import Declaration
from dpwerm.version import __version__
from dpwerm.weighting.contract import TrialRows
from dpwerm.weighting.trial import Trial, model_encoding, origin_for, second_arm, split

CHECKED_ROWS = 2
"""The rows of a fit that is only checked."""


@dataclass(frozen=True)
class Problem:
    """The public side of a fit: everything known before a row is read.

    spec : Specification, with the whole budget until ``own`` leaves the rule its part
    encoding : Encoding
    hyperparameters : Hyperparameters, open where they are None
    declaration : treatment and benefit, None for labels that come with weights
    planned_n : int or None, the number of people to choose hyperparameters for
    open_method : bool, whether the estimator is chosen with the hyperparameters
    parts : what private ranges and a guard take of the budget; ranges : that were released
    narrow : of a settled problem, the one that takes its place where the released range of the
        benefit is narrow; None if none does
    """

    spec: Specification
    encoding: Encoding
    hyperparameters: Hyperparameters
    declaration: Declaration | None = None
    planned_n: int | None = None
    open_method: bool = False
    parts: Mapping[str, Budget] = field(default_factory=dict)
    ranges: tuple[Ranges, ...] = ()
    narrow: "Problem | None" = None

    def __post_init__(self) -> None:
        if self.declaration is None:
            return
        model = self.declaration.treatment.propensity
        if isinstance(model, ExternalPropensity):
            try:
                model.check(self.encoding)
            except ParameterError as error:
                raise ParameterError(f"propensity coefficients: {error}") from None

    @property
    def declared(self) -> Declaration:
        """Treatment and benefit of a problem that has them."""
        if self.declaration is None:
            raise ParameterError("labels with weights have no treatment and no benefit")
        return self.declaration

    @property
    def outcome(self) -> Outcome:
        """What is known of the benefit and the arms."""
        if self.declaration is None:
            return Outcome.of_labels()
        return replace(outcome_of(self.declaration), degree=int(self.hyperparameters.degree or 1))

    def own(self, n: int) -> "Problem":
        """Return the rule's own problem: its part of the budget, and the origin of its weights."""
        treatment = self.declared.treatment
        _, rest = split(self.spec.budget, treatment)
        origin = origin_for(treatment, self.encoding, n)
        return replace(self, spec=self.spec.changed(budget=rest, origin=origin))

    def settled(self, n: int | None, on_stage: Stage = no_progress) -> "Problem":
        """Return the problem with every hyperparameter in its place; of the rows, only n is asked.

        γ and mechanism are then in ``spec``, the clip in ``declaration``, the intercept and the
        saturation in ``encoding``.
        """
        given = self.hyperparameters
        people = None if given.gamma else public_people(self.planned_n, self.spec, n)
        found = settle(
            given,
            self.spec,
            self.encoding,
            self.outcome,
            people,
            on_stage,
            open_method=self.open_method,
        )
        return self._with(found)

    def _with(self, found: Hyperparameters) -> "Problem":
        declaration, bound = self.declaration, self.spec.weight_bound
        encoding = found.encoding(self.encoding)
        parts, rest = found.parts(self.spec.budget)
        spec = found.designed(self.spec.changed(budget=rest), encoding)
        check_parts(parts, spec, encoding, self.declaration)
        if declaration is not None:
            declaration = declaration.clipped_at(found.clip if spec.is_outcome_weighted else 1.0)
            bound = spec.weighting.weight_bound(declaration)
        return replace(
            self,
            spec=found.specification(spec, bound),
            encoding=encoding,
            hyperparameters=found,
            declaration=declaration,
            parts=parts,
            narrow=None if found.narrow is None else self._with(found.narrow),
        )

    @property
    def cost(self) -> AnyBudget:
        """What a settled problem costs at most: the rule, private ranges and a guard.

        Both of its forms share out the same ε, but one of them may have no use for δ.
        """
        own = reduce(total, self.parts.values(), self.spec.budget)
        if self.narrow is None:
            return own
        return larger(own, self.narrow.cost)

    def inside(self, trial: Trial, bits: BitSource, on_stage: Stage) -> "Problem":
        """Return the problem inside private ranges of a trial's rows, if it has paid for any."""
        found, one = self, range_of_benefit(self.parts, self.declared, trial, bits, on_stage)
        if one is not None:
            found = self.narrow if one.narrow and self.narrow is not None else self
            benefit = one.benefit(found.declared.benefit)
            ranged = replace(found.declared, benefit=benefit)
            found = replace(found, declaration=ranged, ranges=(one,), narrow=None)
        two = ranges_of_features(found.parts, found.encoding, trial, bits, on_stage)
        if two is not None:
            encoding = two.encoding(found.encoding)
            found = replace(found, encoding=encoding, ranges=(*found.ranges, two))
        return found

    def calibration(self, n: int, **parts: Any) -> Calibration:
        """Return the noise of a settled problem, or raise if no claim can be made.

        parts : of the specification, to be used in the place of the problem's own
        """
        if self.narrow is not None:
            self.narrow.calibration(n, **parts)
        return calibration_of(self.spec.changed(**parts), self.encoding, n)

    def check(self) -> None:
        """Raise if no claim can be made with what is fixed, whatever else is chosen.

        A γ that is left open stands at its largest, where every mechanism makes its claim that
        makes one at any γ. Nor does a claim depend on the number of rows from 2 on; of 1, no other
        weight could move.
        """
        problem = self.own(CHECKED_ROWS)
        plain = problem.hyperparameters.or_plain(problem.spec.budget)
        if problem.hyperparameters.gamma is None:
            chosen = Chosen(settings=[], accuracy=0.0, reason="left open")
            plain = replace(plain, gamma=LARGEST, chosen=chosen)
        problem._with(plain).calibration(CHECKED_ROWS)  # noqa: SLF001 - its own kind


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
    found = Rule(release, settled.declared, propensity, ranges=inside.ranges)
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
