"""What benchmarks write: tables between the marks of a page, or as data that a page shows."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

DATA = Path(__file__).parents[1] / "docs" / "data"


def fill(page: Path, name: str, text: str) -> None:
    """Replace what stands between two marks of a page."""
    start, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    content = page.read_text(encoding="utf-8")
    head, rest = content.split(start)
    page.write_text(f"{head}{start}\n{text}\n{end}{rest.split(end)[1]}", encoding="utf-8")


def write_table(path: Path, rows: Iterable[Sequence[str]]) -> None:
    """Write rows as a CSV file, the head first; a page shows it by the directive csv-table."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
