"""``dpwerm demo`` leaves files to look at and a rule that verifies."""

from pathlib import Path

from tests.cli.conftest import Run

FILES = ["others.csv", "rule.json", "rule.png", "study.toml", "summary.txt", "trial.csv"]


def test_the_demo_and_what_it_says_to_try(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "demo"
    result = run("demo", "--out", out)
    assert (result.code, result.err) == (0, "")
    assert sorted(path.name for path in out.iterdir()) == FILES
    assert "Released under differential privacy: epsilon 1" in result.out
    assert "Settings: gamma, mechanism, clip, intercept_scale, saturation and" in result.out
    assert (out / "summary.txt").read_text(encoding="utf-8") in result.out
    assert (out / "rule.png").read_bytes().startswith(b"\x89PNG")
    tries = [line.split()[1:] for line in result.out.splitlines() if line.startswith("  dpwerm ")]
    assert [words[0] for words in tries] == ["verify", "recommend", "evaluate", "plan"]
    for words in tries:
        assert run(*words).code == 0
    again = run("demo", "--out", out)
    assert again.code == 2
    assert "add --force" in again.err


def test_a_file_is_no_folder(run: Run, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("mine", encoding="utf-8")
    assert run("demo", "--out", taken).code == 2
    assert run("demo", "--out", taken, "--force").code == 2
    assert taken.read_text(encoding="utf-8") == "mine"
