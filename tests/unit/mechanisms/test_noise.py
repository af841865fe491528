from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpwerm.errors import ParameterError
from dpwerm.mechanisms.contract import Noise, checked_dimension, pure_epsilon
from dpwerm.mechanisms.output_perturbation import SphericalLaplace, checked_release
from dpwerm.privacy.budget import Budget

MECHANISM = SphericalLaplace()
NOISE = MECHANISM.noise_for(1.0, 2, Budget.of("0.3"))
THETA = [Fraction(1, 4), Fraction(3)]


def test_a_record_keeps_its_numbers_exactly() -> None:
    assert NOISE.budget == Budget.of("0.3")
    assert NOISE.exact_sensitivity == 1


def test_noise_of_its_own_making_is_accepted() -> None:
    assert checked_release(MECHANISM, THETA, NOISE) == THETA


EDITS: list[dict[str, Any]] = [
    {"mechanism": "gaussian"},
    {"dimension": 3},
    {"sensitivity": 0.5},
    {"budget": Budget.of("0.4")},
    {"budget": Budget.of("0.3", "1e-6")},
    {"budget": Budget.zcdp("0.3")},
    {"scale": NOISE.scale / 2},
    {"exponent": NOISE.exponent - 1},
]


@pytest.mark.parametrize("edit", EDITS, ids=str)
def test_an_edited_record_is_refused(edit: dict[str, Any]) -> None:
    edited: Noise = replace(NOISE, **edit)
    with pytest.raises(ParameterError):
        checked_release(MECHANISM, THETA, edited)


@pytest.mark.parametrize(
    "theta", [THETA[:1], [*THETA, Fraction(0)], [0.25, 3.0], [float("nan")] * 2]
)
def test_another_theta_is_refused_without_its_values(theta: Any) -> None:
    with pytest.raises(ParameterError, match="theta must") as caught:
        checked_release(MECHANISM, theta, NOISE)
    assert "0.25" not in str(caught.value)


@pytest.mark.parametrize("dimension", [0, -1, True, 2.0, "2", 10**7])
def test_a_dimension_is_a_whole_number_from_one_on(dimension: object) -> None:
    with pytest.raises(ParameterError, match=r"^dimension must be"):
        checked_dimension(dimension)


def test_a_pure_mechanism_names_what_it_needs() -> None:
    assert pure_epsilon("m", Budget.of("0.3")) == Fraction(3, 10)
    with pytest.raises(ParameterError, match="m needs a finite epsilon"):
        pure_epsilon("m", Budget.of("inf"))
    with pytest.raises(ParameterError, match="m needs delta = 0"):
        pure_epsilon("m", Budget.of(1, "1e-6"))
