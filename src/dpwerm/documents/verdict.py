r"""The verdict on a rule as a whole: whether it can be told from noise.

From public facts and the release alone, at no further cost. The null is that outcomes have nothing
to do with the arm; what features do in both arms alike is part of it. Under it the bars t of
``dpwerm.documents.null_trials`` hold for all coefficients at once,

.. math:: P(|a_j| \le t_j \text{ for all } j) \ge 0.95,

whatever of the tried shapes the benefit has. So the largest \|a_j\|/t_j of the slopes is a test of
the whole rule with a level of 5 in 100 at most, and a rule is told from noise if it is above 1. The
levels of a larger category count as in ``dpwerm.documents.effects``: one beyond its bar on either
side of 0, because what they share is the constant, which says nothing of who gets what.
"""

from dataclasses import dataclass
from enum import StrEnum

from dpwerm.documents.effects import leans
from dpwerm.documents.half_widths import no_trials
from dpwerm.documents.null_trials import Bar, bar_of
from dpwerm.releases.release import Rule

NULL = "on synthetic trials in which outcomes have nothing to do with the arm"
NO_PROMISE = "That does not say that it does any good."
CLEARER = "More people or a larger budget would give a clearer one."


class Outcome(StrEnum):
    """What can be said of a rule as a whole."""

    TOLD = "told from noise"
    NOISE = "cannot be told from noise"
    ONE_ARM = "one arm for everybody"
    UNKNOWN = "not known"


@dataclass(frozen=True)
class Verdict:
    """An outcome, and a sentence that says it."""

    outcome: Outcome
    words: str

    @property
    def told(self) -> bool:
        """Whether who gets what can be told from noise; only then may more be said of the rule."""
        return self.outcome == Outcome.TOLD


def verdict_of(rule: Rule, bar: Bar | None = None) -> Verdict:
    """Return the verdict on a rule.

    bar : that of the rule if it is at hand, simulated otherwise; none is needed for one arm
    """
    if rule.single_arm is not None:
        return Verdict(Outcome.ONE_ARM, single_arm_words(rule))
    bar = bar_of(rule) if bar is None else bar
    if bar is None:
        words = f"WHETHER THIS RULE CAN BE TOLD FROM NOISE IS NOT KNOWN: {no_trials(rule)}."
        return Verdict(Outcome.UNKNOWN, words)
    noise = "NOISE" if bar.noisy else "CHANCE"
    if leans(rule, bar.sizes):
        words = f"THIS RULE CAN BE TOLD FROM {noise}: {NULL}, at most 5 of 100 such rules had a "
        return Verdict(Outcome.TOLD, f"{words}feature that stands out as here. {NO_PROMISE}")
    words = f"THIS RULE CANNOT BE TOLD FROM {noise}: a rule like it could be released even if "
    words += "outcomes had nothing to do with arm and features."
    return Verdict(Outcome.NOISE, f"{words} {CLEARER}" if bar.noisy else words)


def single_arm_words(rule: Rule) -> str:
    """Say that a rule gives everybody one arm, "" for a rule that gives both."""
    if rule.single_arm is None:
        return ""
    (other,) = (arm for arm in rule.arms if arm != rule.single_arm)
    if rule.release.everybody:
        return (
            f"EVERYBODY GETS {rule.single_arm!r}: a private choice on these data took this arm for "
            "everybody, not the rule that was learned. Nothing is said of who benefits from "
            f"{other!r}."
        )
    return (
        f"THE RULE GIVES EVERYBODY {rule.single_arm!r}: no values of the features make it "
        f"recommend {other!r}. That follows from the rule itself."
    )
