"""Everything in a table that a study did not expect, and what a fit will make of it.

A fit maps every cell by a public rule and says nothing, because its silence is part of the privacy
claim. The check speaks: one finding per column and kind of trouble, with examples. Findings quote
cells; they are for the curator, who holds the table, and for nobody else.
"""

import re
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpwerm.data.table import MISSING, Table
from dpwerm.features.blocks import CategoryBlock, NumberBlock
from dpwerm.features.encoding import Encoding
from dpwerm.study.findings import Finding, Marks, find, with_lines
from dpwerm.study.lookalikes import look_alikes
from dpwerm.study.propensity import ExternalPropensity, NoPropensity
from dpwerm.study.study import Study, person_rows, read_trial
from dpwerm.study.suspicions import MANY, Tally, arm_counts, one_value, tallied, wide_bounds
from dpwerm.study.treatment import arm_labels

_NO_WEIGHT = "the row gets weight 0 and still counts in n"
_NO_USE = "so the column would be of no use; compare what the study file declares with it"
_REGRESSIONS = ("contrast", "arm-wise")
_HINGE = "huberised-hinge"


@dataclass(frozen=True)
class Examined:
    """All that a check says of a table: how many rows a fit can use, and every finding."""

    rows: int
    usable: int
    findings: list[Finding]


def check(study: Study, source: object) -> list[Finding]:
    """Return all findings about a table, worst first; faults of its schema raise TableError."""
    return examine(study, source).findings


def examine(study: Study, source: object) -> Examined:
    """Return all findings about a table, worst first, and how many of its rows are usable."""
    table = read_trial(study, source)
    if table.n_rows == 0:
        nothing = Finding("", "empty", "there is no row", "a fit is noise around the zero rule")
        return Examined(0, 0, [nothing])
    tally = tallied(study, table)
    findings = _whole(study, tally) + _persons(study, table) + look_alikes(study, table)
    findings += arm_counts(study, tally)
    for one in check_features(study.encoding(), table):
        useless = 1 < one.count == table.n_rows
        rule = f"{one.consequence}, {_NO_USE}" if useless else one.consequence
        findings.append(replace(one, consequence=rule))
    findings += find(table, lambda block: _arms(study, block))
    findings += _modelled(study, table)
    column, bounds = study.benefit.column, study.benefit.bounds
    findings += find(table, lambda block: _numbers(block, column, bounds, _NO_WEIGHT))
    findings += one_value(study, table) + _one_side(study, table) + wide_bounds(study, table)
    lines = table.source.lines
    findings = findings if lines is None else with_lines(findings, lines)
    return Examined(table.n_rows, tally.usable, findings)


def unused_settings(study: Study) -> list[str]:
    """Return what a study file sets and no fit through it would use, each with what to do."""
    method, named = study.method, study.method.estimator
    by_model = isinstance(study.treatment.propensity, NoPropensity)
    found = []
    if not study.benefit.clip_is_open and (named in _REGRESSIONS or by_model):
        who = "arm-wise" if by_model else named
        instead = "" if by_model else ", or name the estimator outcome-weighted"
        found.append(
            f"benefit.clip is not used: estimator {who} takes benefits within their bounds as they "
            f"are. Leave clip out{instead}"
        )
    if method.h is not None and method.loss not in (None, "auto", _HINGE):
        found.append(
            f"method.h is not used: the loss {method.loss} has no h. Leave h out, or name the "
            f"loss {_HINGE}"
        )
    return found


def check_features(encoding: Encoding, table: Table) -> list[Finding]:
    """Return what an encoding makes of cells that are not as declared."""

    def marks(block: Table) -> list[Marks]:
        found = []
        for feature in encoding.blocks:
            if isinstance(feature, NumberBlock):
                rule = f"becomes the default {feature.default:.10g}"
                found += _numbers(block, feature.column, (feature.lower, feature.upper), rule)
            else:
                found += _levels(block, feature)
        return found

    return find(table, marks)


def _whole(study: Study, tally: Tally) -> list[Finding]:
    treatment = study.treatment
    if not tally.usable:
        remedy = "every row gets weight 0; a fit is noise around the zero rule"
        return [Finding("", "no usable row", "no row has both an arm and a benefit", remedy)]
    if all(tally.by_arm):
        return []
    arm = treatment.arms[0 if tally.by_arm[0] else 1]
    remedy = "a fit cannot compare the arms"
    return [Finding(treatment.column, "single arm", f"only arm {arm!r} occurs", remedy)]


def _weighs_outcomes(study: Study) -> bool:
    """Whether a fit would use outcome weights for certain: named, or with words of their own."""
    method, benefit = study.method, study.benefit
    if method.estimator not in (None, "auto"):
        return method.estimator == "outcome-weighted"
    if isinstance(study.treatment.propensity, NoPropensity):
        return False
    chosen = any(one not in (None, "auto") for one in (method.gamma, method.loss))
    return chosen or method.h not in (None, 1.0) or not benefit.clip_is_open


def _one_side(study: Study, table: Table) -> list[Finding]:
    """Return that all of many benefits lie on one side of the centre: all weigh for their arm.

    A regression has no centre, and the automatic choice takes one where benefits lie off it.
    """
    if not _weighs_outcomes(study):
        return []
    benefit, signs = study.benefit, set()
    for block in table.blocks():
        signs |= set(np.sign(benefit.centred(block.numbers(benefit.column))).tolist())
    sides = {sign for sign in signs if sign in (-1.0, 1.0)}
    if len(sides) != 1 or table.n_rows < MANY or benefit.weights != "signed":
        return []
    side = "better" if 1.0 in sides else "worse"
    problem = f"every outcome is {side} than the centre, or at it"
    remedy = "outcome weighted learning learns little from that: declare centre by the protocol, "
    remedy += "never by this table, or an estimator that needs none, contrast or arm-wise"
    return [Finding(benefit.column, "one side", problem, remedy)]


def _persons(study: Study, table: Table) -> list[Finding]:
    column = study.person
    if column is None:
        return []
    counts = person_rows(table, column)
    if not counts[None] and max(counts.values()) == 1:
        return []
    rule = "a fit is refused: the privacy claim holds for one row per person"
    unknown = "each such row counts as a person of its own"

    def marks(block: Table) -> list[Marks]:
        codes, texts = block.factorised(column)
        missing = np.array([text is None for text in texts])[codes]
        repeated = np.array([counts.get(text, 0) > 1 for text in texts])[codes] & ~missing
        return [
            (column, "repeated person", repeated, "of persons with several rows", rule),
            (column, "missing", missing, "without a person", unknown),
        ]

    return [replace(one, refused=one.kind != "missing") for one in find(table, marks)]


def _blank(
    block: Table, column: str, unread: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], list[str | None]]:
    """Return which of the cells that say nothing are missing, and the distinct texts of them."""
    blank, rows = np.zeros(len(unread), dtype=bool), np.flatnonzero(unread)
    if not len(rows):
        return blank, []
    codes, texts = block.factorised(column, rows)
    blank[rows] = np.array([text is None or text in MISSING for text in texts])[codes]
    return blank, texts


def _numbers(block: Table, column: str, bounds: tuple[float, float], rule: str) -> list[Marks]:
    values = block.numbers(column)
    none = np.isnan(values)
    blank, texts = _blank(block, column, none)
    lower, upper = (f"{bound:.10g}" for bound in bounds)
    within = f"the bounds [{lower}, {upper}]"
    commas = any(text and "," in text and re.fullmatch(r"[+-]?\d+,\d+", text) for text in texts)
    other = f"{rule} (a decimal comma is not read: write 1.5)" if commas else rule
    return [
        (column, "not a number", none & ~blank, "without a finite number", other),
        (column, "missing", blank, "missing", rule),
        (column, "below", values < bounds[0], f"below {within}", f"clipped to {lower}"),
        (column, "above", values > bounds[1], f"above {within}", f"clipped to {upper}"),
    ]


def _levels(block: Table, feature: CategoryBlock) -> list[Marks]:
    codes, texts = block.factorised(feature.column)
    known = feature.lookup
    catches = any(level.cells == "*" for level in feature.levels)
    strange = [text not in known for text in texts]
    blank = [text is None or text in MISSING for text in texts]
    missing = np.logical_and(strange, blank)[codes]
    unknown = np.logical_and(strange, np.logical_not(blank))[codes] & (not catches)
    first = f"becomes the first level {feature.levels[0].name!r}"
    default = f"becomes the default level {feature.default!r}"
    return [
        (feature.column, "unknown level", unknown, "with no declared level", first),
        (feature.column, "missing", missing, "missing", default),
    ]


def _arms(study: Study, block: Table) -> list[Marks]:
    treatment = study.treatment
    column = treatment.column
    none = np.isnan(arm_labels(block, treatment))
    blank, _ = _blank(block, column, none)
    arms = " nor ".join(repr(arm) for arm in treatment.arms)
    marks: list[Marks] = [
        (column, "unknown arm", none & ~blank, f"neither {arms}", _NO_WEIGHT),
        (column, "missing", blank, "missing", _NO_WEIGHT),
    ]
    if treatment.propensity_column is None:
        return marks
    column, floor = treatment.propensity_column, treatment.pi_min
    values = block.numbers(column)
    outside = (values <= 0) | (values >= 1)
    low = ~outside & ((values < floor) | (values > 1 - floor))
    return [
        *marks,
        (column, "missing", np.isnan(values), "without a number", _NO_WEIGHT),
        (column, "no probability", outside, "not within (0, 1)", _clipped(floor)),
        (column, "beyond the floor", low, "beyond the floor", _clipped(floor)),
    ]


def _modelled(study: Study, table: Table) -> list[Finding]:
    """Return how many rows an external propensity model puts beyond the floor."""
    model, floor = study.treatment.propensity, study.treatment.pi_min
    if not isinstance(model, ExternalPropensity):
        return []
    encoding = study.encoding().changed(kind="centred", saturation=1.0)
    limit = np.log((1 - floor) / floor)
    scores = (model.scores(encoding, encoding.encode(block)) for block in table.blocks())
    count = sum(int((np.abs(found) > limit).sum()) for found in scores)
    if not count:
        return []
    rows = f"{count} of {table.n_rows} rows have a modelled propensity beyond the floor"
    return [Finding("", "beyond the floor", rows, _clipped(floor), count)]


def _clipped(floor: float) -> str:
    return f"clipped to [{floor:.10g}, {1 - floor:.10g}]"
