import math
from pathlib import Path

import pytest

from dpwerm.releases.files import read_json, write_bytes, write_json, write_text


def test_what_is_written_is_read_back_and_ends_with_a_line(tmp_path: Path) -> None:
    path = tmp_path / "rule.json"
    content = {"name": "Müller", "numbers": [1, 0.1, None], "inner": {"yes": True}}
    write_json(content, path)
    assert read_json(path) == content
    text = path.read_text(encoding="utf-8")
    assert "Müller" in text
    assert text.endswith("\n}\n")
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_there_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "rule.json"
    path.write_text("old and much longer than what comes", encoding="utf-8")
    write_json({}, path)
    assert path.read_text(encoding="utf-8") == "{}\n"


@pytest.mark.parametrize("value", [math.nan, math.inf, {1, 2}, "\ud800"])
def test_what_is_no_json_leaves_the_file_as_it_was(tmp_path: Path, value: object) -> None:
    path = tmp_path / "rule.json"
    path.write_text("old", encoding="utf-8")
    with pytest.raises((ValueError, TypeError)):
        write_json({"a": 1, "b": value}, path)
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_step_that_fails_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Path, target: Path) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(PermissionError):
        write_json({"a": 1}, tmp_path / "rule.json")
    assert list(tmp_path.iterdir()) == []


def test_it_does_not_write_into_a_file_that_another_is_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpwerm.releases.files.os.getpid", lambda: 7)
    other = tmp_path / "rule.json.7.part"
    other.write_text("of another", encoding="utf-8")
    with pytest.raises(FileExistsError):
        write_json({"a": 1}, tmp_path / "rule.json")
    assert other.read_text(encoding="utf-8") == "of another"
    assert list(tmp_path.iterdir()) == [other]


def test_texts_and_bytes_are_written_as_they_are(tmp_path: Path) -> None:
    text = "Müller\r\nand\n"
    write_text(text, tmp_path / "text")
    write_bytes(text.encode(), tmp_path / "bytes")
    assert (tmp_path / "text").read_bytes() == (tmp_path / "bytes").read_bytes() == text.encode()
