r"""The paper's bounds beside simulation: each term, and what it bounds, on the same trials.

θ̂ minimises F = L̂_H + ½λ‖θ‖², θ* = θ̂ + noise is released, and θ₀ is nearly the best θ for the
hinge without a regulariser, found on other people of the same simulated trial.

| term | bounds |
|---|---|
| T₁ = λ‖θ₀‖²/2 | L̂_H(θ̂) − L̂_H(θ₀), what regularising costs |
| T₂ | F(θ*) − F(θ̂), what noise costs |
| T₃ = Wh/4 | L̂_H(θ₀) − L̂_0(θ₀), what the rounded corner costs |
| T₄ | 2·max over θ₀, θ* of \|L_H − L̂_H\|, trial against population |

All risks are in units of W, the largest weight.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from dpwerm.arrays import FloatArray
from dpwerm.choose.search import Rehearsal
from dpwerm.draws import Draws
from dpwerm.errors import ParameterError
from dpwerm.mechanisms import get_mechanism
from dpwerm.mechanisms.contract import Calibration
from dpwerm.objective.losses import HuberisedHinge, Loss
from dpwerm.plan.expected import AT_ONCE, Settled, rehearsed
from dpwerm.privacy.budget import Budget
from dpwerm.simulate.engine.released import outside_noise
from dpwerm.simulate.synthetic import generator
from dpwerm.solve.batch import minimise_batch
from dpwerm.solve.batch_problems import BatchProblems
from reproduction.bounds.risks import Sample, Trials
from reproduction.bounds.theorems import (
    SampleSizes,
    corner_term,
    generalisation_order,
    length_factor,
    privacy_term,
    regularisation_term,
    sample_sizes,
)

MECHANISM, ESTIMATOR = "spherical-laplace", "outcome-weighted"
"""The theorems are about output perturbation with this noise."""

RHO = 0.05
ALPHA = 0.1
"""The excess risk of Corollary 13, in units of W."""

DRAWS = 40
SEED = 82026
NEARLY_HINGE = HuberisedHinge(0.05)
TINY = 1e-4
"""λ of the fit that finds θ₀."""

PEOPLE, MOST_ROWS = 4_000, 5_000


@dataclass(frozen=True)
class Term:
    """A bound, and its counterpart in simulation: the mean, and what 95 in 100 stay below."""

    name: str
    bound: float
    mean: float
    quantile: float


@dataclass(frozen=True)
class Bounds:
    """Every term beside its counterpart.

    length : of the noise; terms : T₁, T₂, T₃; empirical : their sum and the excess risk on the
    trial; generalisation : the order of T₄; population : the excess risk on other people;
    exceeded : the share of draws above the bound of their own trial, at most ρ;
    exact_length : the 95 % quantile of the noise's length; norm : mean ‖θ₀‖;
    calibration : of the noise; n, rows : people, and the rows that stood for them
    """

    length: Term
    terms: tuple[Term, ...]
    empirical: Term
    generalisation: Term
    population: Term
    exceeded: float
    exact_length: float
    norm: float
    sizes: SampleSizes
    calibration: Calibration
    n: int
    rows: int


def bounds_of(settled: Settled, draws: int = DRAWS) -> Bounds:
    """Return the bounds for settings with spherical Laplace noise, on random trials of the study.

    A study of more than 32 columns stands for the narrower one that is simulated in its place.
    """
    question, gamma = rehearsed(settled)
    rows = min(question.n, MOST_ROWS)
    rng = generator(SEED, 1)
    synthetic = question.outcome.trials(question.widths, count=AT_ONCE, rows=rows + PEOPLE, rng=rng)
    setting = settled.question.fixed
    both = Rehearsal(question, synthetic, 1, (SEED,), 1.0).problems(setting)
    sample = Sample(_rows(both, slice(rows)), _rows(both, slice(rows, None)), question.n)
    facts = question.facts(setting, gamma)
    calibration = get_mechanism(MECHANISM).calibrate(facts, settled.spec.budget)
    return bounds_beside(sample, calibration, question.spec.loss, draws)


def bounds_beside(
    sample: Sample, calibration: Calibration, loss: Loss, draws: int = DRAWS
) -> Bounds:
    """Return the bounds for spherical Laplace noise calibrated for W = 1, measured on a sample.

    For another loss than the Huberised hinge the risk is that of the loss itself, and T₃ = 0.
    """
    facts, budget = calibration.facts, calibration.budget
    if calibration.mechanism != MECHANISM or not isinstance(budget, Budget):
        raise ParameterError(f"the theorems are about {MECHANISM}")
    p, n = facts.dimension, sample.n
    lam, curvature = facts.gamma / n, float(facts.curvature_bound)
    h = loss.h if isinstance(loss, HuberisedHinge) else 0.0
    trials = Trials(sample, loss, lam, _theta(sample, calibration, loss, draws))
    length = calibration.noise.scale * length_factor(p, RHO)
    t1 = regularisation_term(lam, 1.0) * trials.norms**2
    t2, t3 = privacy_term(lam, curvature, length), corner_term(1.0, h)
    order = generalisation_order(float(facts.gradient_bound), lam, n)
    total = t1 + t2 + t3
    excess = trials.excess()
    change = facts.relation.terms * facts.gradient_bound + facts.origin.constant(facts)
    norm = float(trials.norms.mean())
    return Bounds(
        length=_term("length of the noise", length, trials.lengths),
        terms=(
            _term("T1", float(t1.mean()), trials.regularising()),
            _term("T2", t2, trials.noise()),
            _term("T3", t3, trials.corner()),
        ),
        empirical=_term("T1 + T2 + T3", float(total.mean()), excess),
        generalisation=_term("T4", order, trials.generalising()),
        population=_term("T1 + T2 + T3 + T4", float(total.mean()) + order, trials.population()),
        exceeded=float(np.mean(excess > total[:, None])),
        exact_length=calibration.noise.scale * float(stats.gamma.ppf(1 - RHO, p)),
        norm=norm,
        sizes=sample_sizes(
            alpha=ALPHA,
            norm=norm,
            gradient_bound=float(facts.gradient_bound),
            change=float(change),
            # The corollary asks for a corner of h = α/W, so that Wh/4 is small beside α.
            curvature=facts.radius**2 / (2 * ALPHA) if h else curvature,
            p=p,
            rho=RHO,
            epsilon=float(budget.epsilon),
        ),
        calibration=calibration,
        n=n,
        rows=sample.trial.n_rows,
    )


def _rows(problems: BatchProblems, rows: slice) -> BatchProblems:
    return BatchProblems(
        problems.X[:, rows],
        problems.targets[:, rows],
        problems.weights[:, rows],
        problems.intercept_scale,
    )


def _term(name: str, bound: float, measured: FloatArray) -> Term:
    return Term(name, bound, float(measured.mean()), float(np.quantile(measured, 1 - RHO)))


def _theta(
    sample: Sample, calibration: Calibration, loss: Loss, draws: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return θ₀ (B, 1, p), θ̂ (B, 1, p) and θ* (B, R, p)."""
    trial, people = sample.trial, sample.people
    nearly = NEARLY_HINGE if isinstance(loss, HuberisedHinge) else loss
    best = minimise_batch(people, nearly, TINY * people.n_rows, tolerance=1e-3).theta
    counted = replace(trial, weights=trial.weights * (sample.n / trial.n_rows))
    hat = minimise_batch(
        counted, loss, calibration.facts.gamma, tolerance=calibration.tolerance
    ).theta
    base = Draws.of((trial.n_sets, draws), trial.dimension, generator(SEED, 2))
    return best[:, None], hat[:, None], hat[:, None] + outside_noise(calibration, base)
