r"""An intercept with hardly a penalty, where objective perturbation needs γ on every coefficient.

.. math:: \operatorname{argmin} \sum_i w_i \ell(z_i) + \tfrac\gamma2 (f\theta_0^2 + \theta_1^2)
          + b^\top\theta, \qquad f \to 0

One record's bend then multiplies the density by 1 + Wcr²/(fγ), not by 1 + Wcr²/γ. Where the margin
of a person lies in the bend of the loss, outputs crowd; without the person they hardly ever fall
there. The library's solver has one γ, so the intercept's column is stretched by f^(−1/2) instead.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.audit.faults.chain import CLAIM, on_grid
from dpwerm.audit.faults.fault import Fault
from dpwerm.audit.faults.people import HINGE, UNIT, People, facts_of, replaced
from dpwerm.audit.target import Key, Pair, luck
from dpwerm.mechanisms import get_mechanism
from dpwerm.mechanisms.plan import Plan
from dpwerm.privacy.budget import Budget
from dpwerm.simulate.engine.noise import Draws, inside_noise, outside_noise
from dpwerm.solve.batch import BatchProblems, minimise_batch

GAMMA = 32.0
FREE = 1e-3
"""What is left of the intercept's penalty; without any there may be no minimiser."""

NEAR_ENOUGH = 1e-6
"""How near the minimiser the simulation comes; outputs spread over hundreds of units."""


@dataclass(frozen=True, eq=False)
class FreeIntercept:
    """Objective perturbation with γ·f on the intercept; f = 1 is the mechanism as it should be.

    Parameters
    ----------
    name : str
    mechanism : "objective-l2" or "objective-block"
    share : float in (0, 1], f
    """

    name: str
    mechanism: str
    share: float
    claim: Budget = CLAIM
    dimension: int = 2

    @property
    def plan(self) -> Plan:
        """The mechanism's own plan."""
        facts = facts_of(UNIT * 2, n=1, gamma=GAMMA)
        return get_mechanism(self.mechanism).plan(facts, self.claim)

    def pairs(self) -> Sequence[Pair]:
        """Return one person who received one arm or the other."""
        one, another = (People.alike(1, 0.0, arm) for arm in (1.0, -1.0))
        return (replaced("one person, one arm or the other", People.alike(0, 0.0), one, another),)

    def outputs(self, data: People, runs: int, key: Key) -> FloatArray:
        """Return releases (runs, 2)."""
        rng, plan, root = luck(*key), self.plan, math.sqrt(self.share)
        tilt = inside_noise(plan, Draws.of((1, runs), 2, rng))
        stretched = np.array([1 / root, 1.0])
        problem = BatchProblems(data.x[None], data.arm[None], np.ones((1, 1)), 1 / root)
        found = minimise_batch(
            problem, HINGE, GAMMA, tilt=np.asarray(tilt) * stretched, tolerance=NEAR_ENOUGH
        )
        theta = found.theta[0] * stretched + outside_noise(plan, Draws.of((runs,), 2, rng))
        return on_grid(theta, plan.noise.exponent)

    def score(self, outputs: FloatArray, pair: Pair) -> FloatArray:
        """Return the log-ratio of the densities ν(b(θ))·det ∇²F(θ)."""
        first, second = (self._log_density(outputs, data) for data in pair.both)
        return first - second

    def _log_density(self, theta: FloatArray, data: People) -> FloatArray:
        """Return the log-density of one person's release, up to a constant."""
        inside = self.plan.inside
        if inside is None or inside.rate is None:
            raise AssertionError("objective perturbation has a rate")
        row = data.arm[0] * np.array([1.0, data.x[0, 0]])
        penalty = GAMMA * np.array([self.share, 1.0])
        z = theta @ row
        b = -(HINGE.derivative(z)[:, None] * row + penalty * theta)
        order = 2 if inside.norm == "l2" else np.inf
        bend = np.log1p(HINGE.second_derivative(z) * float(row @ (row / penalty)))
        return np.asarray(bend - inside.rate * np.linalg.norm(b, ord=order, axis=1))


def faults() -> Iterator[Fault]:
    """Yield the fault in both norms."""
    for mechanism in ("objective-l2", "objective-block"):
        name = f"free-intercept-{mechanism}"
        yield Fault(
            name=name,
            wrong=f"`{mechanism}` penalises the intercept by a thousandth of γ",
            known_from="regression software, which leaves the intercept out of the penalty",
            shows="outputs crowd where the margin of a person lies in the bend of the loss",
            broken=partial(FreeIntercept, name, mechanism, FREE),
            healthy=partial(FreeIntercept, f"penalised-intercept-{mechanism}", mechanism, 1.0),
        )
