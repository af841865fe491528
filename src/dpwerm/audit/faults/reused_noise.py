"""The same seed for two releases: their difference has no noise at all.

A rule from all people and one without the last person, each at ε = 1, claimed to cost 2 together.
With the same noise in both, the difference of the two is the difference of the two minimisers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.audit.faults.chain import Chain, spherical
from dpwerm.audit.faults.fault import Fault
from dpwerm.audit.faults.people import UNIT, People, facts_of, replaced, weighed
from dpwerm.audit.target import Key, Pair
from dpwerm.privacy.budget import Budget

OTHERS, GAMMA = 4, 20.0
BOTH = Budget.of(2)
"""What the two releases cost together if their noise is independent."""


@dataclass(frozen=True, eq=False)
class TwoReleases:
    """A rule from everybody and one without the last person, with noise that is shared or not.

    Parameters
    ----------
    name : str
    shared : bool, whether both have the same noise
    """

    name: str
    shared: bool
    claim: Budget = BOTH
    dimension: int = 2

    @property
    def fit(self) -> Chain:
        """Each of the two fits; a missing person has weight 0 and still counts."""
        return spherical("fit", self.pairs()[0], weighed, facts_of(UNIT, n=OTHERS + 1, gamma=GAMMA))

    def pairs(self) -> Sequence[Pair]:
        """Return people with one arm, and one more with that arm or the other."""
        one, another = (People.alike(1, 1.0, arm) for arm in (1.0, -1.0))
        return (replaced("the last person changes arms", People.alike(OTHERS, 1.0), one, another),)

    def outputs(self, data: People, runs: int, key: Key) -> FloatArray:
        """Return both releases of each run, (runs, 2)."""
        keys = (key, key) if self.shared else ((*key, "one"), (*key, "other"))
        parts = zip((data, without_last(data)), keys, strict=True)
        return np.column_stack([self.fit.outputs(people, runs, luck) for people, luck in parts])

    def score(self, outputs: FloatArray, pair: Pair) -> FloatArray:
        """Return how much nearer the difference of the two is to the first data set's."""
        found = outputs[:, 0] - outputs[:, 1]
        expected = [
            float(self.fit.centre(data)[0] - self.fit.centre(without_last(data))[0])
            for data in pair.both
        ]
        return np.asarray(np.abs(found - expected[1]) - np.abs(found - expected[0]))


def without_last(people: People) -> People:
    """Return the people with no benefit, and so no weight, for the last."""
    benefit = people.benefit.copy()
    benefit[-1] = 0.0
    return People(people.x, people.arm, benefit)


def faults() -> Iterator[Fault]:
    """Yield the fault."""
    yield Fault(
        name="reused-noise",
        wrong="two releases are made with the same seed, and their costs are added",
        known_from="a `random_state` left in a script",
        shows="the difference of the two has no noise",
        broken=partial(TwoReleases, "reused-noise", shared=True),
        healthy=partial(TwoReleases, "fresh-noise", shared=False),
    )
