import pandas as pd
import pytest

from dpwerm.data.table import read_table
from dpwerm.errors import TableError
from dpwerm.study.study import Study, person_rows, refuse_repeated_persons


@pytest.mark.parametrize(
    ("ids", "repeated"),
    [
        ([1, 2, 3], 0),
        ([1, 2, 1], 1),
        (["1", "1.0", "a", " a", "b"], 2),
        ([None, None, "x"], 0),
        (["9007199254740993", "9007199254740992"], 0),
        ([], 0),
    ],
)
def test_repeated_persons(study: Study, ids: list[object], repeated: int) -> None:
    table = read_table(pd.DataFrame({"ID": ids}, dtype=object), ["ID"])
    counts = person_rows(table, "ID")
    assert counts.pop(None) == ids.count(None)
    assert sum(count > 1 for count in counts.values()) == repeated
    if repeated:
        with pytest.raises(TableError, match="a person has several rows"):
            refuse_repeated_persons(study, table)
    else:
        refuse_repeated_persons(study, table)


def test_without_a_person_column_nothing_is_refused(study_text: str) -> None:
    study = Study.parse(study_text.replace('person = "ID"', ""))
    refuse_repeated_persons(study, read_table(pd.DataFrame({"ID": [1, 1]}), []))
