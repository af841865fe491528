from decimal import Decimal
from pathlib import Path

import pytest

from dpwerm.errors import StudyError
from dpwerm.study.load import parse_toml, read_study_text


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
