r"""Records made up for an audit, and tables that differ in one of them.

Feature j of canary i stands at the upper or at the lower end of its range by the sign

.. math:: h_{ij} = (-1)^{\text{bits}(i \wedge j)}

of a Hadamard matrix whose column 0 is the intercept: every canary is a corner of the box, so that
‖x‖ = r, and different corners are orthogonal where only numbers and pairs of levels are declared.

Neighbouring data sets are tables that differ in one person. The worst for a sound pipeline are
small: the fewer others there are, the less they hold the coefficients in place. Some pairs are
there for mistakes: what looks at a sample's largest value or at its quantiles lets one person move
all others, and so do propensities that follow from who came before.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.audit.target import Pair
from dpwerm.choose.settle import outcome_of
from dpwerm.features.blocks import CategoryBlock, Level, NumberBlock
from dpwerm.privacy.budget import Relation
from dpwerm.simulate.synthetic import generator, in_own_units, random_trials, widths_of
from dpwerm.study.propensity import PrivatePropensity
from dpwerm.study.study import Study
from dpwerm.study.variables import Benefit

Record = dict[str, str]
"""One row of a table: from column to cell."""

ARM, BENEFIT = "arm", "benefit"
"""What the two records of a canary differ in."""
CROWD = 40
"""Others whose arm is common, for a propensity model."""

SAMPLE = 200
"""Others in the pairs that are there for mistakes."""


@dataclass(frozen=True)
class Canary:
    """One person who has one of two records with the same features.

    Under add/remove the second is None: the person is there or is not.
    """

    first: Record
    second: Record | None

    def row(self, *, is_first: bool) -> list[Record]:
        """Return the row that the person has in the table, if any."""
        chosen = self.first if is_first else self.second
        return [] if chosen is None else [chosen]


def corner(study: Study, number: int) -> Record:
    """Return the features of a corner by its number ≥ 0; more levels than two take turns."""
    row = {}
    for place, block in enumerate(study.encoding().blocks, start=1):
        up = (number & place).bit_count() % 2 == 0
        if isinstance(block, NumberBlock):
            row[block.column] = repr(block.upper if up else block.lower)
        else:
            level = int(up) if block.width == 1 else number % block.width
            row[block.column] = cell_of(block.levels[level])
    return row


def cell_of(level: Level) -> str:
    """Return a cell that means a level."""
    return "some other level" if isinstance(level.cells, str) else level.cells[0]


def benefit_ends(benefit: Benefit) -> tuple[str, str]:
    """Return the cells of the benefits farthest above and below the centre."""
    worst, best = benefit.bounds if benefit.direction == "larger" else benefit.bounds[::-1]
    return repr(best), repr(worst)


def strong_benefit(benefit: Benefit) -> str:
    """Return the cell of the benefit with the largest weight."""
    ends = benefit_ends(benefit)
    sizes = np.abs(benefit.centred(np.array([float(end) for end in ends])))
    return ends[int(np.argmax(sizes))]


def with_outcome(study: Study, features: Record, arm: int, benefit: str) -> Record:
    """Return a whole record; an arm's propensity, where it has a column, is as small as can be.

    arm : 0 for the first arm, 1 for the second
    """
    treatment = study.treatment
    row = {**features, treatment.column: treatment.arms[arm], study.benefit.column: benefit}
    if treatment.propensity_column is not None:
        floor = treatment.pi_min
        row[treatment.propensity_column] = repr(floor if arm == 1 else 1.0 - floor)
    return row


def differs_in(study: Study) -> str:
    """Return what a canary's records best differ in: the arm, unless the arms weigh differently."""
    known = study.treatment.probabilities
    uneven = known is not None and known[0] != known[1]
    return BENEFIT if uneven and study.benefit.weights == "signed" else ARM


def canary(study: Study, number: int, kind: str) -> Canary:
    """Return the canary of a corner, whose records differ in the arm or in the benefit."""
    features = corner(study, number)
    known = study.treatment.probabilities
    rare = 1 if known is None or known[1] <= known[0] else 0
    if kind == ARM:
        strong = strong_benefit(study.benefit)
        outcomes = [(rare, strong), (1 - rare, strong)]
    else:
        outcomes = [(rare, end) for end in benefit_ends(study.benefit)]
    return neighbour(study, *(with_outcome(study, features, *one) for one in outcomes))


def neighbour(study: Study, first: Record, second: Record) -> Canary:
    """Return one person with two records, or with one or none under add/remove."""
    replaced = Relation.of(study.relation) is Relation.REPLACE_ONE
    return Canary(first, second if replaced else None)


def canaries_for(study: Study, count: int) -> tuple[Canary, ...]:
    """Return canaries at different corners; more than there are corners begin anew."""
    kind = differs_in(study)
    return tuple(canary(study, number, kind) for number in range(count))


def simulated_people(study: Study, count: int, key: int) -> list[Record]:
    """Return people inside the declared bounds, as random as before a row is read."""
    if count == 0:
        return []
    encoding, benefit = study.encoding(), study.benefit
    propensity = outcome_of(study.declaration()).propensity
    trial = random_trials(
        widths_of(encoding), count=1, rows=count, propensity=propensity, rng=generator(key)
    )
    gained = np.clip(in_own_units(benefit, trial.benefit[0]), *benefit.bounds)
    ends = np.cumsum([block.width for block in encoding.blocks])[:-1]
    people = []
    for x, arm, value in zip(trial.X[0], trial.arm[0], gained.tolist(), strict=True):
        parts = zip(encoding.blocks, np.split(x, ends), strict=True)
        row = {block.column: _cell(block, part) for block, part in parts}
        people.append(with_outcome(study, row, int(arm > 0), repr(value)))
    return people


def _cell(block: NumberBlock | CategoryBlock, part: FloatArray) -> str:
    """Return the cell of an encoded number in [−1, 1], or of an encoded level."""
    if isinstance(block, NumberBlock):
        return repr(block.lower + (block.upper - block.lower) * (float(part[0]) + 1) / 2)
    place = int(part[0] > 0) if block.width == 1 else int(np.argmax(part))
    return cell_of(block.levels[place])


def write_table(study: Study, rows: Sequence[Record], path: Path) -> None:
    """Write a CSV file with the study's columns; everybody is a person of their own."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, study.columns, lineterminator="\n")
        writer.writeheader()
        for number, row in enumerate(rows):
            person = {study.person: str(number)} if study.person else {}
            writer.writerow({**row, **person})


@dataclass(frozen=True)
class DataSet:
    """A table, and the record that is looked for."""

    rows: tuple[Record, ...]
    record: Record


def neighbours(name: str, others: Sequence[Record], person: Canary) -> Pair:
    """Return the two neighbouring data sets of one person among others."""
    first, second = (
        DataSet((*others, *person.row(is_first=which)), person.first) for which in (True, False)
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
            neighbours(f"a corner alone, another {kind}", rest, person),
            neighbours(f"a corner against one, another {kind}", [*rest, other], person),
        ]
        if isinstance(study.treatment.propensity, PrivatePropensity):
            # Others without a benefit count for a propensity model and weigh nothing in the rule.
            arm = study.treatment.arms.index(person.first[study.treatment.column])
            others = [with_outcome(study, person.first, 1 - arm, "")] * CROWD
            found.append(neighbours(f"a rare arm among {CROWD}, another {kind}", others, person))
    return found


def scaled(study: Study) -> Pair:
    """Return a person with the largest features, or small ones, among others with small ones.

    Small ones lie 5 % of half their range above its middle.
    """
    person = canary(study, 0, ARM)
    small = dict(person.first)
    for block in study.encoding().blocks:
        if isinstance(block, NumberBlock):
            middle, half = (block.lower + block.upper) / 2, (block.upper - block.lower) / 2
            small[block.column] = repr(middle + 0.05 * half)
    other = with_outcome(study, small, 1, strong_benefit(study.benefit))
    name = "the largest features among small ones"
    return neighbours(name, [other] * SAMPLE, neighbour(study, person.first, other))


def tipped(study: Study, quantile: float) -> Pair:
    """Return a person who decides whether a sample quantile lies high or in the middle."""
    person = canary(study, 0, BENEFIT)
    lower, upper = study.benefit.bounds
    middle = with_outcome(study, person.first, 1, repr(lower + (upper - lower) / 2))
    high = with_outcome(study, person.first, 1, benefit_ends(study.benefit)[0])
    below = round(quantile * SAMPLE)
    others = [middle] * below + [high] * (SAMPLE - below)
    return neighbours(f"the {quantile:g} quantile tipped", others, neighbour(study, high, middle))


def in_turn(study: Study) -> Pair:
    """Return a first person of one arm or the other, and others after them whose arms take turns.

    Who is ahead is then the first person's doing, for all who come later.
    """
    person, strong = canary(study, 0, ARM), strong_benefit(study.benefit)
    features = corner(study, 0)
    others = [with_outcome(study, features, place % 2, strong) for place in range(SAMPLE)]
    first, second = (
        DataSet((*person.row(is_first=which), *others), person.first) for which in (True, False)
    )
    return Pair("the first of many changes arms", first, second)


def mistaken_pairs(study: Study) -> list[Pair]:
    """Return the pairs on which a mistake shows most."""
    found = [scaled(study), *(tipped(study, quantile) for quantile in (0.5, 0.9))]
    return found if study.treatment.propensity_column is None else [*found, in_turn(study)]
