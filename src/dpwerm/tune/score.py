r"""The score of a rule on rows that it did not see: the weight of those for whom it is right.

    q = Σ_i u_i·1(sign f(x_i) = y'_i),   u_i = ⌊2^20·w_i/W⌋

A row's term is a whole number in [0, 2^20] and follows from that row and the rule alone, so
replacing one row moves q by at most Δ = 2^20, whatever the rule.
"""

import numpy as np

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.learn.release import Release
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
