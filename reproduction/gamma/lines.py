"""The lines of Figures 3 and 4 and of the supplement: laws of an independent data set D₀.

The sensitive data follow the baseline. Each other line changes one thing about D₀: its size, the
coefficients, the law of the features, or how many features there are.
"""

from dataclasses import dataclass

from dpwerm.simulate.scenarios import get_scenario
from dpwerm.simulate.scenarios.scenario import Scenario


@dataclass(frozen=True)
class Line:
    """One law of D₀: its name, what a legend says, the scenario, and n₀."""

    name: str
    label: str
    scenario_name: str = "paper"
    people: int = 1000

    @property
    def scenario(self) -> Scenario:
        """The scenario that D₀ is drawn from."""
        return get_scenario(self.scenario_name)


BASELINE = Line("baseline", "as the sensitive data")
PEOPLE = (
    Line("n0-100", "n₀ = 100", people=100),
    Line("n0-500", "n₀ = 500", people=500),
    Line("n0-2500", "n₀ = 2,500", people=2500),
)
THETA = (Line("theta-1", "θ₁", "theta-1"), Line("theta-2", "θ₂, six features", "theta-2"))
FEATURES = (Line("truncated-normal", "truncated normal features", "truncated-normal"),)
COEFFICIENTS = (
    Line("p-2", "p = 2", "two-coefficients"),
    Line("p-6", "p = 6", "six-coefficients"),
    Line("p-8", "p = 8", "eight-coefficients"),
)
TEN = Line("ten-features", "ten features, four non-zero", "ten-features")
LINES = (BASELINE, *PEOPLE, *THETA, *FEATURES, *COEFFICIENTS, TEN)
"""Every line; the place of a line here is part of its seed."""


@dataclass(frozen=True)
class Extent:
    """What is simulated: n, ε, γ, repeats in each cell, and single data sets D₀ with repeats each.

    factors: by which our automatic γ is multiplied.
    """

    sizes: tuple[int, ...] = (200, 500, 1000, 2000)
    budgets: tuple[str, ...] = ("0.5", "1", "5", "20", "150")
    gammas: tuple[float, ...] = tuple(float(gamma) for gamma in range(1, 602, 20))
    repeats: int = 1000
    singles: int = 20
    single_repeats: int = 200
    factors: tuple[float, ...] = (1 / 9, 1 / 5, 1 / 3, 1 / 2, 1.0, 2.0, 3.0, 5.0, 9.0)


FULL = Extent()
QUICK = Extent(
    sizes=(200, 1000),
    budgets=("1", "5"),
    gammas=FULL.gammas[::3],
    repeats=100,
    singles=0,
    factors=(1 / 9, 1 / 2, 1.0, 2.0, 9.0),
)


def extent_of(quick: bool) -> Extent:
    """Return what is simulated in a quick version or in the whole."""
    return QUICK if quick else FULL


def left_out(extent: Extent) -> str:
    """Return in words what the extent does not have of the whole; nothing if it has all."""
    if extent == FULL:
        return ""
    sizes = ", ".join(f"{n:,}" for n in FULL.sizes if n not in extent.sizes)
    budgets = ", ".join(epsilon for epsilon in FULL.budgets if epsilon not in extent.budgets)
    return (
        f"{extent.repeats} of {FULL.repeats:,} repeats; {len(extent.gammas)} of "
        f"{len(FULL.gammas)} values of γ; no n of {sizes}; no ε of {budgets}; no tuning on single "
        f"data sets; {len(extent.factors)} of {len(FULL.factors)} multiples of our γ."
    )
