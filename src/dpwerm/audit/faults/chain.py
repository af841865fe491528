"""A pipeline made of the library's own parts: weigh, solve, add the noise of a plan, round.

A fault is a chain with one part exchanged; its twin has the right part, and all else is the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.audit.faults.people import HINGE
from dpwerm.audit.target import Key, Pair, luck
from dpwerm.mechanisms import get_mechanism
from dpwerm.mechanisms.plan import Plan
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.facts import Facts
from dpwerm.problem.losses import MarginLoss
from dpwerm.simulate.engine.noise import Draws, outside_noise
from dpwerm.simulate.engine.released import released
from dpwerm.solve.batch import BatchProblems

CLAIM = Budget.of(1)
"""What most faults claim."""

TOLERANCE = 1e-9
"""How near the minimiser the simulation comes; far below every noise."""


@dataclass(frozen=True, eq=False)
class Chain:
    r"""Release θ̂ + Z, or argmin F + bᵀθ plus a second noise, as the plan says.

    .. math:: D \to (w, y, x) \to \operatorname{argmin} F \to \text{noise} \to \text{grid}

    Parameters
    ----------
    name : str
    pair : Pair, the worst neighbours that are known
    plan : Plan, the noise that is added and the budget that is claimed
    prepare : the step from a data set of the pair to a weighted problem
    loss : MarginLoss
    solver_gamma : float or None, the γ of the solver where it is not the plan's
    """

    name: str
    pair: Pair
    plan: Plan
    prepare: Callable[[Any], BatchProblems]
    loss: MarginLoss = HINGE
    solver_gamma: float | None = None

    rounds: ClassVar[bool] = True
    """Whether outputs lie on the plan's grid."""

    @property
    def claim(self) -> Budget:
        """The budget of the plan."""
        if not isinstance(self.plan.budget, Budget):
            raise TypeError("a fault claims an epsilon")
        return self.plan.budget

    @property
    def dimension(self) -> int:
        """The number of coefficients."""
        return self.plan.facts.dimension

    def pairs(self) -> Sequence[Pair]:
        """Return the one pair."""
        return (self.pair,)

    def outputs(self, data: Any, runs: int, key: Key) -> FloatArray:
        """Return releases on a data set of the pair, (runs, p), on the plan's grid."""
        rng = luck(*key)
        used = self._used
        draws = Draws.of((1, runs), self.dimension, rng)
        theta = released(self.prepare(data), self.loss, [used], draws, tolerance=TOLERANCE)[0, 0]
        if used.inside is not None:
            theta = theta + outside_noise(used, Draws.of((runs,), self.dimension, rng))
        return on_grid(theta, used.noise.exponent)

    def centre(self, data: Any) -> FloatArray:
        """Return the minimiser that noise is added to, (p,); for output perturbation."""
        no_noise = replace(self._used, noise=replace(self.plan.noise, scale=0.0))
        draws = Draws.of((1, 1), self.dimension, luck("centre"))
        found = released(self.prepare(data), self.loss, [no_noise], draws, tolerance=TOLERANCE)
        return np.asarray(found[0, 0, 0])

    @property
    def moved(self) -> float:
        """How far the pair's minimisers lie apart, in units of the noise.

        With spherical Laplace noise this is the ε that is really spent on the pair.
        """
        first, second = (self.centre(data) for data in self.pair.both)
        return float(np.linalg.norm(first - second)) / self.plan.noise.scale

    @property
    def _used(self) -> Plan:
        """The plan with the γ that the solver really has."""
        if self.solver_gamma is None:
            return self.plan
        return replace(self.plan, facts=replace(self.plan.facts, gamma=self.solver_gamma))


def spherical(
    name: str,
    pair: Pair,
    prepare: Callable[[Any], BatchProblems],
    facts: Facts,
    *,
    loss: MarginLoss = HINGE,
    solver_gamma: float | None = None,
) -> Chain:
    """Return the chain with spherical Laplace noise for the facts, at ε = 1."""
    plan = get_mechanism("spherical-laplace").plan(facts, CLAIM)
    return Chain(name, pair, plan, prepare, loss, solver_gamma)


def on_grid(theta: FloatArray, exponent: int) -> FloatArray:
    """Return θ rounded to multiples of 2^e, as a release is."""
    return np.ldexp(np.rint(np.ldexp(theta, -exponent)), exponent)
