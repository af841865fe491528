"""Which scenarios belong to which section of the table."""

from collections.abc import Mapping
from typing import Any

import pytest
from tests.bad_input import (
    evaluating,
    ledgers,
    parameters,
    planning,
    predicting,
    propensities,
    rule_files,
    study_files,
    value_files,
    values,
)
from tests.bad_input.expectations import tables
from tests.bad_input.fitting import Condition

FITTING: dict[str, Mapping[str, Condition]] = {
    "Parameters": parameters.CONDITIONS,
    "Ledger": ledgers.CONDITIONS,
    "Propensities": propensities.CONDITIONS,
    "Values": values.VALUES,
    "Form of the table": values.FORM,
    "Study file": study_files.CONDITIONS,
}
SECTIONS: dict[str, Mapping[str, object]] = {
    **FITTING,
    "Predicting": predicting.CONDITIONS,
    "Rule file": rule_files.CONDITIONS,
    "Evaluating": evaluating.CONDITIONS,
    "Value file": value_files.CONDITIONS,
    "Planning": planning.CONDITIONS,
}
TABLE = tables()


def lines(column: int, *sections: str) -> list[Any]:
    """Return the lines of the table that say something in a column, one test each."""
    return [
        pytest.param(SECTIONS[section][condition], cells[column], id=condition)
        for section in sections
        for condition, cells in TABLE[section].items()
        if cells[column].kind != "n/a" and condition in SECTIONS[section]
    ]
