"""A fit through a study is total: whatever the cells hold, there is a release."""

import csv
import io
import math
from datetime import date
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.bad_input.base import (
    ADD_REMOVE,
    PERSON_COLUMN,
    PROPENSITY_COLUMN,
    STUDY,
    replaced,
)

from dpwerm import PrivateTreatmentRule, Study

STUDIES = {
    "arms": Study.parse(STUDY),
    "propensity": Study.parse(PROPENSITY_COLUMN(STUDY)),
    "add_remove": Study.parse(ADD_REMOVE(STUDY)),
}
MODELS = {
    "private": '{ model = "private" }',
    "ridge": '{ model = "ridge" }',
    "external": '{ model = "external", arm = "pill", intercept = 1e6, '
    'coefficients = { age = -1e12, "sex=M" = 2 } }',
}
STUDIES |= {
    name: Study.parse(
        replaced(
            "arms = { pill = 0.5, therapy = 0.5 }",
            f'arms = ["pill", "therapy"]\npropensity_floor = 0.1\npropensity = {model}',
        )(STUDY)
    )
    for name, model in MODELS.items()
}
HEADER = ("age", "sex", "arm", "gain", "chance")
TELLING = ("", "NaN", "-inf", "1e999", "-1e308", "5e-324", "pill", "therapy ", "F", "0", "1", "49")
# One line is one row, so a line break in a cell is a fault of the file's form.
CELLS = st.sampled_from(TELLING) | st.text(
    st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=8
)
ROWS = st.lists(st.tuples(*[CELLS] * len(HEADER)), min_size=1, max_size=6)
OBJECTS = st.sampled_from(
    [None, math.nan, math.inf, True, "pill", "F", 7, 1e300, Decimal("2.5"), 10**400, (1, 2)]
) | st.builds(date, st.just(2020), st.just(1), st.integers(1, 28))

quick = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
@quick
@given(rows=ROWS)
def test_any_text_in_any_cell_of_a_file(
    study: Study, rows: list[tuple[str, ...]], tmp_path: Path
) -> None:
    stream = io.StringIO()
    csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([HEADER, *rows])
    path = tmp_path / "trial.csv"
    path.write_text(stream.getvalue(), encoding="utf-8", newline="")
    estimator = PrivateTreatmentRule.from_study(study, 1, ledger="none").fit(path)
    assert estimator.release_.private
    assert estimator.release_.certificate.n == (
        None if study is STUDIES["add_remove"] else len(rows)
    )
    assert np.isfinite(estimator.release_.theta).all()
    assert len(estimator.predict(path)) == len(rows)


@quick
@given(rows=st.lists(st.tuples(*[OBJECTS] * len(HEADER)), min_size=1, max_size=6))
def test_any_object_in_a_data_frame(rows: list[tuple[object, ...]]) -> None:
    frame = pd.DataFrame(rows, columns=list(HEADER), dtype=object)
    estimator = PrivateTreatmentRule.from_study(STUDIES["propensity"], 1, ledger="none").fit(frame)
    assert estimator.release_.private


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e308, -5e-324, None])
def test_any_double_in_every_cell(value: float | None) -> None:
    frame = pl.DataFrame(
        {name: [value] * 3 for name in HEADER}, schema=dict.fromkeys(HEADER, pl.Float64)
    )
    for study in STUDIES.values():
        assert PrivateTreatmentRule.from_study(study, 1, ledger="none").fit(frame).release_.private


@pytest.mark.parametrize("people", [0, 1, 2])
def test_few_people_and_a_person_column(people: int) -> None:
    study = Study.parse(PERSON_COLUMN(ADD_REMOVE(STUDY)))
    columns = {name: ["1"] * people for name in HEADER} | {"person": list("ab")[:people]}
    schema = dict.fromkeys((*HEADER, "person"), pl.String)
    frame = pl.DataFrame(columns, schema=schema)
    release = PrivateTreatmentRule.from_study(study, 1, ledger="none").fit(frame).release_
    assert (release.private, release.certificate.n) == (True, None)
