from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from dpwerm.errors import TableError
from dpwerm.reproduce import actg175 as module
from dpwerm.reproduce import trials_gain, trials_table
from dpwerm.reproduce.actg175 import actg175, main, packaged_file, paper_gamma
from dpwerm.reproduce.trials import study_file


def test_the_package_carries_the_file() -> None:
    assert packaged_file().name == "ACTG175.csv"


def test_without_the_package_there_is_a_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Empty:
        def locate_file(self, name: str) -> Path:
            return tmp_path / name

    monkeypatch.setattr(module, "distribution", lambda name: Empty())
    with pytest.raises(TableError, match="has no file lifelines/datasets/ACTG175"):
        packaged_file()

    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(module, "distribution", missing)
    with pytest.raises(TableError, match=r"not installed; pip install 'dpwerm\[trials\]'"):
        packaged_file()
    assert main([]) == 2
    assert "lifelines: is not installed" in capsys.readouterr().out.replace("\n", " ")


def test_other_columns_are_named(tmp_path: Path) -> None:
    path = tmp_path / "copy.csv"
    path.write_text("pidnum,age\n1,30\n", encoding="utf-8")
    with pytest.raises(TableError, match="cd420: is not a column"):
        actg175(path)


def test_only_what_was_known_before_randomisation_is_a_feature() -> None:
    after = {"cd420", "cd496", "cd820", "r", "offtrt", "cens", "days", "treat", "arms"}
    assert not after & set(study_file("actg175").feature_columns)


def test_gamma_is_as_large_beside_the_bound_as_the_papers() -> None:
    assert paper_gamma(actg175()) == pytest.approx(2.754 * 3000, rel=1e-3)


def test_the_command_prints_and_fills_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(trials_table, "EPSILONS", ("1", "inf"))
    monkeypatch.setattr(trials_gain, "EPSILONS", ("inf",))
    monkeypatch.setattr(trials_gain, "FOLDS", 2)
    whole = module.methods
    monkeypatch.setattr(module, "methods", lambda trial: whole(trial)[:1])
    page = tmp_path / "page.md"
    names = ("actg175", "actg175-gain")
    marks = "\n".join(f"<!-- {name}: begin -->\n<!-- {name}: end -->" for name in names)
    page.write_text(marks, encoding="utf-8")
    assert main(["--repeats", "2", "--write-docs", str(page)]) == 0
    assert "1054 people, 2 repeats" in capsys.readouterr().out
    assert "combination:zidovudine" in page.read_text("utf-8")
