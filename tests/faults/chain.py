"""What planted faults are made of: the record of a fault, made-up people, and a chain of parts.

A fault is a chain of the library's own parts (weigh, solve, add the noise of a calibration, round)
with one part exchanged; its twin has the right part, and all else is the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from tests.unit.features.domains import of_blocks

from dpwerm.arrays import FloatArray
from dpwerm.audit.target import Key, Pair, Target, rng_of
from dpwerm.draws import Draws
from dpwerm.mechanisms import get_mechanism
from dpwerm.mechanisms.contract import Calibration
from dpwerm.objective.losses import HuberisedHinge, Loss
from dpwerm.objective.regularizers import Ridge
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.sensitivity import Facts, WeightOrigin
from dpwerm.privacy.weight_origin import KnownByDesign
from dpwerm.simulate.engine.released import outside_noise, released
from dpwerm.solve.batch_problems import BatchProblems
from dpwerm.weighting.contract import outcome_weights


@dataclass(frozen=True)
class Fault:
    """A fault that the auditor must catch.

    Parameters
    ----------
    name : str
    wrong : str, what is done
    known_from : str, where it was seen
    shows : str, what the attacker sees
    broken : the target with the fault
    healthy : the same with the right part, on the same pair; it must pass
    """

    name: str
    wrong: str
    known_from: str
    shows: str
    broken: Callable[[], Target]
    healthy: Callable[[], Target]


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
    loss: Loss = HINGE,
    relation: Relation = Relation.REPLACE_ONE,
    origin: WeightOrigin | None = None,
) -> Facts:
    """Return the facts of a problem with the ridge; blocks: (width, s), the intercept first."""
    return Facts(
        weight_bound=weight_bound,
        lipschitz=loss.lipschitz,
        smoothness=loss.smoothness,
        domain=of_blocks(blocks),
        gamma=gamma,
        regularizer=Ridge(),
        relation=relation,
        n=n,
        origin=KnownByDesign() if origin is None else origin,
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


CLAIM = Budget.of(1)
"""What most faults claim."""


@dataclass(frozen=True, eq=False)
class OnePair:
    """A target that is no chain, for one pair of people."""

    name: str
    pair: ClassVar[Pair]
    claim: ClassVar[Budget] = CLAIM
    dimension: ClassVar[int] = 1

    def pairs(self) -> Sequence[Pair]:
        """Return the one pair."""
        return (self.pair,)


TOLERANCE = 1e-9
"""How near the minimiser the simulation comes; far below every noise."""


@dataclass(frozen=True, eq=False)
class Chain:
    r"""Release θ̂ + Z, or argmin F + bᵀθ plus a second noise, as the calibration says.

    .. math:: D \to (w, y, x) \to \operatorname{argmin} F \to \text{noise} \to \text{grid}

    Parameters
    ----------
    name : str
    pair : Pair, the worst neighbours that are known
    calibration : Calibration, the noise that is added and the budget that is claimed
    prepare : the step from a data set of the pair to a weighted problem
    loss : Loss
    solver_gamma : float or None, the γ of the solver where it is not the calibration's
    """

    name: str
    pair: Pair
    calibration: Calibration
    prepare: Callable[[Any], BatchProblems]
    loss: Loss = HINGE
    solver_gamma: float | None = None

    rounds: ClassVar[bool] = True
    """Whether outputs lie on the calibration's grid."""

    @property
    def claim(self) -> Budget:
        """The budget of the calibration."""
        if not isinstance(self.calibration.budget, Budget):
            raise TypeError("a fault claims an epsilon")
        return self.calibration.budget

    @property
    def dimension(self) -> int:
        """The number of coefficients."""
        return self.calibration.facts.dimension

    def pairs(self) -> Sequence[Pair]:
        """Return the one pair."""
        return (self.pair,)

    def outputs(self, data: Any, runs: int, key: Key) -> FloatArray:
        """Return releases on a data set of the pair, (runs, p), on the calibration's grid."""
        rng = rng_of(*key)
        used = self._used
        draws = Draws.of((1, runs), self.dimension, rng)
        theta = released(self.prepare(data), self.loss, [used], draws, tolerance=TOLERANCE)[0, 0]
        if used.inside is not None:
            theta = theta + outside_noise(used, Draws.of((runs,), self.dimension, rng))
        return on_grid(theta, used.noise.exponent)

    def centre(self, data: Any) -> FloatArray:
        """Return the minimiser that noise is added to, (p,); for output perturbation."""
        no_noise = replace(self._used, noise=replace(self.calibration.noise, scale=0.0))
        draws = Draws.of((1, 1), self.dimension, rng_of("centre"))
        found = released(self.prepare(data), self.loss, [no_noise], draws, tolerance=TOLERANCE)
        return np.asarray(found[0, 0, 0])

    @property
    def moved(self) -> float:
        """How far the pair's minimisers lie apart, in units of the noise.

        With spherical Laplace noise this is the ε that is really spent on the pair.
        """
        first, second = (self.centre(data) for data in self.pair.both)
        return float(np.linalg.norm(first - second)) / self.calibration.noise.scale

    @property
    def _used(self) -> Calibration:
        """The calibration with the γ that the solver really has."""
        if self.solver_gamma is None:
            return self.calibration
        return replace(
            self.calibration, facts=replace(self.calibration.facts, gamma=self.solver_gamma)
        )


def spherical(
    name: str,
    pair: Pair,
    prepare: Callable[[Any], BatchProblems],
    facts: Facts,
    *,
    loss: Loss = HINGE,
    solver_gamma: float | None = None,
) -> Chain:
    """Return the chain with spherical Laplace noise for the facts, at ε = 1."""
    calibration = get_mechanism("spherical-laplace").calibrate(facts, CLAIM)
    return Chain(name, pair, calibration, prepare, loss, solver_gamma)


def on_grid(theta: FloatArray, exponent: int) -> FloatArray:
    """Return θ rounded to multiples of 2^e, as a release is."""
    return np.ldexp(np.rint(np.ldexp(theta, -exponent)), exponent)
