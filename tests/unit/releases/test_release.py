from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.features.encoding import Encoding
from dpwerm.privacy.budget import Budget
from dpwerm.releases.certificate import Specification, certify
from dpwerm.releases.release import Release

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


# -- the threshold and the stretch of what was released ------------------------------------------

THREE = Encoding.of_numbers(["a", "b", "c"], [(0.0, 2.0), (-5.0, 5.0), (1.0, 9.0)])
BARE = THREE.changed(intercept=0.0)


def release(
    integers: tuple[int, ...], threshold: float, encoding: Encoding = THREE, k: float = 1.0
) -> Release:
    return Release(encoding.changed(saturation=k), integers, CERTIFICATE, threshold)


def test_small_coefficients_are_dropped_and_never_the_intercept() -> None:
    assert release((1, 400, -99, 100), 0.25).kept == (1, 400, 0, 100)
    assert release((1, 400, -100, 100), 0.25).kept == (1, 400, -100, 100)
    # The intercept is not among those that are compared either.
    assert release((10**9, 4, -1, 2), 0.25).kept == (10**9, 4, -1, 2)
    assert release((0, 0, 0, 0), 0.5).kept == (0, 0, 0, 0)
    assert release((400, -99, 100), 0.25, BARE).kept == (400, 0, 100)


numbers = st.integers(-(10**9), 10**9)


@given(
    integers=st.tuples(numbers, numbers, numbers, numbers),
    threshold=st.floats(0, 1, exclude_max=True),
)
def test_a_threshold_keeps_the_largest_and_is_applied_once(
    integers: tuple[int, ...], threshold: float
) -> None:
    found = release(integers, threshold)
    kept = found.kept
    assert kept[0] == integers[0]
    assert max(map(abs, kept[1:])) == max(map(abs, integers[1:]))
    for before, after in zip(integers, kept, strict=True):
        assert after in (0, before)
    assert release(kept, threshold).kept == kept
    least = Fraction(threshold) * max(map(abs, integers[1:]))
    assert all(abs(k) >= least for k in kept[1:] if k)
    assert all(abs(k) < least for k, used in zip(integers, kept, strict=True) if k and not used)
    assert release(integers, 0.0).kept == integers


def test_the_rule_uses_what_was_kept_and_the_file_holds_what_was_released() -> None:
    found = release((7, 400, -99, 100), 0.25)
    same = release(found.kept, 0.0)
    X = np.random.default_rng(1).uniform(-1, 1, (20, 3))
    assert found.theta.tolist() == same.theta.tolist()
    np.testing.assert_array_equal(found.score(X), same.score(X))
    assert found.own_units() == same.own_units()
    plain = found.to_dict()["coefficients"]
    assert plain["integers"] == [7, 400, -99, 100]
    assert plain["threshold"] == 0.25
    assert plain["own_units"]["b"] == 0.0


@pytest.mark.parametrize("encoding", [THREE, BARE], ids=["intercept", "none"])
@pytest.mark.parametrize("k", [1.0, 1.5, 100.0])
def test_the_score_is_linear_in_x_whatever_the_saturation(encoding: Encoding, k: float) -> None:
    integers = (70, 400, -99, 100)[-len(encoding.coefficient_names) :]
    found = release(integers, 0.0, encoding, k)
    rng = np.random.default_rng(2)
    first, second = rng.uniform(-1, 1, (2, 30, 3))
    for share in (0.25, 0.5):
        between = share * first + (1 - share) * second
        expected = share * found.score(first) + (1 - share) * found.score(second)
        np.testing.assert_allclose(found.score(between), expected, atol=1e-12)
    own = found.own_units()
    raw = np.column_stack([rng.uniform(*pair, 30) for pair in ((0, 2), (-5, 5), (1, 9))])
    by_hand = own["intercept"] + raw @ np.array([own["a"], own["b"], own["c"]])
    encoded = found.encoding.encode_numbers(raw)
    np.testing.assert_allclose(found.score(encoded), by_hand, rtol=1e-11)


def test_a_saturation_of_one_changes_no_bit_of_a_score() -> None:
    found = release((70, 400, -99, 100), 0.0)
    X = np.random.default_rng(3).uniform(-1, 1, (50, 3))
    plain = np.einsum("ij,j->i", X, found.theta[1:]) + found.theta[0]
    np.testing.assert_array_equal(found.score(X), plain)


@pytest.mark.parametrize("encoding", [THREE, BARE], ids=["intercept", "none"])
@pytest.mark.parametrize("k", [1.0, 1.5, 100.0])
def test_effects_are_what_the_score_gains_from_the_middle_to_the_end_of_a_range(
    encoding: Encoding, k: float
) -> None:
    integers = (70, 400, -99, 100)[-len(encoding.coefficient_names) :]
    found = release(integers, 0.25, encoding, k)
    gains = found.score(np.eye(3)) - found.score(np.zeros((3, 3)))
    np.testing.assert_allclose(found.effects[-3:], gains, atol=1e-12)
    assert found.effects[-2] == 0.0
    if k == 1:
        assert found.effects.tolist() == found.theta.tolist()


def test_saturation_stretches_numbers_and_not_the_intercept() -> None:
    plain, other = (release((70, 400, -99, 100), 0.0, k=k) for k in (1.0, 2.0))
    zero = np.zeros((1, 3))
    assert other.score(zero) == plain.score(zero)
    X = np.random.default_rng(4).uniform(-1, 1, (50, 3))
    ratio = (other.score(X) - other.score(zero)) / (plain.score(X) - plain.score(zero))
    np.testing.assert_allclose(ratio, 1.5 - 0.5 / 4, rtol=1e-9)
