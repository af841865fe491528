from pathlib import Path

import pandas as pd
import pytest

from dpwerm.errors import TableError
from dpwerm.study.check import check, unused_settings
from dpwerm.study.findings import Example, Finding
from dpwerm.study.study import Study

CSV = """\
ID,AGE,sex,site,arm,days
1,50,F,1,S,10
2,17,M,9,G,20
3,,X,,S,0
4,old,,3,Q,200
5,120,F,2,,
"""


def kinds(findings: list[Finding]) -> set[tuple[str, str]]:
    return {(finding.column, finding.kind) for finding in findings}


def one(findings: list[Finding], column: str, kind: str) -> Finding:
    (found,) = [f for f in findings if (f.column, f.kind) == (column, kind)]
    return found


def test_a_clean_table_has_no_findings(study: Study) -> None:
    frame = pd.DataFrame(
        {"ID": [1, 2], "AGE": [20, 90], "sex": ["F", "M"], "site": [1, 7], "arm": ["S", "G"]}
    ).assign(days=[1, 100])
    assert check(study, frame) == []


def test_everything_wrong_at_once(tmp_path: Path, study: Study) -> None:
    path = tmp_path / "t.csv"
    path.write_text(CSV)
    findings = check(study, path)
    assert kinds(findings) == {
        ("AGE", "below"),
        ("AGE", "above"),
        ("AGE", "missing"),
        ("AGE", "not a number"),
        ("sex", "unknown level"),
        ("sex", "missing"),
        ("site", "missing"),
        ("arm", "unknown arm"),
        ("arm", "missing"),
        ("days", "below"),
        ("days", "above"),
        ("days", "missing"),
    }
    above = one(findings, "AGE", "above")
    assert above.examples == (Example(5, 6, "120"),)
    assert above.consequence == "clipped to 90"
    assert str(above) == (
        "AGE: 1 cell above the bounds [18, 90]; clipped to 90: '120' (row 5, line 6)"
    )
    assert "default 54" in one(findings, "AGE", "missing").consequence
    assert "'F'" in one(findings, "sex", "unknown level").consequence
    assert "'other'" in one(findings, "site", "missing").consequence
    assert "weight 0" in one(findings, "arm", "unknown arm").consequence


def test_lines_count_blank_lines(tmp_path: Path, study: Study) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        'ID,AGE,sex,site,arm,days,note\n1,20,F,1,S,5,"a, b"\n\n2,20,F,1,G,5,\n3,99,F,1,S,5,\n'
    )
    (found,) = check(study, path)
    assert found.examples == (Example(3, 5, "99"),)


def test_a_big_table_stays_readable(study: Study) -> None:
    n = 1_200
    frame = pd.DataFrame({"ID": range(n), "AGE": 200, "sex": "F", "site": 1})
    frame["arm"], frame["days"] = ["S", "G", "G"] * (n // 3), [5, 95] * (n // 2)
    (found,) = check(study, frame)
    assert found.count == n
    assert len(found.examples) == 5
    assert str(found).endswith("...")


def test_tables_as_a_whole(study: Study) -> None:
    frame = pd.DataFrame(
        {"ID": [1, 2], "AGE": 20, "sex": "F", "site": 1, "arm": ["S", "S"], "days": 5}
    )
    assert kinds(check(study, frame)) == {("arm", "single arm")}
    with pytest.raises(TableError, match="there is none"):
        check(study, frame.iloc[:0])
    free = study.model_copy(
        update={"about": study.about.model_copy(update={"relation": "add_remove"})}
    )
    assert kinds(check(free, frame.iloc[:0])) == {("", "empty")}
    nobody = frame.assign(days=None)
    assert ("", "no usable row") in kinds(check(study, nobody))


def test_several_rows_of_a_person_are_refused(study: Study) -> None:
    frame = pd.DataFrame(
        {"ID": [7, 7, None], "AGE": 20, "sex": "F", "site": 1, "arm": ["S", "G", "S"], "days": 5}
    )
    findings = check(study, frame)
    assert kinds(findings) == {("ID", "repeated person"), ("ID", "missing")}
    assert one(findings, "ID", "repeated person").refused
    assert not one(findings, "ID", "missing").refused


def test_propensities(study_text: str) -> None:
    arms = 'arms = { S = "1/3", G = "2/3" }'
    column = 'arms = ["S", "G"]\npropensity = "p"\npropensity_floor = 0.1\norigin = "external"'
    study = Study.parse(study_text.replace(arms, column))
    p = [0.5, 0.05, 0.0, 1.2, None]
    frame = pd.DataFrame({"ID": range(5), "AGE": 20, "sex": "F", "site": 1, "days": 5, "p": p})
    findings = check(study, frame.assign(arm=["S", "G", "S", "G", "S"]))
    assert kinds(findings) == {("p", "missing"), ("p", "no probability"), ("p", "beyond the floor")}
    assert one(findings, "p", "no probability").count == 2
    assert one(findings, "p", "no probability").consequence == "clipped to [0.1, 0.9]"


def test_an_external_model_beyond_the_floor(study_text: str) -> None:
    arms = 'arms = { S = "1/3", G = "2/3" }'
    model = (
        'arms = ["S", "G"]\npropensity_floor = 0.1\n'
        'propensity = { model = "external", arm = "G", intercept = -2, '
        'coefficients = { age = 0.1, "sex=M" = 0, "site=north" = 0 } }'
    )
    study = Study.parse(study_text.replace(arms, model))
    frame = pd.DataFrame({"ID": range(3), "sex": "F", "site": 1, "days": 5, "arm": ["S", "G", "S"]})
    # log(9) = 2.2: scores of -0.2, 2 and 4
    (found,) = check(study, frame.assign(AGE=[18, 40, 60]))
    assert found.count == 1
    said = "1 of 3 rows have a modelled propensity beyond the floor; clipped to [0.1, 0.9]"
    assert str(found) == f"table: {said}"
    assert check(study, frame.assign(AGE=[18, 40, 41])) == []


def test_schema_faults_are_errors(study: Study) -> None:
    with pytest.raises(TableError) as caught:
        check(study, pd.DataFrame({"AGE": [1]}))
    assert len(caught.value.faults) == 5


def test_a_feature_without_any_declared_cell_is_told_to_be_of_no_use(study: Study) -> None:
    frame = pd.DataFrame(
        {"ID": [1, 2], "AGE": [20, 120], "sex": ["f", "m"], "site": [1, 7], "arm": ["S", "G"]}
    ).assign(days=[1, 100])
    unknown = one(check(study, frame), "sex", "unknown level")
    assert str(unknown).startswith(
        "sex: every cell (2) with no declared level; becomes the first level 'F', so the column "
        "would be of no use; compare what the study file declares with it: 'f' (row 1)"
    )
    assert "of no use" not in str(one(check(study, frame), "AGE", "above"))
    assert "of no use" not in str(one(check(study, frame[:1]), "sex", "unknown level"))


@pytest.mark.parametrize(
    ("days", "side"), [((1, 2), "better"), ((99, 100), "worse"), ((1, 99), "")]
)
def test_outcomes_on_one_side_of_the_centre_are_told(
    study: Study, days: tuple[int, int], side: str
) -> None:
    frame = pd.DataFrame(
        {"ID": range(20), "AGE": 50, "sex": "F", "site": 1, "arm": ["S", "G"] * 10}
    ).assign(days=list(days) * 10)
    method = study.method.model_copy(update={"estimator": "outcome-weighted"})
    asked = study.model_copy(update={"method": method})
    told = [str(found) for found in check(asked, frame) if found.kind == "one side"]
    assert [f"every outcome is {side} than the centre" in one for one in told] == [True] * bool(
        side
    )


@pytest.mark.parametrize(
    ("named", "weighs"),
    [
        ({"estimator": "contrast", "gamma": 3.0}, False),
        ({"estimator": "arm-wise"}, False),
        ({"estimator": "auto"}, False),
        ({"estimator": None}, False),
        ({"estimator": "outcome-weighted"}, True),
        ({"estimator": "auto", "gamma": 3.0}, True),
        ({"loss": "logistic"}, True),
        ({"loss": "auto"}, False),
        ({"h": 0.5}, True),
        ({"h": 1.0}, False),
        ({"clip": 2.0}, True),
        ({"centre": -2.5}, False),
        ({"centre": -2.5, "gamma": 3.0}, True),
    ],
)
def test_only_outcome_weights_have_a_centre_to_be_told_of(
    study: Study, named: dict[str, object], *, weighs: bool
) -> None:
    frame = pd.DataFrame(
        {"ID": range(20), "AGE": 50, "sex": "F", "site": 1, "arm": ["S", "G"] * 10}
    ).assign(days=[1, 2] * 10)
    keys = {f"declared_{key}": named[key] for key in ("centre", "clip") if key in named}
    benefit = study.benefit.model_copy(update=keys)
    method = study.method.model_copy(update={k: one for k, one in named.items() if k not in keys})
    asked = study.model_copy(update={"method": method, "benefit": benefit})
    told = [found.kind for found in check(asked, frame)]
    assert ("one side" in told) is weighs


@pytest.mark.parametrize(
    ("benefit", "method", "unused"),
    [
        ("clip = 5", "", []),
        ("clip = 5", 'estimator = "auto"', []),
        ("clip = 5", 'estimator = "outcome-weighted"', []),
        ("clip = 5", 'estimator = "contrast"', ["benefit.clip"]),
        ('clip = "range"', 'estimator = "arm-wise"', ["benefit.clip"]),
        ('clip = "auto"', 'estimator = "arm-wise"', []),
        ("", "h = 0.5", []),
        ("", 'loss = "huberised-hinge"\nh = 0.5', []),
        ("", 'loss = "auto"\nh = 0.5', []),
        ("", 'loss = "logistic"', []),
        ("", 'loss = "logistic"\nh = 0.5', ["method.h"]),
        ("clip = 5", 'estimator = "contrast"\nloss = "huber"\nh = 1', ["benefit.clip", "method.h"]),
    ],
)
def test_settings_that_no_fit_would_use(
    study_text: str, benefit: str, method: str, unused: list[str]
) -> None:
    text = study_text.replace("bounds = [1, 100]", f"bounds = [1, 100]\n{benefit}")
    told = unused_settings(Study.parse(f"{text}\n[method]\n{method}\n"))
    assert [words.partition(" is not used: ")[0] for words in told] == unused


def test_a_model_of_outcomes_is_arm_wise_and_uses_no_clip(study_text: str) -> None:
    model = 'arms = ["S", "G"]\npropensity = { model = "outcome" }'
    text = study_text.replace('arms = { S = "1/3", G = "2/3" }', model)
    (told,) = unused_settings(Study.parse(text.replace("[1, 100]", "[1, 100]\nclip = 5")))
    assert "estimator arm-wise takes benefits within their bounds" in told
