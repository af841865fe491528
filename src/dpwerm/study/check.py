"""What a check says about a table: one finding per column and kind of trouble, with examples.

Findings quote cells. They are for the curator, who holds the table, and for nobody else.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dpwerm.data.cells import MISSING
from dpwerm.data.table import Table
from dpwerm.features.blocks import CategoryBlock, NumberBlock
from dpwerm.features.encoding import Encoding
from dpwerm.study.propensity import ExternalPropensity
from dpwerm.study.study import Study
from dpwerm.study.treatment import arm_labels, received_probabilities, second_arm_probabilities
from dpwerm.study.trial import person_codes, read_trial
from dpwerm.text import one_line

MOST_EXAMPLES = 5


@dataclass(frozen=True)
class Example:
    """One cell: data row (from 1), line of the file if it is a CSV file, and the cell's text."""

    row: int
    line: int | None
    value: str

    def __str__(self) -> str:
        place = f"row {self.row}" if self.line is None else f"row {self.row}, line {self.line}"
        return f"{self.value!r} ({place})"


@dataclass(frozen=True)
class Finding:
    """One kind of trouble in one column: what it is and what a fit makes of it.

    ``column`` is empty for trouble with the table as a whole; ``refused`` says that a fit
    through the study is an error, not a public rule.
    """

    column: str
    kind: str
    problem: str
    consequence: str
    count: int = 0
    examples: tuple[Example, ...] = ()
    refused: bool = False

    def __str__(self) -> str:
        text = f"{one_line(self.column) or 'table'}: {self.problem}; {self.consequence}"
        shown = ", ".join(str(example) for example in self.examples)
        more = ", ..." if self.count > len(self.examples) else ""
        return f"{text}: {shown}{more}" if shown else text


def cell_finding(
    table: Table, column: str, kind: str, rows: NDArray[np.bool_], problem: str, consequence: str
) -> list[Finding]:
    """Return one finding about the marked rows of a column, or none if no row is marked."""
    places = np.flatnonzero(rows)
    if not len(places):
        return []
    examples = tuple(
        Example(int(place) + 1, None, _short(table.cell(column, int(place))))
        for place in places[:MOST_EXAMPLES]
    )
    count = len(places)
    cells = f"{count:,} {'cell' if count == 1 else 'cells'}"
    if 1 < count == len(rows):
        cells = f"every cell ({count:,})"
    return [Finding(column, kind, f"{cells} {problem}", consequence, count, examples)]


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def with_lines(findings: Sequence[Finding], path: Path, separator: str) -> list[Finding]:
    """Return the findings with the line of each example in its CSV file."""
    wanted = {example.row for finding in findings for example in finding.examples}
    lines = _lines(path, separator, wanted) if wanted else {}
    return [
        Finding(
            **{
                **vars(finding),
                "examples": tuple(
                    Example(one.row, lines.get(one.row), one.value) for one in finding.examples
                ),
            }
        )
        for finding in findings
    ]


def _lines(path: Path, separator: str, rows: Collection[int]) -> dict[int, int]:
    """Return the line of each wanted data row: one line is one row, empty lines are none."""
    found: dict[int, int] = {}
    row = 0
    with path.open(encoding="latin-1") as stream:
        alone = separator not in next(stream)
        for line, text in enumerate(stream, start=2):
            row += alone or text != "\n"
            if row in rows:
                found.setdefault(row, line)
    return found


# ------------------------------------------------------------------------------------------
# Everything in a table that a study did not expect, and what a fit will make of it.
#
# A fit maps every cell by a public rule and says nothing, because its silence is part of the
# privacy claim. The check speaks: it is run by the curator, on the curator's own table.


_NO_WEIGHT = "the row gets weight 0 and still counts in n"


def check(study: Study, source: object) -> list[Finding]:
    """Return all findings about a table, worst first; faults of its schema raise TableError.

    Parameters
    ----------
    study : Study
    source : path or data frame, as for ``read_table``
    """
    table = read_trial(study, source)
    if table.n_rows == 0:
        return [Finding("", "empty", "there is no row", "a fit is noise around the zero rule")]
    findings = _whole(study, table) + _persons(study, table)
    findings += [_or_no_use(one, table.n_rows) for one in check_features(study.encoding(), table)]
    findings += _arms(study, table)
    findings += _modelled(study, table)
    findings += _numbers(table, study.benefit.column, study.benefit.bounds, _NO_WEIGHT)
    if table.separator is not None:
        findings = with_lines(findings, Path(str(source)), table.separator)
    return findings


def check_features(encoding: Encoding, table: Table) -> list[Finding]:
    """Return what an encoding makes of cells that are not as declared."""
    findings = []
    for block in encoding.blocks:
        if isinstance(block, NumberBlock):
            rule = f"becomes the default {block.default:.10g}"
            findings += _numbers(table, block.column, (block.lower, block.upper), rule)
        else:
            findings += _levels(table, block)
    return findings


def _or_no_use(finding: Finding, rows: int) -> Finding:
    """Return a finding about a feature, with a warning if it leaves nothing to learn from."""
    if finding.count < rows or rows == 1:
        return finding
    warning = "so the column would be of no use; compare what the study file declares with it"
    return replace(finding, consequence=f"{finding.consequence}, {warning}")


def _whole(study: Study, table: Table) -> list[Finding]:
    labels = arm_labels(table, study.treatment)
    benefit = study.benefit.centred(table.numbers(study.benefit.column))
    second = second_arm_probabilities(table, study.treatment)
    usable = ~np.isnan(benefit) & ~np.isnan(labels)
    if second is not None:
        usable &= ~np.isnan(received_probabilities(study.treatment, labels, second))
    seen = [sign for sign in (-1.0, 1.0) if (labels[usable] == sign).any()]
    if not seen:
        remedy = "every row gets weight 0; a fit is noise around the zero rule"
        return [Finding("", "no usable row", "no row has both an arm and a benefit", remedy)]
    if len(seen) == 1:
        arm = study.treatment.arms[0 if seen[0] < 0 else 1]
        remedy = "a fit cannot compare the arms"
        return [Finding(study.treatment.column, "single arm", f"only arm {arm!r} occurs", remedy)]
    return []


def _persons(study: Study, table: Table) -> list[Finding]:
    if study.person is None:
        return []
    persons = person_codes(table, study.person)
    missing = persons < 0
    counts = np.bincount(persons[~missing], minlength=1)
    repeated = ~missing & (counts[np.maximum(persons, 0)] > 1)
    rule = "a fit is refused: the privacy claim holds for one row per person"
    found = cell_finding(
        table, study.person, "repeated person", repeated, "of persons with several rows", rule
    )
    refused = [Finding(**{**vars(finding), "refused": True}) for finding in found]
    unknown = "each such row counts as a person of its own"
    return refused + cell_finding(
        table, study.person, "missing", missing, "without a person", unknown
    )


def _numbers(table: Table, column: str, bounds: tuple[float, float], rule: str) -> list[Finding]:
    values = table.numbers(column)
    codes, texts = table.factorised(column)
    blank = np.array([text is None or text in MISSING for text in texts], dtype=bool)[codes]
    none = np.isnan(values)
    lower, upper = (f"{bound:.10g}" for bound in bounds)
    return [
        *cell_finding(
            table,
            column,
            "not a number",
            none & ~blank,
            "without a finite number",
            rule + _comma_hint(texts),
        ),
        *cell_finding(table, column, "missing", none & blank, "missing", rule),
        *cell_finding(
            table,
            column,
            "below",
            values < bounds[0],
            f"below the bounds [{lower}, {upper}]",
            f"clipped to {lower}",
        ),
        *cell_finding(
            table,
            column,
            "above",
            values > bounds[1],
            f"above the bounds [{lower}, {upper}]",
            f"clipped to {upper}",
        ),
    ]


def _comma_hint(texts: Sequence[str | None]) -> str:
    """Return what to do if some number is written with a decimal comma."""
    commas = any(text is not None and re.fullmatch(r"[+-]?\d+,\d+", text) for text in texts)
    return " (a decimal comma is not read: write 1.5)" if commas else ""


def _levels(table: Table, block: CategoryBlock) -> list[Finding]:
    codes, texts = table.factorised(block.column)
    known = block.lookup
    missing = [text not in known and (text is None or text in MISSING) for text in texts]
    catches = any(level.cells == "*" for level in block.levels)
    unknown = [
        not catches and not gone and text not in known
        for text, gone in zip(texts, missing, strict=True)
    ]
    return [
        *cell_finding(
            table,
            block.column,
            "unknown level",
            np.array(unknown, dtype=bool)[codes],
            "with no declared level",
            f"becomes the first level {block.levels[0].name!r}",
        ),
        *cell_finding(
            table,
            block.column,
            "missing",
            np.array(missing, dtype=bool)[codes],
            "missing",
            f"becomes the default level {block.default!r}",
        ),
    ]


def _arms(study: Study, table: Table) -> list[Finding]:
    treatment = study.treatment
    codes, texts = table.factorised(treatment.column)
    blank = np.array([text is None or text in MISSING for text in texts], dtype=bool)[codes]
    none = np.isnan(arm_labels(table, treatment))
    arms = " nor ".join(repr(arm) for arm in treatment.arms)
    column = treatment.column
    findings = [
        *cell_finding(table, column, "unknown arm", none & ~blank, f"neither {arms}", _NO_WEIGHT),
        *cell_finding(table, column, "missing", none & blank, "missing", _NO_WEIGHT),
    ]
    if treatment.propensity_column is None:
        return findings
    column, floor = treatment.propensity_column, treatment.pi_min
    values = table.numbers(column)
    outside = (values <= 0) | (values >= 1)
    rule = _clipped(floor)
    low = ~outside & ((values < floor) | (values > 1 - floor))
    return [
        *findings,
        *cell_finding(table, column, "missing", np.isnan(values), "without a number", _NO_WEIGHT),
        *cell_finding(table, column, "no probability", outside, "not within (0, 1)", rule),
        *cell_finding(table, column, "beyond the floor", low, "beyond the floor", rule),
    ]


def _modelled(study: Study, table: Table) -> list[Finding]:
    """Return how many rows an external propensity model puts beyond the floor."""
    model, floor = study.treatment.propensity, study.treatment.pi_min
    if not isinstance(model, ExternalPropensity):
        return []
    encoding = study.encoding().changed(kind="centred", saturation=1.0)
    far = np.abs(model.scores(encoding, encoding.encode(table))) > np.log((1 - floor) / floor)
    count = int(far.sum())
    if not count:
        return []
    rows = f"{count} of {table.n_rows} rows have a modelled propensity beyond the floor"
    return [Finding("", "beyond the floor", rows, _clipped(floor), count)]


def _clipped(floor: float) -> str:
    return f"clipped to [{floor:.10g}, {1 - floor:.10g}]"
