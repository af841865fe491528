"""Two worlds: tables that differ in one person, from which a whole pipeline is to be told apart.

The worst tables for a sound pipeline are small: the fewer others there are, the less they hold the
coefficients in place. Some pairs are there for mistakes: what looks at a sample's largest value or
at its quantiles lets one person move all others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dpwerm.audit.canaries import (
    ARM,
    BENEFIT,
    Canary,
    Record,
    benefit_ends,
    canary,
    neighbour,
    strong_benefit,
    with_outcome,
)
from dpwerm.audit.target import Pair
from dpwerm.study.blocks import NumberBlock
from dpwerm.study.declaration import Study
from dpwerm.study.propensity import PrivatePropensity

CROWD = 40
"""Others whose arm is common, for a propensity model."""

SAMPLE = 200
"""Others in the pairs that are there for mistakes."""

SMALL = 0.05
"""How far from the middle of their range the others of a scaled pair are, of 1."""

QUANTILES = (0.5, 0.9)


@dataclass(frozen=True)
class World:
    """A table, and the record that is looked for."""

    rows: tuple[Record, ...]
    record: Record


def pair_of(name: str, others: Sequence[Record], person: Canary) -> Pair:
    """Return the two worlds of one person among others."""
    first, second = (
        World((*others, *person.row(is_first=which)), person.first) for which in (True, False)
    )
    return Pair(name, first, second)


def worst_pairs(study: Study, *, silent: int = 0) -> list[Pair]:
    """Return the pairs on which a sound pipeline shows most: a corner alone, or held in place.

    silent : others without a benefit, who weigh nothing; private tuning needs some rows to divide
    """
    found = []
    for kind in (ARM, BENEFIT):
        person = canary(study, 0, kind)
        against = canary(study, 0, BENEFIT if kind == ARM else ARM)
        other = against.second or against.first
        rest = [{**person.first, study.benefit.column: ""}] * silent
        found += [
            pair_of(f"a corner alone, another {kind}", rest, person),
            pair_of(f"a corner against one, another {kind}", [*rest, other], person),
        ]
        if isinstance(study.treatment.propensity, PrivatePropensity):
            found.append(crowded(study, kind))
    return found


def crowded(study: Study, kind: str) -> Pair:
    """Return a person whose arm is rare among others like them.

    The others have no benefit: they count for a propensity model and weigh nothing in the rule.
    """
    person = canary(study, 0, kind)
    arm = study.treatment.arms.index(person.first[study.treatment.column])
    other = with_outcome(study, person.first, 1 - arm, "")
    return pair_of(f"a rare arm among {CROWD}, another {kind}", [other] * CROWD, person)


def scaled(study: Study) -> Pair:
    """Return a person with the largest features, or small ones, among others with small ones."""
    strong = strong_benefit(study.benefit)
    person = canary(study, 0, ARM)
    small = dict(person.first)
    for block in study.encoding().blocks:
        if isinstance(block, NumberBlock):
            middle, half = (block.lower + block.upper) / 2, (block.upper - block.lower) / 2
            small[block.column] = repr(middle + SMALL * half)
    other = with_outcome(study, small, 1, strong)
    name = "the largest features among small ones"
    return pair_of(name, [other] * SAMPLE, neighbour(study, person.first, other))


def tipped(study: Study, quantile: float) -> Pair:
    """Return a person who decides whether a sample quantile lies high or in the middle."""
    person = canary(study, 0, BENEFIT)
    lower, upper = study.benefit.bounds
    middle = with_outcome(study, person.first, 1, repr(lower + (upper - lower) / 2))
    high = with_outcome(study, person.first, 1, benefit_ends(study.benefit)[0])
    below = round(quantile * SAMPLE)
    others = [middle] * below + [high] * (SAMPLE - below)
    return pair_of(f"the {quantile:g} quantile tipped", others, neighbour(study, high, middle))


def mistaken_pairs(study: Study) -> list[Pair]:
    """Return the pairs on which a mistake shows most."""
    return [scaled(study), *(tipped(study, quantile) for quantile in QUANTILES)]
