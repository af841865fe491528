r"""A solver that ignores γ while the noise uses it: Δ = 2Lr/γ, but the minimiser has no ridge.

.. math:: \varepsilon_{eff} = \varepsilon \, \|\hat\theta - \hat\theta'\|_2 \, \gamma / (2 L r)

The setting in which the reference implementation's logistic regression was measured: γ = 1000,
n = 20, ε = 1, one label flipped.
"""

from collections.abc import Iterator

import numpy as np

from dpwerm.audit.faults.chain import Chain, spherical
from dpwerm.audit.faults.fault import Fault
from dpwerm.audit.faults.people import UNIT, People, facts_of, replaced, weighed
from dpwerm.audit.target import Pair
from dpwerm.problem.losses import Logistic
from dpwerm.solve.batch import BatchProblems

N, GAMMA = 20, 1000.0
FORGOTTEN = 1e-6
"""The γ that the solver has: none but for the sake of an end."""

FLIPPED_AT = 0.77
"""The feature of the person whose label is flipped; there the effective ε is 83."""


def pair() -> Pair:
    """Return people at −1 and 1 with even labels, and one at 0.77 with one label or the other."""
    x = np.array([1.0, 1.0, -1.0, -1.0] * 5)[: N - 1]
    arm = np.array([1.0, -1.0] * 10)[: N - 1]
    others = People(x[:, None], arm, np.ones(N - 1))
    one, another = (People.alike(1, FLIPPED_AT, arm) for arm in (1.0, -1.0))
    return replaced("one label is flipped", others, one, another)


def prepare(people: People) -> BatchProblems:
    """Return people with weight 1 and an intercept."""
    return weighed(people, intercept=1.0)


def chain(name: str, solver_gamma: float | None) -> Chain:
    """Return the chain with another γ in the solver than in the noise."""
    facts = facts_of(UNIT * 2, n=N, gamma=GAMMA, loss=Logistic())
    return spherical(name, pair(), prepare, facts, loss=Logistic(), solver_gamma=solver_gamma)


def faults() -> Iterator[Fault]:
    """Yield the fault."""
    yield Fault(
        name="ignored-gamma",
        wrong="the solver leaves the ridge out, the noise is made for γ = 1000",
        known_from="the reference implementation, logistic regression",
        shows="the minimiser moves many times as far as the noise covers",
        broken=lambda: chain("ignored-gamma", FORGOTTEN),
        healthy=lambda: chain("heeded-gamma", None),
    )
