import csv
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwerm.data.csv_files import HEADER_LIMIT, create, read_header
from dpwerm.data.table import Source, open_source
from dpwerm.errors import TableError


@pytest.mark.parametrize(
    ("text", "separator", "names"),
    [
        ("a,b\n", ",", ("a", "b")),
        ("a;b;c\n1,2;3;4\n", ";", ("a", "b", "c")),
        ("a\tb\n", "\t", ("a", "b")),
        ("only\n", ",", ("only",)),
        ('"x, y";b\n', ";", ("x, y", "b")),
        ('"two\nlines",b\n', ",", ("two\nlines", "b")),
        ("a,b\r1,2\r", ",", ("a", "b")),
    ],
)
def test_the_separator_comes_from_the_header(
    tmp_path: Path, text: str, separator: str, names: tuple[str, ...]
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    header = read_header(path, "t")
    assert (header.separator, header.names) == (separator, names)


def test_a_header_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('"' + "a,\n" * HEADER_LIMIT)
    with pytest.raises(TableError):
        read_header(path, "t")


def test_opening_a_file_reads_its_header_only(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\nragged\n")
    assert open_source(path).names == ("a", "b")


def test_lines_are_counted_past_any_cell(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n" + "x" * 200_000 + ",2\n\n3,4\n")
    lines = open_source(path).lines
    assert lines is not None
    assert lines({1, 3}) == {1: 2, 3: 5}
    assert lines(()) == {}


def test_blank_lines_are_rows_where_there_is_one_column(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('"a, b"\n1\n\n2\n')
    lines = open_source(path).lines
    assert lines is not None
    assert lines({2, 3}) == {2: 3, 3: 4}


INTEGERS = st.integers(-(2**63), 2**63 - 1)
odd_text = st.text(alphabet='a0,;\t"\r\n \u00e9', max_size=4)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(odd_text, st.integers(-(2**63), 2**63 - 1), st.floats(), st.booleans()),
        max_size=6,
    )
)
def test_what_is_written_is_what_the_csv_module_reads(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, int, float, bool]]
) -> None:
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
    kinds = (pa.string(), pa.int64(), pa.float64(), pa.bool_())
    arrays = [pa.array(values, kind) for values, kind in zip(columns, kinds, strict=True)]
    with create(path, Source("t", (), lambda _: [], separator=";")) as write:
        write(pa.table(arrays, names=list("abcd")))
    with path.open(encoding="utf-8", newline="") as stream:
        read = list(csv.reader(stream, delimiter=";"))
    assert read == [list("abcd"), *([str(cell) for cell in row] for row in rows)]


def test_one_column_has_no_empty_lines(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    with create(path, Source("t", (), lambda _: [])) as write:
        write(pa.table({"a": ["x", "", None]}))
    assert path.read_text() == 'a\nx\n""\n""\n'
