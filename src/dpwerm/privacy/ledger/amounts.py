r"""The currencies of a study's total, each of which adds up for itself, exactly.

.. math:: \sum \varepsilon_i \le \varepsilon, \quad \sum \delta_i \le \delta, \quad
          \sum \rho_i \le \rho, \quad \sum \mu_i^2 \le \mu^2

Everything released is then an (ε, δ)-private part, a ρ-zCDP part and a μ-GDP part, one after
another, even if each cost is chosen after seeing earlier releases. Proof: docs/proofs/ledger.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import (
    DIGITS,
    EPSILON_LARGEST,
    EPSILON_SMALLEST,
    RANGES,
    AnyBudget,
    Budget,
    Written,
    shortest,
    written_decimal,
)

CURRENCIES = ("epsilon", "delta", "rho", "mu")
_ROOT_DIGITS = 6
_RANGES = {
    "epsilon": (EPSILON_SMALLEST, EPSILON_LARGEST),
    "delta": (Decimal(0), Decimal(1)),
    "rho": RANGES["zcdp"],
    "mu": RANGES["gdp"],
}


@dataclass(frozen=True)
class Amounts:
    """Exact amounts in each currency; of μ the square, for the squares add up."""

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)
    mu_squared: Fraction = Fraction(0)

    @property
    def parts(self) -> tuple[Fraction, Fraction, Fraction, Fraction]:
        """The amounts in the order of ``CURRENCIES``."""
        return self.epsilon, self.delta, self.rho, self.mu_squared

    def __add__(self, other: "Amounts") -> "Amounts":
        return Amounts(*(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    def __sub__(self, other: "Amounts") -> "Amounts":
        return Amounts(*(a - b for a, b in zip(self.parts, other.parts, strict=True)))

    def fits(self, other: "Amounts") -> bool:
        """Whether no currency is above that of the other amounts."""
        return all(a <= b for a, b in zip(self.parts, other.parts, strict=True))

    def largest(self, other: "Amounts") -> "Amounts":
        """Return the larger amount in each currency."""
        return Amounts(*(max(a, b) for a, b in zip(self.parts, other.parts, strict=True)))

    def decimals(self, *, up: bool) -> dict[str, Decimal]:
        """Return each currency as a decimal, μ as a root; what is not exact is rounded."""
        parts = dict(zip(CURRENCIES, self.parts, strict=True))
        return {
            name: _root(value, up=up) if name == "mu" else _decimal(value, up=up)
            for name, value in parts.items()
        }


@dataclass(frozen=True)
class Total:
    """What a study may release in all; 0 in a currency is nothing of it.

    Parameters
    ----------
    epsilon : Decimal, 0 or in [1e-6, 1e9]
    delta : Decimal in [0, 1); needs an epsilon
    rho : Decimal, 0 or in [1e-16, 1e12], the purse of releases in ρ-zCDP
    mu : Decimal, 0 or in [1e-8, 1e6], the purse of releases in μ-GDP
    """

    epsilon: Decimal = Decimal(0)
    delta: Decimal = Decimal(0)
    rho: Decimal = Decimal(0)
    mu: Decimal = Decimal(0)

    def __post_init__(self) -> None:
        for name in CURRENCIES:
            object.__setattr__(self, name, _part(name, getattr(self, name)))
        if not (self.epsilon or self.rho or self.mu):
            raise ParameterError("a total needs epsilon, rho or mu above 0")
        if self.delta and not self.epsilon:
            raise ParameterError("a total with delta needs an epsilon: delta belongs to it")

    def __str__(self) -> str:
        return ", ".join(f"{name} = {text}" for name, text in self.plain().items() if text != "0")

    @classmethod
    def of(
        cls, epsilon: Written = 0, delta: Written = 0, rho: Written = 0, mu: Written = 0
    ) -> "Total":
        """Return the total a person wrote, as numbers or as text."""
        written = zip(CURRENCIES, (epsilon, delta, rho, mu), strict=True)
        return cls(*(written_decimal(name, value) for name, value in written))

    @property
    def limits(self) -> Amounts:
        """The most that each currency can add up to."""
        return Amounts(
            Fraction(self.epsilon), Fraction(self.delta), Fraction(self.rho), Fraction(self.mu) ** 2
        )

    def plain(self) -> dict[str, str]:
        """Return every currency as exact text under its name."""
        return {name: f"{getattr(self, name):f}" for name in CURRENCIES}

    @classmethod
    def from_plain(cls, plain: object) -> "Total":
        """Undo ``plain``; anything else is refused."""
        if not isinstance(plain, Mapping) or set(plain) != set(CURRENCIES):
            raise ParameterError(f"a total has {', '.join(CURRENCIES)}")
        return cls.of(**plain)

    def purse(self, cost: AnyBudget) -> str:
        r"""Return the currency that pays: μ is paid as ρ if the total has no μ.

        .. math:: \mu\text{-GDP} \implies \tfrac{1}{2}\mu^2\text{-zCDP}

        The converse does not hold: ρ is never paid as μ.
        """
        if isinstance(cost, Budget):
            return "epsilon"
        return "rho" if cost.notion == "zcdp" or not self.mu else "mu"

    def amounts(self, cost: AnyBudget) -> Amounts:
        """Return what a release costs, in the currency that pays for it."""
        if isinstance(cost, Budget):
            return Amounts(epsilon=cost.exact_epsilon, delta=cost.exact_delta)
        if self.purse(cost) == "mu":
            return Amounts(mu_squared=1 / cost.exact_square)
        return Amounts(rho=1 / (2 * cost.exact_square))


def would_fit(cost: AnyBudget, left: Amounts, total: Total) -> str:
    """Return what is left for a release of this notion, rounded down; μ from ρ is √(2ρ)."""
    if isinstance(cost, Budget):
        decimals = left.decimals(up=False)
        text = f"epsilon = {decimals['epsilon']} would fit"
        if decimals["epsilon"] < EPSILON_SMALLEST:
            text = "no epsilon is left"
        either = cost.delta or total.delta
        return f"{text}; delta = {decimals['delta']} is left" if either else text
    if cost.notion == "gdp" and total.purse(cost) == "rho":
        left = Amounts(mu_squared=2 * left.rho)
    largest = left.decimals(up=False)[cost.symbol]
    if largest < RANGES[cost.notion][0]:
        return f"no {cost.symbol} is left"
    return f"{cost.symbol} = {largest} would fit"


def no_purse(cost: AnyBudget, total: Total, where: str) -> str:
    """Say that the total has nothing in the currency of a release, and how to declare it."""
    if isinstance(cost, Budget):
        return f"{cost} has no total to be charged to: declare epsilon in {where}"
    also = " (or rho)" if cost.notion == "gdp" else ""
    text = (
        f"{cost} has no total to be charged to: "
        f"declare {cost.symbol}{also} in {where}, such as {cost.symbol} = {cost.parameter}"
    )
    return text + (", or ask in epsilon and delta" if total.delta else "")


def _part(name: str, value: object) -> Decimal:
    """Return one currency of a total in its shortest form."""
    number = written_decimal(name, value)
    smallest, largest = _RANGES[name]
    inside = not number.is_nan() and (number == 0 or smallest <= number <= largest)
    if not inside or (name == "delta" and number == 1):
        below = "below" if name == "delta" else "at most"
        raise ParameterError(
            f"the total's {name} must be 0, or at least {smallest} and {below} {largest}"
        )
    return shortest(name, number)


def _decimal(value: Fraction, *, up: bool, digits: int = DIGITS) -> Decimal:
    """Return a fraction as a decimal of at most so many digits."""
    context = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    found = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return Decimal(f"{found.normalize(context):f}") if found else Decimal(0)


def _root(value: Fraction, *, up: bool) -> Decimal:
    """Return the root of a fraction: exactly if that is a decimal, else to six digits.

    Below 0, where more is asked than is left, it is minus the root of what is missing.
    """
    if value < 0:
        return -_root(-value, up=not up)
    near = Context(prec=3 * DIGITS).sqrt(_decimal(value, up=False, digits=6 * DIGITS))
    if Fraction(near) ** 2 == value:
        return _decimal(Fraction(near), up=up)
    shown = _decimal(Fraction(near), up=up, digits=_ROOT_DIGITS)
    if up and Fraction(shown) ** 2 < value:
        return shown.next_plus(Context(prec=_ROOT_DIGITS))
    if not up and Fraction(shown) ** 2 > value:
        return shown.next_minus(Context(prec=_ROOT_DIGITS))
    return shown
