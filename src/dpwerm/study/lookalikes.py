"""Columns and rows that look like something else than what a study takes them for.

A date or the number of a person as a feature, a survival time that was cut off, people with several
rows whom no declared column tells apart. These are guesses from names and cells. Each asks for two
signs at once, so that a sound table seldom hears of one; columns that a study does not declare are
read only where their name is the first sign.
"""

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dpwerm.data.table import MISSING, Table, more_columns
from dpwerm.study.findings import Finding
from dpwerm.study.study import Study, person_rows
from dpwerm.study.suspicions import MANY, sample
from dpwerm.study.variables import NumberFeature
from dpwerm.text import one_line

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_PERSON = re.compile(
    "ids?|pid|idnr|idno|mrn|pseudonym|proband|(?:pat|usubj|subj)id|"
    "(?:person|patient|subject|participant)(?:id)?"
)
_OTHER = re.compile(
    "site|centre|center|clinic|hospital|ward|practice|doctor|physician|nurse|visit|study|trial|"
    "block|batch|form|country|region|arm|drug|device|lab|sample|order|row|line"
)
_EVENT = re.compile(
    "events?|status|cens|censor(?:ed|ing)?|dead|died|death|deceased|delta|relapsed?|progression|"
    "failure"
)
_TIME = re.compile(r"time|day|week|month|year|surviv|durat|follow|^(os|pfs|dfs|efs|rfs|tte|los)$")
_TWO_VALUED = ({"0", "1"}, {"1", "2"}, {"true", "false"}, {"no", "yes"}, {"n", "y"})
_MOST_READ = 8

_YEAR, _MONTH, _DAY = r"(?:19|20)\d\d", r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12]\d|3[01])"
_DATE = re.compile(
    rf"{_YEAR}([-/.]){_MONTH}\1{_DAY}(?:[T ].*)?|{_DAY}([-/.]){_MONTH}\2(?:{_YEAR}|\d\d)(?: .*)?|"
    rf"{_MONTH}/{_DAY}/(?:{_YEAR}|\d\d)(?: .*)?|{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
)

_ONE_ROW = "the promise is for one row: make one row of each person"
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_TOLD_TWICE = 0.75
"""The exponent of the chance of a twin: a quarter of what columns tell may be told twice."""


def look_alikes(study: Study, table: Table) -> list[Finding]:
    """Return what in a table looks like something that the study does not take it for."""
    some = sample(table)
    found = [*_repeated(study, table), *_survival(study, table)]
    return [*found, *_dates(study, some), *_numbered(study, some)]


def _repeated(study: Study, table: Table) -> list[Finding]:
    """Return that people may have several rows where no declared column numbers them."""
    if study.person is not None or table.n_rows < MANY:
        return []
    used = {*study.treatment.columns, study.benefit.column}
    names = [name for name in table.source.names if name not in used and _names_person(name)]
    others = more_columns(table, names[:_MOST_READ])
    apart = False
    for name in others.columns:
        counts = person_rows(others, name)
        known, values = table.n_rows - counts.pop(None), len(counts)
        if values == known > table.n_rows / 2:
            apart = True
        elif 2 * known >= table.n_rows and values >= MANY / 2 and known <= MANY * values:
            problem = (
                f"{values:,} different values stand in {known:,} rows; if it numbers people, some "
                "have several rows"
            )
            remedy = f"{_ONE_ROW}, and declare person = {name!r} in [study]"
            return [Finding(name, "repeated rows", problem, one_line(remedy))]
    return [] if apart else _twins(study, table)


def _twins(study: Study, table: Table) -> list[Finding]:
    """Return that more rows are exactly alike than chance would make so.

    For columns that tell different things, two rows are alike by chance with the product of the
    columns' own chances.
    """
    keys = np.concatenate([_row_keys(study, block) for block in table.blocks()])
    order = np.argsort(keys, kind="stable")
    alike = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    if len(alike) < 3:
        return []
    times = np.unique(keys, return_counts=True)[1]
    some = sample(table)
    chance = 1.0
    for bits in _column_keys(study, some):
        shared = np.unique(bits, return_counts=True)[1].astype(float)
        pairs = float((shared * (shared - 1)).sum()) + 2
        chance *= min(pairs / (some.n_rows * (some.n_rows - 1)), 1.0)
    n = float(table.n_rows)
    by_chance = n * (n - 1) / 2 * chance**_TOLD_TWICE
    if float((times * (times - 1.0)).sum()) / 2 < 10 * by_chance:
        return []
    rows = int(times[times > 1].sum())
    first = min((int(order[at]) + 1, int(order[at + 1]) + 1) for at in alike)
    problem = (
        f"{rows:,} rows have a twin with the same cell in every declared column, such as rows "
        f"{first[0]} and {first[1]}, far more than chance would make"
    )
    remedy = f"were people entered twice? {_ONE_ROW}, and declare the column that numbers people"
    return [Finding("", "twins", problem, f"{remedy} as person in [study]", rows)]


def _row_keys(study: Study, block: Table) -> NDArray[np.uint64]:
    keys = np.zeros(block.n_rows, dtype=np.uint64)
    for bits in _column_keys(study, block):
        keys = (keys ^ bits) * _SPREAD
        keys ^= keys >> np.uint64(32)
    return keys


def _column_keys(study: Study, block: Table) -> Iterator[NDArray[np.uint64]]:
    """Yield a number for each cell of each declared column, the same for the same cell."""
    numbers = {
        feature.column or name
        for name, feature in study.features.items()
        if isinstance(feature, NumberFeature)
    } | {study.benefit.column, study.treatment.propensity_column}
    for column in study.columns:
        if column in numbers:
            values = block.numbers(column) + 0.0
            yield np.where(np.isnan(values), np.inf, values).view(np.uint64)
        else:
            codes, texts = block.factorised(column)
            yield np.array([hash(text) for text in texts], dtype=np.int64).view(np.uint64)[codes]


def _survival(study: Study, table: Table) -> list[Finding]:
    """Return that the benefit looks like a time which another column says was cut off for some."""
    benefit = study.benefit
    if benefit.kind != "number" or not _TIME.search(benefit.column.lower()):
        return []
    used = {*study.treatment.columns, benefit.column, study.person}
    names = [name for name in table.source.names if name not in used and _says(name, _EVENT)]
    some = sample(more_columns(table, names[:_MOST_READ]))
    for name in some.columns:
        cells = {text.lower() for text in some.factorised(name)[1] if text and text not in MISSING}
        if cells not in _TWO_VALUED:
            continue
        problem = f"looks like a time until an event, and column {one_line(name)!r} like whether "
        problem += "the event was seen"
        remedy = (
            "a fit takes a time that was cut off as if the event had come then: declare an outcome "
            'that is known for everybody, such as free of the event on a fixed day (kind = "yes-'
            'no"), or the time up to a day until which everybody was followed'
        )
        return [Finding(benefit.column, "survival time", problem, remedy)]
    return []


def _dates(study: Study, some: Table) -> list[Finding]:
    """Return the features, and the benefit, whose cells look like dates."""
    found = []
    for column in (*study.feature_columns, study.benefit.column):
        codes, texts = some.factorised(column)
        blank = np.array([text is None or text in MISSING for text in texts])[codes]
        dates = np.array([bool(text and _DATE.fullmatch(text)) for text in texts])[codes]
        if dates.sum() < max(0.9 * (~blank).sum(), 2):
            continue
        remedy = (
            "a day is neither a number nor a level to learn from, and tells who somebody is: give "
            "a number that follows from the person alone, such as years of age or days since "
            "randomisation"
        )
        found.append(Finding(column, "dates", "the cells look like dates", remedy))
    return found


def _numbered(study: Study, some: Table) -> list[Finding]:
    """Return the features that look like numbers of people: different in every row."""
    if some.n_rows < MANY:
        return []
    found = []
    for name, feature in study.features.items():
        column = feature.column or name
        if isinstance(feature, NumberFeature):
            if not _counts_rows(some, column):
                continue
        elif len(set(some.factorised(column)[1]) - {None}) < some.n_rows:
            continue
        problem = "every row has a value of its own, as if it numbered people or rows"
        remedy = "nothing about other people follows from it: leave the feature out"
        if study.person is None:
            remedy += ", and declare the column as person in [study] if it numbers people"
        found.append(Finding(column, "numbered rows", problem, remedy))
    return found


def _counts_rows(some: Table, column: str) -> bool:
    """Whether different numbers are a count, or whole and called like the number of a person."""
    values = np.sort(some.numbers(column))
    steps = np.diff(values)
    if np.isnan(values[-1]) or (values != np.rint(values)).any() or not (steps > 0).all():
        return False
    return _names_person(column) or bool((steps == 1).all())


def _says(name: str, words: re.Pattern[str]) -> bool:
    """Whether one of the words that a column's name is made of is among these."""
    return any(words.fullmatch(word.lower()) for word in _WORDS.findall(name))


def _names_person(name: str) -> bool:
    return _says(name, _PERSON) and not _says(name, _OTHER)
