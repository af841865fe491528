r"""Contrast regression: the benefit on the arm's code times x, beside a column for its mean.

.. math:: \xi = (m_0,\; a\,x), \qquad t = v, \qquad w = \pi_{\min}/P(a|x) \le 1

a = ±1 is the arm received, x holds the intercept, v is the benefit in units of half its range, 0
in the middle. ⟨x, θ⟩ estimates half of what the second arm gains over the first. What both arms
share drops out, because a has mean 0 once rows are weighted, and the mean of v has a column of its
own: no centre is needed, and the bounds of the benefit give it units only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.features.composed import Product
from dpwerm.features.domain import Domain, Interval
from dpwerm.features.encoding import Encoding
from dpwerm.parameters import LARGEST, real
from dpwerm.study.treatment import Declaration, received_probabilities
from dpwerm.weighting.contract import Number, PublicOutcome, TrialRows, Weighting, whole_rows
from dpwerm.weighting.trial import Trial


@dataclass(frozen=True)
class ContrastRegression(Weighting):
    """The regression of a benefit on its contrast between two arms; W = 1.

    mean : float ≥ 0, m₀, the constant of the column for the benefit's mean; 0 for none
    """

    mean: float = 1.0

    name: ClassVar[str] = "contrast"
    form: ClassVar[str] = "residual"
    inverse_weights: ClassVar[bool] = True
    options: ClassVar[tuple[str, ...]] = ("width", "mean")
    difference: ClassVar[float] = 2.0
    rests_on: ClassVar[str] = (
        "the probabilities of the arms; what both arms share need not be modelled"
    )

    def __post_init__(self) -> None:
        mean = real("mean", self.mean)
        if not 0 <= mean <= LARGEST:
            raise ParameterError(f"mean must be between 0 and {LARGEST:g}, not {mean:g}")
        object.__setattr__(self, "mean", mean)

    @property
    def parameters(self) -> dict[str, float]:
        """The constant m₀."""
        return {"mean": self.mean}

    def weight_bound(self, declaration: Declaration) -> float:
        """Return 1."""
        del declaration
        return 1.0

    def rows(
        self, trial: Trial, declaration: Declaration, encoding: Encoding, second: FloatArray
    ) -> TrialRows:
        """Return x, v and π_min/P(a|x); what is missing gets weight 0 and counts in n."""
        treatment = declaration.treatment
        v = declaration.benefit.scaled(trial.outcome)
        probability = received_probabilities(treatment, trial.arm, second)
        usable = ~(np.isnan(trial.arm) | np.isnan(v) | np.isnan(probability))
        weights = np.zeros(len(v))
        np.divide(treatment.pi_min, probability, out=weights, where=usable)
        arm = np.where(usable, trial.arm, 1.0)
        return TrialRows(
            trial.encode(encoding), np.where(usable, v, 0.0), np.minimum(weights, 1.0), arm
        )

    def simulated(
        self,
        arm: FloatArray,
        u: FloatArray,
        probability: FloatArray,
        outcome: PublicOutcome,
        clip: float,
    ) -> tuple[FloatArray, FloatArray]:
        """Return targets and weights of synthetic trials."""
        del arm, clip
        return u, np.minimum(outcome.pi_min / probability, 1.0)

    def domain(self, encoding: Encoding) -> Domain:
        """Return the column of the mean beside the rows themselves: a row times ±1 is allowed."""
        rows = encoding.domain
        return Product((Interval(self.mean), *rows.parts)) if self.mean else rows

    def constant(self, encoding: Encoding) -> float:
        """Return m₀."""
        del encoding
        return self.mean

    def middle(self, theta: FloatArray, X: FloatArray, encoding: Encoding) -> FloatArray:
        """Return the released mean m₀θ₀, the same for everybody."""
        del encoding
        mean = self.mean * theta[..., :1] if self.mean else 0.0 * theta[..., :1]
        return np.asarray(mean + np.zeros(X.shape[-2]))

    def coefficient_names(self, encoding: Encoding) -> tuple[str, ...]:
        """Return the mean's name before those of the encoding."""
        return (*(("mean",) if self.mean else ()), *encoding.coefficient_names)

    def design(self, X: FloatArray, received: FloatArray | None, encoding: Encoding) -> FloatArray:
        """Return a·(s₀, x)."""
        if received is None:
            raise ParameterError("contrast regression needs what each person received")
        return whole_rows(X, encoding) * received[..., None]

    def rule(self, coefficients: Sequence[Number], encoding: Encoding) -> tuple[Number, ...]:
        """Return all but the mean's."""
        del encoding
        return tuple(coefficients[1:] if self.mean else coefficients)
