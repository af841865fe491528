"""Tables in columns and paragraphs of one width."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.text import (
    MOST_MARKS,
    WIDTH,
    aligned,
    digits,
    harmless,
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
