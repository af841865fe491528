"""``dpwerm demo`` leaves files to look at and a rule that verifies."""

from pathlib import Path

from tests.said import Run

from dpwerm.privacy.budget import Budget
from dpwerm.privacy.ledger.ledger import Ledger
from dpwerm.releases.rule_file import read_rule
from dpwerm.study.study import Study

FILES = [
    "ledger.db",
    "others.csv",
    "report.html",
    "rule.json",
    "rule.svg",
    "study.toml",
    "summary.txt",
    "trial.csv",
]


def test_the_demo_and_what_it_says_to_try(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "demo"
    result = run("demo", "--out", out)
    assert (result.code, result.err) == (0, "")
    assert sorted(path.name for path in out.iterdir()) == FILES
    assert "Released under differential privacy: epsilon 1" in result.out
    assert "Hyperparameters: gamma, estimator, mechanism, " in result.out
    assert "of what could be gained over one arm" in " ".join(result.out.split())
    assert (out / "summary.txt").read_text(encoding="utf-8") in result.out
    assert "</svg>" in (out / "rule.svg").read_text(encoding="utf-8")
    tries = [line.split()[1:] for line in result.out.splitlines() if line.startswith("  dpwerm ")]
    expected = ["verify", "recommend", "evaluate", "report", "ledger", "plan"]
    assert [words[0] for words in tries] == expected
    said = {words[0]: run(*words) for words in tries}
    assert {name: result.code for name, result in said.items()} == dict.fromkeys(expected, 0)
    assert "epsilon  2      1.5    0.5" in said["ledger"].out
    assert "of epsilon 2, 1.5 is spent" in (out / "report.html").read_text("utf-8")
    assert "The ledger holds the charge of this release" in said["verify"].out
    again = run("demo", "--out", out)
    assert again.code == 2
    assert "add --force" in again.err


def test_the_sloppy_twin_says_what_was_found_and_promises_nothing(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "sloppy"
    result = run("demo", "--sloppy", "--out", out)
    assert (result.code, result.err) == (0, "")
    assert sorted(path.name for path in out.iterdir()) == FILES
    assert run("verify", out / "rule.json", "--study", out / "study.toml").code == 0
    rule = read_rule(out / "rule.json")
    low, high = rule.fitted_benefit.bounds
    assert (rule.declaration.benefit.bounds, high - low < 720) == ((0, 1440), True)
    report = (out / "report.html").read_text("utf-8")
    for words in ("0 to 1440", "0 to 120, if missing 60", "estimated privately, with noise: sleep"):
        assert words in report
    assert "private choice on these data" in report
    told = "THIS RULE CAN BE TOLD FROM" in report
    noise = "CANNOT BE TOLD FROM" in report
    one_arm = "EVERYBODY GETS" in report or "THE RULE GIVES EVERYBODY" in report
    assert told + noise + one_arm == 1
    assert ("such rules gained" in report) <= told
    assert "better arm for" not in report
    study = Study.load(out / "study.toml")
    assert study.id == "insomnia-demo-sloppy"
    assert len(Ledger.of_study(study).account().charges) == 1


def test_a_demo_that_is_made_again_begins_its_ledger_anew(run: Run, tmp_path: Path) -> None:
    for _ in range(2):
        assert run("demo", "--out", tmp_path / "demo", "--force").code == 0
        study = Study.load(tmp_path / "demo" / "study.toml")
        assert len(Ledger.of_study(study).account().charges) == 1


def test_the_ledger_of_a_real_study_is_never_removed(run: Run, tmp_path: Path) -> None:
    real = Ledger("sqlite:///ledger.db", study="real", epsilon=1, folder=tmp_path)
    real.charge(Budget.of(1), "rule")
    before = (tmp_path / "ledger.db").read_bytes()
    result = run("demo", "--out", tmp_path, "--force")
    assert result.code == 2
    assert "is the ledger of a real study" in result.err
    assert (tmp_path / "ledger.db").read_bytes() == before
    assert not (tmp_path / "study.toml").exists()
    (tmp_path / "ledger.db").write_bytes(b"no ledger at all, but somebody's" * 200)
    assert run("demo", "--out", tmp_path, "--force").code == 2
    assert (tmp_path / "ledger.db").exists()


def test_a_file_is_no_folder(run: Run, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("mine", encoding="utf-8")
    assert run("demo", "--out", taken).code == 2
    assert run("demo", "--out", taken, "--force").code == 2
    assert taken.read_text(encoding="utf-8") == "mine"
