import numpy as np

from dpwerm.simulate.paper import contrast, paper_trial


def test_the_contrast_is_the_papers() -> None:
    assert contrast(np.array([[0.0] * 4, [1.0] * 4, [1.0, 1.0, 0.0, 0.0]])).round(12).tolist() == [
        1.0,
        -1.0,
        3.0,
    ]


def test_the_trial_has_the_papers_moments() -> None:
    trial = paper_trial(200_000, np.random.default_rng(0))
    f = contrast(trial.features)
    assert np.array_equal(trial.best, np.where(f > 0, 1.0, -1.0))
    assert abs(trial.treatment.mean()) < 0.02
    residual = trial.benefit - (0.01 + 0.02 * trial.features[:, 3] + 3 * trial.treatment * f)
    assert abs(residual.mean()) < 0.01
    assert abs(residual.std() - 0.5) < 0.01
    assert abs(trial.features.mean() - 0.5) < 0.01
    assert trial.features.min() >= 0
    assert trial.features.max() <= 1
