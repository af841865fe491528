"""Faults of the features: scales, means and levels that are learned from the sample."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from tests.faults import chain

from dpwerm.arrays import FloatArray
from dpwerm.audit.target import Key, Pair
from dpwerm.solve.batch_problems import BatchProblems

NEAR, SCALING_GAMMA = 0.01, 100.0
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


def far_out(others: chain.People) -> Pair:
    """Return others, and one near 0 or at the bound."""
    one, another = chain.People.alike(1, NEAR), chain.People.alike(1, 1.0)
    return chain.replaced("the last person is like the others, or far out", others, one, another)


def largest_pair() -> Pair:
    """Return people near 0, and one more."""
    return far_out(chain.People.alike(LARGEST_OTHERS, NEAR))


def standard_pair() -> Pair:
    """Return people on both sides of 0, each with the arm of their side, and one more."""
    half = STANDARD_OTHERS // 2
    return far_out(chain.People.alike(half, NEAR).plus(chain.People.alike(half, -NEAR, arm=-1.0)))


def scaled(name: str, pair: Pair, scale: Scale, bound: float = 1.0) -> chain.Chain:
    """Return the chain with features scaled in that way, within ±bound."""

    def prepare(people: chain.People) -> BatchProblems:
        return chain.weighed(people, x=scale(people.x))

    n = len(pair.first.arm)
    return chain.spherical(
        name, pair, prepare, chain.facts_of(((1, bound),), n=n, gamma=SCALING_GAMMA)
    )


def _own_scaling() -> Iterator[chain.Fault]:
    r"""Features scaled by the sample: divided by the largest, or standardised.

    .. math:: x_i / \max_k |x_k|, \qquad (x_i - \bar x) / s_x \text{ cut at } \pm 3

    One person far out squeezes everybody else together, so every row changes and the noise covers
    one.
    """
    yield chain.Fault(
        name="scaled-by-largest",
        wrong="each feature is divided by its largest value in the sample",
        known_from="common practice; a scaler fitted before the private step",
        shows="one person far out changes everybody's row",
        broken=lambda: scaled("scaled-by-largest", largest_pair(), by_largest),
        healthy=lambda: scaled("scaled-by-bounds", largest_pair(), by_bounds),
    )
    yield chain.Fault(
        name="standardised",
        wrong="each feature is standardised by its mean and deviation in the sample",
        known_from="common practice; a scaler fitted before the private step",
        shows="one person far out changes everybody's row",
        broken=lambda: scaled("standardised", standard_pair(), standardised, CUT),
        healthy=lambda: scaled("not-standardised", standard_pair(), by_bounds),
    )


GAPS, OTHERS, ENCODING_GAMMA = 5, 4, 20.0
LEVELS = 3


def imputed(name: str, *, by_mean: bool) -> chain.Chain:
    """Return the chain that fills gaps by the sample's mean, or by a declared 0."""

    def prepare(people: chain.People) -> BatchProblems:
        default = float(np.nanmean(people.x)) if by_mean else 0.0
        return chain.weighed(people, x=np.where(np.isnan(people.x), default, people.x))

    one, another = chain.People.alike(1, 1.0), chain.People.alike(1, -1.0)
    pair = chain.replaced("the one known value", chain.People.alike(GAPS, np.nan), one, another)
    return chain.spherical(
        name, pair, prepare, chain.facts_of(chain.UNIT, n=GAPS + 1, gamma=ENCODING_GAMMA)
    )


@dataclass(frozen=True, eq=False)
class Levels(chain.OnePair):
    """A category of three declared levels; x is the number of a person's level.

    declared : whether levels nobody has get a coefficient too
    The pair: people of the first two levels, and one of the first or of the third.
    """

    declared: bool
    dimension: ClassVar[int] = LEVELS
    pair: ClassVar[Pair] = chain.replaced(
        "the last person has a level of their own",
        chain.People.alike(OTHERS, 0.0).plus(chain.People.alike(OTHERS, 1.0)),
        *(chain.People.alike(1, level) for level in (0.0, 2.0)),
    )

    def outputs(self, data: chain.People, runs: int, key: Key) -> FloatArray:
        """Return releases (runs, 3), with 0 for a level that has no coefficient."""
        found = range(LEVELS) if self.declared else sorted(set(data.x[:, 0].astype(int).tolist()))
        columns = list(found)

        def prepare(people: chain.People) -> BatchProblems:
            return chain.weighed(people, x=(people.x == np.array(columns)).astype(float))

        facts = chain.facts_of(((len(columns), 1.0),), n=2 * OTHERS + 1, gamma=ENCODING_GAMMA)
        fit = chain.spherical(self.name, self.pair, prepare, facts)
        released = np.zeros((runs, LEVELS))
        released[:, columns] = fit.outputs(data, runs, key)
        return released


def _own_encoding() -> Iterator[chain.Fault]:
    """What an encoder learns from the sample: the mean that fills gaps, and the levels that exist.

    Whoever's value is the only one known fills every gap, and a level that only one person has
    makes a coefficient of its own.
    """
    yield chain.Fault(
        name="imputed-mean",
        wrong="missing features are filled by the mean of the sample",
        known_from="common practice; an imputer fitted before the private step",
        shows="one person's value fills every gap",
        broken=partial(imputed, "imputed-mean", by_mean=True),
        healthy=partial(imputed, "imputed-default", by_mean=False),
    )
    yield chain.Fault(
        name="levels-from-rows",
        wrong="a category has the levels that occur in the sample",
        known_from="`get_dummies`, or an encoder fitted to the rows",
        shows="a coefficient exists, or does not",
        broken=partial(Levels, "levels-from-rows", declared=False),
        healthy=partial(Levels, "levels-declared", declared=True),
    )


def faults() -> Iterator[chain.Fault]:
    """Yield every fault of this kind."""
    yield from _own_scaling()
    yield from _own_encoding()
