import copy
import pickle
import tomllib
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import ValidationError
from sklearn.base import clone

from dpwerm import PrivateTreatmentRule
from dpwerm.errors import StudyError
from dpwerm.study.propensity import ExternalPropensity
from dpwerm.study.study import Study


def faults(text: str) -> dict[str, str]:
    with pytest.raises(StudyError) as caught:
        Study.parse(text)
    return {fault.where: f"{fault.problem}; {fault.remedy}" for fault in caught.value.faults}


def test_a_whole_study(tmp_path: Path, study_text: str) -> None:
    path = tmp_path / "study.toml"
    path.write_text(study_text)
    study = Study.load(path)
    assert (study.id, study.relation, study.person) == ("trial-1", "replace_one", "ID")
    assert study.feature_columns == ("AGE", "sex", "site")
    assert study.columns == ("AGE", "sex", "site", "arm", "days", "ID")
    assert study.budget is not None
    assert study.budget.epsilon == Decimal("0.1")
    assert study.budget.delta == 0
    assert study.method.gamma is None
    assert study.encoding().coefficient_names == (
        "intercept",
        "age",
        "sex=M",
        "site=north",
        "site=south",
        "site=other",
    )


def test_method_reaches_the_encoding(study_text: str) -> None:
    text = (
        study_text + '\n[method]\nencoding = "paper"\nintercept_scale = 0\ngamma = 2.5\nh = 0.5\n'
    )
    study = Study.parse(text)
    assert study.encoding().kind == "paper"
    assert study.encoding().intercept_scale == 0
    assert (study.method.gamma, study.method.h) == (2.5, 0.5)


def test_a_study_cannot_change(study: Study) -> None:
    with pytest.raises(ValidationError):
        study.format = 2


EVERYTHING_WRONG = """
format = 2
frmat = 1

[study]
id = "Trial One"
relation = "both"
persn = "ID"

[features.intercept]
kind = "number"
bounds = [1, 0]

[features.age]
kind = "number"
bounds = [18, inf]
bound = [1, 2]

[features.height]
kind = "number"
bounds = [100, 220]
default = 300

[features.sex]
kind = "category"
levels = ["F"]

[features.site]
kind = "category"
levels = { a = ["1"], b = ["1.0"] }

[features.race]
kind = "category"
levels = ["x", "y"]
default = "z"

[features.blood]
levels = ["x", "y"]

[features.odd]
kind = "colour"

[treatment]
column = "age"
arms = { S = 0.5, G = 0.6 }
propensity_floor = 0.7
origin = "guess"

[benefit]
column = "age"
bounds = [-1, 2]
transform = "log"
direction = "up"
weights = "all"
clip = -1

[budget]
epsilon = 0
delta = 1
ledger = "sqlite:x"

[method]
gamma = -1
h = nan
encoding = "other"
intercept_scale = -1
"""


def test_every_fault_at_once() -> None:
    found = faults(EVERYTHING_WRONG)
    assert set(found) == {
        "format",
        "frmat",
        "study.id",
        "study.relation",
        "study.persn",
        "features.intercept",
        "features.intercept.bounds",
        "features.age.bounds",
        "features.age.bound",
        "features.height.default",
        "features.sex.levels",
        "features.site.levels",
        "features.race.default",
        "features.blood",
        "features.odd",
        "treatment.column",
        "treatment.arms",
        "treatment.propensity_floor",
        "treatment.origin",
        "benefit.column",
        "benefit.transform",
        "benefit.direction",
        "benefit.weights",
        "benefit.clip",
        "budget.epsilon",
        "budget.delta",
        "budget.ledger",
        "method.gamma",
        "method.h",
        "method.encoding",
        "method.intercept_scale",
    }
    assert 'did you mean "format"?' in found["frmat"]
    assert 'did you mean "person"?' in found["study.persn"]
    assert 'did you mean "bounds"?' in found["features.age.bound"]
    assert "already used by features.age.column" in found["treatment.column"]


def test_an_empty_file_lists_what_is_needed() -> None:
    assert set(faults("")) == {"format", "study", "features", "treatment", "benefit"}


@pytest.mark.parametrize("wrong", ["features = 1", "features = {}", "study = []", "budget = 'x'"])
def test_sections_of_the_wrong_shape(wrong: str) -> None:
    assert wrong.split()[0] in faults(wrong)


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ('column = "days"', 'column = "arm"', "benefit.column"),
        ('person = "ID"', 'person = "AGE"', "study.person"),
        ('column = "AGE"', 'column = "sex"', "features.sex.column"),
    ],
)
def test_a_column_has_one_use(study_text: str, old: str, new: str, where: str) -> None:
    assert set(faults(study_text.replace(old, new))) == {where}


def test_a_long_value_is_shortened() -> None:
    found = faults('format = "' + "x" * 500 + '"')
    assert len(found["format"]) < 150


def test_too_many_features_and_too_many_faults() -> None:
    many = "".join(f"[features.x{k}]\n" for k in range(10_001))
    assert "5,000" in faults(many)["features"]
    assert "and more" in faults("".join(f"k{k} = 1\n" for k in range(500)))


def test_a_budget_as_text_is_exact(study_text: str) -> None:
    study = Study.parse(study_text.replace("epsilon = 0.1", 'epsilon = "0.30"\ndelta = 1e-6'))
    assert study.budget is not None
    assert (study.budget.epsilon, study.budget.delta) == (Decimal("0.30"), Decimal("1e-6"))


def test_a_study_knows_its_folder_and_is_what_its_text_says(
    tmp_path: Path, study_text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "study.toml").write_text(study_text)
    monkeypatch.chdir(tmp_path)
    study, parsed = Study.load("study.toml"), Study.parse(study_text)
    assert (study.folder, parsed.folder) == (tmp_path.resolve(), None)
    assert study == parsed
    assert tmp_path.name not in repr(study) + str(study)
    pickled = pickle.loads(pickle.dumps(study))  # noqa: S301 - written above
    for other in (copy.deepcopy(study), study.model_copy(), pickled):
        assert other.folder == study.folder


def test_whatever_loads_can_be_encoded(study_text: str) -> None:
    levels = 'levels = { "a=b" = ["x", 1, true], "b" = "*" }'
    study = Study.parse(study_text.replace('levels = ["F", "M"]', levels))
    assert study.encoding().coefficient_names[2] == "sex=b"


MODEL = """
arm = "G"
intercept = -2.5
[coefficients]
age = 0.05
"sex=F" = 0.5
"site=north" = 1
"""


def with_propensity(study_text: str, propensity: str) -> str:
    arms = 'arms = { S = "1/3", G = "2/3" }'
    assert arms in study_text
    return study_text.replace(
        arms, f'arms = ["S", "G"]\npropensity_floor = 0.1\npropensity = {propensity}'
    )


def test_an_external_model_is_loaded_from_beside_the_study_file(
    tmp_path: Path, study_text: str
) -> None:
    (tmp_path / "propensity.toml").write_text(MODEL)
    path = tmp_path / "study.toml"
    written = '{ model = "external", file = "propensity.toml" }'
    path.write_text(with_propensity(study_text, written))
    found = Study.load(path).treatment.propensity
    coefficients = '{ age = 0.05, "sex=F" = 0.5, "site=north" = 1 }'
    inline = f'{{ model = "external", arm = "G", intercept = -2.5, coefficients = {coefficients} }}'
    assert Study.parse(with_propensity(study_text, inline)).treatment.propensity == found
    with pytest.raises(StudyError, match="beside a study file only"):
        Study.parse(path.read_text())


def test_an_external_model_is_about_the_features_of_the_study(study_text: str) -> None:
    written = '{ model = "external", arm = "G", intercept = 0, coefficients = { ag = 1 } }'
    found = faults(with_propensity(study_text, written))
    assert set(found) == {"treatment.propensity.coefficients"}
    said = found["treatment.propensity.coefficients"]
    for part in (
        "'ag' is no feature",
        "did you mean 'age'?",
        "'sex=M' has no",
        "'site=other' has no",
    ):
        assert part in said


@pytest.mark.parametrize(
    ("written", "where", "said"),
    [
        ('{ model = "privat" }', "treatment.propensity", 'a model among "private"'),
        ('{ model = "asymptotic" }', "treatment.propensity", "no release can rest on it"),
        ('{ model = "private", shar = 1 }', "treatment.propensity.shar", 'did you mean "share"?'),
        ('{ model = "private", share = 1 }', "treatment.propensity.share", "below 1"),
        ('{ model = "ridge", gamma = 0 }', "treatment.propensity.gamma", "between"),
        ('{ model = "external" }', "treatment.propensity.arm", "the arm whose log-odds"),
        ('"AGE"', "treatment.propensity", "already used by features.age.column"),
        (
            '{ model = "column", column = "AGE" }',
            "treatment.propensity",
            "already used by features.age.column",
        ),
        ("0.5", "treatment.propensity", "must name a column, or a model"),
    ],
)
def test_faults_of_a_propensity_are_in_plain_words(
    study_text: str, written: str, where: str, said: str
) -> None:
    assert said in faults(with_propensity(study_text, written))[where]


EXTERNAL = """\
format = 1
study = { id = "small" }
features.age = { kind = "number", bounds = [0, 80], source = "protocol" }
benefit = { column = "gain", bounds = [0, 10] }
[treatment]
column = "arm"
arms = ["a", "b"]
propensity = { model = "external", arm = "b", intercept = 0.1, coefficients = { age = 0.2 } }
propensity_floor = 0.1
"""


def mappings(study: Study) -> list[dict[str, Any]]:
    declaration = study.declaration()
    model, kept = study.treatment.propensity, declaration.treatment.propensity
    assert isinstance(model, ExternalPropensity)
    assert isinstance(kept, ExternalPropensity)
    sources = cast("dict[str, Any]", declaration.sources)
    features = cast("dict[str, Any]", study.features)
    return [features, sources, model.coefficients, kept.coefficients]


CHANGES: list[Callable[[dict[str, Any]], object]] = [
    lambda one: one.__setitem__("age", 5.0),
    lambda one: one.__delitem__("age"),
    lambda one: one.__ior__({"age": 5.0}),
    lambda one: one.update(age=5.0),
    lambda one: one.pop("age"),
    lambda one: one.popitem(),
    lambda one: one.setdefault("other", 5.0),
    lambda one: one.clear(),
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_declared_cannot_change_in_place(
    change: Callable[[dict[str, Any]], object],
) -> None:
    study = Study.parse(EXTERNAL)
    for one in mappings(study):
        with pytest.raises(TypeError, match="cannot be changed"):
            change(one)
    assert study == Study.parse(EXTERNAL)


def test_copies_cannot_change_either() -> None:
    study = Study.parse(EXTERNAL)
    pickled = pickle.loads(pickle.dumps(study))  # noqa: S301 - our own bytes
    copies = (copy.copy(study), copy.deepcopy(study), pickled, study.model_copy(deep=True))
    for other in copies:
        assert other == study
        assert other.declaration() == study.declaration()
        for one in mappings(other):
            with pytest.raises(TypeError, match="cannot be changed"):
                one["age"] = 5.0
    assert study.treatment.propensity is not None
    assert type(study.treatment.propensity.model_dump()["coefficients"]) is dict


def test_a_clone_of_an_estimator_has_the_study() -> None:
    study = Study.parse(EXTERNAL)
    again = clone(PrivateTreatmentRule.from_study(study, 1))
    assert again.get_params()["study"] == study
    pickled = pickle.loads(pickle.dumps(again))  # noqa: S301 - our own bytes
    assert pickled.get_params()["study"] == study


def test_the_keys_that_a_study_was_made_of_are_not_its_own() -> None:
    coefficients = {"age": 0.2}
    raw = tomllib.loads(EXTERNAL)
    raw["treatment"]["propensity"]["coefficients"] = coefficients
    study = Study.from_dict(raw)
    coefficients["age"] = 9.0
    raw["features"].clear()
    assert study == Study.parse(EXTERNAL)
