"""One audit: find the worst pair, choose an attack on half of the runs, judge it on the other.

The worst pair is found by short runs on every candidate and a walk to better ones near the best.
The walk compares many pairs on few runs, so its winner may win by chance. It is therefore returned
beside the best pair to start from, and the runs that choose the attack decide between them.

The attack is fixed before the runs that judge it, so their bound needs no correction for all that
was tried: if the claim is true, it exceeds the claimed ε with probability 1 − confidence at most.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dpwerm.arrays import FloatArray
from dpwerm.audit.guesser import best_guesser
from dpwerm.audit.target import (
    Exact,
    Key,
    Pair,
    Searchable,
    Target,
    as_matrix,
    claimed,
    released,
    rng_of,
)
from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import Budget
from dpwerm.simulate.engine.run import OnDone, unseen

STEPS = 4
"""Search, choice, judgement, confirmation."""


def worst_pairs(target: Target, *, runs: int, key: Key, rounds: int = 3) -> list[Pair]:
    """Return the best pair to start from and, if the walk found a better one, that one too.

    A Searchable target is asked ``rounds`` times for pairs near the best. The key is the same for
    every pair, so that they are compared with common random numbers.
    """
    candidates = list(target.pairs())
    if not isinstance(target, Searchable):
        return candidates if len(candidates) == 1 else [_best(target, candidates, runs, key)[1]]
    most, start = _best(target, candidates, runs, key)
    best = start
    for turn in range(rounds):
        nearby = target.near(best, (*key, "near", turn))
        if not nearby:
            break
        found, pair = _best(target, nearby, runs, key)
        if found > most:
            most, best = found, pair
    return [start] if best is start else [start, best]


def _best(target: Target, pairs: Sequence[Pair], runs: int, key: Key) -> tuple[float, Pair]:
    """Return the strongest pair, and how strong it is."""
    found = [(strength(target, pair, runs, key), pair) for pair in pairs]
    return max(found, key=lambda one: one[0])


def strength(target: Target, pair: Pair, runs: int, key: Key, *, chosen_at: float = 0.99) -> float:
    """Return the mean of two bounds on ε: each half of the runs judges what the other chose.

    They have a confidence of 0.9, by which pairs are compared; it is never reported.
    """
    first, second = sides(target, pair, (runs, runs), (*key, "pilot"))
    half, delta = runs // 2, float(claimed(target).delta)
    halves = [(first[:half], second[:half]), (first[half:], second[half:])]
    total = 0.0
    for choosing, judging in (halves, halves[::-1]):
        guesser = best_guesser(target, pair, *choosing, confidence=chosen_at, quick=True)
        total += guesser.bound(*judging, delta=delta, confidence=0.9)
    return total / 2


def sides(
    target: Target, pair: Pair, runs: tuple[int, int], key: Key
) -> tuple[FloatArray, FloatArray]:
    """Return independent outputs on the two data sets of a pair."""
    first = released(target, pair.first, runs[0], (*key, "first"))
    second = released(target, pair.second, runs[1], (*key, "second"))
    return first, second


@dataclass(frozen=True)
class Audited:
    """What an audit found.

    name : str, of the target
    claim : Budget, claimed
    dimension : int ≥ 1, p
    lower : float ≥ 0, ε is at least this by the simulated runs
    exact_lower : float or None, and this by real releases
    runs, exact_runs : int, simulated releases (half of them chose the attack) and real ones
    pair, statistic : str, the attack
    confidence : float in (0, 1), with which both bounds hold together
    """

    name: str
    claim: Budget
    dimension: int
    lower: float
    exact_lower: float | None
    runs: int
    exact_runs: int
    pair: str
    statistic: str
    confidence: float

    @property
    def largest(self) -> float:
        """The larger of the two bounds."""
        return max(self.lower, self.exact_lower or 0.0)

    @property
    def holds(self) -> bool:
        """Whether no bound is above the claimed ε; if the claim is true, nearly always so."""
        return self.largest <= float(self.claim.epsilon)

    @property
    def verdict(self) -> str:
        """The word for it: holds, or BROKEN."""
        return "holds" if self.holds else "BROKEN"

    @property
    def ratio(self) -> float:
        """How many times the larger bound goes into the claim; near 1 shows that it is tight."""
        return float(self.claim.epsilon) / self.largest if self.largest > 0 else math.inf


def audit(
    target: Target,
    *,
    runs: int,
    confidence: float = 0.999,
    seed: int = 0,
    exact_runs: int = 0,
    on_done: OnDone = unseen,
) -> Audited:
    """Return lower bounds on ε of a target.

    target : Target; the more of Searchable, Scored and Exact it also is, the stronger the attack
    runs : int ≥ 4, simulated releases on the worst pair; half of them choose the attack
    confidence : float in (0, 1), that no bound exceeds the true ε
    seed : int ≥ 0, public
    exact_runs : int ≥ 0, real releases that confirm the attack; needs an Exact target

    Examples
    --------
    >>> from dpwerm.audit.target import Pair, rng_of
    >>> class NoisyCount:
    ...     name, claim, dimension = "a count", 1.0, 1
    ...
    ...     def pairs(self):
    ...         return [Pair("10 or 11 people", 10, 11)]
    ...
    ...     def outputs(self, data, runs, key):
    ...         return (data + rng_of(*key).laplace(scale=0.5, size=runs)).round()
    >>> audit(NoisyCount(), runs=20_000).verdict
    'BROKEN'
    """
    claim = claimed(target)
    if runs < 4:
        raise ParameterError("runs must be at least 4")
    if exact_runs < 0:
        raise ParameterError("exact_runs must not be negative")
    if exact_runs and not isinstance(target, Exact):
        raise ParameterError(f"{target.name} has no exact release to confirm with")
    on_done(0, STEPS)
    short = min(max(runs // 20, 1000), 4000)
    pairs = worst_pairs(target, runs=short, key=(seed, "search"))
    on_done(1, STEPS)
    # The two bounds share the error, so that a verdict is wrong no more often than one is.
    each = 1.0 - (1.0 - confidence) / (2 if exact_runs else 1)
    delta, quarter = float(claim.delta), runs // 4
    found = []
    for candidate in pairs:
        outputs = sides(target, candidate, (quarter, quarter), (seed, "choose"))
        guesser = best_guesser(target, candidate, *outputs, confidence=each)
        found.append((guesser, candidate, outputs))
    guesser, pair, outputs = max(found, key=lambda one: one[0].promise)
    on_done(2, STEPS)
    judges = sides(target, pair, coins(runs // 2, seed, "judge"), (seed, "judge"))
    lower = guesser.bound(*judges, delta=delta, confidence=each)
    on_done(3, STEPS)
    exact_lower = None
    if exact_runs and isinstance(target, Exact):
        one, other = coins(exact_runs, seed, "exact")
        real = [
            as_matrix(target.name, target.exact(data, count), count)
            for data, count in ((pair.first, one), (pair.second, other))
        ]
        share = exact_runs / (2 * quarter)
        confirming = best_guesser(target, pair, *outputs, confidence=each, share=share)
        exact_lower = confirming.bound(*real, delta=delta, confidence=each)
    on_done(STEPS, STEPS)
    return Audited(
        name=target.name,
        claim=claim,
        dimension=target.dimension,
        pair=pair.name,
        lower=lower,
        exact_lower=exact_lower,
        runs=runs,
        exact_runs=exact_runs,
        statistic=guesser.statistic.name,
        confidence=confidence,
    )


def coins(runs: int, *key: int | str) -> tuple[int, int]:
    """Return how many of the runs a fair coin gives to the first and to the second data set."""
    first = int(rng_of(*key, "coins").binomial(runs, 0.5))
    return first, runs - first
