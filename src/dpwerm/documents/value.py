"""A released value in plain words: a table of values and gains, and how to read them."""

from dpwerm.documents.document import Document, Facts, Paragraph, Section, Table
from dpwerm.documents.render import as_text
from dpwerm.documents.summary import MADE, RESTS
from dpwerm.privacy.weight_origin import origin_class
from dpwerm.releases.release import Rule
from dpwerm.releases.value.layout import RULE
from dpwerm.releases.value.release import Estimate, ValueRelease
from dpwerm.text import at_least, at_most, interval_words, number, on_scale

HEADINGS = ("", "estimate", "interval", "privacy", "sampling")
ESTIMATES = {"design": "probabilities by design", "weighted": "probabilities by row"}


def value_summary(value: ValueRelease, rule: Rule | None = None) -> str:
    """Return the evaluation as text."""
    return as_text(value_document(value, rule))


def value_document(value: ValueRelease, rule: Rule | None = None) -> Document:
    """Return the evaluation.

    rule : the rule that was evaluated: what it cost before, and whether it gives everybody one arm
    """
    rows = tuple(map(estimate_row, (*value.values, *gains_of(value, rule))))
    private = value.certificate.private
    blocks = (
        Table(f"{scale_words(value)}:", HEADINGS, rows),
        Paragraph(reading_words(value)),
        Paragraph(verdict_words(value, rule)),
        Paragraph(cost_words(value, rule)),
        Facts(tuple(value_rows(value).items()), RESTS if private else MADE),
    )
    return Document(
        "value-summary",
        f"Value of a rule: {value.declaration.title}",
        (Section("value", "", blocks),),
        notices=(value.notice,),
        private=value.private,
        about="Summary of the value of a treatment rule",
    )


def scale_words(value: ValueRelease) -> str:
    """Return what is measured, and its range after transform and direction."""
    benefit = value.declaration.benefit
    how = [] if benefit.transform == "identity" else [f"after {benefit.transform}"]
    if benefit.direction == "smaller":
        how.append("with its sign turned, so that larger is better")
    least, most = benefit.range
    lower, upper = (on_scale(end, most - least) for end in (least, most))
    scale = f"{benefit.column}{', ' if how else ''}{', '.join(how)}"
    return f"Mean benefit ({scale}), between {lower} and {upper}"


def gains_of(value: ValueRelease, rule: Rule | None = None) -> tuple[Estimate, ...]:
    """Return what the rule gains over each arm; exactly 0 over the one that it gives everybody.

    The sums of a file stay as they were released: that the gain is 0 follows from the rule.
    """
    if rule is None or rule.single_arm is None:
        return value.gains
    same = rule.arms.index(rule.single_arm)
    nothing = dict.fromkeys(("estimate", "lower", "upper", "privacy", "sampling"), 0.0)
    return tuple(
        one.model_copy(update=nothing) if place == same else one
        for place, one in enumerate(value.gains)
    )


def estimate_row(one: Estimate) -> tuple[str, ...]:
    """Return a value or a gain under ``HEADINGS``, as fine as its interval needs."""
    called = "the rule" if one.name == RULE else f"{one.name!r} for everybody"
    if one.over is not None:
        called = f"gain of the rule over {one.over!r} for everybody"
    if one.lower == one.upper == one.estimate == 0:
        return called, "0", "exactly", "± 0", "± 0"
    errors = (f"± {at_most(half, 2)}" for half in (one.privacy, one.sampling))
    return called, estimate_words(one), interval_words(one.lower, one.upper), *errors


def estimate_words(one: Estimate) -> str:
    """Return an estimate, as fine as its interval needs."""
    if one.estimate is None:
        return "not known"
    return number(one.estimate, (one.upper - one.lower) / 2)


def reading_words(value: ValueRelease) -> str:
    """Return how to read the intervals."""
    words = (
        "Each interval allows for both errors. It is made to hold the mean in the population these "
        f"people come from in {100 * value.confidence:g} of 100 evaluations (measured: "
        "docs/evaluation.md). Under privacy stands the half-width for the noise alone, under "
        "sampling that for chance in who took part. The latter is read from noisy sums and raised "
        "by what they may hide, so it is rather too large than too small. No interval goes beyond "
        "what the declared bounds allow."
    )
    if not origin_class(value.declaration.treatment.origin).by_design:
        words += " Errors of the propensity model are in no interval: it counts as right."
    if not value.budget.is_private:
        words += " There is no noise here, so the privacy error is 0."
    return words


def verdict_words(value: ValueRelease, rule: Rule | None = None) -> str:
    """Return whether the rule beats each arm."""
    if rule is not None and rule.single_arm is not None:
        return _single_arm_words(value, rule, rule.single_arm)
    clear = [one for one in value.gains if one.lower > 0]
    worse = [one for one in value.gains if one.upper < 0]
    if worse:
        arms = " and ".join(repr(one.over) for one in worse)
        return f"THE RULE IS WORSE than {arms} for everybody, beyond both errors."
    if len(clear) == len(value.gains):
        return "The rule is better than either arm for everybody, beyond both errors."
    unclear = " and ".join(repr(one.over) for one in value.gains if one not in clear)
    whether = f"Whether the rule is better than {unclear} for everybody"
    return f"{whether} CANNOT BE TOLD from this; {_more(value)} would tell more."


def _single_arm_words(value: ValueRelease, rule: Rule, single: str) -> str:
    """Return the verdict on a rule that gives everybody one arm: it can beat the other alone."""
    other = value.gains[1 - rule.arms.index(single)]
    words = f"THE RULE GIVES EVERYBODY {single!r}: its gain over that is exactly 0, and the lines "
    words += f"of the rule and of {single!r} for everybody are two estimates of one value."
    pair = f"than {other.over!r} for everybody"
    if other.upper < 0:
        return f"{words} {single!r} IS WORSE {pair}, beyond both errors."
    if other.lower > 0:
        return f"{words} {single!r} is better {pair}, beyond both errors."
    whether = f"Whether {single!r} is better {pair}"
    return f"{words} {whether} CANNOT BE TOLD from this; {_more(value)} would tell more."


def _more(value: ValueRelease) -> str:
    return "a larger epsilon or more people" if value.budget.is_private else "more people"


def cost_words(value: ValueRelease, rule: Rule | None) -> str:
    """Return what the evaluation cost, and on whom it is fair."""
    fair = "On the people a rule was learned from its value is too good: a rule fits its own data. "
    fair += "Only other people give a fair value."
    if not value.private:
        return fair
    paid = rule is not None and rule.private
    before = f"the rule's {rule.budget}" if rule is not None and paid else "what the rule cost"
    return (
        f"This evaluation costs epsilon = {value.budget.epsilon}, on top of {before} if the people "
        f"are those that the rule was learned from. {fair}"
    )


def value_rows(value: ValueRelease) -> dict[str, str]:
    """Return what the promise of an evaluation rests on, each fact by its name."""
    c = value.certificate
    relation = str(c.relation) + (f", n = {c.n}" if c.n is not None else ", n is not written")
    return {
        "mechanism": f"{c.mechanism} ({c.proof})",
        "relation": relation,
        "rule": value.rule_digest,
        "estimate": f"{ESTIMATES.get(c.estimate, c.estimate)}, from {c.sums} sums",
        "weights": f"1/P with P at least {at_least(c.pi_min, 6)}, origin {c.weight_origin}",
        "sensitivity": f"{c.sensitivity} of all sums together",
        "noise scale": (
            f"{number(c.noise_scale, digits=6)} in each sum, on a grid of 2^{c.grid_exponent}"
        ),
        "randomness": c.randomness,
        "ledger": str(value.receipt or c.ledger),
    }
