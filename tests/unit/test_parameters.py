"""Every check returns the canonical value or names the parameter and what is allowed."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from dpwerm.errors import ParameterError
from dpwerm.parameters import check_unused, interval, made_with, one_of, positive, real


@pytest.mark.parametrize("value", [1, 1.0, np.float64(1), np.int64(1)])
def test_numbers_of_any_kind_become_floats(value: object) -> None:
    assert positive("gamma", value) == 1.0
    assert type(positive("gamma", value)) is float


@pytest.mark.parametrize(
    "value", [0, -1, math.inf, -math.inf, math.nan, 1e13, 1e-13, 10**400, True, "1", None]
)
@pytest.mark.parametrize("check", [positive])
def test_positive_refuses(check: Callable[[str, object], float], value: object) -> None:
    with pytest.raises(ParameterError, match="gamma must be"):
        check("gamma", value)


def test_real_takes_negative_numbers_but_nothing_infinite() -> None:
    assert real("c", -3) == -3.0
    with pytest.raises(ParameterError, match="c must be finite"):
        real("c", math.nan)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ((1, 0), "not below"),
        ((0, 0), "not below"),
        ((0, math.inf), "finite"),
        ((0, math.nan), "finite"),
        ((0, 1, 2), "3 numbers"),
        (("a", "b"), "must be a number"),
        ("01", "must be a pair"),
        (None, "must be a pair"),
        ((-1e13, 0), "within"),
        ((1.0, 1.0 + 1e-15), "differ by less"),
    ],
)
def test_interval_refuses(value: object, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        interval("bounds", value)


def test_interval_takes_any_pair() -> None:
    assert interval("bounds", np.array([0, 2])) == (0.0, 2.0)


def test_one_of_lists_what_is_allowed() -> None:
    assert one_of("loss", "b", {"a", "b"}) == "b"
    with pytest.raises(ParameterError, match="loss must be one of a, b, not 'c'"):
        one_of("loss", "c", {"a", "b"})


def test_what_a_table_makes_is_refused_by_the_names_of_its_parameters_alone() -> None:
    table = {"a": lambda *, width: width}
    assert made_with("loss", table, "a", {"width": 2.0}) == 2.0
    with pytest.raises(ParameterError, match="loss must be one of a, not 'b'"):
        made_with("loss", table, "b", {})
    with pytest.raises(ParameterError, match="loss a does not take the parameters: none"):
        made_with("loss", table, "a", {})
    with pytest.raises(ParameterError, match=r"loss a does not take the parameters: h, width$"):
        made_with("loss", table, "a", {"width": 2.0, "h": 123.5})


def test_a_name_is_given_once() -> None:
    check_unused("loss", "b", {"a"})
    with pytest.raises(ParameterError, match=r"^loss a is already registered$"):
        check_unused("loss", "a", {"a"})
