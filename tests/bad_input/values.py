"""Conditions of the data: cells, labels and weights outside the declaration, faults of form."""

import datetime as dt
import io
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
from scipy import sparse
from tests.bad_input.arrays import (
    ARMS,
    BENEFIT,
    WEIGHTS,
    X,
    Y,
    both,
    classifier,
    rule,
    spoilt,
    with_column,
)
from tests.bad_input.base import (
    ADD_REMOVE,
    NUMBER_CANARY,
    PERSON_COLUMN,
    PROPENSITY_COLUMN,
    TEXT_CANARY,
    Cells,
    N,
    replaced,
)
from tests.bad_input.fitting import Condition, Conditions, Through, cells

SOME = (0, 5)


Edit = Callable[[Cells], Cells]


def _put(column: str, value: str, rows: tuple[int, ...] | None = SOME) -> Edit:
    return lambda table: table.set(column, value, rows)


def _without(rows: tuple[int, ...] = SOME) -> Edit:
    return lambda table: table.take([i for i in range(len(table.rows)) if i not in rows])


def _texts() -> Any:
    return spoilt(X.astype(object), TEXT_CANARY, (0, 0))


def _dates(table: Cells) -> bytes:
    columns: dict[str, Any] = dict(zip(table.header, zip(*table.rows, strict=True), strict=True))
    columns["age"] = [dt.date(2020, 1, 1)] * len(table.rows)
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pa.table(columns), stream)
    return stream.getvalue()


def _chance(value: str, number: float, same: str | None) -> Condition:
    return cells(
        _put("chance", value),
        with_column(propensity_values=spoilt(np.full(N, 0.4), number)),
        study=PROPENSITY_COLUMN,
        same_study=PROPENSITY_COLUMN,
        same_as=_without() if same is None else _put("chance", same),
    )


VALUES: Conditions = {
    "NaN in a number feature": cells(
        _put("age", "NaN"), *both(X=spoilt(X, math.nan, (0, 0))), same_as=_put("age", "49")
    ),
    "infinity in a number feature": cells(
        _put("age", "inf"), *both(X=spoilt(X, math.inf, (0, 0))), same_as=_put("age", "49")
    ),
    "a number too large for a double": cells(
        _put("age", "1e999"),
        *both(X=spoilt(X.astype(object), 10**400, (0, 0))),
        same_as=_put("age", "49"),
    ),
    "text in a number feature": cells(
        _put("age", TEXT_CANARY), *both(X=_texts()), same_as=_put("age", "49")
    ),
    "text in a column of a data frame": Condition(
        arrays=(
            *both(X=pd.DataFrame(_texts(), columns=["a", "b"])),
            *both(X=pl.DataFrame({"a": [TEXT_CANARY] * N, "b": X[:, 1]})),
        )
    ),
    "a number beyond its bounds": cells(
        _put("age", NUMBER_CANARY), *both(X=spoilt(X, 7.0, (0, 0))), same_as=_put("age", "80")
    ),
    "a level that is not declared": cells(_put("sex", TEXT_CANARY), same_as=_put("sex", "F")),
    "a missing level": cells(_put("sex", ""), same_as=_put("sex", "F")),
    "NaN in the benefit": cells(
        _put("gain", "NaN"), rule(benefit=spoilt(BENEFIT, math.nan)), same_as=_without()
    ),
    "infinity in the benefit": cells(
        _put("gain", "-inf"), rule(benefit=spoilt(BENEFIT, -math.inf)), same_as=_without()
    ),
    "text in the benefit": cells(
        _put("gain", TEXT_CANARY),
        rule(benefit=spoilt(BENEFIT.astype(object), TEXT_CANARY)),
        same_as=_without(),
    ),
    "a benefit beyond its bounds": cells(
        _put("gain", NUMBER_CANARY), rule(benefit=spoilt(BENEFIT, 7.0)), same_as=_put("gain", "10")
    ),
    "NaN in the weights": Condition(arrays=(classifier(sample_weight=spoilt(WEIGHTS, math.nan)),)),
    "infinity in the weights": Condition(
        arrays=(classifier(sample_weight=spoilt(WEIGHTS, math.inf)),)
    ),
    "a negative weight": Condition(arrays=(classifier(sample_weight=spoilt(WEIGHTS, -1.0)),)),
    "text in the weights": Condition(
        arrays=(classifier(sample_weight=spoilt(WEIGHTS.astype(object), TEXT_CANARY)),)
    ),
    "all weights zero": cells(
        _put("gain", "0", None),
        classifier(sample_weight=np.zeros(N)),
        rule(benefit=np.zeros(N)),
        same_as=_put("gain", "", None),
    ),
    "a label that is neither of two": cells(
        _put("arm", TEXT_CANARY),
        classifier(y=spoilt(Y.astype(object), TEXT_CANARY)),
        rule(treatment=spoilt(ARMS.astype(object), TEXT_CANARY)),
        same_as=_without(),
    ),
    "a missing label": cells(
        _put("arm", ""),
        classifier(y=spoilt(Y.astype(object), None)),
        classifier(y=spoilt(Y.astype(object), math.nan)),
        rule(treatment=spoilt(ARMS.astype(object), None)),
        rule(treatment=spoilt(ARMS.astype(object), math.nan)),
        same_as=_without(),
    ),
    "NaN in labels that are numbers": Condition(
        arrays=(classifier(y=spoilt(np.arange(N) % 2.0, math.nan), classes=(0, 1)),)
    ),
    "a single arm": cells(
        lambda table: table.set("arm", "pill"),
        rule(treatment=np.full(N, "pill")),
        classifier(y=np.full(N, "no")),
    ),
    "no usable row": cells(
        _put("arm", TEXT_CANARY, None),
        rule(treatment=np.full(N, TEXT_CANARY)),
        classifier(y=np.full(N, TEXT_CANARY)),
        same_as=_put("gain", "", None),
    ),
    "propensity 0 in a row": _chance("0", 0.0, "0.1"),
    "propensity 1 in a row": _chance("1", 1.0, "0.9"),
    "propensity above 1 in a row": _chance(NUMBER_CANARY, float(NUMBER_CANARY), "0.9"),
    "propensity negative in a row": _chance("-0.5", -0.5, "0.1"),
    "propensity missing in a row": _chance("", math.nan, None),
    "one row": cells(
        lambda table: table.take([len(table.rows) - 1]),
        classifier(X=X[-1:], y=Y[-1:], sample_weight=WEIGHTS[-1:]),
        rule(X=X[-1:], treatment=ARMS[-1:], benefit=BENEFIT[-1:]),
    ),
    "a missing person": cells(_put("person", ""), study=PERSON_COLUMN),
}

FORM: Conditions = {
    "empty table under replace_one": cells(
        lambda table: table.take([]),
        classifier(X=X[:0], y=Y[:0], sample_weight=WEIGHTS[:0]),
        rule(X=X[:0], treatment=ARMS[:0], benefit=BENEFIT[:0]),
    ),
    "empty table under add_remove": cells(
        lambda table: table.take([]),
        classifier(X=X[:0], y=Y[:0], sample_weight=WEIGHTS[:0], relation="add_remove"),
        rule(X=X[:0], treatment=ARMS[:0], benefit=BENEFIT[:0], relation="add_remove"),
        study=ADD_REMOVE,
    ),
    "a file without even a header": cells(lambda table: b""),
    "several rows of one person": cells(_put("person", TEXT_CANARY), study=PERSON_COLUMN),
    "columns missing": cells(lambda table: table.pick([0, 2, 3, 5])),
    "columns extra": cells(
        lambda table: table.add("note", [TEXT_CANARY] * len(table.rows)),
        same_as=lambda table: table,
    ),
    "columns reordered": cells(
        lambda table: table.pick([4, 2, 3, 1, 0, 5]), same_as=lambda table: table
    ),
    "columns duplicated": cells(
        lambda table: table.add("age", [NUMBER_CANARY] * len(table.rows)),
        *both(X=pd.DataFrame(np.column_stack([X, X[:, :1]]), columns=["a", "b", "a"])),
    ),
    'a column named "intercept"': Condition(
        Through(replaced("[features.age]", "[features.intercept]")),
        Through(replaced("[features.age]", "[features.intercept]")),
        (
            *both(X=pd.DataFrame(X, columns=["intercept", "b"])),
            *both(X=pl.DataFrame({"a": X[:, 0], "intercept": X[:, 1]})),
        ),
    ),
    'a column named "intercept" for a feature of another name': cells(
        lambda table: table.pick(range(6), ["person", "intercept", *table.header[2:]]),
        study=replaced("[features.age]", '[features.age]\ncolumn = "intercept"'),
        same_as=lambda table: table,
    ),
    "a column without a name": cells(
        lambda table: table.add("", ["7"] * len(table.rows)),
        *both(X=pd.DataFrame(X, columns=["", "b"])),
        same_as=lambda table: table,
    ),
    "names that are not all text": Condition(arrays=both(X=pd.DataFrame(X, columns=["a", 1]))),
    "mismatched lengths (in a table: ragged rows)": cells(
        lambda table: table.to_bytes() + f"{TEXT_CANARY},{NUMBER_CANARY}\n".encode(),
        classifier(y=Y[:-1]),
        classifier(sample_weight=WEIGHTS[:-1]),
        rule(treatment=ARMS[:-1]),
        rule(benefit=BENEFIT[:-1]),
    ),
    "mismatched length of the propensities": Condition(
        arrays=(with_column(propensity_values=np.full(N - 1, 0.4)),)
    ),
    "dates in a number feature": cells(_dates, name="trial.parquet"),
    "cells that are not UTF-8": cells(
        lambda table: table.to_bytes().replace(b"therapy", b"th\xe9rapie", 1)
    ),
    "a quote that is never closed": cells(
        lambda table: table.to_bytes() + f'"{TEXT_CANARY},1,F,pill,2,0.4\n'.encode()
    ),
    "a quote in the last column that is never closed": cells(
        lambda table: (
            table.add("note", [TEXT_CANARY] * len(table.rows))
            .to_bytes()
            .replace(f",{TEXT_CANARY}".encode(), f',"{TEXT_CANARY}'.encode(), 1)
        )
    ),
    "a line break in a cell of a CSV file": cells(
        lambda table: table.add("note", [f"{TEXT_CANARY}\nmore"] * len(table.rows)).to_bytes()
    ),
    "a file that is not what its ending says": cells(
        lambda table: table.to_bytes(), name="trial.parquet"
    ),
    "a file of an unknown kind": cells(lambda table: table.to_bytes(), name="trial.xlsx"),
    "X of one dimension": Condition(arrays=both(X=X[:, 0])),
    "X without columns": Condition(arrays=both(X=X[:, :0])),
    "X sparse": Condition(arrays=both(X=sparse.csr_array(X))),
    "X complex": Condition(arrays=both(X=X * 1j)),
    "X with dates": Condition(
        arrays=(
            *both(X=np.full((N, 2), "2020-01-01", dtype="datetime64[ns]")),
            *both(X=pd.DataFrame({"a": pd.to_datetime(["2020-01-01"] * N), "b": X[:, 1]})),
        )
    ),
    "X with masked entries": Condition(arrays=both(X=np.ma.masked_greater(X, 0.5))),
    "X with rows of different lengths": Condition(arrays=both(X=[*X[:-1].tolist(), [1.0]])),
    "X lazy": Condition(arrays=both(X=pl.DataFrame({"a": X[:, 0], "b": X[:, 1]}).lazy())),
    "text in a list of lists": Condition(arrays=both(X=[[TEXT_CANARY, 1.0]] * N)),
    "dates or complex numbers in benefit or weights": Condition(
        arrays=(
            rule(benefit=np.full(N, "2020-01-01", dtype="datetime64[ns]")),
            rule(benefit=BENEFIT * 1j),
            classifier(sample_weight=pd.Series(pd.to_datetime(["2020-01-01"] * N))),
            classifier(sample_weight=WEIGHTS * 1j),
        )
    ),
    "masked labels, benefit or weights": Condition(
        arrays=(
            rule(benefit=np.ma.masked_greater(BENEFIT, 0.5)),
            rule(treatment=np.ma.masked_equal(ARMS, "pill")),
            classifier(y=np.ma.masked_equal(Y, "no")),
            classifier(sample_weight=np.ma.masked_greater(WEIGHTS, 2)),
        )
    ),
    "y of two dimensions": Condition(
        arrays=(
            classifier(y=np.column_stack([Y, Y])),
            rule(treatment=np.column_stack([ARMS, ARMS])),
        )
    ),
    "y left out": Condition(arrays=(classifier(y=None), rule(treatment=None))),
    "benefit left out": Condition(arrays=(rule(benefit=None),)),
}
