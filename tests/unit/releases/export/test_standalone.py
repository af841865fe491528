import math

from hypothesis import example, given
from hypothesis import strategies as st

from dpwerm.data.table import normalise, parse_number, text_of
from dpwerm.releases.export import python as standalone

digits = st.text("0123456789", max_size=6)
numbers = st.builds(
    "{}{}{}{}{}{}{}".format,
    st.sampled_from(["", "+", "-", " ", "--"]),
    digits,
    st.sampled_from(["", ".", ".."]),
    digits,
    st.sampled_from(["", "e", "E", "e+", "e-"]),
    st.sampled_from(["", "0", "3", "12", "400", "401", "00007", "99999"]),
    st.sampled_from(["", " ", "\u00a0", "_", "٣"]),
)
values = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.decimals(), st.text(), numbers
)


@given(values)
@example("-0.0")
@example("1e-3")
@example("tRuE ")
@example(10**5000)
@example("\ud800")
@example("1" * 400)
def test_a_value_has_the_text_and_the_number_of_a_cell(value: object) -> None:
    cell = text_of(value)
    assert standalone.text(value) == (None if cell is None else normalise(cell))
    size = math.nan if cell is None else parse_number(cell)
    assert standalone.number(value) == (None if math.isnan(size) else size)
