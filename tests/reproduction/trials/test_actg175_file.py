from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from dpwerm.errors import TableError
from reproduction.trials import actg175_file as module
from reproduction.trials.actg175_file import actg175, packaged_file
from reproduction.trials.trial import study_file


def test_the_package_carries_the_file() -> None:
    assert packaged_file().name == "ACTG175.csv"


def test_without_the_package_there_is_a_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
    with pytest.raises(TableError, match="not installed; install dpwerm with its extra trials"):
        packaged_file()


def test_other_columns_are_named(tmp_path: Path) -> None:
    path = tmp_path / "copy.csv"
    path.write_text("pidnum,age\n1,30\n", encoding="utf-8")
    with pytest.raises(TableError, match="cd420: is not a column"):
        actg175(path)


def test_only_what_was_known_before_randomisation_is_a_feature() -> None:
    after = {"cd420", "cd496", "cd820", "r", "offtrt", "cens", "days", "treat", "arms"}
    assert not after & set(study_file("actg175").feature_columns)
