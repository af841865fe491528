r"""Exactly uniform whole numbers and orders out of fair bits.

A number below m is drawn from ⌈log₂ m⌉ bits and drawn again while it is not below m, which leaves
every number below m equally likely.
"""

import numpy as np

from dpwerm.arrays import IntArray
from dpwerm.privacy.randomness import BitSource


def draw_below(count: int, bits: BitSource) -> int:
    """Return a uniform whole number in {0, …, count − 1}; count ≥ 1."""
    width = (count - 1).bit_length()
    while True:
        number = bits.bits(width)
        if number < count:
            return number


def random_order(count: int, bits: BitSource) -> IntArray:
    """Return {0, …, count − 1} in uniformly random order (Fisher and Yates), shape (count,)."""
    order = list(range(count))
    for last in range(count - 1, 0, -1):
        other = draw_below(last + 1, bits)
        order[last], order[other] = order[other], order[last]
    return np.array(order, dtype=np.int64)
