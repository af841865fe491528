"""Figures 3 and 4 and the supplement's four scenarios: γ tuned on a D₀ of another kind."""

from collections.abc import Sequence

from reproduction.artefact import Bench, Verdict
from reproduction.gamma.artefact import Judge, Panel
from reproduction.gamma.curves import refined, single_curves
from reproduction.gamma.lines import (
    BASELINE,
    COEFFICIENTS,
    FEATURES,
    FULL,
    PEOPLE,
    THETA,
    Line,
    extent_of,
)
from reproduction.gamma.verdicts import (
    Found,
    longer_plateaus,
    lower_end,
    similar,
    small_is_useful,
)
from reproduction.gamma.windows import Landing, landings

MAIN_BUDGETS = ("0.5", "1", "5")


def alike(claim: str, lines: Sequence[Line]) -> Judge:
    """Return the judge of whether γ tuned on those lines is similar, as the paper claims."""

    def judge(_bench: Bench, found: Found, budgets: Sequence[str]) -> list[Verdict]:
        return [similar(claim, landings(lines, found, budgets))]

    return judge


FIGURE3 = Panel(
    "figure3",
    "Figure 3: γ tuned on data with other coefficients",
    THETA,
    alike("The best γ from a D₀ with other coefficients is consistently similar.", THETA),
    "θ₀ as the sensitive data",
    MAIN_BUDGETS,
    MAIN_BUDGETS,
).artefact


FIGURE4 = Panel(
    "figure4",
    "Figure 4: γ tuned on data with other features",
    FEATURES,
    alike("The best γ from a D₀ with other features is consistently similar.", FEATURES),
    "uniform features",
    MAIN_BUDGETS,
    MAIN_BUDGETS,
).artefact


FEWER = "With 2, 6 or 8 non-zero coefficients the best γ is consistently close."
DRAWN = ("0.5", "1", "5", "150")
SINGLE = (
    "Single data sets: {singles} of n₀ = 100 and {singles} of n₀ = 1,000 for each n, each with "
    "{repeats} repeats of split, training set and noise on that one D₀; a quick version has none."
)
OWN = (
    "The paper prints no coefficients for p other than 4; these are ours: "
    "(0.2; 1.8, −2.2), (1; 1, 1, −1.8, −2.2, 1, −1) and (1; 1, 1, −1.8, −2.2, 1, −1, 0.5, −0.5), "
    "intercept first, with as many features as coefficients."
)


def judge_people(bench: Bench, found: Found, budgets: Sequence[str]) -> list[Verdict]:
    """Return what scenario 1 says of n₀."""
    extent = extent_of(bench.quick)
    singles = []
    if extent.singles:
        for line in (PEOPLE[0], BASELINE):
            each = single_curves(bench, line, extent)
            singles.append(
                [
                    Landing(line, n, epsilon, curve.best, found[BASELINE.name][n, epsilon])
                    for (n, epsilon), several in each.items()
                    for curve in several
                ]
            )
    claim = "The best γ is consistently similar for n₀ of 100, 500, 1,000 and 2,500."
    small = landings(PEOPLE[:1], found, budgets)
    return [
        similar(claim, landings(PEOPLE, found, budgets)),
        small_is_useful(small, singles),
    ]


def judge_features(bench: Bench, found: Found, budgets: Sequence[str]) -> list[Verdict]:
    """Return what scenario 3 says of the features' law."""
    finer = refined(bench, (BASELINE, *FEATURES), found, extent_of(bench.quick))
    return [
        longer_plateaus(FEATURES[0], found, budgets),
        lower_end(FEATURES[0], found, finer, budgets),
    ]


_SINGLE = SINGLE.format(singles=FULL.singles, repeats=FULL.single_repeats)
PANELS = (
    Panel(
        "supplement-n0",
        "Supplement: γ tuned on data sets of other sizes",
        PEOPLE,
        judge_people,
        "n₀ = 1,000",
        DRAWN,
        FULL.budgets,
        (_SINGLE,),
    ),
    Panel(
        "supplement-theta",
        "Supplement: γ tuned on data with other coefficients",
        THETA,
        alike("With other coefficients the best γ is nearly the same for each ε and n.", THETA),
        "θ₀ as the sensitive data",
        DRAWN,
        FULL.budgets,
    ),
    Panel(
        "supplement-features",
        "Supplement: γ tuned on data with other features",
        FEATURES,
        judge_features,
        "uniform features",
        DRAWN,
        FULL.budgets,
    ),
    Panel(
        "supplement-p",
        "Supplement: γ tuned on data with more or fewer coefficients",
        COEFFICIENTS,
        alike(FEWER, COEFFICIENTS),
        "p = 4",
        DRAWN,
        FULL.budgets,
        (OWN,),
    ),
)
SUPPLEMENT = tuple(panel.artefact for panel in PANELS)
