"""Figure 3: γ tuned on a D₀ whose better arm follows other coefficients θ."""

from collections.abc import Sequence

from reproduction.artefact import Bench, Verdict
from reproduction.gamma.artefact import Panel
from reproduction.gamma.lines import THETA
from reproduction.gamma.verdicts import Found, similar
from reproduction.gamma.windows import landings

BUDGETS = ("0.5", "1", "5")


def judge(_bench: Bench, found: Found, budgets: Sequence[str]) -> list[Verdict]:
    """Return what the main text says of the figure, and what was found."""
    claim = "The best γ from a D₀ with other coefficients is consistently similar."
    return [similar(claim, landings(THETA, found, budgets))]


ARTEFACT = Panel(
    "figure3",
    "Figure 3: γ tuned on data with other coefficients",
    THETA,
    judge,
    "θ₀ as the sensitive data",
    BUDGETS,
    BUDGETS,
).artefact
