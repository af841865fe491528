"""γ chosen by the loss on held-out rows of the same people, at no cost, and then a private fit.

Whoever is held out decides between a γ with much noise and one with little. What is released shows
which it was, and the fit's ε pays for the coefficients alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.audit.faults.chain import CLAIM, Chain, spherical
from dpwerm.audit.faults.fault import Fault
from dpwerm.audit.faults.people import HINGE, UNIT, People, facts_of, replaced, weighed
from dpwerm.audit.target import Key, Pair
from dpwerm.privacy.budget import Budget

GAMMAS = (20.0, 2000.0)
OTHERS = 5


@dataclass(frozen=True, eq=False)
class TunedOnRows:
    """A private fit with the γ that does best on the last row; or with the first γ, untuned.

    Parameters
    ----------
    name : str
    tuned : bool
    """

    name: str
    tuned: bool
    claim: Budget = CLAIM
    dimension: int = 1

    def pairs(self) -> Sequence[Pair]:
        """Return people with one arm, and a held-out person with the same or the other."""
        others = People.alike(OTHERS, 1.0)
        one, another = People.alike(1, 1.0), People.alike(1, 1.0, arm=-1.0)
        return (replaced("the held-out person changes arms", others, one, another),)

    def outputs(self, data: People, runs: int, key: Key) -> FloatArray:
        """Return releases of the chosen fit, (runs, 1)."""
        fits = [self.fit(gamma) for gamma in GAMMAS]
        losses = [self._loss(fit, data) for fit in fits] if self.tuned else [0.0, 1.0]
        return fits[int(np.argmin(losses))].outputs(data, runs, key)

    def fit(self, gamma: float) -> Chain:
        """Return the private fit with that γ."""
        facts = facts_of(UNIT, n=OTHERS + 1, gamma=gamma)
        return spherical(self.name, self.pairs()[0], weighed, facts)

    def _loss(self, fit: Chain, data: People) -> float:
        """Return the loss of the held-out row under a fit to the others."""
        kept = People(data.x[:-1], data.arm[:-1], data.benefit[:-1])
        margin = data.arm[-1:] * data.x[-1:, 0] * fit.centre(kept)[0]
        return float(HINGE.value(margin)[0])


def faults() -> Iterator[Fault]:
    """Yield the fault."""
    yield Fault(
        name="tuned-on-rows",
        wrong="γ is chosen by cross-validation on the same people, at no cost",
        known_from="common practice",
        shows="the grid and the size of the noise tell which γ was chosen",
        broken=partial(TunedOnRows, "tuned-on-rows", tuned=True),
        healthy=partial(TunedOnRows, "not-tuned", tuned=False),
    )
