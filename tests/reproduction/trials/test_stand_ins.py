from pathlib import Path

import numpy as np
import pytest
from tests.reproduction.trials.trial_methods import QUICK_METHODS

from reproduction.artefact import Bench
from reproduction.trials import stand_ins as trials_sjcrh
from reproduction.trials import table as trials_table
from reproduction.trials.stand_ins import chosen_seeds, distances, stand_ins


def test_the_published_row_is_at_no_distance() -> None:
    found = np.array([[197.0, 2.101], [222.0, 2.001]])
    assert distances(found) == pytest.approx(np.array([[0.0, 0.0], [1.0, 1.0]]))


def test_trials_that_resemble_are_kept_and_the_nearest_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [[246.0, 2.1], [190.0, 2.1], [197.0, 2.11], [197.0, 2.5]]
    monkeypatch.setattr(trials_sjcrh, "candidates", lambda ask: rows)
    monkeypatch.setattr(trials_sjcrh, "QUICK_CANDIDATES", 4)
    monkeypatch.setattr(trials_sjcrh, "CHUNK", 4)
    seed = trials_sjcrh.SEED
    bench = Bench("one", tmp_path, quick=True, workers=1)
    assert chosen_seeds(bench) == ([seed + 1, seed + 2], 1)
    rows[1:] = [[0.0, 2.1], [10.0, 2.1], [20.0, 2.1]]
    again = Bench("one", tmp_path, quick=True, fresh=True, workers=1)
    assert chosen_seeds(again) == ([seed], 0)


def test_both_methods_see_every_trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials_table, "METHODS", QUICK_METHODS)
    monkeypatch.setattr(trials_sjcrh, "QUICK_CANDIDATES", 60)
    monkeypatch.setattr(trials_sjcrh, "QUICK_REPEATS", 5)
    stand = stand_ins(Bench("one", tmp_path, quick=True, workers=1))
    assert len(stand.paper) == len(stand.ours) == len(stand.seeds) >= 1
    assert [row.epsilon for row in stand.paper[0]] == ["0.1", "0.5", "1", "2", "5", "inf"]
    assert [row.epsilon for row in stand.ours[0]] == ["1", "inf"]
    for rows in stand.paper:
        assert abs(rows[-1].second - 197) <= 25
        assert abs(rows[-1].mean - 2.101) <= 0.1
    assert "SIMULATED" in stand.about
