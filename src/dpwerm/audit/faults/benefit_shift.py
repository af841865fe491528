r"""Benefits shifted by their own minimum: B + |min B| + 0.001, with C = 0, as the paper does.

.. math:: \sum_{i<n} |\tilde w_i - w_i| = (n-1) \, V / P

One person with the least benefit raises everybody's weight, and C = 0 pays for nobody else's.
"""

from collections.abc import Iterator

import numpy as np

from dpwerm.audit.faults.chain import Chain, spherical
from dpwerm.audit.faults.fault import Fault
from dpwerm.audit.faults.people import UNIT, People, facts_of, replaced, weighed
from dpwerm.audit.target import Pair
from dpwerm.rules.outcome_weights import weight_bound
from dpwerm.solve.batch import BatchProblems
from dpwerm.study.benefit import Benefit

N, GAMMA, CHANCE = 21, 200.0, 0.5
HAIR = 0.001
"""What the paper adds so that no weight is 0."""

BENEFIT = Benefit.model_validate({"column": "benefit", "bounds": (-1.0, 1.0)})


def pair() -> Pair:
    """Return people whose benefit is 0, and one more with 0 or with the least there is."""
    others = People.alike(N - 1, 1.0, benefit=0.0)
    one, another = People.alike(1, 1.0, benefit=-1.0), People.alike(1, 1.0, benefit=0.0)
    return replaced("the last person has the least benefit of all, or not", others, one, another)


def broken() -> Chain:
    """Return the chain that shifts by the sample's minimum."""
    bound = weight_bound(2 * BENEFIT.clip + HAIR, CHANCE)

    def prepare(people: People) -> BatchProblems:
        shifted = people.benefit + abs(people.benefit.min()) + HAIR
        return weighed(people, probability=CHANCE, bound=bound, benefit=shifted)

    return spherical(
        "benefit-shift", pair(), prepare, facts_of(UNIT, n=N, gamma=GAMMA, weight_bound=bound)
    )


def healthy() -> Chain:
    """Return the chain that centres by the middle of the declared bounds."""
    bound = weight_bound(BENEFIT.clip, CHANCE)

    def prepare(people: People) -> BatchProblems:
        centred = BENEFIT.centred(np.array(people.benefit))
        return weighed(people, probability=CHANCE, bound=bound, benefit=centred)

    return spherical(
        "benefit-centred", pair(), prepare, facts_of(UNIT, n=N, gamma=GAMMA, weight_bound=bound)
    )


def faults() -> Iterator[Fault]:
    """Yield the fault."""
    yield Fault(
        name="benefit-shift",
        wrong="benefits are shifted by B + |min B| + 0.001, and C = 0",
        known_from="the paper, synthetic and SJCRH experiments",
        shows="one person's loss raises everybody's weight",
        broken=broken,
        healthy=healthy,
    )
