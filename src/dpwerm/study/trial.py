"""The columns a fit needs, read once and refused only for the form of the table.

One person is one row: the privacy claim protects a row, so a person must not have several.
"""

import numpy as np

from dpwerm.data.table import Table, read_table
from dpwerm.errors import Fault, TableError
from dpwerm.study.study import Study


def read_trial(study: Study, source: object) -> Table:
    """Return the columns that a study declares.

    A table without rows is refused where n is public. Under add/remove it is a table like any
    other, because a refusal would tell that n is 0.
    """
    table = read_table(source, study.columns)
    if table.n_rows == 0 and study.relation == "replace_one":
        remedy = "under replace_one the number of rows is public and must be at least 1"
        raise TableError(table.label, [Fault("rows", "there is none", remedy)])
    return table


def person_rows(table: Table, column: str) -> dict[str | None, int]:
    """Return how many rows each person has; None stands for rows without a person."""
    counts: dict[str | None, int] = {None: 0}
    for block in table.blocks():
        codes, texts = block.factorised(column)
        rows = np.bincount(codes, minlength=len(texts)).tolist()
        for text, count in zip(texts, rows, strict=True):
            counts[text] = counts.get(text, 0) + count
    return counts


def repeated_persons(study: Study, table: Table) -> int:
    """Return how many persons have more than one row; 0 without a person column.

    A fit through the study must refuse when this is not 0.
    """
    if study.person is None:
        return 0
    counts = person_rows(table, study.person)
    del counts[None]
    return sum(count > 1 for count in counts.values())


def refuse_repeated_persons(study: Study, table: Table) -> None:
    """Raise if a person has several rows."""
    if repeated_persons(study, table):
        remedy = "one person is one row; see dpwerm check"
        fault = Fault(str(study.person), "a person has several rows", remedy)
        raise TableError(table.label, [fault])
