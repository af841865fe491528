"""Figure 4: γ tuned on a D₀ whose features follow another law."""

from collections.abc import Sequence

from reproduction.artefact import Bench, Verdict
from reproduction.gamma.artefact import Panel
from reproduction.gamma.figure3 import BUDGETS
from reproduction.gamma.lines import FEATURES
from reproduction.gamma.verdicts import Found, similar
from reproduction.gamma.windows import landings


def judge(_bench: Bench, found: Found, budgets: Sequence[str]) -> list[Verdict]:
    """Return what the main text says of the figure, and what was found."""
    claim = "The best γ from a D₀ with other features is consistently similar."
    return [similar(claim, landings(FEATURES, found, budgets))]


ARTEFACT = Panel(
    "figure4",
    "Figure 4: γ tuned on data with other features",
    FEATURES,
    judge,
    "uniform features",
    BUDGETS,
    BUDGETS,
).artefact
