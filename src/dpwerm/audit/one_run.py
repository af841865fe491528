r"""One run, many canaries: how many coins can be guessed from one release, if ε is what is claimed.

.. math:: P(V \ge v) \le P(B_r \ge v)
          + \frac{m\,\delta}{1 + e^\varepsilon}\,\frac1r \sum_{k=0}^{r-1} \max_j P(B_k = j),
          \qquad B_k \sim \text{Binomial}(k, q),\; q = \frac{e^\varepsilon}{1 + e^\varepsilon}

m canaries are each one of two records by a fair coin; r coins are guessed from the release, V of
the guesses are right. For δ = 0 this is the theorem of Steinke, Nasr and Jagielski (2023); the term
for δ has a proof of its own. Several runs with coins of their own count as one. Proof:
docs/audit-pipeline.md.
"""

import numpy as np
from scipy.special import betainc, expit, gammaln, xlogy

from dpwerm.errors import ParameterError

MOST_EPSILON = 64.0
_HALVINGS = 50


def chance(
    right: int, guesses: int, epsilon: float, *, canaries: int | None = None, delta: float = 0.0
) -> float:
    """Return the largest chance of so many right guesses under (ε, δ)-differential privacy.

    Parameters
    ----------
    right, guesses : int, 0 ≤ right ≤ guesses
    epsilon : float ≥ 0
    canaries : int ≥ guesses, those without a guess too; as many as guesses if left out
    delta : float in [0, 1)
    """
    m = guesses if canaries is None else canaries
    if not 0 <= right <= guesses <= m:
        raise ParameterError("need 0 <= right <= guesses <= canaries")
    if not 0.0 <= delta < 1.0:
        raise ParameterError("delta must be at least 0 and below 1")
    by_luck = 1.0
    if right > 0:
        by_luck = float(betainc(right, guesses - right + 1, expit(epsilon)))
    if delta == 0.0 or guesses == 0:
        return by_luck
    return min(1.0, by_luck + m * delta * float(expit(-epsilon)) * _mean_mode(guesses, epsilon))


def one_run_lower(
    right: int,
    guesses: int,
    *,
    confidence: float,
    canaries: int | None = None,
    delta: float = 0.0,
) -> float:
    """Return the largest ε whose ``chance`` is below 1 − confidence; 0 if there is none.

    What is private with ε is private with more, so a chance that is too small at any ε speaks
    against all smaller ones: the bound exceeds the true ε with probability at most 1 − confidence.
    """
    if not 0.0 < confidence < 1.0:
        raise ParameterError("confidence must be above 0 and below 1")
    error = 1.0 - confidence
    low, high = 0.0, MOST_EPSILON
    if chance(right, guesses, low, canaries=canaries, delta=delta) >= error:
        return 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        rejected = chance(right, guesses, middle, canaries=canaries, delta=delta) < error
        low, high = (middle, high) if rejected else (low, middle)
    return low


def _mean_mode(guesses: int, epsilon: float) -> float:
    """Return the mean over k < r of the largest probability of Binomial(k, q)."""
    q, rest = expit(epsilon), expit(-epsilon)
    k = np.arange(guesses)
    j = np.minimum(np.floor((k + 1) * q), k)
    ways = gammaln(k + 1) - gammaln(j + 1) - gammaln(k - j + 1)
    return float(np.mean(np.exp(ways + xlogy(j, q) + xlogy(k - j, rest))))
