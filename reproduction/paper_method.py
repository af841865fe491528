r"""The paper's own method on any two-arm trial, for comparison only: it is not private.

.. math:: w = \min(B + |\min_i B_i| + 0.001,\; V)/P(y|x) \le W = V/\pi_{\min}

Encoding in [0, 1] divided by √(d+1), Huberised hinge with h = 0.5, spherical Laplace noise of
sensitivity 2Wr/γ, r ≤ 1. The shift by the sample minimum lets one person move everybody's weight,
so the noise covers less than it should (C = 0 fails) and no release made here carries a claim.
"""

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.data.table import Table
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.fit import fit_release
from dpwerm.objective.losses import HuberisedHinge
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import SeededBits
from dpwerm.releases.certificate import Specification
from dpwerm.releases.release import Release
from dpwerm.study.study import Study
from dpwerm.study.treatment import (
    Treatment,
    arm_labels,
    received_probabilities,
    second_arm_probabilities,
)
from dpwerm.weighting.contract import outcome_weights, weight_bound

HINGE_WIDTH = 0.5


def arm_probabilities(table: Table, treatment: Treatment, labels: FloatArray) -> FloatArray:
    """Return P(arm received | x) where design or table give it, shape (n,)."""
    second = second_arm_probabilities(table, treatment)
    if second is None:
        raise ParameterError("the probabilities of the arms follow from a model, not the table")
    return received_probabilities(treatment, labels, second)


def shifted(benefit: FloatArray) -> FloatArray:
    """Return B + |min B| + 0.001 where a benefit is negative, as the paper does: not private.

    benefit: (…, n), each row of it a trial with a minimum of its own.
    """
    least = benefit.min(axis=-1, keepdims=True)
    return np.asarray(benefit + np.where(least < 0, np.abs(least) + 0.001, 0.0))


def paper_benefit_bound(bounds: tuple[float, float]) -> float:
    """Return the V of shifted benefits: the width of the bounds, or the upper one if none is < 0.

    For the paper's synthetic trial with bounds ±7.5 this is its V = 15.
    """
    lower, upper = bounds
    return upper - min(lower, 0.0)


def paper_release(
    X: FloatArray,
    treatment: FloatArray,
    benefit: FloatArray,
    propensity: FloatArray,
    *,
    encoding: Encoding,
    benefit_bound: float,
    smallest_propensity: float,
    gamma: float,
    epsilon: float | str,
    rng: np.random.Generator,
) -> Release:
    """Return the rule the paper's method would publish; never private, whatever ε is.

    Parameters
    ----------
    X : (n, d), encoded by ``encoding``, whose kind is "paper"
    treatment : (n,) in {−1, +1}
    benefit : (n,), larger is better, as observed
    propensity : (n,) P(arm received | x)
    benefit_bound : float > 0
        The paper's V, at which shifted benefits are clipped.
    smallest_propensity : float in (0, 1/2]
        π_min of W = V/π_min.
    gamma : float > 0
    epsilon : float or str in (0, inf]
        inf adds no noise.
    rng : numpy Generator
        Gives the seed of the noise, so the release says that it is not private.
    """
    bound = weight_bound(benefit_bound, smallest_propensity)
    clipped = np.clip(shifted(benefit), 0.0, benefit_bound)
    labels, weights = outcome_weights(treatment, clipped, propensity, bound)
    return fit_release(
        X,
        labels,
        weights,
        encoding=encoding,
        spec=Specification(Budget.of(epsilon), gamma, bound, loss=HuberisedHinge(HINGE_WIDTH)),
        bits=SeededBits(int(rng.integers(2**63))),
    )


def paper_rule(
    study: Study, table: Table, *, gamma: float, epsilon: float | str, rng: np.random.Generator
) -> Release:
    """Return the paper's rule for a trial that a study declares; never private.

    The paper has no rule for a missing arm or benefit, so each must be there, and the benefit is
    used as observed: larger is better, no transform, the shift before any clipping. Score rows by
    ``release.score(release.encoding.encode(table))``; above 0 the second arm is better.
    """
    declared = study.benefit
    if (declared.transform, declared.direction) != ("identity", "larger"):
        raise ParameterError("the paper's method takes a benefit as observed, larger is better")
    treatment = arm_labels(table, study.treatment)
    benefit = table.numbers(declared.column)
    propensity = arm_probabilities(table, study.treatment, treatment)
    if np.isnan(benefit).any() or np.isnan(propensity).any():
        raise ParameterError("the paper's method needs the arm, its propensity and the benefit")
    encoding = Encoding(kind="paper", intercept=1.0, blocks=study.encoding().blocks)
    return paper_release(
        encoding.encode(table),
        treatment,
        benefit,
        propensity,
        encoding=encoding,
        benefit_bound=paper_benefit_bound(declared.bounds),
        smallest_propensity=study.treatment.pi_min,
        gamma=gamma,
        epsilon=epsilon,
        rng=rng,
    )
