"""What is promised, about which neighbours: relations, and budgets as a person writes them.

Neighbours are data sets D and D' that differ in one record. Replacing a record changes the gradient
by two terms, adding or removing one by a single term; but under add/remove the number of records n
is itself sensitive.

Budgets are in (ε, δ), or in ρ-zCDP or μ-GDP, as exact decimals. ε = 0.1 is one tenth, so no claim
is rounded downwards. ρ and μ are the notions that Gaussian noise meets exactly, (σ/Δ)² = 1/(2ρ) or
1/μ²; such a budget has no ε of its own, only a curve of (ε, δ), so nothing can mistake it for
another.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal, InvalidOperation, localcontext
from enum import StrEnum
from fractions import Fraction
from numbers import Real
from typing import Any, ClassVar, Literal

from dpwerm.errors import ParameterError
from dpwerm.exact import decimal_of
from dpwerm.parameters import one_of


class Relation(StrEnum):
    """The neighbouring relation that a privacy claim is about."""

    REPLACE_ONE = "replace_one"
    ADD_REMOVE = "add_remove"

    @classmethod
    def of(cls, name: object) -> "Relation":
        """Return the relation of that name."""
        return cls(one_of("relation", name, [str(member) for member in cls]))

    @property
    def terms(self) -> int:
        """How many terms of the objective differ between neighbours: 2 or 1."""
        return 2 if self is Relation.REPLACE_ONE else 1

    @property
    def publishes_n(self) -> bool:
        """Whether the number of records is the same for all neighbours, hence public."""
        return self is Relation.REPLACE_ONE


DIGITS = 30  # how many digits a number may have; it also keeps its exact fraction small
_LONGEST_TEXT = 80

Written = Decimal | float | str | Real


def written_decimal(name: str, value: object) -> Decimal:
    """Return ``value`` as a decimal; a truth value or other text is refused."""
    if isinstance(value, bool) or not isinstance(value, Decimal | Real | str):
        raise ParameterError(f"{name} must be a number, not {type(value).__name__}")
    try:
        text = str(value)
        if len(text) <= _LONGEST_TEXT:
            return decimal_of(value if isinstance(value, Decimal) else text)
    except InvalidOperation:
        raise ParameterError(f"{name} must be a decimal number such as 0.5") from None
    except ValueError:  # Python prints no integer of thousands of digits
        pass
    raise ParameterError(f"{name} must be written with at most {DIGITS} digits")


def shortest(name: str, number: Decimal) -> Decimal:
    """Return the same number without trailing zeros: equal numbers print alike."""
    if not number.is_finite():
        return Decimal("Infinity")
    with localcontext() as context:
        context.prec = 2 * _LONGEST_TEXT
        plain = number.normalize()
    if len(plain.as_tuple().digits) > DIGITS:
        raise ParameterError(f"{name} must be written with at most {DIGITS} digits")
    return Decimal(f"{plain:f}") if plain else Decimal(0)


Notion = Literal["zcdp", "gdp"]

SYMBOLS: dict[str, str] = {"zcdp": "rho", "gdp": "mu"}
NAMES: dict[str, str] = {"zcdp": "zCDP", "gdp": "Gaussian DP"}
RANGES: dict[str, tuple[Decimal, Decimal]] = {
    "zcdp": (Decimal("1e-16"), Decimal("1e12")),
    "gdp": (Decimal("1e-8"), Decimal("1e6")),
}
"""The smallest and the largest parameter of each notion: as wide as those of ε and δ."""


@dataclass(frozen=True)
class GaussianBudget:
    r"""The privacy parameter of one release with Gaussian noise.

    .. math:: D_\alpha(M(D) \| M(D')) \le \rho \alpha, \qquad
              T(M(D), M(D')) \ge T(N(0, 1), N(\mu, 1))

    for all neighbours D, D' and all α > 1 (ρ-zCDP), or for all neighbours (μ-GDP). D_α is Rényi's
    divergence; T is the smallest share of misses of a test, given its share of false alarms.

    Parameters
    ----------
    notion : "zcdp" or "gdp"
    parameter : Decimal, ρ in [1e-16, 1e12] or μ in [1e-8, 1e6]
    """

    notion: Notion
    parameter: Decimal
    is_private: ClassVar[bool] = True

    def __post_init__(self) -> None:
        one_of("notion", self.notion, SYMBOLS)
        name = self.symbol
        number = written_decimal(name, self.parameter)
        smallest, largest = RANGES[self.notion]
        if number.is_nan() or not smallest <= number <= largest:
            raise ParameterError(
                f"{name} must be between {smallest:f} and {largest:f}, not {number}; "
                "for no privacy use epsilon = inf"
            )
        object.__setattr__(self, "parameter", shortest(name, number))

    def __str__(self) -> str:
        return f"{self.symbol} = {self.parameter} ({self.name})"

    @property
    def symbol(self) -> str:
        """The name of the parameter, rho or mu."""
        return SYMBOLS[self.notion]

    @property
    def name(self) -> str:
        """The name of the notion, for reading."""
        return NAMES[self.notion]

    @property
    def exact_square(self) -> Fraction:
        r"""Return the exact (σ/Δ)² that the notion asks for.

        .. math:: (\sigma / \Delta)^2 = 1 / (2 \rho) \text{ or } 1 / \mu^2
        """
        parameter = Fraction(self.parameter)
        return 1 / (2 * parameter) if self.notion == "zcdp" else 1 / parameter**2

    def plain(self) -> dict[str, str]:
        """Return the parameter as exact text under its name."""
        return {self.symbol: str(self.parameter)}


EPSILON_SMALLEST, EPSILON_LARGEST = Decimal("1e-6"), Decimal("1e9")
DELTA_SMALLEST = Decimal("1e-30")
_SHARE_DIGITS = 9
"""Bounds on a budget; they also keep its exact fraction small."""


@dataclass(frozen=True)
class Budget:
    r"""The privacy parameters of one release.

    .. math:: P(M(D) \in S) \le e^{\varepsilon} P(M(D') \in S) + \delta

    for all neighbouring D, D' and all S; ``epsilon=inf`` promises nothing.

    Parameters
    ----------
    epsilon : Decimal in [1e-6, 1e9], or infinity
    delta : Decimal, 0 or in [1e-30, 1)

    Examples
    --------
    >>> Budget.of(0.1)
    Budget(epsilon=Decimal('0.1'), delta=Decimal('0'))
    >>> print(Budget.zcdp(0.1))
    rho = 0.1 (zCDP)
    """

    epsilon: Decimal
    delta: Decimal = Decimal(0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _epsilon(self.epsilon))
        object.__setattr__(self, "delta", _delta(self.delta))

    def __str__(self) -> str:
        return f"epsilon = {self.epsilon}" + (f", delta = {self.delta}" if self.delta else "")

    @classmethod
    def of(cls, epsilon: Written, delta: Written = 0) -> "Budget":
        """Return the budget a person wrote, as numbers or as text."""
        return cls(written_decimal("epsilon", epsilon), written_decimal("delta", delta))

    @staticmethod
    def zcdp(rho: Written) -> GaussianBudget:
        """Return the budget of ρ-zCDP, for mechanism gaussian; rho in [1e-16, 1e12]."""
        return GaussianBudget("zcdp", written_decimal("rho", rho))

    @staticmethod
    def gdp(mu: Written) -> GaussianBudget:
        """Return the budget of μ-GDP, for mechanism gaussian; mu in [1e-8, 1e6]."""
        return GaussianBudget("gdp", written_decimal("mu", mu))

    @property
    def is_private(self) -> bool:
        """Whether ε is finite."""
        return self.epsilon.is_finite()

    @property
    def exact_epsilon(self) -> Fraction:
        """Return ε as a fraction; there is none for ε = ∞."""
        if not self.is_private:
            raise ParameterError("epsilon is infinite: it has no fraction")
        return Fraction(self.epsilon)

    @property
    def exact_delta(self) -> Fraction:
        """Return δ as a fraction."""
        return Fraction(self.delta)

    def plain(self) -> dict[str, str]:
        """Return ε and δ as exact text under their names."""
        return {"epsilon": str(self.epsilon), "delta": str(self.delta)}


AnyBudget = Budget | GaussianBudget
"""What a release may cost, in any notion."""


def budget_of(epsilon: Any, delta: Any = 0) -> AnyBudget:
    """Return the budget of an estimator, whose ``epsilon`` may itself be a budget."""
    if not isinstance(epsilon, Budget | GaussianBudget):
        return Budget.of(epsilon, delta)
    _refuse_delta("an epsilon that is a budget", delta)
    return epsilon


def total(first: AnyBudget, second: AnyBudget) -> Budget:
    r"""Return what two releases cost together, the second one knowing the first.

    .. math:: (\varepsilon_1 + \varepsilon_2,\; \delta_1 + \delta_2)

    by basic composition, exactly; ∞ if one of them promises nothing.
    """
    if not (isinstance(first, Budget) and isinstance(second, Budget)):
        raise ParameterError("only budgets in epsilon and delta can be added")
    if not (first.is_private and second.is_private):
        return Budget(Decimal("Infinity"))
    with localcontext(Context(prec=200)):
        return Budget(first.epsilon + second.epsilon, first.delta + second.delta)


def parted(budget: Budget, share: Decimal, first: str) -> tuple[Budget, Budget]:
    r"""Return two parts that cost the budget together.

    .. math:: \varepsilon_1 = \lfloor s\,\varepsilon \rfloor_{9\text{ digits}}, \qquad
              \varepsilon_2 = \varepsilon - \varepsilon_1

    exactly, for a share s in (0, 1). The first part has ε alone; δ stays with the second. Of ε = ∞
    both parts are ∞. ``first`` is what the first part is for, to name it in an error.
    """
    if not budget.is_private:
        return Budget(budget.epsilon), budget
    with localcontext(Context(prec=_SHARE_DIGITS, rounding=ROUND_FLOOR)):
        part = budget.epsilon * share
    with localcontext(Context(prec=200)):
        rest = budget.epsilon - part
    if min(part, rest) < EPSILON_SMALLEST:
        raise ParameterError(
            f"a share of {share} of epsilon = {budget.epsilon} leaves less than "
            f"{EPSILON_SMALLEST:f} for {first} or the rule: raise epsilon or change the share"
        )
    return Budget(part), Budget(rest, budget.delta)


def shared(budget: AnyBudget, shares: Mapping[str, Decimal]) -> tuple[dict[str, Budget], AnyBudget]:
    """Return a part for each share above 0, ε alone, and the rest; together they cost the budget.

    shares : of ε, by what they are for
    """
    wanted = {what: share for what, share in shares.items() if share > 0}
    if not wanted:
        return {}, budget
    if not isinstance(budget, Budget) or not budget.is_private:
        raise ParameterError(f"{' and '.join(wanted)} need a finite budget in epsilon")
    parts = {what: parted(budget, share, what)[0] for what, share in wanted.items()}
    with localcontext(Context(prec=200)):
        rest = budget.epsilon - sum(part.epsilon for part in parts.values())
    if rest < EPSILON_SMALLEST:
        raise ParameterError(f"{' and '.join(wanted)} leave nothing of epsilon for the rule")
    return parts, Budget(rest, budget.delta)


def only_budget(
    *,
    epsilon: Written | None = None,
    delta: Written | None = None,
    rho: Written | None = None,
    mu: Written | None = None,
) -> AnyBudget:
    """Return the one budget that is given, ε with or without δ, ρ, or μ; undoes ``plain``."""
    named = {"epsilon": epsilon, "rho": rho, "mu": mu}
    given = [name for name, value in named.items() if value is not None]
    if len(given) != 1:
        found = f", not {' and '.join(given)} together" if given else ""
        raise ParameterError(f"give exactly one of epsilon, rho and mu{found}")
    if epsilon is not None:
        return Budget.of(epsilon, 0 if delta is None else delta)
    _refuse_delta(given[0], 0 if delta is None else delta)
    notion: Notion = "zcdp" if given[0] == "rho" else "gdp"
    return GaussianBudget(notion, written_decimal(given[0], named[given[0]]))


def _refuse_delta(what: str, delta: object) -> None:
    if _delta(delta) != 0:
        raise ParameterError(f"delta must be 0 with {what}: it belongs to epsilon as a number")


def _epsilon(value: object) -> Decimal:
    """Return ε in its shortest form, or say what is allowed."""
    number = written_decimal("epsilon", value)
    if number.is_nan() or not (
        EPSILON_SMALLEST <= number <= EPSILON_LARGEST or number == Decimal("Infinity")
    ):
        raise ParameterError(
            f"epsilon must be between {EPSILON_SMALLEST:f} and {EPSILON_LARGEST:f}, "
            f"or infinite for no privacy, not {number}"
        )
    return shortest("epsilon", number)


def _delta(value: object) -> Decimal:
    """Return δ in its shortest form, or say what is allowed."""
    number = written_decimal("delta", value)
    if number.is_nan() or not (number == 0 or DELTA_SMALLEST <= number < 1):
        raise ParameterError(
            f"delta must be 0, or at least {DELTA_SMALLEST} and below 1, not {number}"
        )
    return shortest("delta", number)
