"""The columns a fit needs, read once and refused only for the form of the table."""

from dpwerm.errors import Fault, TableError
from dpwerm.study.declaration import Study
from dpwerm.study.table import Table, read_table


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
