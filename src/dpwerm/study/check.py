"""Everything in a table that a study did not expect, and what a fit will make of it.

A fit maps every cell by a public rule and says nothing, because its silence is part of the privacy
claim. The check speaks: it is run by the curator, on the curator's own table.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from dpwerm.study.blocks import CategoryBlock, NumberBlock
from dpwerm.study.cells import MISSING
from dpwerm.study.declaration import Study
from dpwerm.study.encoding import Encoding
from dpwerm.study.findings import Finding, cell_finding, with_lines
from dpwerm.study.persons import person_codes
from dpwerm.study.propensity import ExternalPropensity
from dpwerm.study.table import Table
from dpwerm.study.treatment import (
    arm_labels,
    received_probabilities,
    second_arm_probabilities,
)
from dpwerm.study.trial import read_trial

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
