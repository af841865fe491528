"""A budget in ρ-zCDP or in μ-GDP, the two notions that Gaussian noise meets exactly.

    (σ/Δ)² = 1/(2ρ)   or   (σ/Δ)² = 1/μ²

Neither has an ε of its own: a curve of (ε, δ) follows from each, and no single point of it.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar, Literal

from dpwerm.errors import ParameterError
from dpwerm.parameters import one_of
from dpwerm.privacy.written import shortest, written_decimal

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
