"""The rule in two sentences: when which arm is recommended, and what speaks for which."""

from collections.abc import Collection

from dpwerm.report.sections.naming import listed, quoted
from dpwerm.rules.rule import Rule
from dpwerm.study.blocks import CategoryBlock, NumberBlock

MOST_NAMED = 4
NOTHING_CLEAR = "No feature stands out from the privacy noise."


def answer(rule: Rule) -> str:
    """Return the rule in one sentence."""
    first, second = rule.arms
    return (
        f"Recommend {quoted(second)} where the score is above 0 and {quoted(first)} where it is "
        f"below; a score of exactly 0 gives {quoted(rule.default)}."
    )


def directions(rule: Rule, without: Collection[str] = ()) -> str:
    """Return what speaks for which arm, the strongest first; some coefficients can be left out."""
    sides: tuple[list[str], list[str]] = ([], [])
    effects = _pulls(rule)
    for name, level in sorted(_meanings(rule).items(), key=lambda one: -abs(effects[one[0]])):
        if effects[name] and name not in without:
            up, down = level
            second = bool(effects[name] > 0)
            sides[second].append(up)
            if down:
                sides[not second].append(down)
    sentences = []
    for arm, found in zip(rule.arms[::-1], sides[::-1], strict=True):
        if found:
            more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
            named = ", ".join(found[:MOST_NAMED]) if more else listed(found)
            sentences.append(f"Speaking for {quoted(arm)}: {named}{more}.")
    if not sentences and any(effects[name] for name in _meanings(rule)):
        return NOTHING_CLEAR
    if not sentences:
        return "No feature speaks for either arm: everybody gets the same recommendation."
    order = " What weighs most comes first." if max(map(len, sides)) > 1 else ""
    return f"{' '.join(sentences)}{order}"


def _pulls(rule: Rule) -> dict[str, float]:
    """Return how far each coefficient pulls from the middle of its feature.

    Numbers and two levels run from -1 to 1, or from 0 to 1 in the paper's encoding, which is half
    as far from the middle; more levels are taken from their mean.
    """
    encoding = rule.release.encoding
    half = 1.0 if encoding.kind == "centred" else 0.5
    pulls = dict(zip(encoding.coefficient_names, map(float, rule.release.effects), strict=True))
    for block in encoding.blocks:
        names, many = block.coefficient_names, isinstance(block, CategoryBlock) and block.width > 1
        middle = sum(pulls[name] for name in names) / block.width if many else 0.0
        pulls |= {name: (pulls[name] - middle) * (1.0 if many else half) for name in names}
    return pulls


def _meanings(rule: Rule) -> dict[str, tuple[str, str]]:
    """Return for each coefficient what a positive one speaks for, and what then speaks against."""
    found = {}
    for block in rule.release.encoding.blocks:
        if isinstance(block, NumberBlock):
            found[block.name] = (f"a higher {block.name}", f"a lower {block.name}")
        elif block.width == 1:
            first, second = (f"{block.name} = {level.name}" for level in block.levels)
            found[block.coefficient_names[0]] = (second, first)
        else:
            for name, level in zip(block.coefficient_names, block.levels, strict=True):
                found[name] = (f"{block.name} = {level.name}", "")
    return found
