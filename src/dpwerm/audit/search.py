"""The worst pair: short runs on every candidate, then a walk to better ones near the best.

The walk compares many pairs on few runs, so its winner may be a lucky one. It is therefore returned
beside the best pair to start from, and the runs that choose the attack decide between them.
"""

from collections.abc import Sequence

from dpwerm.arrays import FloatArray
from dpwerm.audit.guesser import best_guesser
from dpwerm.audit.target import Key, Pair, Searchable, Target

CHOSEN_AT, JUDGED_AT = 0.99, 0.9
"""The confidence of the bounds by which pairs are compared; they are never reported."""

ROUNDS = 3


def worst_pairs(target: Target, *, runs: int, key: Key, rounds: int = ROUNDS) -> list[Pair]:
    """Return the best pair to start from and, if the walk found a better one, that one too.

    Parameters
    ----------
    target : Target; a Searchable one is asked for pairs near the best
    runs : int ≥ 2, releases on each data set of a pair
    key : public luck, the same for every pair, so that they are compared on the same luck
    rounds : int ≥ 0, how often pairs near the best are asked for
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


def strength(target: Target, pair: Pair, runs: int, key: Key) -> float:
    """Return the mean of two bounds on ε: each half of the runs judges what the other chose."""
    first, second = sides(target, pair, (runs, runs), (*key, "pilot"))
    half, delta = runs // 2, float(target.claim.delta)
    halves = [(first[:half], second[:half]), (first[half:], second[half:])]
    total = 0.0
    for choosing, judging in (halves, halves[::-1]):
        guesser = best_guesser(target, pair, *choosing, confidence=CHOSEN_AT, quick=True)
        total += guesser.bound(*judging, delta=delta, confidence=JUDGED_AT)
    return total / 2


def sides(
    target: Target, pair: Pair, runs: tuple[int, int], key: Key
) -> tuple[FloatArray, FloatArray]:
    """Return independent outputs on the two data sets of a pair."""
    first = target.outputs(pair.first, runs[0], (*key, "first"))
    second = target.outputs(pair.second, runs[1], (*key, "second"))
    return first, second
