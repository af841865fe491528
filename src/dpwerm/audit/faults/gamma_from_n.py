r"""γ in proportion to the number of rows under add/remove, where that number is sensitive.

.. math:: \gamma = c\,n, \qquad \Delta = W L r / \gamma

The noise then shrinks when a person is added, and Δ covers a shift, not a change of scale.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from dpwerm.arrays import FloatArray
from dpwerm.audit.faults.chain import CLAIM, spherical
from dpwerm.audit.faults.fault import Fault
from dpwerm.audit.faults.people import UNIT, People, facts_of, replaced, weighed
from dpwerm.audit.target import Key, Pair
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.relation import Relation

PER_PERSON = 20.0


@dataclass(frozen=True, eq=False)
class GammaFromN:
    """A fit with γ for the observed or for a planned number of people.

    Parameters
    ----------
    name : str
    planned : int or None, the number that γ is made for; None for the observed one
    """

    name: str
    planned: int | None
    claim: Budget = CLAIM
    dimension: int = 1

    def pairs(self) -> Sequence[Pair]:
        """Return one person, and two who cancel each other."""
        nobody, other = People.alike(0, 1.0), People.alike(1, 1.0, arm=-1.0)
        return (replaced("a second person joins", People.alike(1, 1.0), nobody, other),)

    def outputs(self, data: People, runs: int, key: Key) -> FloatArray:
        """Return releases (runs, 1)."""
        n = len(data.arm) if self.planned is None else self.planned
        facts = facts_of(UNIT, n=None, gamma=PER_PERSON * n, relation=Relation.ADD_REMOVE)
        return spherical(self.name, self.pairs()[0], weighed, facts).outputs(data, runs, key)


def faults() -> Iterator[Fault]:
    """Yield the fault."""
    yield Fault(
        name="gamma-from-n",
        wrong="γ grows with the number of rows, under add/remove",
        known_from="objectives that are a mean; the paper's λ = γ/n",
        shows="the grid and the size of the noise tell how many there are",
        broken=partial(GammaFromN, "gamma-from-n", None),
        healthy=partial(GammaFromN, "gamma-from-plan", 2),
    )
