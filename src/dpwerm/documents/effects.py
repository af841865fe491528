r"""What of a rule stands out, and which arm it then speaks for.

There is one measure for words, tables and pictures: the bar t of ``dpwerm.documents.null_trials``.
Where there is nothing to learn, privacy noise and chance together put no coefficient beyond its own
t in 95 of 100 releases.

A number or a category of two levels has one coefficient a and stands out if \|a\| > t. The levels
of a larger category are judged against each other. What all of them share belongs to the constant.
But the penalty holds the constant near 0, so the levels take a part of it, and one that many people
have takes more. How many have which level is not public, so a difference of two levels can be the
main effect alone. On either side of 0 it cannot, but for chance: for a category that is independent
of benefits, arms and all other features, with n_l people at level l and a penalty γR that is a sum
over coefficients, of which a score uses one for each level,

.. math:: \gamma R'(\theta_l) = n_l \, h(\theta_l)

where h(u) is how far the data pull a person's score up when it is shifted by u. It is the same
for all levels, whatever the other coefficients and the weights are, and falls in u, because the
loss is convex; so every θ_l has the sign of h(0), whatever n_l is. That is so for outcome weights
and for contrast regression with ridge. Levels stand out where one lies above 0 and another below,
each beyond its own t.

In arm-wise regression a level has a coefficient for each arm, with a pull h₋ and h₊ of its own, and
the score uses their difference. For few people it has the sign of h₊(0) − h₋(0), for many that of
the difference between the zeros of h₊ and h₋, which is another where one arm has more people. The
argument fails, so there the bar of such levels also covers trials in which one arm is better by
the same for everybody.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dpwerm.arrays import FloatArray
from dpwerm.features.blocks import CategoryBlock, NumberBlock
from dpwerm.objective.regularizers import Ridge
from dpwerm.releases.release import Release, Rule
from dpwerm.text import listed, number

MOST_LEVELS = 3
"""Of one category that are named on one side."""


def signs_are_shared(rule: Rule) -> bool:
    """Whether all levels of a category by lot lie on one side of 0, but for noise and chance."""
    return rule.release.certificate.regularizer.name == Ridge.name


@dataclass(frozen=True)
class Lean:
    """What a feature speaks for: ``second`` for the second arm, ``first`` for the first.

    size : half of what the feature moves the score by, from one side to the other
    """

    feature: str
    size: float
    first: str
    second: str


def leans(rule: Rule, bar: FloatArray | None = None) -> list[Lean]:
    """Return what speaks for which arm, the strongest first.

    bar : (p,), the bar; what does not stand out is left out. Without one everything counts, and of
    a large category the levels that are furthest apart.
    """
    found, start = [], int(rule.release.encoding.intercept > 0)
    effects = rule.release.effects.tolist()
    for block in rule.release.encoding.blocks:
        stop = start + block.width
        widths = None if bar is None else bar[start:stop].tolist()
        if isinstance(block, CategoryBlock) and block.width > 1:
            found += _of_levels(block, effects[start:stop], widths)
        elif abs(effects[start]) > (0.0 if widths is None else widths[0]):
            found.append(_of_one(block, effects[start], rule.release))
        start = stop
    return sorted(found, key=lambda one: -one.size)


def _of_one(block: NumberBlock | CategoryBlock, effect: float, release: Release) -> Lean:
    """Return the lean of a number or of two levels, which run from -1 to 1 or from 0 to 1."""
    if isinstance(block, NumberBlock):
        sides = [f"a lower {block.name}", f"a higher {block.name}"]
    else:
        sides = [f"{block.name} = {level.name}" for level in block.levels]
    first, second = sides if effect > 0 else sides[::-1]
    half = 1.0 if release.encoding.kind == "centred" else 0.5
    return Lean(block.name, half * abs(effect), first, second)


def _of_levels(
    block: CategoryBlock, effects: Sequence[float], bar: Sequence[float] | None
) -> list[Lean]:
    """Return the lean of more than two levels, none if they do not differ or not clearly so."""
    places = sorted(range(block.width), key=lambda place: -effects[place])
    above, below = places[:1], places[-1:]
    if bar is not None:
        above = [place for place in places if effects[place] > bar[place]]
        below = [place for place in reversed(places) if effects[place] < -bar[place]]
    if not (above and below) or effects[above[0]] == effects[below[0]]:
        return []
    names = [level.name for level in block.levels]
    up, down = (_some([f"'{names[place]}'" for place in side]) for side in (above, below))
    size = (effects[above[0]] - effects[below[0]]) / 2
    more = (f"{block.name} {down} more than {up}", f"{block.name} {up} more than {down}")
    return [Lean(block.name, size, *more)]


def _some(names: list[str]) -> str:
    more = len(names) - MOST_LEVELS
    return listed(names, "or") if more <= 0 else f"{', '.join(names[:MOST_LEVELS])} or {more} more"


def one_sided(rule: Rule, bar: FloatArray) -> list[str]:
    """Return the large categories with levels beyond the bar that all lie on one side of 0."""
    named = {one.feature for one in leans(rule, bar)}
    found, start = [], int(rule.release.encoding.intercept > 0)
    out = beyond(rule.release, bar)
    for block in rule.release.encoding.blocks:
        stop = start + block.width
        if block.width > 1 and any(out[start:stop]) and block.name not in named:
            found.append(block.name)
        start = stop
    return found


def unclear(rule: Rule, bar: FloatArray) -> list[str]:
    """Return what does not go beyond the bar, by features; not what the threshold set to 0."""
    release = rule.release
    out, kept = beyond(release, bar), [bool(k) for k in release.kept]
    start = int(release.encoding.intercept > 0)
    found = ["intercept"] if start and not out[0] else []
    for block in release.encoding.blocks:
        stop = start + block.width
        if any(kept[start:stop]) and not any(out[start:stop]):
            found.append(block.name)
        start = stop
    return found


def beyond(release: Release, bar: FloatArray) -> list[bool]:
    """Return for each coefficient whether it lies beyond its ±: its interval does not hold 0."""
    return [bool(abs(a) > t) for a, t in zip(release.effects, bar, strict=True)]


def coefficient_texts(release: Release, half: FloatArray | None) -> list[str]:
    """Return each coefficient in encoded units, as fine as its noise, or as the largest, needs."""
    scale = float(abs(release.effects).max()) / 100
    errors = [scale] * len(release.effects) if half is None or not half.any() else half
    pairs = zip(release.effects, errors, strict=True)
    return [number(effect, error, sign=True) for effect, error in pairs]
