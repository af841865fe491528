import math
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import numpy as np
import pytest
from tests.reproduction.trials.trial_files import CYP_HEADER, invented_cyp_guides

from dpwerm.data.table import read_table
from dpwerm.errors import TableError
from reproduction.trials import source as module
from reproduction.trials.source import Source, actg175, cyp_guides, packaged_file, source_of
from reproduction.trials.trial import study_file


def test_another_file_at_the_same_place_is_another_source(tmp_path: Path) -> None:
    path = invented_cyp_guides(tmp_path / "copy.csv")
    first = source_of("cyp_guides", path)
    assert source_of("cyp_guides", invented_cyp_guides(path)) == first
    assert source_of("cyp_guides", invented_cyp_guides(path, seed=1)) != first
    assert first.load().n == 108


def test_the_other_trials_have_their_rows() -> None:
    assert source_of("actg175").load().n == 1054
    assert Source("sjcrh", seed=3).load().n == 246


def test_rows_without_an_arm_are_left_out(tmp_path: Path) -> None:
    trial = cyp_guides(invented_cyp_guides(tmp_path / "copy.csv"))
    assert trial.n == 108
    assert set(trial.received) == {-1.0, 1.0}
    assert trial.propensity == pytest.approx(np.where(trial.received > 0, 2 / 3, 1 / 3))
    assert trial.benefit_bound == pytest.approx(math.log(24 * 365))


def test_the_benefit_is_the_papers(tmp_path: Path) -> None:
    trial = cyp_guides(invented_cyp_guides(tmp_path / "copy.csv"))
    hours = read_table(trial.rows, ["LOS"]).numbers("LOS")
    assert trial.benefit == pytest.approx(math.log(24 * 365) - np.log(hours))


def test_tabs_before_a_diagnosis_do_not_matter(tmp_path: Path) -> None:
    path = invented_cyp_guides(tmp_path / "copy.csv")
    with_tabs = cyp_guides(path)
    path.write_text(path.read_text("utf-8").replace("\t", ""), encoding="utf-8")
    without = cyp_guides(path)
    rows = [
        one.study.encoding().encode(read_table(one.rows, one.study.feature_columns))
        for one in (with_tabs, without)
    ]
    assert np.array_equal(rows[0], rows[1])
    assert set(rows[0][:, 3]) == {-1.0, 1.0}


def test_only_what_was_known_before_randomisation_is_a_feature() -> None:
    after = {"LOS", "RAR", *CYP_HEADER[10:]}
    assert not after & set(study_file("cyp_guides").feature_columns)


def test_another_file_is_refused_without_a_value(tmp_path: Path) -> None:
    path = invented_cyp_guides(tmp_path / "copy.csv")
    text = path.read_text("utf-8")
    path.write_text(text.replace("Assignment", "Arm", 1), encoding="utf-8")
    with pytest.raises(TableError, match="Assignment: is not a column"):
        cyp_guides(path)
    path.write_text(text.replace(",A,G,C,", ",A,X,C,"), encoding="utf-8")
    with pytest.raises(TableError, match="hardly any rows have the arms S, G"):
        cyp_guides(path)
    with pytest.raises(TableError, match="does not exist"):
        cyp_guides(tmp_path / "nowhere.csv")


def test_printing_a_trial_shows_no_row(tmp_path: Path) -> None:
    trial = cyp_guides(invented_cyp_guides(tmp_path / "copy.csv"))
    assert repr(trial) == "OpenTrial(cyp-guides)"


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


def test_only_what_was_known_before_randomisation_is_a_feature_of_actg175() -> None:
    after = {"cd420", "cd496", "cd820", "r", "offtrt", "cens", "days", "treat", "arms"}
    assert not after & set(study_file("actg175").feature_columns)
