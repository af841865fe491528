r"""The paper's H (Proposition 8): a figure for reading, never the basis of a release.

.. math:: H = 2 C_w C_G C_\psi = \frac{2 C_B C_x^2 (1 + e^M)^2}{b_x},
          \qquad e^M = \pi_{\min}^{-1} - 1

For an unpenalised logistic propensity model the weights of the others move by H in all when n is
large, so C is L·r·H; the paper divides by n once too often. And it is a statement up to terms that
vanish in probability, so for no finite n does a privacy guarantee follow.
"""

from dataclasses import dataclass
from numbers import Integral
from typing import ClassVar

from dpwerm.errors import ParameterError
from dpwerm.parameters import SMALLEST, positive, real
from dpwerm.privacy.sensitivity import LARGEST_N
from dpwerm.study.propensity import ASYMPTOTIC
from dpwerm.study.study import Study
from dpwerm.weighting.trial import model_encoding


@dataclass(frozen=True)
class Asymptotic:
    """H by its factors, the constant C that follows, and what the paper prints.

    weight_slope: C_w; curvature: C_G; score_bound: C_ψ; h: H; constant: L·r·H; printed: H/n.
    """

    weight_slope: float
    curvature: float
    score_bound: float
    h: float
    constant: float
    printed: float

    refusal: ClassVar[str] = ASYMPTOTIC


def asymptotic_constant(
    *,
    benefit_bound: float,
    radius: float,
    pi_min: float,
    smallest_eigenvalue: float,
    n: int,
    lipschitz: float = 1.0,
) -> Asymptotic:
    """Return the paper's H and what follows from it.

    Parameters
    ----------
    benefit_bound : float > 0, C_B
    radius : float > 0, C_x, of the propensity model's rows; also the r of C
    pi_min : float in [1e-12, 1/2], the smallest propensity
    smallest_eigenvalue : float > 0, b_x with E[x xᵀ] ⪰ b_x I; at most C_x²
    n : int ≥ 1
    lipschitz : float > 0, L of the rule's loss
    """
    bound, size = positive("benefit_bound", benefit_bound), positive("radius", radius)
    slope, eigenvalue = positive("lipschitz", lipschitz), real("b_x", smallest_eigenvalue)
    smallest = real("pi_min", pi_min)
    if not SMALLEST <= smallest <= 0.5:
        raise ParameterError(f"pi_min must be between {SMALLEST:g} and 0.5, not {smallest:g}")
    if not 0 < eigenvalue <= size**2:
        raise ParameterError(
            f"the smallest eigenvalue of E[x x'] must be above 0 and at most {size**2:g}, the "
            f"square of the largest row, not {eigenvalue:g}"
        )
    if isinstance(n, bool) or not isinstance(n, Integral) or not 1 <= n <= LARGEST_N:
        raise ParameterError(f"n must be a whole number between 1 and {LARGEST_N}")
    odds = 1 / smallest - 1
    weight_slope = bound * size * odds
    curvature = (1 + odds) ** 2 / (eigenvalue * odds)
    h = 2 * weight_slope * curvature * size
    return Asymptotic(weight_slope, curvature, size, h, slope * size * h, h / n)


def asymptotic_figures(study: Study, clip: float, smallest_eigenvalue: float, n: int) -> Asymptotic:
    """Return the paper's H for a clip V; it is never the basis of a release."""
    return asymptotic_constant(
        benefit_bound=clip,
        radius=model_encoding(study.encoding()).domain.radius,
        pi_min=study.treatment.pi_min,
        smallest_eigenvalue=smallest_eigenvalue,
        n=n,
    )
