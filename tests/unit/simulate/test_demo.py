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
