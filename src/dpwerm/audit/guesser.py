r"""From counts to a lower confidence bound on ε, for any δ.

A fair coin says which data set each run has, and the
attacker guesses the coin from the output or abstains. With c, w the chances of a right and of a
wrong guess, (ε, δ)-privacy of each guessed side gives c ≤ e^ε w + δ/2, and c ≤ e^ε w + δ for both.
Set aside the part d ≤ δ of c above e^ε w: of the other guesses each is right with probability at
most q = e^ε/(1 + e^ε), independently, so with E right guesses set aside

    (right − E) given (made − E)  is at most  Binomial(made − E, q),   E ≤ Binomial(runs, δ)

and E stays below a quantile e of its own law: ε is at least the logit of the Clopper–Pearson bound
on q from right − e of made − e. For δ = 0 nothing is set aside. The events must be fixed before
the runs that are counted. Proof and comparison: docs/audit.md.

An attack guesses the first data set where a statistic is high, the second where it is low:

    t(θ) ≥ high → first,   t(θ) ≤ low → second,   in between: abstain

Statistic and thresholds are those with the best bound on the runs that choose.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, logit
from scipy.stats import binom

from dpwerm.arrays import FloatArray
from dpwerm.audit.statistics import SCORE, Statistic, statistics
from dpwerm.audit.target import Pair, Target
from dpwerm.errors import ParameterError

SET_ASIDE = 0.1
"""The share of the error that bounds what is set aside for δ."""
CUTS = 40
"""Thresholds tried on each side."""

FEWEST = 8
"""Fewer outputs than this are never a side of their own."""

TRIED, TRIED_QUICKLY = 10_000, 10
"""A choice is made as if so many attacks shared the error: a lucky one is not taken for good."""

_HAIR = 1e-9
"""Thresholds lie a hair below a plateau, so that rounding does not cut it in two."""


def rate_below(hits: ArrayLike, runs: ArrayLike, error: float) -> FloatArray:
    """Return the Clopper–Pearson lower bound on a rate, wrong with probability ≤ ``error``."""
    k, n = np.asarray(hits, float), np.asarray(runs, float)
    return np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, error), 0.0)


def guesses(
    right: ArrayLike,
    made: ArrayLike,
    *,
    runs: int,
    sides: int = 2,
    delta: float = 0.0,
    confidence: float,
) -> FloatArray:
    r"""Return lower bounds on ε from guesses of a fair coin; 0 where nothing is shown.

    .. math:: \log\frac{q}{1 - q}, \quad q = \text{Clopper–Pearson}(right - e, made - e)

    Parameters
    ----------
    right, made : right guesses and all guesses, right ≤ made ≤ runs; arrays are allowed
    runs : int ≥ 1, with and without a guess, each with a coin of its own
    sides : 1 if only one data set is ever guessed, 2 if both are
    delta : float in [0, 1)
    confidence : float in (0, 1)
    """
    if not 0.0 < confidence < 1.0:
        raise ParameterError("confidence must be above 0 and below 1")
    error = 1.0 - confidence
    aside = 0.0
    if delta > 0:
        aside = float(binom.isf(SET_ASIDE * error, runs, min(1.0, delta * sides / 2)))
        error *= 1.0 - SET_ASIDE
    kept = np.maximum(np.asarray(right, float) - aside, 0.0)
    of = np.maximum(np.asarray(made, float) - aside, kept)
    q = rate_below(kept, of, error)
    return np.maximum(np.where(q > 0, logit(np.maximum(q, 1e-300)), 0.0), 0.0)


@dataclass(frozen=True)
class Guesser:
    """A statistic with two thresholds, and the bound it had on the runs that chose it."""

    statistic: Statistic
    high: float
    low: float
    promise: float

    @property
    def sides(self) -> int:
        """1 if only one data set is ever guessed, 2 if both are."""
        return int(self.high < math.inf) + int(self.low > -math.inf)

    def bound(
        self, first: FloatArray, second: FloatArray, *, delta: float, confidence: float
    ) -> float:
        """Return the lower bound on ε from fresh outputs, whose data sets a fair coin chose."""
        one, other = self.statistic.of(first), self.statistic.of(second)
        right = int((one >= self.high).sum() + (other <= self.low).sum())
        wrong = int((other >= self.high).sum() + (one <= self.low).sum())
        runs = len(one) + len(other)
        if self.sides == 0 or runs == 0:
            return 0.0
        made = right + wrong
        found = guesses(
            right, made, runs=runs, sides=self.sides, delta=delta, confidence=confidence
        )
        return float(found)


def best_guesser(
    target: Target,
    pair: Pair,
    first: FloatArray,
    second: FloatArray,
    *,
    confidence: float,
    share: float = 1.0,
    quick: bool = False,
) -> Guesser:
    """Return the statistic and thresholds with the best bound on these outputs, (m, p) each.

    Parameters
    ----------
    target, pair : what made the outputs
    first, second : (m, p), outputs on the two data sets
    confidence : float in (0, 1), of the bound that is looked for
    share : float > 0, how many runs will judge, as a share of these: with few, abstain less
    quick : whether to look at the target's own score alone, if it has one
    """
    delta = float(target.claim.delta)
    strict = 1.0 - (1.0 - confidence) / (TRIED_QUICKLY if quick else TRIED)
    best: Guesser | None = None
    for statistic in statistics(target, pair, first, second):
        if quick and best is not None and best.statistic.name == SCORE:
            break
        found = _best_cut(statistic, first, second, delta, strict, share)
        if best is None or found.promise > best.promise:
            best = found
    if best is None:
        raise AssertionError("there is always a coordinate to look at")
    return best


def _best_cut(
    statistic: Statistic,
    first: FloatArray,
    second: FloatArray,
    delta: float,
    confidence: float,
    share: float,
) -> Guesser:
    """Return the thresholds of one statistic with the best bound."""
    one, other = np.sort(statistic.of(first)), np.sort(statistic.of(second))
    pooled = np.sort(np.concatenate([one, other]))
    runs = len(pooled)
    counts = np.unique(np.geomspace(min(FEWEST, runs), runs, CUTS).astype(int))
    high = np.unique(pooled[runs - counts])
    high = np.append(high - _HAIR * np.abs(high), math.inf)
    low = np.unique(pooled[counts - 1])
    low = np.append(low + _HAIR * np.abs(low), -math.inf)
    above = [len(part) - np.searchsorted(part, high, "left") for part in (one, other)]
    below = [np.searchsorted(part, low, "right") for part in (one, other)]
    right = above[0][:, None] + below[1][None, :]
    made = right + above[1][:, None] + below[0][None, :]
    allowed = (high[:, None] > low[None, :]) & (made > 0)
    found = np.zeros(right.shape)
    both = np.isfinite(high)[:, None] & np.isfinite(low)[None, :]
    for sides, where in ((1, allowed & ~both), (2, allowed & both)):
        found[where] = guesses(
            right[where] * share,
            made[where] * share,
            runs=max(1, round(runs * share)),
            sides=sides,
            delta=delta,
            confidence=confidence,
        )
    i, j = np.unravel_index(int(found.argmax()), found.shape)
    return Guesser(statistic, float(high[i]), float(low[j]), float(found[i, j]))
