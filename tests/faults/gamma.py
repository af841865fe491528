"""Faults of γ: chosen on the rows, or from their number, at no cost."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from tests.faults import chain

from dpwerm.arrays import FloatArray
from dpwerm.audit.target import Key, Pair
from dpwerm.privacy.budget import Relation

GAMMAS = (20.0, 2000.0)
OTHERS = 5


@dataclass(frozen=True, eq=False)
class TunedOnRows(chain.OnePair):
    """A private fit with the γ that does best on the last row; or with the first γ, untuned.

    The pair: people with one arm, and a held-out person with the same or the other.
    """

    tuned: bool
    pair: ClassVar[Pair] = chain.replaced(
        "the held-out person changes arms",
        chain.People.alike(OTHERS, 1.0),
        *(chain.People.alike(1, 1.0, arm) for arm in (1.0, -1.0)),
    )

    def outputs(self, data: chain.People, runs: int, key: Key) -> FloatArray:
        """Return releases of the chosen fit, (runs, 1)."""
        fits = [self.fit(gamma) for gamma in GAMMAS]
        losses = [self._loss(fit, data) for fit in fits] if self.tuned else [0.0, 1.0]
        return fits[int(np.argmin(losses))].outputs(data, runs, key)

    def fit(self, gamma: float) -> chain.Chain:
        """Return the private fit with that γ."""
        facts = chain.facts_of(chain.UNIT, n=OTHERS + 1, gamma=gamma)
        return chain.spherical(self.name, self.pair, chain.weighed, facts)

    def _loss(self, fit: chain.Chain, data: chain.People) -> float:
        """Return the loss of the held-out row under a fit to the others."""
        kept = chain.People(data.x[:-1], data.arm[:-1], data.benefit[:-1])
        margin = data.arm[-1:] * data.x[-1:, 0] * fit.centre(kept)[0]
        return float(chain.HINGE.value(margin)[0])


def _tuned_on_rows() -> Iterator[chain.Fault]:
    """γ chosen by the loss on held-out rows of the same people, at no cost, and then a private fit.

    Whoever is held out decides between a γ with much noise and one with little. What is released
    shows which it was, and the fit's ε pays for the coefficients alone.
    """
    yield chain.Fault(
        name="tuned-on-rows",
        wrong="γ is chosen by cross-validation on the same people, at no cost",
        known_from="common practice",
        shows="the grid and the size of the noise tell which γ was chosen",
        broken=partial(TunedOnRows, "tuned-on-rows", tuned=True),
        healthy=partial(TunedOnRows, "not-tuned", tuned=False),
    )


PER_PERSON = 20.0


@dataclass(frozen=True, eq=False)
class GammaFromN(chain.OnePair):
    """A fit with γ for the observed or for a planned number of people.

    planned : the number that γ is made for; None for the observed one
    The pair: one person, and two who cancel each other.
    """

    planned: int | None
    pair: ClassVar[Pair] = chain.replaced(
        "a second person joins",
        chain.People.alike(1, 1.0),
        *(chain.People.alike(count, 1.0, -1.0) for count in (0, 1)),
    )

    def outputs(self, data: chain.People, runs: int, key: Key) -> FloatArray:
        """Return releases (runs, 1)."""
        n = len(data.arm) if self.planned is None else self.planned
        facts = chain.facts_of(
            chain.UNIT, n=None, gamma=PER_PERSON * n, relation=Relation.ADD_REMOVE
        )
        return chain.spherical(self.name, self.pair, chain.weighed, facts).outputs(data, runs, key)


def _gamma_from_n() -> Iterator[chain.Fault]:
    r"""γ in proportion to the number of rows under add/remove, where that number is sensitive.

    .. math:: \gamma = c\,n, \qquad \Delta = W L r / \gamma

    The noise then shrinks when a person is added, and Δ covers a shift, not a change of scale.
    """
    yield chain.Fault(
        name="gamma-from-n",
        wrong="γ grows with the number of rows, under add/remove",
        known_from="objectives that are a mean; the paper's λ = γ/n",
        shows="the grid and the size of the noise tell how many there are",
        broken=partial(GammaFromN, "gamma-from-n", None),
        healthy=partial(GammaFromN, "gamma-from-plan", 2),
    )


def faults() -> Iterator[chain.Fault]:
    """Yield every fault of this kind."""
    yield from _tuned_on_rows()
    yield from _gamma_from_n()
