"""One figure of accuracy against γ: simulated, drawn, judged.

All of them share one simulation, whichever is made first.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reproduction.artefact import Artefact, Bench, Made, Page, Verdict
from reproduction.gamma.curves import curves
from reproduction.gamma.figure import draw
from reproduction.gamma.lines import BASELINE, Line, extent_of, left_out
from reproduction.gamma.ours import our_curves
from reproduction.gamma.sheets import curve_rows, our_rows
from reproduction.gamma.verdicts import Found

SPLIT = (
    "In each repeat D₀ is drawn anew (the paper does not say whether it was), split 0.8 : 0.2, and "
    "n people of the first part train the paper's method: without replacement where that part has "
    "as many, with replacement otherwise. The other part gives the accuracy. All γ, ε and methods "
    "of a repeat have common random numbers. Bands are 95 % intervals over repeats."
)
WITHIN = (
    "V = 15 and W = 30 throughout, as for the sensitive data: where D₀ has larger benefits they "
    'are clipped. "Within 5 %" is read as 5 points of accuracy. The best γ is the one with the '
    "highest mean; of equal ones the largest."
)
AUTOMATIC = (
    "Ours: hyperparameters are chosen from the study file, ε and n alone, without any D₀; rules "
    "are learned from the baseline's training sets and judged on the same people."
)
PAGE = Page("gamma", "Tuning γ on other data", (SPLIT, WITHIN, AUTOMATIC))

Judge = Callable[[Bench, Found, Sequence[str]], list[Verdict]]
"""Says what agrees, given the bench, the curves and the budgets that are shown."""


@dataclass(frozen=True)
class Panel:
    """What one artefact shows: its lines beside the baseline, its budgets, its verdicts.

    drawn: the budgets in the picture; listed: those in tables, numbers and verdicts
    """

    name: str
    title: str
    lines: tuple[Line, ...]
    judge: Judge
    baseline_label: str
    drawn: tuple[str, ...]
    listed: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def artefact(self) -> Artefact:
        """The artefact of that name."""
        return Artefact(self.name, self.title, PAGE, self.make)

    def make(self, bench: Bench) -> Made:
        """Return what the artefact gives."""
        extent = extent_of(bench.quick)
        found = curves(bench, (BASELINE, *self.lines), extent)
        ours = our_curves(bench, extent)
        drawn = [epsilon for epsilon in self.drawn if epsilon in extent.budgets]
        listed = [epsilon for epsilon in self.listed if epsilon in extent.budgets]
        rows = curve_rows((BASELINE, *self.lines), found, listed)
        return Made(
            rows=[*rows, *our_rows(ours, listed)],
            sheets=[],
            pictures={"": draw(self.lines, found, ours, drawn, self.baseline_label)},
            verdicts=self.judge(bench, found, listed),
            notes=self.notes,
            left_out=left_out(extent),
        )
