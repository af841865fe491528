from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.unit.study.test_suspicions import N, put, told, trial

from dpwerm.study.check import check
from dpwerm.study.study import Study


@pytest.fixture
def unnamed(study_text: str) -> Study:
    """Return a study that declares no person."""
    return Study.parse(study_text.replace('person = "ID"', ""))


# -- people with several rows --------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ID", "patient_id", "PatientID", "USUBJID", "Subject No", "pid"])
def test_an_undeclared_column_that_numbers_people_with_several_rows(
    unnamed: Study, name: str
) -> None:
    frame = trial().drop(columns="ID")
    (found,) = told(unnamed, put(frame, name, np.arange(N) // 2), "repeated rows")
    assert found.column == name
    assert "150 different values stand in 300 rows" in str(found)
    assert f"declare person = {name!r} in [study]" in str(found)
    assert check(unnamed, put(frame, name, np.arange(N))) == []


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("site_id", np.arange(N) // 2),  # not of people
        ("covid", np.arange(N) // 2),
        ("id", np.arange(N) % 2),  # two values are no people
        ("id", [None] * 290 + [7] * 10),
        ("patient", ["yes", "no"] * (N // 2)),
    ],
)
def test_other_columns_do_not_number_people(unnamed: Study, name: str, values: object) -> None:
    frame = put(trial().drop(columns="ID"), name, values)
    assert check(unnamed, frame) == []


def test_a_declared_person_is_looked_at_alone(study: Study) -> None:
    assert check(study, trial().assign(patient_id=np.arange(N) // 2)) == []


def test_columns_that_cannot_be_read_are_passed_over(unnamed: Study) -> None:
    frame = put(trial().drop(columns="ID"), "patient_id", [{1: 2}] * N).assign(pid=[1 + 2j] * N)
    when = pd.Timestamp("2020-01-01")
    assert check(unnamed, frame.assign(subject=when, id=np.arange(N))) == []


def test_rows_that_are_exactly_alike(unnamed: Study, tmp_path: Path) -> None:
    once = trial(N - 20).drop(columns="ID")
    once["AGE"] = once["AGE"] - np.round(np.random.default_rng(2).random(N - 20), 3)
    once["AGE"] = once["AGE"].clip(lower=18)
    assert check(unnamed, once) == []
    twice = pd.concat([once, once[:20]], ignore_index=True)
    path = tmp_path / "twice.csv"
    twice.to_csv(path, index=False)
    for table in (twice, path):
        (found,) = [one for one in check(unnamed, table) if one.kind == "twins"]
        assert found.count == 40
        assert "40 rows have a twin" in str(found)
        assert "such as rows 1 and 281" in str(found)
    apart = twice.assign(patient=np.arange(N))
    assert told(unnamed, apart, "twins") == []


def test_twins_by_chance_are_not_told(unnamed: Study) -> None:
    frame = trial().drop(columns="ID").assign(AGE=50)
    frame["days"] = 1 + frame["days"] % 3 * 49
    assert frame.duplicated().sum() > 100
    assert told(unnamed, frame, "twins") == []


def test_columns_that_tell_the_same_twice_make_no_twins(study_text: str) -> None:
    more = '[features.born]\nkind = "number"\nbounds = [1930, 2002]\n\n[treatment]'
    study = Study.parse(study_text.replace('person = "ID"', "").replace("[treatment]", more))
    frame = trial(1_000).drop(columns="ID")
    frame = frame.assign(born=2020 - frame["AGE"], days=1 + frame["days"] % 2 * 99, site=1)
    assert frame.duplicated().sum() > 100
    assert told(study, frame, "twins") == []


# -- times, dates, numbers of rows ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "cells", "is_told"),
    [
        ("status", [0, 1], True),
        ("cens", ["1", "2"], True),
        ("died", [True, False], True),
        ("event_seen", ["yes", "no"], True),
        ("status", [0, 0], False),
        ("status", ["single", "married"], False),
        ("smoker", [0, 1], False),
    ],
)
def test_a_time_with_an_event(
    study: Study, column: str, cells: list[object], *, is_told: bool
) -> None:
    found = told(study, put(trial(), column, cells * (N // 2)), "survival time")
    assert len(found) == is_told
    if is_told:
        assert found[0].column == "days"
        assert f"column {column!r} like whether the event was seen" in str(found[0])
        assert "as if the event had come then" in str(found[0])


def test_no_time_or_an_outcome_of_two_values_has_no_event(study_text: str) -> None:
    frame = trial().assign(died=[0, 1] * (N // 2))
    score = Study.parse(study_text.replace('"days"', '"score"'))
    assert told(score, frame.rename(columns={"days": "score"}), "survival time") == []
    yes_no = Study.parse(study_text.replace('"smaller"', '"smaller"\nkind = "yes-no"'))
    assert told(yes_no, frame, "survival time") == []


@pytest.mark.parametrize(
    ("cell", "is_date"),
    [
        ("2020-03-0{}", True),
        ("2020-03-0{} 10:30:00", True),
        ("0{}.03.2020", True),
        ("3/2{}/2020", True),
        ("2020030{}", True),
        ("2020.{}", False),
        ("120/8{}", False),
        ("1.{}", False),
        ("2020130{}", False),
    ],
)
def test_dates(study: Study, cell: str, *, is_date: bool) -> None:
    days = [cell.format(1 + row % 9) for row in range(N)]
    for column in ("AGE", "site", "days"):
        found = told(study, put(trial(), column, days), "dates")
        assert [one.column for one in found] == [column] * is_date
        assert all("days since randomisation" in str(one) for one in found)


def test_some_dates_among_other_cells_are_only_strange_cells(study: Study) -> None:
    ages = ["2020-03-01", "30"] * (N // 2)
    assert told(study, trial().assign(AGE=ages), "dates") == []
    few = [*["2020-03-01"] * 20, *[""] * (N - 20)]
    assert len(told(study, trial().assign(AGE=few), "dates")) == 1


@pytest.mark.parametrize(
    ("column", "values", "is_told"),
    [
        ("AGE", np.arange(1, N + 1), True),
        ("AGE", np.arange(N) * 3, False),
        ("AGE", np.arange(N) + 0.5, False),
        ("site", [f"A-{row}" for row in range(N)], True),
        ("site", [f"A-{row // 2}" for row in range(N)], False),
    ],
)
def test_features_that_number_rows(
    study: Study, column: str, values: object, *, is_told: bool
) -> None:
    found = told(study, put(trial(), column, values), "numbered rows")
    assert [one.column for one in found] == [column] * is_told


def test_a_feature_called_like_the_number_of_a_person(study_text: str) -> None:
    text = study_text.replace('person = "ID"', "").replace('column = "AGE"', 'column = "pat_id"')
    frame = trial().assign(pat_id=np.arange(N) * 3).rename(columns={"pat_id": "patient_id"})
    study = Study.parse(text.replace("pat_id", "patient_id"))
    (found,) = told(study, frame, "numbered rows")
    assert "declare the column as person in [study]" in str(found)
