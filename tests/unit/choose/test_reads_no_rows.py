"""What chooses settings cannot read a table: nothing it imports is able to."""

import ast
from pathlib import Path

import pytest

import dpwerm

HOUSE = Path(dpwerm.__file__).parent
PUBLIC = sorted([*(HOUSE / "choose").glob("*.py"), HOUSE / "simulate" / "synthetic.py"])
TABLES = ("dpwerm.data", "dpwerm.study.check")
READERS = ("pyarrow", "pandas", "polars", "narwhals", "csv", "sqlite3", "sqlalchemy")
READS = {
    "open",
    "read_table",
    "read_trial",
    "open_source",
    "read_csv",
    "load",
    "loadtxt",
    "fromfile",
    "encode",
    "encode_numbers",
}


def imported(path: Path) -> set[str]:
    """Return every module that a file imports, and every name it takes from one."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def called(path: Path) -> set[str]:
    """Return the last name of everything that a file calls."""
    calls = [n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Call)]
    names = [n.func.attr if isinstance(n.func, ast.Attribute) else n.func for n in calls]
    return {n if isinstance(n, str) else n.id for n in names if isinstance(n, str | ast.Name)}


@pytest.mark.parametrize("path", PUBLIC, ids=lambda path: path.name)
def test_nothing_that_reads_tables_is_imported(path: Path) -> None:
    guilty = {
        name
        for name in imported(path)
        if name.startswith(
            (
                *TABLES,
                *READERS,
                "dpwerm.fit",
                "dpwerm.problem",
                "dpwerm.estimators",
                "dpwerm.weighting.trial",
            )
        )
    }
    assert not guilty


@pytest.mark.parametrize("path", PUBLIC, ids=lambda path: path.name)
def test_nothing_is_read_but_the_cache_and_no_row_is_encoded(path: Path) -> None:
    allowed = {"encode"} if path.name == "question.py" else set()  # text to bytes, for the digest
    assert called(path) & READS <= allowed


def test_the_search_would_find_a_reader(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("from dpwerm.data import table\nimport pyarrow as pa\ntable.read_table(1)\n")
    assert {"dpwerm.data.table", "pyarrow"} <= imported(path)
    assert called(path) == {"read_table"}
