import numpy as np
import pytest

from dpwerm.simulate.scenarios.scenario import Normal, Outcome, StudentT, ZeroOne

MEAN = np.full(100_000, 0.3)


@pytest.mark.parametrize("outcome", [Normal(), Normal(2.0), StudentT(), ZeroOne()], ids=repr)
def test_a_draw_has_the_mean_it_is_given(outcome: Outcome) -> None:
    drawn = outcome(MEAN, np.random.default_rng(0))
    assert drawn.shape == MEAN.shape
    error = drawn.std() / np.sqrt(len(drawn))
    assert abs(drawn.mean() - 0.3) < 6 * error


def test_each_law_is_what_it_says() -> None:
    rng = np.random.default_rng(1)
    assert Normal(2.0)(MEAN, rng).std() == pytest.approx(2.0, rel=0.02)
    assert set(ZeroOne()(MEAN, rng)) == {0.0, 1.0}
    beyond = np.mean(np.abs(StudentT(3.0, 1.5)(MEAN, rng) - 0.3) > 1.5 * 5.841)
    assert beyond == pytest.approx(0.01, rel=0.2)  # the 99.5 % quantile of t with 3 degrees
    assert str(Normal(0.5)) == "normal, sd 0.5"
