"""What an encoder learns from the sample: the mean that fills gaps, and the levels that exist.

Whoever's value is the only one known fills every gap, and a level that only one person has makes a
coefficient of its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.audit.faults.chain import CLAIM, Chain, spherical
from dpwerm.audit.faults.fault import Fault
from dpwerm.audit.faults.people import UNIT, People, facts_of, replaced, weighed
from dpwerm.audit.target import Key, Pair
from dpwerm.privacy.budget import Budget
from dpwerm.solve.batch import BatchProblems

GAPS, OTHERS, GAMMA = 5, 4, 20.0
LEVELS = 3


def imputed(name: str, *, by_mean: bool) -> Chain:
    """Return the chain that fills gaps by the sample's mean, or by a declared 0."""

    def prepare(people: People) -> BatchProblems:
        default = float(np.nanmean(people.x)) if by_mean else 0.0
        return weighed(people, x=np.where(np.isnan(people.x), default, people.x))

    one, another = People.alike(1, 1.0), People.alike(1, -1.0)
    pair = replaced("the one known value", People.alike(GAPS, np.nan), one, another)
    return spherical(name, pair, prepare, facts_of(UNIT, n=GAPS + 1, gamma=GAMMA))


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

        facts = facts_of(((len(columns), 1.0),), n=2 * OTHERS + 1, gamma=GAMMA)
        fit = spherical(self.name, self.pairs()[0], prepare, facts)
        released = np.zeros((runs, LEVELS))
        released[:, columns] = fit.outputs(data, runs, key)
        return released


def faults() -> Iterator[Fault]:
    """Yield both faults."""
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
