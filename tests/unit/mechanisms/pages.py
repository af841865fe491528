"""The tables of numbers on the proof pages, so that tests can hold the pages to them."""

from pathlib import Path

PROOFS = Path(__file__).parents[3] / "docs" / "proofs"


def rows_of(page: str, heading: str) -> list[list[str]]:
    """Return the rows of the table whose first heading is given, as lists of stripped cells."""
    lines = (PROOFS / f"{page}.md").read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {heading} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows
