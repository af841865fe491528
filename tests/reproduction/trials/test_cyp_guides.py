import math
from pathlib import Path

import numpy as np
import pytest
from tests.reproduction.trials.trial_files import CYP_HEADER, invented_cyp_guides

from dpwerm.errors import TableError
from dpwerm.study.table import read_table
from reproduction.trials.cyp_guides import cyp_guides
from reproduction.trials.trial import study_file


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
