import numpy as np

from dpwerm import Study
from dpwerm.simulate.demo import ARMS, best_arm, demo_trial, study_text
from dpwerm.study.check import check


def test_the_simulated_trial_is_as_its_study_declares() -> None:
    study = Study.parse(study_text())
    assert study.treatment.arms == ARMS
    assert check(study, demo_trial()) == []


def test_the_same_seed_gives_the_same_trial() -> None:
    assert demo_trial(50, 3).equals(demo_trial(50, 3))
    assert not demo_trial(50, 3).equals(demo_trial(50, 4))


def test_neither_arm_is_best_for_everybody() -> None:
    share = np.mean(best_arm(demo_trial()) == ARMS[1])
    assert 0.3 < share < 0.7


def test_the_sloppy_twin_has_the_same_people_and_bounds_several_times_too_wide() -> None:
    study, trial, twin = Study.parse(study_text(sloppy=True)), demo_trial(), demo_trial(sloppy=True)
    assert trial.drop(["improvement"]).equals(twin.drop(["sleep"]))
    assert np.array_equal(best_arm(trial), best_arm(twin))
    sleep = twin["sleep"].to_numpy().astype(float)
    low, high = study.benefit.bounds
    assert high - low > 2 * np.ptp(sleep)
    assert abs(sleep.mean() - (low + high) / 2) > 2 * sleep.std()
    assert study.method.guard
    # What age and severity do in both arms is more than what an arm does.
    shared = np.array(
        [np.corrcoef(twin[name].to_numpy(), sleep)[0, 1] for name in ("age", "severity")]
    )
    assert (shared**2).sum() > 0.4
