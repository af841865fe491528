"""What a rule paid for besides its fit, in words: tightness, private ranges and the guard.

Declared bounds stay what they were; a fit inside private ranges has others. Nothing here says that
a range or a choice is right: both are noisy.
"""

from dataclasses import dataclass

from dpwerm.documents.own_units import declared
from dpwerm.features.blocks import CategoryBlock, NumberBlock
from dpwerm.mechanisms.box_sums import BoxSums
from dpwerm.releases.guard import CANDIDATES
from dpwerm.releases.guard import PROOF as GUARD_PROOF
from dpwerm.releases.parts import declared_encoding
from dpwerm.releases.ranges import BENEFIT, FEATURES
from dpwerm.releases.release import Rule
from dpwerm.releases.tightness import CUT, TIGHT, TOGETHER, Filled
from dpwerm.text import listed, on_scale

UNITS = {
    "centred": "a number runs from -1 to 1 over its {} range, two levels are -1 and 1, each "
    "of more levels is 1 for its people and 0 for others",
    "paper": "the paper's: every feature runs from 0 to 1 and is divided by the same factor",
}
NO_PROOF = "That is a choice by noisy scores on the same people; it does not show that the rule "
NO_PROOF += "does any good."


@dataclass(frozen=True)
class Found:
    """A column with its declared bounds and the range that was found; ``of`` as in ranges."""

    of: str
    column: str
    declared: tuple[float, float]
    inside: tuple[float, float]

    @property
    def words(self) -> str:
        """The range that was found."""
        low, high = self.inside
        return " to ".join(on_scale(end, high - low) for end in self.inside)

    @property
    def bounds(self) -> str:
        """The bounds that were declared."""
        return " to ".join(map(declared, self.declared))


def found(rule: Rule) -> list[Found]:
    """Return what private ranges found, in the columns' own units."""
    benefit, numbers = rule.declaration.benefit, number_blocks(rule)
    all_found = []
    for one in rule.ranges:
        if one.of == BENEFIT:
            inside = rule.fitted_benefit.bounds
            all_found.append(Found(BENEFIT, benefit.column, benefit.bounds, inside))
            continue
        for column in one.columns:
            block = numbers[column.name]
            ends = (column.lower, column.upper)
            all_found.append(Found(FEATURES, column.name, ends, (block.lower, block.upper)))
    return all_found


def number_blocks(rule: Rule) -> dict[str, NumberBlock]:
    """Return the numbers among the features, as the fit had them, by their names."""
    blocks = rule.release.encoding.blocks
    return {block.name: block for block in blocks if isinstance(block, NumberBlock)}


def declared_blocks(rule: Rule) -> tuple[NumberBlock | CategoryBlock, ...]:
    """Return the features as they were declared."""
    return declared_encoding(rule).blocks


def range_name(rule: Rule, of: str) -> str:
    """Return what kind of range the fit had, of the benefit or of the features' numbers."""
    return "private" if any(one.of == of for one in rule.ranges) else "declared"


def units_words(rule: Rule) -> str:
    """Say what the units of encoded coefficients are."""
    return UNITS[rule.release.encoding.kind].format(range_name(rule, FEATURES))


def tightness_words(rule: Rule) -> str:
    """Say whether bounds look tight, and what hangs on it; "" without a private tightness."""
    if rule.tightness is None:
        return ""
    looks = {
        filled_words(one): "tight" if value >= TIGHT[one.of] else "too wide"
        for one, value in zip(rule.tightness.filled, rule.tightness.values.values(), strict=True)
    }
    if len({*looks.values()}) == 1 and len(looks) > 1:
        looks = {"": looks[BENEFIT]}
    they = " and ".join(
        f"{f'those of the {of}' if of else 'they'} look {look}" for of, look in looks.items()
    )
    return (
        f"Whether the declared bounds fit the data was estimated privately, with noise: {they}. "
        "Only how the rule was learned depends on it."
    )


def filled_words(one: Filled) -> str:
    """Return what one number of a tightness is of; in earlier versions that depended on a study."""
    if one.of != TOGETHER:
        return one.of
    own, others = one.columns[:1] == (BENEFIT,), one.columns[1:]
    return TOGETHER if own and others else BENEFIT if own else FEATURES


def ranges_words(rule: Rule) -> str:
    """Say where the data were found to lie and what came of it, "" without private ranges."""
    told = found(rule)
    if not told:
        return ""
    each = [f"{one.column} {one.words} (declared {one.bounds})" for one in told]
    return (
        f"Where most of the data lie was estimated privately, with noise: {listed(each)}. The rule "
        "was learned inside; a value outside counts as the nearest end."
    )


def guard_words(rule: Rule) -> str:
    """Say what the guard took, and what that does not show; "" without a guard."""
    if rule.guard is None:
        return ""
    first, second = (f"'{arm}'" for arm in rule.arms)
    words = f"A private choice on these data between the rule and {first} or {second} for "
    if not rule.guard.chosen:
        return f"{words}everybody took the rule. {NO_PROOF}"
    taken = (first, second)[rule.guard.chosen - 1]
    return f"{words}everybody took {taken} for everybody. The choice is noisy, too."


def parts_rows(rule: Rule) -> dict[str, str]:
    """Return what tightness, private ranges and a guard cost, and what they found."""
    rows = {}
    if rule.tightness is not None:
        told = rule.tightness
        each = [
            f"{filled_words(one)} {on_scale(float(value), float(CUT))}, "
            f"tight from {float(TIGHT[one.of]):g} on"
            for one, value in zip(told.filled, told.values.values(), strict=True)
        ]
        rows["private tightness"] = (
            f"{'; '.join(each)}; of at most {float(CUT):g}; epsilon {told.budget.epsilon} "
            f"({BoxSums.proof})"
        )
    for one in rule.ranges:
        inside = [
            f"{column}{each.words}, declared {each.bounds}"
            for each in found(rule)
            if each.of == one.of
            for column in ("" if one.of == BENEFIT else f"{each.column} ",)
        ]
        words = f"{'; '.join(inside)}; epsilon {one.budget.epsilon} ({BoxSums.proof})"
        rows[f"private range of the {one.of}"] = words
    if rule.guard is not None:
        taken = CANDIDATES[rule.guard.chosen]
        rows["guard"] = f"took the {taken}; epsilon {rule.guard.budget.epsilon} ({GUARD_PROOF})"
    return rows


def cost_rows(rule: Rule) -> list[tuple[str, str]]:
    """Return what was spent on tightness, on private ranges and on the guard."""
    rows = [] if rule.tightness is None else [("private tightness", str(rule.tightness.budget))]
    rows += [(f"private range of the {one.of}", str(one.budget)) for one in rule.ranges]
    return [*rows, ("guard", str(rule.guard.budget))] if rule.guard is not None else rows
