"""The public facts from which every privacy claim follows, and the sensitivity of the minimiser.

F is γ-strongly convex, so its minimiser moves by at most (change of ∇F)/γ; replacing one record
changes ∇F by at most W·L·r for the old term, as much for the new one, and C for the others.
Proof: docs/proofs/output-perturbation.md.

C = L r sup Σ_{i<n} |w̃_i − w_i| is what others' weights may move; it is 0 if each weight depends on
its own record and public facts only. Proof: docs/proofs/weight-origin.md.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import ClassVar

from dpwerm.errors import ParameterError
from dpwerm.exact import round_down, round_up
from dpwerm.features.domain import Domain
from dpwerm.objective.regularizers import Regularizer, check_penalty, checked_leverage
from dpwerm.parameters import positive, real, whole
from dpwerm.privacy.budget import Relation

LARGEST_N = 10**12


class WeightOrigin(ABC):
    r"""Where the weights come from, and what that adds to the sensitivity.

    .. math:: C \ge L r \sup \sum_{i<n} |\tilde w_i - w_i|

    the sum is over the records that are *not* replaced. What is left out counts as the worse.

    name : in the registry, in study files and in certificates
    statement : one sentence, what is assumed about the weights
    needs_n : whether C depends on the number of rows
    own_record : whether each weight depends on its own record and on public facts alone
    shared : why it may not, for an error
    earlier : the statements of earlier versions, which their files still hold
    by_design : whether they were fixed before the first person, so that none is an estimate
    stated : whether it may be said of weights or probabilities that are given from outside
    source : where the probabilities come from, for a report; the statement if it is empty
    """

    name: ClassVar[str]
    statement: ClassVar[str]
    earlier: ClassVar[tuple[str, ...]] = ()
    needs_n: ClassVar[bool] = True
    own_record: ClassVar[bool] = False
    shared: ClassVar[str] = "its weights may depend on more than their own record"
    by_design: ClassVar[bool] = False
    stated: ClassVar[bool] = False
    source: ClassVar[str] = ""

    @property
    def parameters(self) -> Mapping[str, float]:
        """The origin's own public numbers, as ``origin_of`` takes them; none unless it says so."""
        return MappingProxyType({})

    @abstractmethod
    def constant(self, facts: "Facts") -> Fraction:
        """Return C exactly, or raise ParameterError where the claim does not hold."""


@dataclass(frozen=True)
class Facts:
    """Everything a mechanism depends on but its budget; each double is exactly its value.

    weight_bound : float > 0, W
    lipschitz : float > 0, L, a bound on the loss's derivative in the score
    smoothness : float > 0, c, a bound on its second derivative
    domain : Domain, the set that holds every row, with r, the bound on ‖x‖₂
    gamma : float > 0, γ, on the summed objective
    regularizer : Regularizer, R
    relation : Relation
    n : int ≥ 1 or None; must be None under add/remove, where it is sensitive
    origin : WeightOrigin
    taper : float > 0 or None, c_t with ℓ'' ≤ c_t(1 − |ℓ'|/L), where the loss states one
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
    taper: float | None = None

    def __post_init__(self) -> None:
        for name in ("weight_bound", "lipschitz", "gamma"):
            object.__setattr__(self, name, positive(name, getattr(self, name)))
        smoothness = real("smoothness", self.smoothness)
        if smoothness <= 0:
            raise ParameterError(f"smoothness must be above 0, not {smoothness:g}")
        object.__setattr__(self, "smoothness", smoothness)
        if self.taper is not None:
            object.__setattr__(self, "taper", positive("taper", self.taper))
        if not isinstance(self.domain, Domain):
            raise ParameterError(f"domain must be a domain, not {type(self.domain).__name__}")
        positive("radius", self.radius)
        object.__setattr__(self, "relation", Relation.of(self.relation))
        check_penalty(self.regularizer, self.dimension)
        if not isinstance(self.origin, WeightOrigin):
            kind = type(self.origin).__name__
            raise ParameterError(f"origin must be a weight origin, not {kind}")
        if self.n is None:
            return
        whole("n", self.n)
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
        return checked_leverage(self.regularizer, self.domain)

    @property
    def curvature_bound(self) -> Fraction:
        """Return W·c·sup xᵀM⁻¹x, W·c·r² for ridge: what one record's curvature is against γM."""
        return Fraction(self.smoothness) * self._weighed_leverage

    @property
    def tapered_bound(self) -> Fraction | None:
        """Return W·c_t·sup xᵀM⁻¹x for a loss that tapers, None for another."""
        return None if self.taper is None else Fraction(self.taper) * self._weighed_leverage

    @property
    def _weighed_leverage(self) -> Fraction:
        leverage = self.leverage
        if leverage is None:
            raise ParameterError(f"regularizer {self.regularizer.name} is not quadratic")
        return Fraction(self.weight_bound) * leverage


# The range of a sensitivity; wider than any that valid facts can give.
SMALLEST, LARGEST = 1e-100, 1e100


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
    """Return Δ = Δ₂ + 2τ, rounded up: each of two neighbours is solved to within τ ≥ 0, public."""
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
