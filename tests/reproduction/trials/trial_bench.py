"""A bench for artefacts of trials in which no settings are chosen and little is repeated."""

from pathlib import Path

import pytest
from tests.reproduction.trials.trial_methods import QUICK_METHODS

from reproduction.artefact import Bench
from reproduction.trials import actg175, figure2, table1
from reproduction.trials import gain as trials_gain
from reproduction.trials import spread as trials_spread
from reproduction.trials import stand_ins as trials_sjcrh
from reproduction.trials import table as trials_table


def small_bench(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, data: Path | None = None
) -> Bench:
    """Return a quick bench in this process; the paper's method stands in for ours."""
    for module in (trials_table, trials_gain, trials_spread, trials_sjcrh):
        monkeypatch.setattr(module, "METHODS", QUICK_METHODS)
    for module in (table1, figure2, actg175, trials_sjcrh):
        monkeypatch.setattr(module, "QUICK_REPEATS", 4)
    monkeypatch.setattr(trials_sjcrh, "QUICK_CANDIDATES", 6)
    monkeypatch.setattr(trials_sjcrh, "CHUNK", 6)
    monkeypatch.setattr(table1, "QUICK_RUNS", 2)
    monkeypatch.setattr(trials_gain, "FOLDS", 2)
    return Bench(name, folder, quick=True, workers=1, cyp_guides=data)
