"""What was chosen for a rule and how, in words: on synthetic trials, or privately on the rows.

Synthetic trials tell what hyperparameters did there, never how good a rule is. It is repeated only
of a rule that can be told from noise.
"""

from dpwerm.choose.question import THERE
from dpwerm.documents.verdict import CLEARER, Outcome, Verdict
from dpwerm.releases.release import Rule
from dpwerm.releases.tuning import FLIP, REPEATS, SPLIT
from dpwerm.text import listed, number

CLEAR, WORTH, HARMFUL = 0.6, 0.1, 1 / 3
"""A private rule may be noise alone below such a share of right answers on synthetic trials; or, of
trials with an outcome, below such a gain, and above such a share of releases that did harm.
"""

SETTINGS = {"main": "main_penalty", "mean": "mean_scale"}
"""What settings are called in a study file, where a certificate calls them otherwise."""

TIGHTLY = (
    "Those trials were declared tightly, as a real one may not be: it says little of this rule."
)
NOISE_ALONE = "may be noise alone"
LEFT_OUT = (
    "What such rules did there is left out: nothing shows that this one, which is not told from "
    "noise, does the same."
)


def chosen_words(rule: Rule, verdict: Verdict) -> str:
    """Return what was chosen automatically, "" if nothing was; and how, where that can be said."""
    chosen = rule.release.certificate.chosen
    if chosen is None:
        return ""
    were = "were" if len(chosen.settings) > 1 else "was"
    names = [SETTINGS.get(name, name) for name in chosen.settings]
    how, there, did = chosen.reason.partition(THERE)
    words = f"Hyperparameters: {listed(names or ['nothing'])} {were} {how}"
    words += f"{there}{did}." if verdict.told or not there else f". {LEFT_OUT}"
    if chosen.gain is None and verdict.told:
        words += f" {TIGHTLY}"
    if not rule.release.certificate.design.uses_probabilities:
        if rule.declaration.treatment.probabilities is None:
            words += " Who got which arm hangs on features there, in ways drawn at random."
    elif rule.declaration.treatment.propensity is not None:
        words += " Probabilities of the arms count as known there."
    if rule.tuning is not None:
        words += f" That is about fits of {rule.tuning.folds[0]} rows at {rule.tuning.steps.fit},"
        words += " as each candidate had."
    return words


def tuning_words(rule: Rule) -> str:
    """Return how γ was tuned on the rows, and what that cost; "" if it was not."""
    tuning = rule.tuning
    if tuning is None:
        return ""
    steps, fitted, scored = tuning.steps, tuning.folds[0], tuning.folds[-1]
    least, most = (number(tuning.candidates[place], digits=6) for place in (0, -1))
    tried = f"{len(tuning.candidates)} candidates from {least} to {most}"
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
    return f"{words} {cost}." if tuning.budget.is_private else words


def unclear_words(rule: Rule, verdict: Verdict) -> str:
    """Return a warning if so private a rule was of hardly any use on synthetic trials.

    With a split budget they were chosen for the fits of candidates, not for this one. A verdict
    that a rule is noise, or one arm, says more than that.
    """
    chosen, tuning = rule.release.certificate.chosen, rule.tuning
    if chosen is None or not rule.release.private:
        return ""
    if verdict.outcome in (Outcome.NOISE, Outcome.ONE_ARM):
        return ""
    if tuning is not None and tuning.how == SPLIT:
        return ""
    if chosen.gain is not None and chosen.harm is not None:
        if chosen.gain >= WORTH and chosen.harm <= HARMFUL:
            return ""
        did = f"{gain_words(chosen.gain, chosen.harm)}:"
    elif chosen.accuracy >= CLEAR:
        return ""
    else:
        did = f"such a rule was right for only {100 * chosen.accuracy:.1f} % of the people:"
    fear = "may do no good, though it can be told from noise" if verdict.told else NOISE_ALONE
    return f"ON SYNTHETIC TRIALS {did} this rule {fear}. {CLEARER}"


def gain_words(gain: float, harm: float) -> str:
    """Return what such rules did on the synthetic trials on which they were chosen."""
    return (
        f"such rules gained {100 * gain:.0f} % of what can be gained over one arm for everybody, "
        f"and {100 * harm:.0f} % of them were worse than one arm for everybody"
    )
