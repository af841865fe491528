r"""Outcome weights: w = |v|/P(y|x) and y' = y·sign(v), so that w ≤ W = V/π_min.

v is the centred, clipped benefit. A benefit below the centre speaks for the other arm, so its
sign moves to the label and its size to the weight (docs/proofs/signed-weights.md). A row whose
arm, benefit or propensity is missing gets weight 0 and still counts in n.
"""

from fractions import Fraction

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.exact import round_up


def weight_bound(benefit_bound: float, smallest_probability: float) -> float:
    """Return W = V/π_min, rounded up."""
    return round_up(Fraction(benefit_bound) / Fraction(smallest_probability))


def outcome_weights(
    arm: FloatArray, benefit: FloatArray, probability: FloatArray, bound: float
) -> tuple[FloatArray, FloatArray]:
    """Return labels in {−1, +1} and weights in [0, W]; unusable rows get label +1 and weight 0.

    arm: (n,) in {−1, +1, NaN}; benefit: (n,) centred and clipped, NaN where missing;
    probability: (n,) P(y|x) of the arm received; bound: W.
    """
    usable = ~(np.isnan(arm) | np.isnan(benefit) | np.isnan(probability))
    labels = np.where(usable, arm * np.where(benefit < 0, -1.0, 1.0), 1.0)
    weights = np.zeros(len(arm))
    np.divide(np.abs(benefit), probability, out=weights, where=usable)
    return labels, np.minimum(weights, bound)
