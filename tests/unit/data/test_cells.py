import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.data.table import normalise, parse_number, text_of

finite = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    "texts",
    [
        ("1", "1.0", " 1\t", "+1", "01", "1e0", "0.1e1", "10E-1"),
        ("0", "-0", "0.0", ".0", "0e5"),
        ("-2.5", "-2.50", "-25e-1"),
        ("true", "True", "TRUE "),
        ("W", "\tW", "W\n"),
    ],
)
def test_equal_cells_have_one_spelling(texts: tuple[str, ...]) -> None:
    assert len({normalise(text) for text in texts}) == 1


def test_different_cells_stay_apart() -> None:
    texts = [
        "1",
        "10",
        "0.1",
        "-1",
        "a",
        "A",
        "9007199254740993",
        "9007199254740992",
        "1e500",
        "1 0",
    ]
    assert len({normalise(text) for text in texts}) == len(texts)


@pytest.mark.parametrize("text", ["", " ", "\t\n"])
def test_an_empty_cell_is_missing(text: str) -> None:
    assert normalise(text) is None


@given(st.text(max_size=20))
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalise(text)
    assert once is None or normalise(once) == once


@given(finite)
def test_a_double_survives_its_text(value: float) -> None:
    text = text_of(value)
    assert text is not None
    assert parse_number(text) == value
    assert parse_number(str(normalise(text))) == value


@pytest.mark.parametrize(
    "text", ["", "x", "inf", "nan", "1,5", "1_000", "0x10", "1e400", "--1", "1 2", "١", "12%"]
)
def test_what_is_no_finite_number_is_missing(text: str) -> None:
    assert math.isnan(parse_number(text))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        (math.nan, None),
        (np.float64("nan"), None),
        (pd.NA, None),
        (pd.NaT, None),
        (3, "3"),
        (np.int64(3), "3"),
        (True, "True"),
        (np.bool_(False), "False"),
        (1.5, "1.5"),
        (Decimal("1.50"), "1.50"),
        ([1], "<list>"),
    ],
)
def test_text_of_python_values(value: object, text: str | None) -> None:
    assert text_of(value) == text


def test_true_and_false_are_one_and_zero_as_numbers() -> None:
    assert (parse_number("True"), parse_number(" false")) == (1.0, 0.0)
