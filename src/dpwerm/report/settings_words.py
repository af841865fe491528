"""The settings of a fit in words: what applies beyond the plain values, and who chose it.

All of it is public: settings are declared, or chosen on simulated problems without reading a row,
or, for γ alone, chosen privately on the rows at a cost that is said.
"""

from dpwerm.learn.release import Release
from dpwerm.rules.rule import Rule
from dpwerm.rules.tuning import SPLIT
from dpwerm.rules.tuning_retired import FLIP, REPEATS
from dpwerm.text import wrapped

CLEAR = 0.6
"""Below this share of right answers on simulated problems a private rule may be noise alone."""


def setting_rows(rule: Rule) -> dict[str, str]:
    """Return a row for each of clip, intercept, saturation and threshold that is not plain."""
    encoding, release, benefit = rule.release.encoding, rule.release, rule.declaration.benefit
    rows = {}
    if benefit.clip < benefit.largest_clip:
        rows["clip"] = (
            f"V = {benefit.clip:.6g}; without it benefits reach {benefit.largest_clip:.6g} from "
            "the centre"
        )
    if encoding.intercept != 1:
        constant = f"a column of {encoding.intercept:.6g}"
        rows["intercept"] = constant if encoding.intercept else "none"
    if encoding.saturation != 1:
        part = f"1/{encoding.saturation:.6g}"
        rows["saturation"] = f"learned from the middle {part} of each number's range, stretched"
    if release.threshold > 0:
        slopes = zeroed(release)[int(encoding.intercept > 0) :]
        rows["threshold"] = (
            f"coefficients below {release.threshold:.6g} of the largest were set to 0, "
            f"here {sum(slopes)} of {len(slopes)}"
        )
    return rows


def zeroed(release: Release) -> list[bool]:
    """Return for each coefficient whether the threshold set it to 0; never the intercept."""
    return [k != kept for k, kept in zip(release.integers, release.kept, strict=True)]


def chosen_lines(rule: Rule) -> list[str]:
    """Return the paragraph on what was chosen automatically; nothing if nothing was."""
    chosen = rule.release.certificate.chosen
    if chosen is None:
        return []
    *most, last = chosen.settings or ["nothing"]
    names = f"{', '.join(most)} and {last} were" if most else f"{last} was"
    known = ""
    if rule.declaration.treatment.propensity is not None:
        known = " Probabilities of the arms count as known there."
    if rule.tuning is not None:
        known += f" That is about fits of {rule.tuning.slots[0]} rows at {rule.tuning.steps.fit},"
        known += " as each candidate had."
    return wrapped(f"Settings: {names} {chosen.reason}.{known}")


def tuning_lines(rule: Rule) -> list[str]:
    """Return the paragraph on how γ was tuned on the rows, and what that cost; nothing if not."""
    tuning = rule.tuning
    if tuning is None:
        return []
    steps, fitted, scored = tuning.steps, tuning.slots[0], tuning.slots[-1]
    tried = f"{len(tuning.candidates)} candidates from {tuning.candidates[0]:g} to "
    tried += f"{tuning.candidates[-1]:g}"
    if tuning.how == REPEATS:
        found = (
            f"It is that of the best of a secret number of runs, {tuning.repeats} expected: each "
            f"drew one of {tried}, fitted it to {fitted} rows and scored it with noise on the "
            f"other {scored}"
        )
        cost = f"A run costs {steps.fit}, the best of them three times that: {tuning.budget} in all"
    else:
        flipped = tuning.flipped or tuning.how == FLIP
        chooser = "permute-and-flip" if flipped else "the exponential mechanism"
        found = (
            f"The {tried} were each fitted to {fitted} rows of their own, and {chooser} chose one "
            f"by scores on the other {scored}"
        )
        cost = f"Each person is in one of these parts, so all of it costs {tuning.budget} once"
        if tuning.how == SPLIT:
            cost = f"That cost {steps.fit}; the rule was then learned from all {tuning.rows} rows"
            cost += f" at {steps.rule}"
    way = "privately " if rule.private else ""
    words = f"Gamma was tuned {way}on the same {tuning.rows} rows. {found}."
    return wrapped(f"{words} {cost}." if tuning.budget.is_private else words)


def unclear_lines(rule: Rule) -> list[str]:
    """Return a warning if so private a rule was hardly better than a coin on simulated problems.

    With a split budget the settings were chosen for the fits of candidates, not for this one.
    """
    chosen, tuning = rule.release.certificate.chosen, rule.tuning
    if chosen is None or not rule.release.private or chosen.accuracy >= CLEAR:
        return []
    if tuning is not None and tuning.how == SPLIT:
        return []
    return wrapped(
        f"ON SIMULATED PROBLEMS such a rule was right for only {100 * chosen.accuracy:.1f} % of "
        "the people: this rule may be noise alone. More people or a larger budget would give a "
        "clearer one."
    )
