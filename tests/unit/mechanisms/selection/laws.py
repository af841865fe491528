"""The exact laws of the selections, computed in another way than the library draws from them."""

import math
from collections.abc import Sequence
from itertools import permutations

import numpy as np

from dpwerm.arrays import FloatArray


def softmax(scores: Sequence[int], rate: float) -> FloatArray:
    """Return P(i) ∝ exp(rate·q_i)."""
    weights = np.exp([rate * (q - max(scores)) for q in scores])
    found: FloatArray = weights / weights.sum()
    return found


def flips(scores: Sequence[int], rate: float) -> FloatArray:
    """Return the law of permute-and-flip by walking through every order of the candidates."""
    heads = [math.exp(rate * (q - max(scores))) for q in scores]
    found = np.zeros(len(scores))
    for order in permutations(range(len(scores))):
        reached = 1.0
        for i in order:
            found[i] += reached * heads[i]
            reached *= 1 - heads[i]
    return found / math.factorial(len(scores))


def best_of_repeats(one: FloatArray, stop: float) -> FloatArray:
    """Return the law of the largest of K runs, f(Q(≤y)) − f(Q(<y)), outcomes in rising order.

    With u = Q(≥y) and v = Q(>y) it is q·Q(y)/((q + (1−q)u)(q + (1−q)v)), free of cancellation.
    """
    above = np.append(one[::-1].cumsum()[::-1], 0.0)
    rest = stop + (1 - stop) * above
    found: FloatArray = stop * one / (rest[:-1] * rest[1:])
    return found


def sharp_cost(epsilon: float, stop: float) -> float:
    """Return the smallest bound for that q: ε + 2·log((q + (1−q)σ(ε))/(q + (1−q)σ(−ε)))."""
    more, less = 1 / (1 + math.exp(-epsilon)), 1 / (1 + math.exp(epsilon))
    return epsilon + 2 * math.log((stop + (1 - stop) * more) / (stop + (1 - stop) * less))


def largest_log_ratio(one: FloatArray, other: FloatArray) -> float:
    """Return max |log P(y)/P'(y)| over outcomes that can occur."""
    seen = (one > 0) | (other > 0)
    return float(np.abs(np.log(one[seen]) - np.log(other[seen])).max())
