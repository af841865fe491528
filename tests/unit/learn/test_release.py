from fractions import Fraction

import numpy as np

from dpwerm.learn.certificate import certify
from dpwerm.learn.release import Release
from dpwerm.learn.specification import Specification
from dpwerm.privacy.budget import Budget
from dpwerm.study.encoding import Encoding

ENCODING = Encoding.of_numbers(["a", "b"], [(0.0, 2.0), (-5.0, 5.0)])
CERTIFICATE, _ = certify(
    Specification(Budget.of(1), 10.0, 3.0), ENCODING, 10, secure=True, library="x"
)
RELEASE = Release(ENCODING, (100, -200, 3), CERTIFICATE)


def test_coefficients_are_integers_on_the_grid() -> None:
    grid = Fraction(2) ** CERTIFICATE.noise.grid_exponent
    assert [Fraction(t) for t in RELEASE.theta] == [k * grid for k in RELEASE.integers]


def test_own_units_give_the_same_score() -> None:
    own = RELEASE.own_units()
    raw = np.array([[0.5, 2.0], [1.7, -4.0]])
    by_hand = own["intercept"] + raw[:, 0] * own["a"] + raw[:, 1] * own["b"]
    assert np.allclose(RELEASE.score(ENCODING.encode_numbers(raw)), by_hand, rtol=1e-12)


def test_a_release_without_an_intercept() -> None:
    encoding = Encoding.of_numbers(["a"], [(0.0, 2.0)], intercept=0.0)
    release = Release(encoding, (64,), CERTIFICATE)
    assert release.score(np.array([[0.5]]))[0] == 0.5 * release.theta[0]


def test_plain_data_names_every_coefficient() -> None:
    plain = RELEASE.to_dict()["coefficients"]
    assert plain["names"] == ["intercept", "a", "b"]
    assert plain["integers"] == [100, -200, 3]
