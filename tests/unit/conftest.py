import pytest

from dpwerm.study.study import Study

STUDY = """
format = 1

[study]
id = "trial-1"
person = "ID"

[features.age]
kind = "number"
column = "AGE"
bounds = [18, 90]

[features.sex]
kind = "category"
levels = ["F", "M"]

[features.site]
kind = "category"
levels = { north = ["1", "2"], south = ["3"], other = "*" }
default = "other"

[treatment]
column = "arm"
arms = { S = "1/3", G = "2/3" }

[benefit]
column = "days"
bounds = [1, 100]
direction = "smaller"

[budget]
epsilon = 0.1
"""


@pytest.fixture
def study_text() -> str:
    return STUDY


@pytest.fixture
def study() -> Study:
    return Study.parse(STUDY)
