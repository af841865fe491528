"""``dpwerm init`` reads names and no values."""

from pathlib import Path

from tests.bad_input.base import NUMBER_CANARY, TEXT_CANARY, Cells
from tests.said import Run


def test_it_writes_a_study_file_to_fill_in(run: Run, tmp_path: Path) -> None:
    table, out = tmp_path / "trial.csv", tmp_path / "study.toml"
    table.write_bytes(Cells(("age", "arm"), ((NUMBER_CANARY, TEXT_CANARY),)).to_bytes())
    result = run("init", table, "--out", out)
    assert result.code == 0
    assert f"dpwerm check {out} {table}" in result.out
    written = out.read_text(encoding="utf-8")
    assert "[features.age]" in written
    assert NUMBER_CANARY not in written
    assert TEXT_CANARY not in written
    checked = run("check", out)
    assert checked.code == 2
    assert "is still to be filled in" in checked.err


def test_it_replaces_a_file_only_by_force(run: Run, tmp_path: Path) -> None:
    table, out = tmp_path / "trial.csv", tmp_path / "study.toml"
    table.write_bytes(b"age,arm\n1,a\n")
    out.write_text("mine", encoding="utf-8")
    result = run("init", table, "--out", out)
    assert result.code == 2
    assert "add --force to replace it" in result.err
    assert out.read_text(encoding="utf-8") == "mine"
    assert run("init", table, "--out", out, "--force").code == 0
    assert out.read_text(encoding="utf-8") != "mine"


def test_a_folder_is_no_file(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "trial.csv"
    table.write_bytes(b"age,arm\n1,a\n")
    result = run("init", table, "--out", tmp_path, "--force")
    assert result.code == 2
    assert "is a folder" in result.err
