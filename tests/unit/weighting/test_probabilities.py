import numpy as np
import pytest
from tests.unit.weighting.test_propensity import ENCODING, EXTERNAL, declared

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.objective.losses import Logistic
from dpwerm.privacy.budget import Budget
from dpwerm.releases.certificate import Specification, certify
from dpwerm.releases.release import Release
from dpwerm.study.treatment import Declaration
from dpwerm.weighting.trial import Trial, model_encoding, probabilities, second_arm, trial_of_arrays

MATRIX: FloatArray = np.array([[-0.5, 1.0], [0.25, 9.0], [1.0, 4.0], [0.0, 0.0]])
ARMS = ["a", "b", "b", "a"]


def trial_of(declaration: Declaration, given: object = None) -> Trial:
    return trial_of_arrays(MATRIX, ARMS, [1.0, 2.0, 3.0, 4.0], given, declaration)  # type: ignore[arg-type]


def released(integers: tuple[int, ...]) -> Release:
    """Return a release with these coefficients, as if they had been learned."""
    encoding = model_encoding(ENCODING)
    spec = Specification(Budget.of(1), gamma=2.0, weight_bound=1.0, loss=Logistic())
    certificate, _ = certify(spec, encoding, 4, secure=True, library="test")
    return Release(encoding, integers, certificate)


def test_a_column_is_taken_as_it_is() -> None:
    declaration = declared("p")
    trial = trial_of(declaration, [0.2, 0.3, 0.95, 0.4])
    assert second_arm(declaration, trial, ENCODING).tolist() == [0.2, 0.3, 0.95, 0.4]
    assert probabilities(declaration, trial, ENCODING) == pytest.approx([0.8, 0.3, 0.9, 0.6])


def logistic(scores: FloatArray) -> FloatArray:
    chances: FloatArray = 1 / (1 + np.exp(-scores))
    return chances


def test_an_external_model_speaks_of_the_arm_it_names() -> None:
    second, first = declared(EXTERNAL), declared({**EXTERNAL, "arm": "a"})
    by_hand = logistic(-1.5 + 2 * MATRIX[:, 0] + 0.3 * MATRIX[:, 1])
    for encoding in (ENCODING, ENCODING.changed(kind="paper"), ENCODING.changed(saturation=2.0)):
        of_second = second_arm(second, trial_of(second), encoding)
        of_first = second_arm(first, trial_of(first), encoding)
        assert of_second == pytest.approx(by_hand, rel=1e-12)
        assert of_first == pytest.approx(1 - by_hand, rel=1e-12)


def test_a_private_model_s_weights_follow_from_what_was_released() -> None:
    declaration = declared({"model": "private"})
    release = released((-300, 2000, 700))
    own = release.own_units()
    by_hand = logistic(own["intercept"] + own["x"] * MATRIX[:, 0] + own["z"] * MATRIX[:, 1])
    found = second_arm(declaration, trial_of(declaration), ENCODING, release)
    assert found == pytest.approx(by_hand, rel=1e-12)
    assert 0.01 < by_hand.min() < by_hand.max() < 0.99


def test_whatever_was_released_probabilities_stay_within_the_floor() -> None:
    declaration = declared({"model": "private"})
    for size in (10**3, 10**9, 10**60, 10**200):
        release = released((-size, size, 3 * size))
        found = probabilities(declaration, trial_of(declaration), ENCODING, release)
        assert found.min() >= declaration.treatment.pi_min
        assert found.max() <= 0.9


@pytest.mark.parametrize("propensity", [{"model": "ridge"}, {"model": "private"}])
def test_a_model_that_is_not_released_gives_nothing(propensity: object) -> None:
    declaration = declared(propensity)
    for ask in (second_arm, probabilities):
        with pytest.raises(ParameterError, match="was fitted to the same people"):
            ask(declaration, trial_of(declaration), ENCODING)


def test_a_ridge_model_gives_nothing_even_if_something_was_released() -> None:
    declaration = declared({"model": "ridge"})
    with pytest.raises(ParameterError, match="is not released"):
        probabilities(declaration, trial_of(declaration), ENCODING, released((1, 2, 3)))
