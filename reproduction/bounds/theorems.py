r"""The paper's bounds on the excess risk (Theorems 11 and 12, Corollary 13), term by term.

.. math:: \hat L_0(\theta^*) - \hat L_0(\theta_0) \le T_1 + T_2 + T_3 \quad (+\, T_4)

with probability at least 1 − ρ, for output perturbation with spherical Laplace noise, λ = γ/n and
the regulariser ½‖θ‖². Here L, r and c are those of any loss and encoding; the paper has L = r = 1
and c = 1/(2h). Terms are functions of public numbers, and nothing else.
"""

import math
from dataclasses import dataclass


def length_factor(p: int, rho: float) -> float:
    r"""Return a_p(ρ): noise of scale s is longer than s·a_p(ρ) with probability at most ρ.

    .. math:: a_p(\rho) = p + \sqrt{2p\log(1/\rho)} + \log(1/\rho)

    The length is Gamma(p, s), and this is the Chernoff bound on it. p ≥ 1; ρ in (0, 1).
    """
    t = math.log(1 / rho)
    return p + math.sqrt(2 * p * t) + t


def regularisation_term(lam: float, norm: float) -> float:
    r"""Return T₁ = λ‖θ₀‖²/2, what the regulariser takes from θ₀. lam: λ > 0; norm: ‖θ₀‖."""
    return lam * norm**2 / 2


def privacy_term(lam: float, curvature: float, length: float) -> float:
    r"""Return T₂, what noise of a given length can add to the objective.

    .. math:: T_2 = \frac{\lambda + W c r^2}{2} \|z\|^2, \qquad
              \|z\| \le \frac{(C + 2WLr + 2\tau\gamma)\, a_p(\rho)}{n \lambda \varepsilon}

    The objective is (λ + Wcr²)-smooth and flat at its minimiser. curvature: Wcr².
    """
    return (lam + curvature) / 2 * length**2


def corner_term(weight_bound: float, h: float) -> float:
    """Return T₃ = Wh/4: the rounded corner lies at most h/4 above the hinge. h ≥ 0."""
    return weight_bound * h / 4


def generalisation_order(gradient_bound: float, lam: float, n: float) -> float:
    r"""Return the order of T₄, (WLr)²/(λn), with the constant 1 in the place of an unknown one."""
    return gradient_bound**2 / (lam * n)


@dataclass(frozen=True)
class SampleSizes:
    """The three numbers of people of Corollary 13; the largest of them is asked for."""

    generalisation: float
    privacy: float
    privacy_and_corner: float

    @property
    def largest(self) -> float:
        """The number of people that makes all three terms small."""
        return max(self.generalisation, self.privacy, self.privacy_and_corner)


def sample_sizes(
    *,
    alpha: float,
    norm: float,
    gradient_bound: float,
    change: float,
    curvature: float,
    p: int,
    rho: float,
    epsilon: float,
) -> SampleSizes:
    r"""Return how many people make the excess risk of the order of α, all constants 1.

    .. math:: n \gtrsim \max\Bigl\{\frac{(WLr)^2\|\theta_0\|^2}{\alpha^2},\;
              \frac{(C+2WLr)\,q\,\|\theta_0\|}{\varepsilon\alpha},\;
              \frac{(C+2WLr)\,q\,\sqrt{2Wcr^2}\,\|\theta_0\|^2}{\varepsilon\alpha^{3/2}}\Bigr\}

    with q = p·log(p/ρ), the order of a_p(ρ). An order of magnitude: the paper leaves the constants
    open. With L = r = 1 and c = 1/(2h) these are its own three terms.

    Parameters
    ----------
    alpha : float > 0, the excess risk that is aimed at
    norm : float, ‖θ₀‖
    gradient_bound, change, curvature : float > 0, WLr, C + 2WLr and Wcr²
    p : int ≥ 1; rho : float in (0, 1); epsilon : float > 0
    """
    q = p * math.log(p / rho)
    return SampleSizes(
        generalisation=(gradient_bound * norm / alpha) ** 2,
        privacy=change * q * norm / (epsilon * alpha),
        privacy_and_corner=change * q * math.sqrt(2 * curvature) * norm**2 / (epsilon * alpha**1.5),
    )
