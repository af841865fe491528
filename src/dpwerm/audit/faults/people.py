"""Made-up people as a pipeline first meets them, before anything is encoded or weighed."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from dpwerm.arrays import FloatArray
from dpwerm.audit.target import Pair
from dpwerm.exact import sqrt_up
from dpwerm.privacy.facts import Facts, WeightOrigin
from dpwerm.privacy.origin import KnownByDesign
from dpwerm.privacy.relation import Relation
from dpwerm.problem.losses import HuberisedHinge, MarginLoss
from dpwerm.rules.outcome_weights import outcome_weights
from dpwerm.solve.batch import BatchProblems

HINGE = HuberisedHinge(0.5)
"""The loss of most faults: straight up to a margin of 1/2, so that worst cases are plain sums."""

UNIT = ((1, 1.0),)
"""One column, within [−1, 1] or an intercept of 1."""


@dataclass(frozen=True, eq=False)
class People:
    """n people: features x (n, d), NaN where missing, arms received (n,), benefits (n,)."""

    x: FloatArray
    arm: FloatArray
    benefit: FloatArray

    @classmethod
    def alike(cls, n: int, x: ArrayLike, arm: float = 1.0, benefit: float = 1.0) -> "People":
        """Return n people who are all the same."""
        row = np.atleast_1d(np.asarray(x, float))
        return cls(np.tile(row, (n, 1)), np.full(n, arm), np.full(n, benefit))

    def plus(self, other: "People") -> "People":
        """Return these people and then others."""
        return People(
            np.concatenate([self.x, other.x]),
            np.concatenate([self.arm, other.arm]),
            np.concatenate([self.benefit, other.benefit]),
        )


def replaced(name: str, others: People, one: People, another: People) -> Pair:
    """Return neighbours: the same others, and after them one person or another."""
    return Pair(name, others.plus(one), others.plus(another))


def facts_of(
    blocks: Sequence[tuple[int, float]],
    *,
    n: int | None,
    gamma: float,
    weight_bound: float = 1.0,
    loss: MarginLoss = HINGE,
    relation: Relation = Relation.REPLACE_ONE,
    origin: WeightOrigin | None = None,
) -> Facts:
    """Return the facts of a problem with the ridge; blocks: (width, s), the intercept first."""
    return Facts(
        weight_bound=weight_bound,
        lipschitz=loss.lipschitz,
        radius=sqrt_up(sum((Fraction(s) ** 2 for _, s in blocks), start=Fraction(0))),
        gamma=gamma,
        relation=relation,
        n=n,
        origin=KnownByDesign() if origin is None else origin,
        smoothness=loss.smoothness,
        blocks=tuple(blocks),
        regularizer="ridge",
    )


def weighed(
    people: People,
    *,
    probability: ArrayLike = 1.0,
    bound: float = 1.0,
    x: FloatArray | None = None,
    benefit: FloatArray | None = None,
    intercept: float = 0.0,
) -> BatchProblems:
    """Return one weighted problem by the library's own weights |v|/P.

    Parameters
    ----------
    people : People
    probability : P of the arm received, one number or (n,)
    bound : W, where weights are cut
    x, benefit : encoded features and centred benefits, where they are not the people's own
    intercept : s₀, 0 for none
    """
    chances = np.broadcast_to(np.asarray(probability, float), people.arm.shape)
    v = people.benefit if benefit is None else benefit
    labels, weights = outcome_weights(people.arm, v, chances, bound)
    rows = people.x if x is None else x
    return BatchProblems(rows[None], labels[None], weights[None], intercept)
