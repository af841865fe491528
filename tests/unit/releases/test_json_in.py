from pathlib import Path

import pytest

from dpwerm.errors import RuleFileError
from dpwerm.releases.files import LARGEST_FILE, read_json


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not JSON"),
        ('{"a": 1', "is not JSON"),
        ("[1]", "not a JSON object"),
        ('{"a": NaN}', "NaN is not allowed"),
        ('{"a": -Infinity}', "not allowed"),
        ('{"a": 1, "a": 2}', "twice"),
        ('{"a": {"b": 1, "b": 2}}', "twice"),
        ('{"a": 1e999}', "too large"),
        ('{"a": ' + "9" * 5000 + "}", "too large"),
        ('{"a": ' + "9" * 42 + "}", "too large"),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
        ('{"a": "' + "x" * LARGEST_FILE + '"}', "larger than"),
    ],
)
def test_hostile_json_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "rule.json"
    path.write_text(text)
    with pytest.raises(RuleFileError, match=words):
        read_json(path)


def test_other_bytes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rule.json"
    path.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(RuleFileError, match="UTF-8"):
        read_json(path)


@pytest.mark.parametrize("folder", [".", "..", "/"])
def test_a_folder_is_named_and_called_one(folder: str) -> None:
    with pytest.raises(RuleFileError) as caught:
        read_json(Path(folder))
    assert str(caught.value).startswith(
        f"{folder}: 1 fault\n  {folder}: is a folder; give the path"
    )


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RuleFileError, match=r"nothing\.json"):
        read_json(tmp_path / "nothing.json")


def test_plain_json_is_read(tmp_path: Path) -> None:
    path = tmp_path / "rule.json"
    path.write_text('{"a": [1, 2.5, "x", null, true]}')
    assert read_json(path) == {"a": [1, 2.5, "x", None, True]}
