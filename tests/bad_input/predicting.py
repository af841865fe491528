"""Conditions at the time of predicting: a rule is good, the new table is not."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
from tests.bad_input.arrays import X
from tests.bad_input.base import NUMBER_CANARY, TEXT_CANARY, Cells

EditCells = Callable[[Cells], Cells]
EditFrame = Callable[[pd.DataFrame], Any]


@dataclass(frozen=True)
class NewTable:
    """One condition: what is done to the new table; None where it cannot be met.

    ``same_as`` is the table for which the answers are the same.
    """

    recommend: EditCells | None
    study: EditCells | None
    arrays: EditFrame | None
    same_as: EditCells | None = None


def sound_frame() -> pd.DataFrame:
    """Return the features of the sound arrays, with names."""
    return pd.DataFrame(X, columns=["a", "b"])


def _everywhere(
    cells: EditCells, frame: EditFrame | None, same_as: EditCells | None = None
) -> NewTable:
    return NewTable(cells, cells, frame, same_as)


def _put(column: str, value: str) -> EditCells:
    return lambda table: table.set(column, value, (0, 5))


def _unchanged(table: Cells) -> Cells:
    return table


CONDITIONS: Mapping[str, NewTable] = {
    "columns missing": _everywhere(lambda table: table.pick([0, 2, 3]), lambda frame: frame[["b"]]),
    "columns extra": _everywhere(
        lambda table: table.add("note", [TEXT_CANARY] * len(table.rows)),
        lambda frame: frame.assign(c=1.0),
        _unchanged,
    ),
    "columns reordered": _everywhere(
        lambda table: table.pick([5, 4, 3, 2, 1, 0]), lambda frame: frame[["b", "a"]], _unchanged
    ),
    "columns duplicated": _everywhere(
        lambda table: table.add("age", [NUMBER_CANARY] * len(table.rows)),
        lambda frame: frame.set_axis(["a", "a"], axis=1),
    ),
    "columns renamed": _everywhere(
        lambda table: table.pick(range(6), ["person", "AGE", *table.header[2:]]),
        lambda frame: frame.rename(columns={"a": "A"}),
    ),
    "a column more in an array without names": NewTable(
        None, None, lambda frame: frame.assign(c=1.0).to_numpy()
    ),
    "NaN in a number feature": _everywhere(
        _put("age", "NaN"), lambda frame: frame.assign(a=math.nan), _put("age", "49")
    ),
    "text in a number feature": _everywhere(
        _put("age", TEXT_CANARY), lambda frame: frame.assign(a=TEXT_CANARY), _put("age", "49")
    ),
    "a number beyond its bounds": _everywhere(
        _put("age", NUMBER_CANARY),
        lambda frame: frame.assign(a=float(NUMBER_CANARY)),
        _put("age", "80"),
    ),
    "a level that is not declared": _everywhere(_put("sex", TEXT_CANARY), None, _put("sex", "F")),
    "no row": _everywhere(lambda table: table.take([]), lambda frame: frame.iloc[:0]),
    "a column named score": NewTable(
        lambda table: table.add("score", ["1"] * len(table.rows)), None, None
    ),
    "a column named recommended_arm": NewTable(
        lambda table: table.add("recommended_arm", ["1"] * len(table.rows)), None, None
    ),
    "one dimension": NewTable(None, None, lambda frame: frame["a"].to_numpy()),
}
