"""What benchmarks write: tables between the marks of a page, and rows of a file as they come."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO


def fill(page: Path, name: str, text: str) -> None:
    """Replace what stands between two marks of a page."""
    start, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    content = page.read_text(encoding="utf-8")
    head, rest = content.split(start)
    page.write_text(f"{head}{start}\n{text}\n{end}{rest.split(end)[1]}", encoding="utf-8")


def add_row(file: TextIO, row: Mapping[str, object]) -> None:
    """Add one row to a CSV file, under a header if it is the first."""
    writer = csv.DictWriter(file, fieldnames=list(row), lineterminator="\n")
    if file.tell() == 0:
        writer.writeheader()
    writer.writerow(row)
    file.flush()
