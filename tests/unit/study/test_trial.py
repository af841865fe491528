import pyarrow as pa
import pytest

from dpwerm.errors import TableError
from dpwerm.simulate.demo import demo_trial, study_text
from dpwerm.study.study import Study, read_trial

EMPTY: pa.Table = demo_trial(5).slice(0, 0)


def test_only_declared_columns_are_read() -> None:
    study = Study.parse(study_text())
    assert set(read_trial(study, demo_trial(5)).columns) == set(study.columns)


def test_no_row_is_refused_where_n_is_public() -> None:
    with pytest.raises(TableError, match="rows: there is none"):
        read_trial(Study.parse(study_text()), EMPTY)


def test_no_row_is_a_table_like_any_other_where_n_is_sensitive() -> None:
    study = Study.parse(study_text().replace('"replace_one"', '"add_remove"'))
    assert read_trial(study, EMPTY).n_rows == 0
