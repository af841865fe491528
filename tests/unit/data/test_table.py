import datetime as dt
import math
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwerm.data.table import Table, more_columns, normalise, parse_number, read_table
from dpwerm.errors import TableError

CANARY = "SECRETVALUE"


def write(folder: Path, text: str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def texts_of(table: Table, name: str) -> list[str | None]:
    codes, texts = table.factorised(name)
    return [texts[code] for code in codes]


def contents(table: Table, *names: str) -> list[list[object]]:
    numbers = [[None if math.isnan(x) else x for x in table.numbers(name)] for name in names]
    return [*numbers, *(texts_of(table, name) for name in names)]


DATA = {
    "i": [1, 2, 30],
    "f": [0.5, 1e16, -3.0],
    "s": ["W", " W", "x,y"],
    "b": [True, False, True],
    "m": [1.0, None, 3.0],
    "t": ["1.0", "", "z"],
}


def sources(folder: Path) -> dict[str, object]:
    arrow = pa.table(DATA)
    pandas = pd.DataFrame(DATA)
    pandas.to_csv(folder / "a.csv", index=False)
    pandas.to_csv(folder / "a.tsv", index=False, sep="\t")
    pandas.to_csv(folder / "semicolon.csv", index=False, sep=";")
    pq.write_table(arrow, folder / "a.parquet")
    return {
        "csv": folder / "a.csv",
        "tsv": str(folder / "a.tsv"),
        "semicolon": folder / "semicolon.csv",
        "parquet": folder / "a.parquet",
        "arrow": arrow,
        "pandas": pandas,
        "objects": pandas.astype(object),
        "nullable": pandas.convert_dtypes(),
        "categorical": pandas.astype({"s": "category", "i": "category", "t": "category"}),
        "polars": pl.DataFrame(DATA),
        "polars categorical": pl.DataFrame(DATA).with_columns(pl.col("s").cast(pl.Categorical)),
    }


def test_every_source_says_the_same(tmp_path: Path) -> None:
    expected = [
        [1.0, 2.0, 30.0],
        [0.5, 1e16, -3.0],
        [None] * 3,
        [1.0, 0.0, 1.0],
        [1.0, None, 3.0],
        [1.0, None, None],
        ["1", "2", "30"],
        ["0.5", "10000000000000000", "-3"],
        ["W", "W", "x,y"],
        ["true", "false", "true"],
        ["1", None, "3"],
        ["1", None, "z"],
    ]
    for kind, source in sources(tmp_path).items():
        table = read_table(source, list(DATA))
        assert table.n_rows == 3, kind
        assert contents(table, *DATA) == expected, kind


def test_decimals_and_wide_integers() -> None:
    frame = pa.table({"d": [Decimal("0.10"), None], "u": pa.array([2**63, 2**53 + 1], pa.uint64())})
    table = read_table(frame, ["d", "u"])
    assert texts_of(table, "d") == ["0.1", None]
    assert table.numbers("d")[0] == 0.1
    assert texts_of(table, "u") == [str(2**63), str(2**53 + 1)]
    assert table.numbers("u")[0] == 2.0**63


def test_empty_columns_and_infinities() -> None:
    frame = pa.table({"n": pa.nulls(2), "x": [math.inf, -math.inf]})
    table = read_table(frame, ["n", "x"])
    assert np.isnan(table.numbers("n")).all()
    assert texts_of(table, "n") == [None, None]
    assert np.isnan(table.numbers("x")).all()


ODD = [
    *("", "  ", "NA", "nan", "inf", "-Infinity", "true", "FALSE", "0x10", "1_0", "+1", "1.", "-.5"),
    *("1e400", "1e-400", "9" * 400, "0." + "0" * 120 + "1", "1e99", "-0", "007", "1,5", "p-1", "e"),
    *("\u0661", "\u00a040\u00a0", "\x1f41", "\x85x", "a b", "a\n", "x" * 80, "1\n2", "\u00e9t"),
]
cell_text = st.one_of(
    st.sampled_from(ODD),
    st.text(alphabet='0123456789.eE+-naif \t,;"x', max_size=8),
    st.text(max_size=4),
    st.floats().map(repr),
    st.integers().map(str),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(cell_text, min_size=1, max_size=6))
def test_a_cell_means_the_same_whatever_stands_in_other_rows(cells: list[str]) -> None:
    table = read_table(pa.table({"x": cells}), ["x"])
    for found, text in zip(table.numbers("x"), cells, strict=True):
        assert found == parse_number(text) or (math.isnan(found) and math.isnan(parse_number(text)))
    assert texts_of(table, "x") == [normalise(text) for text in cells]


@pytest.mark.parametrize("text", ODD)
def test_a_cell_means_the_same_alone_and_among_others(text: str) -> None:
    for cells in ([text], [text, "1"], [text, "x"], [text, *ODD]):
        table = read_table(pa.table({"x": cells}), ["x"])
        np.testing.assert_equal(table.numbers("x"), [parse_number(cell) for cell in cells])
        assert texts_of(table, "x") == [normalise(cell) for cell in cells]


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_blocks_are_the_rows_in_order(size: int) -> None:
    table = read_table(pd.DataFrame(DATA), list(DATA), keep_all=True)
    blocks = list(table.blocks(size))
    assert [block.start for block in blocks] == list(range(0, 3, size))
    assert sum(block.n_rows for block in blocks) == 3
    for name in DATA:
        texts = [text for block in blocks for text in texts_of(block, name)]
        assert texts == texts_of(table, name)
        parts = np.concatenate([block.numbers(name) for block in blocks])
        np.testing.assert_equal(parts, table.numbers(name))
    assert pa.concat_tables([block.whole for block in blocks]).equals(table.whole)


def test_a_table_without_rows_is_one_block() -> None:
    (block,) = read_table(pd.DataFrame({"a": []}), ["a"]).blocks()
    assert (block.n_rows, block.start) == (0, 0)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=6), min_size=1, max_size=5))
def test_csv_keeps_every_text(tmp_path_factory: pytest.TempPathFactory, cells: list[str]) -> None:
    cells = [re.sub("[\r\n\x00]", " ", cell) for cell in cells]
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    lines = ['"a","b"'] + ['"' + cell.replace('"', '""') + '","1"' for cell in cells]
    path.write_bytes("\n".join(lines).encode())
    table = read_table(path, ["a", "b"])
    assert texts_of(table, "a") == [normalise(cell) for cell in cells]


def test_only_needed_columns_matter(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n1,\xff\n")
    assert read_table(path, ["a"]).numbers("a").tolist() == [1.0]


def test_byte_order_mark_line_ends_and_blank_lines(tmp_path: Path) -> None:
    path = write(tmp_path, '\ufeff"a", b \r\n1,"x, ""y"""\r\n\r\n2,z\r\n')
    table = read_table(path, ["a", "b"])
    assert texts_of(table, "b") == ['x, "y"', "z"]


@pytest.mark.parametrize(
    "text",
    [
        'a,b\n1,"x\ny"\n2,z\n',
        'a,b\n1,"x\n2,y\n3,z\n',
        'a,b\n1,"x\n2,y"\n3,z\n',
        'a,b\n1,p"q,\n2,"x\n3,y\n',
        '"a\nc",b\n1,x\n2,y\n',
        'a,b\r1,"x\r2,y\r',
    ],
)
def test_one_line_is_one_row_so_that_no_quote_swallows_the_next(tmp_path: Path, text: str) -> None:
    with pytest.raises(TableError, match=r"a row runs over several lines|not every row has"):
        read_table(write(tmp_path, text), ["b"])


def test_quotes_inside_a_line_are_text(tmp_path: Path) -> None:
    table = read_table(write(tmp_path, 'a,b\n1,5" tall\n2,"say ""x"""\n'), ["b"])
    assert texts_of(table, "b") == ['5" tall', 'say "x"']


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, "abc"], dtype="category"),
        pd.Series([1, 10**30], dtype="category"),
        pd.Series(pd.Categorical.from_codes([0, 1], pd.Index(["a", "\ud800"], dtype=object))),
        pd.Series(["a", "\ud800"], dtype=object),
        pd.Series([np.longdouble(2), np.clongdouble(1)], dtype=object),
        pd.Series([1, 10**5000], dtype=object),
        pa.StringArray.from_buffers(
            2,
            pa.py_buffer(b"\x00\x00\x00\x00\x01\x00\x00\x00\x04\x00\x00\x00"),
            pa.py_buffer(b"a\xff\xfeZ"),
        ),
    ],
    ids=["mixed", "huge", "surrogate", "object surrogate", "long double", "long int", "bytes"],
)
def test_no_cell_stops_the_reading(column: Any) -> None:
    frame = pa.table({"b": column}) if isinstance(column, pa.Array) else pd.DataFrame({"b": column})
    table = read_table(frame, ["b"], keep_all=True)
    assert len(texts_of(table, "b")) == len(table.numbers("b")) == 2


def test_errors_keep_nothing_of_the_readers_text(tmp_path: Path) -> None:
    with pytest.raises(TableError) as caught:
        read_table(write(tmp_path, f"a,b\n1,{CANARY},3\n"), ["b"])
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


def test_what_a_ragged_row_holds_does_not_change_what_is_said(tmp_path: Path) -> None:
    said = set()
    for cell in ("x", "UTF8", "straddling", "In CSV column"):
        with pytest.raises(TableError) as caught:
            read_table(write(tmp_path, f"a,b\n1,{cell},3\n"), ["b"])
        said.add(str(caught.value))
    assert len(said) == 1


def test_a_blank_line_is_a_missing_cell_where_there_is_one_column(tmp_path: Path) -> None:
    assert read_table(write(tmp_path, "a\n1\n\n2\n"), ["a"]).n_rows == 3


@pytest.mark.parametrize("text", ["a,b", "a,b\n", "\ufeffa,b\r\n"])
def test_a_table_without_rows(tmp_path: Path, text: str) -> None:
    table = read_table(write(tmp_path, text), ["a", "b"])
    assert table.n_rows == 0
    assert table.numbers("a").shape == (0,)
    assert texts_of(table, "b") == []


def test_missing_columns_are_listed_together_with_hints() -> None:
    frame = pd.DataFrame({"Age": [1], CANARY: [2]})
    with pytest.raises(TableError) as caught:
        read_table(frame, ["age", "weight", "Age"])
    assert [fault.where for fault in caught.value.faults] == ["age", "weight"]
    assert caught.value.faults[0].remedy == "column 1 has a similar name"
    assert CANARY not in str(caught.value)


def test_all_wrong_types_are_listed_together() -> None:
    frame = pl.DataFrame(
        {
            "day": [dt.date(2020, 1, 1)],
            "list": [[1]],
            "struct": [{CANARY: 1}],
            "bytes": [CANARY.encode()],
            "ok": [1],
        }
    )
    with pytest.raises(TableError) as caught:
        read_table(frame, frame.columns)
    assert [fault.where for fault in caught.value.faults] == ["day", "list", "struct", "bytes"]
    assert CANARY not in str(caught.value)


BAD_FILES = {
    "empty.csv": "",
    "blank.csv": "\n\n",
    "blank header.csv": ",,\n1,2,3\n",
    "ragged.csv": f"a,b\n1,2\n{CANARY},2,3\n",
    "short.csv": f"a,b\n{CANARY}\n",
    "quote.csv": f'a,b\n"{CANARY},2\n3,4\n',
    "duplicate.csv": f"a,{CANARY},{CANARY}\n1,2,3\n",
    "fake.parquet": CANARY,
    "t.xlsx": CANARY,
    "no suffix": CANARY,
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_an_unreadable_file_is_named_and_never_quoted(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, BAD_FILES[name], name)
    with pytest.raises(TableError) as caught:
        read_table(path, ["a", "b"])
    assert CANARY not in str(caught.value)
    assert name in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    "raw", [b"a,b\n\xff\xfe" + CANARY.encode() + b",2\n", "a,b\n1,2\n".encode("utf-16")]
)
def test_other_encodings_are_refused(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(raw)
    with pytest.raises(TableError, match="UTF-8") as caught:
        read_table(path, ["a", "b"])
    assert CANARY not in str(caught.value)


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    for name, problem in [("folder.csv", "is a folder"), ("none.csv", "does not exist")]:
        with pytest.raises(TableError, match=problem):
            read_table(tmp_path / name, ["a"])


def test_frames_that_cannot_be_read() -> None:
    with pytest.raises(TableError, match=r"call collect\(\)"):
        read_table(pl.LazyFrame({"a": [1]}), ["a"])
    with pytest.raises(TableError, match="type dict"):
        read_table({"a": [1]}, ["a"])
    twice = pd.DataFrame([[1, 2]], columns=[CANARY, CANARY])
    with pytest.raises(TableError, match="same name") as caught:
        read_table(twice, ["a"])
    assert CANARY not in str(caught.value)


def test_more_columns_are_read_if_a_study_could_use_them(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"], "c": [1j, 2j]})
    frame["d"] = pd.Timestamp("2020-01-01")
    more = more_columns(read_table(frame, ["a"]), ["a", "b", "c", "d"])
    assert list(more.columns) == ["a", "b"]
    assert (more.n_rows, more.factorised("b")[1][:2]) == (2, ["x", "y"])
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n1,x,3\n2,y,4\n")
    again = more_columns(read_table(path, ["a"]), ["c", "b"])
    assert again.numbers("c").tolist() == [3, 4]
    assert more_columns(again, []).columns == {}


def test_printing_a_table_shows_nothing() -> None:
    table = read_table(pd.DataFrame({"a": [CANARY]}), ["a"])
    assert CANARY not in repr(table)
    assert "1 row" not in repr(table)


def test_keeping_all_columns_keeps_their_types() -> None:
    frame = pl.DataFrame({"a": [1], "day": [dt.date(2020, 1, 1)]})
    table = read_table(frame, ["a"], keep_all=True)
    assert table.whole is not None
    assert table.whole.column_names == ["a", "day"]
    assert read_table(frame, ["a"]).whole is None


def test_integer_column_names_of_pandas() -> None:
    assert read_table(pd.DataFrame({0: [5.0]}), ["0"]).numbers("0").tolist() == [5.0]


def test_columns_no_reader_understands_are_faults_too() -> None:
    frame = pd.DataFrame({"a": np.array([1j]), "b": pd.arrays.SparseArray([1.0])})
    with pytest.raises(TableError) as caught:
        read_table(frame, ["a", "b"])
    assert [fault.where for fault in caught.value.faults] == ["column 1", "column 2"]


def test_parquet_names_with_dots_and_spaces(tmp_path: Path) -> None:
    frame = pa.table({"a": [{"b": 1}], "a.b": [5], " c ": [6]})
    pq.write_table(frame, tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet", ["a.b", "c"])
    assert (table.numbers("a.b")[0], table.numbers("c")[0]) == (5.0, 6.0)
