"""Every outcome is exactly as likely as any other: all strings of bits are tried."""

from collections import Counter
from itertools import permutations

import numpy as np

from dpwerm.privacy.randomness import SeededBits
from dpwerm.tune.private import random_order


class Written:
    """Numbers that were written down beforehand, whatever their width."""

    secure = False
    receipt = None

    def __init__(self, numbers: list[int]) -> None:
        self.numbers = list(numbers)
        self.widths: list[int] = []

    def bits(self, count: int) -> int:
        self.widths.append(count)
        return self.numbers.pop(0)

    def substream(self) -> "Written":
        return self


def written_keys(*keys: int) -> int:
    """Return the keys as one number, the first in front."""
    number = 0
    for key in keys:
        number = number << 64 | key
    return number


def test_every_order_is_equally_likely() -> None:
    """Whatever four keys there are, each order of them gives another order of the people."""
    keys = (5, 2**63, 2**64 - 1, 7)
    orders = Counter(
        tuple(random_order(4, Written([written_keys(*dealt)])).tolist())
        for dealt in permutations(keys)
    )
    assert len(orders) == 24
    assert set(orders.values()) == {1}


def test_keys_that_are_equal_are_all_drawn_again() -> None:
    source = Written([written_keys(3, 1, 3), written_keys(9, 8, 2**63)])
    assert random_order(3, source).tolist() == [1, 0, 2]
    assert source.widths == [192, 192]


def test_an_order_has_everybody_once() -> None:
    order = random_order(1000, SeededBits(1))
    assert np.array_equal(np.sort(order), np.arange(1000))
    assert not np.array_equal(order, np.arange(1000))
    assert random_order(1, SeededBits(1)).tolist() == [0]
