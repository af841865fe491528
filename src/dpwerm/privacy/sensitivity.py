"""The public facts from which every privacy claim follows, and the sensitivity of the minimiser.

F is γ-strongly convex, so its minimiser moves by at most (change of ∇F)/γ; replacing one record
changes ∇F by at most W·L·r for the old term, as much for the new one, and C for the others.
Proof: docs/proofs/output-perturbation.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, runtime_checkable

from dpwerm.errors import ParameterError
from dpwerm.exact import round_down, round_up
from dpwerm.features.domain import Domain
from dpwerm.objective.regularizers import Regularizer, check_complete
from dpwerm.parameters import positive, real
from dpwerm.privacy.budget import Relation

LARGEST_N = 10**12


@runtime_checkable
class WeightOrigin(Protocol):
    r"""Where the weights come from, and what that adds to the sensitivity.

    .. math:: C \ge L r \sup \sum_{i<n} |\tilde w_i - w_i|

    the sum is over the records that are *not* replaced (theory of weights: docs/proofs).
    """

    @property
    def name(self) -> str:
        """The name in the registry."""

    @property
    def parameters(self) -> Mapping[str, float]:
        """The origin's own public numbers, as ``origin_of`` takes them."""

    @property
    def statement(self) -> str:
        """One sentence: what is assumed about the weights."""

    @property
    def needs_n(self) -> bool:
        """Whether C depends on the number of rows."""

    def constant(self, facts: "Facts") -> Fraction:
        """Return C exactly, or raise ParameterError where the claim does not hold."""


@dataclass(frozen=True)
class Facts:
    """Everything a mechanism depends on but its budget; each double is exactly its value.

    Parameters
    ----------
    weight_bound : float > 0, W
    lipschitz : float > 0, L, a bound on the loss's derivative in the score
    smoothness : float > 0, c, a bound on its second derivative
    domain : Domain, the set that holds every row, with r, the bound on ‖x‖₂
    gamma : float > 0, γ, on the summed objective
    regularizer : Regularizer, R
    relation : Relation
    n : int ≥ 1 or None; must be None under add/remove, where it is sensitive
    origin : WeightOrigin
    """

    weight_bound: float
    lipschitz: float
    smoothness: float
    domain: Domain
    gamma: float
    regularizer: Regularizer
    relation: Relation
    n: int | None
    origin: WeightOrigin

    def __post_init__(self) -> None:
        for name in ("weight_bound", "lipschitz", "gamma"):
            object.__setattr__(self, name, positive(name, getattr(self, name)))
        smoothness = real("smoothness", self.smoothness)
        if smoothness <= 0:
            raise ParameterError(f"smoothness must be above 0, not {smoothness:g}")
        object.__setattr__(self, "smoothness", smoothness)
        if not isinstance(self.domain, Domain):
            raise ParameterError(f"domain must be a domain, not {type(self.domain).__name__}")
        positive("radius", self.radius)
        object.__setattr__(self, "relation", Relation.of(self.relation))
        check_complete(self.regularizer)
        if not isinstance(self.origin, WeightOrigin):
            raise ParameterError(
                f"origin must be a weight origin, not {type(self.origin).__name__}"
            )
        if self.n is None:
            return
        if isinstance(self.n, bool) or not isinstance(self.n, int):
            raise ParameterError(f"n must be a whole number, not {type(self.n).__name__}")
        if not self.relation.publishes_n:
            raise ParameterError("n must not be given under add_remove, where it is sensitive")
        if not 1 <= self.n <= LARGEST_N:
            raise ParameterError(f"n must be between 1 and {LARGEST_N}, not {self.n}")

    @property
    def dimension(self) -> int:
        """The number p of coefficients."""
        return self.domain.dimension

    @property
    def radius(self) -> float:
        """The bound r on the length of every row, rounded up."""
        return self.domain.radius

    @property
    def gradient_bound(self) -> Fraction:
        """Return W·L·r: no record's term has a larger gradient."""
        return Fraction(self.weight_bound) * Fraction(self.lipschitz) * Fraction(self.radius)

    @property
    def leverage(self) -> Fraction | None:
        """Return a bound on xᵀM⁻¹x for R = ½θᵀMθ, which is r² for ridge; None if R is another."""
        return self.regularizer.leverage(Fraction(self.radius) ** 2, self.dimension)

    @property
    def curvature_bound(self) -> Fraction:
        """Return W·c·sup xᵀM⁻¹x, W·c·r² for ridge: what one record's curvature is against γM."""
        leverage = self.leverage
        if leverage is None:
            raise ParameterError(f"regularizer {self.regularizer.name} is not quadratic")
        return Fraction(self.weight_bound) * Fraction(self.smoothness) * leverage


# -- the ℓ₂ sensitivity of the minimiser: Δ₂ = (C + kWLr)/γ ------------------------------------


SMALLEST, LARGEST = 1e-100, 1e100
"""The range of a sensitivity; wider than any that valid facts can give."""


def l2_sensitivity(facts: Facts) -> float:
    r"""Return a bound on how far one record moves the exact minimiser, rounded up.

    .. math:: \Delta_2 = \frac{C + k W L r}{\gamma}

    k = 2 under replace-one and 1 under add/remove; C: ``facts.origin.constant``.
    """
    change = facts.origin.constant(facts) + facts.relation.terms * facts.gradient_bound
    return round_up(change / Fraction(facts.gamma))


def default_tolerance(sensitivity: float) -> float:
    """Return τ = 10⁻⁶·Δ₂, so small that 2τ costs nothing, and public as Δ₂ is."""
    return round_down(Fraction(checked("sensitivity", sensitivity)) / 10**6)


def objective_tolerance(facts: Facts) -> float:
    r"""Return what objective perturbation solves to, rounded down.

    .. math:: \tau = \min(10^{-8} k W L r / \gamma,\; 10^{-6} / r)

    A second noise covers the whole of τ. The first term is tiny beside the noise inside; the second
    keeps it tiny beside the margin 1 = |xᵀθ| where γ is so small that the first is not.
    """
    change = facts.relation.terms * facts.gradient_bound / Fraction(facts.gamma)
    return round_down(min(change / 10**8, 1 / (10**6 * Fraction(facts.radius))))


def total_sensitivity(sensitivity: float, tolerance: float) -> float:
    """Return Δ = Δ₂ + 2τ, rounded up: each of the two neighbours is solved to within τ.

    Parameters
    ----------
    sensitivity : float > 0, Δ₂
    tolerance : float ≥ 0, τ, fixed before the data are seen
    """
    tau = real("tolerance", tolerance)
    if tau < 0:
        raise ParameterError(f"tolerance must not be negative, not {tau:g}")
    return round_up(Fraction(checked("sensitivity", sensitivity)) + 2 * Fraction(tau))


def checked(name: str, value: object) -> float:
    """Return a sensitivity as a float in [1e-100, 1e100]."""
    number = real(name, value)
    if not SMALLEST <= number <= LARGEST:
        raise ParameterError(f"{name} must be between {SMALLEST:g} and {LARGEST:g}, not {number:g}")
    return number
