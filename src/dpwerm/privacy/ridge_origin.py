r"""Weights from a ridge model of the same people, never released: C for a finite sample.

.. math:: C = L r (n-1) W \Bigl( (1-\pi_{\min}) C_x \bigl( \tfrac{2 C_x}{\gamma_p}
          + 2\tau_p \bigr) + 2\eta \Bigr)

One person moves the model's coefficients by at most 2C_x/γ_p, the solver adds 2τ_p, and a weight
|v|/P moves by at most W(1 − π_min) per unit of the score. η bounds the rounding of a computed
weight. Proof: docs/proofs/weight-origin.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpwerm.errors import ParameterError
from dpwerm.parameters import positive, real
from dpwerm.privacy.facts import Facts
from dpwerm.privacy.relation import Relation

ULP = Fraction(1, 2**52)


@dataclass(frozen=True)
class RidgeModel:
    """Weights from a logistic model with penalty γ_p of the same people, which stays secret.

    Parameters
    ----------
    pi_min : float in (0, 1/2], where propensities are clipped
    radius : float > 0, C_x, a bound on the rows of the model, its intercept included
    dimension : float, the number of its coefficients
    gamma : float > 0, γ_p, on every coefficient
    tolerance : float > 0, τ_p: the model is solved to within this distance
    """

    pi_min: float
    radius: float
    dimension: float
    gamma: float
    tolerance: float

    name: ClassVar[str] = "ridge"
    statement: ClassVar[str] = (
        "each weight follows from its own record and from a ridge-penalised logistic model of all "
        "records, which is not released; the constant C covers how far one person moves it"
    )

    def __post_init__(self) -> None:
        for name in ("radius", "gamma"):
            positive(name, getattr(self, name))
        pi_min, dimension, tolerance = (
            real(name, getattr(self, name)) for name in ("pi_min", "dimension", "tolerance")
        )
        if not 0 < pi_min <= 0.5:
            raise ParameterError(f"pi_min must be above 0 and at most 0.5, not {pi_min:g}")
        if not 1 <= dimension <= 10**6:
            raise ParameterError("dimension must be between 1 and 1000000")
        if not 0 < tolerance <= 1:
            raise ParameterError(f"tolerance must be above 0 and at most 1, not {tolerance:g}")

    @property
    def parameters(self) -> Mapping[str, float]:
        """The public numbers of the model."""
        return {
            "pi_min": self.pi_min,
            "radius": self.radius,
            "dimension": self.dimension,
            "gamma": self.gamma,
            "tolerance": self.tolerance,
        }

    def constant(self, facts: Facts) -> Fraction:
        """Return C, never more than the worst case (n − 1)·W·L·r; needs a public n."""
        if facts.relation is not Relation.REPLACE_ONE or facts.n is None:
            raise ParameterError(
                "a ridge propensity model needs a public n: it holds under replace_one, not "
                'add_remove. Use propensity = { model = "private" }'
            )
        moved = Fraction(self.radius) * (
            2 * Fraction(self.radius) / Fraction(self.gamma) + 2 * Fraction(self.tolerance)
        )
        per_weight = (1 - Fraction(self.pi_min)) * moved + 2 * self.rounding(facts.n)
        return (facts.n - 1) * facts.gradient_bound * min(per_weight, Fraction(1))

    def rounding(self, n: int) -> Fraction:
        r"""Return η: a computed weight is within W·η of the weight at the solver's point.

        .. math:: \eta = 2^{-52} \bigl( (p+8) C_x (n C_x / \gamma_p + \tau_p)
                  + 32 / \pi_{\min} \bigr)

        The model's coefficients have norm at most nC_x/γ_p + τ_p and a score is a sum of p
        products. From there on a probability has a few units of rounding next to 1, and so has
        1 − P: relative to the least probability, which a weight divides by, that is 1/π_min more.
        """
        size = n * Fraction(self.radius) / Fraction(self.gamma) + Fraction(self.tolerance)
        of_score = (Fraction(self.dimension) + 8) * Fraction(self.radius) * size
        return ULP * (of_score + 32 / Fraction(self.pi_min))
