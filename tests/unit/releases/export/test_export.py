from pathlib import Path

import onnx
import pytest
from tests.unit.releases.export.rules import category, make_rule, random_rule

from dpwerm.errors import ParameterError
from dpwerm.releases import export
from dpwerm.releases.export import register_export, write_export
from dpwerm.releases.export.onnx import onnx_model
from dpwerm.releases.export.python import python_source
from dpwerm.releases.export.r import r_source
from dpwerm.releases.export.sql import sql_file
from dpwerm.releases.export.terms import Export


def test_the_ending_names_the_language(tmp_path: Path) -> None:
    rule = random_rule(1)
    for path in (
        tmp_path / "rule.py",
        tmp_path / "rule.SQL",
        str(tmp_path / "rule.onnx"),
        tmp_path / "rule.r",
    ):
        write_export(rule, path)
    assert (tmp_path / "rule.py").read_bytes() == python_source(rule).encode()
    assert (tmp_path / "rule.SQL").read_bytes() == sql_file(rule).encode()
    assert onnx.load(tmp_path / "rule.onnx") == onnx_model(rule)
    assert (tmp_path / "rule.r").read_bytes() == r_source(rule).encode()
    assert len(list(tmp_path.iterdir())) == 4
    with pytest.raises(ParameterError, match=r"must end in \.py, \.R, \.sql or \.onnx"):
        write_export(rule, tmp_path / "rule.txt")


def test_what_fails_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "rule.sql"
    out.write_text("mine", encoding="utf-8")
    with pytest.raises(ParameterError):
        write_export(make_rule([category("a\0b", "xy")], [1, 2]), out)

    def full(self: Path, target: Path) -> Path:
        raise OSError("no space")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="no space"):
        write_export(random_rule(1), out)
    assert out.read_text(encoding="utf-8") == "mine"
    assert list(tmp_path.iterdir()) == [out]


def test_a_language_of_ones_own_is_one_registration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "EXPORTS", dict(export.EXPORTS))
    listed = Export(".txt", lambda rule: "\n".join(rule.arms).encode(), "read it")
    assert register_export(listed) is listed
    rule, out = random_rule(1), tmp_path / "rule.txt"
    write_export(rule, out)
    assert out.read_text(encoding="utf-8") == "\n".join(rule.arms)
    with pytest.raises(ParameterError, match=r"export to \.txt is already registered"):
        register_export(listed)
    with pytest.raises(ParameterError, match=r"must end in \.py, \.R, \.sql, \.onnx or \.txt"):
        write_export(rule, tmp_path / "rule.js")
