"""Tables in columns and paragraphs of one width."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.text import (
    MOST_MARKS,
    WIDTH,
    aligned,
    at_least,
    at_most,
    digits,
    harmless,
    interval_words,
    natural_step,
    number,
    one_line,
    stays_in_line,
    wrapped,
)

MARK = "\u0301"


def test_columns_stand_under_each_other() -> None:
    assert aligned([("a", "long text", "x"), ("bbb", "y", "")]) == [
        "  a    long text  x",
        "  bbb  y",
    ]


def test_lines_are_not_too_wide() -> None:
    lines = wrapped("word " * 100)
    assert max(map(len, lines)) <= WIDTH
    assert " ".join(lines).split() == ["word"] * 100


def test_a_text_stays_in_its_line() -> None:
    assert one_line("a\nb\r\x1b\u2028\u202ec é 漢") == r"a\nb\r\x1b\u2028\u202ec é 漢"
    assert one_line("a" + "\u0301" * 6 + "b") == "a" + "\u0301" * 4 + r"\u0301\u0301b"
    assert harmless("a\nb\x1b") == "a\nb\\x1b"
    assert aligned([("a\nb", "c"), ("longer", "d")]) == [r"  a\nb    c", "  longer  d"]


@given(st.text(st.one_of(st.characters(), st.sampled_from("\n\u2028\u202e\u200d\u0301\u0489"))))
def test_whatever_is_escaped_stays_in_its_line(text: str) -> None:
    shown = one_line(text)
    assert stays_in_line(shown)
    assert shown.isprintable()
    assert one_line(shown) == shown
    assert stays_in_line(text) <= (len(text.splitlines()) <= 1)


@pytest.mark.parametrize(
    "name",
    ["", "plain", "Müller, Ω", "a\xa0b", "e" + MARK * MOST_MARKS, "हिन्दी", "👩\u200d👧", "עברית"],
)
def test_an_ordinary_name_is_left_alone(name: str) -> None:
    assert stays_in_line(name)


@pytest.mark.parametrize(
    "name",
    [
        *(f"a{one}b" for one in "\n\r\t\v\f\0\x1b\x1c\x7f\x85\u2028\u2029\u202a\u202e\u2066\u2069"),
        "é\n",
        "e" + MARK * (MOST_MARKS + 1),
        "e" + (MARK * MOST_MARKS + "\u200d") * 2,
    ],
)
def test_a_name_that_breaks_its_line_is_found(name: str) -> None:
    assert not stays_in_line(name)


def test_numbers_keep_all_their_digits() -> None:
    for text in ("0", "2", "1234567.25", "0.0001", "1e-7", "9.99999999e-7"):
        assert digits(Decimal(text)) == text


@pytest.mark.parametrize(
    ("value", "error", "shown"),
    [
        (4260.0, None, "4,260"),
        (123456.0, None, "123,500"),
        (4261.3, 153.0, "4,260"),
        (4261.3, 1.53, "4,261.3"),
        (-0.031249, None, "-0.03125"),
        (-0.031249, 0.004, "-0.0312"),
        (-0.0001, 0.5, "0.00"),
        (9.9996, None, "10"),
        (0.25, None, "0.25"),
        (0.0, None, "0"),
        (-2.561e-07, None, "-0.0000002561"),
        (1e-300, None, "1 × 10^-300"),
        (-1.25e18, None, "-1.25 × 10^18"),
        (1 / 3, 1e-40, "0.333333333333333"),
    ],
)
def test_a_number_is_written_as_people_write_it(
    value: float, error: float | None, shown: str
) -> None:
    assert number(value, error) == shown


def test_a_number_can_have_its_sign() -> None:
    assert [number(one, sign=True) for one in (2.0, 0.0, -2.0)] == ["+2", "0", "-2"]


def test_only_a_finite_number_is_written() -> None:
    with pytest.raises(ValueError, match="finite"):
        number(float("inf"))


SIZES = st.floats(1e-8, 1e14) | st.floats(-1e14, -1e-8)


@given(SIZES, st.floats(1e-8, 1e14))
def test_a_number_is_off_by_less_than_a_tenth_of_its_error(value: float, error: float) -> None:
    shown = number(value, error)
    assert "e" not in shown.lower()
    read = Fraction(shown.replace(",", ""))
    assert abs(read - Fraction(value)) <= max(Fraction(error) / 10, Fraction(abs(value)) / 10**14)


@given(st.decimals("0.00000001", "1e14", allow_nan=False), st.integers(1, 8))
def test_a_bound_is_rounded_to_the_safe_side(value: Decimal, count: int) -> None:
    for one in (value, -value):
        above, below = (Fraction(f(one, count).replace(",", "")) for f in (at_most, at_least))
        assert below <= Fraction(one) <= above
        assert above - below <= Fraction(value) * 10 / 10 ** (count - 1)


def test_a_double_bound_is_not_raised_by_its_last_bits() -> None:
    assert at_most(15.000000000000002, 6) == at_least(14.999999999999998, 6) == "15"
    assert (at_most(15.00001, 6), at_least(14.99999, 6)) == ("15.0001", "14.9999")


@given(SIZES, SIZES)
def test_an_end_of_an_interval_other_than_0_is_not_shown_as_0(one: float, other: float) -> None:
    lower, upper = sorted((one, other))
    shown = [float(end.replace(",", "")) for end in interval_words(lower, upper).split(" to ")]
    assert [end > 0 for end in shown] == [end > 0 for end in (lower, upper)]
    assert 0.0 not in shown


def test_an_interval_is_written_to_two_digits_of_its_width() -> None:
    assert interval_words(4103.2, 4420.9) == "4,100 to 4,420"
    assert interval_words(0.0, 0.0) == "0 to 0"
    assert interval_words(-0.00312, 0.61) == "-0.003 to 0.610"


@pytest.mark.parametrize(
    ("width", "step"),
    [(1.0, "1"), (72.0, "1"), (200.0, "1"), (1_000.0, "100"), (1e6, "100000"), (0.5, "0.1")],
)
def test_a_step_is_one_that_people_think_in(width: float, step: str) -> None:
    assert natural_step(width) == Decimal(step)
