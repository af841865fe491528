import numpy as np
from tests.reproduction.trials.trial_files import small_trial

from dpwerm.arrays import FloatArray
from reproduction.trials.table1 import coded, codings_sheet
from reproduction.trials.trial import OpenTrial


def encoded(trial: OpenTrial) -> FloatArray:
    return trial.encoded(trial.study.encoding())


def test_a_turned_feature_changes_its_sign_alone() -> None:
    trial = small_trial()
    before, after = encoded(trial), encoded(coded(trial, ("race",)))
    assert np.array_equal(after[:, 2], -before[:, 2])
    assert np.array_equal(np.delete(after, 2, axis=1), np.delete(before, 2, axis=1))


def test_all_codings_are_tried() -> None:
    sheet = codings_sheet(small_trial())
    assert len({tuple(row[:3]) for row in sheet.rows}) == len(sheet.rows) == 8
    assert sheet.rows[0][:3] == ["M", "other", "major"]
