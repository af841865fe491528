"""Numbers an attacker may look at: functions of one output, made from the runs that choose.

    output θ ↦ t(θ) in R,   large where the first data set is more likely

None of them has to be right: a poor one gives a poor bound, never a false one. Each is a finite
number whatever the output is.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.audit.target import Pair, Scored, Target

SCORE = "score"
"""The name of a target's own log-likelihood ratio; it comes first."""

COORDINATES = 20
"""At most so many coordinates are looked at alone."""

DISTINCT, AGAIN = 1000, 20
"""Outputs are counted one by one if there are few, each seen so many times on average."""

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
    """Yield what can be looked at, given outputs (m, p) on the first and on the second data set."""
    if isinstance(target, Scored):
        scored = target
        yield Statistic(SCORE, lambda outputs: tame(scored.score(outputs, pair)))
    for j in range(min(first.shape[1], COORDINATES)):
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

    def nearer(outputs: FloatArray) -> FloatArray:
        far, near = (np.linalg.norm(tame(outputs) - centre, axis=1) for centre in (other, one))
        return np.asarray(far - near)

    yield Statistic("nearer centre", nearer)
    centre = (one + other) / 2

    def length(outputs: FloatArray) -> FloatArray:
        return np.asarray(np.linalg.norm(tame(outputs) - centre, axis=1))

    yield from _both_ways("distance from the middle", length)


def _frequencies(first: IntArray, second: IntArray) -> Iterator[Statistic]:
    """Yield how often the very same bits were seen on each side, if few outputs are possible."""
    seen, place = np.unique(np.concatenate([first, second]), axis=0, return_inverse=True)
    if len(seen) > min(DISTINCT, len(place) / AGAIN):
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
