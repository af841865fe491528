"""Figure 4: γ tuned on a D₀ whose features follow another law."""

from collections.abc import Sequence

from dpwerm.reproduce.artefact import Bench, Verdict
from dpwerm.reproduce.gamma.artefact import Panel
from dpwerm.reproduce.gamma.figure3 import BUDGETS
from dpwerm.reproduce.gamma.lines import FEATURES
from dpwerm.reproduce.gamma.verdicts import Found, similar
from dpwerm.reproduce.gamma.windows import landings


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
