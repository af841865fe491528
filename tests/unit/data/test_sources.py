from pathlib import Path

import pytest

from dpwerm.data.readers import HEADER_LIMIT, open_source, read_header
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
