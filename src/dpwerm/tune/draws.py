"""Exactly uniform orders out of fair bits.

Keys that are not all different are drawn again as a whole. What is left is equally likely, by
symmetry.
"""

import numpy as np

from dpwerm.arrays import IntArray
from dpwerm.privacy.randomness import BitSource

_KEY_BITS = 64
_AT_ONCE = 64
"""Keys that are read together."""


def random_order(count: int, bits: BitSource) -> IntArray:
    """Return {0, …, count − 1} in uniformly random order, shape (count,).

    Everybody gets a key of 64 fair bits and the order is that of the keys: if all differ, every
    order of them is equally likely.
    """
    while True:
        keys = _keys(count, bits)
        order: IntArray = np.argsort(keys)
        if _differ(keys[order]):
            return order


def _differ(keys: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> bool:
    """Whether ascending keys are all different."""
    return bool(np.all(keys[1:] != keys[:-1]))


def _keys(count: int, bits: BitSource) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Return as many numbers of 64 bits, shape (count,)."""
    parts = []
    for start in range(0, count, _AT_ONCE):
        some = min(_AT_ONCE, count - start)
        parts.append(bits.bits(some * _KEY_BITS).to_bytes(some * _KEY_BITS // 8, "big"))
    return np.frombuffer(b"".join(parts), dtype=">u8").astype(np.uint64)
