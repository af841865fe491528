"""A declared weight bound W that nobody enforces: weights are as large as they come."""

import math
from collections.abc import Iterator
from functools import partial

from dpwerm.audit.faults.chain import Chain, spherical
from dpwerm.audit.faults.fault import Fault
from dpwerm.audit.faults.people import UNIT, People, facts_of, replaced, weighed

GAMMA, LARGE = 20.0, 3.0
"""γ, and a weight in units of the declared bound."""


def chain(name: str, bound: float) -> Chain:
    """Return the chain that cuts weights at ``bound`` and claims that it is 1."""
    one, another = (People.alike(1, 1.0, arm, benefit=LARGE) for arm in (1.0, -1.0))
    pair = replaced("a weight of 3, one arm or the other", People.alike(0, 1.0), one, another)
    return spherical(name, pair, partial(weighed, bound=bound), facts_of(UNIT, n=1, gamma=GAMMA))


def faults() -> Iterator[Fault]:
    """Yield the fault."""
    yield Fault(
        name="loose-weights",
        wrong="a weight bound is declared and not enforced",
        known_from="inverse propensities near 0",
        shows="one heavy person moves the minimiser further than the noise covers",
        broken=partial(chain, "loose-weights", math.inf),
        healthy=partial(chain, "clipped-weights", 1.0),
    )
