"""A released value in plain words: a table of values and gains, and how to read them."""

from dpwerm.privacy.weight_origin import origin_class
from dpwerm.releases.release import Rule
from dpwerm.releases.value.layout import RULE
from dpwerm.releases.value.release import Estimate, ValueRelease
from dpwerm.text import aligned, rests_on, stacked, underlined

HEADINGS = ("", "estimate", "interval", "privacy", "sampling")
ESTIMATES = {"design": "probabilities by design", "weighted": "probabilities by row"}


def value_summary(value: ValueRelease, rule: Rule | None = None) -> str:
    """Return the evaluation as text; with the rule, also what the rule cost before."""
    lines = aligned([HEADINGS, *map(estimate_row, (*value.values, *value.gains))])
    gains = len(value.values) + 1
    parts = [
        [*underlined(f"Value of a rule: {value.declaration.title}"), "", value.notice],
        [f"{scale_words(value)}:", "", *lines[:gains], "", *lines[gains:]],
        reading_lines(value) + verdict_lines(value),
        cost_lines(value, rule),
        rests_on(value_rows(value), private=value.certificate.private),
    ]
    return stacked(parts) + "\n"


def scale_words(value: ValueRelease) -> str:
    """Return what is measured, and its range after transform and direction."""
    benefit = value.declaration.benefit
    how = [] if benefit.transform == "identity" else [f"after {benefit.transform}"]
    if benefit.direction == "smaller":
        how.append("with its sign turned, so that larger is better")
    lower, upper = (end + 0.0 for end in benefit.range)  # never -0
    scale = f"{benefit.column}{', ' if how else ''}{', '.join(how)}"
    return f"Mean benefit ({scale}), between {lower:g} and {upper:g}"


def estimate_row(one: Estimate) -> tuple[str, ...]:
    """Return a value or a gain under ``HEADINGS``."""
    called = "the rule" if one.name == RULE else f"{one.name!r} for everybody"
    if one.over is not None:
        called = f"gain of the rule over {one.over!r} for everybody"
    shown = "not known" if one.estimate is None else f"{one.estimate:.4g}"
    ends = f"{one.lower:.4g} to {one.upper:.4g}"
    return called, shown, ends, f"± {one.privacy:.3g}", f"± {one.sampling:.3g}"


def reading_lines(value: ValueRelease) -> list[str]:
    """Return how to read the intervals."""
    share = f"{100 * value.confidence:g}"
    lines = [
        "Each interval allows for both errors. It is made to hold the mean in the population these",
        f"people come from in {share} of 100 evaluations (measured: docs/evaluation.md).",
        "Under privacy stands the reach of the noise alone, under sampling that of chance in who",
        "took part. The latter is read from noisy sums and raised by what they may hide, so it is",
        "rather too large than too small.",
    ]
    if not origin_class(value.declaration.treatment.origin).by_design:
        lines.append("Errors of the propensity model are in no interval: it counts as right.")
    if not value.budget.is_private:
        lines.append("There is no noise here, so the privacy error is 0.")
    return lines


def verdict_lines(value: ValueRelease) -> list[str]:
    """Return one sentence on whether the rule beats each arm."""
    clear = [one for one in value.gains if one.lower > 0]
    worse = [one for one in value.gains if one.upper < 0]
    if worse:
        arms = " and ".join(repr(one.over) for one in worse)
        return [f"THE RULE IS WORSE than {arms} for everybody, beyond both errors."]
    if len(clear) == len(value.gains):
        return ["The rule is better than either arm for everybody, beyond both errors."]
    unclear = " and ".join(repr(one.over) for one in value.gains if one not in clear)
    more = "a larger epsilon or more people" if value.budget.is_private else "more people"
    return [
        f"Whether the rule is better than {unclear} for everybody CANNOT BE TOLD from this;",
        f"{more} would tell more.",
    ]


def cost_lines(value: ValueRelease, rule: Rule | None) -> list[str]:
    """Return what the evaluation cost, and on whom it is fair."""
    lines = [
        "On the people a rule was learned from its value is too good: a rule fits its own data.",
        "Only other people give a fair value.",
    ]
    if not value.private:
        return lines
    before = (
        "what the rule cost" if rule is None or not rule.private else f"the rule's {rule.budget}"
    )
    return [
        f"This evaluation costs epsilon = {value.budget.epsilon}, on top of {before}",
        "if the people are those that the rule was learned from.",
        *lines,
    ]


def value_rows(value: ValueRelease) -> dict[str, str]:
    """Return what the promise of an evaluation rests on, each fact by its name."""
    c = value.certificate
    relation = str(c.relation) + (f", n = {c.n}" if c.n is not None else ", n is not written")
    return {
        "mechanism": f"{c.mechanism} ({c.proof})",
        "relation": relation,
        "rule": value.rule_digest,
        "estimate": f"{ESTIMATES.get(c.estimate, c.estimate)}, from {c.sums} sums",
        "weights": f"1/P with P at least {c.pi_min:.6g}, origin {c.weight_origin}",
        "sensitivity": f"{c.sensitivity} of all sums together",
        "noise scale": f"{c.noise_scale:.6g} in each sum, on a grid of 2^{c.grid_exponent}",
        "randomness": c.randomness,
        "ledger": str(value.receipt or c.ledger),
    }
