"""The figures of a plan, and what it hangs on: the scale of the benefit, and how many features."""

from collections.abc import Iterator

from dpwerm.documents.document import Block, Paragraph, Table
from dpwerm.plan.assumed import half_range
from dpwerm.plan.desk import Desk
from dpwerm.plan.expected import Expected, Spread
from dpwerm.text import number

RANGE = "80 in 100 trials"
COLUMNS = ("gain, %", RANGE, "harm, %", "right arm, %", RANGE)


def figures(one: Expected) -> tuple[str, ...]:
    """Return the cells of COLUMNS."""
    gain, right = ((mean_of(part), range_of(part)) for part in (one.gain, one.accuracy))
    return (*gain, f"{100 * one.harm:.0f}", *right)


def mean_of(one: Spread) -> str:
    """Return a mean in % with the simulation's error."""
    return f"{100 * one.mean:.1f} ± {100 * one.half:.1f}"


def range_of(one: Spread) -> str:
    """Return in % where 80 in 100 trials lie."""
    return f"{round(100 * one.low)} to {round(100 * one.high)}"  # never -0


def counted(n: int) -> str:
    """Return a number of people in words."""
    return "1 person" if n == 1 else f"{n:,} people"


def by_scale(desk: Desk, epsilon: str, n: int) -> Iterator[Block]:
    """Yield how the answer depends on what the study does not say of its benefit."""
    found, half = desk.scales(epsilon, n), half_range(desk.study.benefit)
    if not found:
        return
    rows = []
    for word, scale, one in found:
        effect = scale.effect_sd or 0.0
        sds = (number(scale.sd * half, digits=2), number(effect * half, digits=2))
        rows.append((word, *sds, f"{effect / scale.sd:g}", *figures(one)[:3]))
    head = ("bounds", "sd", "effect sd", "of the sd", *COLUMNS[:3])
    if desk.study.benefit.values == 2:
        head = ("share", *head[1:])
    yield Table(f"What it depends on, {_at(epsilon)} with {counted(n)}:", head, tuple(rows))
    yield Paragraph(
        "Sd: of the benefit within an arm, as a protocol states it beside the size of its sample. "
        "Effect sd: how much what one arm gains over the other varies between people; it is not "
        "the average effect. Declare them, as expected_sd and expected_effect_sd or with --sd and "
        "--effect-sd, and every figure is simulated with them."
    )


def by_features(desk: Desk, epsilon: str, n: int) -> Iterator[Block]:
    """Yield what fewer declared features would bring."""
    found = desk.declarations(epsilon, n)
    if len(found) < 2:
        return
    fewest = min(found)
    first = "feature" if fewest == 1 else f"{fewest:,} features"
    rows = tuple((f"{count:,}", *figures(one)) for count, one in found.items())
    caption = f"What fewer features would bring, {_at(epsilon)} with {counted(n)}:"
    yield Table(caption, ("features declared", *COLUMNS), rows)
    yield Paragraph(
        f"Here all that matters lies in the first {first} of the study file, and hyperparameters "
        "are chosen for each line. Leaving out a feature that matters costs what it would have "
        "told, which no simulation knows."
    )


def _at(epsilon: str) -> str:
    return "without privacy" if epsilon == "inf" else f"at epsilon = {epsilon}"
