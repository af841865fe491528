r"""The paper's method on many simulated trials at once, for comparison only: it is not private.

.. math:: w = \min(B + |\min_i B_i| + 0.001,\; V)/P(y|x), \qquad
          \theta^* = \hat\theta(\gamma) + \text{noise},\; \Delta = 2W/\gamma

The same method as ``paper_method``, through the engine: one optimum for every γ, whatever ε is.
"""

from collections.abc import Sequence

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.draws import Draws
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms.contract import Calibration
from dpwerm.objective.losses import HuberisedHinge
from dpwerm.privacy.budget import Budget
from dpwerm.releases.certificate import Specification, certify
from dpwerm.simulate.engine.released import TOLERANCE, released
from dpwerm.solve.batch_problems import BatchProblems
from dpwerm.weighting.contract import weight_bound
from reproduction.paper_method import HINGE_WIDTH, shifted

LOSS = HuberisedHinge(HINGE_WIDTH)


def paper_problems(
    X: FloatArray,
    treatment: FloatArray,
    benefit: FloatArray,
    propensity: FloatArray,
    *,
    encoding: Encoding,
    benefit_bound: float,
) -> BatchProblems:
    """Return the weighted problems of B trials of n people.

    X: (B, n, d), encoded; treatment: (B, n) in {−1, +1}; benefit: (B, n) as observed; propensity:
    (B, n) P(arm received | x). Benefits of a trial are shifted by its own minimum where that is
    negative, and clipped at ``benefit_bound``.
    """
    weights = np.clip(shifted(benefit), 0.0, benefit_bound) / propensity
    return BatchProblems(X, treatment, weights, encoding.intercept_scale)


def paper_plan(
    encoding: Encoding,
    n: int,
    *,
    epsilon: str,
    gamma: float,
    benefit_bound: float,
    smallest_propensity: float,
) -> Calibration:
    """Return the noise that the paper's method adds: spherical Laplace with Δ = 2WLr/γ."""
    bound = weight_bound(benefit_bound, smallest_propensity)
    spec = Specification(Budget.of(epsilon), gamma, bound, loss=LOSS)
    _, calibration = certify(spec, encoding, n, secure=False, library="")
    return calibration


def paper_theta(
    X: FloatArray,
    treatment: FloatArray,
    benefit: FloatArray,
    propensity: FloatArray,
    cells: Sequence[tuple[str, float]],
    rng: np.random.Generator,
    *,
    encoding: Encoding,
    benefit_bound: float,
    smallest_propensity: float,
    draws: int = 1,
    tolerance: float = TOLERANCE,
) -> FloatArray:
    """Return what the method makes of B trials for each (ε, γ), θ (P, B, R, p).

    The trials are those of ``paper_problems``; draws: R, how often noise is drawn for each. Every
    cell has the same draws.
    """
    problems = paper_problems(
        X, treatment, benefit, propensity, encoding=encoding, benefit_bound=benefit_bound
    )
    calibrations = [
        paper_plan(
            encoding,
            X.shape[1],
            epsilon=epsilon,
            gamma=gamma,
            benefit_bound=benefit_bound,
            smallest_propensity=smallest_propensity,
        )
        for epsilon, gamma in cells
    ]
    common = Draws.of((len(X), draws), problems.dimension, rng)
    return released(problems, LOSS, calibrations, common, tolerance=tolerance)
