import json
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Literal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from dpwerm.arrays import FloatArray
from dpwerm.data.table import read_table
from dpwerm.errors import ParameterError, RuleFileError
from dpwerm.features.blocks import CategoryBlock, Level, NumberBlock, shrink_factor
from dpwerm.features.composed import Product
from dpwerm.features.domain import CrossPolytope, Interval
from dpwerm.features.encoding import Encoding

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


def blocks_of(encoding: Encoding) -> list[tuple[int, float]]:
    """Return (width, s) of each part of the domain."""
    return [(part.dimension, part.column_bounds.min()) for part in encoding.domain.parts]


def block_norms(X: FloatArray, encoding: Encoding) -> FloatArray:
    """Return max over blocks of ‖block‖₁/s for every row, the intercept included."""
    blocks, start = blocks_of(encoding), 0
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
    levels = (Interval(q), Interval(q), CrossPolytope(3, q))
    assert encoding.domain == Product((Interval(encoding.intercept_scale), *levels))
    assert mixed(kind, 0.0).domain == Product(levels)
    flat = [bound for width, bound in blocks_of(encoding) for _ in range(width)]
    assert flat == encoding.domain.column_bounds.tolist()


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
    assert encoding.domain.radius <= 1.0


def test_names_bounds_and_radius() -> None:
    encoding = mixed(intercept=2.0)
    names = ("intercept", "age", "sex=M", "site=a", "site=b", "site=c")
    assert encoding.coefficient_names == names
    assert encoding.domain.column_bounds.tolist() == [2, 1, 1, 1, 1, 1]
    assert Fraction(encoding.domain.radius) ** 2 >= 7
    assert Fraction(math.nextafter(encoding.domain.radius, 0)) ** 2 < 7
    bare = mixed(intercept=0.0)
    assert bare.coefficient_names == names[1:]
    assert len(bare.domain.column_bounds) == bare.n_columns == 5


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
    s = encoding.domain.column_bounds[1 if intercept else 0 :]
    assert (np.abs(X) <= s).all()
    r2 = Fraction(encoding.domain.radius) ** 2
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
    assert encoding.domain.radius > 0
    again = Encoding.from_dict(json.loads(json.dumps(encoding.to_dict())))
    assert again == encoding
    assert again.domain.radius == encoding.domain.radius


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
        {"blocks": [CATEGORY, {**GOOD, "name": "c=x"}]},
        {"blocks": [{**GOOD, "name": "c=y"}, CATEGORY]},
        {"blocks": [CATEGORY, {**CATEGORY, "name": "c=x"}, {**GOOD, "name": "c=x=y"}]},
        {"blocks": "x"},
        {"blocks": [[]]},
    ],
)
def test_a_hostile_rule_file_is_refused(raw: dict[str, object]) -> None:
    with pytest.raises(RuleFileError):
        Encoding.from_dict(raw)


def test_good_blocks_are_accepted() -> None:
    assert Encoding.from_dict({"blocks": [GOOD, CATEGORY]}).n_columns == 2


def test_names_with_an_equals_sign_are_accepted_where_they_are_told_apart() -> None:
    assert Encoding.from_dict({"blocks": [{**GOOD, "name": "c=z"}, CATEGORY]}).n_columns == 2
    numbers = Encoding.of_numbers(["c=x", "c"], [(0.0, 1.0)] * 2)
    assert list(numbers.own_units([0.5, 1.0, 2.0])) == ["intercept", "c=x", "c"]
    with pytest.raises(RuleFileError, match="called like the level of another one"):
        Encoding.from_dict({"blocks": [{**GOOD, "name": "c=x"}, CATEGORY]})


def test_a_column_with_line_breaks_gives_a_name_of_one_line() -> None:
    found = Encoding.of_numbers(["a\nb", "a\xa0b"], [(0.0, 1.0)] * 2)
    assert found.columns == ("a\nb", "a\xa0b")
    assert found.coefficient_names == ("intercept", r"a\nb", "a\xa0b")


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
        mixed().domain.column_bounds[0] = 9


def test_encodings_are_equal_whatever_was_computed_from_them() -> None:
    first = Encoding.of_numbers(["a"], [(0.0, 1.0)])
    second = Encoding.of_numbers(["a"], [(0.0, 1.0)])
    assert first.domain.column_bounds is not None
    assert second.stretch is not None
    assert first == second
    assert hash(first) == hash(second)
    assert first != second.changed(saturation=2.0)
    assert first != "an encoding"


# -- saturation ------------------------------------------------------------------------------

SATURATIONS = st.one_of(st.just(1.0), st.floats(1, 100), st.just(100.0))


def saturated(k: float, intercept: float = 1.0) -> Encoding:
    return mixed(intercept=intercept).changed(saturation=k)


@settings(max_examples=100, deadline=None)
@given(
    k=SATURATIONS,
    ages=st.lists(st.floats(allow_nan=True), min_size=1, max_size=8),
    data=st.data(),
)
def test_saturated_rows_stay_within_the_same_bounds_exactly(
    k: float, ages: list[float], data: st.DataObject
) -> None:
    encoding = saturated(k)
    n = len(ages)
    sexes, sites = (
        data.draw(st.lists(st.sampled_from(levels), min_size=n, max_size=n))
        for levels in (["F", "M", "?"], ["a", "b", "c", ""])
    )
    frame = pd.DataFrame({"age": ages, "sex": sexes, "site": sites})
    X = encoding.encode(read_table(frame, encoding.columns))
    learned = encoding.learning_rows(X)
    assert (block_norms(learned, encoding) <= 1).all()
    assert (np.abs(learned) <= encoding.domain.column_bounds[1:]).all()
    # Levels stay where they are; numbers keep their sign and only grow.
    np.testing.assert_array_equal(learned[:, 1:], X[:, 1:])
    np.testing.assert_array_equal(learned[:, 0], np.clip(k * X[:, 0], -1, 1))
    assert (np.sign(learned[:, 0]) == np.sign(X[:, 0])).all()
    assert (np.abs(learned[:, 0]) >= np.abs(X[:, 0])).all()


@given(k=SATURATIONS)
def test_saturation_changes_no_public_bound(k: float) -> None:
    """Everything a privacy claim rests on is the same: r, s, the blocks, the encoded rows."""
    plain, other = mixed(), saturated(k)
    assert other.domain.radius == plain.domain.radius
    assert other.domain == plain.domain
    assert other.domain.column_bounds.tolist() == plain.domain.column_bounds.tolist()
    assert other.coefficient_names == plain.coefficient_names
    np.testing.assert_array_equal(
        other.encode(read_table(FRAME, other.columns)),
        plain.encode(read_table(FRAME, plain.columns)),
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercept", [0.0, 0.3])
def test_a_saturation_of_one_changes_nothing(kind: Kind, intercept: float) -> None:
    encoding = mixed(kind, intercept)
    assert encoding.saturation == 1
    X = encoding.encode(read_table(FRAME, encoding.columns))
    assert encoding.learning_rows(X) is X
    assert encoding.stretch.tolist() == [1.0] * len(encoding.coefficient_names)


@pytest.mark.parametrize("k", [1.0, 1.2, 1.5, 2.5, 10.0, 100.0])
def test_the_stretch_is_the_slope_of_the_nearest_line(k: float) -> None:
    """φ = E[x clip(kx)]/E[x²] for a uniform x, by quadrature over each piece."""

    def mean(f: Callable[[float], float]) -> float:
        return float(quad(f, 0, 1 / k)[0] + quad(f, 1 / k, 1)[0])

    phi = mean(lambda x: x * min(k * x, 1.0)) / mean(lambda x: x * x)
    encoding = saturated(k, 0.3)
    assert encoding.stretch.tolist() == pytest.approx([1, phi, 1, 1, 1, 1], abs=1e-9)
    assert saturated(k, 0.0).stretch.tolist() == pytest.approx([phi, 1, 1, 1, 1], abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(k=SATURATIONS, intercept=st.sampled_from([0.0, 0.4]), seed=st.integers(0, 1000))
def test_own_units_of_a_saturated_rule_are_linear_in_the_columns(
    k: float, intercept: float, seed: int
) -> None:
    encoding, rng = saturated(k, intercept), np.random.default_rng(seed)
    theta = rng.normal(size=len(encoding.coefficient_names))
    own = encoding.own_units(theta.tolist())
    frame = pd.DataFrame(
        {
            "age": rng.uniform(20, 80, 20),
            "sex": rng.choice(["F", "M"], 20),
            "site": rng.choice(["a", "b", "c"], 20),
        }
    )
    X = encoding.encode(read_table(frame, encoding.columns))
    slopes = theta[1:] if intercept else theta
    constant = encoding.intercept_scale * theta[0] if intercept else 0.0
    score = constant + X @ (slopes * encoding.stretch[-5:])
    by_hand = own["intercept"] + own["age"] * frame["age"].to_numpy()
    by_hand += frame["sex"].map(lambda sex: own[f"sex={sex}"]).to_numpy()
    by_hand += frame["site"].map(lambda site: own[f"site={site}"]).to_numpy()
    np.testing.assert_allclose(by_hand, score, atol=1e-11)


@pytest.mark.parametrize("kind", KINDS)
def test_centred_rows_become_rows_of_either_kind(kind: Kind) -> None:
    centred, encoding = mixed(), mixed(kind, 0.25)
    X = centred.encode(read_table(FRAME, centred.columns))
    expected = encoding.encode(read_table(FRAME, encoding.columns))
    np.testing.assert_allclose(encoding.of_centred(X), expected, rtol=1e-15)
    np.testing.assert_array_equal(encoding.of_centred(X[None, None])[0, 0], encoding.of_centred(X))


def test_a_changed_encoding_is_checked_anew() -> None:
    encoding = mixed()
    assert encoding.changed() == encoding
    assert encoding.changed(intercept=0.5).domain.radius < encoding.domain.radius
    for wrong in (
        {"saturation": 0.5},
        {"saturation": 101.0},
        {"saturation": math.nan},
        {"kind": "paper", "saturation": 2.0},
        {"intercept": -1.0},
        {"blocks": ()},
    ):
        with pytest.raises(ParameterError):
            encoding.changed(**wrong)


def test_a_file_keeps_the_saturation() -> None:
    encoding = saturated(2.5, 0.4)
    again = Encoding.from_dict(json.loads(json.dumps(encoding.to_dict())))
    assert again == encoding
    assert again.saturation == 2.5
    assert again.stretch.tolist() == encoding.stretch.tolist()
