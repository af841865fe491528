import re

from hypothesis import given
from hypothesis import strategies as st

from dpwerm.data.table import normalise
from dpwerm.releases.export.terms import re2_pattern, sql_spellings

numbers = st.decimals(-1000, 1000, places=3) | st.integers(-50, 50)
cells = st.one_of(
    st.text(max_size=6), numbers.map("{:f}".format), st.sampled_from(["true", "False", "N A"])
)


def as_python(pattern: str) -> str:
    """Return a pattern of RE2 as Python writes it."""
    return re.sub(r"\\x\{([0-9a-f]+)\}", lambda found: f"\\U{int(found[1], 16):08x}", pattern)


@given(cells)
def test_every_spelling_means_the_text(cell: str) -> None:
    text = normalise(cell)
    if text is not None:
        found = sql_spellings(text, cell.strip())
        assert {text, cell.strip()} <= set(found)
        assert {normalise(one) for one in found} == {text}


def test_the_usual_spellings_are_there() -> None:
    assert sql_spellings("1", "01") == ["1", "01", "1.0"]
    assert sql_spellings("2.5", "2.5") == ["2.5"]
    assert sql_spellings("true", "True") == ["true", "True", "TRUE"]


@given(st.lists(cells, min_size=1, max_size=3), cells, st.sampled_from(["", " ", "\t\u3000"]))
def test_a_pattern_takes_what_means_the_same_and_nothing_else(
    declared: list[str], cell: str, blank: str
) -> None:
    known = [one.strip() for one in (*declared, "x") if normalise(one) is not None]
    texts = [str(normalise(one)) for one in known]
    pattern = re.compile(as_python(re2_pattern(texts, known)))
    exponent = re.search(r"[0-9.][eE]", cell) is not None
    for other in declared if exponent else (cell, *declared):
        found = pattern.fullmatch(blank + other + blank) is not None
        assert found == (normalise(other) in texts)


def test_numbers_are_compared_by_value() -> None:
    for text, same, others in (
        ("1", ["1", "01", "+1.", "1.000", "1e0", "1E-00"], ["-1", "10", "1.01", "1e1", "x1"]),
        ("-0.5", ["-.5", "-0.50", "-00.5e+0"], ["0.5", "-5", "-x5"]),
        ("0", ["0", "-0", "00.", ".0", "+0.00"], ["", ".", "-", "0.1"]),
    ):
        pattern = re.compile(as_python(re2_pattern([text], [text])))
        assert all(pattern.fullmatch(one) for one in same)
        assert not any(pattern.fullmatch(one) for one in others)


def test_a_number_declared_with_an_exponent_is_found() -> None:
    pattern = re.compile(as_python(re2_pattern(["1000", "0"], ["1e3", "0E1"])))
    assert all(pattern.fullmatch(one) for one in ("1000", "1e3", "1000.0", "0E1", "0"))
    assert not pattern.fullmatch("1E3")
