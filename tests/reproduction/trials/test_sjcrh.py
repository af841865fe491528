import numpy as np
import pytest

from reproduction.paper_method import paper_benefit_bound
from reproduction.trials.sjcrh import CutNormal, Sjcrh, stand_in


def test_the_published_marginals_are_kept() -> None:
    trial = stand_in(1)
    assert trial.n == 246
    assert int((trial.received > 0).sum()) == 120
    assert trial.propensity == pytest.approx(0.5)
    features = Sjcrh().features()
    assert features["age_at_diagnosis"]["bounds"] == [0, 20]
    assert features["age_at_enrolment"]["bounds"] == [18, 60]
    assert trial.benefit_bound == paper_benefit_bound(trial.study.benefit.bounds) == 4.0
    assert trial.benefit_bound / trial.study.treatment.pi_min == 8.0
    assert trial.benefit.min() == pytest.approx(0.001)


def test_ages_are_possible() -> None:
    rows = stand_in(2).rows
    diagnosis, enrolment = (
        np.array(rows[name].to_pylist()) for name in ("age_at_diagnosis", "age_at_enrolment")
    )
    assert ((diagnosis >= 0) & (diagnosis <= 20)).all()
    assert ((enrolment >= 18) & (enrolment <= 60)).all()
    assert (diagnosis < enrolment).all()


def test_melatonin_is_better_for_four_in_five() -> None:
    assert Sjcrh().second_arm_share == pytest.approx(197 / 246, abs=0.003)


def test_shifted_benefits_have_the_published_mean_on_average() -> None:
    means = [stand_in(seed).benefit.mean() for seed in range(40)]
    assert np.mean(means) == pytest.approx(2.1, abs=0.05)


def test_every_trial_in_a_row_has_its_arms() -> None:
    arms = np.array(Sjcrh().draw(500, np.random.default_rng(0))["arm"].to_pylist())
    assert [(arms[i : i + 246] == "melatonin").sum() for i in (0, 246)] == [120, 120]


def test_the_cut_law_stays_within_its_reach_and_follows_its_mean() -> None:
    law = CutNormal()
    low, high = (law(np.full(4000, mean), np.random.default_rng(0)) for mean in (-0.5, 0.5))
    assert max(np.abs(low).max(), np.abs(high).max()) <= 2.2
    assert high.mean() - low.mean() == pytest.approx(0.8, abs=0.1)
    assert "2.2" in str(law)


def test_the_same_seed_gives_the_same_trial() -> None:
    assert np.array_equal(stand_in(5).benefit, stand_in(5).benefit)
    assert not np.array_equal(stand_in(5).benefit, stand_in(6).benefit)
