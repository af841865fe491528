"""The origins of weights: the constant C of each, and the registry that study files name them by.

What an origin must say, and where C stands in the sensitivity: ``privacy/sensitivity.py``. Proof:
docs/proofs/weight-origin.md.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import ClassVar

from dpwerm.errors import ParameterError
from dpwerm.parameters import check_unused, made_with, one_of, positive, real
from dpwerm.privacy.budget import Relation
from dpwerm.privacy.sensitivity import Facts, WeightOrigin
from dpwerm.study.propensity import ASYMPTOTIC, DECLARABLE, INSTEAD, LIMIT

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
    """Weights from probabilities fixed before the first person: C = 0.

    An urn, minimisation and other adaptive designs have none: one person moves all later ones.
    """

    name: ClassVar[str] = "design"
    statement: ClassVar[str] = (
        "each weight follows from its own record and from probabilities fixed by design before the "
        "first person, not from observed arm proportions or earlier people"
    )
    earlier: ClassVar[tuple[str, ...]] = (
        (
            "each weight follows from its own record and from probabilities fixed by design, "
            "not from observed arm proportions"
        ),
    )
    by_design: ClassVar[bool] = True
    stated: ClassVar[bool] = True
    source: ClassVar[str] = "the design of the trial, fixed before the first person"


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
class Unused(_OwnRecordOnly):
    """No probabilities at all: every weight is 1, or 0 where a row cannot be used. C = 0."""

    name: ClassVar[str] = "unused"
    statement: ClassVar[str] = (
        "no probabilities of the arms are used: each weight is 1, or 0 where the arm or the "
        "benefit of a row is missing"
    )
    source: ClassVar[str] = "none: a model of the outcome in each arm stands in their place"


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


OWN_ORIGINS = (KnownByDesign, ExternalModel, WorstCase, ReleasedModel, RidgeModel, Unused)
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
        DECLARABLE[origin.name] = origin.own_record
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
