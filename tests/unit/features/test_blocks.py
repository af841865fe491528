import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.data.table import read_table
from dpwerm.features.blocks import CategoryBlock, Level, NumberBlock, shrink_factor


def category(levels: dict[str, tuple[str, ...] | str], default: str) -> CategoryBlock:
    raw = [{"name": name, "cells": cells} for name, cells in levels.items()]
    return CategoryBlock.model_validate(
        {"name": "c", "column": "c", "levels": raw, "default": default}
    )


@given(st.integers(0, 10_000))
def test_shrink_factor_is_the_largest_that_is_safe(d: int) -> None:
    q = Fraction(shrink_factor(d))
    above = Fraction(math.nextafter(float(q), 2))
    assert q**2 * (d + 1) <= 1 < above**2 * (d + 1)


def test_missing_unknown_and_declared_texts() -> None:
    texts = ["a", "b", "zz", None, "NA"]
    plain = category({"A": ("a",), "B": ("b",)}, "B")
    assert plain.positions(texts).tolist() == [0, 1, 0, 1, 1]
    catching = category({"A": ("a",), "rest": "*", "B": ("b",)}, "B")
    assert catching.positions(texts).tolist() == [0, 2, 1, 2, 2]


def test_a_declared_level_may_be_spelled_like_a_missing_value() -> None:
    block = category({"EU": ("EU",), "NA": ("NA",)}, "EU")
    assert block.positions(["NA", "N/A", None, "EU"]).tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize(("k", "width"), [(2, 1), (3, 3), (7, 7)])
def test_widths_and_names(k: int, width: int) -> None:
    block = category({f"l{j}": (str(j),) for j in range(k)}, "l0")
    assert block.width == len(block.coefficient_names) == width


def test_numbers_of_every_spelling_are_one_level() -> None:
    block = category({"one": ("1",), "two": ("2.0",)}, "one")
    table = read_table(pd.DataFrame({"c": [1.0, 2.0, 3.0]}), ["c"])
    out = np.empty((3, 1))
    block.fill(out, table, centred=True, factor=1.0)
    assert out[:, 0].tolist() == [-1, 1, -1]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_lies_beyond_the_bounds_counts_as_the_bound(x: float) -> None:
    block = NumberBlock(name="x", column="x", lower=0.1, upper=0.3, default=0.2)
    table = read_table(pd.DataFrame({"x": [0.1, 0.3, x]}), ["x"])
    out = np.empty((3, 1))
    block.fill(out, table, centred=True, factor=1.0)
    lowest, highest, found = out[:, 0]
    assert (lowest, highest) == pytest.approx((-1, 1))
    assert lowest <= found <= highest
    assert (found == highest) >= (x >= 0.3)
    assert (found == lowest) >= (x <= 0.1)


def test_a_level_is_a_record() -> None:
    assert Level(name="a", cells=("1",)) == Level(name="a", cells=("1",))
    assert math.isclose(shrink_factor(3), 0.5)
