from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import pytest
from pydantic_core import PydanticCustomError

from dpwerm.study import values
from dpwerm.text import MOST_MARKS

MARKS = "\u0301" * (MOST_MARKS + 1)


@pytest.mark.parametrize(
    ("check", "good", "canonical"),
    [
        (values.number, Decimal("0.5"), 0.5),
        (values.positive_number, 3, 3.0),
        (values.scale, 0, 0.0),
        (values.bounds, [0, Decimal("1.5")], (0.0, 1.5)),
        (values.text, " a ", "a"),
        (values.text, "two\nlines", "two\nlines"),
        (values.line, " a\xa0b \n", "a\xa0b"),
        (values.cell, 1, "1"),
        (values.cell, Decimal("1.0"), "1"),
        (values.cell, True, "true"),
        (values.identifier, "a-1.b_2", "a-1.b_2"),
        (values.decimal, "0.10", Decimal("0.10")),
        (values.epsilon_of, Decimal("0.1"), Decimal("0.1")),
        (values.delta_of, 0, Decimal(0)),
        (values.probability, "1/3", Fraction(1, 3)),
        (values.probability, Decimal("0.333"), Fraction(333, 1000)),
        (values.feature_name, "blood pressure", "blood pressure"),
    ],
)
def test_a_good_value_becomes_canonical(
    check: Callable[[object], object], good: object, canonical: object
) -> None:
    assert check(good) == canonical


@pytest.mark.parametrize(
    ("check", "bad"),
    [
        (values.number, bad)
        for bad in ["1", True, None, [], Decimal("inf"), Decimal("nan"), 10**400, Decimal("1e13")]
    ]
    + [(values.positive_number, bad) for bad in [0, -1, Decimal("1e-13")]]
    + [(values.scale, bad) for bad in [-1, Decimal("1e-13")]]
    + [
        (values.bounds, bad)
        for bad in [1, "01", [1], [1, 1], [2, 1], [0, Decimal("inf")], [0, "1"]]
    ]
    + [(values.text, bad) for bad in ["", "  ", 1, None, "x" * 1001, values.PLACEHOLDER]]
    + [(values.line, bad) for bad in ["", "a\nb", "a\u2028b", "a\x1bb", "\u202ea", "e" + MARKS]]
    + [(values.cell, bad) for bad in ["", []]]
    + [(values.identifier, bad) for bad in ["", "A", "-a", "a b", "a" * 65, 1]]
    + [
        (values.decimal, bad)
        for bad in ["x", True, None, "nan", "inf", "1e999999999", Decimal("1e-999999"), "1" * 60]
    ]
    + [(values.epsilon_of, bad) for bad in [0, -1, "inf", Decimal("1e13")]]
    + [(values.delta_of, bad) for bad in [1, -1, "2"]]
    + [
        (values.probability, bad)
        for bad in [0, 1, "1/0", "3/2", "0/1", -1, "1e-999999999", Decimal("nan"), "a/b"]
    ]
    + [
        (values.feature_name, bad)
        for bad in ["", "a=b", "intercept", "x" * 65, "a\nb", "e" + MARKS, 3]
    ],
)
def test_a_bad_value_is_refused(check: Callable[[object], object], bad: object) -> None:
    with pytest.raises(PydanticCustomError) as caught:
        check(bad)
    assert len(str(caught.value)) < 200


def test_a_number_too_long_to_print_is_refused() -> None:
    for check in (values.cell, values.number, values.text, values.decimal):
        with pytest.raises(PydanticCustomError):
            check(10**5000)
