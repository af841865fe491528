r"""Where weights come from: C = L r sup Σ_{i<n} |w̃_i − w_i| is what others' weights may move.

If each weight depends on its own record and public facts only, replacing a record leaves every
other weight alone and C = 0. Otherwise all the terms of the gradient move and C pays for them.
Proof: docs/proofs/weight-origin.md.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import ClassVar, NoReturn

from dpwerm.errors import ParameterError
from dpwerm.parameters import one_of, positive, real
from dpwerm.privacy.budget import Relation
from dpwerm.privacy.sensitivity import Facts, WeightOrigin
from dpwerm.study.propensity import ASYMPTOTIC

ULP = Fraction(1, 2**52)


@dataclass(frozen=True)
class RidgeModel:
    r"""Weights from a logistic model with penalty γ_p of the same people, which stays secret.

    .. math:: C = L r (n-1) W \Bigl( (1-\pi_{\min}) C_x \bigl( \tfrac{2 C_x}{\gamma_p}
              + 2\tau_p \bigr) + 2\eta \Bigr)

    One person moves the model's coefficients by at most 2C_x/γ_p, the solver adds 2τ_p, and a
    weight |v|/P moves by at most W(1 − π_min) per unit of the score. η bounds the rounding of a
    computed weight.

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
    needs_n: ClassVar[bool] = True
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


_NO_PARAMETERS: Mapping[str, float] = MappingProxyType({})


class _OwnRecordOnly:
    """Weights that depend on their own record and on what is public: C = 0."""

    parameters: ClassVar[Mapping[str, float]] = _NO_PARAMETERS
    needs_n: ClassVar[bool] = False

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


@dataclass(frozen=True)
class ExternalModel(_OwnRecordOnly):
    """Weights from a model fitted to independent data, which does not see the records: C = 0."""

    name: ClassVar[str] = "external"
    statement: ClassVar[str] = (
        "each weight follows from its own record and from a model fitted to independent data"
    )


@dataclass(frozen=True)
class ReleasedModel(_OwnRecordOnly):
    """Weights from a model of the same people that was released under a budget of its own: C = 0.

    The released coefficients are public, so given them each weight depends on its own record alone;
    both releases together cost the sum of their budgets.
    """

    name: ClassVar[str] = "released"
    statement: ClassVar[str] = (
        "each weight follows from its own record and from a propensity model that was released "
        "under a budget of its own, which is to be added"
    )


@dataclass(frozen=True)
class WorstCase:
    r"""Weights of unknown origin in [0, W], so that every one of them may move by W.

    .. math:: C = (n-1) W L r

    True for any weights; the noise then grows with n and the result is of little use.
    """

    name: ClassVar[str] = "worst_case"
    needs_n: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, float]] = _NO_PARAMETERS
    statement: ClassVar[str] = "nothing is assumed but that each weight lies in [0, W]"

    def constant(self, facts: Facts) -> Fraction:
        """Return (n − 1)·W·L·r; needs a public n."""
        if facts.relation is not Relation.REPLACE_ONE:
            raise ParameterError(
                "origin worst_case needs a public n: it holds under replace_one, not add_remove"
            )
        if facts.n is None:
            raise ParameterError("origin worst_case needs n, the number of rows")
        return (facts.n - 1) * facts.gradient_bound


@dataclass(frozen=True)
class AsymptoticModel:
    """The paper's second case as an origin: it exists so that asking for it says why not."""

    name: ClassVar[str] = "asymptotic"
    needs_n: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, float]] = _NO_PARAMETERS
    statement: ClassVar[str] = ASYMPTOTIC
    refusal: ClassVar[str] = (
        f"origin asymptotic is refused: {ASYMPTOTIC}. Use a private propensity model; how large H "
        "would be, python -m reproduction bounds says in the repository"
    )

    def constant(self, facts: Facts) -> NoReturn:
        """Raise: there is no C."""
        del facts
        raise ParameterError(self.refusal)


ORIGINS: dict[str, Callable[..., WeightOrigin]] = {}
"""How to make an origin, by name; ``register_origin`` adds to it."""


def register_origin(name: str, maker: Callable[..., WeightOrigin]) -> None:
    """Add an origin; a name is given once."""
    if name in ORIGINS:
        raise ParameterError(f"origin {name} is already registered")
    ORIGINS[name] = maker


for _origin in (
    KnownByDesign,
    ExternalModel,
    ReleasedModel,
    RidgeModel,
    WorstCase,
    AsymptoticModel,
):
    register_origin(_origin.name, _origin)


def origin_of(origin: str | Mapping[str, object] | WeightOrigin) -> WeightOrigin:
    """Return the origin of that name; a mapping has ``name`` and the origin's own parameters."""
    if isinstance(origin, Mapping):
        parameters = dict(origin)
        name = parameters.pop("name", None)
    elif isinstance(origin, WeightOrigin):
        return origin
    else:
        name, parameters = origin, {}
    maker = ORIGINS[one_of("origin", name, ORIGINS)]
    try:
        return maker(**parameters)
    except TypeError:
        given = ", ".join(sorted(map(str, parameters))) or "none"
        raise ParameterError(f"origin {name} does not take the parameters: {given}") from None


def stated_origin(origin: str | Mapping[str, object] | WeightOrigin) -> WeightOrigin:
    """Return an origin that weights given from outside can have: none that needs our own model."""
    name = origin.get("name") if isinstance(origin, Mapping) else getattr(origin, "name", origin)
    if name == AsymptoticModel.name:
        raise ParameterError(AsymptoticModel.refusal)
    ours = (ReleasedModel.name, RidgeModel.name, AsymptoticModel.name)
    one_of("weight_origin", name, [known for known in ORIGINS if known not in ours])
    return origin_of(origin)
