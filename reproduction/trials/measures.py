r"""The measures of the paper's Table I: whom repeated rules treat how, and what it is worth.

.. math:: V(f) = \frac{\sum_i 1(y_i = f(x_i))\, B_i / P(y_i|x_i)}
          {\sum_i 1(y_i = f(x_i)) / P(y_i|x_i)}

They look at the trial itself, so they are for public or simulated data and carry no privacy claim.
Arms are −1 (first) and +1 (second) throughout.
"""

import math

import numpy as np
from scipy.special import log_ndtr
from scipy.stats import chi2_contingency

from dpwerm.arrays import FloatArray


def majority(recommended: FloatArray) -> FloatArray:
    """Return the arm of each person over repeats, (repeats, n) → (n,): +1 from one half on."""
    share = np.mean(recommended > 0, axis=0)
    return np.where(share >= 0.5, 1.0, -1.0)


def allocation(recommended: FloatArray) -> tuple[int, int]:
    """Return how many people get the second arm and how many the first, as Table I prints it."""
    second = int(np.sum(recommended > 0))
    return second, len(recommended) - second


def concordance(first: FloatArray, second: FloatArray) -> float:
    """Return the share of people to whom two rules give the same arm."""
    return float(np.mean(first == second))


def association_log10(first: FloatArray, second: FloatArray) -> float | None:
    """Return log₁₀ p of the χ² test between two rules' arms, None where one treats all alike.

    With Yates' correction, which gives the p-values that the paper prints. With one degree of
    freedom p = 2·(1 − Φ(√χ²)), which may be far below the smallest double.
    """
    table = [[np.sum((first == a) & (second == b)) for b in (1.0, -1.0)] for a in (1.0, -1.0)]
    counts = np.array(table)
    if not (counts.sum(axis=0).all() and counts.sum(axis=1).all()):
        return None
    statistic = chi2_contingency(counts, correction=True).statistic
    log_p = math.log(2.0) + float(log_ndtr(-math.sqrt(statistic)))
    return min(0.0, log_p / math.log(10.0))


def empirical_values(
    recommended: FloatArray, received: FloatArray, benefit: FloatArray, propensity: FloatArray
) -> FloatArray:
    """Return the paper's Eqn 14 of many rules (R, n) → (R,), NaN where nobody followed one."""
    weights = (recommended == received) / propensity
    totals = weights.sum(axis=-1)
    values = np.full(len(totals), np.nan)
    np.divide(weights @ benefit, totals, out=values, where=totals > 0)
    return values


def empirical_value(
    recommended: FloatArray, received: FloatArray, benefit: FloatArray, propensity: FloatArray
) -> float:
    """Return the paper's Eqn 14, NaN if nobody received what is recommended.

    recommended, received: (n,) in {−1, +1}; benefit: (n,); propensity: (n,) P(arm received | x).
    """
    return float(empirical_values(recommended[None], received, benefit, propensity)[0])


def influence(
    recommended: FloatArray, received: FloatArray, benefit: FloatArray, propensity: FloatArray
) -> FloatArray:
    r"""Return what each person contributes to the error of Eqn 14, shape (n,), to first order.

    .. math:: \psi_i = a_i (B_i - V)/\bar a, \qquad a_i = 1(y_i = f(x_i))/P(y_i|x_i)

    The standard error of V is the standard deviation of ψ over √n, that of a difference of two
    values the same with the difference of their ψ: both look at the same people.
    """
    weights = (recommended == received) / propensity
    value = empirical_value(recommended, received, benefit, propensity)
    psi: FloatArray = weights * (benefit - value) / weights.mean()
    return psi


def standard_error(psi: FloatArray) -> float:
    """Return the standard error of a mean with these contributions."""
    return float(psi.std(ddof=1) / math.sqrt(len(psi)))
