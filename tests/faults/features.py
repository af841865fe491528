"""Faults of the features: scales, means and levels that are learned from the sample."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from tests.faults.chain import (
    CLAIM,
    UNIT,
    Chain,
    Fault,
    People,
    facts_of,
    replaced,
    spherical,
    weighed,
)

from dpwerm.arrays import FloatArray
from dpwerm.audit.target import Key, Pair
from dpwerm.privacy.budget import Budget
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


def scaled(name: str, pair: Pair, scale: Scale, bound: float = 1.0) -> Chain:
    """Return the chain with features scaled in that way, within ±bound."""

    def prepare(people: People) -> BatchProblems:
        return weighed(people, x=scale(people.x))

    n = len(pair.first.arm)
    return spherical(name, pair, prepare, facts_of(((1, bound),), n=n, gamma=SCALING_GAMMA))


def _own_scaling() -> Iterator[Fault]:
    r"""Features scaled by the sample: divided by the largest, or standardised.

    .. math:: x_i / \max_k |x_k|, \qquad (x_i - \bar x) / s_x \text{ cut at } \pm 3

    One person far out squeezes everybody else together, so every row changes and the noise covers
    one.
    """
    yield Fault(
        name="scaled-by-largest",
        wrong="each feature is divided by its largest value in the sample",
        known_from="common practice; a scaler fitted before the private step",
        shows="one person far out changes everybody's row",
        broken=lambda: scaled("scaled-by-largest", largest_pair(), by_largest),
        healthy=lambda: scaled("scaled-by-bounds", largest_pair(), by_bounds),
    )
    yield Fault(
        name="standardised",
        wrong="each feature is standardised by its mean and deviation in the sample",
        known_from="common practice; a scaler fitted before the private step",
        shows="one person far out changes everybody's row",
        broken=lambda: scaled("standardised", standard_pair(), standardised, CUT),
        healthy=lambda: scaled("not-standardised", standard_pair(), by_bounds),
    )


GAPS, OTHERS, ENCODING_GAMMA = 5, 4, 20.0
LEVELS = 3


def imputed(name: str, *, by_mean: bool) -> Chain:
    """Return the chain that fills gaps by the sample's mean, or by a declared 0."""

    def prepare(people: People) -> BatchProblems:
        default = float(np.nanmean(people.x)) if by_mean else 0.0
        return weighed(people, x=np.where(np.isnan(people.x), default, people.x))

    one, another = People.alike(1, 1.0), People.alike(1, -1.0)
    pair = replaced("the one known value", People.alike(GAPS, np.nan), one, another)
    return spherical(name, pair, prepare, facts_of(UNIT, n=GAPS + 1, gamma=ENCODING_GAMMA))


@dataclass(frozen=True, eq=False)
class Levels:
    """A category of three declared levels; x is the number of a person's level.

    Parameters
    ----------
    name : str
    declared : bool, whether levels nobody has get a coefficient too
    """

    name: str
    declared: bool
    claim: Budget = CLAIM
    dimension: int = LEVELS

    def pairs(self) -> Sequence[Pair]:
        """Return people of the first two levels, and one of the first or of the third."""
        others = People.alike(OTHERS, 0.0).plus(People.alike(OTHERS, 1.0))
        one, another = People.alike(1, 0.0), People.alike(1, 2.0)
        return (replaced("the last person has a level of their own", others, one, another),)

    def outputs(self, data: People, runs: int, key: Key) -> FloatArray:
        """Return releases (runs, 3), with 0 for a level that has no coefficient."""
        found = range(LEVELS) if self.declared else sorted(set(data.x[:, 0].astype(int).tolist()))
        columns = list(found)

        def prepare(people: People) -> BatchProblems:
            return weighed(people, x=(people.x == np.array(columns)).astype(float))

        facts = facts_of(((len(columns), 1.0),), n=2 * OTHERS + 1, gamma=ENCODING_GAMMA)
        fit = spherical(self.name, self.pairs()[0], prepare, facts)
        released = np.zeros((runs, LEVELS))
        released[:, columns] = fit.outputs(data, runs, key)
        return released


def _own_encoding() -> Iterator[Fault]:
    """What an encoder learns from the sample: the mean that fills gaps, and the levels that exist.

    Whoever's value is the only one known fills every gap, and a level that only one person has
    makes a coefficient of its own.
    """
    yield Fault(
        name="imputed-mean",
        wrong="missing features are filled by the mean of the sample",
        known_from="common practice; an imputer fitted before the private step",
        shows="one person's value fills every gap",
        broken=partial(imputed, "imputed-mean", by_mean=True),
        healthy=partial(imputed, "imputed-default", by_mean=False),
    )
    yield Fault(
        name="levels-from-rows",
        wrong="a category has the levels that occur in the sample",
        known_from="`get_dummies`, or an encoder fitted to the rows",
        shows="a coefficient exists, or does not",
        broken=partial(Levels, "levels-from-rows", declared=False),
        healthy=partial(Levels, "levels-declared", declared=True),
    )


def faults() -> Iterator[Fault]:
    """Yield every fault of this kind."""
    yield from _own_scaling()
    yield from _own_encoding()
