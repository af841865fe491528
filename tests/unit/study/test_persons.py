import pandas as pd
import pytest

from dpwerm.data.table import read_table
from dpwerm.study.check import repeated_persons
from dpwerm.study.study import Study


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
    assert repeated_persons(study, table) == repeated


def test_without_a_person_column_nothing_is_counted(study_text: str) -> None:
    study = Study.parse(study_text.replace('person = "ID"', ""))
    assert repeated_persons(study, read_table(pd.DataFrame({"ID": [1, 1]}), [])) == 0
