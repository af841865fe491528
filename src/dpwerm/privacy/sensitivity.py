"""The public facts from which every privacy claim follows, and the sensitivity of the minimiser.

F is γ-strongly convex, so its minimiser moves by at most (change of ∇F)/γ; replacing one record
changes ∇F by at most W·L·r for the old term, as much for the new one, and C for the others.
Proof: docs/proofs/output-perturbation.md.

C = L r sup Σ_{i<n} |w̃_i − w_i| is what others' weights may move; it is 0 if each weight depends on
its own record and public facts only. Proof: docs/proofs/weight-origin.md.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import ClassVar

from dpwerm.errors import ParameterError
from dpwerm.exact import round_down, round_up
from dpwerm.features.domain import Domain
from dpwerm.objective.regularizers import Regularizer, check_penalty, checked_leverage
from dpwerm.parameters import check_unused, made_with, one_of, positive, real, whole
from dpwerm.privacy.budget import Relation
from dpwerm.study.propensity import ASYMPTOTIC, DECLARABLE, INSTEAD, LIMIT

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
    by_design : whether the probabilities were fixed before the data, so that none is an estimate
    stated : whether it may be said of weights or probabilities that are given from outside
    source : where the probabilities come from, for a report; the statement if it is empty
    """

    name: ClassVar[str]
    statement: ClassVar[str]
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
        return checked_leverage(self.regularizer, Fraction(self.radius) ** 2, self.dimension)

    @property
    def curvature_bound(self) -> Fraction:
        """Return W·c·sup xᵀM⁻¹x, W·c·r² for ridge: what one record's curvature is against γM."""
        leverage = self.leverage
        if leverage is None:
            raise ParameterError(f"regularizer {self.regularizer.name} is not quadratic")
        return Fraction(self.weight_bound) * Fraction(self.smoothness) * leverage


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


ULP = Fraction(1, 2**52)


@dataclass(frozen=True)
class RidgeModel(WeightOrigin):
    r"""Weights from a logistic model with penalty γ_p of the same people, which stays secret.

    .. math:: C = L r (n-1) W \Bigl( (1-\pi_{\min}) C_x \bigl( \tfrac{2 C_x}{\gamma_p}
              + 2\tau_p \bigr) + 2\eta \Bigr)

    One person moves the model's coefficients by at most 2C_x/γ_p, the solver adds 2τ_p, and a
    weight |v|/P moves by at most W(1 − π_min) per unit of the score. η bounds the rounding of a
    computed weight.

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
    shared: ClassVar[str] = "its propensity model was fitted to the same people and is not released"
    source: ClassVar[str] = "a model fitted to the same people, its influence bounded"

    def __post_init__(self) -> None:
        positive("radius", self.radius)
        positive("gamma", self.gamma)
        pi_min, dimension = real("pi_min", self.pi_min), real("dimension", self.dimension)
        tolerance = real("tolerance", self.tolerance)
        if not 0 < pi_min <= 0.5:
            raise ParameterError(f"pi_min must be above 0 and at most 0.5, not {pi_min:g}")
        if not 1 <= dimension <= 10**6:
            raise ParameterError("dimension must be between 1 and 1000000")
        if not 0 < tolerance <= 1:
            raise ParameterError(f"tolerance must be above 0 and at most 1, not {tolerance:g}")

    @property
    def parameters(self) -> Mapping[str, float]:
        """The public numbers of the model."""
        return asdict(self)

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


class _OwnRecordOnly(WeightOrigin):
    """Weights that depend on their own record and on what is public: C = 0."""

    needs_n: ClassVar[bool] = False
    own_record: ClassVar[bool] = True

    def constant(self, facts: Facts) -> Fraction:
        """Return 0: no other record's weight moves."""
        del facts
        return Fraction(0)


@dataclass(frozen=True)
class KnownByDesign(_OwnRecordOnly):
    """Weights from probabilities fixed before the data, as in a randomised trial: C = 0."""

    name: ClassVar[str] = "design"
    statement: ClassVar[str] = (
        "each weight follows from its own record and from probabilities fixed by design, "
        "not from observed arm proportions"
    )
    by_design: ClassVar[bool] = True
    stated: ClassVar[bool] = True
    source: ClassVar[str] = "the design of the trial"


@dataclass(frozen=True)
class ExternalModel(_OwnRecordOnly):
    """Weights from a model fitted to independent data, which does not see the records: C = 0."""

    name: ClassVar[str] = "external"
    statement: ClassVar[str] = (
        "each weight follows from its own record and from a model fitted to independent data"
    )
    stated: ClassVar[bool] = True
    source: ClassVar[str] = "a model fitted to other people"


@dataclass(frozen=True)
class ReleasedModel(_OwnRecordOnly):
    """Weights from a model of the same people that was released under a budget of its own: C = 0.

    Its coefficients are public, so each weight depends on its own record alone; the budgets add up.
    """

    name: ClassVar[str] = "released"
    statement: ClassVar[str] = (
        "each weight follows from its own record and from a propensity model that was released "
        "under a budget of its own, which is to be added"
    )
    source: ClassVar[str] = "a model released with the rule"


@dataclass(frozen=True)
class WorstCase(WeightOrigin):
    r"""Weights of unknown origin in [0, W], so that every one of them may move by W.

    .. math:: C = (n-1) W L r

    True for any weights; the noise then grows with n and the result is of little use.
    """

    name: ClassVar[str] = "worst_case"
    statement: ClassVar[str] = "nothing is assumed but that each weight lies in [0, W]"
    shared: ClassVar[str] = "nothing is known of where the probabilities come from"
    stated: ClassVar[bool] = True
    source: ClassVar[str] = "a column of which nothing is assumed"

    def constant(self, facts: Facts) -> Fraction:
        """Return (n − 1)·W·L·r; needs a public n."""
        if facts.relation is not Relation.REPLACE_ONE:
            raise ParameterError(
                "origin worst_case needs a public n: it holds under replace_one, not add_remove"
            )
        if facts.n is None:
            raise ParameterError("origin worst_case needs n, the number of rows")
        return (facts.n - 1) * facts.gradient_bound


OWN_ORIGINS = (KnownByDesign, ExternalModel, WorstCase, ReleasedModel, RidgeModel)
ORIGINS: dict[str, type[WeightOrigin]] = {one.name: one for one in OWN_ORIGINS}
"""Every origin by its name; ``register_origin`` adds to it."""

TEXTS = ("name", "statement", "shared", "source")
FLAGS = ("needs_n", "own_record", "by_design", "stated")


def register_origin(origin: type[WeightOrigin]) -> type[WeightOrigin]:
    """Add an origin under its name, for studies to declare if it may be stated; return the class.

    What it says is read from the class, where a property would count as true and is refused.
    """
    for fact in (*TEXTS, *FLAGS):
        kind = str if fact in TEXTS else bool
        if not isinstance(getattr(origin, fact, None), kind):
            raise ParameterError(f"{fact} of an origin must be a {kind.__name__} on its class")
    check_unused("origin", origin.name, {*ORIGINS, LIMIT})
    ORIGINS[origin.name] = origin
    if origin.stated:
        DECLARABLE.append(origin.name)
    return origin


def origin_class(name: object) -> type[WeightOrigin]:
    """Return the origin of that name, for what it says whatever its parameters are."""
    return ORIGINS[one_of("origin", name, ORIGINS)]


def _refuse_limit(name: object) -> None:
    if name == LIMIT:
        raise ParameterError(f"origin {LIMIT} is refused: {ASYMPTOTIC}. {INSTEAD}")


def origin_of(origin: str | Mapping[str, object] | WeightOrigin) -> WeightOrigin:
    """Return the origin of that name; a mapping has ``name`` and the origin's own parameters."""
    if isinstance(origin, WeightOrigin):
        return origin
    parameters = dict(origin) if isinstance(origin, Mapping) else {"name": origin}
    name = parameters.pop("name", None)
    _refuse_limit(name)
    return made_with("origin", ORIGINS, name, parameters)


def stated_origin(origin: str | Mapping[str, object] | WeightOrigin) -> WeightOrigin:
    """Return an origin that weights given from outside can have: none that needs our own model."""
    name = origin.get("name") if isinstance(origin, Mapping) else getattr(origin, "name", origin)
    _refuse_limit(name)
    one_of("weight_origin", name, (one.name for one in ORIGINS.values() if one.stated))
    return origin_of(origin)
