import math
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.unit.reproduce.trial_files import invented_cyp_guides

from dpwerm.reproduce.cyp_guides import cyp_guides
from dpwerm.reproduce.trials import RealTrial, TrialMethod, automatic, papers, study_file
from dpwerm.study.declaration import Study

NAMES = ["cyp_guides", "actg175"]
METHODS = [papers("paper", gamma=75.0, intercept=1, by_arm=True), automatic()]


@pytest.fixture
def trial(tmp_path: Path) -> RealTrial:
    return cyp_guides(invented_cyp_guides(tmp_path / "copy.csv"))


@pytest.mark.parametrize("name", NAMES)
def test_the_study_files_load_and_every_bound_has_a_source(name: str) -> None:
    path = Path(str(files("dpwerm.reproduce").joinpath(f"data/{name}.toml")))
    study = Study.load(path)
    assert study == study_file(name)
    assert study.benefit.source
    for feature in study.features.values():
        assert feature.source


def test_a_part_has_the_people_asked_for(trial: RealTrial) -> None:
    chosen = np.arange(trial.n) < 10
    part = trial.part(chosen)
    assert part.n == part.rows.num_rows == 10
    assert np.array_equal(part.benefit, trial.benefit[:10])
    assert np.array_equal(part.received, trial.received[:10])


def test_the_value_of_one_arm_is_its_mean(trial: RealTrial) -> None:
    everybody = np.ones(trial.n)
    mean = trial.benefit[trial.received > 0].mean()
    assert trial.value(everybody) == pytest.approx(mean)
    assert trial.value(everybody, by_arm=False) == pytest.approx(mean)
    mixed = np.where(np.arange(trial.n) % 2 == 0, 1.0, -1.0)
    assert trial.value(mixed) != pytest.approx(trial.value(mixed, by_arm=False))


def test_without_an_intercept_a_row_of_zeros_gets_the_first_arm(trial: RealTrial) -> None:
    """Whatever the noise is: so eight people get the other arm in the published table."""
    method = papers("", gamma=75.0, intercept=0, by_arm=False)
    lowest = {"AGE": ["18"], "GENDER": ["M"], "RACE/ETHNICITY": ["B"], "Diagnosis": ["MDD"]}
    zero = replace(trial, rows=pa.table(lowest))
    for seed in range(3):
        assert method.recommend(trial, zero, "0.1", seed).tolist() == [-1.0]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_methods_recommend_for_people_they_did_not_see(
    trial: RealTrial, method: TrialMethod
) -> None:
    settled = trial.study.method.model_copy(update={"gamma": 50.0})
    known = replace(trial, study=trial.study.model_copy(update={"method": settled}))
    half = np.arange(trial.n) % 2 == 0
    arms = method.recommend(known.part(half), known.part(~half), "1", 3)
    assert arms.shape == (int((~half).sum()),)
    assert set(arms) <= {-1.0, 1.0}
    assert np.array_equal(arms, method.recommend(known.part(half), known.part(~half), "1", 3))


def test_the_bound_of_the_paper_is_a_year(trial: RealTrial) -> None:
    assert trial.benefit_bound / trial.study.treatment.pi_min == pytest.approx(
        3 * math.log(24 * 365)
    )
