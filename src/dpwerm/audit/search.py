"""The worst pair: short runs on every candidate, then a walk to better ones near the best."""

from dpwerm.arrays import FloatArray
from dpwerm.audit.guesser import best_guesser
from dpwerm.audit.target import Key, Pair, Searchable, Target

CONFIDENCE = 0.9
"""Of the bounds by which pairs are compared; they are never reported."""

ROUNDS = 3


def worst_pair(target: Target, *, runs: int, key: Key, rounds: int = ROUNDS) -> Pair:
    """Return the pair whose data sets are told apart best.

    Parameters
    ----------
    target : Target; a Searchable one is asked for pairs near the best
    runs : int ≥ 1, releases on each data set of a pair
    key : public luck, the same for every pair, so that they are compared on the same luck
    rounds : int ≥ 0, how often pairs near the best are asked for
    """
    candidates = list(target.pairs())
    if len(candidates) == 1 and not isinstance(target, Searchable):
        return candidates[0]
    best, strongest = candidates[0], -1.0
    for turn in range(rounds + 1):
        found = [(strength(target, pair, runs, key), pair) for pair in candidates]
        top, pair = max(found, key=lambda one: one[0])
        if top <= strongest:
            break
        best, strongest = pair, top
        if turn == rounds or not isinstance(target, Searchable):
            break
        candidates = list(target.near(best, (*key, "near", turn)))
        if not candidates:
            break
    return best


def strength(target: Target, pair: Pair, runs: int, key: Key) -> float:
    """Return the best bound on ε by short runs, chosen and judged on the same outputs."""
    first, second = sides(target, pair, (runs, runs), (*key, "pilot"))
    return best_guesser(target, pair, first, second, confidence=CONFIDENCE).promise


def sides(
    target: Target, pair: Pair, runs: tuple[int, int], key: Key
) -> tuple[FloatArray, FloatArray]:
    """Return independent outputs on the two data sets of a pair."""
    first = target.outputs(pair.first, runs[0], (*key, "first"))
    second = target.outputs(pair.second, runs[1], (*key, "second"))
    return first, second
