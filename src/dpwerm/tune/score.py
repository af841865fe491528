r"""The score of a rule on rows that it did not see: the weight of those for whom it is right.

    q = Σ_i u_i·1(sign f(x_i) = y'_i),   u_i = ⌊2^20·w_i/W⌋

A row's term is a whole number in [0, 2^20] and follows from that row and the rule alone, so
replacing one row moves q by at most Δ = 2^20, whatever the rule.
"""

from fractions import Fraction

import numpy as np
from flint import arb

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.exact import floor_log2
from dpwerm.learn.release import Release
from dpwerm.mechanisms.noise import GRID_BITS, pure_epsilon
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.grid import ball, release_on_grid
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.samplers import laplace
from dpwerm.privacy.uniform import LazyUniforms
from dpwerm.rules.fit_rule import Ready

SENSITIVITY = 1 << 20
"""Δ: the largest term of one row."""


def units(weights: FloatArray, bound: float) -> IntArray:
    """Return u = ⌊2^20·w/W⌋, at most 2^20, for weights in [0, W], shape (n,)."""
    whole: IntArray = np.clip(np.floor(weights / bound * SENSITIVITY), 0, SENSITIVITY).astype(
        np.int64
    )
    return whole


def score(release: Release, ready: Ready) -> int:
    """Return q of a released rule on some rows, exactly; it is sensitive.

    Where f(x) = 0 the rule gives the default arm.
    """
    treatment = ready.declaration.treatment
    default = 1.0 if treatment.default == treatment.arms[1] else -1.0
    f = release.score(ready.rows.X)
    signs = np.where(f > 0, 1.0, np.where(f < 0, -1.0, default))
    right = signs == ready.rows.labels
    return int(units(ready.rows.weights, ready.declaration.weight_bound)[right].sum())


def noisy_score(exact: int, budget: Budget, bits: BitSource) -> int:
    r"""Return a score with Laplace noise, on a public grid: a whole number of its steps.

    .. math:: \lfloor (q + \tfrac{\Delta}{\varepsilon} X)/2^e + \tfrac{1}{2} \rfloor

    X ~ Laplace(0, 1), so it is ε-differentially private; 2^e is at most 2^−10 of Δ/ε. At ε = ∞ it
    is the score itself.
    """
    if not budget.is_private:
        return exact
    scale = SENSITIVITY / pure_epsilon("laplace", budget)

    def sample(uniforms: LazyUniforms, m: int) -> list[arb]:
        return [ball(scale) * x for x in laplace(uniforms.balls(0, 2, m))]

    exponent = floor_log2(scale) - GRID_BITS
    (noisy,) = release_on_grid([Fraction(exact)], sample, exponent, bits)
    return noisy
