r"""Features scaled by the sample: divided by the largest, or standardised.

.. math:: x_i / \max_k |x_k|, \qquad (x_i - \bar x) / s_x \text{ cut at } \pm 3

One person far out squeezes everybody else together, so every row changes and the noise covers one.
"""

from collections.abc import Callable, Iterator

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.audit.faults.chain import Chain, spherical
from dpwerm.audit.faults.fault import Fault
from dpwerm.audit.faults.people import People, facts_of, replaced, weighed
from dpwerm.audit.target import Pair
from dpwerm.solve.batch import BatchProblems

NEAR, GAMMA = 0.01, 100.0
"""Where everybody is but one, in units of the declared bound."""

LARGEST_OTHERS, STANDARD_OTHERS, CUT = 14, 40, 3.0

Scale = Callable[[FloatArray], FloatArray]


def by_largest(x: FloatArray) -> FloatArray:
    """Return x divided by its largest size."""
    return np.asarray(x / np.abs(x).max())


def standardised(x: FloatArray) -> FloatArray:
    """Return x with mean 0 and deviation 1, cut at ±3."""
    return np.asarray(np.clip((x - x.mean()) / x.std(), -CUT, CUT))


def by_bounds(x: FloatArray) -> FloatArray:
    """Return x in units of its declared bound, which is 1."""
    return np.clip(x, -1.0, 1.0)


def largest_pair() -> Pair:
    """Return people near 0, and one near 0 or at the bound."""
    others = People.alike(LARGEST_OTHERS, NEAR)
    one, another = People.alike(1, NEAR), People.alike(1, 1.0)
    return replaced("the last person is like the others, or far out", others, one, another)


def standard_pair() -> Pair:
    """Return people on both sides of 0, each with the arm of their side, and one more."""
    half = STANDARD_OTHERS // 2
    others = People.alike(half, NEAR).plus(People.alike(half, -NEAR, arm=-1.0))
    one, another = People.alike(1, NEAR), People.alike(1, 1.0)
    return replaced("the last person is like the others, or far out", others, one, another)


def chain(name: str, pair: Pair, scale: Scale, bound: float = 1.0) -> Chain:
    """Return the chain with features scaled in that way, within ±bound."""

    def prepare(people: People) -> BatchProblems:
        return weighed(people, x=scale(people.x))

    n = len(pair.first.arm)
    return spherical(name, pair, prepare, facts_of(((1, bound),), n=n, gamma=GAMMA))


def faults() -> Iterator[Fault]:
    """Yield both faults."""
    yield Fault(
        name="scaled-by-largest",
        wrong="each feature is divided by its largest value in the sample",
        known_from="common practice; a scaler fitted before the private step",
        shows="one person far out changes everybody's row",
        broken=lambda: chain("scaled-by-largest", largest_pair(), by_largest),
        healthy=lambda: chain("scaled-by-bounds", largest_pair(), by_bounds),
    )
    yield Fault(
        name="standardised",
        wrong="each feature is standardised by its mean and deviation in the sample",
        known_from="common practice; a scaler fitted before the private step",
        shows="one person far out changes everybody's row",
        broken=lambda: chain("standardised", standard_pair(), standardised, CUT),
        healthy=lambda: chain("not-standardised", standard_pair(), by_bounds),
    )
