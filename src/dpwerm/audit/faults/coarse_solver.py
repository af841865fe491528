r"""Objective perturbation whose solver stops early, with no second noise to hide where.

.. math:: |b| \le \gamma\tau \;\Rightarrow\; \text{release } \hat\theta(D)

The solver starts from the minimiser without noise. Where b is small that point is near enough at
once, and what is released is θ̂(D) itself. The second noise, made for 2τ, is what the twin adds.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.audit.faults.chain import CLAIM, TOLERANCE, on_grid
from dpwerm.audit.faults.fault import Fault
from dpwerm.audit.faults.people import HINGE, UNIT, People, facts_of, replaced, weighed
from dpwerm.audit.target import Key, Pair, luck
from dpwerm.exact import round_up
from dpwerm.mechanisms import get_mechanism
from dpwerm.mechanisms.noise import Noise
from dpwerm.mechanisms.perturbed import SECOND
from dpwerm.mechanisms.plan import Plan
from dpwerm.privacy.budget import Budget
from dpwerm.simulate.engine.noise import Draws, inside_noise
from dpwerm.solve.batch import minimise_batch

GAMMA, COARSE = 20.0, 2e-4
"""γ, and τ: a five-hundredth of how far one person moves the minimiser."""


@dataclass(frozen=True, eq=False)
class CoarseSolver:
    """objective-l2 solved to a coarse τ from a warm start, with or without the second noise.

    Parameters
    ----------
    name : str
    second : bool, whether the second noise is added
    """

    name: str
    second: bool
    claim: Budget = CLAIM
    dimension: int = 1

    @property
    def plan(self) -> Plan:
        """The mechanism's own plan."""
        return get_mechanism("objective-l2").plan(facts_of(UNIT, n=2, gamma=GAMMA), self.claim)

    @property
    def second_noise(self) -> Noise:
        """The noise that hides a distance of τ, at the plan's ε_out."""
        inside = self.plan.inside
        if inside is None:
            raise AssertionError("objective perturbation has noise inside")
        reach = round_up(2 * Fraction(COARSE))
        return SECOND.calibrate(reach, self.dimension, Budget(inside.epsilon_outside))

    def pairs(self) -> Sequence[Pair]:
        """Return two people with the same arm, or with both."""
        one, another = (People.alike(1, 1.0, arm) for arm in (1.0, -1.0))
        return (replaced("the last person changes arms", People.alike(1, 1.0), one, another),)

    def start(self, data: People) -> float:
        """Return θ̂(D), where the solver starts."""
        found = minimise_batch(weighed(data), HINGE, GAMMA, tolerance=TOLERANCE)
        return float(found.theta[0, 0])

    def outputs(self, data: People, runs: int, key: Key) -> FloatArray:
        """Return releases (runs, 1)."""
        rng, plan, start = luck(*key), self.plan, self.start(data)
        tilt = np.asarray(inside_noise(plan, Draws.of((1, runs), 1, rng)))
        solved = minimise_batch(weighed(data), HINGE, GAMMA, tilt=tilt, tolerance=TOLERANCE)
        near = np.abs(tilt[0]) <= GAMMA * COARSE
        theta = np.where(near, start, solved.theta[0])
        if not self.second:
            return theta
        noise = self.second_noise
        return on_grid(theta + rng.laplace(scale=noise.scale, size=(runs, 1)), noise.exponent)

    def score(self, outputs: FloatArray, pair: Pair) -> FloatArray:
        """Return 1 or −1 where an output is the start of one side, else 0."""
        first, second = (outputs[:, 0] == self.start(data) for data in pair.both)
        return np.asarray(first.astype(float) - second.astype(float))


def faults() -> Iterator[Fault]:
    """Yield the fault."""
    yield Fault(
        name="coarse-solver",
        wrong="objective perturbation is solved coarsely, and no second noise is added",
        known_from="solvers that stop at a tolerance",
        shows="sometimes the solver stops where it started, at the answer without noise",
        broken=partial(CoarseSolver, "coarse-solver", second=False),
        healthy=partial(CoarseSolver, "coarse-solver-covered", second=True),
    )
