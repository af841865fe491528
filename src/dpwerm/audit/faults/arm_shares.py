r"""Propensities from the observed arm proportions, claimed to be known by design.

.. math:: \hat\pi = \#\{y = +1\} / n, \qquad w_i = |v_i| / \hat\pi \text{ or } |v_i| / (1 - \hat\pi)

One person who changes arms raises every weight in the arm they left and lowers all the others.
"""

from collections.abc import Iterator

import numpy as np

from dpwerm.audit.faults.chain import Chain, spherical
from dpwerm.audit.faults.fault import Fault
from dpwerm.audit.faults.people import UNIT, People, facts_of, replaced, weighed
from dpwerm.audit.target import Pair
from dpwerm.rules.outcome_weights import weight_bound
from dpwerm.solve.batch import BatchProblems

HALF, PI_MIN, GAMMA = 50, 0.45, 20.0
N, BOUND = 2 * HALF, weight_bound(1.0, PI_MIN)


def pair() -> Pair:
    """Return even arms of people who gained, and one who lost, in one arm or the other."""
    others = People.alike(HALF - 1, 1.0, arm=1.0).plus(People.alike(HALF, 1.0, arm=-1.0))
    one, another = (People.alike(1, 1.0, arm, benefit=-1.0) for arm in (-1.0, 1.0))
    return replaced("the last person changes arms", others, one, another)


def chain(name: str, *, observed: bool) -> Chain:
    """Return the chain with observed or with designed proportions."""

    def prepare(people: People) -> BatchProblems:
        share = float(np.mean(people.arm > 0)) if observed else 0.5
        share = min(max(share, PI_MIN), 1 - PI_MIN)
        received = np.where(people.arm > 0, share, 1 - share)
        return weighed(people, probability=received, bound=BOUND)

    facts = facts_of(UNIT, n=N, gamma=GAMMA, weight_bound=BOUND)
    return spherical(name, pair(), prepare, facts)


def faults() -> Iterator[Fault]:
    """Yield the fault."""
    yield Fault(
        name="observed-arm-shares",
        wrong="propensities are the observed arm proportions, and C = 0",
        known_from="common practice in trials",
        shows="one person who changes arms moves everybody's weight a little",
        broken=lambda: chain("observed-arm-shares", observed=True),
        healthy=lambda: chain("designed-arm-shares", observed=False),
    )
