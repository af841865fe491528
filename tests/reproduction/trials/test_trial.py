import math
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from tests.reproduction.trials.trial_files import invented_cyp_guides

from dpwerm.study.study import Study
from reproduction.trials.source import cyp_guides
from reproduction.trials.trial import OpenTrial, study_file

NAMES = ["cyp_guides", "actg175"]


@pytest.fixture
def trial(tmp_path: Path) -> OpenTrial:
    return cyp_guides(invented_cyp_guides(tmp_path / "copy.csv"))


@pytest.mark.parametrize("name", NAMES)
def test_the_study_files_load_and_every_bound_has_a_source(name: str) -> None:
    path = Path(str(files("reproduction").joinpath(f"data/{name}.toml")))
    study = Study.load(path)
    assert study == study_file(name)
    assert study.benefit.source
    for feature in study.features.values():
        assert feature.source


def test_everybody_is_one_trial(trial: OpenTrial) -> None:
    assert trial.everybody().tolist() == [list(range(trial.n))]
    assert trial.encoded(trial.study.encoding()).shape == (trial.n, 4)


def test_the_value_of_one_arm_is_its_mean(trial: OpenTrial) -> None:
    everybody = np.ones(trial.n)
    mean = trial.benefit[trial.received > 0].mean()
    assert trial.value(everybody) == pytest.approx(mean)
    assert trial.value(everybody, by_arm=False) == pytest.approx(mean)
    mixed = np.where(np.arange(trial.n) % 2 == 0, 1.0, -1.0)
    assert trial.value(mixed) != pytest.approx(trial.value(mixed, by_arm=False))


def test_the_bound_of_the_paper_is_a_year(trial: OpenTrial) -> None:
    assert trial.benefit_bound / trial.study.treatment.pi_min == pytest.approx(
        3 * math.log(24 * 365)
    )
