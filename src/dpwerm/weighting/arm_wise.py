r"""Arm-wise regression: the benefit on x in the own arm's columns, one score for each arm.

.. math:: \xi = (x\,1[a = -1],\; x\,1[a = +1],\; c(x)), \qquad t = v, \qquad w = 1

v is the benefit in units of half its range. ⟨x, θ_a⟩ models what a person gets in arm a, and the
rule compares them, so no probability is needed: what it rests on is that model of the outcome. A
row stands in one arm's columns, so the set of rows is a hull, and with its norm the noise of each
arm is independent and at the full rate β. c(x) are curves that both arms share: 2x² − 1 and
4x³ − 3x of each number, which bend the main effect and leave the rule linear. The penalty of their
coefficients may be larger than that of the main effect: then less of a row's leverage is theirs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.features.blocks import NumberBlock
from dpwerm.features.composed import Hull, Product
from dpwerm.features.domain import Domain, Interval
from dpwerm.features.encoding import Encoding
from dpwerm.objective.regularizers import ArmPenalty, Regularizer
from dpwerm.parameters import positive
from dpwerm.study.treatment import Declaration
from dpwerm.weighting.contract import Number, PublicOutcome, TrialRows, Weighting, whole_rows
from dpwerm.weighting.trial import Trial

DEGREES = (1.0, 2.0, 3.0)
CURVES = ("²", "³")


@dataclass(frozen=True)
class ArmWiseRegression(Weighting):
    """The regression of a benefit in each of two arms; W = 1.

    degree : 1, or 2 or 3 for squares, or squares and cubes, of numbers in the main effect
    bend : float ≥ 1, the penalty of these curves in units of the main effect's; 1 for degree 1
    """

    degree: float = 1.0
    bend: float = 1.0

    name: ClassVar[str] = "arm-wise"
    form: ClassVar[str] = "residual"
    options: ClassVar[tuple[str, ...]] = ("width", "main", "degree", "bend")
    uses_probabilities: ClassVar[bool] = False
    difference: ClassVar[float] = 1.0
    rests_on: ClassVar[str] = (
        "a linear model of the outcome in each arm; no probabilities of the arms are used"
    )

    def __post_init__(self) -> None:
        if self.degree not in DEGREES:
            raise ParameterError(f"degree must be 1, 2 or 3, not {self.degree!r}")
        bend = positive("bend", self.bend)
        if bend < 1:
            raise ParameterError(f"bend must be at least 1, not {bend:g}")
        if bend > 1 and self.degree == 1:
            raise ParameterError("bend must be 1 where degree is 1, which has no curves")
        object.__setattr__(self, "degree", float(self.degree))
        object.__setattr__(self, "bend", bend)

    @property
    def parameters(self) -> dict[str, float]:
        """The degree of the main effect, and the penalty of its curves if it is their own."""
        return {"degree": self.degree} | ({"bend": self.bend} if self.bend != 1 else {})

    def penalty(self, encoding: Encoding, main: float) -> Regularizer:
        """Return the penalty: γ·max(main, 1) on what the arms share, γ·max(1/main, 1) between.

        Curves have ``bend`` times the first.
        """
        shared = float(len(self._curves(encoding)))
        return ArmPenalty(max(main, 1.0), max(1 / main, 1.0), 2.0, shared, self.bend)

    def weight_bound(self, declaration: Declaration) -> float:
        """Return 1."""
        del declaration
        return 1.0

    def rows(
        self, trial: Trial, declaration: Declaration, encoding: Encoding, second: FloatArray
    ) -> TrialRows:
        """Return x, v and weight 1; what is missing gets weight 0 and counts in n."""
        del second
        v = declaration.benefit.scaled(trial.outcome)
        usable = ~(np.isnan(trial.arm) | np.isnan(v))
        arm = np.where(usable, trial.arm, 1.0)
        weights = usable.astype(np.float64)
        return TrialRows(trial.encode(encoding), np.where(usable, v, 0.0), weights, arm)

    def simulated(
        self,
        arm: FloatArray,
        u: FloatArray,
        probability: FloatArray,
        outcome: PublicOutcome,
        clip: float,
    ) -> tuple[FloatArray, FloatArray]:
        """Return targets and weights of synthetic trials."""
        del arm, probability, outcome, clip
        return u, np.ones_like(u)

    def domain(self, encoding: Encoding) -> Domain:
        """Return the hull of the arms' sets, beside an interval for each curve."""
        arms = Hull((encoding.domain, encoding.domain))
        curves = [Interval(1.0)] * len(self._curves(encoding))
        return Product((arms, *curves)) if curves else arms

    def constant(self, encoding: Encoding) -> float:
        """Return 0: each arm has an intercept of its own."""
        del encoding
        return 0.0

    def middle(self, theta: FloatArray, X: FloatArray, encoding: Encoding) -> FloatArray:
        """Return half the sum of both arms' scores, and the curves."""
        p = len(encoding.coefficient_names)
        half = (theta[..., :p] + theta[..., p : 2 * p]) / 2
        columns = [whole_rows(X, encoding), *self._curved(X, encoding)]
        both = np.concatenate([half, theta[..., 2 * p :]], axis=-1)
        # One row's must not depend on the rows beside it, so no matrix product.
        found: FloatArray = np.einsum("...nj,...j->...n", np.concatenate(columns, -1), both)
        return found

    def coefficient_names(self, encoding: Encoding) -> tuple[str, ...]:
        """Return the names of the encoding for each arm, then the curves'."""
        names = encoding.coefficient_names
        arms = [f"{arm}: {name}" for arm in ("first", "second") for name in names]
        return (*arms, *self._curves(encoding))

    def design(self, X: FloatArray, received: FloatArray | None, encoding: Encoding) -> FloatArray:
        """Return (s₀, x) in the own arm's columns, zeros in the other's, and the curves."""
        if received is None:
            raise ParameterError("arm-wise regression needs what each person received")
        whole = whole_rows(X, encoding)
        own = [whole * (received < 0)[..., None], whole * (received > 0)[..., None]]
        return np.concatenate([*own, *self._curved(X, encoding)], axis=-1)

    def _curved(self, X: FloatArray, encoding: Encoding) -> list[FloatArray]:
        """Return the columns of the curves, none for a straight main effect."""
        if self.degree == 1:
            return []
        x = X[..., self._numbers(encoding)]
        square = 2 * x * x - 1
        cube = [np.clip(x * (2 * square - 1), -1.0, 1.0)] if self.degree > 2 else []
        return [np.clip(square, -1.0, 1.0), *cube]

    def rule(self, coefficients: Sequence[Number], encoding: Encoding) -> tuple[Number, ...]:
        """Return the second arm's less the first's; what they share drops out."""
        p = len(encoding.coefficient_names)
        pairs: Any = zip(coefficients[p : 2 * p], coefficients[:p], strict=True)
        return tuple(second - first for second, first in pairs)

    def _numbers(self, encoding: Encoding) -> list[int]:
        """Return the places of the numbers among the columns."""
        widths = [block.width for block in encoding.blocks]
        starts = np.cumsum([0, *widths[:-1]]).tolist()
        pairs = zip(encoding.blocks, starts, strict=True)
        return [start for block, start in pairs if isinstance(block, NumberBlock)]

    def _curves(self, encoding: Encoding) -> tuple[str, ...]:
        """Return the names of the curves."""
        names = [block.name for block in encoding.blocks if isinstance(block, NumberBlock)]
        return tuple(f"{name}{sign}" for sign in CURVES[: int(self.degree) - 1] for name in names)
