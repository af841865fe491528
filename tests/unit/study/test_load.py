from decimal import Decimal
from pathlib import Path

import pytest

from dpwerm.errors import StudyError
from dpwerm.study.values import parse_toml, read_study_text, with_model_file


def test_decimals_stay_as_written() -> None:
    assert parse_toml("x = 0.1") == {"x": Decimal("0.1")}


def test_a_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_bytes(b"\xef\xbb\xbfformat = 1")
    assert read_study_text(path) == "format = 1"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    big, latin = tmp_path / "big.toml", tmp_path / "latin.toml"
    big.write_text("#" * (1 << 20) + "\n")
    latin.write_bytes(b"format = 1\nname = '\xe9'\n")
    cases = [
        (tmp_path, "is a folder"),
        (tmp_path / "none.toml", "does not exist"),
        (big, "larger than 1 MB"),
        (latin, "line 2: is not UTF-8"),
    ]
    for path, said in cases:
        with pytest.raises(StudyError, match=said) as caught:
            read_study_text(path)
        assert path.name in str(caught.value)
    with pytest.raises(StudyError, match=r"study file \.: 1 fault"):
        read_study_text(".")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = 1\nb = \n", "line 2"),
        ("a = 1\na = 2\n", "overwrite"),
        ("[a]\n[a]\n", "line 2"),
        ("a = " + "[" * 100_000, "nested too deeply"),
        ("a = " + "{b = " * 5_000 + "1" + "}" * 5_000, "nested too deeply"),
        ("a" + ".a" * 100_000 + " = 1", "nested too deeply"),
        ("[a" + ".a" * 100_000 + "]", "nested too deeply"),
        ("a = " + "9" * 5_000, "too long"),
        ("a = 1e99999999999999999999", "too long"),
        ("a\x00 = 1", "line 1"),
        ("#" * (1 << 20) + "\n", "larger than 1 MB"),
    ],
    ids=range(11),
)
def test_hostile_texts_are_one_plain_fault(text: str, said: str) -> None:
    with pytest.raises(StudyError, match=said) as caught:
        parse_toml(text)
    assert len(caught.value.faults) == 1
    assert len(str(caught.value)) < 400


MODEL = """
arm = "G"
intercept = -2.5
[coefficients]
age = 0.05
"""


def study_with(propensity: object) -> dict[str, object]:
    return {"format": 1, "treatment": {"column": "arm", "propensity": propensity}}


def test_coefficients_are_read_from_beside_the_study_file(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "p.toml").write_text(MODEL)
    raw = study_with({"model": "external", "file": "models/p.toml"})
    found = with_model_file(raw, tmp_path, "study file s.toml")
    assert found == study_with(
        {
            "model": "external",
            "arm": "G",
            "intercept": Decimal("-2.5"),
            "coefficients": {"age": Decimal("0.05")},
        }
    )
    assert raw == study_with({"model": "external", "file": "models/p.toml"})


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"treatment": "text"},
        {"treatment": {"propensity": "column"}},
        {"treatment": {"propensity": {"model": "private"}}},
        {"treatment": {"propensity": {"model": "external", "file": 3}}},
    ],
)
def test_without_a_file_nothing_is_read(raw: dict[str, object], tmp_path: Path) -> None:
    assert with_model_file(raw, tmp_path / "none", "study file") is raw


@pytest.mark.parametrize(
    ("propensity", "content", "said"),
    [
        ({"model": "external", "file": "none.toml"}, None, "file: file: does not exist"),
        ({"model": "external", "file": "."}, None, "file: file: is a folder"),
        ({"model": "external", "file": ""}, None, "file: file: is a folder"),
        ({"model": "external", "file": "a\x00b"}, None, "file: file: "),
        ({"model": "external", "file": "p.toml"}, b"arm = ", "file: syntax: Invalid value"),
        ({"model": "external", "file": "p.toml"}, b"arm = '\xe9'", "file: line 1: is not UTF-8"),
        ({"model": "external", "file": "p.toml"}, b"arm = 1\narm = 2", "file: syntax: Cannot"),
        (
            {"model": "external", "file": "p.toml", "arm": "G", "intercept": 1},
            MODEL.encode(),
            "file: also holds arm, intercept; say each thing once",
        ),
        ({"model": "private", "file": "p.toml"}, MODEL.encode(), 'only for model = "external"'),
        ({"file": "p.toml"}, MODEL.encode(), 'only for model = "external"'),
    ],
)
def test_a_file_that_cannot_be_used_is_a_fault_of_the_study(
    propensity: object, content: bytes | None, said: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "p.toml").write_bytes(content)
    with pytest.raises(StudyError) as caught:
        with_model_file(study_with(propensity), tmp_path, "study file s.toml")
    (fault,) = caught.value.faults
    assert f"treatment.propensity.{said}" in str(fault) or said in str(fault)
    assert "study file s.toml" in str(caught.value)
