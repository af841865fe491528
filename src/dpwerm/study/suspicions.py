"""What the rows of a table say in sum against what a study declares about them.

Each cell may be as declared and the declaration still be a poor one: bounds far wider than what
people reach, benefits that are all the same, arms in other proportions than the protocol's. What to
do about it is looked up outside the data, so a finding holds counts and ratios and never a number
that could be taken over as a bound or a probability.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.data.table import Table
from dpwerm.study.findings import Finding
from dpwerm.study.study import Study
from dpwerm.study.treatment import arm_labels, received_probabilities, second_arm_probabilities
from dpwerm.study.variables import NumberFeature

MANY = 20
"""Rows, from which on something can be said about them in sum."""

FALSE_ALARM = 1e-3
"""How often the counts of arms are doubted where they came about as declared."""

SAME, NEARLY_ALL = 0.5, 0.95
"""Shares of benefits on one value: from which on it is told, and from which on it is the end."""

WIDE = 4.0
"""How many times wider than the middle of the data bounds must be to be called too wide."""

_SAMPLE, _LEAST_VARIANCE = 1 << 14, 5.0
_OUTSIDE = "in the protocol, the literature or the instrument, never in these data"


@dataclass(frozen=True)
class Tally:
    """Counts of rows.

    rows : of all
    usable : of those with an arm, a benefit and, where one is declared, a propensity
    by_arm : usable ones of the first and of the second arm
    given : those whose arm and probability are known, and those of them in the second arm
    expected, variance : of the number in the second arm, by the declared probabilities
    """

    rows: int
    usable: int
    by_arm: tuple[int, int]
    given: tuple[int, int]
    expected: float
    variance: float


def tallied(study: Study, table: Table) -> Tally:
    """Return the counts of a table's rows."""
    treatment, benefit = study.treatment, study.benefit
    first = second = known = received = 0
    expected = variance = 0.0
    for block in table.blocks():
        labels = arm_labels(block, treatment)
        usable = ~np.isnan(labels) & ~np.isnan(block.numbers(benefit.column))
        chances = second_arm_probabilities(block, treatment)
        if chances is not None:
            usable &= ~np.isnan(received_probabilities(treatment, labels, chances))
            both = ~np.isnan(labels) & ~np.isnan(chances)
            p = np.clip(chances[both], 0.0, 1.0)
            known, received = known + len(p), received + int((labels[both] > 0).sum())
            expected, variance = expected + float(p.sum()), variance + float((p * (1 - p)).sum())
        first += int((labels[usable] < 0).sum())
        second += int((labels[usable] > 0).sum())
    arms = (first, second)
    return Tally(table.n_rows, first + second, arms, (known, received), expected, variance)


def arm_counts(study: Study, tally: Tally) -> list[Finding]:
    """Return that people are spread over the arms otherwise than the probabilities allow."""
    known, received = tally.given
    if known < MANY or not all(tally.by_arm) or not _is_odd(study, tally):
        return []
    treatment = study.treatment
    problem = (
        f"{received:,} of {known:,} rows have arm {treatment.arms[1]!r}, where the declared "
        f"probabilities make {tally.expected:,.0f} likely; chance goes that far in fewer than 1 of "
        f"{1 / FALSE_ALARM:,.0f} trials"
    )
    remedy = (
        "weights would be wrong: are these the probabilities of the randomisation list, each for "
        "its own arm, and is everybody in the table who was randomised? Ask the protocol and the "
        "list; proportions in the table are no probabilities"
    )
    return [Finding(treatment.column, "arm counts", problem, remedy)]


def _is_odd(study: Study, tally: Tally) -> bool:
    """Whether a two-sided test rejects the probabilities at the level of false alarms.

    One probability for all is tested exactly, one for each row by the normal approximation, from
    a variance on at which it holds the level too.
    """
    known, received = tally.given
    declared = study.treatment.probabilities
    if declared is not None:
        from scipy.stats import binomtest

        return bool(binomtest(received, known, float(declared[1])).pvalue < FALSE_ALARM)
    if tally.variance < _LEAST_VARIANCE:
        return False
    beyond = max(abs(received - tally.expected) - 0.5, 0.0)
    return math.erfc(beyond / math.sqrt(2 * tally.variance)) < FALSE_ALARM


def one_value(study: Study, table: Table) -> list[Finding]:
    """Return that most benefits are one and the same number once they are within the bounds."""
    column, (lower, upper) = study.benefit.column, study.benefit.bounds
    # What half of all rows share is shared by half of some block.
    shared: set[float] = set()
    few: set[float] = set()
    count = 0
    for values in _within(table, column, (lower, upper)):
        each, times = np.unique(values, return_counts=True)
        count += len(values)
        shared |= set(each[2 * times >= len(values)].tolist())
        few |= set(each[:3].tolist()) if len(few) < 3 else set()
    if count < MANY or not shared:
        return []
    places = sorted(shared)
    totals = np.zeros(len(places), dtype=np.int64)
    for values in _within(table, column, (lower, upper)):
        totals += [int((values == place).sum()) for place in places]
    most, value = int(totals.max()), places[int(totals.argmax())]
    if most < SAME * count or (most < NEARLY_ALL * count and len(few) < 3):
        return []
    where = {lower: "the lower bound", upper: "the upper bound"}.get(value)
    problem = (
        f"{most:,} of {count:,} benefits ({math.floor(100 * most / count)} %) fall on "
        f"{where or 'one value'} once they are within the bounds"
    )
    return [Finding(column, "one value", problem, _of_one_value(most / count, where), most)]


def _of_one_value(share: float, where: str | None) -> str:
    if share >= NEARLY_ALL:
        return (
            "there is next to nothing to learn, and a fit would spend its budget on it: is this "
            "the right column, and are its bounds in the column's units? Else choose another "
            "outcome"
        )
    if where is None:
        return (
            "a rule learns from differences: is the value a code, such as one for missing? Then "
            "leave these cells empty; else an outcome that tells people apart would teach more"
        )
    effect = "ceiling" if "upper" in where else "floor"
    return (
        f"what lies beyond it is lost: if people can go beyond, look for wider bounds {_OUTSIDE}; "
        f"if they cannot, it is a {effect} effect, and an outcome that tells these people apart "
        "would teach more"
    )


def _within(table: Table, column: str, bounds: tuple[float, float]) -> Iterator[FloatArray]:
    """Yield the numbers of a column block by block, without the missing, clipped to bounds."""
    for block in table.blocks():
        values = block.numbers(column)
        yield np.clip(values[~np.isnan(values)], *bounds)


def wide_bounds(study: Study, table: Table) -> list[Finding]:
    """Return which bounds are several times as wide as the middle of what they hold."""
    rows = sample(table)
    found = []
    for name, feature in study.features.items():
        if isinstance(feature, NumberFeature):
            column, (lower, upper) = feature.column or name, feature.bounds
            inside = (rows.numbers(column) - lower) / (upper - lower)
            found += _wide(column, np.clip(inside, 0.0, 1.0))
    benefit = study.benefit
    return found + _wide(benefit.column, benefit.scaled(rows.numbers(benefit.column)) / 2)


def _wide(column: str, inside: FloatArray) -> list[Finding]:
    """Return a finding if the middle of numbers in units of their bounds' width is narrow.

    Where the middle is one number nothing is said of bounds: no others would spread it.
    """
    inside = inside[~np.isnan(inside)]
    if len(inside) < MANY:
        return []
    low, high = np.quantile(inside, (0.025, 0.975)).tolist()
    if high - low < 1e-12 or 1 / (high - low) < WIDE:
        return []
    times = f"about {min(1 / (high - low), 1e6):,.0f} times"
    problem = f"the bounds are {times} as wide as the range of the middle 95 % of the values"
    remedy = f"wide bounds cost accuracy: look for narrower ones {_OUTSIDE}"
    return [Finding(column, "wide bounds", problem, remedy)]


def sample(table: Table) -> Table:
    """Return all rows of a table, of a big one some thousands at equal distances."""
    step = -(-table.n_rows // _SAMPLE)
    if step <= 1:
        return table
    rows = np.arange(0, table.n_rows, step)
    columns = {name: column.take(rows) for name, column in table.columns.items()}
    return Table(table.source, len(rows), columns)
