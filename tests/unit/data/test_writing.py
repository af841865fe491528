from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from dpwerm.data.table import BLOCK, Table, read_table, write_with_columns, writer_of
from dpwerm.errors import ParameterError, TableError


def test_csv_cells_come_back_unchanged(tmp_path: Path) -> None:
    text = 'id;age;note\n007;1.50;"a;b"\n 8;;"say ""x"""\n'
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(text)
    table = read_table(source, ["age"], keep_all=True)
    added = np.array(["S", "G"]), np.array([0.5, -1.0])
    write_with_columns(table, ("arm", "score"), lambda _: added, target)
    expected = 'id;age;note;arm;score\n007;1.50;"a;b";S;0.5\n 8;;"say ""x""";G;-1.0\n'
    assert target.read_text() == expected


def test_parquet_keeps_types(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, 2], "day": pd.to_datetime(["2020-01-01", "2020-01-02"])})
    table = read_table(frame, ["a"], keep_all=True)
    added = (np.array([1.0, 2.0]),)
    write_with_columns(table, ("score",), lambda _: added, tmp_path / "out.parquet")
    schema = pq.read_schema(tmp_path / "out.parquet")
    assert schema.names == ["a", "day", "score"]
    assert str(schema.field("day").type).startswith("timestamp")


def test_a_table_without_rows(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("a,b\n")
    table = read_table(source, ["a"], keep_all=True)
    write_with_columns(table, ("score",), lambda _: (np.array([]),), tmp_path / "out.tsv")
    assert (tmp_path / "out.tsv").read_text() == "a\tb\tscore\n"


def test_faults(tmp_path: Path) -> None:
    table = read_table(pd.DataFrame({"score": [1]}), ["score"], keep_all=True)
    with pytest.raises(TableError, match="already a column"):
        write_with_columns(table, ("score",), lambda _: (np.ones(1),), tmp_path / "out.csv")
    bare = read_table(pd.DataFrame({"a": [1]}), ["a"])
    with pytest.raises(ParameterError, match="keep_all"):
        write_with_columns(bare, (), lambda _: (), tmp_path / "out.csv")
    with pytest.raises(TableError, match="must end in"):
        writer_of(tmp_path / "out.xlsx")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_many_blocks_make_one_file(tmp_path: Path, ending: str) -> None:
    n = 2 * BLOCK + 3
    frame = pd.DataFrame({"a": np.arange(n), "b": [f"x{i % 7}" for i in range(n)]})
    table = read_table(frame, ["a"], keep_all=True)
    sizes = []

    def doubled(block: Table) -> list[np.ndarray]:
        sizes.append(block.n_rows)
        return [2 * block.numbers("a")]

    path = tmp_path / f"out.{ending}"
    write_with_columns(table, ("twice",), doubled, path)
    assert sizes == [BLOCK, BLOCK, 3]
    back = pd.read_csv(path) if ending == "csv" else pd.read_parquet(path)
    pd.testing.assert_frame_equal(back, frame.assign(twice=2.0 * frame["a"]), check_dtype=False)
