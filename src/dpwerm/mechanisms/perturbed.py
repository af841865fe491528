"""Objective perturbation in any law of b: θ* = argmin F(θ) + bᵀθ, and a second noise for θ̃.

    θ* = argmin F(θ) + bᵀθ,   ‖θ̃ − θ*‖₂ ≤ τ,   release θ̃ + noise for the sensitivity 2τ

θ* is private by its theorem. The second noise hides where in the ball of radius τ around θ* the
solver stopped; it has ε_out = ε/100, exactly, which is enough because τ is tiny beside the noise b
makes and beside the margin 1, and b has ε_in = ε − ε_out. Of that the curvature of one record costs

    J = log(1 + Wcρ),   ρ = sup xᵀM⁻¹x/γ for R = ½θᵀMθ, M ⪰ I;   ρ = r²/γ for ridge

because the density of θ has the factor det ∇²F(θ) and one record multiplies it by at most 1 + Wcρ.
b, θ̃ and the precision are local and never returned. Proof: docs/proofs/objective-perturbation.md.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from typing import ClassVar, NamedTuple

from dpwerm.arrays import FloatArray
from dpwerm.draws import Draws
from dpwerm.errors import ParameterError
from dpwerm.exact import round_down, round_up
from dpwerm.mechanisms.contract import (
    Calibration,
    Inside,
    Mechanism,
    Noise,
    Stage,
    finite_budget,
    pure_epsilon,
)
from dpwerm.mechanisms.output_perturbation import SphericalLaplace
from dpwerm.objective.objective import Objective
from dpwerm.objective.regularizers import Ridge
from dpwerm.parameters import LARGEST, SMALLEST
from dpwerm.privacy.budget import EPSILON_SMALLEST, AnyBudget, Budget
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.sampling import Sampler, ball, nearby_vector, settled
from dpwerm.privacy.sensitivity import Facts, objective_tolerance

MATRIX = "Wcρ"
"""What the claim has in the place of Wcr²/γ where ρ = sup xᵀM⁻¹x/γ of a penalty matrix γM."""

SECOND = SphericalLaplace()  # the law of the second noise


class PerturbedObjective(Mechanism):
    """Noise b in the objective, and the second noise. A class gives the law of b.

    Private because each weight follows from its own record, every coefficient is penalised by a
    quadratic R of at least ½θ_j², and the solver's tolerance is covered by a second release.
    """

    how: ClassVar[str] = (
        "Random noise was put into the task that the computer solves, before it was solved, so "
        "that the solution itself is random. Public bounds on one person's row and weight say how "
        "much noise that takes. A second, far smaller noise covers that a computer solves only to "
        "some digits"
    )
    norm: ClassVar[str]
    """The name of the law in certificates."""

    @abstractmethod
    def kappa(self, facts: Facts) -> float:
        """Return κ, the largest norm of an allowed row."""

    @abstractmethod
    def sampler(self, facts: Facts, scale: Fraction) -> Sampler:
        """Return b of that scale, exactly."""

    @abstractmethod
    def simulated(self, facts: Facts, draws: Draws) -> FloatArray:
        """Return b (…, p) of scale 1 in doubles."""

    @abstractmethod
    def log_law(self, facts: Facts, b: FloatArray) -> FloatArray:
        """Return the log-density of b (m, p) at scale 1, up to a constant."""

    @abstractmethod
    def rate_and_sigma(
        self, facts: Facts, budget: Budget, left: Fraction
    ) -> tuple[float | None, float | None]:
        """Return β, rounded down, or σ, rounded up, for what is left of ε_in."""

    def calibrate(self, facts: Facts, budget: AnyBudget) -> Calibration:
        """Return the noise b, a public τ, and the second noise for 2τ at ε_out.

        Needs C = 0, a quadratic regularizer, γ above ``gamma_floor``, and ε of at least 0.0001.
        """
        asked = finite_budget(self.name, budget, delta=self.needs_delta)
        if not self.needs_delta:
            pure_epsilon(self.name, budget)
        shares = Shares.of(self.name, asked)
        check_facts(self.name, facts)
        left, paid = self.left(facts, shares)
        rate, sigma = self.rate_and_sigma(facts, asked, Fraction(left))
        tolerance = objective_tolerance(facts)
        total = round_up(2 * Fraction(tolerance))
        noise = SECOND.noise_for(total, facts.dimension, Budget(shares.outside))
        inside = Inside(self.norm, self.kappa(facts), *shares, paid, rate=rate, sigma=sigma)
        return Calibration(self.name, facts, budget, None, tolerance, noise, inside)

    def claim(self, facts: Facts) -> tuple[str, str]:
        """Return the claim and its proof; with a penalty matrix, r²/γ is ρ."""
        if type(facts.regularizer) is Ridge:
            return super().claim(facts)
        page = self.proof if self.needs_delta else "docs/proofs/penalty-matrix.md"
        return self.statement.replace("Wcr²/γ", MATRIX), page

    def left(self, facts: Facts, shares: "Shares") -> tuple[float, float]:
        """Return what is left of ε_in for the noise, rounded down, and J, rounded up."""
        return epsilon_left(self.name, facts, shares), jacobian(facts)

    def pose(
        self, objective: Objective, calibration: Calibration, bits: BitSource, on_stage: Stage
    ) -> tuple[Objective, float, BitSource]:
        """Return F + b̃ᵀθ, to be solved to τ/2, and the bits for the second noise.

        b̃ is within γτ/4 of b, so its minimiser is within τ/4 of θ*; the solver adds τ/2 at most.
        The same b serves whatever precision the solver needs.
        """
        facts, tau = calibration.facts, Fraction(calibration.tolerance)
        sampler = self.sampler(facts, _inside(calibration).exact_scale)
        for_b, for_second = bits.substream(), bits.substream()
        on_stage("drawing noise")
        linear_term = nearby_vector(sampler, Fraction(facts.gamma) * tau / 4, for_b)
        return replace(objective, linear_term=linear_term), round_down(tau / 2), for_second

    def release(self, theta: Sequence[Fraction], noise: Noise, bits: BitSource) -> tuple[int, ...]:
        """Return the grid integers of θ plus the second noise."""
        return SECOND.release(theta, noise, bits)

    def inside_noise(self, calibration: Calibration, draws: Draws) -> FloatArray:
        """Return b in doubles."""
        return self.simulated(calibration.facts, draws) * float(_inside(calibration).exact_scale)

    def outside_noise(self, calibration: Calibration, draws: Draws) -> FloatArray:
        """Return the second noise in doubles."""
        return SECOND.outside_noise(calibration, draws)

    def log_density(self, calibration: Calibration, noise: FloatArray) -> FloatArray:
        """Return the log-density of b."""
        return self.log_law(calibration.facts, noise / float(_inside(calibration).exact_scale))


def _inside(calibration: Calibration) -> Inside:
    if calibration.inside is None:
        raise ParameterError(f"{calibration.mechanism} has no noise inside the objective")
    return calibration.inside


def check_facts(name: str, facts: Facts) -> None:
    """Raise unless the weights depend on their own record only and R is quadratic."""
    # One more record than there may be, so that the answer does not depend on n.
    probe = facts if facts.n is None else replace(facts, n=max(2, facts.n))
    if facts.origin.constant(probe) != 0:
        raise ParameterError(
            f"mechanism {name} needs weights that follow from their own record and public facts; "
            f"for origin {facts.origin.name} use spherical-laplace, product-laplace or gaussian"
        )
    if facts.leverage is None:
        raise ParameterError(
            f"mechanism {name} needs the regularizer ridge or another quadratic one; for "
            f"{facts.regularizer.name} use spherical-laplace, product-laplace or gaussian"
        )


class Shares(NamedTuple):
    """The two parts of ε, exact decimals whose sum is ε."""

    inside: Decimal
    outside: Decimal

    @classmethod
    def of(cls, name: str, any_budget: AnyBudget) -> "Shares":
        """Return the parts of a finite ε of at least 0.0001; ``name`` is the mechanism's."""
        budget = finite_budget(name, any_budget, delta=False)
        with localcontext(prec=100):
            outside = budget.epsilon / 100
            inside = (budget.epsilon - outside).normalize()
            if outside < EPSILON_SMALLEST:
                raise ParameterError(
                    f"mechanism {name} needs epsilon of at least {100 * EPSILON_SMALLEST:f}: "
                    "a hundredth of it hides the tolerance of the solver"
                )
        return cls(Decimal(f"{inside:f}"), Budget(outside).epsilon)


def jacobian(facts: Facts) -> float:
    """Return J = log(1 + Wcρ), rounded up."""
    growth = facts.curvature_bound / Fraction(facts.gamma)
    return settled(lambda: ball(growth).log1p(), round_up)


def epsilon_left(name: str, facts: Facts, shares: Shares) -> float:
    r"""Return what is left for the noise, rounded down, or raise if it is nothing.

    .. math:: \varepsilon_{in} - \log(1 + W c \rho)
    """
    left = unspent(facts.curvature_bound, facts.gamma, shares)
    if left > 0:
        return left
    floor = _floor(facts.curvature_bound, shares)
    if floor > LARGEST:
        raise ParameterError(
            f"mechanism {name} needs a gamma above {LARGEST:g} for this epsilon: "
            "a smaller weight bound, a smoother loss or a larger epsilon would help"
        )
    raise ParameterError(
        f"mechanism {name} needs gamma of at least {_shown(floor)} for this epsilon, weight bound, "
        "loss and encoding. There the noise is still without limit; at twice as much about half of "
        "a small epsilon is left for it, and more at a larger gamma"
    )


def gamma_floor(facts: Facts, budget: AnyBudget) -> float:
    r"""Return the smallest γ with which objective perturbation can be calibrated, at least 1e-12.

    .. math:: \gamma > \frac{W c \gamma\rho}{e^{\varepsilon_{in}} - 1}

    because then log(1 + Wcρ) < ε_in; γρ = r² for ridge, and γ of ``facts`` is not used. May be
    above 1e12, and then no γ will do. ε must be finite, at least 0.0001.
    """
    return _floor(facts.curvature_bound, Shares.of("objective perturbation", budget))


def _floor(curvature_bound: Fraction, shares: Shares) -> float:
    """Return the smallest double above Wcγρ/(e^ε_in − 1), at least 1e-12."""
    if unspent(curvature_bound, SMALLEST, shares) > 0:
        return SMALLEST
    return settled(lambda: ball(curvature_bound) / ball(Fraction(shares.inside)).expm1(), round_up)


def unspent(curvature_bound: Fraction, gamma: float, shares: Shares) -> float:
    """Return ε_in − log(1 + Wcρ), rounded down; below 0 if γ is too small."""
    growth, epsilon = curvature_bound / Fraction(gamma), Fraction(shares.inside)
    return settled(lambda: ball(epsilon) - ball(growth).log1p(), round_down)


def _shown(floor: float) -> str:
    """Return a few digits of γ, rounded up, so that the number shown is itself accepted."""
    with localcontext(prec=4, rounding=ROUND_CEILING):
        return f"{float(+Decimal(floor)):g}"
