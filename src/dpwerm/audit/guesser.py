r"""An attack: a number to look at, two thresholds, and the bound on ε that its guesses prove.

    output θ ↦ t(θ) in R,   t(θ) ≥ high → first data set,   t(θ) ≤ low → second,   else: abstain

Statistics are functions of one output, made from the runs that choose; t is large where the first
data set is more likely. None of them has to be right: a poor one gives a poor bound, never a false
one. Statistic and thresholds are those with the best bound on the runs that choose.

A fair coin says which data set each run has, and the attacker guesses the coin from the output or
abstains. With E right guesses set aside for δ, or for δ/2 if only one data set is ever guessed,
each other one is right with probability at most q = e^ε/(1 + e^ε), independently:

    (right − E) given (made − E)  is at most  Binomial(made − E, q),   E ≤ Binomial(runs, δ)

E stays below a quantile e of its own law, so ε is at least the logit of the Clopper–Pearson bound
on q from right − e of made − e. The events must be fixed before the runs that are counted. Proof
and comparison: docs/audit.md.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, logit
from scipy.stats import binom

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.audit.target import Learning, Pair, Scored, Target, claimed
from dpwerm.errors import ParameterError

SCORE = "score"
"""The name of a target's own log-likelihood ratio; it comes first."""

LARGEST = 1e100
"""What stands for infinity, and for all that is larger."""

Look = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Statistic:
    """A named function of outputs (m, p) → (m,)."""

    name: str
    of: Look


def statistics(
    target: Target, pair: Pair, first: FloatArray, second: FloatArray
) -> Iterator[Statistic]:
    """Yield what can be looked at, given outputs (m, p) on the first and on the second data set.

    At most 20 coordinates are looked at alone.
    """
    if isinstance(target, Scored):
        scored = target
        yield Statistic(SCORE, lambda outputs: tame(scored.score(outputs, pair)))
    for j in range(min(first.shape[1], 20)):
        yield from _coordinate(j)
    if first.shape[1] > 1:
        yield from _directions(tame(first), tame(second))
    if np.isnan(first).any() or np.isnan(second).any():
        yield from _both_ways("not a number", lambda outputs: np.isnan(outputs).mean(axis=1))
    yield from _frequencies(bits_of(first), bits_of(second))


def _coordinate(j: int) -> Iterator[Statistic]:
    """Yield coordinate j, how far down its bits go, and how many bits it has."""
    yield from _both_ways(f"coordinate {j + 1}", lambda outputs: tame(outputs[:, j]))
    for name, look in (("lowest bit", lowest_bit), ("bits", bits_used)):

        def of(outputs: FloatArray, look: Look = look) -> FloatArray:
            return look(tame(outputs[:, j]))

        yield from _both_ways(f"{name} of coordinate {j + 1}", of)


def _directions(first: FloatArray, second: FloatArray) -> Iterator[Statistic]:
    """Yield the direction between the means, the same in units of spread, and two distances."""
    shift = first.mean(axis=0) - second.mean(axis=0)
    spread = np.atleast_2d(np.cov(np.concatenate([first, second]).T))
    whitened = np.linalg.lstsq(spread, shift, rcond=None)[0]
    yield Statistic("difference of means", lambda outputs: tame(tame(outputs) @ shift))
    yield Statistic("discriminant", lambda outputs: tame(tame(outputs) @ whitened))
    one, other = np.median(first, axis=0), np.median(second, axis=0)
    centre = (one + other) / 2

    def far(outputs: FloatArray, point: FloatArray) -> FloatArray:
        return np.asarray(np.linalg.norm(tame(outputs) - point, axis=1))

    yield Statistic("nearer centre", lambda outputs: far(outputs, other) - far(outputs, one))
    yield from _both_ways("distance from the middle", lambda outputs: far(outputs, centre))


def _frequencies(first: IntArray, second: IntArray) -> Iterator[Statistic]:
    """Yield how often the very same bits were seen on each side, if few outputs are possible.

    Few are 1000 at most, each seen 20 times on average.
    """
    seen, place = np.unique(np.concatenate([first, second]), axis=0, return_inverse=True)
    if len(seen) > min(1000, len(place) / 20):
        return
    counts = [
        np.bincount(part, minlength=len(seen)) for part in np.split(place.ravel(), [len(first)])
    ]
    ratio = np.log((counts[0] + 0.5) / (counts[1] + 0.5))
    table = {row.tobytes(): value for row, value in zip(seen, ratio.tolist(), strict=True)}

    def looked_up(outputs: FloatArray) -> FloatArray:
        rows, where = np.unique(bits_of(outputs), axis=0, return_inverse=True)
        values = np.array([table.get(row.tobytes(), 0.0) for row in rows])
        return np.asarray(values[where.ravel()])

    yield Statistic("same output", looked_up)


def _both_ways(name: str, of: Look) -> Iterator[Statistic]:
    """Yield a function of outputs and its negative."""
    yield Statistic(name, of)
    yield Statistic(f"minus {name}", lambda outputs: -of(outputs))


def tame(numbers: FloatArray) -> FloatArray:
    """Return numbers that can be compared and added: 0 for NaN, ±1e100 for infinity."""
    if np.abs(numbers).max(initial=0.0) <= LARGEST:
        return numbers
    return np.clip(np.nan_to_num(numbers), -LARGEST, LARGEST)


def bits_of(numbers: FloatArray) -> IntArray:
    """Return each double's bits as a whole number: NaN is itself, and −0 is not 0."""
    return np.ascontiguousarray(numbers, dtype=np.float64).view(np.int64)


def lowest_bit(numbers: FloatArray) -> FloatArray:
    """Return the e of the lowest bit 2^e that is set in each double; 1100 for 0."""
    mantissa, exponent = np.frexp(numbers)
    whole = np.abs(np.ldexp(mantissa, 53)).astype(np.int64)
    lowest = np.bitwise_and(whole, -whole).astype(np.float64)
    zeros = np.log2(np.where(whole == 0, 1.0, lowest))
    return np.where(whole == 0, 1100.0, zeros + exponent - 53)


def bits_used(numbers: FloatArray) -> FloatArray:
    """Return how many bits lie between the highest and the lowest set one, 1 to 53; 0 for 0."""
    _, exponent = np.frexp(numbers)
    return np.where(numbers == 0, 0.0, exponent - lowest_bit(numbers))


# -- from counts to a lower confidence bound on ε, for any δ ----------------------------------

SET_ASIDE = 0.1
"""The share of the error that bounds what is set aside for δ."""


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

    right, made : right guesses and all guesses, right ≤ made ≤ runs; arrays are allowed
    runs : int ≥ 1, with and without a guess, each with a coin of its own
    sides : 1 if only one data set is ever guessed, 2 if both are
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
        sides, made = self.sides, right + wrong
        found = guesses(right, made, runs=runs, sides=sides, delta=delta, confidence=confidence)
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

    confidence : float in (0, 1), of the bound that is looked for
    share : float > 0, how many runs will judge, as a share of these: with few, abstain less
    quick : whether to look at the target's own score alone, if it has one
    """
    if isinstance(target, Learning):
        target.learn(pair, first, second)
    delta = float(claimed(target).delta)
    # As if so many attacks shared the error: one that wins by chance is not taken for good.
    strict = 1.0 - (1.0 - confidence) / (10 if quick else 10_000)
    looks = statistics(target, pair, first, second)
    if quick and isinstance(target, Scored):
        looks = islice(looks, 1)
    found = [_best_cut(look, first, second, delta, strict, share) for look in looks]
    return max(found, key=lambda one: one.promise)


def _best_cut(
    statistic: Statistic,
    first: FloatArray,
    second: FloatArray,
    delta: float,
    confidence: float,
    share: float,
) -> Guesser:
    """Return the thresholds of one statistic with the best bound, of 40 tried on each side.

    Fewer than 8 outputs are never a side of their own. Thresholds lie a hair beyond a plateau, so
    that rounding does not cut it in two.
    """
    one, other = np.sort(statistic.of(first)), np.sort(statistic.of(second))
    pooled = np.sort(np.concatenate([one, other]))
    runs, hair = len(pooled), 1e-9
    counts = np.unique(np.geomspace(min(8, runs), runs, 40).astype(int))
    high = np.unique(pooled[runs - counts])
    high = np.append(high - hair * np.abs(high), math.inf)
    low = np.unique(pooled[counts - 1])
    low = np.append(low + hair * np.abs(low), -math.inf)
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
