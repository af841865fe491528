"""What to ask for instead: the largest release of the same notion that would fit."""

from dpwerm.privacy.budget import EPSILON_SMALLEST, AnyBudget, Budget
from dpwerm.privacy.gaussian_budget import RANGES
from dpwerm.privacy.ledger.amounts import Amounts, Total


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
