r"""Numbers in the unit cube and a score f(x) = θ₀ + Σ θ_j x_j: the paper's problem and its kin.

.. math:: \mu_y(x) = 0.01 + 0.02\,x_4 + m^\top x + 3\,y\,f(x), \qquad y = \mp 1

The second arm is better where f(x) > 0. With the paper's θ, m = 0 and no useless feature this is
the paper's own trial; each variant changes one thing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from scipy.special import expit, ndtr, ndtri

from dpwerm.arrays import FloatArray
from dpwerm.simulate.scenarios.scenario import Outcome, Scenario, ZeroOne, numbers, two_arms

PAPER_THETA = (1.0, 1.0, 1.0, -1.8, -2.2)
"""The paper's θ₀, intercept first."""


@dataclass(frozen=True, kw_only=True)
class UnitCube(Scenario):
    """Independent features, uniform on [0, 1], and a contrast 6·f(x).

    Parameters
    ----------
    theta : tuple of float
        θ, intercept first.
    main : tuple of float
        m, what each feature adds to the benefit in both arms; shorter than x means 0 beyond.
    useless : int ≥ 0
        How many more features there are, which change nothing.
    """

    theta: tuple[float, ...] = PAPER_THETA
    main: tuple[float, ...] = ()
    useless: int = 0

    @property
    def _used(self) -> int:
        return len(self.theta) - 1

    def features(self) -> Mapping[str, Mapping[str, object]]:
        """Return the declaration of each feature: a number in [0, 1]."""
        names = [f"x{j + 1}" for j in range(self._used + self.useless)]
        return {name: {"kind": "number", "bounds": [0, 1]} for name in names}

    def place(self, uniforms: FloatArray) -> pa.Table:
        """Return the features of people from independent uniform numbers, one column each."""
        return pa.table(dict(zip(self.features(), uniforms.T.copy(), strict=True)))

    def score(self, table: pa.Table) -> FloatArray:
        """Return f(x) = θ₀ + Σ θ_j x_j, shape (n,)."""
        return np.asarray(self.theta[0] + self._x(table) @ np.array(self.theta[1:]))

    def means(self, table: pa.Table) -> FloatArray:
        """Return E[B | x, arm], shape (n, 2), first arm first."""
        x = self._x(table)
        # With fewer than four features the last one takes the place of x₄.
        common = 0.01 + 0.02 * x[:, min(self._used, 4) - 1]
        common = common + x[:, : len(self.main)] @ np.array(self.main)
        return two_arms(common, 6.0 * self.score(table))

    def _x(self, table: pa.Table) -> FloatArray:
        return np.column_stack([numbers(table, f"x{j + 1}") for j in range(self._used)])


@dataclass(frozen=True, kw_only=True)
class TruncatedNormal(UnitCube):
    """The same with x_j normal around ``centres[j]``, cut off at 0 and 1.

    Parameters
    ----------
    centres : tuple of float
        One for each feature.
    sd : float > 0
        Of the normal law before it is cut off.
    """

    centres: tuple[float, ...] = (0.25, 0.5, 0.75, 0.5)
    sd: float = 0.3

    def place(self, uniforms: FloatArray) -> pa.Table:
        """Return the features of people by the inverse of the distribution function."""
        centres = np.array(self.centres)
        low, high = ndtr((0.0 - centres) / self.sd), ndtr((1.0 - centres) / self.sd)
        x = centres + self.sd * ndtri(low + uniforms * (high - low))
        return super().place(np.clip(x, 0.0, 1.0))


@dataclass(frozen=True, kw_only=True)
class ZeroOneBenefit(UnitCube):
    """A benefit of 0 or 1 with P(1 | x, y) = expit(−0.4 + 0.8·x₁ + y·f(x)).

    The probability increases with its argument, so the boundary is still f(x) = 0.
    """

    bounds: tuple[float, float] = (0.0, 1.0)
    outcome: Outcome = field(default_factory=ZeroOne)

    def means(self, table: pa.Table) -> FloatArray:
        """Return E[B | x, arm], shape (n, 2), first arm first."""
        common = -0.4 + 0.8 * numbers(table, "x1")
        score = self.score(table)
        return np.column_stack([expit(common - score), expit(common + score)])


@dataclass(frozen=True, kw_only=True)
class Circle(UnitCube):
    """The second arm is better inside a circle around (0.15, 0.15) in the first two features."""

    linear: bool = False
    radius: float = 0.75

    def score(self, table: pa.Table) -> FloatArray:
        """Return f(x) = 2·(radius² − (x₁ − 0.15)² − (x₂ − 0.15)²), shape (n,)."""
        x = self._x(table)
        distance2 = (x[:, 0] - 0.15) ** 2 + (x[:, 1] - 0.15) ** 2
        return np.asarray(2.0 * (self.radius**2 - distance2))


@dataclass(frozen=True, kw_only=True)
class SameEffect(UnitCube):
    """The second arm adds ``effect`` for everybody, 0 included; features matter in both arms."""

    effect: float = 0.0

    def score(self, table: pa.Table) -> FloatArray:
        """Return effect/6, so that the contrast is the effect, shape (n,)."""
        return np.full(table.num_rows, self.effect / 6.0)
