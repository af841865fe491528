import json
import math
from fractions import Fraction
from typing import Literal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError, RuleFileError
from dpwerm.study.blocks import CategoryBlock, Level, NumberBlock, shrink_factor
from dpwerm.study.encoding import Encoding
from dpwerm.study.table import read_table

Kind = Literal["centred", "paper"]
KINDS: tuple[Kind, ...] = ("centred", "paper")


def category(name: str, *levels: str, default: str | None = None) -> CategoryBlock:
    return CategoryBlock(
        name=name,
        column=name,
        levels=tuple(Level(name=level, cells=(level,)) for level in levels),
        default=default or levels[0],
    )


def number(name: str, lower: float, upper: float, default: float | None = None) -> NumberBlock:
    middle = lower + (upper - lower) / 2
    return NumberBlock(
        name=name,
        column=name,
        lower=lower,
        upper=upper,
        default=middle if default is None else default,
    )


def mixed(kind: Kind = "centred", intercept: float = 1.0) -> Encoding:
    blocks = (number("age", 20, 80), category("sex", "F", "M"), category("site", "a", "b", "c"))
    return Encoding(kind=kind, intercept=intercept, blocks=blocks)


FRAME = pd.DataFrame(
    {
        "age": [20.0, 65.0, 200.0, math.nan],
        "sex": ["F", "M", "?", None],
        "site": ["a", "c", "b", ""],
    }
)


def block_norms(X: FloatArray, encoding: Encoding) -> FloatArray:
    """Return max over blocks of ‖block‖₁/s for every row, the intercept included."""
    blocks, start = list(encoding.norm_blocks), 0
    norms = np.zeros(len(X))
    if encoding.intercept:
        width, bound = blocks.pop(0)
        assert width == 1
        norms[:] = encoding.intercept_scale / bound
    for width, bound in blocks:
        part = np.abs(X[:, start : start + width]).sum(axis=1)
        norms = np.maximum(norms, part / bound)
        start += width
    assert start == X.shape[1]
    return norms


@pytest.mark.parametrize("intercept", [0.0, 0.3, 1.0, 7.0])
@pytest.mark.parametrize("kind", KINDS)
def test_every_row_lies_in_the_blocks_and_some_on_their_edge(kind: Kind, intercept: float) -> None:
    encoding = mixed(kind, intercept)
    random = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "age": [20.0, 80.0, -1e300, 1e300, math.nan, *random.uniform(0, 100, 195)],
            "sex": random.choice(["F", "M", "?"], 200),
            "site": random.choice(["a", "b", "c", ""], 200),
        }
    )
    norms = block_norms(encoding.encode(read_table(frame, encoding.columns)), encoding)
    # Exactly 1 and not above it, for the doubles: κ = 1 is no rounded number.
    assert norms.max() == 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_tell_intervals_from_indicator_blocks(kind: Kind) -> None:
    encoding = mixed(kind, 0.3)
    q = encoding.factor
    assert encoding.norm_blocks == ((1, encoding.intercept_scale), (1, q), (1, q), (3, q))
    assert mixed(kind, 0.0).norm_blocks == ((1, q), (1, q), (3, q))
    flat = [bound for width, bound in encoding.norm_blocks for _ in range(width)]
    assert flat == encoding.column_bounds.tolist()


def test_centred_rows() -> None:
    X = mixed().encode(read_table(FRAME, mixed().columns))
    expected = [[-1, -1, 1, 0, 0], [0.5, 1, 0, 0, 1], [1, -1, 0, 1, 0], [0, -1, 1, 0, 0]]
    np.testing.assert_array_equal(X, expected)
    assert X.flags.c_contiguous
    assert X.dtype == np.float64


def test_paper_rows() -> None:
    encoding = mixed("paper")
    X = encoding.encode(read_table(FRAME, encoding.columns))
    q = shrink_factor(5)
    expected = [[0, 0, 1, 0, 0], [0.75, 1, 0, 0, 1], [1, 0, 0, 1, 0], [0.5, 0, 1, 0, 0]]
    np.testing.assert_array_equal(X, np.array(expected) * q)
    assert encoding.intercept_scale == q
    assert encoding.radius <= 1.0


def test_names_bounds_and_radius() -> None:
    encoding = mixed(intercept=2.0)
    names = ("intercept", "age", "sex=M", "site=a", "site=b", "site=c")
    assert encoding.coefficient_names == names
    assert encoding.column_bounds.tolist() == [2, 1, 1, 1, 1, 1]
    assert Fraction(encoding.radius) ** 2 >= 7
    assert Fraction(math.nextafter(encoding.radius, 0)) ** 2 < 7
    bare = mixed(intercept=0.0)
    assert bare.coefficient_names == names[1:]
    assert len(bare.column_bounds) == bare.n_columns == 5


ends = st.floats(-1e12, 1e12)
anything = st.one_of(
    st.floats(allow_nan=True), st.sampled_from(["", "a", "b", "zz", "1e308", None])
)


@settings(max_examples=150, deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    intercept=st.sampled_from([0.0, 1.0, 0.1, 3.7]),
    bounds=st.lists(
        st.tuples(ends, ends).filter(lambda pair: pair[1] - pair[0] >= 1e-12),
        min_size=1,
        max_size=4,
    ),
    data=st.data(),
)
def test_bounds_hold_exactly_for_every_value(
    kind: Kind, intercept: float, bounds: list[tuple[float, float]], data: st.DataObject
) -> None:
    blocks = [number(f"x{j}", *pair) for j, pair in enumerate(bounds)]
    categories = [category("two", "a", "b"), category("three", "a", "b", "c")]
    encoding = Encoding(kind=kind, intercept=intercept, blocks=(*blocks, *categories))
    rows = data.draw(
        st.lists(
            st.tuples(*[anything] * len(encoding.columns)),
            min_size=1,
            max_size=5,
        )
    )
    extremes = [tuple(pair[0] for pair in bounds), tuple(pair[1] for pair in bounds)]
    rows += [(*extreme, "b", "c") for extreme in extremes]
    frame = pd.DataFrame(rows, columns=list(encoding.columns), dtype=object)
    X = encoding.encode(read_table(frame, encoding.columns))
    s = encoding.column_bounds[1 if intercept else 0 :]
    assert (np.abs(X) <= s).all()
    r2 = Fraction(encoding.radius) ** 2
    for row in X:
        squares = sum((Fraction(float(value)) ** 2 for value in row), Fraction(0))
        assert squares + Fraction(encoding.intercept_scale) ** 2 <= r2


@given(kind=st.sampled_from(KINDS), data=st.data())
def test_arrays_and_tables_are_encoded_alike(kind: Kind, data: st.DataObject) -> None:
    encoding = Encoding.of_numbers(["a", "b"], [(-1.0, 3.0), (0.1, 0.7)], kind=kind)
    cell = st.floats(allow_nan=False, allow_infinity=False)
    rows = data.draw(st.lists(st.tuples(cell, cell), min_size=1, max_size=6))
    X = np.array(rows)
    table = read_table(pd.DataFrame(X, columns=["a", "b"]), ["a", "b"])
    encoded = encoding.encode_numbers(X)
    np.testing.assert_array_equal(encoded, encoding.encode(table))
    assert encoded.flags.c_contiguous


def test_encoding_an_array_leaves_it_alone() -> None:
    X = np.array([[0.0, 10.0]])
    Encoding.of_numbers(["a", "b"], [(0.0, 1.0)] * 2).encode_numbers(X)
    assert X.tolist() == [[0.0, 10.0]]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercept", [0.0, 1.0, 0.3])
def test_own_units_give_the_same_score(kind: Kind, intercept: float) -> None:
    encoding = mixed(kind, intercept)
    frame = pd.DataFrame({"age": [21.0, 64.5], "sex": ["F", "M"], "site": ["c", "b"]})
    X = encoding.encode(read_table(frame, encoding.columns))
    theta = np.random.default_rng(5).normal(size=len(encoding.coefficient_names))
    slopes = theta[1:] if intercept else theta
    constant = encoding.intercept_scale * theta[0] if intercept else 0.0
    own = encoding.own_units([Fraction(float(value)) for value in theta])
    for row, x in zip(frame.itertuples(), X, strict=True):
        score = own["intercept"] + own["age"] * float(str(row.age))
        score += own[f"sex={row.sex}"] + own[f"site={row.site}"]
        assert score == pytest.approx(constant + x @ slopes, abs=1e-12)


def test_own_units_needs_every_coefficient() -> None:
    with pytest.raises(ParameterError, match="6 entries"):
        mixed().own_units([1.0])


def test_missing_values_take_declared_defaults() -> None:
    blocks = (number("x", 0, 10, default=10.0), category("c", "a", "b", "z", default="z"))
    encoding = Encoding(blocks=blocks)
    frame = pd.DataFrame({"x": [None, "NA", math.inf, "text"], "c": [None, "NA", "", "unknown"]})
    X = encoding.encode(read_table(frame, encoding.columns))
    np.testing.assert_array_equal(X, [[1, 0, 0, 1]] * 3 + [[1, 1, 0, 0]])


def test_no_rows() -> None:
    encoding = mixed()
    assert encoding.encode(read_table(FRAME.iloc[:0], encoding.columns)).shape == (0, 5)


@pytest.mark.parametrize("kind", KINDS)
def test_files_round_trip(kind: Kind) -> None:
    encoding = mixed(kind, 0.25)
    assert encoding.radius > 0
    again = Encoding.from_dict(json.loads(json.dumps(encoding.to_dict())))
    assert again == encoding
    assert again.radius == encoding.radius


GOOD = {"kind": "number", "name": "a", "column": "a", "lower": 0, "upper": 1, "default": 0.5}
LEVELS = [{"name": "x", "cells": ["1"]}, {"name": "y", "cells": "*"}]
CATEGORY = {"kind": "category", "name": "c", "column": "c", "levels": LEVELS, "default": "x"}


@pytest.mark.parametrize(
    "raw",
    [
        {},
        {"blocks": []},
        {"blocks": [GOOD], "extra": 1},
        {"blocks": [GOOD, GOOD]},
        {"blocks": [GOOD], "intercept": -1},
        {"blocks": [GOOD], "intercept": math.nan},
        {"blocks": [GOOD], "intercept": True},
        {"blocks": [GOOD], "kind": "other"},
        {"blocks": [{**GOOD, "upper": math.inf}]},
        {"blocks": [{**GOOD, "upper": 10**400}]},
        {"blocks": [{**GOOD, "upper": "1"}]},
        {"blocks": [{**GOOD, "upper": 0}]},
        {"blocks": [{**GOOD, "default": 2}]},
        {"blocks": [{**GOOD, "name": "intercept"}]},
        {"blocks": [{**GOOD, "name": 3}]},
        {"blocks": [{**CATEGORY, "default": "q"}]},
        {"blocks": [{**CATEGORY, "levels": LEVELS[:1]}]},
        {"blocks": [{**CATEGORY, "levels": [LEVELS[1], {"name": "z", "cells": "*"}]}]},
        {"blocks": [{**CATEGORY, "levels": [LEVELS[0], {"name": "z", "cells": ["1.0"]}]}]},
        {"blocks": [{**CATEGORY, "levels": [LEVELS[0], {"name": "z", "cells": [" "]}]}]},
        {"blocks": [{**CATEGORY, "levels": [LEVELS[0], LEVELS[0]]}]},
        {"blocks": [{**CATEGORY, "name": "intercept"}]},
        {"blocks": "x"},
        {"blocks": [[]]},
    ],
)
def test_a_hostile_rule_file_is_refused(raw: dict[str, object]) -> None:
    with pytest.raises(RuleFileError):
        Encoding.from_dict(raw)


def test_good_blocks_are_accepted() -> None:
    assert Encoding.from_dict({"blocks": [GOOD, CATEGORY]}).n_columns == 2


def test_all_faults_of_a_rule_file_at_once() -> None:
    raw = {"kind": "x", "blocks": [{**GOOD, "lower": "a", "zz": 1}], "intercept": math.nan}
    with pytest.raises(RuleFileError) as caught:
        Encoding.from_dict(raw)
    where = {fault.where for fault in caught.value.faults}
    assert where == {"kind", "intercept", "blocks.[0].lower", "blocks.[0].zz"}


@pytest.mark.parametrize(
    ("names", "bounds", "match"),
    [
        (["a"], [(0.0, 1.0)] * 2, "2 pairs of bounds for 1 columns"),
        (["a"], [(1.0, 1.0)], "not below"),
        (["a"], [(0.0, math.inf)], "finite"),
        (["a", "a"], [(0.0, 1.0)] * 2, "same name"),
        (["intercept"], [(0.0, 1.0)], "intercept"),
    ],
)
def test_number_encodings_say_what_is_wrong(
    names: list[str], bounds: list[tuple[float, float]], match: str
) -> None:
    with pytest.raises(ParameterError, match=match):
        Encoding.of_numbers(names, bounds)


def test_an_array_needs_numbers_and_the_right_width() -> None:
    with pytest.raises(ParameterError, match="categories"):
        mixed().encode_numbers(np.zeros((1, 3)))
    with pytest.raises(ParameterError, match="2 columns"):
        Encoding.of_numbers(["a", "b"], [(0.0, 1.0)] * 2).encode_numbers(np.zeros((1, 3)))


def test_bounds_cannot_be_changed_from_outside() -> None:
    with pytest.raises(ValueError, match="read-only"):
        mixed().column_bounds[0] = 9


def test_encodings_are_equal_whatever_was_computed_from_them() -> None:
    first = Encoding.of_numbers(["a"], [(0.0, 1.0)])
    second = Encoding.of_numbers(["a"], [(0.0, 1.0)])
    assert first.column_bounds is not None
    assert second.stretch is not None
    assert first == second
    assert hash(first) == hash(second)
    assert first != second.changed(saturation=2.0)
    assert first != "an encoding"
