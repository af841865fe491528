from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from dpwerm.data.table import read_table
from dpwerm.data.writers import refuse_ending, write_with_columns
from dpwerm.errors import ParameterError, TableError


def test_csv_cells_come_back_unchanged(tmp_path: Path) -> None:
    text = 'id;age;note\n007;1.50;"a;b"\n 8;;"say ""x"""\n'
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(text)
    table = read_table(source, ["age"], keep_all=True)
    added = {"arm": np.array(["S", "G"]), "score": np.array([0.5, -1.0])}
    write_with_columns(table, added, target)
    expected = 'id;age;note;arm;score\n007;1.50;"a;b";S;0.5\n 8;;"say ""x""";G;-1.0\n'
    assert target.read_text() == expected


def test_parquet_keeps_types(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, 2], "day": pd.to_datetime(["2020-01-01", "2020-01-02"])})
    table = read_table(frame, ["a"], keep_all=True)
    write_with_columns(table, {"score": np.array([1.0, 2.0])}, tmp_path / "out.parquet")
    schema = pq.read_schema(tmp_path / "out.parquet")
    assert schema.names == ["a", "day", "score"]
    assert str(schema.field("day").type).startswith("timestamp")


def test_a_table_without_rows(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("a,b\n")
    table = read_table(source, ["a"], keep_all=True)
    write_with_columns(table, {"score": np.array([])}, tmp_path / "out.tsv")
    assert (tmp_path / "out.tsv").read_text() == "a\tb\tscore\n"


def test_faults(tmp_path: Path) -> None:
    table = read_table(pd.DataFrame({"score": [1]}), ["score"], keep_all=True)
    with pytest.raises(TableError, match="already a column"):
        write_with_columns(table, {"score": np.array([1])}, tmp_path / "out.csv")
    bare = read_table(pd.DataFrame({"a": [1]}), ["a"])
    with pytest.raises(ParameterError, match="keep_all"):
        write_with_columns(bare, {}, tmp_path / "out.csv")
    with pytest.raises(TableError, match="must end in"):
        refuse_ending(tmp_path / "out.xlsx")
