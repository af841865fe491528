"""Plugged in from outside: a Huber loss of residuals, a design (1, x ⊗ e_arm), a penalty matrix.

Each person's x stands in the columns of the own arm, so a design row lies in a hull of the arms'
sets beside the constant. The penalty pulls the arms towards each other. None of it is in the
package.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

import numpy as np
from flint import arb

from dpwerm.arrays import FloatArray
from dpwerm.features.composed import Hull, Product
from dpwerm.features.domain import Domain, Interval
from dpwerm.features.encoding import Encoding
from dpwerm.objective.regularizers import QuadraticPenalty
from dpwerm.study.treatment import Declaration
from dpwerm.weighting.contract import TrialRows, Weighting

if TYPE_CHECKING:
    from dpwerm.weighting.trial import Trial

Number = TypeVar("Number")


@dataclass(frozen=True)
class Huber:
    r"""Return z²/2 for |z| ≤ T and T|z| − T²/2 beyond, z = score − target: L = T, c = 1."""

    width: float = 0.5

    name: ClassVar[str] = "plugged-huber"
    form: ClassVar[str] = "residual"
    smoothness: ClassVar[float] = 1.0
    derivative_error: ClassVar[float] = 0.0

    @property
    def parameters(self) -> dict[str, float]:
        return {"width": self.width}

    @property
    def lipschitz(self) -> float:
        return self.width

    def value(self, z: FloatArray) -> FloatArray:
        near = np.minimum(np.abs(z), self.width)
        return np.asarray(near * (np.abs(z) - near / 2))

    def derivative(self, z: FloatArray) -> FloatArray:
        return np.clip(z, -self.width, self.width)

    def second_derivative(self, z: FloatArray) -> FloatArray:
        return (np.abs(z) < self.width).astype(np.float64)

    def derivative_ball(self, z: arb) -> arb:
        return z.max(-arb(self.width)).min(arb(self.width))


@dataclass(frozen=True)
class Together(QuadraticPenalty):
    """M = 1 on the constant, and (1 + pull, −pull; −pull, 1 + pull) ⊗ I on the two arms."""

    pull: float = 1.0

    name: ClassVar[str] = "together"

    @property
    def parameters(self) -> dict[str, float]:
        return {"pull": self.pull}

    def matrix(self, p: int) -> FloatArray:
        half = (p - 1) // 2
        whole = np.eye(p)
        eye = self.pull * np.eye(half)
        first, second = slice(1, 1 + half), slice(1 + half, 1 + 2 * half)
        whole[first, first] += eye
        whole[second, second] += eye
        whole[first, second] -= eye
        whole[second, first] -= eye
        return whole


@dataclass(frozen=True)
class ArmWise(Weighting):
    """Regression of the benefit on x in the own arm's columns, beside a common mean: W = 1."""

    name: ClassVar[str] = "arms-and-mean"
    form: ClassVar[str] = "residual"

    def domain(self, encoding: Encoding) -> Domain:
        return Product((Interval(1.0), Hull((encoding.domain, encoding.domain))))

    def constant(self, encoding: Encoding) -> float:
        del encoding
        return 1.0

    def coefficient_names(self, encoding: Encoding) -> tuple[str, ...]:
        names = encoding.coefficient_names
        return ("mean", *(f"first: {name}" for name in names), *(f"second: {n}" for n in names))

    def weight_bound(self, declaration: Declaration) -> float:
        del declaration
        return 1.0

    def rows(
        self, trial: "Trial", declaration: Declaration, encoding: Encoding, second: FloatArray
    ) -> TrialRows:
        del second
        benefit = declaration.benefit.centred(trial.outcome) / declaration.benefit.clip
        known = ~(np.isnan(trial.arm) | np.isnan(benefit))
        targets = np.where(known, benefit, 0.0)
        received = np.where(known, trial.arm, 0.0)
        return TrialRows(trial.encode(encoding), targets, known.astype(np.float64), received)

    def design(self, X: FloatArray, received: FloatArray | None, encoding: Encoding) -> FloatArray:
        arm = cast("FloatArray", received)
        whole = X
        if encoding.intercept_scale > 0:
            whole = np.column_stack([np.full(len(X), encoding.intercept_scale), X])
        return np.hstack([whole * (arm < 0)[:, None], whole * (arm > 0)[:, None]])

    def rule(self, coefficients: Sequence[Number], encoding: Encoding) -> tuple[Number, ...]:
        del encoding
        numbers = cast("Sequence[int]", coefficients)
        half = (len(numbers) - 1) // 2
        pairs = zip(numbers[1 + half :], numbers[1 : 1 + half], strict=True)
        return tuple(cast("Number", second - first) for second, first in pairs)
